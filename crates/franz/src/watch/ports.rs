//! The ports of relays and dashboard. They are bound before anything is created on disk, because one of them might be
//! taken.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, ToSocketAddrs};

use anyhow::{Context, Result};
use franz_chat::Endpoint;
use franz_home::View;
use franz_relay::{ClientKeys, Copies, CopiesReader, Gate, Relay, RelayOptions};
use tokio::net::TcpListener;

use super::access::{self, DashboardAccess};
use crate::config::settings;
use crate::exit::Unusable;
use crate::terminal::complain;

/// The default address of the dashboard.
const DASHBOARD: SocketAddr = loopback(7878);

/// The minimum length of a key for the relay, in characters.
const SHORTEST_KEY: usize = 16;

/// All listeners.
pub(super) struct Ports {
    pub(super) relays: Vec<Relay>,
    pub(super) copies: Copies,
    pub(super) reader: CopiesReader,
    pub(super) dashboard: DashboardPort,
}

/// The destinations of the relays, and the gate that can hold the requests passing through them.
pub(super) struct Wiring {
    /// The address of the first relay if the settings do not give one.
    pub(super) relay: SocketAddr,
    pub(super) upstreams: Vec<Endpoint>,
    pub(super) gate: Gate,
    /// The key that our own agent sends with its requests.
    pub(super) key: Option<String>,
}

/// The dashboard's port.
pub(super) struct DashboardPort {
    pub(super) listener: TcpListener,
    pub(super) access: DashboardAccess,
    /// Names that the `Host` header may contain besides the loopback ones.
    pub(super) allow_hosts: Vec<String>,
}

/// Returns the address of a port that only this machine can reach.
pub(super) const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))
}

impl Ports {
    /// Listens for the agent and for browsers. For an existing run, the dashboard stays where browsers found it before,
    /// if possible.
    pub(super) async fn bind(
        panel: &settings::PanelSettings,
        existing: Option<&View>,
        wiring: Wiring,
    ) -> Result<Ports> {
        let (copies, reader) = Copies::queue();
        let mut address = match &panel.relay {
            Some(text) => address_of("panel.relay", text)?,
            None => wiring.relay,
        };
        let keys = ClientKeys {
            run: wiring.key,
            relay: relay_key(address, std::env::var("FRANZ_RELAY_KEY").ok())?,
        };
        let mut relays = Vec::new();
        for upstream in wiring.upstreams {
            let options = RelayOptions {
                upstream,
                allow_hosts: names(panel, address),
                copies: copies.clone(),
                gate: wiring.gate.clone(),
                keys: keys.clone(),
            };
            relays.push(Relay::bind(address, options).await.map_err(Unusable::usage)?);
            address.set_port(0);
        }
        Ok(Ports {
            relays,
            copies,
            reader,
            dashboard: DashboardPort::bind(panel, existing).await?,
        })
    }
}

impl DashboardPort {
    /// Listens at the address in the settings. If they give none, tries the port where browsers of the run in
    /// `existing` expect the dashboard, then the usual port, then a free one.
    pub(super) async fn bind(panel: &settings::PanelSettings, existing: Option<&View>) -> Result<DashboardPort> {
        let listener = match &panel.dashboard {
            Some(text) => bind_given(address_of("panel.dashboard", text)?).await?,
            None => bind_any(existing.and_then(access::earlier_port)).await?,
        };
        let address = listener.local_addr()?;
        Ok(DashboardPort {
            access: DashboardAccess::new(reachable(address))?,
            allow_hosts: names(panel, address),
            listener,
        })
    }
}

/// Tests whether a run's relay and dashboard could listen. Stops listening afterwards.
pub(crate) async fn try_ports(panel: &settings::PanelSettings) -> Result<(SocketAddr, String)> {
    let relay = match &panel.relay {
        Some(text) => address_of("panel.relay", text)?,
        None => loopback(0),
    };
    let bound = TcpListener::bind(relay).await.map_err(|error| {
        Unusable::usage(format!(
            "the relay cannot listen on {relay}: {error}; choose another address with --relay"
        ))
    })?;
    let dashboard = DashboardPort::bind(panel, None).await?;
    Ok((bound.local_addr()?, dashboard.access.address))
}

/// Returns the address at which this machine can reach a listener at `address`.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if !ip.is_unspecified() => address,
        IpAddr::V4(_) => loopback(address.port()),
        IpAddr::V6(_) => SocketAddr::from((Ipv6Addr::LOCALHOST, address.port())),
    }
}

/// Returns the key that clients need for a relay that other machines can reach. It is either the person's choice or a
/// new one, which is printed.
fn relay_key(address: SocketAddr, given: Option<String>) -> Result<Option<String>> {
    if address.ip().to_canonical().is_loopback() {
        return Ok(None);
    }
    if let Some(key) = given.filter(|key| !key.is_empty()) {
        if key.len() < SHORTEST_KEY || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let wrong =
                format!("FRANZ_RELAY_KEY must have at least {SHORTEST_KEY} letters, digits or symbols, and no spaces");
            return Err(Unusable::usage(wrong).into());
        }
        return Ok(Some(key));
    }
    let key = crate::random()?;
    complain(&format!(
        "the relay at {address} is open to other machines; clients there must send the header X-Franz-Relay-Key: {key} (FRANZ_RELAY_KEY sets another)"
    ));
    Ok(Some(key))
}

