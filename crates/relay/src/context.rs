//! The state that all connections of a relay share.

use std::borrow::Cow;
use std::sync::Arc;

use crate::admission::Admission;
use crate::allowed_hosts::AllowedHosts;
use crate::connector::Connector;
use crate::exchange::Copies;
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::limits::RelayLimits;
use crate::request_head::RequestHead;
use crate::waiting_clients::WaitingClients;
use crate::watcher::Watcher;

/// Everything the relay needs to handle connections.
pub(crate) struct RelayContext {
    pub(crate) connector: Connector,
    pub(crate) allowed_hosts: AllowedHosts,
    pub(crate) limits: RelayLimits,
    pub(crate) admission: Admission,
    pub(crate) copies: Copies,
    pub(crate) gate: Gate,
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
    /// Clients that have not been admitted yet. They make room first, so that other users of this machine cannot take
    /// every place.
    pub(crate) strangers: WaitingClients,
    /// The clients that might be gone.
    pub(crate) half_closed: WaitingClients,
}

impl RelayContext {
    /// Returns the head as the server receives it: unchanged, unless the server is on another machine or the head
    /// contains the relay's key.
    pub(crate) fn address<'a>(&self, head: &'a [u8], request: &RequestHead) -> Cow<'a, [u8]> {
        let relay_key = request
            .relay_key
            .as_ref()
            .filter(|_| self.admission.keys.relay.is_some());
        let hidden = relay_key.map(|header| header.line.clone());
        self.connector.addressing.address(head, request, hidden)
    }

    /// Tells a client to make room. Returns `false` if all of them are being served.
    pub(crate) fn make_room(&self) -> bool {
        self.strangers.make_room() || self.half_closed.make_room()
    }

    /// Takes a pass if one is available immediately.
    pub(crate) async fn passes_at_once(&self) -> bool {
        tokio::select! {
            biased;
            () = self.gate.pass() => true,
            () = std::future::ready(()) => false,
        }
    }

    /// Notifies the watcher that a connection to the server was opened.
    pub(crate) fn connected(&self) {
        if let Some(watcher) = &self.watcher {
            watcher.connected();
        }
    }

    /// Notifies the watcher that a request is being held back, or no longer is.
    pub(crate) fn held(&self, is_held: bool) {
        if let Some(watcher) = &self.watcher {
            watcher.held(is_held);
        }
    }

    /// Notifies the watcher that a request to the model is about to be passed on.
    pub(crate) fn asked(&self, request: &RequestHead, ledger: &Ledger) {
        if let Some(watcher) = self.watcher.as_ref().filter(|_| request.asks_model) {
            watcher.asked(ledger.connection(), ledger.newest());
        }
    }
}
