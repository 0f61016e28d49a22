//! Tests canvases that are closed, truncated, damaged and reopened.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use franz_action::{Action, Outcome, Point};
use franz_frame::{Frame, PixelFormat, png};
use franz_home::{Home, LARGEST};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{action, count, perform};
use crate::canvas::Canvas;
use crate::interrupt::tests::Fake;
use crate::screen::{ActionId, ActionJournal, Screen};

fn open(dir: &Path) -> (Canvas, Vec<String>) {
    Canvas::open(&Home::claim(dir).unwrap(), 480, 270).unwrap()
}

fn assert_same(canvas: &Canvas, expected: &Canvas, what: &str) {
    assert!(canvas.frame == expected.frame, "{what}: the pictures differ");
    assert_eq!(canvas.state, expected.state, "{what}");
}

const TURN: [&str; 5] = [
    "left_click(200, 500)",
    "type(\"Grüße 猫\\n\\\"b\\\"\")",
    "drag(100, 100, 900, 800)",
    "move(10, 10)",
    "right_click(700, 300)",
];

#[test]
fn a_picture_claiming_a_huge_size_is_not_unpacked() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 1, &TURN);
    canvas.close().unwrap();
    drop(canvas);
    let path = dir.path().join("canvas.png");
    let mut bytes = fs::read(&path).unwrap();
    // Overwrite the width and height in the header, and the checksum after it.
    bytes[16..24].copy_from_slice(&[0, 0, 0x7f, 0xff, 0, 0, 0x7f, 0xff]);
    let sum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.to_be_bytes());
    fs::write(&path, bytes).unwrap();
    let (_, notices) = open(dir.path());
    assert!(
        notices.iter().any(|notice| notice.contains("is 32767x32767")),
        "{notices:?}"
    );
}

/// Computes the checksum of PNG chunks (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(sum & 1))
        })
    });
    !sum
}

/// Opening a pipe would block forever waiting for the other end.
#[cfg(unix)]
#[test]
fn a_pipe_instead_of_a_canvas_file_does_not_block() {
    let pipe = |dir: &TempDir, name: &str| {
        let made = std::process::Command::new("mkfifo").arg(dir.path().join(name)).status();
        assert!(made.unwrap().success());
    };
    let dir = TempDir::new().unwrap();
    let home = Home::claim(dir.path()).unwrap();
    pipe(&dir, "canvas.jsonl");
    let refused = Canvas::open(&home, 480, 270).err().unwrap().to_string();
    assert!(refused.contains("it is not a file"), "{refused}");

    let dir = TempDir::new().unwrap();
    let home = Home::claim(dir.path()).unwrap();
    pipe(&dir, "canvas.png");
    let (_, notices) = Canvas::open(&home, 480, 270).unwrap();
    assert!(
        notices.iter().any(|notice| notice.contains("it is not a file")),
        "{notices:?}"
    );
}

#[test]
fn a_canvas_is_restored_with_and_without_its_snapshot() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, notices) = open(dir.path());
    assert!(notices.is_empty());
    perform(&mut canvas, 1, &TURN);
    assert_same(&open(dir.path()).0, &canvas, "from the journal alone");
    canvas.save().unwrap();
    assert!(dir.path().join("canvas.png").exists());
    perform(&mut canvas, 16, &["type(\"more\")", "left_click(900, 900)"]);
    let (mut again, notices) = open(dir.path());
    assert_eq!(notices, [""; 0]);
    assert_same(&again, &canvas, "from the snapshot and the rest");
    again.close().unwrap();
    assert_same(&open(dir.path()).0, &canvas, "from the snapshot alone");
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        2,
        "no temporary file is left"
    );
}

