//! The model servers that relays lead to.

use std::net::SocketAddr;

use anyhow::Result;
use franz_chat::{ApiKey, Candidate, Endpoint, Grant, Keyring, NamedBy};
use franz_demo::DemoHandle;

use super::assignment::HeldKey;
use crate::calibrate::ModelHome;
use crate::terminal::complain;
use crate::upstream::{Otherwise, Relayed, ServerAddress, Upstream, locate};

/// The route to one model server.
pub(super) struct Route {
    pub(super) endpoint: Endpoint,
    shown: String,
    model: Option<Candidate>,
    listed: Vec<Candidate>,
    home: ModelHome,
    grant: Grant,
    /// The built-in model, which runs until this value is dropped.
    _demo: Option<DemoHandle>,
}

/// Returns the servers in the order in which to try them. Leaves out fallbacks that cannot be found.
pub(super) async fn of(servers: Vec<(ServerAddress, Option<Upstream>)>, keyring: &Keyring) -> Vec<Route> {
    let mut routes = Vec::new();
    for (address, known) in servers {
        if let Some(upstream) = known {
            routes.push(Route {
                endpoint: upstream.client.endpoint().clone(),
                shown: upstream.shown,
                model: Some(upstream.known),
                listed: upstream.listed.unwrap_or_default(),
                home: upstream.home,
                grant: upstream.grant,
                _demo: upstream.demo,
            });
        } else if let ServerAddress::Named(name, named_by) = address {
            match found(&name, named_by, keyring).await {
                Ok(route) => routes.push(route),
                Err(error) => complain(&format!("the model server {name} is skipped: {error}")),
            }
        }
    }
    routes
}

/// Finds the server with this name. Its model is chosen later.
async fn found(name: &str, named_by: NamedBy, keyring: &Keyring) -> Result<Route> {
    let located = locate(name, Otherwise::Others).await?;
    Ok(Route {
        shown: located.shown(name),
        grant: located.grant(named_by, keyring)?,
        home: located.home(),
        endpoint: located.endpoint,
        model: None,
        listed: Vec::new(),
        _demo: located.source.demo(),
    })
}

/// Returns the keys for the agent, each with the run's servers that it may be sent to. Includes keys for no server,
/// because answers are checked for all keys.
pub(super) fn keys(routes: &[Route], keyring: &Keyring) -> Vec<HeldKey> {
    let of_key = |key: &ApiKey| HeldKey {
        key: key.text().to_owned(),
        servers: routes
            .iter()
            .filter_map(|route| route.grant.key())
            .filter(|(_, granted)| granted.text() == key.text())
            .map(|(server, _)| server.to_string())
            .collect(),
    };
    keyring.keys().map(of_key).collect()
}

/// Returns the servers in the form that the agent gets. Each server is behind the relay at the same position.
pub(super) fn relayed(routes: &[Route], relays: &[SocketAddr]) -> Vec<Relayed> {
    let pairs = routes.iter().zip(relays);
    pairs
        .map(|(route, relay)| Relayed {
            relay: format!("http://{relay}"),
            address: route.endpoint.to_string(),
            shown: route.shown.clone(),
            model: route.model.clone(),
            listed: route.listed.clone(),
            home: route.home.clone(),
        })
        .collect()
}
