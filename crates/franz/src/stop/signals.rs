//! The system signals that stop a run: Ctrl+C, and requests to end.

use super::{Ending, Stop};

#[cfg(unix)]
pub(super) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Ending {
        tokio::select! {
            _ = self.interrupt.recv() => Ending::Interrupted,
            _ = self.terminate.recv() => Ending::Terminated,
            _ = self.hangup.recv() => Ending::Terminated,
        }
    }
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
            give_or_exit(stop, why);
        }
    }
}

/// Stops the run cleanly at the first signal; a second Ctrl+C exits immediately.
fn give_or_exit(stop: &Stop, why: Ending) {
    if stop.ending().is_some() && why == Ending::Interrupted {
        std::process::exit(i32::from(Ending::Interrupted.exit_code()));
    }
    stop.give(why);
}
