//! The host names by which only this machine can be reached, as `Host` writes them.

const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Checks whether `host`, given without a port, is one of them, ignoring case.
pub fn is_loopback(host: &str) -> bool {
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(host))
}
