//! The sections protocol: its feedback with mode and goal, and a thought as four sections with one call.

use franz_action::{Action, Point};

use crate::artist::{Hand, Step, Thought};
use crate::heard::Heard;
use crate::rules::Rules;
use crate::words;

/// How the line of the mode begins in every feedback of this protocol.
pub const MODE: &str = "Current mode:";
const GOAL: &str = "Current goal:";
const LAST: &str = "Last action performed:";

/// What this model wants where nobody told it what to want.
const OWN_GOAL: &str = "Draw a white cat with a curled tail that says meow.";
/// Written where nothing is to be drawn.
const LOOK: Action = Action::Observe;

/// What the feedback says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether FRANZ only watches now.
    pub monitoring: bool,
    /// The goal in force, as it was written; empty when there is none.
    pub goal: String,
    /// What became of the last action.
    pub heard: Heard,
    /// Where the last action clicked.
    pub clicked: Option<Point>,
}

impl Report {
    /// Reads the feedback; without a mode in it, the mode is executing.
    pub fn read(feedback: &str) -> Report {
        let after = |label| feedback.lines().find_map(move |line| line.strip_prefix(label));
        let last = after(LAST).unwrap_or_default().trim();
        let (call, outcome) = last.split_once(" -> ").unwrap_or((last, ""));
        let done = outcome == "done" || outcome.starts_with("done:");
        Report {
            monitoring: after(MODE).is_some_and(|mode| mode.trim().eq_ignore_ascii_case("monitoring")),
            goal: goal(feedback),
            heard: match outcome.split_once(": ").unwrap_or((outcome, outcome)) {
                _ if done => Heard::Fine,
                ("", _) => Heard::Nothing,
                ("ignored", _) => Heard::complaint(call, "switched off"),
                (_, reason) => Heard::complaint(call, reason),
            },
            clicked: match call.parse() {
                Ok(Action::LeftClick(at)) if done => Some(at),
                _ => None,
            },
        }
    }

    /// How much may be done now.
    pub fn hand(&self) -> Hand {
        Hand::One { clicked: self.clicked }
    }
}

/// The goal, which people may write in several lines.
fn goal(feedback: &str) -> String {
    let from = feedback.lines().skip_while(|line| !line.starts_with(GOAL));
    let lines: Vec<&str> = from.take_while(|line| !line.starts_with(LAST)).collect();
    let goal = lines.join("\n");
    goal.strip_prefix(GOAL).unwrap_or_default().trim().to_owned()
}

/// What is remembered from a story; nothing is to be learned here that is not learned everywhere.
pub fn rules(story: &str) -> Rules {
    Rules::remembered(story)
}

