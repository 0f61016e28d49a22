//! What all connections of a relay share.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use jiff::Timestamp;

use super::admission::Admission;
use super::allowed_hosts::AllowedHosts;
use super::gate::Gate;
use super::half_closed::HalfClosed;
use super::limits::Limits;
use super::request_head::RequestHead;
use super::upstream::Upstream;
use crate::exchange::Copies;
use crate::hub::Hub;
use crate::runs::Runs;
use crate::update::Update;

/// The relay behind its listener.
pub(super) struct Service {
    pub(super) upstream: Upstream,
    pub(super) house: AllowedHosts,
    pub(super) limits: Limits,
    pub(super) admission: Admission,
    pub(super) copies: Copies,
    pub(super) gate: Gate,
    pub(super) hub: Option<Hub>,
    pub(super) announces: bool,
    pub(super) runs: Option<Arc<Runs>>,
    /// Clients that may have gone.
    pub(super) half_closed: HalfClosed,
    /// Numbers requests.
    pub(super) ids: Arc<AtomicU64>,
}

impl Service {
    /// The head of a request as the server gets it: as it came, unless the server is elsewhere or the relay's key stands in it.
    pub(super) fn address<'a>(&self, head: &'a [u8], request: &RequestHead) -> Cow<'a, [u8]> {
        let relay_key = request
            .relay_key
            .as_ref()
            .filter(|_| self.admission.keys.relay.is_some());
        let hidden = relay_key.map(|header| header.line.clone());
        self.upstream.route.address(head, request, hidden)
    }

    /// Takes a pass if there is one.
    pub(super) async fn passes_at_once(&self) -> bool {
        tokio::select! {
            biased;
            () = self.gate.pass() => true,
            () = std::future::ready(()) => false,
        }
    }

    /// Tells who watches that there is a connection to the server.
    pub(super) fn reached(&self) {
        if let Some(hub) = &self.hub {
            let detail = String::new();
            hub.tell(Update::Upstream { up: true, detail });
        }
    }

    /// Tells who watches that the model is being asked.
    pub(super) fn tell(&self, request: &RequestHead, connection: u64) {
        let Some(hub) = self.hub.as_ref().filter(|_| self.announces && request.is_chat) else {
            return;
        };
        let of_run = self.runs.as_ref().and_then(|runs| runs.telling(connection));
        of_run.as_ref().unwrap_or(hub).tell(Update::Asking {
            // Several runs are numbered by the panel, when it knows whose the request was.
            turn: request.turn.filter(|_| self.runs.is_none()),
            attempt: 1,
            since: Timestamp::now().as_millisecond(),
        });
    }
}
