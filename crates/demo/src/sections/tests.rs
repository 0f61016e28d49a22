//! Tests the sections protocol with an agent that has a mode and a goal.

use super::*;
use crate::agent::TestAgent;
use crate::rules::Rule;
use franz_action::ToolSet;
use franz_dialect::{Geometry, call};
use serde_json::{Value, json};

/// The number of strokes, plus a click for the word, the mistake, the completion, and a few to spare.
const MOST_TURNS: usize = 110;

/// A test agent that reads sections.
struct Session {
    agent: TestAgent,
    story: String,
    mode: String,
    goal: String,
    last: String,
    /// Whether the picture shows marks for the last action.
    marks: bool,
}

impl Session {
    fn new(mode: &str) -> Session {
        Session {
            agent: TestAgent::new((512, 288)),
            story: String::new(),
            mode: mode.to_owned(),
            goal: "Draw me a cat.".to_owned(),
            last: "init".to_owned(),
            marks: false,
        }
    }

    fn section(&self, name: &str) -> &str {
        let line = self.story.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim()
    }

    /// Returns the picture, with a red crosshair at the last action's position and, if it was a drag, a blue line along
    /// it.
    fn picture(&self) -> Value {
        let mut sandbox = self.agent.sandbox.clone();
        let (call, _) = self.last.split_once(" -> ").unwrap_or_default();
        if let (true, Ok(action)) = (self.marks, call::read(call, &ToolSet::all(), &Geometry::THOUSANDTHS))
            && let Some(at) = action.pointer()
        {
            let beside = |dx: i64, dy: i64| Point::clamped(i64::from(at.x.whole()) + dx, i64::from(at.y.whole()) + dy);
            sandbox.mark(beside(-20, 0), beside(20, 0), [255, 0, 0]);
            sandbox.mark(beside(0, -36), beside(0, 36), [255, 0, 0]);
            if let Action::Drag(path) = action {
                sandbox.mark(path.from(), path.to(), [0, 0, 255]);
            }
        }
        self.agent.picture_of(&sandbox)
    }

    fn turn(&mut self) {
        let feedback = format!("{MODE} {}\n{GOAL} {}\n{LAST} {}", self.mode, self.goal, self.last);
        let request = json!({ "max_tokens": 1200, "messages": [
            { "role": "system", "content": "Write STATUS:, GOAL:, ACTION: and STORY:" },
            { "role": "user", "content": self.story },
            { "role": "user", "content": [{ "type": "text", "text": feedback }, self.picture()] },
        ]});
        let choice = self.agent.ask(&request);
        self.story = choice["message"]["content"].as_str().unwrap().to_owned();
        self.mode = self.section("STATUS:").replace("completed", "monitoring");
        self.goal = self.section("GOAL:").to_owned();
        let call = self.section("ACTION:").to_owned();
        self.last = match call::read(&call, &ToolSet::all(), &Geometry::THOUSANDTHS) {
            Ok(Action::Observe) => format!("{call} -> done"),
            Ok(_) if self.mode == "monitoring" => format!("{call} -> blocked"),
            Ok(action) if self.agent.sandbox.perform(&action) => format!("{call} -> done"),
            Ok(_) => format!("{call} -> not applied: type() requires a prior left_click() to set cursor position"),
            Err(error) => format!("{call} -> malformed: {error}"),
        };
    }

    /// Performs turns until the mode is monitoring; returns the numbers of the turns with a mistake.
    fn draw(&mut self) -> Vec<usize> {
        let mut mistakes = Vec::new();
        for turn in 1.. {
            self.turn();
            if self.last.contains("malformed") {
                mistakes.push(turn);
            }
            assert!(turn < MOST_TURNS && !self.last.contains("not applied"), "{}", self.last);
            if self.mode == "monitoring" {
                break;
            }
        }
        mistakes
    }
}

