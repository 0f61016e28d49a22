//! Settling: FRANZ takes a picture once the screen has stopped changing.

use std::time::{Duration, Instant};

use franz_action::Mode;
use franz_screen::{CaptureError, Interrupt, Screen as _};

use super::{Agent, Turn};
use crate::stop::Ending;

/// The minimum wait, because a server's answer to an action can take this long to show.
const LEAST: Duration = Duration::from_millis(250);
/// A screen that has not changed for this long has settled. Animations change faster, carets and clocks more slowly.
const STILL: Duration = Duration::from_millis(120);
/// How long the screen must not have changed before a run begins. Longer than `STILL`, because programs pause before
/// they paint while they are starting.
const STILL_AT_START: Duration = Duration::from_millis(500);
/// A program that took long to show itself also takes long to paint, for example on a busy machine. When a run begins,
/// the screen must not have changed for this part of the time that the programs took.
const SLOWEST_PAINTING: u32 = 4;
/// The time between two looks at a screen that is settling.
const EVERY: Duration = Duration::from_millis(20);
/// The time between two looks while only watching. It is shorter than the pauses of anything that keeps moving.
const EVERY_WATCHING: Duration = Duration::from_millis(200);

impl Agent {
    /// Waits until the screen shows the effect of the actions. While monitoring, waits until the screen changes, the
    /// person acts or the time is up.
    pub(super) fn settle(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let began = Instant::now();
        if self.state.turn > 0 {
            match self.mode() {
                Mode::Executing => self.settle_after_acting(turn),
                Mode::Monitoring => self.watch(),
            }
        }
        turn.line.ms.settle = began.elapsed().into();
        self.go_on()
    }

    /// Waits for the screen after acting. If an action was held, the model sees the changed screen immediately.
    fn settle_after_acting(&mut self, turn: &Turn) {
        let delay = self.live.settings.pace.executing_delay_s.map(Duration::from_secs_f64);
        if !self.screen.changes_by_itself() {
            self.stop.sleep(delay.unwrap_or_default());
        } else if !self.trail.lookout.is_holding() {
            let acted = turn.unseen.iter().any(|acted| acted.outcome.is_done());
            let least = if acted { LEAST } else { Duration::ZERO };
            let _ = self.come_to_rest(delay.unwrap_or(least), STILL, self.limit());
        }
    }

    /// Describes, for people, the mode and how long the run waits in each mode.
    pub(crate) fn pace(&self) -> String {
        let pace = &self.live.settings.pace;
        let least = if self.screen.changes_by_itself() {
            LEAST
        } else {
            Duration::ZERO
        };
        let executing = match pace.executing_delay_s.unwrap_or(least.as_secs_f64()) {
            0.0 => "looks right after acting".to_owned(),
            delay => format!("looks {delay} s after acting"),
        };
        let mode = self.mode();
        if !self.has_modes() {
            return format!("{mode}, {executing}");
        }
        let monitoring = pace.monitoring_delay_s;
        format!("{mode}; executing {executing}, monitoring every {monitoring} s")
    }

