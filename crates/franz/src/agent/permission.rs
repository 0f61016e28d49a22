//! Permission: an action that the gate holds back is performed only after the person has allowed it.

use std::time::{Duration, Instant};

use franz_action::{Action, Outcome};
use franz_panel::controls::PersonDecision;
use franz_record::{Acted, Event, PersonQuestion, RecordedDecision};
use franz_screen::Screen as _;
use jiff::Timestamp;

use super::Agent;
use super::live::WAITING;
use super::notices::{
    ASKED, NEEDS_PERMISSION, NO_ANSWER, NOBODY, NOBODY_ANSWERS, ONE_CALL, REFUSED, RELEASED, STOPPED, SWITCHED_OFF,
    TAKEN_OVER, WAITED,
};
use super::reply_progress::ReplyProgress;
use crate::gate::{self, Passage};
use crate::random;
use crate::stop::Ending;

/// How often a wait checks whether the person has changed a setting, sent a message or left.
const HEARING: Duration = Duration::from_millis(100);

/// The remark that nobody can be asked.
const UNATTENDED: &str = "actions that need your permission are refused, because nobody is at a terminal or has a page \
                          open";

/// The person's decisions about the current reply so far.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    /// The place (page or terminal) where the person allowed all further actions of the reply that the gate holds back.
    all: Option<String>,
    /// The reason why the rest of the reply is not performed.
    over: Option<&'static str>,
}

/// An action that has gone through the gate, and the person's decision about it.
pub(super) enum Passed {
    /// The action is performed.
    Done(Action, Option<RecordedDecision>),
    /// The action is not performed.
    Not(Outcome, Option<RecordedDecision>),
}

/// The person's answer to a question.
enum Answered {
    /// The person decided, on the page or in the terminal.
    Decided { by: String, decision: PersonDecision },
    /// The person acted otherwise or nobody is there, so the action has this outcome.
    Not(Outcome),
}

impl Allowance {
    /// Returns the outcome of an action that follows a refused one.
    pub(super) fn rest(&self) -> Option<Outcome> {
        self.over.map(|why| Outcome::Withdrawn(why.to_owned()))
    }

    /// Gives up the rest of the reply, for this reason.
    pub(super) fn give_up(&mut self, why: &'static str) {
        self.over = Some(why);
    }
}

impl Agent {
    /// Passes an action through the gate.
    pub(super) fn pass(&mut self, at: ReplyProgress<'_>, action: Action) -> Result<Passed, Ending> {
        let began = Instant::now();
        let mut why = match self.judge_passage(&action) {
            Passage::Free => return Ok(Passed::Done(action, None)),
            Passage::Shut(why) => return Ok(Passed::Not(Outcome::Blocked(Some(why)), None)),
            // The person need not approve a reply that they wrote themselves.
            Passage::Ask(_) if self.trail.by.is_some() => return Ok(Passed::Done(action, None)),
            Passage::Ask(why) => why,
        };
        if let Some(by) = &self.trail.permission.all {
            let decided = decided(&PersonDecision::ApproveAll, by, why, began);
            return Ok(Passed::Done(action, Some(decided)));
        }
        if self.trail.gate.drags() {
            // No button stays down while the person is asked, and the drag would end in the wrong place.
            self.let_go();
            self.trail.permission.give_up(NEEDS_PERMISSION);
            return Ok(Passed::Not(Outcome::NotApplied(ONE_CALL.to_owned()), None));
        }
        let (by, decision, edited) = loop {
            let question = PersonQuestion {
                turn: at.turn,
                index: at.index,
                action: action.to_string(),
                why: why.clone(),
                ..PersonQuestion::default()
            };
            let (by, decision) = match self.ask_person(question, at)? {
                Answered::Decided { by, decision } => (by, decision),
                Answered::Not(outcome) => {
                    let is_refused = matches!(outcome, Outcome::Refused(_));
                    if is_refused {
                        self.trail.permission.give_up(NOBODY);
                        self.note_absence();
                    }
                    let refused = PersonDecision::Refuse(String::new());
                    let decided = is_refused.then(|| decided(&refused, "nobody", why, began));
                    return Ok(Passed::Not(outcome, decided));
                }
            };
            match &decision {
                PersonDecision::Edit(text) => match self.allowed(text) {
                    Ok(edited) => break (by, decision, Some(edited)),
                    Err(flaw) => why = flaw,
                },
                _ => break (by, decision, None),
            }
        };
        let mut decided = decided(&decision, &by, why, began);
        if let Some(edited) = edited {
            decided.action = Some(edited.to_string());
            return Ok(Passed::Done(edited, Some(decided)));
        }
        Ok(match decision {
            PersonDecision::Approve => Passed::Done(action, Some(decided)),
            PersonDecision::ApproveAll => {
                self.trail.permission.all = Some(by);
                Passed::Done(action, Some(decided))
            }
            PersonDecision::Refuse(words) => {
                self.trail.permission.give_up(REFUSED);
                Passed::Not(Outcome::Refused(words.trim().to_owned()), Some(decided))
            }
            PersonDecision::Edit(_) | PersonDecision::Answer(_) => {
                Passed::Not(Outcome::Refused(String::new()), Some(decided))
            }
        })
    }

