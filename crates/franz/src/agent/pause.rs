//! Pausing: the run waits before acting, and before looking and asking; what changed meanwhile counts.

use franz_record::Event;

use super::Agent;
use crate::stop::Ending;

impl Agent {
    /// Waits before acting on the last reply, and returns whether it had to. If the screen is no longer the one that
    /// the reply was given for, none of its actions is performed.
    pub(super) fn hold_before_acting(&mut self, turn: u64) -> Result<bool, Ending> {
        let held = self.hold(turn)?;
        let taken = self.stop.take_back();
        self.trail.outdated = held && (taken || self.screen_has_changed());
        Ok(held)
    }

    /// Waits while the run is paused, and returns whether it had to.
    pub(super) fn hold(&mut self, turn: u64) -> Result<bool, Ending> {
        let holds = self.stop.is_paused();
        if holds {
            let why = self
                .stop
                .is_taken()
                .then(|| "you took the mouse or pressed Esc twice".to_owned());
            self.tell(&Event::Paused { turn, why });
            self.stop.wait_while_paused();
            self.go_on()?;
            self.tell(&Event::Resumed { turn });
        }
        self.go_on()?;
        Ok(holds)
    }

    /// Checks whether the screen differs from what the model was last shown. If it cannot be captured, it counts as
    /// changed.
    fn screen_has_changed(&mut self) -> bool {
        let Some(seen) = self.state.seen else { return false };
        let (width, height) = self.idiom.picture(&self.live.settings);
        let differs = match self.screen.capture() {
            Ok(frame) => self.trail.eye.fingerprint(frame, width, height) != seen,
            Err(_) => true,
        };
        self.trail.change = self.trail.change.and(self.screen.change());
        self.trail.eye.forget();
        if let Some(grounder) = &mut self.grounder {
            grounder.look_away();
        }
        differs
    }
}

#[cfg(test)]
mod tests;
