//! The prompt cache: a conversation only grows until FRANZ forgets a part of it, so the server reads little of it anew.

use franz_record::Tokens;

use crate::harness::{Workplace, spawn};
use crate::real_server::parrot::{Parrot, Said};

const TURNS: usize = 12;

#[test]
fn most_of_a_conversation_comes_from_the_cache() {
    let reply = |number: usize| {
        let mark = format!("This is line number {number}.");
        let end = format!("[{}, {}]", 100 + number * 20, 900 - number * 30);
        // A server holds a model to the order of the function's parameters.
        let call = format!(
            r#"{{"name": "computer_use", "arguments": {{"action": "left_click_drag", "coordinate": {end}, "start_coordinate": [50, 60]}}}}"#
        );
        let text = format!("{mark}\n<tool_call>\n{call}\n</tool_call>");
        Said { text, mark }
    };
    let replies: Vec<Said> = (1..=TURNS).map(reply).collect();
    let server = Parrot::with_context("Qwen3-VL-Instruct", "qwen3-vl-8b-instruct", &replies, Some(16_384));
    let place = Workplace::new();
    let turns = TURNS.to_string();
    let mut arguments = vec![
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &server.url,
        "--max-turns",
        &turns,
    ];
    arguments.extend(["--profile", "operator", "--screen", "canvas"]);
    let settings = ["loop.executing_delay_s=0", "image.width=672", "image.height=448"];
    arguments.extend(settings.into_iter().flat_map(|setting| ["--set", setting]));
    arguments.push("Draw twelve lines");
    let finished = spawn(place.franz(&arguments)).finish();
    let told = format!("{}\n{}", finished.stdout, finished.stderr);
    assert_eq!(finished.code, Some(0), "{told}");

    let lines = place.turns();
    assert_eq!(lines.len(), TURNS, "{told}");
    let later: Vec<Tokens> = lines[1..].iter().map(Tokens::of).collect();
    let mostly = later
        .iter()
        .filter(|tokens| tokens.cached > tokens.prompt / 10 * 7)
        .count();
    // In one turn, too many pictures have accumulated, and all but one are removed.
    assert!(mostly >= later.len() - 1, "{later:?}\n{told}");
    let usage = lines[1].usage.as_ref().unwrap().get();
    assert!(
        usage.contains(r#""read_per_s":"#) && usage.contains(r#""written_per_s":"#),
        "{usage}"
    );
}
