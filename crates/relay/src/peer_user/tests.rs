//! Tests both ways of finding the owner of a socket.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

use proptest::prelude::*;

use super::{Peer, plain, sock_diag, table};

type Way = fn(SocketAddr, SocketAddr) -> io::Result<Option<u32>>;

const WAYS: [(&str, Way); 2] = [("sock_diag", sock_diag::owner), ("table", table::owner)];

/// Returns listeners with the addresses at which clients reach them.
fn listeners() -> impl Iterator<Item = (TcpListener, SocketAddr)> {
    let places = [
        ("127.0.0.1:0", "127.0.0.1"),
        ("[::1]:0", "::1"),
        // A dual-stack client, as Java and .NET use: its socket has mapped addresses.
        ("127.0.0.1:0", "::ffff:127.0.0.1"),
        // A dual-stack listener: an IPv4 connection to it has a mapped address.
        ("[::]:0", "127.0.0.1"),
    ];
    places.into_iter().filter_map(|(bound, reached)| {
        let listener = TcpListener::bind(bound)
            .inspect_err(|error| eprintln!("left out: {bound} cannot be listened on here ({error})"));
        let listener = listener.ok()?;
        let port = listener.local_addr().unwrap().port();
        Some((listener, SocketAddr::new(reached.parse().unwrap(), port)))
    })
}

#[test]
fn the_owner_of_a_connection_is_found_over_v4_v6_and_both() {
    for (listener, address) in listeners() {
        let client = TcpStream::connect(address).unwrap();
        let (server, there) = listener.accept().unwrap();
        let here = server.local_addr().unwrap();
        for (way, owner) in WAYS {
            let found = owner(plain(there), plain(here)).unwrap();
            assert_eq!(found, Some(rustix::process::geteuid().as_raw()), "{way} {here}");
        }
        assert_eq!(Peer::look_up(here, there), Peer::Own, "{here}");
        drop(client);
    }
}

#[test]
fn a_closed_socket_has_no_owner() {
    for (listener, address) in listeners() {
        let client = TcpStream::connect(address).unwrap();
        let (server, there) = listener.accept().unwrap();
        let here = server.local_addr().unwrap();
        drop(client);
        for (way, owner) in WAYS {
            assert_eq!(owner(plain(there), plain(here)).unwrap(), None, "{way} {here}");
        }
        assert_eq!(Peer::look_up(here, there), Peer::Nobody, "{here}");
    }
}

#[test]
fn a_listening_socket_is_not_a_peer() {
    for (listener, address) in listeners() {
        let other = SocketAddr::new(address.ip(), 1);
        for (way, owner) in WAYS {
            assert_eq!(owner(address, other).unwrap(), None, "{way}");
        }
        drop(listener);
    }
}

#[test]
fn root_is_admitted_and_other_users_are_not() {
    assert_eq!(Peer::of(1000, 1000), Peer::Own);
    assert_eq!(Peer::of(0, 1000), Peer::Own);
    assert_eq!(Peer::of(1001, 1000), Peer::Foreign(1001));
    assert_eq!(Peer::of(1000, 0), Peer::Foreign(1000));
}

/// Formats a line of the table the way the kernel does.
fn line(from: SocketAddr, to: SocketAddr, state: u8, user: u32, inode: u32) -> String {
    format!(
        "   5: {} {} {state:02X} 00000000:00000000 00:00000000 00000000 {user:>5}        0 {inode} 1 0000000000000000 20 4 30 10 -1\n",
        table::end(from),
        table::end(to),
    )
}

fn address() -> impl Strategy<Value = SocketAddr> {
    let v4 = any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits)));
    let v6 = any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)));
    (prop_oneof![v4, v6], any::<u16>()).prop_map(|(ip, port)| SocketAddr::new(ip, port))
}

proptest! {
    #[test]
    fn the_table_names_the_owner_of_exactly_this_connection(
        lines in prop::collection::vec((address(), address(), 1..13_u8, any::<u32>(), 0..3_u32), 1..40),
        chosen in any::<prop::sample::Index>(),
    ) {
        let mut table = "  sl  local_address rem_address   st ...\n".to_owned();
        for (from, to, state, user, inode) in &lines {
            table.push_str(&line(*from, *to, *state, *user, *inode));
        }
        let (from, to, ..) = lines[chosen.index(lines.len())];
        let expected = lines.iter().find_map(|(one, other, state, user, inode)| {
            let live = [1, 4, 5, 8, 9, 11].contains(state) && *inode > 0;
            (live && (*one, *other) == (from, to)).then_some(*user)
        });
        prop_assert_eq!(table::find(&table, from, to), expected);
        // With its two ends swapped, the same line describes another socket.
        let turned = lines.iter().any(|(one, other, ..)| (*one, *other) == (to, from));
        prop_assert!(turned || table::find(&table, to, from).is_none());
    }

    #[test]
    fn no_table_is_misread(table in ".{0,400}", from in address(), to in address()) {
        prop_assert_eq!(table::find(&table, from, to), None);
    }
}

#[cfg(target_endian = "little")]
#[test]
fn addresses_are_written_as_the_kernel_writes_them() {
    let ends = [
        ("127.0.0.1:7878", "0100007F:1EC6"),
        ("[::1]:80", "00000000000000000000000001000000:0050"),
        ("[::ffff:127.0.0.1]:80", "0000000000000000FFFF00000100007F:0050"),
    ];
    for (address, written) in ends {
        assert_eq!(table::end(address.parse().unwrap()), written);
    }
}