#[test]
fn only_what_follows_the_snapshot_is_replayed() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 1, &["left_click(300, 300)", "left_click(700, 700)"]);
    canvas.close().unwrap();
    // Spoil the first line in place: only a replay from the beginning would notice.
    let path = dir.path().join("canvas.jsonl");
    let mut journal = fs::read(&path).unwrap();
    journal[0] = b'#';
    fs::write(&path, journal).unwrap();
    let (again, notices) = open(dir.path());
    assert_eq!(notices, [""; 0]);
    assert_same(&again, &canvas, "from the snapshot");
}

#[test]
fn a_journal_cut_at_any_byte_of_its_last_line_loses_that_action_only() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 1, &TURN[..4]);
    let path = dir.path().join("canvas.jsonl");
    let before = fs::read(&path).unwrap();
    let expected = open(dir.path()).0;
    canvas
        .perform(ActionId { turn: 1, index: 4 }, &action(TURN[4]), &Fake::default())
        .unwrap();
    let whole = fs::read(&path).unwrap();
    for end in before.len()..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let (mut cut, notices) = open(dir.path());
        assert_eq!(notices.len(), usize::from(end > before.len()), "cut at {end}");
        assert_same(&cut, &expected, "cut");
        let performed = |index| cut.performed(ActionId { turn: 1, index });
        assert_eq!((performed(3), performed(4)), (true, false));
        perform(&mut cut, 1, &TURN);
        assert_same(&cut, &canvas, "cut and performed again");
        assert_eq!(fs::read(&path).unwrap(), whole, "cut at {end}");
    }
}

#[test]
fn an_action_in_the_journal_is_not_repeated() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 3, &["left_click(200, 500)", "type(\"a\")"]);
    let journal = fs::read(dir.path().join("canvas.jsonl")).unwrap();
    let (mut again, _) = open(dir.path());
    let performed = |turn, index| again.performed(ActionId { turn, index });
    assert_eq!(
        (performed(3, 1), performed(3, 2), performed(4, 0)),
        (true, false, false)
    );
    let outcomes = perform(&mut again, 3, &["left_click(200, 500)", "type(\"a\")"]);
    assert!(outcomes.iter().all(Outcome::is_done));
    assert_same(&again, &canvas, "performed twice");
    assert_eq!(fs::read(dir.path().join("canvas.jsonl")).unwrap(), journal);
}

type Damage = fn(&Path);

#[test]
fn damage_is_reported_and_repaired() {
    let damages: [(&str, Damage); 4] = [
        ("damaged", |dir| {
            fs::write(dir.join("canvas.png"), b"no picture").unwrap();
        }),
        ("does not say", |dir| {
            let frame = Frame::black(480, 270, PixelFormat::Gray8).unwrap();
            fs::write(dir.join("canvas.png"), png::encode(&frame).unwrap()).unwrap();
        }),
        ("1 unreadable lines were skipped", |dir| {
            fs::remove_file(dir.join("canvas.png")).unwrap();
            let lines = fs::read_to_string(dir.join("canvas.jsonl")).unwrap();
            fs::write(dir.join("canvas.jsonl"), format!("{{\"turn\":\n{lines}")).unwrap();
        }),
        ("is 480x270", |dir| {
            drop(Canvas::open(&Home::claim(dir).unwrap(), 480, 270).unwrap());
        }),
    ];
    for (words, damage) in damages {
        let dir = TempDir::new().unwrap();
        let (mut canvas, _) = open(dir.path());
        perform(&mut canvas, 1, &TURN);
        canvas.close().unwrap();
        damage(dir.path());
        let size = if words.starts_with("is") {
            (640, 360)
        } else {
            (480, 270)
        };
        let (again, notices) = Canvas::open(&Home::claim(dir.path()).unwrap(), size.0, size.1).unwrap();
        assert!(notices.len() == 1 && notices[0].contains(words), "{words}: {notices:?}");
        let mut expected = Canvas::in_memory(size.0, size.1).unwrap();
        perform(&mut expected, 1, &TURN);
        assert_same(&again, &expected, words);
    }
}

