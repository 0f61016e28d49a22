//! Resting: if a model requests no actions, FRANZ sends it requests less and less often.

use std::time::{Duration, Instant};

use super::Agent;
use crate::stop::Ending;

/// How many replies in a row must request no action before the model rests.
const ENOUGH: u32 = 2;
/// The longest pause between two looks.
const LONGEST: Duration = Duration::from_mins(1);
/// How quickly an edit or a message must end a pause.
const SOON: Duration = Duration::from_millis(250);

/// How many replies in a row have requested no action.
#[derive(Debug, Default)]
pub(super) struct Rest {
    replies: u32,
}

impl Rest {
    /// Notes whether a reply requests no action.
    pub(super) fn note(&mut self, rests: bool) {
        self.replies = if rests { self.replies.saturating_add(1) } else { 0 };
    }

    /// Checks whether the last reply requested no action.
    pub(super) fn is_resting(&self) -> bool {
        self.replies > 0
    }

    /// Checks whether the rest begins with the last reply.
    fn has_just_begun(&self) -> bool {
        self.replies == ENOUGH
    }

    /// Returns the pause before the next look. It begins with `first` and doubles up to a minute.
    fn pause(&self, first: Duration) -> Duration {
        match self.replies.checked_sub(ENOUGH) {
            Some(longer) => first.saturating_mul(1 << longer.min(16)).min(LONGEST.max(first)),
            None => Duration::ZERO,
        }
    }
}

impl Agent {
    /// Pauses if the model rests, and returns whether it did. A pause or stop of the run, an edit or a message from the
    /// person ends the rest.
    pub(super) fn rest(&mut self) -> Result<bool, Ending> {
        let first = Duration::from_secs_f64(self.live.settings.pace.rest_s);
        let pause = self.stop.at_pace(self.trail.rest.pause(first));
        if pause.is_zero() {
            return Ok(false);
        }
        if self.trail.rest.has_just_begun() {
            let seconds = first.as_secs_f64();
            self.notice(&format!(
                "the model requests no more actions, so the run rests: it looks again in {seconds} s, then less and \
                 less often"
            ));
        }
        let began = Instant::now();
        while let Some(left) = pause.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
            let goes_on = self.stop.sleep_unless_paused(left.min(SOON));
            self.go_on()?;
            if goes_on || self.stop.is_paused() || self.is_spoken_to() {
                break;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_begin_with_the_second_reply_and_grow_to_a_minute() {
        let mut rest = Rest::default();
        let mut pauses = |first: u64, replies: &[bool]| {
            let pause = |rests: &bool| {
                rest.note(*rests);
                rest.pause(Duration::from_secs(first)).as_secs()
            };
            replies.iter().map(pause).collect::<Vec<_>>()
        };
        assert_eq!(
            pauses(5, &[false, true, true, true, true, true, true, true]),
            [0, 0, 5, 10, 20, 40, 60, 60]
        );
        assert_eq!(pauses(5, &[false, true, false, true, true]), [0, 0, 0, 0, 5]);
        assert_eq!(pauses(300, &[false, true, true, true]), [0, 0, 300, 300]);
        assert_eq!(pauses(0, &[true; 40]), [0; 40]);
    }
}
