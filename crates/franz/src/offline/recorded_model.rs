//! The record in place of a model: it compares each request with the recorded one of the same turn, and gives the
//! recorded answer.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use franz_chat::{Answer, Bytes, Client, Failed, ReplyListener, Request, RequestFailure, Trouble, Usage};
use franz_record::{LoggedExchange, ReadBody, Status};

use super::comparison::{Comparison, Difference, compare};
use super::recorded_run::RecordedRun;
use crate::stop::{Ending, Stop};
use crate::terminal::printable;

/// The status of an answer whose status was not logged, because only a complete answer was logged without one.
const OK: u16 = 200;

/// The answers of a recorded run.
pub(crate) struct RecordedModel {
    run: Arc<RecordedRun>,
    stop: Stop,
    asked: Mutex<Asked>,
}

/// The turn that asked last, its exchanges, and how many of them have been replayed.
#[derive(Default)]
struct Asked {
    turn: u64,
    exchanges: Vec<(String, LoggedExchange)>,
    next: usize,
}

impl RecordedModel {
    /// Returns the answers of a run. If there is none to a request, or if the request differs, the replay stops.
    pub(super) fn new(run: Arc<RecordedRun>, stop: Stop) -> RecordedModel {
        RecordedModel {
            run,
            stop,
            asked: Mutex::default(),
        }
    }

    /// Returns the recorded answer, or nothing if the replay stops.
    pub(crate) fn answer<F>(
        &self,
        request: &Request,
        client: &Client,
        listener: &ReplyListener<F>,
    ) -> Option<Result<Answer, Failed>> {
        let answer = self.find(request).and_then(|(exchange, is_last)| {
            let status = self.run.line().map_or(Status::Ok, |line| line.status);
            let is_failure = is_last && status == Status::Failed;
            let answered = read(&exchange, client, listener);
            let lasts = |failed: &Failed| matches!(failed.failure.trouble(), Trouble::Lasting | Trouble::Spent);
            match answered {
                // The turn gave up after this attempt; how long it had waited by then does not matter now.
                Some(Err(failed)) if is_failure && !lasts(&failed) => Ok(Err(given_up(failed.to_string()))),
                Some(answered) => Ok(answered),
                None if is_failure => Ok(Err(given_up("no answer came".to_owned()))),
                None => Err(self.missing("the answer to its request is")),
            }
        });
        answer.map_err(|ending| self.stop.end(ending)).ok()
    }

    /// Returns the recorded exchange of an equal request, and whether it is the turn's last one.
    fn find(&self, request: &Request) -> Result<(LoggedExchange, bool), Ending> {
        let turn = self.run.now();
        let mut asked = self.asked();
        if asked.turn != turn {
            let exchanges = self.run.exchanges(turn).map_err(|error| unreadable(turn, &error))?;
            *asked = Asked {
                turn,
                exchanges,
                next: 0,
            };
        }
        let Some((recorded, exchange)) = asked.exchanges.get(asked.next).cloned() else {
            return Err(self.missing(if asked.next == 0 {
                "its request is"
            } else {
                "its next request is"
            }));
        };
        asked.next += 1;
        let is_last = asked.next == asked.exchanges.len();
        let now = String::from_utf8_lossy(&request.redacted()).into_owned();
        match compare(&recorded, &now) {
            Comparison::Equal => Ok((exchange, is_last)),
            // On a desktop, the picture stands for one that cannot be taken again.
            Comparison::OtherPictures if !self.run.is_canvas() => Ok((exchange, is_last)),
            Comparison::OtherPictures => Err(self.other_picture()),
            Comparison::Other(difference) => Err(differs(turn, &difference)),
        }
    }

    fn missing(&self, what: &str) -> Ending {
        let turn = self.run.now();
        Ending::NotRecorded(format!("turn {turn}: {what} not in the log of {}", self.run.name()))
    }

    fn other_picture(&self) -> Ending {
        let turn = self.run.now();
        let file = self.run.line().and_then(|line| line.image.as_ref());
        let file = file.map_or("its picture", |image| image.file.as_str());
        Ending::RecordDiffers(format!(
            "turn {turn}: the request is equal, but a picture in it is not; compare {file} of both runs"
        ))
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the recorded answer; `None` if none was recorded.
fn read<F>(exchange: &LoggedExchange, client: &Client, listener: &ReplyListener<F>) -> Option<Result<Answer, Failed>> {
    let response = exchange.response.as_ref()?;
    let bytes = match &response.body {
        ReadBody::Json(body) => Bytes::copy_from_slice(body.get().as_bytes()),
        ReadBody::Text(text) => Bytes::copy_from_slice(text.as_bytes()),
        ReadBody::Missing(_) => return None,
    };
    let status = response.status.and_then(|status| u16::try_from(status).ok());
    Some(client.read_again(status.unwrap_or(OK), &bytes, listener))
}

/// Returns the failure with which a recorded turn ended, as one that ends the turn at once.
fn given_up(why: String) -> Failed {
    Failed {
        failure: RequestFailure::Unsendable { why },
        answer: None,
        usage: Usage::default(),
    }
}

fn unreadable(turn: u64, error: &io::Error) -> Ending {
    Ending::NotRecorded(format!(
        "turn {turn}: its requests cannot be read from the log: {error}"
    ))
}

fn differs(turn: u64, difference: &Difference) -> Ending {
    let Difference { at, recorded, now } = difference;
    Ending::RecordDiffers(format!(
        "turn {turn}: the request differs from the recorded one at byte {at}\n  recorded  {}\n  now       {}",
        printable(recorded),
        printable(now)
    ))
}
