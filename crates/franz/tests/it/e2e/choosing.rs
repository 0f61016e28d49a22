//! The choices that determine a run: profiles, scenarios, and settings from the environment.

use crate::harness::{Finished, Workplace, artist, python, spawn, url};

const PROFILES: [&str; 4] = ["draw", "sketch", "companion", "operator"];

/// Runs FRANZ, which must succeed without any complaint.
fn done(place: &Workplace, arguments: &[&str]) -> Finished {
    let finished = spawn(place.franz(arguments)).finish();
    assert_eq!(finished.code, Some(0), "{arguments:?}: {}", finished.stderr);
    assert_eq!(finished.stderr, "", "{arguments:?}");
    finished
}

#[test]
fn printed_profiles_work_as_files() {
    let place = Workplace::new();
    let list = done(&place, &["profiles"]).stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, PROFILES);
    for name in PROFILES {
        let text = done(&place, &["profiles", name]).stdout;
        std::fs::write(place.path("mine.toml"), text).unwrap();
        assert_eq!(
            done(&place, &["scenarios", "--profile", "mine.toml"]).stdout,
            done(&place, &["scenarios", "--profile", name]).stdout
        );
    }
    std::fs::write(place.path("mine.toml"), done(&place, &["profiles", "draw"]).stdout).unwrap();
    place.run(&artist(), &["--profile", "mine.toml", "--max-turns", "1"]);
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    assert!(config.contains("ASKED BY THE PERSON: {goal}"), "{config}");
}

#[test]
fn the_schema_is_json() {
    let schema = done(&Workplace::new(), &["profiles", "--schema"]).stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["image"]["properties"]["width"]["maximum"], 8192);
    assert_eq!(
        schema["properties"]["protocol"]["properties"]["tools"]["additionalProperties"],
        false
    );
}

/// FRANZ does not complain if the reader of its output has gone.
#[test]
fn a_reader_may_stop_reading() {
    let place = Workplace::new();
    for arguments in [&["profiles", "--schema"][..], &["profiles", "draw"], &["scenarios"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut franz = place.franz(arguments);
        franz.stdout(writer);
        let finished = spawn(franz).finish();
        assert_eq!(
            (finished.code, finished.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn scenarios_are_listed_with_the_numbers_that_choose_them() {
    let (place, server) = (Workplace::new(), python(&["pass"]));
    let two = "[prompt]\nscenarios = [\n  { name = \"a cup\", goal = \"\\nDraw a cup.\\nNo saucer.\" },\n  { name = \"\\u001b[2J\", goal = \"Draw a spoon.\" },\n]\n";
    std::fs::write(place.path("mine.toml"), two).unwrap();
    let list = done(&place, &["scenarios", "--profile", "mine.toml"]).stdout;
    assert_eq!(list, "  1  a cup  Draw a cup.\n  2  \u{fffd}[2J   Draw a spoon.\n");
    assert!(done(&place, &["scenarios"]).stdout.starts_with("  1  a cat "));

    std::fs::write(place.path("none.toml"), "[prompt]\ngoal = \"Draw.\"\n").unwrap();
    let none = done(&place, &["scenarios", "--profile", "none.toml"]).stdout;
    assert!(none.starts_with("the profile none has no scenarios; "), "{none}");

    let url = url(&server);
    let common = [
        "--profile",
        "mine.toml",
        "--upstream",
        &url,
        "--max-turns",
        "1",
        "--run-dir",
        "run",
    ];
    done(&place, &[&common[..], &["--scenario", "2"]].concat());
    assert_eq!(place.turns()[0].goal.as_deref(), Some("Draw a spoon."));
    let resumed = place.resume(&server, &["--scenario", "1", "--max-turns", "1"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(place.turns()[1].goal.as_deref(), Some("\nDraw a cup.\nNo saucer."));
}

#[test]
fn customary_variables_name_settings_too() {
    let (place, server) = (Workplace::new(), python(&["pass"]));
    let mut franz = place.franz(&["run"]);
    franz.envs([
        (
            "LMSTUDIO_ENDPOINT",
            format!("{}/v1/chat/completions", url(&server)).as_str(),
        ),
        ("LMSTUDIO_MODEL", "my-model"),
        ("LMSTUDIO_TEMPERATURE", ""),
        ("AGENT_MAX_STEPS", "2"),
        ("AGENT_STEP_DELAY", "0"),
        ("AGENT_IMAGE_W", "80"),
        ("AGENT_IMAGE_H", "60"),
        ("FRANZ_IMAGE__HEIGHT", "45"),
        ("AGENT_DUMP_DIR", "dumps"),
    ]);
    let finished = spawn(franz).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let runs: Vec<_> = std::fs::read_dir(place.path("dumps")).unwrap().collect();
    let [Ok(run)] = &runs[..] else { panic!("{runs:?}") };
    let config = std::fs::read_to_string(run.path().join("config.toml")).unwrap();
    for line in [
        "name = \"my-model\"",
        "temperature = 0.7",
        "max_turns = 2",
        "width = 80",
        "height = 45",
    ] {
        assert!(config.lines().any(|known| known == line), "{line}: {config}");
    }
    assert!(run.path().join("turn_0002.png").exists() && !run.path().join("turn_0003.png").exists());
}
