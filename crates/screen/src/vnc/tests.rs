//! Tests with scripted servers.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use franz_frame::{Area, Frame, PixelFormat};
use franz_rfb::{VncAddress, VncClient, VncPassword};

use super::connection::connect;
use super::remote_display::RemoteDisplay;
use super::{RemoteKeyboard, VncServer};
use crate::desktop::{Display, DisplayError};

/// How long a stop may take on a busy machine. Whatever it ends would take at least 10 s.
const STOP: Duration = Duration::from_secs(5);

/// The bytes that a server without a password sends at the start. Its screen has 2x2 pixels.
const ENTRANCE: &[u8] = b"RFB 003.008\n\x01\x01\0\0\0\0\0\x02\0\x02................\0\0\0\x04name";

/// What a server does after it has sent everything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Listens,
    /// Sends the rest once it has received this many bytes, then only listens.
    AnswersAfter(usize, &'static [u8]),
    /// Sends the rest once it has received this many bytes, then closes the connection.
    HangsUpAfter(usize, &'static [u8]),
    /// Rings the bell without end.
    Rings,
}

/// How many bytes a client has sent by the time it waits for its first picture.
const UP_TO_FIRST_PICTURE: usize = 12 + 1 + 1 + 20 + 40 + 10;

fn listening(listener: &TcpListener) -> VncServer {
    VncServer::at(VncAddress {
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
    })
}

/// Starts a server that accepts one client and sends it all of this immediately.
fn saying(says: &[u8], then: Then) -> VncServer {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listening(&listener);
    let says = says.to_vec();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.write_all(&says).unwrap();
        if let Then::AnswersAfter(bytes, rest) | Then::HangsUpAfter(bytes, rest) = then {
            let heard = client.read_exact(&mut vec![0; bytes]);
            let _ = heard.and_then(|()| client.write_all(rest));
        }
        while then == Then::Rings && client.write_all(&[2; 64]).is_ok() {}
        if !matches!(then, Then::HangsUpAfter(..)) {
            let _ = client.read_to_end(&mut Vec::new());
        }
    });
    server
}

fn open(server: &VncServer) -> Result<Box<dyn Display>, DisplayError> {
    server.open(Arc::new(|| false))
}

fn capture(display: &mut dyn Display) -> Result<Frame, DisplayError> {
    let mut frame = Frame::black(2, 2, PixelFormat::Bgrx8).unwrap();
    display.capture(Area::whole(2, 2), &mut frame).map(|_| frame)
}

#[test]
fn whoever_is_no_server_for_us_is_named_with_what_to_do() {
    let nobody = listening(&TcpListener::bind("127.0.0.1:0").unwrap());
    let refusal = b"RFB 003.008\n\0\0\0\0\x1aToo many security failures";
    let wrong = [b"RFB 003.008\n\x01\x02", &[0; 16][..], b"\0\0\0\x01\0\0\0\x02no"].concat();
    let huge = [b"RFB 003.008\n\x01\x01\0\0\0\0\xff\xff\xff\xff", &[0; 16][..], &[0; 4]].concat();
    let listens = |says: &[u8]| saying(says, Then::Listens);
    for (server, why) in [
        (
            nobody,
            "start the VNC server there, or name its port: vnc://127.0.0.1:PORT",
        ),
        (
            listens(b"SSH-2.0-OpenSSH_9.2\r\n"),
            "it answered \"SSH-2.0-Open\"; check the host and port",
        ),
        (listens(refusal), "(Too many security failures); check its settings"),
        (
            listens(b"RFB 003.008\n\x01\x13"),
            "offers only VeNCrypt, which FRANZ does not support",
        ),
        (
            listens(&wrong),
            "does not accept the password (no); check FRANZ_VNC_PASSWORD",
        ),
        (listens(&huge), "violated the VNC protocol"),
        (
            saying(b"", Then::HangsUpAfter(0, b"")),
            "closed the connection); check the host and port",
        ),
    ] {
        let server = VncServer {
            password: VncPassword::new("secret12"),
            ..server
        };
        let error = open(&server).err().unwrap();
        assert!(error.to_string().contains(why), "{error}");
        assert!(!error.to_string().contains("secret12") && !error.is_lost(), "{error}");
    }
    let asking = open(&listens(b"RFB 003.008\n\x01\x02")).err().unwrap();
    assert!(matches!(asking, DisplayError::PasswordWanted(_)), "{asking}");
}

