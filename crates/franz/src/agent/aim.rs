//! Aiming: to perform an action on a target, FRANZ asks the grounder where the target is in this turn's picture.

use franz_action::{Action, AimedAt, Outcome, Verb};
use franz_record::{Acted, Found, LoggedBody};
use franz_screen::{Change, Screen as _};

use super::{Agent, Grounder, Turn, grounder};
use crate::stop::Ending;

/// Tells a model that it named a target although there is no grounder.
const NOBODY: &str = "there is no grounder to find targets; give coordinates";
/// Tells the model that its reply names too many targets.
const TOO_MANY: &str = "a reply may name at most 10 targets; look at the screen first";
/// How many targets to look for per reply, all of them in the picture that the model saw.
const MOST_TARGETS: usize = 10;
/// Tells the model that the screen cannot be captured.
const NO_PICTURE: &str = "the screen could not be captured, so the target was not looked for";
/// Tells the model that no answer came. Only the person gets the reason, because it can contain addresses.
const NO_ANSWER: &str = "the grounder did not answer; try again, or try something else";

/// Tells the model that the answer came from a different model than the one requested.
const REPLACED: &str = "the grounder has just been replaced by another model; name the target again";

/// An action on a target, once the target has been looked for.
pub(super) struct Aim {
    /// The action at the position that was found, or the reason why there is none, worded for the model.
    pub(super) action: Result<Action, String>,
    /// The record of the search; `None` if no request was sent to the grounder.
    pub(super) found: Option<Found>,
}

impl Aim {
    fn failed(why: &str) -> Aim {
        Aim {
            action: Err(why.to_owned()),
            found: None,
        }
    }
}

/// Returns whether the grounder looked for an action's target. Elements are found by their number.
fn names_target(acted: &Acted) -> bool {
    let is_named = || matches!(acted.action.parse(), Ok(Action::Aimed(_, AimedAt::Named(_))));
    acted.found.is_some() && is_named()
}

impl Agent {
    /// Asks the grounder where a target is. The exchange is logged like the turn's other exchanges.
    pub(super) fn aim(&mut self, turn: &mut Turn, verb: Verb, target: &str, before: &[Acted]) -> Result<Aim, Ending> {
        let Some(has_seen) = self.grounder.as_ref().map(Grounder::has_seen) else {
            return Ok(Aim::failed(NOBODY));
        };
        let silent = Outcome::NotApplied(NO_ANSWER.to_owned());
        if before.iter().any(|acted| acted.outcome == silent) {
            return Ok(Aim::failed(NO_ANSWER));
        }
        if before.iter().filter(|acted| names_target(acted)).count() >= MOST_TARGETS {
            return Ok(Aim::failed(TOO_MANY));
        }
        if !has_seen && !self.look_first() {
            return Ok(Aim::failed(NO_PICTURE));
        }
        let number = turn.line.turn;
        let mut headers = self.headers(number);
        headers.push(("X-Franz-Asks", "grounder".to_owned()));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let Some(grounder) = &mut self.grounder else {
            return Ok(Aim::failed(NOBODY));
        };
        let request = match grounder.request(target) {
            Ok(request) => request,
            Err(error) => {
                self.notice(&format!("no picture for the grounder: {error}"));
                return Ok(Aim::failed(NO_PICTURE));
            }
        };
        self.recorder.request(number, &request.redacted())?;
        let (asked, took) = grounder.ask(&request, &headers, &self.stop);
        let mut found = Found {
            action: None,
            model: grounder.model().to_owned(),
            said: String::new(),
            ms: took.into(),
        };
        let action = match asked {
            // The run is about to stop.
            None => return Ok(Aim::failed(NO_ANSWER)),
            Some(Ok(answer)) => {
                let body = LoggedBody::Bytes(answer.reply.raw());
                self.recorder.response(number, Some(answer.status), body)?;
                turn.used.add(answer.reply.usage());
                found.said = grounder::said(&answer.reply);
                if let Some(model) = answer.reply.model() {
                    model.clone_into(&mut found.model);
                }
                let remembered = grounder.remember();
                let action = if let Some(change) = grounder.answered(&answer.reply, &self.stop) {
                    self.notice(&format!("grounder: {change}"));
                    Err(REPLACED.to_owned())
                } else {
                    let place = grounder.place(&answer.reply);
                    place.and_then(|at| Action::at(verb, &[at]).ok_or_else(|| NOBODY.to_owned()))
                };
                if let Some(told) = remembered {
                    self.notice(&format!("grounder: {told}"));
                }
                action
            }
            Some(Err(failed)) => {
                let words = failed.to_string();
                let body = failed.answer.as_deref();
                let body = body.map_or(LoggedBody::Missing(&words), LoggedBody::Bytes);
                self.recorder.response(number, failed.failure.status(), body)?;
                turn.used.add(failed.usage);
                if let Some(told) = grounder.remedied(&failed.failure) {
                    self.notice(&format!("grounder: {}; {told}", failed.failure.without_advice()));
                    return self.aim(turn, verb, target, before);
                }
                let replaced = grounder.failed(&failed.failure, &self.stop);
                let replaced = replaced.map(|told| format!("; {told}")).unwrap_or_default();
                self.notice(&format!("the grounder found nothing: {words}{replaced}"));
                Err(NO_ANSWER.to_owned())
            }
        };
        found.action = action.as_ref().ok().map(ToString::to_string);
        Ok(Aim {
            action,
            found: Some(found),
        })
    }

    /// Captures the screen for a grounder that has no picture, because the process has just begun or a mask is new.
    /// Returns whether that worked.
    fn look_first(&mut self) -> bool {
        self.put_masks();
        match self.screen.capture() {
            Ok(frame) => {
                if let Some(grounder) = &mut self.grounder {
                    grounder.see(frame);
                }
                self.trail.change = self.trail.change.and(self.screen.change());
                self.trail.eye.looked(Change::Unknown);
                true
            }
            Err(error) => {
                self.notice(&format!("no picture: {error}"));
                false
            }
        }
    }
}
