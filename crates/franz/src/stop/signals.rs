//! The system signals that stop a run: Ctrl+C, and requests to end.

use super::{Ending, Stop};

#[cfg(unix)]
pub(super) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` if whoever started this process made it ignore the signal.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = SignalKind::hangup();
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            // A handler would undo what nohup did.
            hangup: if is_ignored(hangup) {
                None
            } else {
                Some(signal(hangup)?)
            },
        })
    }

    async fn next(&mut self) -> Ending {
        tokio::select! {
            _ = self.interrupt.recv() => Ending::Interrupted,
            _ = self.terminate.recv() => Ending::Terminated,
            () = received(self.hangup.as_mut()) => Ending::Terminated,
        }
    }
}

/// Waits for a signal; without one, for ever.
#[cfg(unix)]
async fn received(signal: Option<&mut tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Returns whether this process ignores a signal that nothing handles yet. Only Linux tells.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a file of the kernel, not of a run")]
fn is_ignored(signal: tokio::signal::unix::SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = u32::try_from(signal.as_raw_value() - 1)
        .ok()
        .and_then(|bit| 1_u64.checked_shl(bit));
    mask.zip(bit).is_some_and(|(mask, bit)| mask & bit != 0)
}

#[cfg(windows)]
pub(super) struct Signals {
    ctrl_c: tokio::signal::windows::CtrlC,
    ctrl_break: tokio::signal::windows::CtrlBreak,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Signals {
    pub(super) fn new() -> std::io::Result<Signals> {
        use tokio::signal::windows;
        Ok(Signals {
            ctrl_c: windows::ctrl_c()?,
            ctrl_break: windows::ctrl_break()?,
            close: windows::ctrl_close()?,
        })
    }

    async fn next(&mut self) -> Ending {
        tokio::select! {
            _ = self.ctrl_c.recv() => Ending::Interrupted,
            _ = self.ctrl_break.recv() => Ending::Terminated,
            _ = self.close.recv() => Ending::Terminated,
        }
    }
}

impl Signals {
    /// Stops the run at each signal.
    pub(super) async fn watch(mut self, stop: &Stop) {
        loop {
            let why = self.next().await;
            end_or_exit(stop, why);
        }
    }
}

/// Stops the run cleanly at the first signal; a second Ctrl+C exits immediately.
fn end_or_exit(stop: &Stop, why: Ending) {
    if stop.ending().is_some() && why == Ending::Interrupted {
        std::process::exit(i32::from(Ending::Interrupted.exit_code()));
    }
    stop.end(why);
}
