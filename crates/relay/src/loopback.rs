//! The host names that can only refer to this machine, as they appear in `Host`.

const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Checks whether `host`, given without a port, is one of these names, ignoring case.
pub fn is_loopback(host: &str) -> bool {
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(host))
}
