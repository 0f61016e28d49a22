// The page: what is known (run, turns), what is looked at (view), and everything that draws it.

import { control } from "./controls.js";
import { dialog, show } from "./dialog.js";
import { find } from "./element.js";
import { showFacts } from "./facts.js";
import { feed } from "./feed.js";
import { showFeedback } from "./feedback.js";
import { listHistory } from "./history.js";
import { bindKeys } from "./keys.js";
import { drawMasks } from "./masks.js";
import { navigate, remembered } from "./navigation.js";
import { showNotices } from "./notices.js";
import { showPicture } from "./picture.js";
import { askPerson, replyMyself, tellModel } from "./question.js";
import { Run } from "./run.js";
import { listRuns } from "./runs.js";
import { searchTurns } from "./search.js";
import { editGoal, editSettings } from "./settings.js";
import "./splitter.js";
import { showStatus } from "./status.js";
import { showStories } from "./story.js";
import { takeOver } from "./takeover.js";
import { Turns } from "./turns.js";
import { View } from "./view.js";

// The token in the link has become a cookie; it is not to stay in the address, nor in the browser's history.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const run = new Run();
const view = new View(run, new Turns(), remembered());
const dialogs = {
  history: dialog("history", "history-open"),
  search: dialog("search", "search-open"),
  help: dialog("help", "help-open"),
  runs: dialog("runs", "runs-open"),
};

navigate(run, view);
showStatus(run, view);
const stories = showStories(view);
showFeedback(view);
showFacts(run, view);
const picture = showPicture(view);
drawMasks(run);
const controls = control(run);
editSettings(run, dialog("settings", "settings-open"));
editGoal(run, dialog("goal-dialog", "goal-edit"));
tellModel(run, dialog("say-dialog", "say-open"));
replyMyself(run, dialog("own-dialog", "own-open"));
const question = askPerson(run);
const takeover = takeOver(run);
showNotices(run, dialog("notices", "notices-open"));
listHistory(run, view, dialogs.history);
searchTurns(view, dialogs.search);
listRuns(run, dialogs.runs);
bindKeys([
  [["ArrowLeft", "k"], "Previous turn", () => view.step(-1)],
  [["ArrowRight", "j"], "Next turn", () => view.step(1)],
  [["Home"], "First turn", () => view.go(0)],
  [["End"], "Last turn", () => view.go(Infinity)],
  [["g"], "Go to a turn by its number", () => find("number").focus()],
  [[" "], "Follow the latest turn, or stop following", () => view.follow(!view.following)],
  [["["], "Previous violation", () => view.violation(-1)],
  [["]"], "Next violation", () => view.violation(1)],
  [["p"], "Pause or resume", controls.hold],
  [["n"], "Run one turn", controls.step],
  [["y"], "Do what waits for you", question.approve],
  [["a"], "Do all of this reply", question.all],
  [["x"], "Refuse what waits for you", question.refuse],
  [["t"], "Take over a private desktop", takeover.start],
  [["d"], "Show what changed in the story", stories.toggle],
  [["m"], "Show or hide the marks", picture.toggleMarks],
  [["b"], "Compare with an earlier turn", picture.toggleCompare],
  [["+", "="], "Zoom in (also Ctrl and mouse wheel)", picture.in],
  [["-"], "Zoom out", picture.out],
  [["0"], "Fit the screenshot", () => picture.zoom(null)],
  [["1"], "Show the screenshot in actual size", () => picture.zoom(1)],
  [["h"], "History of all turns", () => show(dialogs.history)],
  [["r"], "Runs of this panel", () => run.snapshot?.runs && show(dialogs.runs)],
  [["/"], "Search", () => show(dialogs.search)],
  [["?"], "Show these keys (Esc closes)", () => show(dialogs.help)],
]);

feed((message) => run.hear(message));
run.refresh();
