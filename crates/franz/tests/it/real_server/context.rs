//! Contexts as short as the defaults of servers. A run makes room for itself, reports this once, and repeats requests
//! that were refused.

use franz_record::Status;

use crate::harness::{Finished, Workplace, spawn};
use crate::real_server::parrot::{Parrot, Said};

/// The default context length of LM Studio and Ollama, in tokens.
const CONTEXT: u64 = 4096;
const TURNS: usize = 20;

/// Returns one reply per turn, in the form that this profile uses.
fn replies(profile: &str) -> Vec<Said> {
    let said = |number: usize| {
        let mark = format!("This is line number {number}.");
        let (x, y) = (100 + number * 20, 900 - number * 30);
        // The server enforces the order of the function's parameters, and FRANZ the order in the prompt.
        let (start, end) = ("\"start_coordinate\": [50, 60]", format!("\"coordinate\": [{x}, {y}]"));
        let places = if profile == "operator" {
            format!("{end}, {start}")
        } else {
            format!("{start}, {end}")
        };
        let call = format!(
            "<tool_call>\n{{\"name\": \"computer_use\", \"arguments\": {{\"action\": \"left_click_drag\", {places}}}}}\n</tool_call>"
        );
        let text = match profile {
            "draw" => format!("{mark}\n```python\ndrag(50, 60, {x}, {y})\n```"),
            "sketch" => format!("NARRATIVE: {mark}\nACTIONS:\n{call}"),
            "companion" => format!("STATUS: executing\nGOAL: Draw\nACTION: {call}\nSTORY: {mark}"),
            _ => format!(
                "{mark} The lines that I have drawn so far are all there, and the next one goes further.\n{call}"
            ),
        };
        Said { text, mark }
    };
    (1..=TURNS).map(said).collect()
}

fn server(profile: &str) -> Parrot {
    let model = "qwen3-vl-8b-instruct";
    Parrot::with_context("Qwen3-VL-Instruct", model, &replies(profile), Some(CONTEXT))
}

/// Runs this profile, or resumes it, for this many turns.
fn run(place: &Workplace, server: &Parrot, turns: usize, more: &[&str]) -> Finished {
    let turns = turns.to_string();
    let arguments = ["run", "--upstream", &server.url, "--max-turns", &turns];
    spawn(place.franz(&[&arguments, more].concat())).finish()
}

fn new<'a>(profile: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let delay = "loop.executing_delay_s=0";
    let run = [
        "--run-dir",
        "run",
        "--profile",
        profile,
        "--screen",
        "canvas",
        "--set",
        delay,
    ];
    [&run, more, &["Draw twenty lines"]].concat()
}

/// Fails unless every turn was answered and its actions were performed. Returns how many requests were refused.
fn refused(place: &Workplace, finished: &Finished, turns: usize) -> usize {
    let said = &finished.stdout;
    assert_eq!(finished.code, Some(0), "{said}\n{}", finished.stderr);
    let lines = place.turns();
    assert_eq!(lines.len(), turns);
    assert!(lines.iter().all(|line| line.status == Status::Ok), "{said}");
    assert!(lines[1..].iter().all(|line| line.acted.len() == 1), "{said}");
    let log = std::fs::read_to_string(place.file("exchange.log")).unwrap();
    log.matches(r#""status":400"#).count()
}

/// Runs this profile without any refused request, and returns its output.
fn fits(profile: &str) -> String {
    let (place, server) = (Workplace::new(), server(profile));
    let finished = run(&place, &server, TURNS, &new(profile, &[]));
    assert_eq!(refused(&place, &finished, TURNS), 0, "{}", finished.stdout);
    let told = finished.stdout.matches("the server's context of 4096 tokens is short");
    assert!(told.count() <= 2, "{}", finished.stdout);
    finished.stdout
}

#[test]
fn draw_and_sketch_fit_into_a_short_context() {
    fits("draw");
    fits("sketch");
}

#[test]
fn companion_fits_into_a_short_context() {
    fits("companion");
}

#[test]
fn operator_fits_into_a_short_context_and_says_which_setting_makes_it_longer() {
    let said = fits("operator");
    assert!(said.contains("llama-server --ctx-size 16384"), "{said}");
}

/// The server says nothing about a model that it does not list, so FRANZ learns the context length from a refusal.
#[test]
fn a_refused_length_is_mended_by_forgetting_also_on_resume() {
    let (place, server) = (Workplace::new(), server("operator"));
    let more = [
        "--model",
        "alias",
        "--family",
        "qwen3-vl",
        "--set",
        "memory.most_screenshots=9",
    ];
    for (turns, arguments) in [(6, new("operator", &more)), (9, vec!["--resume", "run"])] {
        let before = place.file("exchange.log");
        let before = std::fs::read_to_string(before).unwrap_or_default();
        let new = if turns == 6 { 6 } else { 3 };
        let finished = run(&place, &server, new, &arguments);
        let refusals = refused(&place, &finished, turns) - before.matches(r#""status":400"#).count();
        assert!((1..=3).contains(&refusals), "{refusals}: {}", finished.stdout);
        let told = "its context has 4096 tokens; asking again with a shorter one";
        assert!(finished.stdout.contains(told), "{}", finished.stdout);
    }
}
