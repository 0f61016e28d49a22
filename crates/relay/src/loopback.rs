//! The names by which this machine alone is asked, as `Host` writes them.

const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Whether `host`, which has no port, is one of them; in whatever case.
pub fn is_loopback(host: &str) -> bool {
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(host))
}
