//! Replays a recorded run. Nothing in the run changes.

use serde_json::Value;

use super::{Dashboard, listing, start};
use crate::harness::{Running, Workplace, python, spawn, url, wait_until};

#[test]
fn a_run_is_replayed_despite_a_cut_last_line() {
    let server = python(&["drag(1, 2, 3, 4)", "left_click(5, 6)"]);
    let place = Workplace::new();
    assert_eq!(start(&place, &server, &["--max-turns", "4"]).finish().code, Some(0));
    let lines = place.file("turns_0001_1000.jsonl");
    let mut text = std::fs::read_to_string(&lines).unwrap();
    text.push_str("{\"turn\":5,\"rep");
    std::fs::write(&lines, &text).unwrap();
    let before = listing(&place.file(""));

    let (running, dashboard) = replay(&place);
    let state = dashboard.json("/api/state");
    assert_eq!(state["live"], false);
    assert_eq!(state["turns"]["count"], 4);
    let turn = dashboard.json("/api/turns/2");
    assert_eq!(turn["line"]["acted"][0]["action"], "drag(1, 2, 3, 4)");
    assert!(turn["story"].as_str().unwrap().contains("drag(1, 2, 3, 4)"));
    assert_eq!(turn["verdicts"][0]["verdict"], "match");
    let picture = turn["line"]["image"]["sha256"].as_str().unwrap();
    assert_eq!(dashboard.get(&format!("/blob/{picture}")).0, 200);
    assert_eq!(dashboard.get("/api/settings").0, 404);
    running.signal("INT");
    assert_eq!(running.finish().code, Some(130));
    assert_eq!(listing(&place.file("")), before, "nothing is written");
    assert_eq!(std::fs::read_to_string(&lines).unwrap(), text);
}

#[test]
fn two_runs_are_shown_beside_one_another_and_stay_as_they_are() {
    let place = Workplace::new();
    recorded(&place, 3);
    for file in std::fs::read_dir(place.file("")).unwrap().map(Result::unwrap) {
        std::fs::create_dir_all(place.path("again")).unwrap();
        std::fs::copy(file.path(), place.path("again").join(file.file_name())).unwrap();
    }
    let before = [listing(&place.file("")), listing(&place.path("again"))];
    let (link, running) = replays(&place, &["run", "--compare", "again"]);
    assert!(link.ends_with("#run///again"), "{link}");
    let dashboard = Dashboard::at(link.split('#').next().unwrap());
    assert_eq!(dashboard.json("/api/state")["newest"]["name"], "run");
    let trace = |name: &str| dashboard.json(&format!("/run/{name}/api/trace"));
    assert_eq!(trace("run")["turns"].as_array().unwrap().len(), 3);
    assert_eq!(trace("run")["turns"], trace("again")["turns"]);
    assert_eq!(trace("run")["run"]["end"]["exit_code"], 0);
    assert_eq!(dashboard.get("/run/other/api/trace").0, 404);
    running.signal("INT");
    assert_eq!(running.finish().code, Some(130));
    let after = [listing(&place.file("")), listing(&place.path("again"))];
    assert_eq!(after, before, "nothing is written");
}

