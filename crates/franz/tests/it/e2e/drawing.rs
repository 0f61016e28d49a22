//! The first thing a new user sees: a model draws a cat, makes a mistake, corrects it, and rests.

use franz_record::Status;

use crate::harness::{Workplace, artist};

#[test]
fn the_built_in_model_draws_its_cat_and_everything_is_on_disk() {
    let (place, server) = (Workplace::new(), artist());
    let finished = place.run(&server, &["--max-turns", "40"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);

    let turns = place.turns();
    assert_eq!(
        turns.iter().map(|turn| turn.turn).collect::<Vec<_>>(),
        (1..=40).collect::<Vec<_>>()
    );
    assert!(turns.iter().all(|turn| turn.status == Status::Ok));
    let mistakes: Vec<_> = turns
        .iter()
        .filter(|turn| turn.feedback.contains("TypeError: drag() missing"))
        .collect();
    assert_eq!(mistakes.len(), 1, "one mistake, and it learns from it");
    assert_eq!(
        turns[39].feedback, "OK: 0 actions executed (empty ```python block).",
        "it rests"
    );
    assert!(
        turns[39].reply.as_ref().unwrap().text().contains("exactly four"),
        "it still knows the rule"
    );

    let names =
        "config.toml state.json story.txt turns_0001_1000.jsonl canvas.jsonl canvas.png exchange.log agent.lock";
    for name in names.split(' ') {
        assert!(place.file(name).is_file(), "{name} is missing");
    }
    for turn in 1..=40 {
        for name in [format!("turn_{turn:04}.png"), format!("turn_{turn:04}.plain.png")] {
            let png = std::fs::read(place.file(&name)).unwrap();
            assert!(
                png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xaeB`\x82"),
                "{name}"
            );
        }
    }
    let story = std::fs::read_to_string(place.file("story.txt")).unwrap();
    assert_eq!(story, turns[39].reply.as_ref().unwrap().text());
    let leftovers = std::fs::read_dir(place.file("")).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|suffix| suffix == "tmp")
    });
    assert_eq!(leftovers.count(), 0);
}

#[test]
fn the_built_in_model_runs_inside_the_program() {
    let place = Workplace::new();
    let arguments = [
        "run",
        "--upstream",
        "demo",
        "--max-turns",
        "2",
        "--run-dir",
        "run",
        "--set",
        "loop.executing_delay_s=0",
    ];
    let finished = crate::harness::spawn(place.franz(&arguments)).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("(the built-in model)"), "{}", finished.stdout);
    assert!(
        place.turns()[1].feedback.starts_with("OK: "),
        "{}",
        place.turns()[1].feedback
    );
}

#[test]
fn every_turn_carries_the_duration_of_its_stages() {
    let (place, server) = (Workplace::new(), artist());
    place.run(&server, &["--max-turns", "2"]);
    let ms = place.turns()[1].ms;
    for stage in [ms.act, ms.mark, ms.scale, ms.encode, ms.request, ms.model, ms.record] {
        assert!(stage.get() > 0.0, "{ms:?}");
    }
}

#[test]
fn the_story_is_the_whole_second_of_three_messages() {
    let (place, server) = (Workplace::new(), artist());
    place.run(&server, &["--max-turns", "3"]);
    let requests = server.requests();
    let chats: Vec<serde_json::Value> = requests
        .iter()
        .filter_map(|request| serde_json::from_slice(&request.body).ok())
        .collect();
    assert_eq!(chats.len(), 3);
    for (chat, turn) in chats.iter().zip(place.turns()) {
        let messages = chat["messages"].as_array().unwrap();
        let roles: Vec<_> = messages
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["system", "user", "user"]);
        assert!(
            messages[0]["content"]
                .as_str()
                .unwrap()
                .contains("ASKED BY THE PERSON: Draw a large cat")
        );
        let parts = messages[2]["content"].as_array().unwrap();
        assert_eq!(parts[0]["text"].as_str().unwrap(), turn.feedback);
        assert!(
            parts[1]["image_url"]["url"]
                .as_str()
                .unwrap()
                .starts_with("data:image/png;base64,iVBOR")
        );
        assert_eq!(chat["max_tokens"], 900);
    }
    assert_eq!(chats[0]["messages"][1]["content"], "");
    assert_eq!(
        chats[2]["messages"][1]["content"],
        place.turns()[1].reply.as_ref().unwrap().text()
    );
}

#[test]
fn a_canvas_begins_with_the_drawing_of_the_settings() {
    let (place, server) = (Workplace::new(), artist());
    let drawing = r#"screen.drawing=["drag(100, 500, 900, 500)", 'type("hello", 100, 100)']"#;
    let finished = place.run(&server, &["--max-turns", "1", "--set", drawing]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let picture = std::fs::read(place.file("turn_0001.plain.png")).unwrap();
    let resumed = place.resume(&server, &["--max-turns", "1"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let journal = std::fs::read_to_string(place.file("canvas.jsonl")).unwrap();
    let before = journal.lines().filter(|line| line.starts_with(r#"{"turn":0,"#));
    assert_eq!(before.count(), 2, "{journal}");

    let empty = Workplace::new();
    let server = artist();
    empty.run(&server, &["--max-turns", "1"]);
    assert_ne!(picture, std::fs::read(empty.file("turn_0001.plain.png")).unwrap());

    for (action, told) in [
        ("fly(1, 2)", "fly"),
        ("wait(1)", "only clicks, drag and type can draw"),
        ("type(\"hello\")", "requires a prior left_click()"),
    ] {
        let place = Workplace::new();
        let refused = place.run(
            &server,
            &["--max-turns", "1", "--set", &format!("screen.drawing=[{action:?}]")],
        );
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("screen.drawing: ") && refused.stderr.contains(told),
            "{}",
            refused.stderr
        );
    }
}
