//! Writes the played model's answer to a request.

use super::chance::Chance;
use super::question::Question;
use super::tongue::{Tongue, native};
use super::{Player, clicked};
use crate::aim::Aim;
use crate::artist::{Hand, NextStep, Thought, TurnView};
use crate::cat;
use crate::feedback::{Feedback, quote};
use crate::lines;
use crate::picture::Pixels;
use crate::protocol::{ModelProtocol, picture};
use crate::python;
use crate::request::ChatRequest;
use crate::rules::{Rule, Rules};
use crate::sections::{self, SectionsFeedback};
use crate::speech::{Speech, Voice};
use crate::tools;
use crate::words;

/// The text that FRANZ adds to a dialect's call if the call was not performed.
const NOT_DONE: &str = "not done";

/// The ways in which an answer can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    /// The answer points at random positions.
    Misses,
    /// The answer contains no call.
    Words,
}

impl Player {
    /// Answers a request. Also returns whether the model had nothing to do.
    pub(crate) fn answer(&self, request: &ChatRequest) -> (Speech, bool) {
        let chance = Chance::new(self.seed, request);
        let seen = if self.blind {
            Err("no picture reached me".to_owned())
        } else {
            picture(request)
        };
        let [wrong, how] = chance.pair("wrong");
        let slip = (wrong < self.wrong).then_some(if how < 0.5 { Slip::Misses } else { Slip::Words });
        if slip == Some(Slip::Words) {
            return (
                Speech::text("I look at the picture and think about what to do.".to_owned()),
                false,
            );
        }
        let tongue = Tongue {
            family: &self.family,
            aim: self.aim(&seen, chance, slip == Some(Slip::Misses)),
        };
        match (Question::of(request), &seen) {
            (None, _) => Player::draw(request, seen, &tongue),
            (Some(_), Err(why)) => (Speech::text(format!("I cannot see the picture: {why}.")), false),
            (Some(question), Ok(picture)) => (question.answer(picture, request, &tongue), false),
        }
    }

    fn aim(&self, seen: &Result<Pixels, String>, chance: Chance, astray: bool) -> Aim {
        let Ok(picture) = seen else { return Aim::EXACT };
        let sent = (picture.width, picture.height);
        Aim {
            space: self.space,
            axes: self.axes,
            sent,
            seen: self.resize.size(sent),
            noise: (self.noise > 0.0).then_some((self.noise, chance)),
            astray: astray.then_some(chance),
        }
    }

    fn draw(request: &ChatRequest, seen: Result<Pixels, String>, tongue: &Tongue<'_>) -> (Speech, bool) {
        let protocol = Player::protocol(request, tongue);
        let mut thought = Thought::of(Player::view(protocol, request, seen, tongue));
        // A played model makes only the mistakes that it is configured to make.
        if let NextStep::DrawWrongly(parts) = thought.step {
            thought.step = NextStep::Draw(parts);
        }
        let idle = thought.is_idle();
        (Player::say(protocol, &thought, request, tongue), idle)
    }

    /// Recognises the protocol. If nothing indicates one, calls are written in the family's own form.
    fn protocol(request: &ChatRequest, tongue: &Tongue<'_>) -> ModelProtocol {
        match ModelProtocol::of(request) {
            ModelProtocol::Python if !request.system.contains("block of Python") && !tongue.speaks_own() => {
                ModelProtocol::Calls
            }
            other => other,
        }
    }

    fn view(
        protocol: ModelProtocol,
        request: &ChatRequest,
        seen: Result<Pixels, String>,
        tongue: &Tongue<'_>,
    ) -> TurnView {
        let mut view = protocol.view_of(request, seen);
        if protocol == ModelProtocol::Python {
            if (tongue.aim.space, tongue.aim.axes) != (Aim::EXACT.space, Aim::EXACT.axes) {
                view.rules.forget(Rule::Coordinates);
            }
            return view;
        }
        if !tongue.drags() {
            view.drawing = cat::dotted();
        }
        let result = request.called.as_ref().map(|called| called.result.as_str());
        let report = [Some(request.feedback.as_str()), result];
        let lines = report.into_iter().flatten().flat_map(str::lines);
        let complaint = lines.map(str::trim).find(|line| line.contains(NOT_DONE));
        let is_told = protocol == ModelProtocol::Sections || protocol == ModelProtocol::Tools && tongue.speaks_own();
        let went_well = complaint.is_none() && (!is_told || view.heard == Feedback::Fine);
        if !tongue.speaks_own() {
            view.rules = Rules::remembered("");
            view.heard = Feedback::Nothing;
        }
        // Repeat only the reason: a call in these words would be read as another call.
        if let Some((_, why)) = complaint.and_then(|line| line.split_once(NOT_DONE)) {
            view.heard = Feedback::Failed(quote(why.trim_start_matches([':', ' '])));
        }
        if let Hand::One { .. } = view.hand {
            view.hand = Hand::One {
                clicked: went_well.then(|| clicked::last(tongue, request)).flatten(),
                reach: tongue.aim.reach(),
            };
        }
        view
    }

    fn say(protocol: ModelProtocol, thought: &Thought, request: &ChatRequest, tongue: &Tongue<'_>) -> Speech {
        let voice = |calls: Vec<String>| Voice {
            calls,
            look: tongue
                .look()
                .map_or_else(|| "none".to_owned(), |look| unlabelled(&look)),
            rules: String::new(),
        };
        match protocol {
            ModelProtocol::Python => Speech::text(python::reply(thought, &tongue.aim)),
            ModelProtocol::Lines => {
                let calls = thought.actions.iter().filter_map(|action| tongue.line(action));
                Speech::text(lines::reply(thought, &voice(calls.collect())))
            }
            ModelProtocol::Sections => {
                let report = SectionsFeedback::read(&request.feedback);
                let call = thought.actions.first().and_then(|action| tongue.line(action));
                let call = call.map(|call| unlabelled(&call));
                Speech::text(sections::reply(thought, &report, &voice(call.into_iter().collect())))
            }
            ModelProtocol::Tools if tongue.speaks_own() => tools::reply(thought, request, &tongue.aim),
            ModelProtocol::Tools => Player::called(thought, tongue, true),
            ModelProtocol::Calls => Player::called(thought, tongue, false),
        }
    }

    /// Writes a sentence and one call, as a function call if the request asks for one and the dialect supports it.
    fn called(thought: &Thought, tongue: &Tongue<'_>, as_function: bool) -> Speech {
        let sentence = format!("{} {}", words::seen(thought), words::plan(thought));
        let complete = words::is_complete(&thought.sight);
        let line = match (thought.actions.first(), &thought.step) {
            (Some(action), _) => tongue.line(action),
            (None, NextStep::Rest) if complete => Some(tongue.finish("The cat is complete.", true)),
            (None, NextStep::Rest) => Some(tongue.finish("I drew what I could.", false)),
            (None, _) => Some(tongue.finish(&words::seen(thought), false)),
        };
        let line = line.unwrap_or_default();
        match native(&line).filter(|_| as_function) {
            Some(call) => Speech {
                content: sentence,
                call: Some(call),
            },
            None if line.starts_with("Action:") => Speech::text(format!("Thought: {sentence}\n{line}")),
            None => Speech::text(format!("{sentence}\n{line}")),
        }
    }
}

/// Returns a call without the label that some families write before it, because the protocol already has one.
fn unlabelled(call: &str) -> String {
    call.trim_start_matches("Action:").trim().to_owned()
}
