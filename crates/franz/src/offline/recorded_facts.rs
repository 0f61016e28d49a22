//! The facts that a replay takes from the record because no program can determine them again: a person's actions, the
//! time, the contents of a desktop. In any other run, there is nothing to take.

use std::sync::Arc;

use franz_action::Action;
use franz_chat::Bytes;
use franz_frame::{Frame, PixelFormat, png};
use franz_home::{Home, LARGEST};
use franz_json::{Raw, Story, members};
use franz_record::{
    Acted, BesideImage, MessageContent, Outcome, PersonMessage, ScreenChange, Status, ToldElement, messages,
    without_elements,
};
use franz_screen::ActionId;
use jiff::{Timestamp, ToSpan as _, Zoned};
use toml::Value;

use super::learned::learned;
use super::recorded_run::RecordedRun;
use crate::agent::BesideView;
use crate::config::layer::Layer;
use crate::config::settings::{NEWER_LIMIT_FIELD, Settings};
use crate::idiom::Idiom;

/// How the time of day is written in a picture.
const CLOCK: &str = "%Y-%m-%d %H:%M:%S";

/// Who found a position, if no grounder did: the list of elements.
const ELEMENT: &str = "element ";

/// The beginnings of the notices that only a desktop can cause.
const OF_SCREEN: [&str; 5] = [
    "NOTICE: nothing visible changed;",
    "NOTICE: something changed ",
    "NOTICE: the clipboard holds ",
    "NOTICE: new window: ",
    "NOTICE: closed: ",
];

/// The beginning of the notice that stands above the list of elements.
const OF_ELEMENTS: &str = "NOTICE: no elements are reported for ";

/// The beginning and end of the notice that a person took over.
const TAKEN_OVER: (&str, &str) = (
    "NOTICE: the person used mouse and keyboard",
    " Look at the new picture.",
);

/// The beginning of the notice that the record was lost after the actions.
const UNRECORDED: &str = "NOTICE: FRANZ went on without a record after that, ";

/// The facts of a recorded run; empty in a run that is not a replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordedFacts(Option<Arc<RecordedRun>>);

/// The outcome of an action when the run was recorded.
pub(crate) enum Repeated {
    /// The action is performed again.
    Anew,
    /// This is its outcome. The screen performs this action first, if there is one.
    AsRecorded(Box<Acted>, Option<Action>),
}

/// The facts about a desktop when the run was recorded.
pub(crate) struct RecordedWords {
    pub(crate) notices: Vec<String>,
    pub(crate) change: Option<ScreenChange>,
}

/// How the model was asked in a recorded turn.
pub(crate) struct TurnAsked {
    /// The model that the request names.
    pub(crate) model: Option<String>,
    /// The sampling, by key.
    pub(crate) sampling: Vec<(&'static str, Value)>,
    /// The limit on the reply's tokens, if the request has it under its newer name.
    pub(crate) newer_limit: Option<Value>,
    /// The width and height of the picture.
    pub(crate) picture: Option<(u32, u32)>,
    /// Whether the model answered.
    pub(crate) is_answered: bool,
    /// The reply that a person wrote in the model's place.
    pub(crate) persons_reply: Option<String>,
}

/// The list of elements that the model got, and the notice above it.
pub(crate) struct RecordedElements {
    pub(crate) notice: Option<String>,
    pub(crate) list: String,
    pub(crate) elements: Vec<ToldElement>,
}

impl RecordedFacts {
    pub(super) fn of(run: &Arc<RecordedRun>) -> RecordedFacts {
        RecordedFacts(Some(Arc::clone(run)))
    }

    /// Returns whether the run is a replay.
    pub(crate) fn are_there(&self) -> bool {
        self.0.is_some()
    }

    /// Begins a turn.
    pub(crate) fn begin(&self, turn: u64) {
        if let Some(run) = &self.0 {
            run.begin(turn);
        }
    }

    /// Returns the time of day for a picture: the one in the recorded picture, or the current one. Old records do not
    /// hold it, but its turn's beginning and the time from there to the picture.
    pub(crate) fn clock(&self) -> String {
        let recorded = || {
            let line = self.0.as_ref()?.line()?;
            line.clock.clone().or_else(|| {
                let passed = line.ms.act.get() + line.ms.settle.get() + line.ms.capture.get();
                let began: Timestamp = line.started.parse().ok()?;
                let at = began.checked_add((passed as i64).milliseconds()).ok()?;
                Some(
                    at.to_zoned(Zoned::now().time_zone().clone())
                        .strftime(CLOCK)
                        .to_string(),
                )
            })
        };
        recorded().unwrap_or_else(|| Zoned::now().strftime(CLOCK).to_string())
    }

