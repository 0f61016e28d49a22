//! Logs each step of a run.

use std::io;
use std::time::Instant;

use franz_record::{Event, Output, Status};

use crate::console;
use crate::terminal::one_line;

/// Like [`tracing::info!`], but under the program's name.
macro_rules! info {
    ($($field:tt)*) => { tracing::info!(target: "franz", $($field)*) };
}

/// Logs events, each with the time it took.
pub(crate) struct EventLog {
    last: Instant,
    /// The turn and attempt whose reply has begun.
    writing: Option<(u64, u32)>,
}

impl EventLog {
    pub(crate) fn new() -> EventLog {
        EventLog {
            last: Instant::now(),
            writing: None,
        }
    }

    /// Returns the milliseconds since the previous event.
    fn ms(&mut self) -> u64 {
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.last, now);
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Output for EventLog {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            // There are too many of these, and other outputs show them.
            Event::Live(_) | Event::Shown(_) => return Ok(()),
            Event::Writing(piece) if self.writing == Some((piece.turn, piece.attempt)) => return Ok(()),
            _ => {}
        }
        let ms = self.ms();
        match event {
            Event::RunStarted(run) => info!(turn = run.turn, directory = one_line(&run.run_dir), "started"),
            Event::Captured { turn, width, height } => info!(turn, ms, width, height, "captured"),
            Event::Asking { turn, attempt } => info!(turn, ms, attempt, "sent"),
            Event::Writing(piece) => {
                self.writing = Some((piece.turn, piece.attempt));
                info!(turn = piece.turn, ms, attempt = piece.attempt, "the reply begins");
            }
            Event::Retry {
                turn,
                attempt,
                error,
                wait_s,
                ..
            } => {
                info!(turn, ms, attempt, wait_s, error = one_line(error), "failed");
            }
            Event::TurnDone(line) => {
                let (took, ok) = (&line.ms, line.status == Status::Ok);
                let (waited_ms, capture_ms, model_ms) = (took.settle.get(), took.capture.get(), took.model.get());
                info!(turn = line.turn, ms, ok, waited_ms, capture_ms, model_ms, "read");
            }
            Event::Acting { turn, actions } => info!(turn, ms, actions, "acting"),
            Event::Acted { turn, acted, feedback } => {
                let did = one_line(&console::done(acted, feedback, *turn));
                info!(turn, ms, did, "acted");
            }
            Event::Waiting(question) => info!(
                turn = question.turn,
                ms,
                why = one_line(&question.why),
                "waiting for the person"
            ),
            Event::Decided { turn, decided, .. } => {
                let decided = decided.as_ref().map(|decided| one_line(&decided.words()));
                info!(turn, ms, decided, "decided");
            }
            Event::Paused { turn, why } => info!(turn, ms, why = why.as_deref().map(one_line), "paused"),
            Event::Resumed { turn } => info!(turn, ms, "resumed"),
            Event::TakenOver { turn } => info!(turn, ms, "taken over"),
            Event::GivenBack { turn, .. } => info!(turn, ms, "given back"),
            Event::Answered { turn, success, .. } => info!(turn, ms, success, "answered"),
            Event::Notice { text } => info!(ms, text = one_line(text), "notice"),
            Event::RunEnded { reason, exit_code, .. } => info!(ms, exit_code, reason = one_line(reason), "ended"),
            Event::Live(_) | Event::Shown(_) => {}
        }
        Ok(())
    }
}
