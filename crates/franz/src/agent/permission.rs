//! Allowance: what the gate lets wait is done only after the person has decided.

use std::time::{Duration, Instant};

use franz_action::{Action, Outcome};
use franz_panel::controls::PersonDecision;
use franz_record::{Acted, Asks, Event, PersonQuestion, RecordedDecision};
use franz_screen::Screen as _;
use jiff::Timestamp;

use super::notices::{NOBODY, REFUSED, STOPPED, WAITED};
use super::{Agent, Turn};
use crate::gate::{self, Passage};
use crate::random;
use crate::stop::Ending;

/// How often it is looked at whether the person has changed or said something, or has gone.
const HEARING: Duration = Duration::from_millis(100);

/// What the person has decided about a reply so far.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    /// Whether all its actions that would wait are done.
    all: bool,
    /// Why the rest of it is not done.
    over: Option<&'static str>,
}

/// An action after the gate.
pub(super) enum Passed {
    /// It is done, perhaps because the person has said so.
    Done(Action, Option<RecordedDecision>),
    /// It is not.
    Not(Outcome, Option<RecordedDecision>),
}

impl Allowance {
    /// Returns the outcome of an action behind one that was refused.
    pub(super) fn rest(&self) -> Option<Outcome> {
        self.over.map(|why| Outcome::Withdrawn(why.to_owned()))
    }
}

impl Agent {
    /// Takes an action through the gate. `place` is its number in the reply and how many there are; `before` is what became
    /// of those before it.
    pub(super) fn pass(
        &mut self,
        turn: &Turn,
        place: (usize, usize),
        action: Action,
        before: &[Acted],
    ) -> Result<Passed, Ending> {
        let why = match self.judge_passage(&action) {
            Passage::Free => return Ok(Passed::Done(action, None)),
            Passage::Shut(why) => return Ok(Passed::Not(Outcome::Blocked(Some(why)), None)),
            Passage::Ask(_) if self.trail.permission.all => return Ok(Passed::Done(action, None)),
            Passage::Ask(why) => why,
        };
        let asks = Asks::Approval {
            action: action.to_string(),
            why: why.clone(),
        };
        let began = Instant::now();
        let answer = self.ask_person(turn.line.turn, place, asks, before)?;
        let (by, decision) = match answer {
            Ok(decided) => decided,
            Err(outcome) => return Ok(self.not_decided(outcome, why, began)),
        };
        let mut decided = decided(decision.name(), &by, why, began);
        Ok(match decision {
            PersonDecision::Approve => Passed::Done(action, Some(decided)),
            PersonDecision::ApproveAll => {
                self.trail.permission.all = true;
                Passed::Done(action, Some(decided))
            }
            PersonDecision::Refuse(words) => {
                self.trail.permission.over = Some(REFUSED);
                Passed::Not(Outcome::Refused(words.trim().to_owned()), Some(decided))
            }
            PersonDecision::Edit(text) => match gate::edited(&text) {
                Ok(edited) => {
                    decided.action = Some(edited.to_string());
                    // What is not allowed is not allowed in other words either.
                    match self.judge_passage(&edited) {
                        Passage::Shut(why) => Passed::Not(Outcome::Blocked(Some(why)), Some(decided)),
                        Passage::Free | Passage::Ask(_) => Passed::Done(edited, Some(decided)),
                    }
                }
                Err(error) => Passed::Not(Outcome::Refused(error), Some(decided)),
            },
        })
    }

    fn judge_passage(&self, action: &Action) -> Passage {
        let pointer = self.screen.pointer().current;
        self.trail.gate.judge(&self.live.settings, action, pointer)
    }

    /// Returns what becomes of an action about which nobody decided.
    fn not_decided(&mut self, outcome: Outcome, why: String, began: Instant) -> Passed {
        let nobody = matches!(outcome, Outcome::Refused(_));
        if nobody {
            self.trail.permission.over = Some(NOBODY);
        }
        let decided = nobody.then(|| decided("refused", "nobody", why, began));
        Passed::Not(outcome, decided)
    }

    /// Waits for the person, with free hands; what was done before is on disk. Returns where they decided and what; or the
    /// outcome of what waited, if they did something else, or if nobody is there.
    pub(super) fn ask_person(
        &mut self,
        turn: u64,
        (index, total): (usize, usize),
        asks: Asks,
        before: &[Acted],
    ) -> Result<Result<(String, PersonDecision), Outcome>, Ending> {
        let nobody = || Outcome::Refused(NOBODY.to_owned());
        if !self.presence.is_anybody_there() {
            return Ok(Err(nobody()));
        }
        // Without one, nobody could decide this question and no other.
        let Ok(nonce) = random() else {
            return Ok(Err(nobody()));
        };
        self.let_go();
        self.note_waiting(turn, (index, total), before)?;
        self.stop.open_question(&nonce);
        self.tell(&Event::Waiting(PersonQuestion {
            nonce: nonce.clone(),
            turn,
            index,
            asks,
        }));
        let longest = Duration::from_secs_f64(self.live.settings.person.wait_s);
        let began = Instant::now();
        let answer = loop {
            if let Some(decided) = self.stop.wait_for_decision(HEARING) {
                break Ok(decided);
            }
            if let Some(ending) = self.stop.ending() {
                let why = if ending.is_by_person() { STOPPED } else { WAITED };
                break Err(Outcome::Withdrawn(why.to_owned()));
            }
            if let Some(why) = self.withdrawal() {
                break Err(Outcome::Withdrawn(why.to_owned()));
            }
            if !self.presence.is_anybody_there() || (!longest.is_zero() && began.elapsed() >= longest) {
                break Err(nobody());
            }
        };
        self.stop.close_question();
        let told = answer.as_ref().ok();
        let decided = told.map(|(by, decision)| decided(decision.name(), by, String::new(), began));
        self.tell(&Event::Decided { turn, nonce, decided });
        self.trail.lookout.forget_look();
        Ok(answer)
    }
}

fn decided(what: &str, by: &str, why: String, began: Instant) -> RecordedDecision {
    RecordedDecision {
        what: what.to_owned(),
        by: by.to_owned(),
        at: Timestamp::now().to_string(),
        ms: began.elapsed().into(),
        why,
        action: None,
    }
}

#[cfg(test)]
mod tests;