    /// Returns the outcome of an action. On the canvas, an action is performed again unless a person, a grounder or the
    /// end of a process decided about it, or it only waited.
    pub(crate) fn repeated(&self, step: ActionId, text: &str) -> Repeated {
        let Some(run) = &self.0 else { return Repeated::Anew };
        let recorded = run.line().and_then(|line| line.acted.get(step.index));
        let Some(acted) = recorded.filter(|acted| acted.action == text) else {
            let unknown = Outcome::NotApplied("the record has no outcome for this action".to_owned());
            return if run.is_canvas() {
                Repeated::Anew
            } else {
                Repeated::AsRecorded(Box::new(Acted::new(text, unknown)), None)
            };
        };
        if run.is_canvas() && !is_decided_elsewhere(acted) {
            return Repeated::Anew;
        }
        let performed = acted.performed().filter(|action| !is_pause(action));
        Repeated::AsRecorded(Box::new(acted.clone()), performed)
    }

    /// Returns the words about a desktop for the turn's feedback; `None` if they must be worked out again.
    pub(crate) fn words(&self) -> Option<RecordedWords> {
        let run = self.0.as_ref().filter(|run| !run.is_canvas())?;
        let line = run.line()?;
        let is_of_screen = |text: &&str| OF_SCREEN.iter().any(|beginning| text.starts_with(beginning));
        let said = without_elements(&line.feedback).lines().filter(is_of_screen);
        Some(RecordedWords {
            notices: said.map(str::to_owned).collect(),
            change: line.change,
        })
    }

    /// Returns the list of a desktop's elements that the model got with the turn's picture.
    pub(crate) fn elements(&self) -> Option<RecordedElements> {
        let run = self.0.as_ref().filter(|run| !run.is_canvas())?;
        let line = run.line()?;
        let rest = without_elements(&line.feedback);
        let list = line.feedback.get(rest.len()..)?.trim_start_matches('\n');
        let notice = rest.lines().find(|line| line.starts_with(OF_ELEMENTS));
        (!list.is_empty()).then(|| RecordedElements {
            notice: notice.map(str::to_owned),
            list: list.to_owned(),
            elements: line.elements.clone(),
        })
    }

    /// Returns the extra pictures of a desktop.
    pub(crate) fn beside(&self) -> Option<Vec<BesideView>> {
        let run = self.0.as_ref().filter(|run| !run.is_canvas())?;
        let beside = run.line()?.beside.iter();
        Some(beside.map(|beside| shown(run, beside)).collect())
    }

    /// Returns what a person did while they controlled the screen before this turn's request.
    pub(crate) fn taken_over(&self) -> Option<String> {
        let line = self.0.as_ref()?.line()?;
        let (beginning, end) = TAKEN_OVER;
        let said = line
            .feedback
            .lines()
            .find(|line| line.starts_with(beginning) && line.ends_with(end))?;
        Some(said.strip_prefix("NOTICE: ")?.strip_suffix(end)?.to_owned())
    }

    /// Returns whether this turn's request told the model that the record was lost after the actions.
    pub(crate) fn was_lost(&self) -> bool {
        let line = self.0.as_ref().and_then(|run| run.line());
        line.is_some_and(|line| line.feedback.lines().any(|line| line.starts_with(UNRECORDED)))
    }

    /// Returns the goal that a person gave before this turn's request.
    pub(crate) fn given_goal(&self) -> Option<String> {
        self.0.as_ref()?.given_goal()
    }

    /// Sends the messages that the person sent before this turn's request to the run in `home`. `words` words one for the
    /// model; a message that the recorded feedback does not contain came later.
    pub(crate) fn send_messages(&self, home: &Home, words: impl Fn(&MessageContent) -> Option<String>) {
        let Some((run, line)) = self.0.as_ref().and_then(|run| Some((run, run.line()?))) else {
            return;
        };
        let feedback = format!("\n{}\n", line.feedback);
        run.send_messages(|PersonMessage { content, .. }| {
            let told = words(content);
            if told.is_some_and(|told| !feedback.contains(&format!("\n{told}\n"))) {
                return false;
            }
            let sent = match content {
                MessageContent::Text(text) => messages::say(home, text),
                MessageContent::Mode(mode) => messages::set_mode(home, mode),
            };
            if let Err(error) = sent {
                tracing::warn!("{error}");
            }
            true
        });
    }

