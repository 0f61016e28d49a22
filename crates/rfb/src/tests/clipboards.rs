//! Tests the exchange of clipboard text with a server.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use proptest::prelude::*;

use super::{Script, client};
use crate::{ServerClipboard, VncClient};

const CAPABILITIES: u32 = 1 << 24;
const REQUEST: u32 = 1 << 25;
const PEEK: u32 = 1 << 26;
const NOTIFY: u32 = 1 << 27;
const PROVIDE: u32 = 1 << 28;
const TEXT: u32 = 1;

/// Returns a message of the server's extended clipboard.
fn extended(flags: u32, rest: &[u8]) -> Vec<u8> {
    let length = -(rest.len() as i32 + 4);
    [&[3, 0, 0, 0][..], &length.to_be_bytes(), &flags.to_be_bytes(), rest].concat()
}

fn latin(text: &[u8]) -> Vec<u8> {
    [&[3, 0, 0, 0][..], &(text.len() as u32).to_be_bytes(), text].concat()
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(plain).unwrap();
    packer.finish().unwrap()
}

fn provided(text: &[u8]) -> Vec<u8> {
    let plain = [&(text.len() as u32 + 1).to_be_bytes(), text, &[0]].concat();
    extended(PROVIDE | TEXT, &packed(&plain))
}

/// Returns the flags and the text of one of the client's messages.
fn unpacked(message: &[u8]) -> (u32, String) {
    let length = -(message.len() as i32 - 8);
    assert_eq!(message[..8], [&[6, 0, 0, 0], &length.to_be_bytes()[..]].concat());
    let flags = u32::from_be_bytes(message[8..12].try_into().unwrap());
    // The stream must not end, because some servers reject one that does.
    let (mut plain, mut stream) = (Vec::with_capacity(100), Decompress::new(true));
    let end = stream.decompress_vec(&message[12..], &mut plain, FlushDecompress::Sync);
    assert_eq!(end.unwrap(), Status::Ok);
    let (length, text) = plain.split_first_chunk().unwrap();
    assert_eq!(u32::from_be_bytes(*length) as usize, text.len());
    (flags, String::from_utf8(text.to_vec()).unwrap())
}

/// Returns the bytes that the client sends during `act`.
fn answers(client: &mut VncClient<Script>, act: impl FnOnce(&mut VncClient<Script>)) -> Vec<u8> {
    let before = client.connection().heard.len();
    act(client);
    client.connection().heard[before..].to_vec()
}

fn read(client: &mut VncClient<Script>) {
    assert_eq!(client.message().unwrap(), None);
}

/// Returns the same message, as the client sends it.
fn told(flags: u32, rest: &[u8]) -> Vec<u8> {
    let mut told = extended(flags, rest);
    told[0] = 6;
    told
}

#[test]
fn texts_are_read_as_far_as_they_are_told() {
    for (message, expected) in [
        (latin(b"Gr\xfc\xdfe"), ServerClipboard::Text("Grüße".to_owned())),
        (extended(NOTIFY | TEXT, &[]), ServerClipboard::Offered),
        (extended(NOTIFY, &[]), ServerClipboard::Empty),
        (extended(NOTIFY | 8, &[]), ServerClipboard::Empty),
        (
            provided("a\r\nprivet привет 😀".as_bytes()),
            ServerClipboard::Text("a\nprivet привет 😀".to_owned()),
        ),
        (
            extended(PROVIDE | TEXT, &packed(&[0xff, 0xff, 0xff, 0xff])),
            ServerClipboard::TooLong,
        ),
        (latin(&vec![b'a'; 17 << 20]), ServerClipboard::TooLong),
        (extended(1 << 30, &[]), ServerClipboard::Untold),
        (extended(PROVIDE | 2, &[]), ServerClipboard::Untold),
    ] {
        let mut client = client(1, 1, &[message]);
        assert_eq!(client.clipboard(), &ServerClipboard::Untold);
        read(&mut client);
        assert!(*client.clipboard() == expected, "{expected:?}");
    }
}

