//! Stopping and pausing a run: the signal that every wait of the run listens for, and the reasons for it.

mod question;
mod signals;
mod takeover;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use franz_panel::controls::PersonDecision;
use franz_record::{Exit, PersonQuestion};
use franz_screen::Interrupt;

use signals::Signals;
use takeover::Takeover;

/// The reason why a run ends, which determines its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The last of the requested turns has ended.
    LastTurn,
    /// The model gave its final answer.
    Answered,
    /// The model reported that it cannot carry out its task.
    ReportedFailure,
    /// The model made no call for too long. Holds a description of its replies.
    NoCall(String),
    /// The model went in circles and nobody was there to help. Holds a description.
    Stuck(String),
    /// The budget of tokens is used up.
    TokensUsedUp { used: u64, most: u64 },
    /// The person pressed Stop.
    Stopped,
    /// Ctrl+C.
    Interrupted,
    /// SIGTERM or SIGHUP, a closed console, or a panel that is gone.
    Terminated,
    /// The MCP host closed the connection.
    HostLeft,
    /// The person pushed the pointer into a corner.
    Cornered,
    /// The person took the mouse, and nobody could resume the run.
    Taken,
    /// The screen is gone for good, with the reason.
    ScreenGone(String),
    /// The model server cannot be used, with the reason.
    ServerUnusable(String),
    /// The model answered, but its reply cannot be used, with the reason.
    ReplyUnusable(String),
    /// The record is required but cannot be kept, with the reason.
    RecordFailed(String),
    /// A request of a replay differs from the recorded one, with the place.
    RecordDiffers(String),
    /// The record that is being replayed lacks a request or its answer. Says which.
    NotRecorded(String),
}

impl Ending {
    /// Returns how the process exits.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Ending::LastTurn | Ending::Answered | Ending::TokensUsedUp { .. } | Ending::HostLeft => Exit::Finished,
            Ending::RecordFailed(_) | Ending::RecordDiffers(_) => Exit::Failed,
            Ending::ReportedFailure => Exit::ReportedFailure,
            Ending::NoCall(_) => Exit::NoCall,
            Ending::Stuck(_) => Exit::Stuck,
            Ending::ServerUnusable(_) | Ending::ReplyUnusable(_) | Ending::NotRecorded(_) => Exit::Server,
            Ending::ScreenGone(_) => Exit::Screen,
            Ending::Stopped | Ending::Interrupted | Ending::Cornered | Ending::Taken => Exit::Stopped,
            Ending::Terminated => Exit::Terminated,
        }
    }

    /// Returns the exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        self.exit().code()
    }

    /// Returns whether the person, or the MCP host acting for them, ended the run. The last reply's remaining actions
    /// are then no longer wanted.
    pub(crate) fn is_by_person(&self) -> bool {
        matches!(
            self,
            Ending::Stopped | Ending::Interrupted | Ending::HostLeft | Ending::Cornered | Ending::Taken
        )
    }

    /// Returns a description of the failure, if there was one.
    pub(crate) fn error(&self) -> Option<&str> {
        match self {
            Ending::ServerUnusable(why)
            | Ending::ReplyUnusable(why)
            | Ending::ScreenGone(why)
            | Ending::RecordFailed(why)
            | Ending::RecordDiffers(why)
            | Ending::NotRecorded(why)
            | Ending::NoCall(why)
            | Ending::Stuck(why) => Some(why),
            Ending::LastTurn
            | Ending::Answered
            | Ending::ReportedFailure
            | Ending::TokensUsedUp { .. }
            | Ending::Stopped
            | Ending::Interrupted
            | Ending::Terminated
            | Ending::HostLeft
            | Ending::Cornered
            | Ending::Taken => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::LastTurn => f.write_str("the last requested turn is done"),
            Ending::Answered => f.write_str("the model gave its final answer"),
            Ending::TokensUsedUp { used, most } => write!(
                f,
                "the token budget is used up: {used} of {most}; raise model.max_total_tokens to continue"
            ),
            Ending::Stopped => f.write_str("stopped"),
            Ending::Interrupted => f.write_str("stopped by Ctrl+C"),
            Ending::Terminated => f.write_str("stopped by a signal"),
            Ending::HostLeft => f.write_str("the MCP host closed the connection"),
            Ending::Cornered => f.write_str("stopped: you pushed the pointer into a corner"),
            Ending::Taken => f.write_str("stopped: you took the mouse or pressed Esc twice; continue with --resume"),
            Ending::ReportedFailure => f.write_str("the model reported that it could not carry out the task"),
            Ending::ServerUnusable(why)
            | Ending::ReplyUnusable(why)
            | Ending::ScreenGone(why)
            | Ending::RecordFailed(why)
            | Ending::RecordDiffers(why)
            | Ending::NotRecorded(why)
            | Ending::NoCall(why)
            | Ending::Stuck(why) => f.write_str(why),
        }
    }
}

