// What waits for the person, and what they say to the model.

import { find, write } from "./element.js";
import { get, post } from "./server.js";
import { visible } from "./text.js";

// A decision counts only this long after the question was shown: what was pressed before was meant for something else.
const SHOWN_MS = 500;

export function askPerson(run) {
  const [call, words] = [find("question-call"), find("question-words")];
  const buttons = ["approve", "approve-all", "refuse"].map(find);
  let nonce, action, asks;
  const draw = () => {
    const { question } = run.snapshot ?? {};
    find("question").hidden = !question;
    if (!question || question.nonce === nonce) return;
    nonce = question.nonce;
    for (const button of buttons) button.disabled = true;
    setTimeout(() => buttons.forEach((button) => (button.disabled = false)), SHOWN_MS);
    asks = question.question !== undefined;
    action = question.action;
    const waits = asks ? `The model asks: ${visible(question.question)}` : `Turn ${question.turn} waits for you: ${visible(action)} (${visible(question.why)})`;
    write(find("question-text"), waits);
    [call.value, words.value] = [asks ? "" : action, ""];
    call.setAttribute("aria-label", asks ? "Your answer" : "Action");
    call.placeholder = asks ? "Your answer" : "";
    find("approve-all").hidden = asks;
    name();
  };
  const isEdited = () => !asks && call.value.trim() !== action;
  const name = () => write(find("approve"), asks ? "Answer" : isEdited() ? "Do this instead" : "Do it");
  const decide = async (event, command, value) => {
    if (find("question").hidden || !event.isTrusted || event.repeat || buttons[0].disabled) return;
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
  call.oninput = name;
  find("approve").onclick = approve;
  find("approve-all").onclick = all;
  find("refuse").onclick = refuse;
  run.addEventListener("change", draw);
  draw();
  return { approve, all, refuse };
}

export function tellModel(run, dialog) {
  const field = find("say-field");
  find("say-form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await post({ do: "say", value: field.value });
      field.value = "";
      dialog.close();
      run.note("The model is told at once.");
    } catch (error) {
      write(find("say-note"), error.message);
    }
  };
}

/** The person's words take the place of the model's reply; the last reply shows the form. */
export function replyMyself(run, dialog) {
  const [field, note] = [find("own-field"), find("own-note")];
  find("own-open").addEventListener("click", async () => {
    write(note, "What the model has asked for and was not done yet is dropped. Your reply needs no approval.");
    const turn = run.snapshot?.turns?.last;
    if (field.value || !turn) return;
    const { line } = await get(`/api/turns/${turn}`).catch(() => ({}));
    field.value ||= line?.reply ?? "";
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