#[test]
fn nothing_goes_to_another_machine_unless_it_is_allowed() {
    // An address reserved for documentation, where nobody answers.
    let server = VncServer::at("vnc://192.0.2.1".parse().unwrap());
    let error = open(&server).err().unwrap().to_string();
    assert!(error.contains("ssh -L 5901:localhost:5900 192.0.2.1"), "{error}");
    assert!(error.contains("--unencrypted"), "{error}");
}

#[test]
fn a_stop_is_not_held_up_by_a_server_that_says_nothing_or_never_stops() {
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let began = Instant::now();
    is_over.store(true, Ordering::Relaxed);
    let silent = saying(b"", Then::Listens);
    assert!(silent.open(Arc::new(move || over.load(Ordering::Relaxed))).is_err());
    assert!(began.elapsed() < STOP, "{:?}", began.elapsed());

    for then in [Then::Listens, Then::Rings] {
        is_over.store(false, Ordering::Relaxed);
        let over = Arc::clone(&is_over);
        let server = saying(ENTRANCE, then);
        let mut display = server.open(Arc::new(move || over.load(Ordering::Relaxed))).unwrap();
        is_over.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let error = capture(&mut *display).unwrap_err();
        assert!(
            error.is_lost() && error.to_string().contains("the run is over"),
            "{error}"
        );
        assert!(began.elapsed() < STOP, "{:?}", began.elapsed());
    }
}

/// Two updates that each draw a whole screen of 2x2 pixels.
const UPDATES: &[u8] = b"\0\0\0\x01\0\0\0\0\0\x02\0\x02\0\0\0\0................\
    \0\0\0\x01\0\0\0\0\0\x02\0\x02\0\0\0\0................";

