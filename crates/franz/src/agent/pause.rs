//! Pausing: the run waits before each action, before looking and before sending a request. It takes any change during
//! the pause into account.

use franz_record::Event;
use franz_screen::Interrupt as _;

use super::Agent;
use super::live::WAITING;
use super::notices::RELEASED;
use super::reply_progress::ReplyProgress;
use crate::stop::Ending;

impl Agent {
    /// Waits before the last reply's actions while the run is paused, and returns whether it had to. If a person took
    /// the mouse, none of these actions is performed. Otherwise, FRANZ looks before each action to check whether the
    /// action still fits.
    pub(super) fn hold_before_acting(&mut self, turn: u64) -> Result<bool, Ending> {
        let held = self.hold(turn)?;
        let taken = self.stop.give_back_mouse();
        self.trail.outdated = (held && taken) || self.state.taken_over;
        Ok(held)
    }

    /// Waits while the run is paused, and returns whether it had to.
    pub(super) fn hold(&mut self, turn: u64) -> Result<bool, Ending> {
        let holds = self.wait_while_paused(turn)?;
        self.go_on()?;
        Ok(holds)
    }

    /// Waits between two of a reply's actions while the run is paused, holding nothing down. FRANZ looks again
    /// afterwards to see whether the next action still fits.
    pub(super) fn hold_between(&mut self, at: ReplyProgress<'_>) -> Result<(), Ending> {
        // Do not wait if a stop, or a person who took the mouse, has interrupted the actions.
        if self.stop.is_paused() && !self.stop.is_set() {
            if self.trail.gate.drags() {
                self.trail.permission.give_up(RELEASED);
            }
            self.let_go();
            self.note_done(at)?;
            self.wait_while_paused(at.turn)?;
            self.trail.lookout.forget_look();
        }
        Ok(())
    }

    fn wait_while_paused(&mut self, turn: u64) -> Result<bool, Ending> {
        let holds = self.stop.is_paused();
        while self.stop.is_paused() {
            if self.stop.is_taken_over() {
                self.hand_over(turn)?;
                continue;
            }
            let taken = || "you took the mouse or pressed Esc twice".to_owned();
            let why = self
                .stop
                .take_pause_reason()
                .or_else(|| self.stop.person_has_mouse().then(taken));
            self.tell(&Event::Paused { turn, why });
            self.trail.live.begin();
            self.show_waiting();
            while self.stop.wait_while_paused(WAITING) {
                self.show_waiting();
            }
        }
        if holds && self.stop.ending().is_none() {
            self.tell(&Event::Resumed { turn });
        }
        Ok(holds)
    }
}

#[cfg(test)]
mod tests;