/// How long a hand might keep moving the mouse after the click that resumed the run.
const STILL_MOVING: Duration = Duration::from_secs(1);

/// The stop signal and the pause. Clones share them. A stop cannot be undone.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Whether nothing is worth waiting for, because everything has happened before.
    hurries: AtomicBool,
    /// Whether the run is waiting to try the model server again.
    retries: AtomicBool,
    changed: Condvar,
    wake: tokio::sync::Notify,
}

#[derive(Default)]
struct State {
    ending: Option<Ending>,
    paused: bool,
    /// The reason why the run paused on its own; cleared when the run continues.
    why: Option<String>,
    /// Whether a person has taken the mouse or keyboard since the run last continued.
    mouse_taken: bool,
    /// The time until which to ignore a hand that might still be moving away from the mouse.
    hands_off: Option<Instant>,
    /// How many more turns the paused run may make.
    steps: u32,
    /// The question that waits for the person, and the decision along with where it was made.
    question: Option<PersonQuestion>,
    decision: Option<(String, PersonDecision)>,
    /// Whether the person wants the run to continue immediately, whatever it is waiting for.
    go_on_now: bool,
    /// The person's reply in place of the model's.
    reply: Option<String>,
    /// The input of a person who has taken over the screen.
    takeover: Option<Takeover>,
}

impl Stop {
    /// Ends the run. If it was ended before, keeps the first reason.
    pub(crate) fn end(&self, why: Ending) {
        self.lock().ending.get_or_insert(why);
        self.shared.changed.notify_all();
        // This stores a permit if nobody is waiting yet.
        self.shared.wake.notify_one();
    }

    /// Skips all waits from now on, for a replay.
    pub(crate) fn hurry(&self) {
        self.shared.hurries.store(true, Ordering::Relaxed);
    }

    /// Returns how long to wait instead of this time.
    pub(crate) fn at_pace(&self, time: Duration) -> Duration {
        if self.shared.hurries.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        time
    }

    /// Ends the run after this time, unless another reason comes first.
    pub(crate) fn end_after(&self, time: Duration, why: Ending) {
        self.sleep_until_over(time);
        self.end(why);
    }