#[test]
fn a_run_that_cannot_be_compared_is_refused_in_one_line() {
    let place = Workplace::new();
    recorded(&place, 1);
    std::fs::create_dir_all(place.path("empty")).unwrap();
    std::fs::create_dir_all(place.path("damaged")).unwrap();
    std::fs::write(place.path("damaged/state.json"), "{").unwrap();
    std::fs::create_dir_all(place.path("panel/runs/0001")).unwrap();
    std::fs::write(place.path("panel/config.toml"), "").unwrap();
    for (other, told) in [
        ("run", "cannot be compared with itself"),
        ("nowhere", "there is no run nowhere"),
        ("empty", "contains no run"),
        ("damaged", "damaged cannot be compared: state.json is damaged"),
        ("panel", "such as panel/runs/0001"),
    ] {
        let refused =
            spawn(place.program(&["replay", "run", "--compare", other, "--dashboard", "127.0.0.1:0"])).finish();
        assert_eq!(refused.code, Some(2), "{other}: {}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
        assert!(refused.stderr.contains(told), "{other}: {}", refused.stderr);
    }
}

#[test]
fn the_run_in_the_working_directory_has_its_name() {
    let place = Workplace::new();
    recorded(&place, 1);
    let franz = |arguments: &[&str]| {
        let mut command = place.program(arguments);
        command.current_dir(place.file(""));
        let finished = spawn(command).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        finished.stdout
    };
    franz(&["export", ".", "--jsonl", "../shared"]);
    let run = std::fs::read(place.path("shared/run.json")).unwrap();
    let run: Value = serde_json::from_slice(&run).unwrap();
    assert_eq!(run["run"], "run");
    let server = python(&["left_click(5, 6)"]);
    let upstream = url(&server);
    let resume = ["run", "--no-panel", "--resume", ".", "--upstream", &upstream];
    let printed = franz(&[&resume[..], &["--max-turns", "1", "--json"]].concat());
    let started: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
    assert_eq!((&started["name"], &started["run_dir"]), (&"run".into(), &".".into()));
}

/// Records a run of this many turns.
fn recorded(place: &Workplace, turns: u32) {
    let server = python(&["left_click(5, 6)"]);
    let turns = turns.to_string();
    assert_eq!(start(place, &server, &["--max-turns", &turns]).finish().code, Some(0));
}

/// Starts a replay of the run, and waits for its dashboard.
fn replay(place: &Workplace) -> (Running, Dashboard) {
    let (link, running) = replays(place, &["run"]);
    (running, Dashboard::at(&link))
}

/// Starts a replay with these arguments, and waits for its link.
fn replays(place: &Workplace, arguments: &[&str]) -> (String, Running) {
    let mut command = place.program(&[&["replay"], arguments, &["--dashboard", "127.0.0.1:0"]].concat());
    let printed = std::fs::File::create(place.path("printed")).unwrap();
    let running = spawn({
        command.stdout(printed);
        command
    });
    let link = wait_until("the link", || {
        let printed = std::fs::read_to_string(place.path("printed")).ok()?;
        let (_, behind) = printed.split_once("look    ")?;
        behind.split_once('\n').map(|(link, _)| link.to_owned())
    });
    (link, running)
}

/// Somebody else might have made the directory to see files that are not theirs.
#[test]
fn a_link_in_place_of_a_file_is_not_shown() {
    let server = python(&["left_click(5, 6)"]);
    let place = Workplace::new();
    assert_eq!(start(&place, &server, &["--max-turns", "2"]).finish().code, Some(0));
    let private = place.path("private");
    std::fs::write(
        &private,
        "{\"turn\":99,\"reply\":\"private\",\"verdict\":\"violation\"}\n",
    )
    .unwrap();
    // Without turns or verdicts there is nothing to show, so the replay is refused.
    for name in ["turns_1001_2000.jsonl", "verdicts.jsonl"] {
        let _ = std::fs::rename(place.file(name), place.path("kept"));
        std::os::unix::fs::symlink(&private, place.file(name)).unwrap();
        let refused = spawn(place.program(&["replay", "run"])).finish();
        assert_eq!(refused.code, Some(1), "{name}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("it is a link, not a file"),
            "{}",
            refused.stderr
        );
        std::fs::remove_file(place.file(name)).unwrap();
        let _ = std::fs::rename(place.path("kept"), place.file(name));
    }
    let others = franz_home::names::ALL.map(franz_home::names::Pattern::example);
    for name in others
        .iter()
        .filter(|name| !name.starts_with("turns_") && *name != "verdicts.jsonl")
    {
        let path = place.file(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(&private, &path).unwrap();
    }
    let (running, dashboard) = replay(&place);
    assert_eq!(dashboard.json("/api/state")["turns"]["count"], 2);
    for address in [
        "/api/turns?limit=9",
        "/api/search?q=private",
        "/api/turns/99",
        "/export/turns.jsonl",
    ] {
        let (_, shown) = dashboard.get(address);
        assert!(
            !shown.contains("violation") && !shown.contains("\"private\""),
            "{address}: {shown}"
        );
    }
    running.signal("INT");
    assert_eq!(running.finish().code, Some(130));
}

#[test]
fn refuses_a_directory_without_a_run() {
    let place = Workplace::new();
    std::fs::create_dir(place.path("empty")).unwrap();
    for run in ["nowhere", "empty", "last"] {
        let finished = spawn(place.program(&["replay", run])).finish();
        assert_eq!(finished.code, Some(2), "{run}");
        assert_eq!(finished.stderr.lines().count(), 1, "{run}: {}", finished.stderr);
    }
}