/// Returns the names that `Host` may contain besides the loopback ones.
fn names(panel: &settings::PanelSettings, address: SocketAddr) -> Vec<String> {
    panel.allow_hosts.iter().cloned().chain(own_name(address)).collect()
}

/// Returns the address as it appears in `Host`, unless it is one of the loopback names or stands for every address.
fn own_name(address: SocketAddr) -> Option<String> {
    match address.ip() {
        ip if ip.is_unspecified() || ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST => None,
        IpAddr::V4(ip) => Some(ip.to_string()),
        IpAddr::V6(ip) => Some(format!("[{ip}]")),
    }
}

async fn bind_given(address: SocketAddr) -> Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    Ok(bound.map_err(|error| {
        Unusable::usage(format!(
            "the dashboard cannot listen on {address}: {error}; choose another address with --dashboard"
        ))
    })?)
}

async fn bind_any(known: Option<u16>) -> Result<TcpListener> {
    for address in known.map(loopback).into_iter().chain([DASHBOARD]) {
        if let Ok(listener) = TcpListener::bind(address).await {
            return Ok(listener);
        }
    }
    let free = TcpListener::bind(loopback(0)).await;
    free.context("there is no free port for the dashboard on this machine")
}

/// Parses an address in the form that people write: HOST:PORT, or just a port.
fn address_of(key: &str, text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.trim().parse() {
        return Ok(loopback(port));
    }
    let found = text.trim().to_socket_addrs().ok().and_then(|mut found| found.next());
    let wrong = || {
        Unusable::usage(format!(
            "{key} = \"{text}\" is not a valid address; write it like 127.0.0.1:7878"
        ))
    };
    let found = found.ok_or_else(wrong)?;
    // Clients write an IPv4 address within an IPv6 one in several ways, so `Host` could not be compared with it.
    Ok(SocketAddr::new(found.ip().to_canonical(), found.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_addresses_are_read_in_every_common_spelling() {
        for (text, address) in [
            ("7878", Some("127.0.0.1:7878")),
            (" 127.0.0.1:0 ", Some("127.0.0.1:0")),
            ("[::1]:9", Some("[::1]:9")),
            ("[::ffff:127.0.0.1]:9", Some("127.0.0.1:9")),
            ("", None),
            ("nowhere", None),
            ("127.0.0.1:99999", None),
        ] {
            let found = address_of("panel.relay", text).ok().map(|address| address.to_string());
            assert_eq!(found.as_deref(), address, "{text}");
        }
    }

    #[test]
    fn a_relay_beyond_loopback_has_a_key() {
        for (address, has_one) in [
            ("127.0.0.1:9", false),
            ("127.8.9.1:9", false),
            ("[::1]:9", false),
            ("[::ffff:127.0.0.1]:9", false),
            ("0.0.0.0:9", true),
            ("[::]:9", true),
            ("192.168.1.5:9", true),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(relay_key(address, None).unwrap().is_some(), has_one, "{address}");
        }
        let everywhere = "0.0.0.0:9".parse().unwrap();
        let fresh = || relay_key(everywhere, None).unwrap().unwrap();
        assert!(fresh().len() == 32 && fresh() != fresh(), "nobody guesses it");
        let given = |key: &str| relay_key(everywhere, Some(key.to_owned()));
        assert_eq!(given("0123456789-abcdef").unwrap().unwrap(), "0123456789-abcdef");
        for weak in ["x", "0123456789 abcdef", "0123456789abcdef\n"] {
            assert!(given(weak).is_err(), "{weak:?}");
        }
    }

    #[test]
    fn an_address_is_its_own_name_unless_every_listener_has_it() {
        for (address, name) in [
            ("127.0.0.1:9", None),
            ("[::1]:9", None),
            ("0.0.0.0:9", None),
            ("[::]:9", None),
            ("127.0.0.2:9", Some("127.0.0.2")),
            ("192.168.1.5:9", Some("192.168.1.5")),
            ("[fd00::1]:9", Some("[fd00::1]")),
        ] {
            assert_eq!(own_name(address.parse().unwrap()).as_deref(), name, "{address}");
        }
    }

    #[test]
    fn a_wildcard_listener_is_reached_on_loopback() {
        for (bound, reached) in [
            ("0.0.0.0:9", "127.0.0.1:9"),
            ("[::]:9", "[::1]:9"),
            ("127.0.0.1:9", "127.0.0.1:9"),
            ("192.168.1.5:9", "192.168.1.5:9"),
        ] {
            assert_eq!(reachable(bound.parse().unwrap()).to_string(), reached);
        }
    }
}
