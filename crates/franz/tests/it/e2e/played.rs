//! The cat is drawn in every dialect, with the built-in model playing a model of another family.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use franz_demo::picture::Pixels;
use franz_demo::{cat, eye};
use franz_dialect::Family;
use franz_record::{Status, TurnLine};

use crate::harness::{Workplace, spawn};

/// A `franz demo-model` process, which is killed when this value is dropped.
struct Model {
    child: Child,
    url: String,
}

impl Model {
    /// Starts a model of this family on a free port.
    fn start(place: &Workplace, family: &str, more: &[&str]) -> Model {
        let arguments = ["demo-model", "--port", "0", "--delay", "0", "--family", family];
        let mut command = place.program(&[&arguments, more].concat());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("{family}: {line}")).to_owned();
        Model { child, url }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A run's profile, family and flags for the model.
type Run = (&'static str, &'static str, &'static [&'static str]);

/// Draws a cat and checks that it is complete. Returns the turns.
fn draw((profile, family, flags): Run) -> Vec<TurnLine> {
    let place = Workplace::new();
    let model = Model::start(&place, family, flags);
    let arguments = [
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &model.url,
        "--profile",
        profile,
        "--screen",
        "canvas",
        "--max-turns",
        match profile {
            "operator" | "companion" => "110",
            // Rows of dots take a while.
            _ if family == "holo1" => "60",
            _ => "30",
        },
        "--set",
        "loop.executing_delay_s=0",
        "--set",
        "loop.monitoring_delay_s=0",
        "--set",
        "image.width=512",
        "--set",
        "image.height=288",
        "Draw a large cat.",
    ];
    let finished = spawn(place.franz(&arguments)).finish();
    assert_eq!(finished.code, Some(0), "{profile} {family}: {}", finished.stderr);
    let turns = place.turns();
    let canvas = Pixels::from_png(&std::fs::read(place.file("canvas.png")).unwrap()).unwrap();
    for (part, drawn) in cat::parts().iter().zip(eye::look(&canvas, &cat::parts())) {
        let last = turns
            .last()
            .map(|turn| (&turn.feedback, turn.reply.as_ref().map(franz_json::Story::text)));
        assert!(!drawn.contains(&false), "{profile} {family}: {} {last:?}", part.name);
    }
    for turn in &turns {
        assert_eq!(turn.status, Status::Ok, "{profile} {family}");
        assert!(
            !turn.feedback.contains("not done"),
            "{profile} {family}: {}",
            turn.feedback
        );
    }
    turns
}

fn all_draw(runs: &[Run]) {
    for some in runs.chunks(3) {
        std::thread::scope(|scope| {
            for run in some {
                scope.spawn(|| draw(*run));
            }
        });
    }
}

#[test]
fn every_dialect_draws_the_cat() {
    let runs: [Run; 11] = [
        ("sketch", "qwen2.5-vl", &["--resize", "smart-28", "--noise", "0.4"]),
        ("sketch", "qwen3.5", &["--resize", "smart-32"]),
        ("sketch", "ui-tars-1.5", &["--resize", "smart-28"]),
        ("sketch", "seed", &["--noise", "0.4"]),
        ("sketch", "opencua", &["--resize", "smart-28"]),
        ("sketch", "scalecua", &["--noise", "0.4"]),
        ("sketch", "glm-v", &[]),
        ("sketch", "holo2", &[]),
        ("sketch", "showui", &[]),
        ("sketch", "molmo", &[]),
        // Holo1 was trained to click and not to drag, so its lines are rows of dots.
        ("sketch", "holo1", &["--resize", "smart-28"]),
    ];
    let dialects = runs.map(|(_, family, _)| Family::named(family).unwrap().dialect.name);
    for family in Family::all() {
        let is_played = dialects.contains(&family.dialect.name) || family.dialect.is_read_only();
        assert!(is_played, "list a family of {} above", family.dialect.name);
    }
    all_draw(&runs);
}

#[test]
fn the_cat_is_drawn_a_call_at_a_time_in_text_and_by_functions() {
    all_draw(&[
        ("operator", "qwen3-vl", &[]),
        ("operator", "ui-tars-1.5", &[]),
        ("operator", "molmo", &[]),
        // The template of Gemma's server drops functions, so both functions and calls are text.
        ("operator", "gemma", &[]),
        ("companion", "holo2", &[]),
        ("companion", "scalecua", &[]),
    ]);
}

#[test]
fn python_calls_use_the_familys_numbers() {
    let turns = draw(("draw", "kimi", &["--noise", "0.4"]));
    let first = turns[0].reply.as_ref().unwrap().text();
    assert!(first.contains("drag(0."), "{first}");
}
