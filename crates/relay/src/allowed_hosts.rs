//! Checks the host names under which the relay answers. This keeps out web pages whose own host name resolves to the
//! relay's address.

use crate::loopback::is_loopback;

/// The port and the host names under which the relay answers.
#[derive(Debug, Clone)]
pub struct AllowedHosts {
    /// The port that the relay listens on.
    pub port: u16,
    /// Names accepted in addition to the loopback ones, with or without a port.
    pub allowed: Vec<String>,
}

impl AllowedHosts {
    /// Checks whether `authority`, the value of a `Host` header, names this relay.
    pub fn is_named(&self, authority: &str) -> bool {
        let Some((host, port)) = parts(authority) else {
            return false;
        };
        // A relay in front of this one passes on its own port, so accept any port. No page from another site has a
        // loopback name, whatever its port.
        let ours = port.is_some() || self.port == 80;
        let allowed = |name: &String| name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(authority);
        (ours && is_loopback(host)) || self.allowed.iter().any(allowed)
    }
}

/// Splits an authority into host and port; an IPv6 address keeps its brackets.
fn parts(authority: &str) -> Option<(&str, Option<u16>)> {
    let bracket = authority.rfind(']').map_or(0, |place| place + 1);
    let (host, port) = match authority.get(bracket..)?.find(':') {
        None => (authority, None),
        Some(colon) => {
            let (host, port) = authority.split_at(bracket + colon);
            let digits = port.get(1..)?;
            let digits = digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)?;
            (host, Some(digits.parse().ok()?))
        }
    };
    let odd = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'@' | b'/' | b',' | b'?' | b'#');
    (!host.is_empty() && !host.bytes().any(odd)).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_host_names_are_accepted() {
        let hosts = AllowedHosts {
            port: 1234,
            allowed: vec![
                "desk.local".to_owned(),
                "10.0.0.7:99".to_owned(),
                "[fd00::1]".to_owned(),
            ],
        };
        let ours = [
            "127.0.0.1:1234",
            "127.0.0.1:1235",
            "localhost:1234",
            "LocalHost:1234",
            "[::1]:1234",
            "desk.local",
            "Desk.Local:1234",
            "desk.local:9",
            "10.0.0.7:99",
            "[fd00::1]:1234",
        ];
        for name in ours {
            assert!(hosts.is_named(name), "{name}");
        }
        let foreign = [
            "",
            "127.0.0.1",
            "127.0.0.1:",
            "localhost:+1234",
            "localhost:01234x",
            "evil.example:1234",
            "127.0.0.1.evil:1234",
            "::1:1234",
            "[::1]",
            "[::1]1234",
            "localhost.:1234",
            "me@localhost:1234",
            "localhost:1234,x",
            "10.0.0.7:98",
            "10.0.0.7",
            "127.1:1234",
            "localhost:1234:1234",
            "localhost:66770",
        ];
        for name in foreign {
            assert!(!hosts.is_named(name), "{name}");
        }
    }

    #[test]
    fn port_80_may_be_omitted() {
        let hosts = AllowedHosts {
            port: 80,
            allowed: Vec::new(),
        };
        assert!(hosts.is_named("localhost") && hosts.is_named("127.0.0.1:80"));
    }
}