#[test]
fn pixels_that_arrive_extend_the_wait_for_a_picture() {
    let server = saying(ENTRANCE, Then::AnswersAfter(UP_TO_FIRST_PICTURE, UPDATES));
    let (stream, peer) = connect(&server, Arc::new(|| false)).unwrap();
    let client = VncClient::connect(stream, None).unwrap();
    let mut display = RemoteDisplay::new(client, server, peer);
    let soon = Instant::now() + STOP;
    display.client.connection_mut().wait_until(soon);
    display.refresh().unwrap();
    assert!(display.client.connection().deadline > soon);
    // While FRANZ does not wait for a picture, pixels extend nothing.
    display.client.connection_mut().wait_until(soon);
    display.client.update().unwrap();
    assert_eq!(display.client.connection().deadline, soon);

    let now = Instant::now();
    for (arrived, why) in [(false, "never stops sending"), (true, "make the screen there smaller")] {
        let stream = display.client.connection_mut();
        stream.wait_until(now);
        stream.wait_for_picture_until(now);
        if arrived {
            stream.pixels_arrived();
        }
        let error = display.client.update().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_connection_that_ends_is_lost_for_good() {
    let update = b"\0\0\0\x01\0\0\0\0\0\x02\0\x02\0\0\0\0................";
    let server = saying(ENTRANCE, Then::HangsUpAfter(UP_TO_FIRST_PICTURE, update));
    let mut display = open(&server).unwrap();
    assert_eq!(capture(&mut *display).unwrap().data()[..4], *b"...\0");
    for _ in 0..2 {
        let error = capture(&mut *display).unwrap_err();
        assert!(error.is_lost() && !error.is_violation(), "{error}");
    }
    assert!(display.move_to(1, 1).unwrap_err().is_lost());
}

#[test]
fn a_screen_that_grows_during_a_capture_gives_no_part_of_itself() {
    // The new size, and then a picture of that size.
    let grown = b"\0\0\0\x01\0\0\0\0\0\x03\0\x03\xff\xff\xff\x21\
        \0\0\0\x01\0\0\0\0\0\x03\0\x03\0\0\0\0....................................";
    let mut display = open(&saying(ENTRANCE, Then::AnswersAfter(UP_TO_FIRST_PICTURE, grown))).unwrap();
    assert_eq!(display.monitors().unwrap()[0].area, Area::whole(2, 2));
    let error = capture(&mut *display).unwrap_err();
    assert!(
        !error.is_lost() && error.to_string().contains("the screen changed size"),
        "{error}"
    );
    assert_eq!(display.monitors().unwrap()[0].area, Area::whole(3, 3));
}

#[test]
fn a_server_that_lies_is_lost() {
    let beyond = b"\0\0\0\x01\0\x01\0\0\0\x02\0\x02\0\0\0\0";
    let mut display = open(&saying(&[ENTRANCE, beyond].concat(), Then::Listens)).unwrap();
    // Later calls give the same reason.
    for _ in 0..2 {
        let error = capture(&mut *display).unwrap_err();
        assert!(error.is_lost() && error.is_violation(), "{error}");
        let why = "taking a picture failed (the VNC server violated the protocol: it sent a rectangle outside the screen; \
                   update the server)";
        assert!(error.to_string().contains(why), "{error}");
    }
}

/// Starts a server that gives its screen this name.
fn calling_itself(name: &[u8]) -> VncServer {
    let start = &ENTRANCE[..ENTRANCE.len() - 8];
    let says = [start, &(name.len() as u32).to_be_bytes(), name].concat();
    saying(&says, Then::Listens)
}

#[test]
fn no_text_is_typed_faster_than_qemu_takes_it() {
    let mut display = open(&calling_itself(b"QEMU (guest)")).unwrap();
    let began = Instant::now();
    display.type_text("aB!", &mut |_| true).unwrap();
    assert!(
        began.elapsed() >= Duration::from_millis(20 + 40 + 40),
        "{:?}",
        began.elapsed()
    );
    // Interrupted typing does not wait for the rest of the text.
    let began = Instant::now();
    display
        .type_text(&"!".repeat(1_000), &mut |typed| typed.is_some())
        .unwrap();
    assert!(began.elapsed() < STOP, "{:?}", began.elapsed());
}

#[test]
fn what_a_layout_lacks_is_named() {
    let named = |name: &[u8], keyboard| {
        let server = VncServer {
            keyboard,
            ..calling_itself(name)
        };
        open(&server).unwrap().lacks("Grüße 日本 €\n\t!~ü\u{7}").unwrap()
    };
    let any = ['\u{7}'];
    let us = ['ü', 'ß', '日', '本', '€', '\u{7}'];
    assert_eq!(named(b"x11", RemoteKeyboard::Auto), any);
    assert_eq!(named(b"QEMU (guest)", RemoteKeyboard::Auto), us);
    assert_eq!(named(b"WayVNC", RemoteKeyboard::Auto), us);
    assert_eq!(named(b"QEMU", RemoteKeyboard::Any), any);
    assert_eq!(named(b"x11", RemoteKeyboard::Us), us);
}

/// An update that draws a whole screen of 2x2 pixels.
const UPDATE: &[u8] = b"\0\0\0\x01\0\0\0\0\0\x02\0\x02\0\0\0\0................";

#[test]
fn a_clipboard_of_latin_says_what_it_lacks_and_what_it_has_not_told() {
    let told = || open(&saying(ENTRANCE, Then::HangsUpAfter(UP_TO_FIRST_PICTURE, UPDATE))).unwrap();
    let error = told().clipboard().unwrap_err();
    assert!(error.to_string().contains("has not sent its clipboard"), "{error}");
    let error = told().set_clipboard("Grüße, привет €").unwrap_err();
    assert!(
        error.to_string().contains("accepts only Latin-1, which lacks привет€"),
        "{error}"
    );

    let copied = b"\x03\0\0\0\0\0\0\x05Gr\xfc\xdfe\0\0\0\x01\0\0\0\0\0\x02\0\x02\0\0\0\0................";
    let mut display = open(&saying(ENTRANCE, Then::HangsUpAfter(UP_TO_FIRST_PICTURE, copied))).unwrap();
    assert_eq!(display.clipboard().unwrap().as_deref(), Some("Grüße"));
}

#[test]
fn a_server_has_one_agent() {
    let locks = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = VncServer {
        locks: locks.path().to_owned(),
        ..listening(&listener)
    };
    std::thread::spawn(move || {
        let mut clients = Vec::new();
        for client in listener.incoming() {
            let mut client = client.unwrap();
            client.write_all(ENTRANCE).unwrap();
            clients.push(client);
        }
    });
    let mut first = open(&server).unwrap();
    first.claim().unwrap();
    first.claim().unwrap();
    let mut second = open(&server).unwrap();
    let error = second.claim().unwrap_err();
    assert!(matches!(error, DisplayError::Refused(_)), "{error}");
    assert!(
        error.to_string().contains("another FRANZ is using vnc://127.0.0.1:"),
        "{error}"
    );
    drop(first);
    second.claim().unwrap();
}