/// The whole reply.
///
/// Nothing is drawn while monitoring: an unfinished cat first calls for a change of the mode, and a turn later for work.
pub fn reply(thought: &Thought, report: &Report) -> String {
    let draws = !thought.is_idle();
    let wakes = draws && report.monitoring;
    let status = match (&thought.step, report.monitoring) {
        (Step::Draw(_) | Step::DrawWrongly(_), _) => "executing",
        (Step::Rest, false) => "completed",
        (Step::Rest, true) | (Step::Wait, _) => "monitoring",
    };
    let goal = match report.goal.as_str() {
        goal if !wakes && !goal.is_empty() => goal,
        _ => OWN_GOAL,
    };
    let call = thought.calls().into_iter().next().filter(|_| draws && !wakes);
    let plan = if wakes {
        "My cat is not complete, so I go to work.".to_owned()
    } else {
        words::plan(thought)
    };
    format!(
        "STATUS: {status}\nGOAL: {goal}\nACTION: {}\nSTORY: {} {plan}\n{}\n",
        call.unwrap_or_else(|| LOOK.to_string()),
        words::seen(thought),
        thought.rules.list(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::rules::Rule;
    use serde_json::json;

    /// As many as there are strokes, a click for the word, the mistake, the completion, and some to spare.
    const MOST_TURNS: usize = 160;

    /// An agent that reads sections.
    struct Session {
        agent: Agent,
        story: String,
        mode: String,
        goal: String,
        last: String,
    }

    impl Session {
        fn new(mode: &str) -> Session {
            Session {
                agent: Agent::new((1536, 864)),
                story: String::new(),
                mode: mode.to_owned(),
                goal: "Draw me a cat.".to_owned(),
                last: "init".to_owned(),
            }
        }

        fn section(&self, name: &str) -> &str {
            let line = self.story.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim()
        }

        fn turn(&mut self) {
            let feedback = format!("{MODE} {}\n{GOAL} {}\n{LAST} {}", self.mode, self.goal, self.last);
            let request = json!({ "max_tokens": 1200, "messages": [
                { "role": "system", "content": "Write STATUS:, GOAL:, ACTION: and STORY:" },
                { "role": "user", "content": self.story },
                { "role": "user", "content": [{ "type": "text", "text": feedback }, self.agent.picture()] },
            ]});
            let choice = self.agent.ask(&request);
            self.story = choice["message"]["content"].as_str().unwrap().to_owned();
            self.mode = self.section("STATUS:").replace("completed", "monitoring");
            self.goal = self.section("GOAL:").to_owned();
            let call = self.section("ACTION:").to_owned();
            self.last = match call.parse::<Action>() {
                Ok(Action::Observe) => format!("{call} -> done"),
                Ok(_) if self.mode == "monitoring" => format!("{call} -> blocked"),
                Ok(action) if self.agent.sandbox.perform(&action) => format!("{call} -> done"),
                Ok(_) => format!("{call} -> not applied: type() requires a prior left_click() to set cursor position"),
                Err(error) => format!("{call} -> malformed: {error}"),
            };
        }

        /// Turns until the mode is monitoring; gives the numbers of those with a mistake.
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
    fn an_unfinished_cat_ends_the_monitoring_but_nothing_is_drawn_in_it() {
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
    fn what_is_no_canvas_is_only_watched() {
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
        let failed = |words: &str| Heard::Failed(words.to_owned());
        let cases = [
            ("init", Heard::Nothing, None),
            ("none", Heard::Nothing, None),
            ("", Heard::Nothing, None),
            ("drag(1, 2, 3, 4) -> done", Heard::Fine, None),
            ("left_click(1, 2) -> done", Heard::Fine, Some(at)),
            ("left_click(1, 2) -> done: a note", Heard::Fine, Some(at)),
            ("left_click(1, 2) -> blocked", failed("left_click(1, 2): blocked"), None),
            ("type(\"meow\") -> ignored", Heard::NoTool("type"), None),
            (
                "left_click(1, 2) -> interrupted",
                failed("left_click(1, 2): interrupted"),
                None,
            ),
            (
                &format!("drag(1, 2, 3) -> malformed: {missing}"),
                Heard::TooFewNumbers,
                None,
            ),
            (
                &format!("type(\"meow\") -> not applied: {reason}"),
                Heard::NoEffect,
                None,
            ),
            (
                "type(\"meow\") -> malformed: unknown tool 'type'",
                Heard::NoTool("type"),
                None,
            ),
        ];
        for (last, heard, clicked) in cases {
            let feedback = format!("{MODE} executing\n{GOAL} draw\n{LAST} {last}\n\nNOTICE: hello");
            let wanted = Report {
                monitoring: false,
                goal: "draw".to_owned(),
                heard,
                clicked,
            };
            assert_eq!(Report::read(&feedback), wanted, "{feedback}");
        }
    }

    #[test]
    fn modes_and_goals_are_read_as_far_as_they_are_there() {
        let cases = [
            ("", false, ""),
            ("Current mode: Monitoring", true, ""),
            (
                "Current mode: monitoring\nCurrent goal: a\n\n b \nLast action performed: init",
                true,
                "a\n\n b",
            ),
            ("Current goal:\nLast action performed: none", false, ""),
        ];
        for (feedback, monitoring, goal) in cases {
            let report = Report::read(feedback);
            assert_eq!(
                (report.monitoring, report.goal.as_str()),
                (monitoring, goal),
                "{feedback}"
            );
        }
    }
}
