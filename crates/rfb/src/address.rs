//! The address of a VNC server: `HOST`, `HOST:PORT` or `vnc://HOST:PORT`, as in RFC 7869.

use std::fmt;
use std::str::FromStr;

/// The port to use when the address names none.
const PORT: u16 = 5900;

/// A number below this limit after the host is a display number, as VNC viewers use it, not a port.
const DISPLAYS: u16 = 100;

const SCHEME: &str = "vnc://";

/// The address at which a VNC server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VncAddress {
    /// The host name or address, without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

/// Why a string is not the address of a VNC server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VncAddressError {
    /// The address has no host.
    #[error("it has no host; write vnc://HOST or vnc://HOST:PORT")]
    NoHost,
    /// The part after the host is not a port.
    #[error("{0:?} is not a port; write vnc://HOST or vnc://HOST:PORT")]
    NoPort(String),
    /// The number is a display number, as VNC viewers use it, not a port.
    #[error("{display} is a display number, not a port; write vnc://{host}:{port}")]
    Display {
        /// The display number.
        display: u16,
        /// The host, as written.
        host: String,
        /// The port of that display.
        port: u16,
    },
    /// The address contains a user name or a password.
    #[error(
        "it contains a user name or password, but FRANZ stores and shows the address; write vnc://HOST, and give the \
         password in FRANZ_VNC_PASSWORD, in a file named by FRANZ_VNC_PASSWORD_FILE, or when FRANZ asks for it"
    )]
    Password,
    /// The address contains more than a host and a port.
    #[error("{0:?} does not belong in the address; write vnc://HOST or vnc://HOST:PORT")]
    More(String),
}

impl FromStr for VncAddress {
    type Err = VncAddressError;

    fn from_str(text: &str) -> Result<VncAddress, VncAddressError> {
        let text = text.trim();
        let rest = match text.get(..SCHEME.len()) {
            Some(scheme) if scheme.eq_ignore_ascii_case(SCHEME) => &text[SCHEME.len()..],
            _ => text,
        };
        if rest.contains('@') || rest.to_ascii_lowercase().contains("password") {
            return Err(VncAddressError::Password);
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if let Some(at) = rest.find(['/', '?', '#', ' ']) {
            return Err(VncAddressError::More(rest[at..].to_owned()));
        }
        let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => {
                let port = port.strip_prefix(':');
                (
                    host,
                    Some(port.ok_or_else(|| VncAddressError::NoPort(rest.to_owned()))?),
                )
            }
            // An IPv6 address without brackets has no port.
            None if rest.parse::<std::net::Ipv6Addr>().is_ok() => (rest, None),
            None => match rest.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        if host.is_empty() {
            return Err(match port.and_then(|port| port.parse().ok()) {
                Some(number) => display(number, "localhost"),
                None => VncAddressError::NoHost,
            });
        }
        if !host.chars().all(|c| c.is_alphanumeric() || ".-_:%".contains(c)) {
            return Err(VncAddressError::More(host.to_owned()));
        }
        let port = match port {
            None => PORT,
            Some(text) => match text.parse() {
                Ok(number) if number < DISPLAYS => return Err(display(number, host)),
                Ok(number) => number,
                // VNC viewers put two colons before a port.
                Err(_) => match text.strip_prefix(':').and_then(|port| port.parse().ok()) {
                    Some(number) if number >= DISPLAYS => number,
                    _ => return Err(VncAddressError::NoPort(text.to_owned())),
                },
            },
        };
        Ok(VncAddress {
            host: host.to_owned(),
            port,
        })
    }
}

fn display(number: u16, host: &str) -> VncAddressError {
    VncAddressError::Display {
        display: number,
        host: host.to_owned(),
        port: if number < DISPLAYS { PORT + number } else { number },
    }
}

impl fmt::Display for VncAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VncAddress { host, port } = self;
        if host.contains(':') {
            write!(f, "{SCHEME}[{host}]:{port}")
        } else {
            write!(f, "{SCHEME}{host}:{port}")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, whole) in [
            ("vnc://mac.local", "vnc://mac.local:5900"),
            ("VNC://mac.local/", "vnc://mac.local:5900"),
            ("mac.local:5901", "vnc://mac.local:5901"),
            (" 127.0.0.1 ", "vnc://127.0.0.1:5900"),
            ("vnc://[::1]", "vnc://[::1]:5900"),
            ("vnc://[fe80::1%eth0]:5999", "vnc://[fe80::1%eth0]:5999"),
            ("::1", "vnc://[::1]:5900"),
            ("host::5905", "vnc://host:5905"),
        ] {
            let address: VncAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), whole, "{text}");
            assert_eq!(whole.parse(), Ok(address), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_what_to_write() {
        for (text, why) in [
            ("vnc://", "it has no host"),
            ("vnc://host:1", "write vnc://host:5901"),
            (":1", "write vnc://localhost:5901"),
            ("vnc://host:0", "write vnc://host:5900"),
            ("vnc://host::1", "is not a port"),
            ("vnc://host:", "is not a port"),
            ("vnc://host:seven", "\"seven\" is not a port"),
            ("vnc://host:70000", "is not a port"),
            ("vnc://[::1]5900", "is not a port"),
            ("vnc://:secret12@host", "FRANZ_VNC_PASSWORD"),
            ("vnc://me:secret12@host:5900", "FRANZ_VNC_PASSWORD"),
            ("vnc://host?VncPassword=secret12", "FRANZ_VNC_PASSWORD"),
            ("vnc://host/screen", "does not belong in the address"),
            ("http://host", "does not belong in the address"),
            ("vnc://a host", "does not belong in the address"),
        ] {
            let error = text.parse::<VncAddress>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(!error.contains("secret12"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            if let Ok(address) = text.parse::<VncAddress>() {
                prop_assert_eq!(address.to_string().parse(), Ok(address));
            }
        }
    }
}
