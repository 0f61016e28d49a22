//! Tests how FRANZ responds to a scripted peer in place of a browser.

use std::io::{BufRead, BufReader, PipeReader, Write as _, pipe};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base64_simd::STANDARD;
use franz_frame::{Area, Color, Frame, PixelFormat, png};
use serde_json::{Value, json};

use super::connection::{Connection, Unanswered};
use super::message::Command;
use super::page_display::PageDisplay;
use super::tabs::{Tabs, Viewport};
use crate::desktop::{Display, DisplayError, Press};
use crate::window::WindowId;

const VIEWPORT: Viewport = Viewport {
    width: 40,
    height: 30,
    scale: 1.0,
};

const SOON: Duration = Duration::from_secs(10);

/// The peer's ends of the pipes.
struct Peer {
    hears: BufReader<PipeReader>,
    /// Messages that a separate thread writes, because writing to a full pipe would block the script.
    says: Sender<Vec<u8>>,
}

impl Peer {
    /// Reads the next command; returns `None` once the other end is closed.
    fn hear(&mut self) -> Option<Value> {
        let mut bytes = Vec::new();
        self.hears.read_until(0, &mut bytes).unwrap();
        bytes.pop()?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    fn say(&mut self, text: &str) {
        let _ = self.says.send(format!("{text}\0").into_bytes());
    }

    fn event(&mut self, session: Option<&str>, method: &str, params: impl Into<Value>) {
        let mut event = json!({ "method": method, "params": params.into() });
        if let Some(session) = session {
            event["sessionId"] = session.into();
        }
        self.say(&event.to_string());
    }

    fn open_page(&mut self, name: &str) {
        let info = json!({ "targetId": name, "type": "page", "title": name, "url": "about:blank" });
        self.event(
            None,
            "Target.attachedToTarget",
            json!({ "sessionId": name, "targetInfo": info }),
        );
    }
}

/// Runs a script against a connection.
fn with_peer(script: impl FnOnce(Peer) + Send + 'static) -> (Connection, JoinHandle<()>) {
    let ((there, says), (hears, mut back)) = (pipe().unwrap(), pipe().unwrap());
    let connection = Connection::over(hears, says, Tabs::none(VIEWPORT)).unwrap();
    let peer = Peer {
        hears: BufReader::new(there),
        says: {
            let (says, said) = channel::<Vec<u8>>();
            std::thread::spawn(move || said.into_iter().try_for_each(|bytes| back.write_all(&bytes)));
            says
        },
    };
    (connection, std::thread::spawn(move || script(peer)))
}

/// Answers every command with this function's result; `None` means no answer.
fn answering(mut peer: Peer, mut answer: impl FnMut(&mut Peer, &Value) -> Option<Value>) {
    while let Some(command) = peer.hear() {
        if let Some(result) = answer(&mut peer, &command) {
            peer.say(&json!({ "id": command["id"], "result": result }).to_string());
        }
    }
}

fn version() -> Command {
    Command::to_browser("Browser.getVersion", json!({}))
}

#[test]
fn what_is_no_message_ends_the_connection() {
    for (said, why) in [
        ("{\"id\":1,\"resu\0", "that FRANZ cannot read"),
        ("[1]\0", "that FRANZ cannot read"),
        ("{\"id\":1", "in the middle of a message"),
        ("", "has ended"),
    ] {
        let (connection, script) = with_peer(move |mut peer| {
            peer.hear();
            peer.says.send(said.into()).unwrap();
        });
        let Err(Unanswered::Gone(gone)) = connection.ask(&version(), SOON) else {
            panic!("{said:?} was taken for an answer");
        };
        assert!(gone.contains(why), "{said:?}: {gone}");
        let again = connection.check(SOON).unwrap_err().while_doing("asking");
        assert!(again.is_lost(), "{again}");
        script.join().unwrap();
    }
}

#[test]
fn what_is_unknown_is_passed_over() {
    let (connection, _script) = with_peer(|peer| {
        answering(peer, |peer, command| {
            peer.say("{}");
            peer.say("{\"id\":999,\"result\":{}}");
            peer.say("{\"id\":null,\"method\":null}");
            peer.event(Some("nobody"), "Page.javascriptDialogOpening", json!({ "type": 7 }));
            peer.event(None, "Target.attachedToTarget", json!(3));
            peer.event(None, "Nothing.known", json!([]));
            (command["method"] == "Browser.getVersion").then(|| json!({ "product": "x" }))
        });
    });
    assert_eq!(connection.ask(&version(), SOON).unwrap()["product"], "x");
    assert!(connection.with_tabs(|tabs| tabs.front().is_none()));
}

#[test]
fn a_refusal_and_silence_are_told_apart() {
    let (connection, _script) = with_peer(|mut peer| {
        let command = peer.hear().unwrap();
        peer.say(&json!({ "id": command["id"], "error": { "code": -1, "message": "no" } }).to_string());
        while peer.hear().is_some() {}
    });
    let refused = connection.ask(&version(), SOON).unwrap_err();
    assert!(
        matches!(&refused, Unanswered::Refused(why) if why == "no"),
        "{refused:?}"
    );
    let late = connection.ask(&version(), Duration::from_millis(20)).unwrap_err();
    assert!(matches!(late, Unanswered::Late));
    let gone = connection.check(Duration::from_millis(20)).unwrap_err();
    assert!(gone.while_doing("asking").is_lost());
}

#[test]
fn what_a_page_keeps_from_happening_says_what_to_do() {
    for (unanswered, advice) in [
        (Unanswered::InDialog, "answer it first, with enter, esc or a click"),
        (Unanswered::Late, "in time while reloading; wait, then try again"),
    ] {
        let error = unanswered.while_doing("reloading");
        assert!(!error.is_lost() && error.to_string().contains(advice), "{error}");
    }
}

#[test]
fn nobody_waits_for_a_browser_when_the_run_is_over() {
    let (connection, _script) = with_peer(|mut peer| while peer.hear().is_some() {});
    connection.until(std::sync::Arc::new(|| true));
    let began = Instant::now();
    assert!(connection.ask(&version(), SOON).is_err());
    assert!(began.elapsed() < SOON / 2, "{:?}", began.elapsed());
}

/// Returns a picture of this size, as a page sends it.
fn picture(width: u32, height: u32) -> Value {
    let frame = Frame::new(width, height, PixelFormat::Rgb8, vec![9; (width * height * 3) as usize]).unwrap();
    json!({ "data": STANDARD.encode_to_string(png::encode(&frame).unwrap()) })
}

/// Returns a display whose page sends these pictures.
fn display_of(pictures: Vec<Value>) -> PageDisplay {
    let (connection, _script) = with_peer(move |mut peer| {
        peer.open_page("a");
        let mut pictures = pictures.into_iter();
        answering(peer, |_, command| match command["method"].as_str().unwrap() {
            "Page.captureScreenshot" => pictures.next(),
            _ => Some(json!({})),
        });
    });
    PageDisplay::new(connection, "x".to_owned(), VIEWPORT)
}

#[test]
fn a_picture_that_lies_is_refused() {
    for (lie, why) in [
        (picture(41, 30), None),
        (picture(39, 31), None),
        (picture(80, 60), Some("80x60 pixels instead of 40x30")),
        (picture(1, 1), Some("1x1 pixels instead of 40x30")),
        (json!({ "data": "no base64!" }), Some("Base64")),
        (json!({ "data": "AAAA" }), Some("PNG")),
        (json!({}), Some("PNG")),
    ] {
        let mut display = display_of(vec![lie, picture(40, 30)]);
        let mut frame = Frame::black(40, 30, PixelFormat::Bgrx8).unwrap();
        let captured = display.capture(Area::whole(40, 30), &mut frame);
        match (captured, why) {
            (Ok(changed), None) => {
                assert!(changed.is_some());
                assert_eq!(frame.color(20, 20), Some(Color::rgb(9, 9, 9)));
            }
            (Err(error @ DisplayError::Failed { .. }), Some(why)) => {
                assert!(error.to_string().contains(why), "{error}");
                assert!(display.capture(Area::whole(40, 30), &mut frame).unwrap().is_some());
            }
            (other, _) => panic!("{other:?} {why:?}"),
        }
    }
}

#[test]
fn pages_come_go_and_wait_in_dialogs() {
    let (connection, _script) = with_peer(|mut peer| {
        for name in ["a", "b", "c"] {
            peer.open_page(name);
        }
        let dialog = json!({ "type": "confirm", "message": "Sure?" });
        peer.event(Some("b"), "Page.javascriptDialogOpening", dialog);
        peer.event(None, "Target.detachedFromTarget", json!({ "sessionId": "c" }));
        answering(peer, |_, command| {
            (command["method"] != "Page.captureScreenshot").then(|| json!({}))
        });
    });
    assert!(connection.wait_for_tabs(SOON, |tabs| {
        tabs.front_first().map(super::tabs::Tab::name).eq(["b", "a"]) && tabs.is_in_dialog("b")
    }));
    let mut display = PageDisplay::new(connection, "x".to_owned(), VIEWPORT);
    let titles: Vec<_> = display
        .windows()
        .unwrap()
        .unwrap()
        .into_iter()
        .map(|window| window.title)
        .collect();
    assert_eq!(titles, ["confirm: Sure?", "b", "a"]);
    let mut frame = Frame::black(40, 30, PixelFormat::Bgrx8).unwrap();
    assert!(display.capture(Area::whole(40, 30), &mut frame).unwrap().is_some());
    display.button(franz_action::Button::Left, Press::Down).unwrap();
    assert_eq!(display.held().unwrap().unwrap(), ["left button"]);
    assert_eq!(display.release().unwrap().unwrap(), ["left button"]);
    assert!(display.held().unwrap().unwrap().is_empty());
    assert!(!display.focus(WindowId(99)).unwrap());
    assert!(display.focus(WindowId(1)).unwrap());
    assert_eq!(display.windows().unwrap().unwrap()[0].title, "a");
}

#[test]
fn a_page_that_closes_while_its_picture_is_taken_gives_way_to_the_next() {
    let (connection, _script) = with_peer(|mut peer| {
        for name in ["a", "b"] {
            peer.open_page(name);
        }
        answering(peer, |peer, command| {
            let is_picture = command["method"] == "Page.captureScreenshot";
            if is_picture && command["sessionId"] == "b" {
                peer.event(None, "Target.detachedFromTarget", json!({ "sessionId": "b" }));
                return None;
            }
            Some(if is_picture { picture(40, 30) } else { json!({}) })
        });
    });
    assert!(connection.wait_for_tabs(SOON, |tabs| tabs.front().is_some_and(|tab| tab.name() == "b")));
    let mut display = PageDisplay::new(connection, "x".to_owned(), VIEWPORT);
    let mut frame = Frame::black(40, 30, PixelFormat::Bgrx8).unwrap();
    display.capture(Area::whole(40, 30), &mut frame).unwrap();
    assert_eq!(frame.color(20, 20), Some(Color::rgb(9, 9, 9)));
}

#[test]
fn a_refused_picture_is_not_asked_for_again_when_the_run_is_over() {
    let (connection, script) = with_peer(|mut peer| {
        peer.open_page("a");
        let mut asked = 0;
        while let Some(command) = peer.hear() {
            asked += u32::from(command["method"] == "Page.captureScreenshot");
            peer.say(&json!({ "id": command["id"], "error": { "message": "no" } }).to_string());
        }
        assert_eq!(asked, 1);
    });
    assert!(connection.wait_for_tabs(SOON, |tabs| tabs.front().is_some()));
    connection.until(std::sync::Arc::new(|| true));
    let mut display = PageDisplay::new(connection.clone(), "x".to_owned(), VIEWPORT);
    let mut frame = Frame::black(40, 30, PixelFormat::Bgrx8).unwrap();
    // On a busy machine, the refusal itself can come too late.
    let _ = display.capture(Area::whole(40, 30), &mut frame);
    connection.hang_up();
    script.join().unwrap();
}

#[test]
fn a_browser_that_reads_nothing_does_not_hold_up_what_is_sent_to_it() {
    let (done, waits) = channel::<()>();
    let (connection, script) = with_peer(move |peer| {
        let _ = waits.recv();
        drop(peer);
    });
    connection.until(std::sync::Arc::new(|| true));
    let text = "x".repeat(1000);
    let mut sent = (0..10_000).map(|_| connection.input("a", "Input.insertText", json!({ "text": text })));
    let refused = sent.find_map(Result::err).unwrap().while_doing("typing");
    assert!(
        refused.is_lost() && refused.to_string().contains("not responding"),
        "{refused}"
    );
    connection.hang_up();
    drop(done);
    script.join().unwrap();
}

/// Not on Windows: a pipe holds only 4 KB there, and a peer that writes this much at once hangs under Wine.
#[cfg(not(windows))]
#[test]
fn there_is_always_a_page_and_never_too_many() {
    let (connection, script) = with_peer(|mut peer| {
        for number in 0..60 {
            peer.open_page(&format!("page {number}"));
        }
        let mut closed = 0;
        let mut opened = 0;
        while let Some(command) = peer.hear() {
            match command["method"].as_str().unwrap() {
                "Target.closeTarget" => closed += 1,
                "Target.createTarget" => opened += 1,
                "Browser.getVersion" => {
                    for number in 0..60 {
                        peer.event(
                            None,
                            "Target.detachedFromTarget",
                            json!({ "sessionId": format!("page {number}") }),
                        );
                    }
                }
                _ => {}
            }
            if (closed, opened) == (20, 1) {
                return;
            }
        }
        panic!("{closed} pages were closed, {opened} opened");
    });
    connection.tell(&version()).unwrap();
    script.join().unwrap();
}

#[test]
fn only_a_fatal_line_gives_up_the_sandbox() {
    for (words, lacking) in [
        (
            "[1:1:1130/1.2:ERROR:zygote_host_impl_linux.cc(101)] Running as root without --no-sandbox is not supported.",
            true,
        ),
        (
            "a\n[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! Update your kernel.",
            true,
        ),
        (
            "[1:1:FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary was found, but is not configured.",
            true,
        ),
        (
            "[1:1:FATAL:sandbox/linux/services/credentials.cc:131] Check failed: . : Permission denied (13)",
            true,
        ),
        (
            "Failed to move to new namespace: PID namespaces supported, but failed: errno = Operation not permitted",
            true,
        ),
        (
            "[9:9:ERROR:sandbox_linux.cc(377)] InitializeSandbox() called with multiple threads in process gpu-process.",
            false,
        ),
        ("[1:1:FATAL:ozone_platform_x11.cc(1)] Missing X server", false),
        ("", false),
    ] {
        let no_start = |has_ended| super::NoStart {
            words: words.to_owned(),
            has_ended,
        };
        assert_eq!(no_start(true).lacks_sandbox(), lacking, "{words}");
        // A browser that merely answers too late keeps its sandbox.
        assert!(!no_start(false).lacks_sandbox(), "{words}");
    }
}
