//! `GET /api/reply?turn=T&reply=R&after=N`: the text that the model has added to reply R since byte N.

use std::time::Duration;

use hyper::StatusCode;
use hyper::http::request::Parts;

use super::answer::{HttpResponse, json, refusal};
use super::query::number;
use super::service::DashboardService;

/// How long to keep a request waiting before the page has to repeat it.
const WAIT: Duration = Duration::from_secs(10);

impl DashboardService {
    pub(super) async fn growing_reply(&self, head: &Parts) -> HttpResponse {
        let number = |name: &str| number(head.uri.query(), name).ok().flatten();
        let (Some(turn), Some(number), Some(after)) = (number("turn"), number("reply"), number("after")) else {
            return refusal(
                StatusCode::BAD_REQUEST,
                "turn, reply and after must be numbers; after is the number of bytes of this reply that you \
                 already have, or 0",
            );
        };
        let after = usize::try_from(after).unwrap_or(0);
        let reply = self.hub.growing_reply();
        let mut changed = reply.listen();
        let mut piece = reply.since(turn, number, after);
        if piece.is_none() {
            // If nothing more arrives in time, the page gets `null` and asks again.
            let _ = tokio::time::timeout(WAIT, changed.changed()).await;
            piece = reply.since(turn, number, after);
        }
        json(&piece, &self.secret)
    }
}