#[test]
fn the_whole_cat_is_drawn_with_one_mistake() {
    let mut session = Session::new("executing");
    session.agent.size = (1536, 864);
    assert_eq!(session.draw(), [3]);
    assert!(session.agent.shows_the_cat());
    assert_eq!(session.section("STATUS:"), "completed");
    assert_eq!(session.goal, "Draw me a cat.");
    assert!(session.story.contains(&Rule::FourNumbers.to_string()));
    session.turn();
    assert_eq!(session.section("STATUS:"), "monitoring");
    assert_eq!(session.section("ACTION:"), "observe()");
}

#[test]
fn strokes_hidden_by_marks_are_drawn_once_the_marks_are_gone() {
    let mut session = Session::new("executing");
    session.marks = true;
    assert_eq!(session.draw().len(), 1);
    assert!(session.agent.shows_the_cat());
}

#[test]
fn an_unfinished_cat_ends_monitoring_without_drawing() {
    let mut session = Session::new("monitoring");
    session.turn();
    assert_eq!(
        (session.mode.as_str(), session.last.as_str()),
        ("executing", "observe() -> done")
    );
    assert_eq!(session.goal, OWN_GOAL);
    session.draw();
    assert!(session.agent.shows_the_cat());
}

#[test]
fn a_wiped_canvas_is_drawn_again_without_the_mistake() {
    let mut session = Session::new("executing");
    for _ in 0..6 {
        session.turn();
    }
    session.agent.sandbox.fill([0; 3]);
    assert!(session.draw().is_empty());
    assert!(session.agent.shows_the_cat());
}

#[test]
fn a_screen_without_the_canvas_is_only_watched() {
    let mut session = Session::new("executing");
    session.agent.sandbox.fill([236; 3]);
    session.turn();
    assert_eq!(
        (session.mode.as_str(), session.last.as_str()),
        ("monitoring", "observe() -> done")
    );
}

#[test]
fn feedback_is_understood() {
    let at = Point::clamped(1, 2);
    let missing = "drag() missing 1 required positional argument: 'y2'";
    let reason = "type() requires a prior left_click() to set cursor position";
    let failed = |words: &str| Feedback::Failed(words.to_owned());
    let cases = [
        ("init", Feedback::Nothing, None),
        ("none", Feedback::Nothing, None),
        ("", Feedback::Nothing, None),
        ("drag(1, 2, 3, 4) -> done", Feedback::Fine, None),
        ("left_click(1, 2) -> done", Feedback::Fine, Some(at)),
        ("left_click(1, 2) -> done: a note", Feedback::Fine, Some(at)),
        ("left_click(1, 2) -> blocked", failed("left_click(1, 2): blocked"), None),
        ("type(\"meow\") -> ignored", Feedback::NoTool("type"), None),
        (
            "left_click(1, 2) -> interrupted",
            failed("left_click(1, 2): interrupted"),
            None,
        ),
        (
            &format!("drag(1, 2, 3) -> malformed: {missing}"),
            Feedback::TooFewNumbers,
            None,
        ),
        (
            &format!("type(\"meow\") -> not applied: {reason}"),
            Feedback::NoEffect,
            None,
        ),
        (
            "type(\"meow\") -> malformed: unknown tool 'type'",
            Feedback::NoTool("type"),
            None,
        ),
    ];
    for (last, heard, clicked) in cases {
        let feedback = format!("{MODE} executing\n{GOAL} draw\n{LAST} {last}\n\nNOTICE: hello");
        let wanted = SectionsFeedback {
            monitoring: false,
            goal: "draw".to_owned(),
            heard,
            clicked,
        };
        assert_eq!(SectionsFeedback::read(&feedback), wanted, "{feedback}");
    }
}

#[test]
fn missing_modes_and_goals_are_tolerated() {
    let cases = [
        ("", false, ""),
        ("Current mode: Monitoring", true, ""),
        (
            "Current mode: monitoring\nYOUR GOAL NOW: a\n\n b \nLast action performed: init",
            true,
            "a\n\n b",
        ),
        ("YOUR GOAL NOW:\nLast action performed: none", false, ""),
    ];
    for (feedback, monitoring, goal) in cases {
        let report = SectionsFeedback::read(feedback);
        assert_eq!(
            (report.monitoring, report.goal.as_str()),
            (monitoring, goal),
            "{feedback}"
        );
    }
}
