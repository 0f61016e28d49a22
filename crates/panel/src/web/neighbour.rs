//! Whose connection it is: on Linux the system says to which user both ends of a connection on this machine belong.

use std::net::{IpAddr, SocketAddr};

/// The ends of the connection that a request came by, this one first.
#[derive(Clone, Copy)]
pub(super) struct Ends(pub(super) Option<(SocketAddr, SocketAddr)>);

/// Whether the same user may be at both ends of a connection. Where the system tells nothing of users it may be so.
pub(super) fn may_be_own(ends: Ends) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let Ends(Some((here, there))) = ends else { return false };
    let table = match here.ip() {
        IpAddr::V4(_) => "/proc/net/tcp",
        IpAddr::V6(_) => "/proc/net/tcp6",
    };
    std::fs::read_to_string(table).map_or(true, |table| is_own(&table, here, there))
}

/// Whether the table of connections gives both ends to one user. An end that is on another machine is in no line.
fn is_own(table: &str, here: SocketAddr, there: SocketAddr) -> bool {
    let user = |from, to| {
        let ends = [end(from), end(to)];
        table.lines().find_map(|line| {
            let mut fields = line.split_ascii_whitespace().skip(1);
            let found = ends.iter().all(|end| fields.next() == Some(end));
            // State, queues, timer, retransmissions, then the user.
            found.then(|| fields.nth(4)).flatten()
        })
    };
    let own = user(here, there);
    own.is_some() && own == user(there, here)
}

/// An address as it stands in the table: each four bytes as one number of this machine, in hexadecimal digits.
fn end(address: SocketAddr) -> String {
    let octets = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let words = octets
        .as_chunks()
        .0
        .iter()
        .map(|word| format!("{:08X}", u32::from_ne_bytes(*word)));
    format!("{}:{:04X}", words.collect::<String>(), address.port())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn both_ends_of_our_own_connection_are_ours() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // A machine may have no IPv6.
            let Ok(listener) = TcpListener::bind(address) else {
                continue;
            };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, peer) = listener.accept().unwrap();
            assert!(may_be_own(Ends(Some((server.local_addr().unwrap(), peer)))));
            drop(client);
        }
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn another_users_end_is_told_apart() {
        let line = |from: &str, to: &str, user: u32| {
            format!(
                "   5: {from} {to} 01 00000000:00000000 00:00000000 00000000 {user:>5}        0 31337 1 0000000000000000 20 4 30 10 -1\n"
            )
        };
        let (here, there) = ("0100007F:1EC6", "0100007F:A2C4");
        let table = |user| {
            format!(
                "  sl  local_address rem_address   st ...\n{}{}",
                line(here, there, 1000),
                line(there, here, user)
            )
        };
        let [own, peer] = ["127.0.0.1:7878", "127.0.0.1:41668"].map(|address| address.parse().unwrap());
        assert!(is_own(&table(1000), own, peer));
        assert!(!is_own(&table(1001), own, peer));
        assert!(!is_own(&line(here, there, 1000), own, peer), "it is on another machine");
        assert!(!is_own("", own, peer));
        let v6 = "[::1]:80".parse().unwrap();
        assert_eq!(end(v6), "00000000000000000000000001000000:0050");
    }
}