    /// Returns how the recorded turn asked; `None` if the run is not a replay.
    pub(crate) fn turn(&self) -> Option<TurnAsked> {
        let run = self.0.as_ref()?;
        let line = run.line();
        let persons = line
            .filter(|line| line.by.is_some())
            .and_then(|line| line.reply.as_ref());
        let image = line.and_then(|line| line.image.as_ref());
        let sampled = line.and_then(|line| line.sampling.as_ref());
        Some(TurnAsked {
            model: run.model(),
            sampling: sampled.map(sampling).unwrap_or_default(),
            newer_limit: sampled.and_then(newer_limit),
            picture: image.map(|image| (image.width, image.height)),
            is_answered: line.is_some_and(|line| line.status == Status::Ok && line.by.is_none()),
            persons_reply: persons.map(Story::text),
        })
    }

    /// Returns the idiom of this turn, or of the first answered one.
    pub(crate) fn idiom(&self, chosen: Idiom) -> Idiom {
        let Some(run) = &self.0 else { return chosen };
        let answered = run.line().filter(|line| line.status == Status::Ok && line.by.is_none());
        match answered.or_else(|| run.first_answered()) {
            Some(line) => chosen.of(line.read_as.as_ref()),
            None => chosen,
        }
    }

    /// Returns the settings that the run had learned about its model server before this turn's request.
    pub(crate) fn learned(&self, settings: &Settings) -> Option<Layer> {
        let request = self.0.as_ref()?.request()?;
        Some(learned(settings, &request))
    }
}

/// Returns the settings for the sampling of a recorded turn.
fn sampling(recorded: &Raw) -> Vec<(&'static str, Value)> {
    let names = ["temperature", "top_p", "max_tokens"];
    let keys = ["model.temperature", "model.top_p", "model.max_tokens"];
    let values = members(recorded.get(), names).unwrap_or_default();
    let numbers = values.map(|value| value.and_then(|value| serde_json::from_str(value.get()).ok()));
    keys.into_iter()
        .zip(numbers)
        .filter_map(|(key, number)| Some((key, number?)))
        .collect()
}

/// Returns the limit on the tokens of a recorded turn's reply, if it has its newer name.
fn newer_limit(recorded: &Raw) -> Option<Value> {
    let [limit] = members(recorded.get(), [NEWER_LIMIT_FIELD])?;
    serde_json::from_str(limit?.get()).ok()
}

/// Returns whether the outcome came from something other than the canvas.
fn is_decided_elsewhere(acted: &Acted) -> bool {
    let is_grounded = acted
        .found
        .as_ref()
        .is_some_and(|found| !found.model.starts_with(ELEMENT));
    let waits = || acted.action.parse().is_ok_and(|action| is_pause(&action));
    let is_stopped = matches!(
        acted.outcome,
        Outcome::Withdrawn(_) | Outcome::Interrupted | Outcome::Refused(_) | Outcome::Held(_)
    );
    is_stopped || is_grounded || acted.decided.is_some() || waits()
}

fn is_pause(action: &Action) -> bool {
    matches!(action, Action::Wait(_) | Action::Watch(_))
}

/// Returns a recorded extra picture, or a black one if it is no longer stored.
fn shown(run: &RecordedRun, BesideImage { words, image }: &BesideImage) -> BesideView {
    let stored = run.view().read(&image.file, LARGEST).ok();
    let black = || {
        let frame = Frame::black(image.width.max(1), image.height.max(1), PixelFormat::Gray8).ok()?;
        png::encode(&frame).ok()
    };
    BesideView {
        words: words.clone(),
        png: Bytes::from(stored.or_else(black).unwrap_or_default()),
        sha256: image.sha256.clone(),
        width: image.width,
        height: image.height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_canvas_decided_is_done_again() {
        let acted = |action: &str, outcome| Acted::new(action, outcome);
        for (acted, elsewhere) in [
            (acted("left_click(1, 2)", Outcome::DONE), false),
            (acted("type(\"a\")", Outcome::NotApplied("no click".to_owned())), false),
            (acted("left_click(1, 2)", Outcome::BLOCKED), false),
            (acted("left_click(1, 2)", Outcome::Interrupted), true),
            (
                acted("left_click(1, 2)", Outcome::Withdrawn("a message".to_owned())),
                true,
            ),
            (acted("left_click(1, 2)", Outcome::Refused("no".to_owned())), true),
            (acted("wait(5)", Outcome::DONE), true),
        ] {
            assert_eq!(is_decided_elsewhere(&acted), elsewhere, "{acted:?}");
        }
    }
}