    /// Returns the reason, once there is one.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.lock().ending.clone()
    }

    /// Makes the run wait at the next point where it can.
    pub(crate) fn pause(&self) {
        let mut state = self.lock();
        (state.paused, state.steps) = (true, 0);
        if let Some(takeover) = &mut state.takeover {
            takeover.was_paused = true;
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Makes the run wait for the person's help, with this reason.
    pub(crate) fn pause_because(&self, why: String) {
        self.lock().why = Some(why);
        self.pause();
    }

    /// Takes the reason why the run paused on its own, if there is one. Later calls return `None`.
    pub(crate) fn take_pause_reason(&self) -> Option<String> {
        self.lock().why.take()
    }

    /// Ignores mouse movements for this time while a person lets go of the mouse.
    pub(crate) fn wait_for_hands_off(&self, time: Duration) {
        self.lock().grant(time);
    }

    /// Checks whether mouse movements are still being ignored.
    pub(crate) fn waits_for_hands_off(&self) -> bool {
        self.lock().hands_off.is_some_and(|until| Instant::now() < until)
    }

    /// Pauses the run for a person who takes the mouse, and interrupts the current action. Does nothing and returns
    /// `false` if the run is already paused for that, or if a question is open.
    pub(crate) fn person_takes_mouse(&self) -> bool {
        let mut state = self.lock();
        if (state.mouse_taken && state.holds()) || state.question.is_some() {
            return false;
        }
        (state.paused, state.steps, state.mouse_taken) = (true, 0, true);
        drop(state);
        self.shared.changed.notify_all();
        true
    }

    /// Returns whether a person has taken the mouse or keyboard.
    pub(crate) fn person_has_mouse(&self) -> bool {
        self.lock().mouse_taken
    }

    /// Gives the mouse and keyboard back to the agent. Returns whether a person had taken them.
    pub(crate) fn give_back_mouse(&self) -> bool {
        std::mem::take(&mut self.lock().mouse_taken)
    }

    /// Lets the run continue immediately, whether it is paused or waiting on its own.
    pub(crate) fn resume(&self) {
        self.give_back();
        let mut state = self.lock();
        (state.paused, state.go_on_now) = (false, true);
        state.grant(STILL_MOVING);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Lets the run make one more turn, then makes it wait.
    pub(crate) fn step(&self) {
        self.give_back();
        let mut state = self.lock();
        state.paused = true;
        state.grant(STILL_MOVING);
        state.steps = state.steps.saturating_add(1);
        self.shared.changed.notify_all();
    }

    /// Checks whether the run has to wait.
    pub(crate) fn is_paused(&self) -> bool {
        self.lock().holds()
    }

    /// Waits up to this long while the run is paused, and returns whether it still is. A stop or a takeover by a person
    /// also ends the wait.
    pub(crate) fn wait_while_paused(&self, time: Duration) -> bool {
        let guard = self.lock();
        let waits = |state: &mut State| state.holds() && state.takeover.is_none();
        let waited = self.shared.changed.wait_timeout_while(guard, time, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        waits(&mut state)
    }

    /// Sleeps for this time, or until a stop, a pause, a reply from the person, or their order to continue. Returns
    /// whether they ordered that.
    pub(crate) fn sleep_unless_paused(&self, time: Duration) -> bool {
        let (guard, time) = (self.lock(), self.at_pace(time));
        let wakes =
            |state: &mut State| state.ending.is_some() || state.holds() || state.reply.is_some() || state.go_on_now;
        let waited = self
            .shared
            .changed
            .wait_timeout_while(guard, time, |state| !wakes(state));
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.go_on_now)
    }

    /// Sleeps like [`sleep_unless_paused`](Stop::sleep_unless_paused) before the model server is tried again.
    pub(crate) fn sleep_before_retry(&self, time: Duration) {
        self.shared.retries.store(true, Ordering::Relaxed);
        self.sleep_unless_paused(time);
        self.shared.retries.store(false, Ordering::Relaxed);
    }

    /// Returns whether the run is waiting to try the model server again.
    pub(crate) fn is_retrying(&self) -> bool {
        self.shared.retries.load(Ordering::Relaxed)
    }

    /// Sleeps for this time, or until a stop; a pause has no effect.
    pub(crate) fn sleep_until_over(&self, time: Duration) {
        let guard = self.lock();
        let waited = self
            .shared
            .changed
            .wait_timeout_while(guard, time, |state| state.ending.is_none());
        drop(waited);
    }

    /// Notes the end of a turn, which uses up one step.
    pub(crate) fn turn_done(&self) {
        let mut state = self.lock();
        state.go_on_now = false;
        state.steps = state.steps.saturating_sub(1);
    }

    /// Resolves once the run has been ended.
    pub(crate) async fn ended(&self) {
        while self.ending().is_none() {
            self.shared.wake.notified().await;
        }
        // Another task might be waiting as well.
        self.shared.wake.notify_one();
    }

    /// Listens for Ctrl+C and the system's requests to end. A second Ctrl+C ends the process immediately.
    pub(crate) fn listen(&self) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stop = self.clone();
        let signals = {
            let _inside = runtime.enter();
            Signals::new()?
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(signals.watch(&stop)))?;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn grant(&mut self, time: Duration) {
        self.hands_off = Instant::now().checked_add(time);
    }

    fn holds(&self) -> bool {
        self.paused && self.steps == 0 && self.ending.is_none()
    }

    /// Checks whether the current action must be interrupted.
    fn breaks_off(&self) -> bool {
        self.ending.is_some() || self.mouse_taken
    }
}

impl Interrupt for Stop {
    fn is_set(&self) -> bool {
        self.lock().breaks_off()
    }

    fn sleep(&self, duration: Duration) -> bool {
        let (guard, duration) = (self.lock(), self.at_pace(duration));
        let waited = self
            .shared
            .changed
            .wait_timeout_while(guard, duration, |state| !state.breaks_off());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.breaks_off()
    }
}

#[cfg(test)]
mod tests;
