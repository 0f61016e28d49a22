//! Pausing: the run waits before acting, and before looking and asking; what changed meanwhile counts.

use franz_record::Event;

use super::Agent;
use crate::stop::Ending;

impl Agent {
    /// Waits before acting on the last reply, and returns whether it had to. If a person took the mouse, none of its actions
    /// is performed; whether they still fit is otherwise seen before each of them.
    pub(super) fn hold_before_acting(&mut self, turn: u64) -> Result<bool, Ending> {
        let held = self.hold(turn)?;
        let taken = self.stop.take_back();
        self.trail.outdated = held && taken;
        Ok(held)
    }

    /// Waits while the run is paused, and returns whether it had to.
    pub(super) fn hold(&mut self, turn: u64) -> Result<bool, Ending> {
        let holds = self.stop.is_paused();
        if holds {
            let taken = || "you took the mouse or pressed Esc twice".to_owned();
            let why = self.stop.take_why().or_else(|| self.stop.is_taken().then(taken));
            self.tell(&Event::Paused { turn, why });
            self.stop.wait_while_paused();
            self.go_on()?;
            self.tell(&Event::Resumed { turn });
        }
        self.go_on()?;
        Ok(holds)
    }
}

#[cfg(test)]
mod tests;
