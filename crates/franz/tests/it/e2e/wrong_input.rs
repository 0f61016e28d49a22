//! Wrong input gets one clear line that says what to do, and the right exit code. FRANZ leaves no half-finished work
//! behind.

use crate::harness::{Finished, Workplace, python, scripted, spawn, url};

/// Runs FRANZ, which must print one line on stderr with all of these words.
fn refused(place: &Workplace, arguments: &[&str], code: i32, words: &[&str]) -> Finished {
    let finished = spawn(place.franz(arguments)).finish();
    assert_eq!(
        finished.code,
        Some(code),
        "{arguments:?}: {}{}",
        finished.stdout,
        finished.stderr
    );
    assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
    for word in words {
        assert!(finished.stderr.contains(word), "{word:?} is not in {}", finished.stderr);
    }
    assert!(!finished.stderr.contains("panicked"));
    finished
}

#[test]
fn invalid_settings_are_refused() {
    let place = Workplace::new();
    let cases: [(&[&str], &[&str]); 24] = [
        (
            &["calibrate", "--upstream", "demo"],
            &["the built-in model answers no questions", "franz demo-model --family"],
        ),
        (&["run", ""], &["the goal is empty; write one, or leave out the quotes"]),
        (&["run", " ", ""], &["the goal is empty"]),
        (
            &["run", "--model", ""],
            &["--model: model.name must be a text that is not empty"],
        ),
        (&["run", "--profile", "darw"], &["no profile 'darw'", "'draw'"]),
        (
            &["run", "--set", "loop.exeuting_delay_s=1"],
            &["unknown key", "did you mean 'loop.executing_delay_s'?"],
        ),
        (
            &["run", "--set", "image.width=wide"],
            &["--set: image.width must be a whole number from 16 to 8192"],
        ),
        (&["run", "--set", "image.width"], &["KEY=VALUE"]),
        (
            &["run", "--screen", "wall"],
            &["screen.kind must be one of \"canvas\", \"desktop\""],
        ),
        (
            &["run", "--set", "model.fallback=[4]"],
            &["model.fallback must be a list of strings, not [4]"],
        ),
        (
            &["run", "--set", "screen.mask=[{area=[0,0,9,1001]},{wndow='a'}]"],
            &[
                "mask 1: area needs four whole numbers",
                "mask 2: there is no key 'wndow'",
            ],
        ),
        (
            &["run", "--scenario", "0"],
            &["--scenario 0", "from 1 to 6", "franz scenarios"],
        ),
        (
            &["run", "--profile", "sketch", "--scenario", "6"],
            &["--scenario 6", "from 1 to 5"],
        ),
        (
            &["run", "--set", "prompt.scenarios=[]", "--scenario", "1"],
            &["these settings have no scenarios", "franz run \"GOAL\""],
        ),
        (&["run", "--profile", "operator"], &["needs a goal", "--scenario N"]),
        (
            &["run", "--set", "protocol.kind=tools"],
            &["needs memory.kind = \"conversation\""],
        ),
        (
            &["run", "--set", "memory.kind=conversation"],
            &["needs protocol.kind = \"tools\""],
        ),
        (
            &["run", "--set", "loop.modes=true"],
            &["needs protocol.kind = \"sections\""],
        ),
        (&["scenarios", "--profile", "darw"], &["no profile 'darw'"]),
        (&["run", "--upstream", "ftp://x"], &["\"ftp://x\" has the scheme ftp"]),
        (
            &["run", "--resume", "nowhere"],
            &[
                "there is no run nowhere; name its directory, or use last",
                "put a goal after it: franz run --resume last \"Draw a hat\"",
            ],
        ),
        (
            &["replay", "nowhere"],
            &["there is no run nowhere; name its directory, or use last (franz runs lists all runs)\n"],
        ),
        (&["profiles", "darw"], &["no profile 'darw'"]),
        (&["--max-turns", "3", "run"], &["options of a run after the command"]),
    ];
    for (arguments, words) in cases {
        refused(&place, arguments, 2, words);
    }
    assert!(!place.path("runs").exists(), "nothing was made");
}

