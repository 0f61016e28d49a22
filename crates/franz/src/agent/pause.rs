//! Pausing: before acting, and before looking and asking, the run waits for the person who paused it; what changed meanwhile counts.

use franz_record::Event;

use super::Agent;
use crate::stop::Ending;

impl Agent {
    /// Waits before the last reply is acted upon, and says whether it had to. Where the screen is then another one than
    /// the reply was given for, nothing of it is done.
    pub(super) fn hold_before_acting(&mut self, turn: u64) -> Result<bool, Ending> {
        let held = self.hold(turn)?;
        let taken = self.stop.take_back();
        self.trail.outdated = held && (taken || self.screen_has_changed());
        Ok(held)
    }

    /// Waits while the run is paused, and says whether it had to.
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

    /// Whether the screen shows anything else than what the model was last shown. What cannot be seen is taken for changed.
    fn screen_has_changed(&mut self) -> bool {
        let Some(seen) = self.state.seen else { return false };
        let image = &self.live.settings.image;
        let differs = match self.screen.capture() {
            Ok(frame) => self.trail.eye.fingerprint(frame, image.width, image.height) != seen,
            Err(_) => true,
        };
        self.trail.change = self.trail.change.and(self.screen.change());
        self.trail.eye.forget();
        differs
    }
}

#[cfg(test)]
mod tests;
