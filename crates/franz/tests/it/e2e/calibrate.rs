//! Tests `franz calibrate` with models whose coordinates are known: its findings, its stored results, its checks, and
//! how a run uses the result.

use std::fs;
use std::path::PathBuf;

use franz_demo::{Demo, DemoHandle, DemoSettings, Player, ThinkingPace};
use franz_dialect::calibration::Resize;
use franz_dialect::{Axes, Family, Space};

use crate::e2e::settings::{edit, start};
use crate::harness::{Finished, Workplace, spawn, url, wait_until};

const QWEN: Resize = Resize::Smart {
    factor: 28,
    least: 4 * 28 * 28,
    most: 200 * 28 * 28,
};

/// Returns a model of this family that uses this coordinate space.
fn player(family: &str, space: Space) -> Player {
    Player {
        space,
        ..Player::new(Family::named(family).unwrap()).unwrap()
    }
}

fn settings(player: Player) -> DemoSettings {
    DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        player: Some(player),
        keep_requests: true,
        ..DemoSettings::default()
    }
}

fn serve(player: Player) -> DemoHandle {
    Demo::spawn(settings(player)).unwrap()
}

fn calibrate(place: &Workplace, server: &DemoHandle, more: &[&str]) -> Finished {
    let url = url(server);
    let arguments = ["calibrate", "--upstream", &url, "--seed", "5"];
    spawn(place.program(&[&arguments[..], more].concat())).finish()
}

/// Counts the requests for an answer.
fn asked(server: &DemoHandle) -> usize {
    server
        .requests()
        .iter()
        .filter(|request| !request.body.is_empty())
        .count()
}

