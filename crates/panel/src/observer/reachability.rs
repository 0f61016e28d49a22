//! Reports when the model server becomes reachable or unreachable.

use franz_relay::{Ended, Exchange};

use crate::hub::Hub;

/// The maximum length of an explanation, in characters.
const DETAIL: usize = 300;

/// Tells the hub if an exchange shows that the server is up although it was down, or down although it was up.
pub(super) fn tell(hub: &Hub, exchange: &Exchange) {
    let (up, detail) = match &exchange.ended {
        Ended::Complete => (true, String::new()),
        Ended::Unreachable(why) | Ended::ServerGone(why) => (false, why.chars().take(DETAIL).collect()),
        // If the client left before the end, the exchange says nothing about the server.
        Ended::ClientGone => return,
    };
    hub.change(|snapshot| {
        // The relay also reports a server as up, as soon as a connection opens.
        if snapshot.upstream.up != up {
            snapshot.set_upstream(up, detail);
        }
    });
}
