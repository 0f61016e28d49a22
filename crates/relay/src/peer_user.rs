//! Finds the user at the other end of a connection. On Linux, the kernel knows the user of every socket on this
//! machine.

#[cfg(target_os = "linux")]
mod sock_diag;
#[cfg(target_os = "linux")]
mod table;

#[cfg(target_os = "linux")]
use std::net::IpAddr;
use std::net::SocketAddr;

/// The owner of a connection's other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// The user who runs FRANZ, or root.
    Own,
    /// Another user, identified by their ID.
    Foreign(u32),
    /// Nobody: the process has closed the socket, or the socket is on another machine.
    Nobody,
    /// This system does not reveal the owner.
    Unknown,
}

impl Peer {
    /// Looks up the user who connected from `there` to our socket at `here`.
    #[cfg(target_os = "linux")]
    pub fn look_up(here: SocketAddr, there: SocketAddr) -> Peer {
        let (here, there) = (plain(here), plain(there));
        // Reading the whole table takes a hundred times as long. Use it only as a fallback for kernels without
        // `sock_diag`.
        let owner = sock_diag::owner(there, here).or_else(|_| table::owner(there, here));
        match owner {
            Ok(Some(user)) => Peer::of(user, rustix::process::geteuid().as_raw()),
            Ok(None) => Peer::Nobody,
            Err(error) => {
                tracing::warn!("cannot determine which user owns a connection ({error}); it counts as another user's");
                Peer::Nobody
            }
        }
    }

    /// Returns [`Peer::Unknown`], because only Linux reveals the owner.
    #[cfg(not(target_os = "linux"))]
    pub fn look_up(_here: SocketAddr, _there: SocketAddr) -> Peer {
        Peer::Unknown
    }

    #[cfg(target_os = "linux")]
    fn of(user: u32, own: u32) -> Peer {
        if user == 0 || user == own {
            Peer::Own
        } else {
            Peer::Foreign(user)
        }
    }
}

/// Converts an IPv4-mapped IPv6 address to IPv4.
#[cfg(target_os = "linux")]
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Converts an IPv4 address to an IPv4-mapped IPv6 address, as IPv6 sockets have for an IPv4 connection.
#[cfg(target_os = "linux")]
fn mapped(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    SocketAddr::new(ip.into(), address.port())
}

/// Checks whether a socket in this state has an owner that the kernel can name. In the kernel's tables, a closed socket
/// that is still sending or in time-wait appears to be owned by root, so it is excluded here.
#[cfg(target_os = "linux")]
fn is_owned(state: u8, inode: u32) -> bool {
    const ESTABLISHED: u8 = 1;
    const FIN_WAIT1: u8 = 4;
    const FIN_WAIT2: u8 = 5;
    const CLOSE_WAIT: u8 = 8;
    const LAST_ACK: u8 = 9;
    const CLOSING: u8 = 11;
    matches!(
        state,
        ESTABLISHED | FIN_WAIT1 | FIN_WAIT2 | CLOSE_WAIT | LAST_ACK | CLOSING
    ) && inode != 0
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