#[test]
fn a_server_that_takes_all_texts_is_told_so_and_fetches_them() {
    let capabilities = extended(
        CAPABILITIES | REQUEST | NOTIFY | PROVIDE | TEXT,
        &(1u32 << 20).to_be_bytes(),
    );
    let mut client = client(
        1,
        1,
        &[
            capabilities.clone(),
            capabilities,
            extended(PEEK, &[]),
            extended(REQUEST | TEXT, &[]),
            extended(REQUEST | TEXT, &[]),
            extended(PEEK, &[]),
            extended(NOTIFY | TEXT, &[]),
            extended(REQUEST | TEXT, &[]),
        ],
    );
    let all = CAPABILITIES | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT;
    assert!(!client.has_extended_clipboard());
    assert_eq!(answers(&mut client, read), told(all, &[0; 4]));
    assert!(client.has_extended_clipboard());
    assert_eq!(answers(&mut client, read), b"");
    assert_eq!(answers(&mut client, read), told(NOTIFY, &[]));
    assert_eq!(answers(&mut client, read), b"", "there is nothing to fetch");

    // Even a server that takes text unasked has to fetch it: the answer shows that the text has arrived.
    let long = answers(&mut client, |client| client.set_clipboard("long\nпривет").unwrap());
    assert_eq!(long, told(NOTIFY | TEXT, &[]));
    let (flags, text) = unpacked(&answers(&mut client, read));
    assert_eq!((flags, &text[..]), (PROVIDE | TEXT, "long\r\nпривет\0"));
    assert_eq!(client.fetched(), 1);
    assert_eq!(client.clipboard(), &ServerClipboard::Text("long\nпривет".to_owned()));
    assert_eq!(answers(&mut client, read), told(NOTIFY | TEXT, &[]));

    // Another program there has copied something.
    assert_eq!(answers(&mut client, read), b"");
    assert_eq!(client.clipboard(), &ServerClipboard::Offered);
    assert_eq!(answers(&mut client, read), b"");
}

#[test]
fn a_text_of_ours_stays_ours_when_the_server_tells_that_it_replaces_another() {
    let capabilities = extended(CAPABILITIES | NOTIFY | TEXT, &[0; 4]);
    let empty = extended(NOTIFY, &[]);
    let copied = extended(NOTIFY | TEXT, &[]);
    let asked = extended(REQUEST | TEXT, &[]);
    let mut client = client(1, 1, &[capabilities, copied, empty.clone(), asked, empty]);
    read(&mut client);
    read(&mut client);
    client.set_clipboard("ours").unwrap();
    read(&mut client);
    assert_eq!(client.clipboard(), &ServerClipboard::Text("ours".to_owned()));
    assert_ne!(answers(&mut client, read), b"");
    read(&mut client);
    assert_eq!(client.clipboard(), &ServerClipboard::Empty);
}

#[test]
fn a_server_that_tells_of_nothing_gets_latin_though_it_takes_more() {
    // x11vnc announces these capabilities.
    let capabilities = extended(
        CAPABILITIES | REQUEST | PEEK | PROVIDE | TEXT,
        &(1u32 << 20).to_be_bytes(),
    );
    let mut client = client(1, 1, &[capabilities]);
    assert_eq!(answers(&mut client, read), b"");
    assert!(!client.has_extended_clipboard());
    assert!(client.clipboard_takes('ü') && !client.clipboard_takes('п'));
    let sent = answers(&mut client, |client| client.set_clipboard("ü").unwrap());
    assert_eq!(sent, b"\x06\0\0\0\0\0\0\x01\xfc");
}

#[test]
fn wayvnc_exchanges_utf8() {
    let start = [
        b"RFB 003.008\n\x01\x01\0\0\0\0\0\x01\0\x01",
        &[0; 16][..],
        b"\0\0\0\x06WayVNC",
    ];
    let told = latin("привет".as_bytes());
    let mut client = super::enter([&start.concat()[..], &told].concat(), None).unwrap();
    read(&mut client);
    assert_eq!(client.clipboard(), &ServerClipboard::Text("привет".to_owned()));
    let sent = answers(&mut client, |client| client.set_clipboard("привет").unwrap());
    assert_eq!(sent[8..], *"привет".as_bytes());
}

#[test]
fn another_server_gets_latin() {
    let mut client = client(1, 1, &[]);
    let sent = answers(&mut client, |client| client.set_clipboard("Grüße").unwrap());
    assert_eq!(sent, b"\x06\0\0\0\0\0\0\x05Gr\xfc\xdfe");
}

#[test]
fn what_cannot_be_a_clipboard_is_the_end() {
    for (message, why) in [
        (vec![3, 0, 0, 0, 0x80, 0, 0, 0], "clipboard data that is too long"),
        (vec![3, 0, 0, 0, 0x7f, 0, 0, 0], "clipboard data that is too long"),
        (
            vec![3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0],
            "a clipboard message without flags",
        ),
        (
            extended(PROVIDE | TEXT, b"nothing"),
            "clipboard data that cannot be decompressed",
        ),
        (
            extended(PROVIDE | TEXT, &packed(b"\0\0\0\x09short")),
            "clipboard data that cannot be decompressed",
        ),
    ] {
        let error = client(1, 1, &[message]).message().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

proptest! {
    #[test]
    fn no_clipboard_breaks_the_client(flags: u32, rest: Vec<u8>) {
        let mut client = client(1, 1, &[extended(flags, &rest), extended(flags, &packed(&rest))]);
        client.set_clipboard("own").unwrap();
        while client.message().is_ok() {}
    }
}
