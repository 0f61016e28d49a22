//! A run that is forked at one of its turns.

use franz_record::{TurnLine, TurnLines, View};
use serde_json::Value;

use crate::harness::{Finished, Workplace, python, reply, scripted, spawn, url};

/// Runs `franz fork run` with these arguments, in the directory `forked`.
fn fork(place: &Workplace, server: &franz_demo::DemoHandle, more: &[&str]) -> Finished {
    let address = url(server);
    let common = [
        "fork",
        "run",
        "--upstream",
        &address,
        "--no-panel",
        "--run-dir",
        "forked",
    ];
    spawn(place.program(&[&common, more].concat())).finish()
}

/// Runs `franz fork run --dry` with these arguments.
fn ask_again(place: &Workplace, server: &franz_demo::DemoHandle, more: &[&str]) -> Finished {
    let address = url(server);
    spawn(place.program(&[&["fork", "run", "--upstream", &address], more].concat())).finish()
}

fn forked_turns(place: &Workplace) -> Vec<TurnLine> {
    let view = View::open(&place.file("../forked")).unwrap();
    TurnLines::open(&view).unwrap().map(Result::unwrap).collect()
}

/// Returns the messages of the last request that the server got.
fn last_messages(server: &franz_demo::DemoHandle) -> Value {
    let request = server.requests().pop().unwrap();
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    body["messages"].clone()
}

/// Blocks of Python, one for each turn.
const STROKES: [&str; 4] = [
    "drag(100, 100, 300, 300)",
    "drag(300, 300, 600, 100)",
    "left_click(500, 500)",
    "drag(600, 100, 900, 900)",
];

#[test]
fn the_first_request_of_a_fork_is_the_one_of_its_turn() {
    for profile in ["draw", "sketch", "companion", "operator"] {
        let place = Workplace::new();
        let (first, fresh) = if profile == "draw" {
            (python(&STROKES), python(&STROKES[2..]))
        } else {
            let said = |call: &str| reply(&format!("STATUS: executing\nGOAL: Go.\nACTION: {call}\nSTORY: I go."));
            let lines = [
                "click(100, 200)",
                "click(300, 400)",
                "click(500, 600)",
                "click(700, 800)",
            ]
            .map(said);
            let lines = lines.each_ref().map(String::as_str);
            (scripted(&lines), scripted(&lines[2..]))
        };
        // The time of day in a picture would differ.
        let still = ["--set", "marks.timestamp=false"];
        let options = ["--profile", profile, "--screen", "canvas", "--max-turns", "3", "Go."];
        let begun = place.run(&first, &[&still[..], &options].concat());
        assert_eq!(begun.code, Some(0), "{profile}: {}", begun.stderr);
        let wanted = last_messages(&first);
        let ended = fork(&place, &fresh, &["--at", "3", "--max-turns", "1"]);
        assert_eq!(ended.code, Some(0), "{profile}: {}", ended.stderr);
        assert!(ended.stdout.starts_with("fork    run at turn 3\n"), "{}", ended.stdout);
        assert_eq!(fresh.requests().len(), 1, "{profile}");
        assert_eq!(last_messages(&fresh), wanted, "{profile}");
        let turns = forked_turns(&place);
        assert_eq!(
            turns.iter().map(|turn| turn.turn).collect::<Vec<_>>(),
            [1, 2, 3],
            "{profile}"
        );
        assert_eq!(place.turns().len(), 3, "the source stays as it was");
    }
}