    /// Waits until a window that was brought to the front has been painted.
    pub(super) fn come_to_rest_again(&mut self) {
        let _ = self.come_to_rest(Duration::ZERO, STILL, self.limit());
    }

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.live.settings.pace.settle_s)
    }

    /// Waits at least `least`, then until nothing has changed for `still`, but at most `limit`. Returns whether the
    /// screen has settled. Ignores areas that keep moving. Stops waiting if the screen cannot be captured: taking the
    /// model's picture will report it.
    fn come_to_rest(&mut self, least: Duration, still: Duration, limit: Duration) -> Result<bool, CaptureError> {
        let began = Instant::now();
        let mut changed = began;
        let mut is_at_rest = Ok(false);
        self.begin_watch();
        while !self.stop.is_set() {
            let moved = match self.look_for_motion() {
                Ok(moved) => moved,
                Err(error) => {
                    is_at_rest = Err(error);
                    break;
                }
            };
            let now = Instant::now();
            if moved {
                changed = now;
            }
            let rests = now - began >= least && now - changed >= still;
            is_at_rest = Ok(rests);
            let left = (began + least).max(changed + still).saturating_duration_since(now);
            if rests || now - began >= limit.max(least) || self.stop.sleep(left.clamp(Duration::from_millis(1), EVERY))
            {
                break;
            }
        }
        self.trail.motion.end(Instant::now());
        is_at_rest
    }

    fn begin_watch(&mut self) {
        if self.glance().is_ok() {
            self.trail.motion.begin(self.screen.frame(), Instant::now());
        }
    }

    /// Looks at the screen. Returns whether anything has moved, ignoring areas that keep moving.
    fn look_for_motion(&mut self) -> Result<bool, CaptureError> {
        self.glance()?;
        Ok(self.trail.motion.look(self.screen.frame(), Instant::now()))
    }

    /// While monitoring, waits until the screen no longer looks as it did in the model's picture, the person changes a
    /// setting or sends a message, or the time is up.
    fn watch(&mut self) {
        let began = Instant::now();
        let pace = &self.live.settings.pace;
        let longest = Duration::from_secs_f64(pace.watch_s.max(pace.monitoring_delay_s));
        let delay = self.stop.at_pace(Duration::from_secs_f64(pace.monitoring_delay_s));
        while let Some(left) = delay.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
            let goes_on = self.stop.sleep_unless_paused(left.min(EVERY_WATCHING));
            if goes_on || self.stop.is_set() || self.stop.is_paused() || self.is_spoken_to() {
                return;
            }
        }
        if !self.screen.changes_by_itself() {
            return;
        }
        self.begin_watch();
        let mut looks_closer = true;
        while began.elapsed() < longest && !self.stop.is_set() && !self.stop.is_paused() && !self.is_spoken_to() {
            match self.has_happened(looks_closer) {
                Ok(false) => looks_closer = false,
                Ok(true) | Err(_) => break,
            }
            self.stop.sleep(EVERY_WATCHING);
        }
    }

    /// Returns whether the screen, once settled, differs from the model's picture. Unless `looks_closer` is set, a
    /// difference counts only if something has moved since the last look.
    fn has_happened(&mut self, looks_closer: bool) -> Result<bool, CaptureError> {
        if !(self.look_for_motion()? || looks_closer) || !self.differs()? {
            return Ok(false);
        }
        self.come_to_rest(Duration::ZERO, STILL, self.limit())?;
        self.differs()
    }

    fn differs(&mut self) -> Result<bool, CaptureError> {
        let difference = self.change_since_answer()?;
        Ok(difference.is_none_or(|difference| difference.largest().is_some()))
    }

    /// Waits until a desktop is ready: it has settled and, if programs were started on it, shows something.
    pub(super) fn wait_for_screen(&mut self) -> Result<(), Ending> {
        if self.screen.changes_by_itself() {
            let limit = Duration::from_secs_f64(self.live.settings.screen.start_s);
            let began = Instant::now();
            let (mut still, mut shown) = (STILL_AT_START, None);
            loop {
                let left = limit.saturating_sub(began.elapsed());
                let is_at_rest = match self.come_to_rest(still.min(left), still, left) {
                    Ok(is_at_rest) => is_at_rest,
                    Err(error) if error.is_lost() => break,
                    // A screen that is just starting might not have a picture yet.
                    Err(_) => {
                        self.stop.sleep(EVERY);
                        false
                    }
                };
                if began.elapsed() >= limit || self.stop.is_set() {
                    break;
                }
                if is_at_rest && !self.is_bare() {
                    let shown = *shown.get_or_insert(began.elapsed().saturating_sub(still));
                    let painting = shown / SLOWEST_PAINTING;
                    if still >= painting || self.live.settings.screen.start.is_empty() {
                        break;
                    }
                    still = painting;
                }
            }
        }
        self.go_on()
    }

    /// Returns whether programs were started on the screen but none of them shows anything yet. A window manager's bar
    /// does not count as a window.
    fn is_bare(&mut self) -> bool {
        if self.live.settings.screen.start.is_empty() {
            return false;
        }
        let windows = self.screen.windows().ok().flatten();
        self.screen.is_plain() || windows.is_some_and(|windows| windows.iter().all(|window| window.place.is_none()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use franz_frame::png;
    use franz_record::{Event, PictureName};

    use super::super::grey;
    use crate::stop::Ending;

    /// The number of looks after the first action that find the screen changed, and its final contents.
    const CHANGES: u8 = 12;
    const LAST: u8 = 200;

    #[test]
    fn the_picture_shows_the_screen_at_rest() {
        let mut fixture = grey::agent("```python\nleft_click(1, 2)\n```");
        fixture.enlarge();
        let shared = Arc::clone(&fixture.shared);
        let mut looks = 0;
        let change = move |done: usize| {
            if done > 0 && looks < CHANGES {
                looks += 1;
                let now = if looks == CHANGES { LAST } else { looks % 2 * 100 };
                *shared.grey.lock().unwrap() = now;
            }
        };
        *fixture.shared.before_picture.lock().unwrap() = Some(Box::new(change));
        let (agent, stop) = (fixture.agent, fixture.stop);
        let thread = std::thread::spawn(move || agent.run());
        for event in &fixture.events {
            match event {
                Event::TurnDone(line) if line.turn == 2 => stop.end(Ending::Stopped),
                Event::RunEnded { .. } => break,
                _ => {}
            }
        }
        thread.join().unwrap();
        let picture = fixture
            .directory
            .path()
            .join("run")
            .join(PictureName::seen(2).to_string());
        let picture = png::decode(&std::fs::read(picture).unwrap()).unwrap();
        let middle = picture.data().len() / 2;
        assert_eq!(picture.data()[middle], LAST);
    }

    /// A square that jumps about: the screen is never at rest, and no part of it moves for long.
    #[test]
    fn a_screen_that_never_rests_is_waited_for_only_so_long() {
        let settings = ["screen.start_s=0.6", "loop.settle_s=0.4"];
        let mut fixture = grey::agent_with("```python\nleft_click(1, 2)\n```", &settings);
        fixture.enlarge();
        // Far from the click, which would otherwise be held.
        let (across, down) = (17, 8);
        let (shared, mut looks) = (Arc::clone(&fixture.shared), 0);
        *fixture.shared.before_picture.lock().unwrap() = Some(Box::new(move |_| {
            looks += 7;
            let place = looks % (across * down);
            *shared.square.lock().unwrap() = Some((64 + place % across * 32, 64 + place / across * 32));
        }));
        let (agent, stop) = (fixture.agent, fixture.stop);
        let began = Instant::now();
        let thread = std::thread::spawn(move || agent.run());
        for event in &fixture.events {
            match event {
                Event::TurnDone(line) if line.turn == 1 => {
                    assert!(
                        began.elapsed().as_secs_f64() >= 0.6,
                        "it began while the screen was changing"
                    );
                }
                Event::TurnDone(line) if line.turn == 2 => {
                    assert!(line.ms.settle.get() >= 400.0, "{:?}", line.ms);
                    stop.end(Ending::Stopped);
                }
                Event::RunEnded { .. } => break,
                _ => {}
            }
        }
        thread.join().unwrap();
    }
}
