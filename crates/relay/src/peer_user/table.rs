//! Finds a socket in the tables of `/proc/net`, for kernels that do not support looking up a single socket.

use std::io;
use std::net::{IpAddr, SocketAddr};

use super::{is_owned, mapped};

/// Returns the user of the socket at `from` that is connected to `to`; `None` if there is no such socket or its process
/// has closed it.
#[expect(clippy::disallowed_methods, reason = "it is a file of the kernel")]
pub(super) fn owner(from: SocketAddr, to: SocketAddr) -> io::Result<Option<u32>> {
    if from.is_ipv4() {
        let table = std::fs::read_to_string("/proc/net/tcp")?;
        if let Some(user) = find(&table, from, to) {
            return Ok(Some(user));
        }
    }
    // A program can use an IPv6 socket for an IPv4 connection, and a kernel might not support IPv6 at all.
    match std::fs::read_to_string("/proc/net/tcp6") {
        Ok(table) => Ok(find(&table, mapped(from), mapped(to))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Finds the user in the line for this connection.
pub(super) fn find(table: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    let (from, to) = (end(from), end(to));
    table.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        if fields.next() != Some(&from) || fields.next() != Some(&to) {
            return None;
        }
        let state = u8::from_str_radix(fields.next()?, 16).ok()?;
        // The user follows the queues, the timer and the retransmissions.
        let user = fields.nth(3)?.parse().ok()?;
        let inode = fields.nth(1)?.parse().ok()?;
        is_owned(state, inode).then_some(user)
    })
}

/// Formats an address the way the table does: each group of four bytes as one native-endian number, in hexadecimal
/// digits.
pub(super) fn end(address: SocketAddr) -> String {
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