    /// Puts the model's question to the person. Later actions are not performed, because the model must read the answer
    /// first.
    pub(super) fn put_question(
        &mut self,
        at: ReplyProgress<'_>,
        question: &str,
        done: &mut Acted,
    ) -> Result<Outcome, Ending> {
        let began = Instant::now();
        let drags = self.trail.gate.drags();
        self.trail.permission.give_up(if drags { RELEASED } else { ASKED });
        let question = PersonQuestion {
            turn: at.turn,
            index: at.index,
            action: done.action.clone(),
            question: Some(question.to_owned()),
            ..PersonQuestion::default()
        };
        let (by, decision) = match self.ask_person(question, at)? {
            Answered::Decided { by, decision } => (by, decision),
            Answered::Not(Outcome::Refused(_)) => return Ok(Outcome::Refused(NOBODY_ANSWERS.to_owned())),
            Answered::Not(outcome) => return Ok(outcome),
        };
        done.decided = Some(decided(&decision, &by, String::new(), began));
        Ok(match decision {
            PersonDecision::Answer(text) => Outcome::Read { text, note: None },
            PersonDecision::Refuse(words) if !words.trim().is_empty() => Outcome::Refused(words),
            _ => Outcome::Refused(NO_ANSWER.to_owned()),
        })
    }

    /// Tells whoever reads the output later why actions are refused, at first and then less and less often.
    fn note_absence(&mut self) {
        if self.presence.is_anybody_there() {
            return;
        }
        if let Some(told) = self.trail.remarks.note(UNATTENDED) {
            self.notice(&told);
        }
    }

    /// Returns the action that the person wrote in place of the model's; the error says why it cannot be performed.
    fn allowed(&mut self, text: &str) -> Result<Action, String> {
        let edited = gate::edited(text)?;
        let not = |why: &str| Err(format!("{edited} cannot be performed: {why}"));
        if !self.live.settings.tools().permits(&edited) {
            return not(SWITCHED_OFF);
        }
        if let Passage::Shut(why) = self.judge_passage(&edited) {
            return not(&why);
        }
        self.screen.refuses(&edited).map_or(Ok(edited.clone()), not)
    }

    fn judge_passage(&self, action: &Action) -> Passage {
        let pointer = self.screen.pointer().current;
        self.trail.gate.judge(&self.live.settings, action, pointer)
    }

    /// Asks the person, under a new nonce and with nothing held down, after recording the actions performed so far.
    fn ask_person(&mut self, mut question: PersonQuestion, at: ReplyProgress<'_>) -> Result<Answered, Ending> {
        let nobody = || Answered::Not(Outcome::Refused(NOBODY.to_owned()));
        if !self.presence.is_anybody_there() {
            return Ok(nobody());
        }
        // Without a nonce, a decision could not be tied to this question.
        let Ok(nonce) = random() else {
            return Ok(nobody());
        };
        self.let_go();
        let why = question.why.clone();
        self.note_waiting(at)?;
        question.nonce.clone_from(&nonce);
        self.stop.open_question(question.clone());
        self.tell(&Event::Waiting(question));
        self.trail.live.begin();
        let mut look = Instant::now();
        let longest = Duration::from_secs_f64(self.live.settings.person.wait_s);
        let began = Instant::now();
        let answer = loop {
            if look <= Instant::now() {
                self.show_waiting();
                look = Instant::now() + WAITING;
            }
            let decision = self.stop.wait_for_decision(HEARING);
            // A message or an edit that came before the decision takes precedence over it.
            if let Some(ending) = self.stop.ending() {
                let why = if ending.is_by_person() { STOPPED } else { WAITED };
                break Answered::Not(Outcome::Withdrawn(why.to_owned()));
            }
            if self.stop.is_taken_over() {
                break Answered::Not(Outcome::Withdrawn(TAKEN_OVER.to_owned()));
            }
            if let Some(why) = self.withdrawal() {
                break Answered::Not(Outcome::Withdrawn(why.to_owned()));
            }
            if let Some((by, decision)) = decision {
                break Answered::Decided { by, decision };
            }
            if !self.presence.is_anybody_there() || (!longest.is_zero() && began.elapsed() >= longest) {
                break nobody();
            }
        };
        self.stop.close_question();
        let decided = match &answer {
            Answered::Decided { by, decision } => Some(decided(decision, by, why, began)),
            Answered::Not(_) => None,
        };
        let turn = at.turn;
        self.tell(&Event::Decided { turn, nonce, decided });
        // After a refusal or an answer, nothing follows for which another window would have to be in front.
        let is_performed = |decision: &PersonDecision| {
            matches!(
                decision,
                PersonDecision::Approve | PersonDecision::ApproveAll | PersonDecision::Edit(_)
            )
        };
        if matches!(&answer, Answered::Decided { decision, .. } if is_performed(decision)) {
            self.give_back_front();
        }
        self.trail.lookout.forget_look();
        Ok(answer)
    }
}

fn decided(decision: &PersonDecision, by: &str, why: String, began: Instant) -> RecordedDecision {
    RecordedDecision {
        what: decision.name().to_owned(),
        by: by.to_owned(),
        at: Timestamp::now().to_string(),
        ms: began.elapsed().into(),
        why,
        action: None,
    }
}

#[cfg(test)]
pub(super) mod tests;