#[test]
fn a_goal_beside_a_scenario_is_refused() {
    let place = Workplace::new();
    let both = spawn(place.franz(&["run", "Draw a house", "--scenario", "1"])).finish();
    assert_eq!(both.code, Some(2));
    assert!(
        both.stderr.contains("cannot be used with '--scenario"),
        "{}",
        both.stderr
    );
    assert!(!place.path("runs").exists(), "nothing was made");
}

#[test]
fn a_password_in_an_address_is_refused_and_not_repeated() {
    let place = Workplace::new();
    for command in ["run", "doctor"] {
        let address = "http://me:opensesame@127.0.0.1:1234";
        let finished = spawn(place.franz(&[command, "--upstream", address])).finish();
        let told = format!("{}{}", finished.stdout, finished.stderr);
        assert_eq!(finished.code, Some(2), "{told}");
        assert!(told.contains("contains a user name or password"), "{told}");
        assert!(!told.contains("opensesame"), "{told}");
    }
}

#[test]
fn invalid_variables_are_refused() {
    let place = Workplace::new();
    let cases = [
        (
            "AGENT_STEP_DELAY",
            "0.4s",
            "AGENT_STEP_DELAY: loop.executing_delay_s must be a number",
        ),
        (
            "LMSTUDIO_MAX_TOKENS",
            "0",
            "LMSTUDIO_MAX_TOKENS: model.max_tokens must be a whole number",
        ),
        (
            "FRANZ_MODEL__NAM",
            "x",
            "FRANZ_MODEL__NAM: unknown key 'model.nam'; did you mean 'FRANZ_MODEL__NAME'?",
        ),
    ];
    for (variable, text, words) in cases {
        let mut franz = place.franz(&["run", "--upstream", "demo"]);
        franz.env(variable, text);
        let finished = spawn(franz).finish();
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
}

#[test]
fn broken_configuration_names_the_place() {
    let place = Workplace::new();
    std::fs::write(place.path("franz.toml"), "[image]\nwidth = 100\nheight = = 3\n").unwrap();
    refused(&place, &["run", "--upstream", "demo"], 2, &["franz.toml:3:"]);
    let masks = "[screen]\nwidth = 100\n\n[[screen.mask]]\narea = [0, 0, 9, 9]\n\n[[screen.mask]]\nwindow = ''\n";
    std::fs::write(place.path("franz.toml"), masks).unwrap();
    refused(
        &place,
        &["run", "--upstream", "demo"],
        2,
        &["franz.toml:4:", "screen.mask must be", "mask 2: window needs"],
    );
    std::fs::write(place.path("franz.toml"), "[model]\ntemprature = 1\n").unwrap();
    refused(
        &place,
        &["run", "--upstream", "demo"],
        2,
        &["franz.toml:2:1", "did you mean 'model.temperature'?"],
    );
}

#[test]
fn a_server_that_rejects_the_key_is_refused() {
    let place = Workplace::new();
    let locked = scripted(&[r#"{"status": 401, "json": {"error": {"message": "wrong key"}}}"#]);
    let locked = url(&locked);
    let finished = refused(
        &place,
        &["run", "--upstream", &locked, "--max-turns", "5"],
        3,
        &["FRANZ_API_KEY"],
    );
    assert!(
        finished
            .stdout
            .contains("failed: the model server rejected the request with 401"),
        "{}",
        finished.stdout
    );
}

#[test]
fn unwritable_places_are_refused() {
    let server = python(&["pass"]);
    let url = url(&server);
    let place = Workplace::new();
    std::fs::write(place.path("file"), "").unwrap();
    refused(
        &place,
        &["run", "--upstream", &url, "--run-dir", "file/run"],
        2,
        &["file"],
    );
    refused(
        &place,
        &["run", "--upstream", &url, "--run-dir", "/proc/franz/run"],
        1,
        &["/proc/franz"],
    );
    place.run(&server, &["--max-turns", "1"]);
    refused(
        &place,
        &["run", "--upstream", &url, "--run-dir", "run"],
        2,
        &["--resume"],
    );
}
