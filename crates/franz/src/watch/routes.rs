//! The model servers that relays lead to.

use std::net::SocketAddr;

use franz_chat::Endpoint;
use franz_demo::DemoHandle;

use crate::terminal::complain;
use crate::upstream::{Address, Otherwise, Relayed, Source, Upstream, locate, secret};

/// One model server.
pub(super) struct Route {
    pub(super) endpoint: Endpoint,
    shown: String,
    model: Option<String>,
    keyed: bool,
    /// The built-in model, which serves as long as this lives.
    _demo: Option<DemoHandle>,
}

/// The servers in the order in which they are to be tried. One to fall back on that cannot be found is left out.
pub(super) async fn of(servers: Vec<(Address, Option<Upstream>)>) -> Vec<Route> {
    let mut routes = Vec::new();
    for (address, known) in servers {
        if let Some(upstream) = known {
            routes.push(Route {
                endpoint: upstream.client.endpoint().clone(),
                shown: upstream.shown,
                model: Some(upstream.model),
                keyed: upstream.keyed,
                _demo: upstream.demo,
            });
        } else if let Address::Named(name) = address {
            match locate(&name, Otherwise::Others).await {
                Ok(located) => routes.push(Route {
                    shown: located.shown(&name),
                    keyed: matches!(located.source, Source::Given) && secret().is_some(),
                    endpoint: located.endpoint,
                    model: None,
                    _demo: located.source.demo(),
                }),
                Err(error) => complain(&format!("the model server {name} is left out: {error}")),
            }
        }
    }
    routes
}

/// What the agent is told of them: each behind the relay of the same place.
pub(super) fn relayed(routes: &[Route], relays: &[SocketAddr]) -> Vec<Relayed> {
    let pairs = routes.iter().zip(relays);
    pairs
        .map(|(route, relay)| Relayed {
            relay: format!("http://{relay}"),
            address: route.endpoint.to_string(),
            shown: route.shown.clone(),
            model: route.model.clone(),
            keyed: route.keyed,
        })
        .collect()
}