#[test]
fn a_fork_goes_on_with_its_own_model_settings_and_drawing() {
    let (first, second) = (python(&STROKES), python(&["drag(10, 10, 20, 20)", "pass"]));
    let place = Workplace::new();
    place.run(&first, &["--max-turns", "4", "Draw a cat"]);
    let more = ["--at", "3", "--max-turns", "2", "--set", "model.temperature=0.1"];
    let ended = fork(&place, &second, &more);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("\ngoal    Draw a cat\n"), "{}", ended.stdout);
    let turns = forked_turns(&place);
    assert_eq!(turns.len(), 4);
    assert!(turns[2].sampling.as_ref().unwrap().get().contains("0.1"));
    let journal = std::fs::read_to_string(place.file("../forked/canvas.jsonl")).unwrap();
    let drawn: Vec<&str> = journal
        .lines()
        .filter_map(|line| line.split("\"action\":\"").nth(1))
        .collect();
    assert_eq!(
        drawn,
        [
            "drag(100, 100, 300, 300)\"}",
            "drag(300, 300, 600, 100)\"}",
            "drag(10, 10, 20, 20)\"}"
        ]
    );
    let state = std::fs::read_to_string(place.file("../forked/state.json")).unwrap();
    assert!(state.contains(r#""forked_from":{"run":"run","turn":3}"#), "{state}");
    // It is a run like any other.
    let url = url(&second);
    let resumed = [
        "run",
        "--resume",
        "forked",
        "--upstream",
        &url,
        "--no-panel",
        "--max-turns",
        "1",
    ];
    assert_eq!(spawn(place.program(&resumed)).finish().code, Some(0));
    assert_eq!(forked_turns(&place).len(), 5);
}

#[test]
fn a_fork_has_the_goal_of_its_turn() {
    let (first, place) = (python(&STROKES), Workplace::new());
    // The time of day in a picture would differ.
    place.run(
        &first,
        &["--set", "marks.timestamp=false", "--max-turns", "1", "Draw a cat"],
    );
    let wanted = last_messages(&first);
    let address = url(&first);
    let resumed = ["run", "--resume", "run", "--upstream", &address, "--no-panel"];
    let more = ["--max-turns", "1", "Draw a dog"];
    let resumed = spawn(place.program(&[&resumed[..], &more].concat())).finish();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(last_messages(&first).to_string().contains("Draw a dog"));
    for (at, more, goal) in [
        ("1", &[][..], "Draw a cat"),
        ("1", &["--set", "prompt.goal=Draw a house"], "Draw a house"),
        ("2", &[], "Draw a dog"),
    ] {
        let second = python(&["pass"]);
        let ended = fork(&place, &second, &[&["--at", at, "--max-turns", "1"], more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout.contains(&format!("\ngoal    {goal}\n")),
            "{}",
            ended.stdout
        );
        assert_eq!(forked_turns(&place).last().unwrap().goal.as_deref(), Some(goal), "{at}");
        if goal == "Draw a cat" {
            assert!(last_messages(&second) == wanted);
        }
        std::fs::remove_dir_all(place.file("../forked")).unwrap();
    }
}

#[test]
fn a_canvas_that_cannot_be_restored_is_told() {
    for damage in ["", "{\"turn\":2,\"index\":0,\"action\":\"drag(1, 1, 9, 9)\"}\n"] {
        let place = Workplace::new();
        place.run(&python(&STROKES), &["--max-turns", "4", "Draw a cat"]);
        let whole = fork(&place, &python(&["pass"]), &["--at", "3", "--max-turns", "1"]);
        assert!(!whole.stderr.contains("does not look as it did"), "{}", whole.stderr);
        std::fs::remove_dir_all(place.file("../forked")).unwrap();
        std::fs::write(place.file("canvas.jsonl"), damage).unwrap();
        let ended = fork(&place, &python(&["pass"]), &["--at", "3", "--max-turns", "1"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("the canvas does not look as it did at turn 3"),
            "{damage:?}: {}",
            ended.stderr
        );
    }
}

#[test]
fn another_profile_gets_the_goal_and_the_memory() {
    let (first, second) = (python(&STROKES), scripted(&[&reply("I look.")]));
    let place = Workplace::new();
    place.run(&first, &["--max-turns", "3", "Draw a cat"]);
    let more = [
        "--at",
        "3",
        "--profile",
        "operator",
        "--screen",
        "canvas",
        "--max-turns",
        "1",
    ];
    let ended = fork(&place, &second, &more);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let asked = last_messages(&second).to_string();
    assert!(asked.contains("Draw a cat"), "{asked}");
    assert!(
        asked.contains("drag(300, 300, 600, 100)"),
        "its last reply is its memory: {asked}"
    );
}

#[test]
fn a_dry_fork_counts_what_the_model_would_do() {
    let first = python(&STROKES);
    let place = Workplace::new();
    place.run(&first, &["--max-turns", "3", "Draw a cat"]);
    let wanted = first.requests().pop().unwrap().body;
    let second = python(&[
        "left_click(500, 500)",
        "left_click(1, 1)",
        "left_click(500, 500)",
        "pass",
    ]);
    let ended = ask_again(&place, &second, &["--at", "3", "--dry", "4"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let lines: Vec<&str> = ended.stdout.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "record  turn 3: left_click(500, 500)",
            "     2  left_click(500, 500)",
            "     1  left_click(1, 1)",
            "     1  no action",
            "same as the record: 2 of 4",
        ]
    );
    let requests = second.requests();
    assert_eq!(requests.len(), 4);
    assert!(
        requests.iter().all(|request| request.body == wanted),
        "byte for byte, with the picture"
    );
    assert!(!place.file("../forked").exists());
    let picture = std::fs::read(place.file("turn_0002.png")).unwrap();
    std::fs::write(place.file("turn_0003.png"), picture).unwrap();
    let ended = ask_again(&place, &second, &["--at", "3", "--dry", "1"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("turn_0003.png is not the picture that was sent"),
        "{}",
        ended.stderr
    );
    std::fs::remove_file(place.file("turn_0003.png")).unwrap();
    let ended = ask_again(&place, &second, &["--at", "3", "--dry", "1"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("a picture of turn 3 is no longer stored"),
        "{}",
        ended.stderr
    );
    for more in [
        &["--set", "model.temperature=1"][..],
        &["--max-turns", "2"],
        &["--run-dir", "x"],
    ] {
        let ended = ask_again(&place, &second, &[&["--at", "2", "--dry", "1"], more].concat());
        assert_eq!(ended.code, Some(2), "{more:?}");
        assert!(ended.stderr.contains("starts no run"), "{more:?}: {}", ended.stderr);
    }
    assert_eq!(second.requests().len(), 4);
}

#[test]
fn a_dry_fork_reads_replies_without_limits_that_came_later() {
    let first = python(&STROKES);
    let place = Workplace::new();
    place.run(&first, &["--max-turns", "3", "Draw a cat"]);
    std::fs::create_dir_all(place.path("config/franz")).unwrap();
    let limits =
        "[gate]\nmode = \"ask\"\n[protocol.tools]\nleft_click = false\n[[screen.mask]]\nwindow = \"KeePass*\"\n";
    std::fs::write(place.path("config/franz/franz.toml"), limits).unwrap();
    let second = python(&["left_click(500, 500)"]);
    let ended = ask_again(&place, &second, &["--at", "3", "--dry", "1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stdout.ends_with("same as the record: 1 of 1\n"),
        "{}",
        ended.stdout
    );
    assert!(!ended.stderr.contains("gate.mode"), "{}", ended.stderr);
}

#[test]
fn what_cannot_be_forked_is_refused_before_anything_is_made() {
    let server = python(&["pass"]);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "1"]);
    let asked = server.requests().len();
    for (more, why) in [
        (&["--at", "7"][..], "run has no turn 7; its last turn is 1"),
        (&["--at", "0"], "use a whole number from 1"),
        (&["--at", "1", "--resume", "run"], "a fork is a new run"),
        (&["--at", "1", "--set", "model.nonsense=1"], "model.nonsense"),
        (&["--at", "1", "--dry", "0"], "0 is not in"),
    ] {
        let resumes = more.contains(&"--resume");
        let ended = if resumes {
            spawn(place.program(&[&["fork", "run"], more].concat())).finish()
        } else {
            fork(&place, &server, more)
        };
        assert_eq!(ended.code, Some(2), "{more:?}");
        assert!(ended.stderr.contains(why), "{more:?}: {}", ended.stderr);
        assert!(!place.file("../forked").exists(), "{more:?}");
    }
    let server_gone = [
        "fork",
        "run",
        "--at",
        "1",
        "--upstream",
        "http://127.0.0.1:1",
        "--no-panel",
        "--run-dir",
        "forked",
    ];
    let ended = spawn(place.program(&server_gone)).finish();
    assert_ne!(ended.code, Some(0));
    assert!(
        ended.stderr.contains("begin it with: franz run --resume"),
        "{}",
        ended.stderr
    );
    assert_eq!(server.requests().len(), asked);
}