#[test]
fn a_line_that_is_longer_than_any_action_is_reported_and_skipped() {
    let dir = TempDir::new().unwrap();
    let home = Home::claim(dir.path()).unwrap();
    let mut journal = home.append("canvas.jsonl").unwrap();
    // A hole takes no space on the disk.
    journal.set_len(LARGEST + 1).unwrap();
    journal
        .write_all(b"\n{\"turn\":1,\"index\":0,\"action\":\"left_click(500, 500)\"}\n")
        .unwrap();
    let (canvas, notices) = open(dir.path());
    assert!(
        notices[0].contains("1 unreadable lines were skipped, the first at byte 0: it is longer than"),
        "{notices:?}"
    );
    assert!(count(&canvas.frame, 0, 480) > 0);

    let other = TempDir::new().unwrap();
    Canvas::copy(&home, &Home::claim(other.path()).unwrap(), 1).unwrap();
    let (copy, notices) = open(other.path());
    assert_eq!(notices, [""; 0]);
    assert_same(&copy, &canvas, "the copy");
}

#[test]
fn a_snapshot_of_another_journal_is_not_used() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 1, &TURN);
    canvas.close().unwrap();
    // On Windows, the name of a deleted file stays taken while the file is open.
    drop(canvas);
    fs::remove_file(dir.path().join("canvas.jsonl")).unwrap();
    let (again, notices) = open(dir.path());
    assert!(notices[0].contains("another journal"), "{notices:?}");
    assert_eq!(count(&again.frame, 0, 480), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_snapshot_that_does_not_fit_keeps_the_old_one() {
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 1, &TURN);
    canvas.save().unwrap();
    let old = fs::read(dir.path().join("canvas.png")).unwrap();
    perform(&mut canvas, 16, &["left_click(900, 900)"]);
    franz_home::faults::fill_disk(&dir.path().join("canvas.png.tmp"));
    assert!(canvas.save().is_err());
    assert_eq!(fs::read(dir.path().join("canvas.png")).unwrap(), old);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new().unwrap();
    let (mut canvas, _) = open(dir.path());
    perform(&mut canvas, 1, &TURN);
    canvas.close().unwrap();
    for name in ["canvas.jsonl", "canvas.png"] {
        let mode = fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

fn any_point() -> impl Strategy<Value = Point> {
    (0i64..=1000, 0i64..=1000).prop_map(|(x, y)| Point::clamped(x, y))
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        any_point().prop_map(Action::left_click),
        any_point().prop_map(Action::right_click),
        any_point().prop_map(Action::middle_click),
        any_point().prop_map(Action::double_click),
        any_point().prop_map(Action::triple_click),
        (any_point(), any_point()).prop_map(|(from, to)| Action::drag(from, to)),
        any_point().prop_map(Action::Move),
        (-100i32..100, prop::option::of(any_point())).prop_map(|(dy, at)| Action::Scroll { dy, dx: 0, at }),
        "[ -~ä→猫\\n\\t\\r\u{0}\u{10fffe}]{0,12}".prop_map(Action::typing),
        Just(Action::Observe),
        Just(Action::Screenshot),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_actions_on_any_size_are_replayed_to_the_same_canvas(
        actions in prop::collection::vec(any_action(), 0..12),
        (width, height) in (1u32..=64, 1u32..=64),
        snapshot_after in 0usize..12,
    ) {
        let dir = TempDir::new().unwrap();
        let (mut canvas, _) = Canvas::open(&Home::claim(dir.path()).unwrap(), width, height).unwrap();
        for (index, action) in actions.iter().enumerate() {
            canvas.perform(ActionId { turn: 1, index }, action, &Fake::default()).unwrap();
            if index == snapshot_after {
                canvas.save().unwrap();
            }
            let (again, notices) = Canvas::open(&Home::claim(dir.path()).unwrap(), width, height).unwrap();
            prop_assert!(notices.is_empty(), "{:?}", notices);
            prop_assert_eq!(&again.frame, &canvas.frame);
            prop_assert_eq!(&again.state, &canvas.state);
        }
    }
}
