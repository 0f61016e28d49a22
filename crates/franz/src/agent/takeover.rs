//! Takeover: FRANZ passes a person's mouse and keyboard input on to a private screen, and shows them that screen. None
//! of this is recorded or shown to the model.

use std::fmt;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use franz_action::{Action, Button, Norm, Point};
use franz_frame::Frame;
use franz_panel::controls::PersonInput;
use franz_record::{Event, LivePicture, Phase};
use franz_screen::{Change, Interrupt};

use super::{Agent, Turn};
use crate::stop::{Ending, Stop};

/// The time between two pictures, which limits them to 15 a second.
const BETWEEN: Duration = Duration::from_millis(66);
/// The time until the next look if nothing has changed.
const LOOK: Duration = Duration::from_millis(10);

/// Tells the model that the process was killed while the person controlled the screen.
const KILLED: &str = "the person used mouse and keyboard, and FRANZ was interrupted meanwhile.";

/// The beginning of every notice about a takeover.
const TOLD: &str = "NOTICE: the person used mouse and keyboard";

/// The maximum number of notches that one input can turn the wheel.
const MOST_NOTCHES: i32 = 100;

impl Agent {
    /// Lets the person act until they give the screen back.
    pub(super) fn hand_over(&mut self, turn: u64) -> Result<(), Ending> {
        self.let_go();
        // If the process is killed in the meantime, the next process learns about the takeover from the state.
        self.state.taken_over = true;
        self.state.told_takeovers = match &self.state.phase {
            Phase::Acted { feedback, .. } => told_takeovers(feedback),
            _ => 0,
        };
        self.recorder.state(&self.state)?;
        self.tell(&Event::TakenOver { turn });
        let (began, mut tally) = (Instant::now(), Tally::default());
        self.trail.live.begin();
        let mut view = std::mem::take(&mut self.trail.live);
        let (captured, frames) = mpsc::sync_channel::<Frame>(1);
        let (drawn, pictures) = mpsc::channel();
        let stop = self.stop.clone();
        thread::scope(|scope| {
            // Comparing and compressing pictures takes so long that inputs must not wait for it.
            scope.spawn(|| {
                for frame in frames {
                    let _ = drawn.send(view.next(&frame));
                    stop.put_drawn();
                }
            });
            self.pass_on(&captured, &pictures, &mut tally);
            drop(captured);
        });
        self.trail.live = view;
        self.let_go();
        tally.seconds = began.elapsed().as_secs();
        self.tell(&Event::GivenBack {
            turn,
            did: tally.to_string(),
        });
        self.trail.tally.add(&tally);
        self.trail.handed = Some(self.trail.tally.to_string());
        self.trail.outdated = true;
        self.trail.lookout.forget_look();
        // The person's pictures have taken the change of the screen, so the next picture may find none.
        self.trail.eye.looked(Change::Unknown);
        self.trail.change = Change::Unknown;
        Ok(())
    }

    /// Passes inputs on until the person gives the screen back, and shows them the screen. Sends captured pictures to
    /// the other thread, and gets back the parts that have changed.
    fn pass_on(&mut self, captured: &SyncSender<Frame>, drawn: &Receiver<Option<LivePicture>>, tally: &mut Tally) {
        let (mut looked, mut is_first) = (Instant::now(), true);
        // `None` while the other thread works on a picture.
        let mut next = Some(looked);
        let until = |next: Option<Instant>| next.map_or(BETWEEN, |next| next.saturating_duration_since(Instant::now()));
        while let Some(inputs) = self.stop.next_inputs(until(next)) {
            for input in inputs {
                self.do_for_person(&input, tally);
            }
            if let Ok(picture) = drawn.try_recv() {
                next = Some(looked + if picture.is_some() { BETWEEN } else { LOOK });
                if let Some(picture) = picture {
                    self.tell(&Event::Live(picture));
                }
            }
            if next.is_some_and(|next| next <= Instant::now()) {
                looked = Instant::now();
                let frame = self.changed_unmasked(is_first);
                next = frame.is_none().then(|| looked + LOOK);
                if let Some(frame) = frame {
                    let _ = captured.send(frame);
                    is_first = false;
                }
            }
        }
    }

    /// Captures the whole screen, including masked areas. `None` if nothing has changed, unless this is the first
    /// picture.
    fn changed_unmasked(&mut self, is_first: bool) -> Option<Frame> {
        let screen = self.screen.unmasked();
        screen.capture().ok()?;
        (is_first || screen.change() != Change::Nothing).then(|| screen.frame().clone())
    }

    /// Tells the model what the person did while they controlled the screen.
    pub(super) fn tell_of_takeover(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        if !std::mem::take(&mut self.state.taken_over) {
            return Ok(());
        }
        let did = self.trail.handed.take();
        self.trail.tally = Tally::default();
        let before = std::mem::take(&mut self.state.told_takeovers);
        // The process in which the takeover happened might have been killed after it had told the model. Notices about
        // earlier takeovers do not count.
        if did.is_none() && told_takeovers(&turn.line.feedback) > before {
            return self.keep_told();
        }
        let did = did.as_deref().unwrap_or(KILLED);
        self.tell_model(turn, &format!("NOTICE: {did} Look at the new picture."));
        self.keep_told()
    }

