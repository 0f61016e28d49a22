//! Asks the kernel for one socket by its addresses, using `NETLINK_SOCK_DIAG`; see `sock_diag(7)`.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, recv, send, socket_with};

use super::{is_owned, mapped};

/// `SOCK_DIAG_BY_FAMILY`
const BY_FAMILY: u16 = 20;
/// `NLMSG_ERROR`
const ERROR: u16 = 2;
/// `NLM_F_REQUEST`
const REQUEST: u16 = 1;
const TCP: u8 = 6;
/// The length of the header before every message.
const HEADER: usize = 16;
/// `ENOENT`
const NO_ENTRY: i32 = 2;

/// Returns the user of the socket at `from` that is connected to `to`; `None` if there is no such socket or its process
/// has closed it.
pub(super) fn owner(from: SocketAddr, to: SocketAddr) -> io::Result<Option<u32>> {
    let kernel = SocketAddrNetlink::new(0, 0);
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )?;
    // Connect the socket so that only the kernel can answer.
    connect(&socket, &kernel)?;
    send(&socket, &request(from, to), SendFlags::empty())?;
    let mut answer = [0; 1024];
    // The answer is ready as soon as the kernel has accepted the request.
    let (read, _) = recv(&socket, &mut answer, RecvFlags::DONTWAIT)?;
    read_answer(answer.get(..read).unwrap_or_default(), from, to)
}

/// Builds `nlmsghdr` and `inet_diag_req_v2`.
fn request(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    const LENGTH: u32 = 72;
    let mut bytes = Vec::with_capacity(LENGTH as usize);
    bytes.extend(LENGTH.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    // The sender's sequence number and port.
    bytes.extend([0; 8]);
    bytes.extend([family(from), TCP, 0, 0]);
    // Match sockets in every state.
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(id(from, to));
    // Match any interface and any cookie.
    bytes.extend([0; 4]);
    bytes.extend([0xff; 8]);
    bytes
}

/// Reads an `inet_diag_msg`, or an error.
fn read_answer(answer: &[u8], from: SocketAddr, to: SocketAddr) -> io::Result<Option<u32>> {
    let number = |place: usize| {
        let bytes = answer.get(place..place + 4)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    let kind = answer
        .get(4..6)
        .and_then(|bytes| bytes.try_into().ok())
        .map(u16::from_ne_bytes);
    match kind {
        Some(ERROR) => match number(HEADER).map(|error| (error as i32).wrapping_neg()) {
            Some(NO_ENTRY) => Ok(None),
            Some(error) => Err(io::Error::from_raw_os_error(error)),
            None => Err(unreadable()),
        },
        Some(BY_FAMILY) => {
            let state = answer.get(HEADER + 1).ok_or_else(unreadable)?;
            let found = answer.get(HEADER + 4..HEADER + 40).ok_or_else(unreadable)?;
            let user = number(HEADER + 64).ok_or_else(unreadable)?;
            let inode = number(HEADER + 68).ok_or_else(unreadable)?;
            // If no socket is connected, the kernel might return the listening socket at that address.
            // A program can use an IPv6 socket for an IPv4 connection.
            let asked = found == id(from, to) || found == id(mapped(from), mapped(to));
            Ok((asked && is_owned(*state, inode)).then_some(user))
        }
        _ => Err(unreadable()),
    }
}

/// Lays out both ports and both addresses as in `inet_diag_sockid`.
fn id(from: SocketAddr, to: SocketAddr) -> [u8; 36] {
    let mut id = [0; 36];
    let (ports, addresses) = id.split_at_mut(4);
    let (first, second) = addresses.split_at_mut(16);
    ports[..2].copy_from_slice(&from.port().to_be_bytes());
    ports[2..].copy_from_slice(&to.port().to_be_bytes());
    for (place, end) in [(first, from), (second, to)] {
        match end.ip() {
            IpAddr::V4(ip) => place[..4].copy_from_slice(&ip.octets()),
            IpAddr::V6(ip) => place.copy_from_slice(&ip.octets()),
        }
    }
    id
}

fn family(address: SocketAddr) -> u8 {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    family.as_raw() as u8
}

fn unreadable() -> io::Error {
    io::Error::other("the kernel's answer cannot be read")
}
