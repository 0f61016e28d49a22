//! The first picture of a run on a private desktop shows its programs completely.
//!
//! `LOOK_STARTS` is the number of starts of each program. `cargo xtask look` makes more.

use std::fs;
use std::time::{Duration, Instant};

use franz_frame::{Difference, Frame, png};

use crate::desktop::run::{Care, command};
use crate::harness::{Finished, Workplace, spawn};
use crate::puppet::Puppet;

const PAGE: &str = "<!doctype html><body style='font: 20px sans-serif'><h1>A page</h1><script>
    for (let n = 0; n < 200; n++) document.body.append(`line number ${n} of a page that takes a while. `);
    setTimeout(() => document.body.style.background = 'lightyellow', 150);
    </script>";

fn picture(place: &Workplace, turn: u64) -> Frame {
    png::decode(&fs::read(place.file(&format!("turn_{turn:04}.plain.png"))).unwrap()).unwrap()
}

/// Returns whether the first picture looks the same as the second one, two seconds later.
fn is_whole(program: &str) -> bool {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let start = format!("screen.start=[{}]", serde_json::Value::from(program));
    let url = server.url();
    let more = ["--run-dir", "run", "--upstream", &url, "--screen", "virtual"];
    let settings = [
        &start,
        "screen.width=1000",
        "screen.height=700",
        "image.width=1000",
        "image.height=700",
    ];
    let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
    let more: Vec<&str> = more.into_iter().chain(settings).collect();
    let running = spawn(command(&place, Care::Alone, &more));
    server.asked();
    server.then("```python\nwait(2)\n```");
    server.reply("I rest.");
    place.wait_for_turn(2);
    let (first, second) = (picture(&place, 1), picture(&place, 2));
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
    let difference = Difference::between(&first, &second);
    if let Some(area) = difference.largest() {
        println!("{program}: changed later: {area}");
    }
    !first.is_plain() && difference.largest().is_none()
}

/// Starts a run whose private desktop starts these commands, and waits for its end.
fn started(place: &Workplace, care: Care, commands: &str) -> Finished {
    let start = format!("screen.start={commands}");
    let more = [
        "--run-dir",
        "run",
        "--upstream",
        "demo",
        "--screen",
        "virtual",
        "--max-turns",
        "2",
    ];
    spawn(command(place, care, &[&more[..], &["--set", &start]].concat())).finish()
}

#[test]
fn a_program_that_cannot_be_started_ends_the_start() {
    for care in [Care::Alone, Care::Panel] {
        for (command, why) in [
            ("xtrem", "it was not found (sh: "),
            ("/etc/passwd", "it cannot be executed (sh: "),
            (
                "echo no such page >&2; exit 3",
                "it ended with exit code 3 (no such page); correct the command, or append \"; true\" if",
            ),
        ] {
            let (place, began) = (Workplace::new(), Instant::now());
            let finished = started(&place, care, &format!("[\"{command}\"]"));
            assert_eq!(finished.code, Some(4), "{command}: {}", finished.stderr);
            let says = format!("cannot start \"{command}\" on the private desktop: {why}");
            assert!(finished.stderr.contains(&says), "{}", finished.stderr);
            assert!(!place.file("").exists(), "there is no run");
            assert!(began.elapsed() < Duration::from_mins(1), "{command}");
        }
    }
}

#[test]
fn what_programs_print_as_errors_goes_to_a_file_of_the_run() {
    for care in [Care::Alone, Care::Panel] {
        let place = Workplace::new();
        let finished = started(&place, care, "[\"echo cannot load a font >&2; exec xterm\"]");
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let printed = format!("{}{}", finished.stdout, finished.stderr);
        assert!(!printed.contains("cannot load a font"), "{printed}");
        let kept = fs::read_to_string(place.file("programs.log")).unwrap();
        assert!(kept.contains("cannot load a font"), "{kept}");
    }
}

#[test]
fn the_first_picture_is_whole() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("page.html");
    fs::write(&page, PAGE).unwrap();
    let quiet = "--no-sandbox --no-first-run --disable-gpu --password-store=basic --disable-sync";
    let home = directory.path().display();
    let chromium = format!("HOME={home} chromium {quiet} --app=file://{}", page.display());
    let mousepad = format!("HOME={home} NO_AT_BRIDGE=1 dbus-run-session mousepad --disable-server");
    let starts = std::env::var("LOOK_STARTS").map_or(1, |starts| starts.parse().unwrap());
    for program in ["xterm -e 'ls -l /usr/bin; cat'", &mousepad, &chromium] {
        let whole = (0..starts).filter(|_| is_whole(program)).count();
        println!(
            "{}: {whole} of {starts} first pictures whole",
            program.split(' ').find(|word| !word.contains('=')).unwrap()
        );
        assert_eq!(whole, starts, "{program}");
    }
}
