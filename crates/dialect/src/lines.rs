//! The lines protocol: every line of a reply that looks like a call is a call, and the rest is narrative.
//!
//! In reading order: this file reads a reply, `feedback` words the outcomes.

mod feedback;

use std::borrow::Cow;
use std::ops::Range;

use franz_action::text::shortened;
use franz_action::{Action, Outcome, ToolSet};

use crate::bound::ParseBudget;
use crate::correction::Correction;
use crate::geometry::Geometry;
use crate::own_form::OwnForm;
use crate::plan::{Intent, Plan, PlanStep};
use crate::protocol::{Protocol, ReadingSettings, ReplyText};
use crate::written::{CallReader, Calls, line};
use crate::{imagined, label, notice, thought};
use feedback::LinesReport;

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct LinesProtocol {
    /// The tools that calls may name.
    pub tools: ToolSet,
    /// What the numbers in calls mean.
    pub geometry: Geometry,
}

impl From<ReadingSettings> for LinesProtocol {
    fn from(settings: ReadingSettings) -> LinesProtocol {
        LinesProtocol {
            tools: settings.tools,
            geometry: settings.geometry,
        }
    }
}

/// How many identical neighbours it takes to collapse them into one. Two are kept, because typing 11 on a calculator
/// takes two clicks.
const MANY: usize = 3;
/// How many characters of a call to quote in a notice.
const LONGEST_QUOTE: usize = 80;
const ONLY_THOUGHT: &str = "calls inside a thought are not performed; write them after ACTIONS:";

impl Protocol for LinesProtocol {
    fn read(&self, reply: &ReplyText<'_>) -> Plan {
        let masked = thought::masked(reply.text);
        let budget = ParseBudget::default();
        let reader = CallReader {
            tools: &self.tools,
            geometry: &self.geometry,
            budget: &budget,
            announced: false,
        };
        let found = Calls::find(reply.text, &masked, searched(&masked), reply.cut, &reader);
        let calls = found.calls.iter();
        let mut steps: Vec<PlanStep> = calls
            .map(|call| call.step(&masked, &self.tools, &self.geometry))
            .collect();
        imagined::leave(&mut steps, &masked);
        let (steps, collapsed) = collapsed(&steps);
        let mut plan = Plan::new(steps, LinesReport::Turn);
        plan.notices.extend(notice::few(collapsed, "collapsed"));
        plan.notices.extend(reasons(&plan.steps));
        plan.notices.extend(found.notice());
        if plan.steps.is_empty() && only_thought(reply.text, &masked, &self.tools, &self.geometry) {
            plan.notices.push(ONLY_THOUGHT.to_owned());
        }
        // The step asks only for a picture, and a picture follows every reply anyway.
        let is_idle = |step: &PlanStep| step.intent == Intent::Leave(Outcome::IGNORED);
        plan.rests = plan.notices.is_empty() && plan.steps.iter().all(is_idle);
        let correction = Correction {
            form: OwnForm::Lines,
            tools: &self.tools,
            geometry: &self.geometry,
        };
        plan.correction = correction.of(&plan);
        plan
    }

    fn opening(&self) -> Plan {
        Plan::new(Vec::new(), LinesReport::Opening)
    }

    fn calls_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let before = 0..searched(&thought::masked(text)).start;
        let before = std::iter::once(before).filter(|range| !range.is_empty());
        thought::blanked(text, before).map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

/// Returns the part in which to look for calls: everything after the first header that announces them, or the whole
/// text if there is no such header.
fn searched(masked: &str) -> Range<usize> {
    let header = line::lines(masked, 0..masked.len()).find_map(|(start, line)| {
        if ["ACTIONS", "ACTION"].contains(&line.trim_matches(|c: char| c.is_whitespace() || "*#_`".contains(c))) {
            return Some(start + line.len());
        }
        let (label, behind) = line::labelled(line)?;
        label::is_action(label).then_some(start + behind)
    });
    header.unwrap_or(0)..masked.len()
}

/// Collapses three or more identical neighbours into one step. Returns the remaining steps, and notices about those
/// that were dropped.
fn collapsed(steps: &[PlanStep]) -> (Vec<PlanStep>, Vec<String>) {
    let (mut kept, mut notices) = (Vec::with_capacity(steps.len()), Vec::new());
    for run in steps.chunk_by(|one, next| (&one.text, &one.intent) == (&next.text, &next.intent)) {
        let [first, ..] = run else { continue };
        if run.len() < MANY || !first.action().is_some_and(repeats_by_mistake) {
            kept.extend_from_slice(run);
            continue;
        }
        kept.push(first.clone());
        let (text, times) = (shortened(&first.shown, LONGEST_QUOTE), run.len());
        notices.push(format!("{text} appears {times} times in a row and counts once."));
    }
    (kept, notices)
}

/// Checks whether weak models repeat this kind of action by mistake. Repeated keys, scrolls and waits have a meaning,
/// because they add up.
fn repeats_by_mistake(action: &Action) -> bool {
    match action {
        Action::Click(_)
        | Action::Drag(_)
        | Action::Move(_)
        | Action::MouseDown(..)
        | Action::MouseUp(..)
        | Action::Type(_)
        | Action::WriteClipboard(_)
        | Action::Aimed(..) => true,
        Action::Scroll { .. }
        | Action::Press(_)
        | Action::Hold(_)
        | Action::ReadClipboard
        | Action::Wait(_)
        | Action::Screenshot
        | Action::Observe
        | Action::Watch(_)
        | Action::Zoom(..)
        | Action::Windows
        | Action::Focus(_)
        | Action::Open(_)
        | Action::Ask(_) => false,
    }
}

/// Returns one sentence for each reason why calls are ignored, such as a tool that is switched off.
fn reasons(steps: &[PlanStep]) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for step in steps {
        if let Intent::Leave(Outcome::Ignored(Some(why))) = &step.intent {
            let notice = format!("{why}.");
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
    }
    notices
}

/// Checks whether the text contains calls that are skipped only because they are in thoughts.
fn only_thought(text: &str, masked: &str, tools: &ToolSet, geometry: &Geometry) -> bool {
    let budget = ParseBudget::default();
    let reader = CallReader {
        tools,
        geometry,
        budget: &budget,
        announced: false,
    };
    let everywhere = Calls::find(text, text, 0..text.len(), false, &reader);
    let mut readable = everywhere.calls.iter().filter(|call| call.read.is_ok());
    readable.any(|call| text.get(call.range.clone()) != masked.get(call.range.clone()))
}

#[cfg(test)]
mod tests;