    fn do_for_person(&mut self, input: &PersonInput, tally: &mut Tally) {
        let action = match input {
            PersonInput::LetGo => {
                self.let_go();
                return;
            }
            input => action(input),
        };
        let Some(action) = action else { return };
        tally.note(&action);
        // A failure is ignored, because the person sees the result on the screen.
        let _ = self.screen.unmasked().pass_on(&action, &Ends(&self.stop));
    }
}

/// The signal that interrupts the person's actions when the run ends.
struct Ends<'a>(&'a Stop);

impl Interrupt for Ends<'_> {
    fn is_set(&self) -> bool {
        self.0.ending().is_some()
    }

    fn sleep(&self, duration: Duration) -> bool {
        self.0.sleep_until_over(duration);
        self.is_set()
    }
}

/// Returns how many takeovers the feedback tells of.
fn told_takeovers(feedback: &str) -> u64 {
    feedback.matches(TOLD).map(|_| 1_u64).sum()
}

/// Returns the action for an input; `None` if the input is not an action.
fn action(input: &PersonInput) -> Option<Action> {
    let place = |(x, y): (f64, f64)| Point {
        x: Norm::nearest(x * 1000.0),
        y: Norm::nearest(y * 1000.0),
    };
    Some(match input {
        PersonInput::Move { at } => Action::Move(place(*at)),
        PersonInput::Down { button, at } => Action::MouseDown(Button::named(button)?, Some(place(*at))),
        PersonInput::Up { button, at } => Action::MouseUp(Button::named(button)?, Some(place(*at))),
        PersonInput::Scroll { dy, dx, at } => Action::Scroll {
            dy: (*dy).clamp(-MOST_NOTCHES, MOST_NOTCHES),
            dx: (*dx).clamp(-MOST_NOTCHES, MOST_NOTCHES),
            at: Some(place(*at)),
        },
        PersonInput::Press { keys } => Action::Press(keys.parse().ok()?),
        PersonInput::Type { text } => Action::typing(text.clone()),
        PersonInput::LetGo => return None,
    })
}

/// The person's actions, as counts only, because the text that they typed is private.
#[derive(Default)]
pub(super) struct Tally {
    seconds: u64,
    clicks: usize,
    characters: usize,
    keys: usize,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.seconds += other.seconds;
        self.clicks += other.clicks;
        self.characters += other.characters;
        self.keys += other.keys;
    }

    fn note(&mut self, action: &Action) {
        match action {
            Action::MouseDown(..) => self.clicks += 1,
            Action::Type(typing) => self.characters += typing.text.chars().count(),
            Action::Press(_) => self.keys += 1,
            _ => {}
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = [
            counted(self.clicks, "click", "clicks"),
            counted(self.characters, "character typed", "characters typed"),
            counted(self.keys, "key press", "key presses"),
        ];
        let did: Vec<String> = did.into_iter().flatten().collect();
        let did = if did.is_empty() {
            "nothing pressed".to_owned()
        } else {
            did.join(", ")
        };
        let seconds = self.seconds;
        write!(f, "the person used mouse and keyboard for {seconds} s: {did}.")
    }
}

/// Returns a count with the matching noun; `None` if it is zero.
fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::grey;
    use super::*;

    /// The process might be killed at any time, and the state is written last.
    #[test]
    fn a_takeover_that_was_told_before_a_kill_is_not_told_again() {
        for (told, before, notices, wanted) in [
            ("for 40 s: 12 clicks.", 0, 1, "for 40 s"),
            ("", 0, 1, "FRANZ was interrupted meanwhile"),
            // An earlier takeover in the same turn was told, but not this one.
            ("for 40 s: 12 clicks.", 1, 2, "FRANZ was interrupted meanwhile"),
        ] {
            let mut fixture = grey::agent_with("I rest.", &["loop.max_turns=1", "loop.settle_s=0", "screen.start_s=0"]);
            let notice = format!("\n\n{TOLD} {told} Look at the new picture.");
            let notice = if told.is_empty() { "" } else { &notice };
            fixture.agent.state.taken_over = true;
            fixture.agent.state.told_takeovers = before;
            fixture.agent.state.phase = Phase::Acted {
                turn: 1,
                outcomes: Vec::new(),
                feedback: format!("OK: 1 action executed.{notice}"),
            };
            let _ending = fixture.agent.run();
            let feedback = fixture.events.iter().find_map(|event| match event {
                Event::TurnDone(line) => Some(line.feedback),
                _ => None,
            });
            let feedback = feedback.unwrap();
            assert_eq!(told_takeovers(&feedback), notices, "{feedback}");
            assert!(feedback.contains(wanted), "{feedback}");
        }
    }

    #[test]
    fn two_takeovers_are_told_as_one() {
        let mut all = Tally::default();
        for tally in [
            Tally {
                seconds: 40,
                clicks: 12,
                characters: 9,
                keys: 0,
            },
            Tally {
                seconds: 2,
                ..Tally::default()
            },
        ] {
            all.add(&tally);
        }
        let told = "the person used mouse and keyboard for 42 s: 12 clicks, 9 characters typed.";
        assert_eq!(all.to_string(), told);
    }
}
