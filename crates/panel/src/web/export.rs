//! Exports the history while sending it, so that this works for runs of any length.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use tokio::sync::mpsc;

use super::answer::{HttpResponse, answer, attachment};
use super::body::ResponseBody;
use super::service::DashboardService;
use crate::export;

/// How many bytes to send at a time.
const PIECE: usize = 64 << 10;

impl DashboardService {
    pub(super) fn export_page(self: Arc<Self>, head: &Parts) -> HttpResponse {
        let disposition = "attachment; filename=\"history.html\"";
        let body = made(head, move |out| {
            let facts = self.hub.look(|snapshot| snapshot.run.clone());
            export::html(&self.history, facts.as_ref(), &self.secret, out)
        });
        attachment(answer(StatusCode::OK, "text/html; charset=utf-8", body), disposition)
    }

    pub(super) fn export_lines(self: Arc<Self>, head: &Parts) -> HttpResponse {
        let disposition = "attachment; filename=\"turns.jsonl\"";
        let body = made(head, move |out| export::json_lines(&self.history, &self.secret, out));
        attachment(answer(StatusCode::OK, "application/jsonl", body), disposition)
    }
}

/// Returns a body that `make` writes on its own thread, no faster than the client reads it.
fn made(head: &Parts, make: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static) -> ResponseBody {
    if head.method == Method::HEAD {
        return ResponseBody::empty();
    }
    let (sender, body) = ResponseBody::pieces();
    tokio::task::spawn_blocking(move || {
        let mut out = Sent {
            sender,
            piece: Vec::new(),
        };
        if let Err(error) = make(&mut out).and_then(|()| out.flush()) {
            tracing::debug!("the history was not sent completely: {error}");
            // This keeps the reader from mistaking the file for complete, if there still is a reader.
            let _ = out.sender.blocking_send(Err(error));
        }
    });
    body
}

struct Sent {
    sender: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.piece);
        let sent = self.sender.blocking_send(Ok(piece.into()));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
