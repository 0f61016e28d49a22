// The page: what it knows (run, turns), what it displays (view, panes), and everything that draws it.

import { address, asked } from "./address.js";
import { control } from "./controls.js";
import { dialog, show } from "./dialog.js";
import { find } from "./element.js";
import { showFacts } from "./facts.js";
import { feed } from "./feed.js";
import { showFeedback } from "./feedback.js";
import { Growing } from "./growing.js";
import { listHistory } from "./history.js";
import { bindKeys, hintAtKeys } from "./keys.js";
import { showNow } from "./live.js";
import { Marks } from "./marks.js";
import { drawMasks } from "./masks.js";
import { navigate } from "./navigation.js";
import { showNotices } from "./notices.js";
import { notify } from "./notify.js";
import { Pair } from "./pair.js";
import { Panes } from "./panes.js";
import { showPlaces } from "./places.js";
import { showPicture } from "./picture.js";
import { play } from "./player.js";
import { askPerson, replyMyself, tellModel } from "./question.js";
import { showMessages, showRequest } from "./request.js";
import { Run } from "./run.js";
import { listRuns } from "./runs.js";
import { searchTurns } from "./search.js";
import { editGoal, editSettings } from "./settings.js";
import "./splitter.js";
import { showStatus } from "./status.js";
import { showStories } from "./story.js";
import { Summaries } from "./summaries.js";
import { takeOver } from "./takeover.js";
import { showTimeline } from "./timeline.js";
import { Turns } from "./turns.js";
import { View } from "./view.js";

const { turn, pane, other } = asked();
// The token in the link is now in a cookie, and must not stay in the address or the browser's history.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const run = new Run();
const view = new View(run, new Turns(), turn);
const panes = new Panes();
panes.open(pane);
const dialogs = {
  history: dialog("history", "history-open"),
  search: dialog("search", "search-open"),
  help: dialog("help", "help-open"),
  runs: dialog("runs", "runs-open"),
};

navigate(run, view);
const player = play(run, view);
const summaries = new Summaries(run, view);
showTimeline(run, view, new Marks(run, view), summaries);
const pair = new Pair(view, dialog("pair"));
address(run, view, panes, pair, player.isPlaying);
showStatus(run, view, notify(run));
showStories(view, panes, new Growing(run, view));
showMessages(view);
showRequest(run, view, panes);
showFeedback(view);
showFacts(run, view);
const picture = showPicture(view, summaries);
const places = showPlaces(run, view);
showNow(run, view);
drawMasks(run);
const controls = control(run);
editSettings(run, dialog("settings", "settings-open"));
editGoal(run, dialog("goal-dialog", "goal-edit"));
tellModel(run);
replyMyself(run, dialog("own-dialog", "own-open"));
const question = askPerson(run);
const takeover = takeOver(run);
showNotices(run, dialog("notices", "notices-open"));
listHistory(run, view, dialogs.history);
searchTurns(view, panes, dialogs.search);
listRuns(run, dialogs.runs, pair);

/** Returns a function that says whether a button can be pressed now. */
const can = (id) => () => find(id).checkVisibility() && !find(id).disabled;
const isThere = () => view.range() != null;
bindKeys(
  [
    [["Enter"], "Approve what is waiting for you", question.approve, question.isOpen],
    [["Shift+Enter"], "Approve everything in this reply", question.all, question.isOpen],
    [["Backspace"], "Refuse what is waiting for you", question.refuse, question.isOpen],
    [["a"], "Answer the model's question", question.edit, question.asks],
    [["e"], "Edit what is waiting for you", question.edit, () => question.isOpen() && !question.asks()],
    [["ArrowLeft", "k"], "Previous turn", () => view.step(-1), can("previous")],
    [["ArrowRight", "j"], "Next turn", () => view.step(1), can("next")],
    [["Home"], "First turn", () => view.go(0), isThere],
    [["End"], "Last turn", () => view.go(Infinity), isThere],
    [["g"], "Go to a turn by its number", () => find("number").focus(), isThere],
    [[" "], "Follow the latest turn, or stop following", () => view.follow(!view.following), can("follow")],
    [[" "], "Play the run, or stop playing", player.toggle, can("play")],
    [["["], "Previous violation", () => view.violation(-1), can("violation-previous")],
    [["]"], "Next violation", () => view.violation(1), can("violation-next")],
    [["p"], "Pause or resume", controls.hold, () => can("pause")() || can("resume")()],
    [["n"], "Run one turn", controls.step, can("step")],
    [["t"], "Take over a private desktop", takeover.start, can("take-over")],
    [["a"], "Reply in place of the model", () => find("own-open").click(), can("own-open")],
    [["e"], "Edit the goal", () => find("goal-edit").click(), can("goal-edit")],
    [["1"], "Maximise the picture, or go back", () => panes.toggle("picture")],
    [["2"], "Maximise the text, or go back", () => panes.toggle("texts")],
    [["3"], "Maximise the actions, or go back", () => panes.toggle("actions")],
    [["4"], "Maximise the request, or go back", () => panes.toggleText("request")],
    [["Escape"], "Show all panes", () => panes.restore(), () => panes.largest != null],
    [["d"], "Show what changed in the story, or the reply", () => panes.show(panes.text === "changes" ? "reply" : "changes")],
    [["m"], "Show or hide the marks", picture.toggleMarks, can("marks")],
    [["c"], "Show the area that changed", places.toggle, can("changed")],
    [["b"], "Compare with an earlier turn", picture.toggleCompare, can("compare")],
    [["+", "="], "Zoom in (also Ctrl and mouse wheel)", picture.in, can("zoom-in")],
    [["-"], "Zoom out", picture.out, can("zoom-out")],
    [["0"], "Fit the screenshot", () => picture.zoom(null), can("fit")],
    [["z"], "Show the screenshot at actual size", () => picture.zoom(1), can("actual")],
    [["h"], "History of all turns", () => show(dialogs.history)],
    [["r"], "Runs of this panel", () => show(dialogs.runs), () => !find("runs-open").hidden],
    [["/"], "Search", () => show(dialogs.search)],
    [["?"], "Show these keys (Esc closes)", () => show(dialogs.help)],
  ],
  dialogs.help,
);

hintAtKeys(run);
feed((message) => run.hear(message));
run.refresh();
pair.open(other, turn);
