//! The sections protocol: `STATUS`, `GOAL`, `ACTION` and `STORY`, one action a turn, and a mode and goal that the model changes.
//!
//! In reading order: this file reads a reply, `part` finds its sections, `goal` reads the goal, `feedback` words what became of the action.

mod feedback;
mod goal;
mod part;

use std::ops::Range;

use crate::mode::Mode;
use crate::outcome::Outcome;
use crate::plan::{Intent, Plan, Step};
use crate::protocol::{Protocol, Reply, Settings};
use crate::thought;
use crate::tool::ToolSet;
use crate::written::Calls;
use feedback::Report;
use part::{Part, Section};

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct Sections {
    /// The tools that calls may name.
    pub tools: ToolSet,
}

impl From<Settings> for Sections {
    fn from(settings: Settings) -> Sections {
        Sections { tools: settings.tools }
    }
}

const ONE_ACTION: &str = "one action a turn";
const NO_STATUS: &str = "STATUS was none of executing, monitoring or completed; the mode is unchanged.";

impl Protocol for Sections {
    fn read(&self, reply: &Reply<'_>) -> Plan {
        let masked = thought::masked(reply.text);
        let parts = part::all(&masked);
        let whole = |section| first(&parts, section).filter(|part| !(reply.cut && part.is_last(&masked)));
        let action = first(&parts, Section::Action).map_or(0..masked.len(), |part| part.body.clone());
        let mut plan = self.plan(reply.text, &masked, action);
        if let Some(status) = whole(Section::Status) {
            plan.mode = mode(&status.text(&masked));
            if plan.mode.is_none() {
                plan.notices.push(NO_STATUS.to_owned());
            }
        }
        plan.goal = whole(Section::Goal).and_then(|part| goal::read(&part.text(&masked)));
        plan.story = first(&parts, Section::Story)
            .map(|part| part.text(&masked))
            .filter(|story| !story.is_empty());
        plan
    }

    fn opening(&self) -> Plan {
        Plan::new(Vec::new(), Report::Opening)
    }

    fn heading(&self, mode: Mode, goal: &str) -> Option<String> {
        let goal = goal::one_line(goal);
        let goal = if goal.is_empty() { "none" } else { &goal };
        Some(format!("Current mode: {mode}\nCurrent goal: {goal}"))
    }
}

impl Sections {
    /// The plan of the calls in this part of the text, of which only the first is the turn's action, even when it cannot be read.
    fn plan(&self, text: &str, masked: &str, part: Range<usize>) -> Plan {
        let found = Calls::find(text, masked, part);
        let mut steps: Vec<Step> = found.calls.iter().map(|call| call.step(masked, &self.tools)).collect();
        for surplus in steps.iter_mut().skip(1) {
            surplus.intent = Intent::Leave(Outcome::Ignored(Some(ONE_ACTION.to_owned())));
        }
        let mut plan = Plan::new(steps, Report::Turn);
        let clamped = found
            .calls
            .first()
            .and_then(|call| call.read.as_ref().ok()?.notice.clone());
        let performed = plan.actions().next().is_some();
        plan.notices.extend(clamped.filter(|_| performed));
        plan.notices.extend(found.notice());
        plan
    }
}

/// The first section of this name; what repeats it counts no more.
fn first(parts: &[Part], section: Section) -> Option<&Part> {
    parts.iter().find(|part| part.section == section)
}

/// The first word of this text that is a mode.
fn mode(status: &str) -> Option<Mode> {
    let mut words = status.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests;
