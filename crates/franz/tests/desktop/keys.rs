//! What programs on a desktop are told of keys.

use std::process::Command;

use crate::harness::{Workplace, scripted, spawn, url, wait_until};

#[test]
fn programs_are_not_given_the_api_key() {
    let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "a", "delay_s": 3600}"#]));
    let url = url(&server);
    let program = format!(
        "screen.start=[\"env > {0}.part && mv {0}.part {0}\"]",
        place.path("told").display()
    );
    let run = [
        "run",
        "--no-panel",
        "--run-dir",
        "run",
        "--screen",
        "virtual",
        "--upstream",
        &url,
        "--set",
        &program,
    ];
    let mut command: Command = place.program(&run);
    command
        .env("FRANZ_API_KEY", "sk-hidden-1")
        .env("OPENAI_API_KEY", "sk-hidden-2");
    let running = spawn(command);
    let told = wait_until("the program", || std::fs::read_to_string(place.path("told")).ok());
    assert!(told.contains("DISPLAY=:") && !told.contains("sk-hidden"), "{told}");
    running.signal("TERM");
    assert_eq!(running.finish().code, Some(143));
}
