//! Pausing: before acting, and before looking and asking, the run waits for the person who paused it; what changed meanwhile counts.

use franz_record::Event;

use super::Agent;
use crate::stop::Ending;

impl Agent {
    /// Waits before the last reply is acted upon, and says whether it had to. Where the screen is then another one than
    /// the reply was given for, nothing of it is done.
    pub(super) fn hold_before_acting(&mut self, turn: u64) -> Result<bool, Ending> {
        let held = self.hold(turn)?;
        self.outdated = held && self.screen_has_changed();
        Ok(held)
    }

    /// Waits while the run is paused, and says whether it had to.
    pub(super) fn hold(&mut self, turn: u64) -> Result<bool, Ending> {
        let holds = self.stop.is_paused();
        if holds {
            self.tell(&Event::Paused { turn });
            self.stop.wait_while_paused();
            self.go_on()?;
            self.tell(&Event::Resumed { turn });
        }
        self.go_on()?;
        Ok(holds)
    }

    /// Whether the screen shows anything else than what the model was last shown. What cannot be seen is taken for changed.
    fn screen_has_changed(&mut self) -> bool {
        let Some(seen) = self.state.seen else { return false };
        let image = &self.live.settings.image;
        match self.screen.capture() {
            Ok(frame) => self.eye.fingerprint(frame, image.width, image.height) != seen,
            Err(_) => true,
        }
    }
}

#[cfg(test)]
mod tests;
