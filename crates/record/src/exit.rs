//! Exit codes: how a FRANZ process ended.

/// How a process ended, as its exit code reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The process completed its work, or reached a limit that the person set.
    Finished = 0,
    /// The process failed.
    Failed = 1,
    /// The program was used incorrectly.
    Usage = 2,
    /// The model server cannot be used, or no turn succeeded.
    Server = 3,
    /// The screen cannot be used.
    Screen = 4,
    /// The model reported that it could not carry out its task.
    ReportedFailure = 5,
    /// Reply after reply, the model called no tool.
    NoCall = 6,
    /// The model went in circles, and nobody was there to help.
    Stuck = 7,
    /// A suite is not complete: some attempts are worth repeating.
    Incomplete = 75,
    /// The person stopped the process.
    Stopped = 130,
    /// SIGTERM or SIGHUP ended the process.
    Terminated = 143,
}

impl Exit {
    /// All exits, ordered by code.
    pub const ALL: [Exit; 11] = [
        Exit::Finished,
        Exit::Failed,
        Exit::Usage,
        Exit::Server,
        Exit::Screen,
        Exit::ReportedFailure,
        Exit::NoCall,
        Exit::Stuck,
        Exit::Incomplete,
        Exit::Stopped,
        Exit::Terminated,
    ];

    /// Returns the exit code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the exit with this code; `None` for codes that FRANZ does not use, such as those of crashes.
    pub fn of(code: i32) -> Option<Exit> {
        Exit::ALL.into_iter().find(|exit| i32::from(exit.code()) == code)
    }

    /// Returns whether a restart is unwanted or would end the same way. That is true of all exits except failures.
    pub fn is_final(self) -> bool {
        self != Exit::Failed
    }

    /// Returns whether the run ended properly, which means that it finished or somebody stopped it.
    pub fn is_in_order(self) -> bool {
        matches!(
            self,
            Exit::Finished | Exit::ReportedFailure | Exit::Stopped | Exit::Terminated
        )
    }

    /// Returns the meaning of the exit, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Finished => "finished, or a limit you set was reached",
            Exit::Failed => "failed",
            Exit::Usage => "wrong usage",
            Exit::Server => "the model server cannot be used, or no turn succeeded",
            Exit::Screen => "the screen cannot be used",
            Exit::ReportedFailure => "the model reported that it could not carry out the task",
            Exit::NoCall => "the model called no tool, reply after reply",
            Exit::Stuck => "the model went in circles, and nobody was there to help",
            Exit::Incomplete => "a suite is incomplete: some attempts failed and are worth retrying",
            Exit::Stopped => "stopped by you: Ctrl+C, Stop, a corner, or a gesture when nobody could resume the run",
            Exit::Terminated => "ended by SIGTERM or SIGHUP",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn exit_codes_are_distinct_and_only_failures_are_retried() {
        let codes = Exit::ALL.map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 75, 130, 143]);
        for exit in Exit::ALL {
            assert_eq!(Exit::of(i32::from(exit.code())), Some(exit));
            assert_eq!(exit.is_final(), exit.code() != 1, "{exit:?}");
        }
        // Codes that shells report for a panic, an abort and a kill, and codes of other programs.
        for code in [101, 134, 137, 139, -1, 8, 42, 259] {
            assert_eq!(Exit::of(code), None, "{code}");
        }
    }
}
