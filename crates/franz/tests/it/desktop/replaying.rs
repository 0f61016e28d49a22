//! A run on a desktop that runs again offline, without any desktop.

use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::harness::{Finished, Workplace, reply, scripted, spawn, url};

/// Replays the run without a display.
fn replay(place: &Workplace, into: &str) -> Finished {
    let mut command = place.program(&["replay", "run", "--offline", "--run-dir", into]);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    spawn(command).finish()
}

#[test]
fn a_desktop_is_not_needed_to_ask_the_same_again() {
    let actions = [
        "left_click(500, 500)",
        "type(\"hello\")",
        "windows()",
        "zoom(100, 100, 400, 400)",
        "mouse_down(900, 900)",
        "press(\"alt+f4\")",
        "observe()",
    ];
    let lines = actions.map(|action| reply(&format!("STATUS: executing\nACTION: {action}\nSTORY: I go on.")));
    let server = scripted(&lines.each_ref().map(String::as_str));
    let (mut stage, place) = (Stage::new(), Workplace::new());
    let note = place.path("note.txt");
    std::fs::write(&note, "").unwrap();
    stage.edit(&note);
    let more = [
        "--profile",
        "companion",
        "--max-turns",
        "7",
        "--set",
        "record.exchange_log=all",
        "--set",
        "protocol.tools.windows=true",
        "--set",
        "protocol.tools.zoom=true",
        "Write hello.",
    ];
    let finished = start(&stage, &place, &url(&server), Care::Alone, &more).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let feedback: String = place.turns().iter().map(|turn| turn.feedback.clone() + "\n").collect();
    for told in ["windows() -> \"1 ", "was still down at the end"] {
        assert!(feedback.contains(told), "{told}: {feedback}");
    }
    let picture = place.file("turn_0004.plain.png");
    let events = stage.events();
    drop(server);
    let ended = replay(&place, "again");
    let told = "7 turns replayed: every request equal; nothing was performed, and the pictures are the recorded ones";
    assert_eq!(ended.stdout.lines().last(), Some(told), "{}", ended.stderr);
    assert_eq!((ended.code, events.count()), (Some(0), 0));
    let shown = place.path("again").join("turn_0004.plain.png");
    assert_eq!(std::fs::read(shown).unwrap(), std::fs::read(&picture).unwrap());

    for file in ["turn_0004.plain.png", "turn_0004.png"] {
        std::fs::remove_file(place.file(file)).unwrap();
    }
    let ended = replay(&place, "without");
    let told = format!("{told}, except one that is no longer stored: a black one stood in for it");
    assert_eq!(
        (ended.code, ended.stdout.lines().last()),
        (Some(0), Some(told.as_str()))
    );
}
