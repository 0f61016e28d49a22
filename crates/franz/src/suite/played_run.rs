//! Maps the end of a run to the outcome of its attempt.

use franz_record::{Exit, RunEnd};
use franz_suite::SuiteModel;

use super::rules;
use crate::screen;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlayedRun {
    /// The model has played, until it ended, reached a limit, or wrote no reply that can be used.
    Complete,
    /// The run refused its settings or drawing, or a command failed that it had to start, for this reason. The plan's
    /// settings are checked, so it is a fault of the task.
    Refused(String),
    /// The run had no screen, or lost it, for this reason.
    LostScreen(String),
    /// Somebody other than the suite ended the run, for this reason.
    Killed(String),
    /// A failure that says nothing about the model or the task, with the reason.
    Failed(String),
}

/// The exit code of a program that the system kills.
const KILLED: u8 = 137;

impl PlayedRun {
    /// Returns the meaning of an exit code, with what the run recorded about its end and printed to standard error. Without
    /// a code, the run was ended at a limit.
    pub(super) fn of(exit: Option<u8>, end: Option<&RunEnd>, errors: &str, model: &SuiteModel) -> PlayedRun {
        let is = |exits: &[Exit]| exits.iter().any(|one| exit == Some(one.code()));
        let Some(code) = exit.filter(|_| !is(&[Exit::Finished, Exit::ReportedFailure, Exit::NoCall, Exit::Stuck]))
        else {
            return PlayedRun::Complete;
        };
        if end.is_some_and(|end| end.unusable_reply && end.exit_code == code) {
            return PlayedRun::Complete;
        }
        let last = errors.lines().last().unwrap_or("it gave no reason");
        let last = last.strip_prefix("franz: ").unwrap_or(last);
        let reason = rules::advised(last, model.key_env.as_deref());
        if is(&[Exit::Usage]) {
            return PlayedRun::Refused(format!("the run cannot start: {reason}"));
        }
        // A command that fails before the run begins will fail again, and the model cannot be the reason.
        if is(&[Exit::Screen]) && end.is_none() && screen::is_about_a_command(last) {
            return PlayedRun::Refused(reason);
        }
        let why = format!("the run ended with {code}: {reason}");
        if is(&[Exit::Screen]) {
            PlayedRun::LostScreen(why)
        } else if is(&[Exit::Stopped, Exit::Terminated]) || code == KILLED {
            PlayedRun::Killed(why)
        } else {
            PlayedRun::Failed(why)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_the_last_line_in_words_for_a_suite() {
        let model: SuiteModel = toml::from_str("name = \"m\"\nkey_env = \"OUR_KEY\"").unwrap();
        let end = |exit, errors| PlayedRun::of(exit, None, errors, &model);
        for exit in [None, Some(0), Some(5), Some(6), Some(7)] {
            assert_eq!(end(exit, "franz: no"), PlayedRun::Complete, "{exit:?}");
        }
        assert_eq!(
            end(Some(3), "one\nfranz: HTTP 401; set FRANZ_API_KEY\n"),
            PlayedRun::Failed("the run ended with 3: HTTP 401; set OUR_KEY".to_owned())
        );
        assert_eq!(
            end(Some(2), "franz: screen.drawing: no\n"),
            PlayedRun::Refused("the run cannot start: screen.drawing: no".to_owned())
        );
        assert_eq!(
            end(Some(4), ""),
            PlayedRun::LostScreen("the run ended with 4: it gave no reason".to_owned())
        );
        let failed = "franz: cannot start \"wish x.tcl\" on the private desktop: it was not found";
        assert_eq!(end(Some(4), failed), PlayedRun::Refused(failed.replace("franz: ", "")));
        let failed = "franz: cannot start \"gimp\" on the private desktop: it ended with exit code 1 (no display)";
        assert_eq!(end(Some(4), failed), PlayedRun::Refused(failed.replace("franz: ", "")));
        // The system might have needed its memory.
        let killed = "franz: cannot start \"gimp\" on the private desktop: it ended with exit code 137; correct it";
        assert!(matches!(end(Some(4), killed), PlayedRun::LostScreen(_)));
        for code in [130, 137, 143] {
            assert_eq!(
                end(Some(code), ""),
                PlayedRun::Killed(format!("the run ended with {code}: it gave no reason"))
            );
        }
        let crashed = PlayedRun::Failed("the run ended with 134: it gave no reason".to_owned());
        assert_eq!(end(Some(134), ""), crashed);
    }

    fn ended_with(exit_code: u8, unusable_reply: bool) -> RunEnd {
        RunEnd {
            at: "2026-11-21T21:44:03Z".to_owned(),
            reason: String::new(),
            exit_code,
            withdraws: false,
            unusable_reply,
        }
    }

    #[test]
    fn a_reply_that_cannot_be_used_is_the_models_own() {
        let model: SuiteModel = toml::from_str("name = \"m\"").unwrap();
        let is_complete = |exit, unusable_reply| {
            let end = ended_with(3, unusable_reply);
            PlayedRun::of(Some(exit), Some(&end), "", &model) == PlayedRun::Complete
        };
        assert!(is_complete(3, true));
        assert!(!is_complete(3, false) && !is_complete(1, true));
    }

    #[test]
    fn a_command_that_fails_once_the_run_has_begun_can_be_the_models_doing() {
        let model: SuiteModel = toml::from_str("name = \"m\"").unwrap();
        let said = "franz: cannot start \"xterm\" on the private desktop: it was not found\n";
        let played = PlayedRun::of(Some(4), Some(&ended_with(4, false)), said, &model);
        assert!(matches!(played, PlayedRun::LostScreen(_)), "{played:?}");
    }
}
