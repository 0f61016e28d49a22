//! Tests the handshake.

use proptest::prelude::*;

use super::{enter, entrance, start};

/// Returns everything that a server of this version sends if it requires a password. Its challenge is sixteen zeros.
fn with_password(version: &[u8; 12], after: &[u8]) -> Vec<u8> {
    let choice: &[u8] = if version == b"RFB 003.003\n" {
        &[0, 0, 0, 2]
    } else {
        &[2, 1, 2]
    };
    [version, choice, &[0; 16], after].concat()
}

#[test]
fn every_version_lets_the_client_in() {
    let start = start(3, 2);
    let old = [b"RFB 003.003\n\0\0\0\x01", &start[..]].concat();
    let seven = [b"RFB 003.007\n\x01\x01", &start[..]].concat();
    let apple = [b"RFB 003.889\n\x02\x1e\x01\0\0\0\0", &start[..]].concat();
    for (says, answer) in [
        (old, &b"RFB 003.003\n\x01"[..]),
        (seven, b"RFB 003.007\n\x01\x01"),
        (entrance(3, 2), b"RFB 003.008\n\x01\x01"),
        (apple, b"RFB 003.008\n\x01\x01"),
    ] {
        let client = enter(says, None).unwrap();
        assert!(client.connection().heard.starts_with(answer));
        assert_eq!(client.name(), "name");
        assert_eq!((client.screen().width(), client.screen().height()), (3, 2));
    }
}

#[test]
fn a_password_is_answered_as_the_protocol_says() {
    // A block of zeros, encrypted by OpenSSL with DES. The key is "secret12" with the bits of each byte reversed.
    let expected: [u8; 8] = EXPECTED;
    for version in [b"RFB 003.003\n", b"RFB 003.007\n", b"RFB 003.008\n"] {
        let says = with_password(version, &[&[0; 4][..], &start(1, 1)].concat());
        let client = enter(says, Some("secret12")).unwrap();
        let answer = [&expected[..], &expected].concat();
        let heard = &client.connection().heard;
        assert!(heard.windows(16).any(|part| part == answer), "{heard:?}");
    }
}

/// The answer to a challenge of zeros.
const EXPECTED: [u8; 8] = [0x40, 0x37, 0x73, 0x08, 0xe2, 0x05, 0xe6, 0x22];

#[test]
fn whoever_is_not_let_in_learns_why() {
    let refusal = |reason: &str| [&(reason.len() as u32).to_be_bytes()[..], reason.as_bytes()].concat();
    let no_more = [b"RFB 003.008\n\0", &refusal("Too many security failures")[..]].concat();
    let wrong = with_password(
        b"RFB 003.008\n",
        &[&[0, 0, 0, 1][..], &refusal("Authentication failed")].concat(),
    );
    let wrong_of_old = with_password(b"RFB 003.003\n", &[0, 0, 0, 1]);
    let shy = [b"RFB 003.003\n\0\0\0\0", &refusal("no\u{1b}pe\n")[..]].concat();
    for (says, password, why) in [
        (
            b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(),
            None,
            "it answered \"SSH-2.0-Open\"",
        ),
        (b"RFB 002.001\n".to_vec(), None, "it answered \"RFB 002.001\""),
        (b"RFB 0".to_vec(), None, "closed the connection"),
        (Vec::new(), None, "closed the connection"),
        (b"RFB 003.008\n\x01\x02".to_vec(), None, "asks for a password"),
        (b"RFB 003.003\n\0\0\0\x02".to_vec(), None, "asks for a password"),
        (
            b"RFB 003.008\n\x02\x13\x63".to_vec(),
            Some("a"),
            "only VeNCrypt, type 99",
        ),
        (no_more, None, "Too many security failures"),
        (
            wrong,
            Some("secret12"),
            "does not accept the password: Authentication failed",
        ),
        (
            wrong_of_old,
            Some("secret12"),
            "does not accept the password: it answered 1",
        ),
        (shy, None, "refused the connection: no pe"),
        (entrance(0, 5), None, "an empty screen"),
        (entrance(65_535, 65_535), None, "of more than 7680x4320 pixels"),
    ] {
        let error = enter(says.clone(), password).err().unwrap().to_string();
        assert!(error.contains(why), "{says:?}: {error}");
        assert!(!error.contains("secret12"), "{error}");
    }
}

proptest! {
    #[test]
    fn no_bytes_break_the_way_in(says: Vec<u8>, password: bool) {
        let _ = enter([&b"RFB 003.008\n"[..], &says].concat(), password.then_some("secret12"));
        let _ = enter(says, None);
    }
}
