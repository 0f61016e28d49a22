// The question that is waiting for the person, and the person's messages to the model.

import { find, make, press, write } from "./element.js";
import { get, post } from "./server.js";
import { visible } from "./text.js";

// A decision does not count until the question has been visible for this long. Earlier key presses and clicks were
// meant for something else.
const SHOWN_MS = 500;
const FIELDS = "input, textarea, select";
/** How long a reply by the person may be, in bytes. */
const LONGEST = 16_384;

export function askPerson(run) {
  const [card, call, words, edit] = ["question", "question-call", "question-words", "question-edit"].map(find);
  const buttons = ["approve", "approve-all", "refuse"].map(find);
  /** `asks` says that the model has asked a question. There is no action then. */
  let nonce, action, asks, timer;
  const draw = () => {
    const { question } = run.snapshot ?? {};
    card.hidden = !question;
    if (!question) return (nonce = null);
    if (question.nonce === nonce) return;
    nonce = question.nonce;
    for (const button of buttons) button.disabled = true;
    // A previous question might have appeared only a moment ago.
    clearTimeout(timer);
    timer = setTimeout(() => buttons.forEach((button) => (button.disabled = false)), SHOWN_MS);
    asks = question.question != null;
    action = asks ? "" : question.action;
    const said = asks ? "The model asks:" : `Turn ${question.turn}, action ${question.index + 1} is waiting for you: ${visible(question.why)}`;
    find("question-text").replaceChildren(
      make("small", {}, said),
      asks ? make("b", { dir: "auto" }, visible(question.question)) : make("code", {}, visible(action)),
    );
    [call.value, words.value] = [action, ""];
    call.setAttribute("aria-label", asks ? "Your answer" : "Action");
    call.placeholder = asks ? "Your answer" : "";
    find("approve-all").hidden = edit.hidden = asks;
    change(asks);
    // Do not interrupt a person who is typing or reading a dialog.
    if (!document.activeElement?.matches(FIELDS) && !document.querySelector("dialog[open]")) (asks ? call : card).focus({ preventScroll: true });
  };
  const isEdited = () => !asks && call.value.trim() !== action;
  const name = () => write(find("approve"), asks ? "Answer" : isEdited() ? "Do this instead" : "Approve");
  const change = (on) => {
    call.hidden = !on;
    press(edit, on);
    if (!on) call.value = action;
    name();
  };
  const isOpen = () => !card.hidden;
  const decide = async (event, command, value) => {
    if (!isOpen() || !event.isTrusted || event.repeat || buttons[0].disabled) return;
    try {
      await post({ do: command, key: nonce, value });
    } catch (error) {
      run.note(error.message);
    }
  };
  const approve = (event) => {
    if (asks) return decide(event, "answer", call.value);
    return isEdited() ? decide(event, "edit", call.value) : decide(event, "approve");
  };
  const all = (event) => (asks ? undefined : decide(event, "approve_all"));
  const refuse = (event) => decide(event, "refuse", words.value);
  const toggle = () => {
    if (asks) return call.focus();
    change(call.hidden);
    if (!call.hidden) call.focus();
  };
  /** Makes Enter in a field act like the field's button. */
  const enter = (act) => (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    act(event);
  };
  call.oninput = name;
  call.onkeydown = enter(approve);
  words.onkeydown = enter(refuse);
  edit.onclick = toggle;
  find("approve").onclick = approve;
  find("approve-all").onclick = all;
  find("refuse").onclick = refuse;
  run.addEventListener("change", draw);
  draw();
  return { approve, all, refuse, edit: toggle, isOpen, asks: () => isOpen() && asks };
}

export function tellModel(run) {
  const [field, keep] = [find("say-field"), find("say-keep")];
  const form = find("say-form");
  form.onsubmit = async (event) => {
    event.preventDefault();
    const [value, kept] = [field.value, keep.checked];
    if (!value.trim()) return;
    // Meanwhile, the person can write the next message.
    [field.value, keep.checked] = ["", false];
    try {
      await post({ do: "say", value, keep: kept });
      run.note(`Sent. The model reads it right away${kept ? ", and it stays in the task" : ""}.`);
    } catch (error) {
      run.note(error.message);
      field.value = field.value ? `${value}\n${field.value}` : value;
      keep.checked ||= kept;
    }
  };
  field.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  };
}

/** Lets the person reply in place of the model. The last reply serves as an example of the form. */
export function replyMyself(run, dialog) {
  const [field, note] = [find("own-field"), find("own-note")];
  let example;
  find("own-open").addEventListener("click", async () => {
    write(note, "Actions that the model has requested but FRANZ has not performed yet are dropped. Your reply needs no approval.");
    const turn = run.snapshot?.turns?.last;
    // The example might be from an earlier turn.
    if (field.value === example) field.value = "";
    if (field.value || !turn) return;
    const { line } = await get(`/api/turns/${turn}`).catch(() => ({}));
    if (field.value) return;
    const reply = line?.reply ?? "";
    if (new Blob([reply]).size > LONGEST) return write(note, "The last reply is too long to edit here: you can send at most 16 kB.");
    field.value = reply;
    example = field.value;
  });
  find("own-form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await post({ do: "reply", value: field.value });
      field.value = "";
      dialog.close();
    } catch (error) {
      write(note, error.message);
    }
  };
}
