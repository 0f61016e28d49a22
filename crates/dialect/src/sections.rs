//! The sections protocol: a reply has `STATUS`, `GOAL`, `ACTION` and `STORY`. The model performs one action per turn,
//! and can change its mode and goal.
//!
//! In reading order: this file reads a reply, `part` finds its sections, `status` reads the mode, `quoted` finds text
//! that is only quoted, `goal` reads the goal, `feedback` words the action's outcome.

mod feedback;
mod goal;
mod part;
mod quoted;
mod status;

use std::borrow::Cow;
use std::ops::Range;

use franz_action::{Mode, Outcome, ToolSet};

use crate::bound::ParseBudget;
use crate::correction::Correction;
use crate::geometry::Geometry;
use crate::own_form::OwnForm;
use crate::plan::{Intent, Plan, PlanStep};
use crate::protocol::{Protocol, ReadingSettings, ReplyText};
use crate::thought;
use crate::written::{CallReader, Calls, MOST_CALLS, WrittenCall};
use feedback::SectionsReport;
use part::{Section, SectionPart};
use status::Statuses;

/// The beginnings of the heading's two lines.
const MODE: &str = "Current mode: ";
const GOAL: &str = "YOUR GOAL NOW: ";

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct SectionsProtocol {
    /// The tools that calls may name.
    pub tools: ToolSet,
    /// What the numbers in calls mean.
    pub geometry: Geometry,
}

impl From<ReadingSettings> for SectionsProtocol {
    fn from(settings: ReadingSettings) -> SectionsProtocol {
        SectionsProtocol {
            tools: settings.tools,
            geometry: settings.geometry,
        }
    }
}

const ONE_ACTION: &str = "one action a turn";

impl Protocol for SectionsProtocol {
    fn read(&self, reply: &ReplyText<'_>) -> Plan {
        let masked = thought::masked(reply.text);
        let parts = part::all(&masked);
        let whole = |section| first(&parts, section).filter(|part| !(reply.cut && part.is_last(&masked)));
        let actions = parts.iter().filter(|part| part.section == Section::Action);
        let mut bodies: Vec<Range<usize>> = actions.map(|part| part.body.clone()).collect();
        let announced = !bodies.is_empty();
        if bodies.is_empty() {
            bodies.push(0..masked.len());
        }
        let mut plan = self.plan(reply, &masked, bodies, announced);
        let statuses = Statuses::of(&masked, &parts, reply.cut);
        plan.mode = statuses.declared(plan.steps.first().map(|step| step.span.start()));
        plan.notices.extend(statuses.notice().map(str::to_owned));
        plan.goal = whole(Section::Goal).and_then(|part| goal::read(&part.text(&masked)));
        plan.story = first(&parts, Section::Story)
            .map(|part| part.text(&masked))
            .filter(|story| !story.is_empty());
        let correction = Correction {
            form: OwnForm::Sections,
            tools: &self.tools,
            geometry: &self.geometry,
        };
        let nothing = || plan.steps.is_empty().then(|| correction.of_nothing());
        plan.correction = correction.of(&plan).or_else(nothing);
        plan
    }

    fn calls_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let masked = thought::masked(text);
        let parts = part::all(&masked);
        let mut actions = parts.iter().filter(|part| part.section == Section::Action);
        let Some(action) = actions.next() else {
            return Cow::Borrowed(text);
        };
        let outside = [0..action.body.start, action.body.end..text.len()];
        thought::blanked(text, outside.into_iter()).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    fn opening(&self) -> Plan {
        Plan::new(Vec::new(), SectionsReport::Opening)
    }

    fn heading(&self, mode: Mode, goal: &str, reported_done: Option<u64>) -> Option<String> {
        let goal = goal::one_line(goal);
        let goal = if goal.is_empty() { "none" } else { &goal };
        let mark = reported_done.map(goal::mark).unwrap_or_default();
        Some(format!("{MODE}{mode}\n{GOAL}{goal}{mark}"))
    }
}

/// Returns feedback without the heading that this protocol puts above it.
pub fn without_heading(feedback: &str) -> &str {
    let below_mode = feedback.strip_prefix(MODE).and_then(|text| text.split_once('\n'));
    let below_goal = below_mode.and_then(|(_, text)| text.strip_prefix(GOAL)?.split_once('\n'));
    below_goal.map_or(feedback, |(_, bare)| bare)
}

impl SectionsProtocol {
    /// Makes a plan from the calls in these parts of the text. The first call in the first part is the turn's action,
    /// even if it cannot be read.
    fn plan(&self, reply: &ReplyText<'_>, masked: &str, parts: Vec<Range<usize>>, announced: bool) -> Plan {
        let budget = ParseBudget::default();
        let reader = CallReader {
            tools: &self.tools,
            geometry: &self.geometry,
            budget: &budget,
            announced,
        };
        let mut found: Vec<Calls> = Vec::new();
        for part in parts {
            found.push(Calls::find(reply.text, masked, part, reply.cut, &reader));
            if found.iter().map(|found| found.calls.len()).sum::<usize>() >= MOST_CALLS {
                break;
            }
        }
        let calls: Vec<&WrittenCall> = found.iter().flat_map(|found| &found.calls).collect();
        let mut steps: Vec<PlanStep> = calls
            .iter()
            .map(|call| call.step(masked, &self.tools, &self.geometry))
            .collect();
        let action = found.first().is_some_and(|found| !found.calls.is_empty());
        for surplus in steps.iter_mut().skip(usize::from(action)) {
            surplus.intent = Intent::Leave(Outcome::Ignored(Some(ONE_ACTION.to_owned())));
        }
        let mut plan = Plan::new(steps, SectionsReport::Turn);
        plan.notices.extend(found.iter().find_map(Calls::notice));
        plan
    }
}

/// Checks whether two goals are the same. Ignores marks, quotes, whitespace, case, a final full stop, and everything
/// after 1000 characters.
pub fn same_goal(a: &str, b: &str) -> bool {
    goal::same(a, b)
}

/// Returns the first section of this kind; later ones are ignored.
fn first(parts: &[SectionPart], section: Section) -> Option<&SectionPart> {
    parts.iter().find(|part| part.section == section)
}

#[cfg(test)]
mod tests;