/// Returns the stored files.
fn stored(place: &Workplace) -> Vec<PathBuf> {
    let folder = place.path("state/franz/models");
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Returns a row of the table, with its lines joined.
fn row(table: &str, name: &str) -> String {
    let mut lines = table.lines().skip_while(|line| !line.starts_with(name));
    let first = lines.next().unwrap_or_else(|| panic!("no {name} in {table}"));
    let more = lines.take_while(|line| line.starts_with(' '));
    let words = std::iter::once(&first[name.len()..]).chain(more);
    words.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[test]
fn calibration_detects_each_models_coordinates() {
    let resized = QWEN.size((672, 448));
    let pixels = format!("pixels of {}x{}", resized.0, resized.1);
    let cases = [
        (
            player("qwen3-vl", Space::Thousandths),
            "thousandths (x, y), as expected",
        ),
        (player("showui", Space::Fractions), "fractions (x, y), as expected"),
        (
            Player {
                axes: Axes::Yx,
                noise: 3.0,
                ..player("ui-tars", Space::Thousandths)
            },
            "thousandths (y, x), after",
        ),
        (
            Player {
                wrong: 0.1,
                ..player("glm-v", Space::Thousandths)
            },
            "thousandths (x, y), as expected",
        ),
        (
            Player {
                resize: QWEN,
                ..player("ui-tars-1.5", Space::Pixels)
            },
            &pixels,
        ),
        (player("opencua", Space::Percent), "percent (x, y), unlike its family's"),
    ];
    for (player, wanted) in cases {
        let (place, family) = (Workplace::new(), player.family.name.clone());
        let server = serve(player);
        let finished = calibrate(&place, &server, &["--picture", "672x448"]);
        let table = &finished.stdout;
        assert_eq!(finished.code, Some(0), "{family}: {table}{}", finished.stderr);
        assert!(row(table, "space").starts_with(wanted), "{family}: {table}");
        assert!(row(table, "sees").starts_with("yes"), "{table}");
        assert!(asked(&server) <= 14, "{family}: {} questions", asked(&server));
        // A path is one word, however long.
        let fits = |line: &str| line.chars().count() <= 80 || line.split_whitespace().count() <= 2;
        assert!(table.lines().all(fits), "{table}");
        assert!(place.path("calibration.png").exists());
        assert_eq!(stored(&place).len(), 1);
    }
}

#[test]
fn an_undecided_calibration_is_reported_and_not_stored() {
    let blind = Player {
        blind: true,
        ..player("qwen3-vl", Space::Thousandths)
    };
    let wild = Player {
        wrong: 1.0,
        ..player("qwen3-vl", Space::Thousandths)
    };
    for (player, what, most) in [(blind, "sees", 1), (wild, "", 14)] {
        let (place, server) = (Workplace::new(), serve(player));
        let finished = calibrate(&place, &server, &["--picture", "672x448"]);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        if !what.is_empty() {
            let said = row(&finished.stdout, what);
            assert!(said.starts_with("no: ") && said.contains("--model"), "{said}");
        }
        assert!(asked(&server) <= most, "{} questions", asked(&server));
        assert!(
            row(&finished.stdout, "stored").starts_with("nothing"),
            "{}",
            finished.stdout
        );
        assert!(stored(&place).is_empty());
    }
}

#[test]
fn an_unsuitable_picture_size_is_refused() {
    let (place, server) = (Workplace::new(), serve(player("qwen3-vl", Space::Thousandths)));
    for (size, why) in [
        ("600x600", "too square"),
        ("300x100", "too small"),
        ("wide", "1344x896"),
    ] {
        let finished = calibrate(&place, &server, &["--picture", size]);
        assert_eq!(finished.code, Some(2), "{}", finished.stdout);
        assert!(finished.stderr.contains(why), "{}", finished.stderr);
    }
    assert_eq!(asked(&server), 0);
}

/// Runs one turn with the pictures of `draw`.
fn turn(place: &Workplace, server: &DemoHandle, run: &str, more: &[&str]) -> Finished {
    let url = url(server);
    let arguments = ["run", "--run-dir", run, "--upstream", &url, "--max-turns", "1"];
    let fast = ["--set", "loop.executing_delay_s=0", "--profile", "sketch"];
    spawn(place.franz(&[&arguments[..], &fast, more].concat())).finish()
}

#[test]
fn a_run_uses_the_stored_calibration_and_check_detects_changes() {
    let place = Workplace::new();
    let server = serve(player("ui-tars", Space::Pixels));
    let address = server.addr();
    let nothing = calibrate(&place, &server, &["--check", "--profile", "sketch"]);
    assert_eq!(nothing.code, Some(2));
    assert!(
        nothing.stderr.contains("no calibration is stored"),
        "{}",
        nothing.stderr
    );

    let first = calibrate(&place, &server, &["--profile", "sketch"]);
    assert_eq!(first.code, Some(0), "{}{}", first.stdout, first.stderr);
    let [file] = &stored(&place)[..] else {
        panic!("{:?}", stored(&place))
    };
    let before = fs::read(file).unwrap();

    let check = calibrate(&place, &server, &["--check", "--profile", "sketch"]);
    assert_eq!(check.code, Some(0), "{}{}", check.stdout, check.stderr);
    assert_eq!(row(&check.stdout, "check"), "it holds");

    let run = turn(&place, &server, "taken", &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("calibrated on "), "{}", run.stdout);
    assert!(!run.stderr.contains("calibrated first"), "{}", run.stderr);

    // The same model on the same server now uses another coordinate space.
    drop(server);
    let server = wait_until("the port to be free", || {
        let settings = settings(player("ui-tars", Space::Thousandths));
        Demo::bind(address, settings).ok()?.into_thread().ok()
    });
    let check = calibrate(&place, &server, &["--check", "--profile", "sketch"]);
    assert_eq!(check.code, Some(1), "{}{}", check.stdout, check.stderr);
    assert!(
        row(&check.stdout, "check").starts_with("it no longer holds"),
        "{}",
        check.stdout
    );
    assert_eq!(fs::read(file).unwrap(), before, "--check stores nothing");
}

#[test]
fn a_stored_calibration_that_does_not_fit_is_reported_and_ignored() {
    let place = Workplace::new();
    let server = serve(player("ui-tars-1.5", Space::Pixels));
    assert_eq!(calibrate(&place, &server, &["--picture", "672x448"]).code, Some(0));
    let other_size = turn(&place, &server, "size", &[]);
    assert!(
        other_size.stdout.contains("this run sends 504x280"),
        "{}",
        other_size.stdout
    );
    let other_family = turn(
        &place,
        &server,
        "family",
        &[
            "--family",
            "ui-tars-1.0",
            "--set",
            "image.width=672",
            "--set",
            "image.height=448",
        ],
    );
    assert!(
        other_family.stdout.contains("the family is now ui-tars-1.0"),
        "{}",
        other_family.stdout
    );

    let file = stored(&place).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("space = \"pixels\"", "space = \"inches\"")).unwrap();
    let mistaken = turn(&place, &server, "mistaken", &[]);
    assert_eq!(mistaken.code, Some(0), "{}", mistaken.stderr);
    assert!(
        mistaken.stdout.contains("ignoring the calibration in ") && mistaken.stdout.contains("'inches'"),
        "{}",
        mistaken.stdout
    );
    assert!(!mistaken.stdout.contains("calibrated on"), "{}", mistaken.stdout);

    // Calibrating again keeps the unreadable file next to the new one.
    assert_eq!(calibrate(&place, &server, &["--picture", "672x448"]).code, Some(0));
    assert_eq!(stored(&place).len(), 2);
    assert!(fs::read_to_string(&file).unwrap().contains("space = \"pixels\""));
}

#[test]
fn a_new_picture_size_during_a_run_is_reported_with_its_coordinates() {
    let place = Workplace::new();
    let server = serve(player("ui-tars-1.5", Space::Pixels));
    assert_eq!(calibrate(&place, &server, &["--picture", "672x448"]).code, Some(0));
    let size = ["--set", "image.width=672", "--set", "image.height=448"];
    let more = [&["--profile", "sketch"][..], &size].concat();
    let running = start(&place, &url(&server), &more);
    place.wait_for_turn(2);
    for (width, beyond) in [(560, 3), (672, 3)] {
        edit(&place, "image.width", Some(width));
        place.wait_for_turn(place.turns().len() as u64 + beyond);
    }
    running.signal("TERM");
    let finished = running.finish();
    let (other, same) = ("this run sends 560x448", "calibrated on ");
    let said = finished.stdout.lines().filter(|line| line.starts_with("note: "));
    let said: Vec<_> = said
        .filter(|line| line.contains(other) || line.contains(same))
        .collect();
    let order: Vec<bool> = said.iter().map(|line| line.contains(same)).collect();
    assert_eq!(order, [true, false, true], "{}", finished.stdout);
    let family = "in pictures of 560x448 its coordinates are pixels, as its family says";
    assert!(said[1].ends_with(family), "{}", said[1]);
}

#[test]
fn a_model_with_unknown_coordinates_is_calibrated_before_turn_one() {
    let place = Workplace::new();
    let server = serve(player("ui-tars", Space::Thousandths));
    let run = turn(&place, &server, "first", &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("calibrating it first"), "{}", run.stderr);
    assert!(
        run.stdout.contains(": thousandths (x, y) (median error"),
        "{}",
        run.stdout
    );
    let again = turn(&place, &server, "second", &[]);
    assert!(!again.stderr.contains("calibrating it first"), "{}", again.stderr);

    let undecided = Player {
        wrong: 1.0,
        ..player("ui-tars", Space::Thousandths)
    };
    let run = turn(&Workplace::new(), &serve(undecided), "undecided", &[]);
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("inconclusive"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn ctrl_c_during_calibration_leaves_nothing_behind() {
    use std::time::Duration;

    let slow = ThinkingPace {
        drawing: Duration::from_hours(1),
        idle: Duration::from_hours(1),
    };
    let server = Demo::spawn(DemoSettings {
        pace: slow,
        ..settings(player("qwen3-vl", Space::Thousandths))
    });
    let (place, server) = (Workplace::new(), server.unwrap());
    let address = url(&server);
    let running = spawn(place.program(&["calibrate", "--upstream", &address]));
    crate::harness::wait_until("the first question", || (asked(&server) > 0).then_some(()));
    running.signal("INT");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert!(finished.stderr.contains("nothing was stored"), "{}", finished.stderr);
    assert!(finished.stdout.is_empty() && stored(&place).is_empty());
    assert!(!place.path("calibration.png").exists());
}
