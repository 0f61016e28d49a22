//! The model's task: its mode and its goal. The model changes them through its replies, a person through `config.toml`.

use std::borrow::Cow;

use franz_action::Mode;
use franz_dialect::Plan;
use franz_dialect::sections::same_goal;
use franz_record::GivenTask;

use super::{Agent, Turn, notices};
use crate::stop::Ending;

/// The goal in the system prompt until the person has given a task.
const NOTHING_YET: &str = "nothing yet";

impl Agent {
    /// Returns the mode. A profile without modes always executes; an unreadable mode means monitoring.
    pub(super) fn mode(&self) -> Mode {
        let named = self.state.mode.as_deref().filter(|_| self.has_modes());
        named.map_or(Mode::Executing, |name| name.parse().unwrap_or(Mode::Monitoring))
    }

    pub(super) fn goal(&self) -> &str {
        self.state.goal.as_deref().unwrap_or_default()
    }

    /// Returns all tasks that the person has given, beginning with the first.
    pub(super) fn tasks(&self) -> Cow<'_, [GivenTask]> {
        if self.state.tasks.is_empty() {
            // The run was recorded by a version that did not keep the tasks.
            let text = self.goal().to_owned();
            return vec![GivenTask { turn: 1, text }].into();
        }
        self.state.tasks.as_slice().into()
    }

    /// Returns the last task that the person gave, as worded in the system prompt.
    pub(super) fn asked_for<'a>(&self, tasks: &'a [GivenTask]) -> &'a str {
        let last = tasks.last().map_or("", |task| task.text.as_str());
        if last.trim().is_empty() && self.has_modes() {
            NOTHING_YET
        } else {
            last
        }
    }

    /// Assigns the turn its mode and goal. A goal that the person has edited replaces the current one. The last reply's
    /// actions have already been judged, in the mode that the reply itself set.
    pub(super) fn assign(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let edited = self.edited_goal();
        self.state.file_goal = Some(self.live.goal_of_file().to_owned());
        let given = self.given_goal.take().or(edited).or_else(|| self.facts.given_goal());
        if let Some(given) = given {
            self.state.give_task(turn.line.turn, given.clone());
            self.take_goal(given);
            if self.state.turn > 0 {
                self.tell_of_new_goal(turn);
            }
            // Otherwise, after a crash before the next commit, the person's goal would override the model's own goal
            // again.
            self.keep_told()?;
        }
        turn.line.mode = self.has_modes().then(|| self.mode().to_string());
        turn.line.goal = self.state.goal.clone().filter(|goal| !goal.is_empty());
        self.head(turn);
        Ok(())
    }

    /// Puts the mode and goal above the feedback, replacing the previous ones.
    fn head(&self, turn: &mut Turn) {
        let protocol = self.protocol();
        let heading = protocol.heading(self.mode(), self.goal(), self.state.reported_done);
        let before = std::mem::replace(&mut turn.heading, heading.map(|heading| format!("{heading}\n")));
        let feedback = turn.line.feedback.as_str();
        let bare = before
            .and_then(|before| feedback.strip_prefix(&before))
            .unwrap_or(feedback);
        turn.line.feedback = format!("{}{bare}", turn.heading.as_deref().unwrap_or_default());
    }

    /// Checks whether a person has set a goal that differs from the one in the last reply's request. Goals that the
    /// model sets do not count.
    pub(super) fn has_another_goal(&self) -> bool {
        let given = self.given_goal.as_ref().is_some_and(|given| given != self.goal());
        self.state.turn > 0 && (given || self.edited_goal().is_some())
    }

    /// Returns the goal in the file if a person has edited it since FRANZ last applied it.
    fn edited_goal(&self) -> Option<String> {
        let (file, known) = (self.live.goal_of_file(), self.state.file_goal.as_deref());
        // A run that has lost its state takes its goal from the records.
        let is_edited = known != Some(file) && (known.is_some() || self.state.turn == 0);
        is_edited.then(|| file.to_owned())
    }

    /// Adopts a goal that the person gives, and starts executing. With an empty goal, a profile with modes only
    /// monitors.
    fn take_goal(&mut self, given: String) {
        let watches = self.has_modes() && given.trim().is_empty();
        let (mode, goal) = if watches {
            (Mode::Monitoring, self.live.settings.prompt.monitoring_goal.clone())
        } else {
            (Mode::Executing, given)
        };
        self.state.mode = self.has_modes().then(|| mode.to_string());
        self.state.goal = Some(goal);
    }

    /// Adopts a mode that the person sets, with the goal that belongs to it. Returns a notice for the model. In a
    /// profile without modes, does nothing.
    pub(super) fn set_mode(&mut self, turn: &mut Turn, name: &str) -> Option<String> {
        let mode = name.parse().ok().filter(|_| self.has_modes())?;
        let goal = match mode {
            Mode::Monitoring => Some(self.live.settings.prompt.monitoring_goal.clone()),
            Mode::Executing => {
                self.state.reported_done = None;
                self.state.tasks.last().map(|task| task.text.clone())
            }
        };
        self.state.mode = Some(mode.to_string());
        self.state.goal = goal.filter(|goal| !goal.trim().is_empty()).or(self.state.goal.take());
        self.notice(&format!("mode: {mode}, set by the person"));
        turn.line.mode = Some(mode.to_string());
        turn.line.goal.clone_from(&self.state.goal);
        self.head(turn);
        Some(notices::mode_set(mode))
    }

    /// Adds the new goal to the feedback, which is repeated until the model answers.
    fn tell_of_new_goal(&mut self, turn: &mut Turn) {
        let goal = self.goal().to_owned();
        self.notice(&format!("goal: {goal}"));
        if !is_told_last(&turn.line.feedback, &goal) {
            self.tell_model(turn, &notice(&goal));
        }
    }

    /// Applies the mode and goal that a reply declares, and reports the changes.
    pub(super) fn heed(&mut self, plan: &Plan) {
        let before = self.mode();
        let mode = if self.has_modes() {
            plan.mode.after(before)
        } else {
            before
        };
        let declared = plan.goal.as_ref().filter(|goal| !same_goal(goal, self.goal())).cloned();
        let stops = before == Mode::Executing && mode == Mode::Monitoring;
        let goal = declared.or_else(|| stops.then(|| self.live.settings.prompt.monitoring_goal.clone()));
        if mode != before {
            self.state.mode = Some(mode.to_string());
            self.notice(&format!("mode: {before} -> {mode}"));
        }
        if let Some(goal) = goal {
            self.notice(&format!("goal: {goal}"));
            self.state.goal = Some(goal);
        }
        let has_failed = plan.finish.as_ref().is_some_and(|finish| !finish.success);
        self.note_report(stops && !has_failed);
    }

    /// Notes whether the model reports the person's task done, which it does by switching to monitoring. It takes the
    /// report back by resuming this task, but not by pursuing a goal of its own.
    fn note_report(&mut self, is_reported: bool) {
        let Some(task) = self.state.tasks.last().filter(|task| !task.text.trim().is_empty()) else {
            return;
        };
        if is_reported {
            self.state.reported_done.get_or_insert(self.state.turn);
        } else if self.mode() == Mode::Executing && same_goal(self.goal(), &task.text) {
            self.state.reported_done = None;
        }
    }

    pub(super) fn has_modes(&self) -> bool {
        self.live.settings.pace.modes
    }
}

fn notice(goal: &str) -> String {
    format!("NOTICE: {}", notices::new_task(goal))
}

/// Checks whether the last notice of a new goal names this one. An earlier notice does not count, because the goal may
/// have been changed since.
fn is_told_last(feedback: &str, goal: &str) -> bool {
    let last = feedback.rfind(&notice("")).map(|at| &feedback[at..]);
    let rest = last.and_then(|last| last.strip_prefix(&notice(goal)));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_goal_is_told_again() {
        let long = notice("find the invoice, send it to Ann");
        let both = format!("{long}\n{}", notice("find the invoice"));
        for (feedback, goal, told) in [
            (String::new(), "find the invoice", false),
            (long.clone(), "find the invoice", false),
            (both.clone(), "find the invoice", true),
            (format!("{both}\nNOTICE: more"), "find the invoice", true),
            (format!("{both}\n{long}"), "find the invoice", false),
        ] {
            assert_eq!(is_told_last(&feedback, goal), told, "{feedback}");
        }
    }
}
