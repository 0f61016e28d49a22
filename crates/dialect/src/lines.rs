//! The lines protocol: any line of a reply that looks like a call is one, and the rest is narrative.
//!
//! In reading order: this file reads a reply, `feedback` words what became of it.

mod feedback;

use std::ops::Range;

use franz_action::{Outcome, ToolSet};

use crate::bound::ParseBudget;
use crate::plan::{Intent, Plan, PlanStep, shortened};
use crate::protocol::{Protocol, ReadingSettings, ReplyText};
use crate::written::{Calls, line};
use crate::{notice, thought};

/// The protocol with its settings.
#[derive(Clone, Debug)]
pub struct LinesProtocol {
    /// The tools that calls may name.
    pub tools: ToolSet,
}

impl From<ReadingSettings> for LinesProtocol {
    fn from(settings: ReadingSettings) -> LinesProtocol {
        LinesProtocol { tools: settings.tools }
    }
}

/// Identical calls in a row that are kept: a small model that repeats itself means no more.
const MOST_IDENTICAL: usize = 3;
/// Characters of a call that a notice quotes.
const LONGEST_QUOTE: usize = 80;
const ONLY_THOUGHT: &str = "calls inside a thought are not performed; write them after ACTIONS:";

impl Protocol for LinesProtocol {
    fn read(&self, reply: &ReplyText<'_>) -> Plan {
        let masked = thought::masked(reply.text);
        let found = Calls::find(
            reply.text,
            &masked,
            searched(&masked),
            reply.cut,
            &ParseBudget::default(),
        );
        let steps: Vec<PlanStep> = found.calls.iter().map(|call| call.step(&masked, &self.tools)).collect();
        let (steps, collapsed) = collapsed(&steps);
        let mut plan = Plan::new(steps, feedback::LinesReport);
        let clamped = found
            .calls
            .iter()
            .filter_map(|call| call.read.as_ref().ok())
            .filter(|call| self.tools.contains(call.action.tool()))
            .filter_map(|call| call.notice.clone());
        plan.notices.extend(notice::few(clamped, "clamped"));
        plan.notices.extend(notice::few(collapsed, "collapsed"));
        plan.notices.extend(switched_off(&plan.steps));
        plan.notices.extend(found.notice());
        if plan.steps.is_empty() && only_thought(reply.text, &masked) {
            plan.notices.push(ONLY_THOUGHT.to_owned());
        }
        plan
    }
}

/// Where calls are looked for: behind the first header that announces them, and everywhere without one.
fn searched(masked: &str) -> Range<usize> {
    let header = line::lines(masked, 0..masked.len()).find_map(|(start, line)| {
        let (label, behind) = line::labelled(line)?;
        line::is_action(label).then_some(start + behind)
    });
    header.unwrap_or(0)..masked.len()
}

/// The steps with at most three identical ones in a row, and what is told about the others.
fn collapsed(steps: &[PlanStep]) -> (Vec<PlanStep>, Vec<String>) {
    let (mut kept, mut notices) = (Vec::with_capacity(steps.len()), Vec::new());
    for run in steps.chunk_by(|one, next| (&one.text, &one.intent) == (&next.text, &next.intent)) {
        kept.extend(run.iter().take(MOST_IDENTICAL).cloned());
        if let [first, ..] = run
            && run.len() > MOST_IDENTICAL
        {
            let text = shortened(&first.text, LONGEST_QUOTE);
            let times = run.len();
            notices.push(format!(
                "{text} stood {times} times in a row; only the first {MOST_IDENTICAL} count."
            ));
        }
    }
    (kept, notices)
}

/// One sentence for each tool that was called in spite of being switched off.
fn switched_off(steps: &[PlanStep]) -> Vec<String> {
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

/// Whether there are calls that could be performed if they were no thoughts.
fn only_thought(text: &str, masked: &str) -> bool {
    let everywhere = Calls::find(text, text, 0..text.len(), false, &ParseBudget::default());
    let mut readable = everywhere.calls.iter().filter(|call| call.read.is_ok());
    readable.any(|call| text.get(call.range.clone()) != masked.get(call.range.clone()))
}

#[cfg(test)]
mod tests;
