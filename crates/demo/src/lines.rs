//! Implements the lines protocol: reads its feedback, and writes a thought as a narrative and a list of calls.

use franz_json::mend;

use crate::artist::Thought;
use crate::feedback::Feedback;
use crate::rules::{Rule, Rules};
use crate::speech::Voice;
use crate::words;

/// The beginning of the feedback.
pub(crate) const HEAD: &str = "EXECUTOR_FEEDBACK";
/// The text with which the feedback reports that the last reply contained no calls, also used before the first reply.
pub(crate) const NOTHING_FOUND: &str = "no actions found";

/// Reads the feedback, errors first: a model that reads a success before it learns of its mistake would repeat the
/// mistake.
pub(crate) fn hear(feedback: &str) -> Feedback {
    let ignored = || list(feedback, "ignored=").into_iter().find_map(|entry| ignored(&entry));
    let malformed = list(feedback, "malformed=");
    let malformed = malformed.first().map(|entry| match entry.split_once(" -> ERROR: ") {
        Some((call, words)) => Feedback::complaint(call, words),
        None => Feedback::complaint(entry, "malformed"),
    });
    malformed.or_else(ignored).unwrap_or_else(|| {
        if !list(feedback, "executed=").is_empty() {
            Feedback::Fine
        } else if feedback.lines().any(|line| line.trim().starts_with(NOTHING_FOUND)) {
            Feedback::NoCalls
        } else {
            Feedback::Nothing
        }
    })
}

/// Interprets an ignored call by its reason. If no reason is given, the call's tool is switched off.
fn ignored(entry: &str) -> Option<Feedback> {
    match entry.split_once(" -> ") {
        Some((call, reason)) => Some(Feedback::complaint(call, reason)),
        // A request for a picture is always ignored, because a picture is sent anyway.
        None if entry.starts_with("screenshot(") => None,
        None => Some(Feedback::complaint(entry, "switched off")),
    }
}

/// Returns the strings in one of the feedback's lists, which are JSON.
fn list(feedback: &str, name: &str) -> Vec<String> {
    let json = feedback.lines().find_map(|line| line.trim().strip_prefix(name));
    json.and_then(|json| serde_json::from_str(&mend(json.as_bytes())).ok())
        .unwrap_or_default()
}

/// Returns the rules remembered from a story, plus the lessons specific to this protocol.
pub(crate) fn rules(story: &str, heard: &Feedback) -> Rules {
    let mut rules = Rules::remembered(story);
    if *heard == Feedback::NoCalls {
        rules.learn(Rule::OwnLine);
    }
    rules
}

/// Returns the whole reply. No line before the actions' heading may look like a call, and every line after the heading
/// must look like one.
pub(crate) fn reply(thought: &Thought, voice: &Voice) -> String {
    let calls: Vec<String> = voice.calls.iter().map(|call| format!("{call}\n")).collect();
    format!(
        "NARRATIVE:\n{} {}{}\n\nACTIONS:\n{}",
        words::seen(thought),
        words::plan(thought),
        voice.rules,
        calls.concat(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::TestAgent;
    use franz_action::ToolSet;
    use franz_dialect::{Geometry, call};
    use serde_json::{Value, json};

    const MOST_TURNS: usize = 25;

    /// A test agent that reads lines.
    struct Session {
        agent: TestAgent,
        story: String,
        feedback: String,
    }

    impl Session {
        fn new() -> Session {
            Session {
                agent: TestAgent::new((512, 288)),
                story: String::new(),
                feedback: "no actions found in your previous output".to_owned(),
            }
        }

        fn turn(&mut self) -> String {
            let request = json!({ "max_tokens": 300, "messages": [
                { "role": "system", "content": "Draw. Write NARRATIVE: and ACTIONS:" },
                { "role": "user", "content": self.story },
                { "role": "user", "content": [{ "type": "text", "text": self.feedback }, self.agent.picture()] },
            ]});
            let choice = self.agent.ask(&request);
            self.story = choice["message"]["content"].as_str().unwrap().to_owned();
            self.feedback = self.act();
            self.story.clone()
        }

        fn act(&mut self) -> String {
            let (_, calls) = self.story.split_once("\nACTIONS:\n").unwrap();
            let (mut executed, mut malformed, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
            for call in calls.lines() {
                match call::read(call, &ToolSet::all(), &Geometry::THOUSANDTHS) {
                    Ok(action) if self.agent.sandbox.perform(&action) => executed.push(action.to_string()),
                    Ok(action) => ignored.push(format!(
                        "{action} -> type() requires a prior left_click() to set cursor position"
                    )),
                    Err(error) => malformed.push(format!("{call} -> ERROR: {error}")),
                }
            }
            let lists = [("executed", executed), ("malformed", malformed), ("ignored", ignored)];
            let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
            let lists: Vec<String> = lists.map(|(name, list)| format!("{name}={}", json!(list))).collect();
            if lists.is_empty() {
                return "no actions found in your previous output".to_owned();
            }
            format!("EXECUTOR_FEEDBACK:\n{}", lists.join("\n"))
        }
    }

    #[test]
    fn the_whole_cat_is_drawn_with_one_mistake() {
        let mut session = Session::new();
        let mut mistakes = Vec::new();
        let mut turn = 1;
        while !session.turn().contains("My cat is complete.") {
            if session.feedback.contains("malformed=") {
                mistakes.push(turn);
            }
            turn += 1;
            assert!(turn <= MOST_TURNS, "{}", session.story);
        }
        assert_eq!(mistakes, [3]);
        assert!(session.agent.shows_the_cat());
        assert!(session.story.ends_with("\n\nACTIONS:\n"), "{}", session.story);
        for rule in [Rule::FourNumbers, Rule::OwnLine] {
            assert!(session.story.contains(&rule.to_string()));
        }
    }

    #[test]
    fn learned_rules_survive_a_wiped_canvas() {
        let mut session = Session::new();
        for _ in 0..6 {
            session.turn();
        }
        session.agent.sandbox.fill([0; 3]);
        let mut turns = 0;
        while !session.turn().contains("My cat is complete.") {
            turns += 1;
            assert!(!session.feedback.contains("malformed=") && turns < MOST_TURNS);
        }
    }

    #[test]
    fn a_disabled_tool_is_avoided() {
        let mut session = Session::new();
        let mut turns = 0;
        while !session.turn().contains("My cat is complete.") {
            if session.story.contains("\ntype(") {
                session.feedback = r#"EXECUTOR_FEEDBACK:
                    ignored=["type(\"meow\")", "screenshot()"]"#
                    .to_owned();
                session.agent.sandbox.forget(1);
            }
            turns += 1;
            assert!(turns < MOST_TURNS);
        }
        assert!(session.story.contains("type() is not available here."));
    }

    #[test]
    fn feedback_is_understood() {
        let missing = "drag() missing 1 required positional argument: 'y2'";
        let head = "EXECUTOR_FEEDBACK:";
        let fine = r#"executed=["left_click(500, 500)"]"#;
        let value = Value::from(format!("drag(1, 2, 3) -> ERROR: {missing}"));
        let cases = [
            (String::new(), Feedback::Nothing),
            (head.to_owned(), Feedback::Nothing),
            ("no actions found in your previous output".to_owned(), Feedback::NoCalls),
            (format!("{head}\n{fine}"), Feedback::Fine),
            (format!("{head}\n{fine}\nignored=[\"screenshot()\"]"), Feedback::Fine),
            (format!("{head}\n{fine}\nmalformed=[{value}]"), Feedback::TooFewNumbers),
            (
                format!("{head}\n{fine}\nignored=[\"left_click(1, 2)\"]\n\nNOTICE: x"),
                Feedback::NoTool("left_click"),
            ),
            (
                format!("{head}\nignored=[\"type(\\\"a\\\") -> type() requires a prior left_click()\"]"),
                Feedback::NoEffect,
            ),
            (
                format!("{head}\nmalformed=[\"drag(1 \\ud800\"]"),
                Feedback::Failed("drag(1 \u{fffd}: malformed".to_owned()),
            ),
            (format!("{head}\nexecuted=[\"cut o"), Feedback::Nothing),
            (format!("{head}\nexecuted=[[[3]]]"), Feedback::Nothing),
        ];
        for (feedback, heard) in cases {
            assert_eq!(hear(&feedback), heard, "{feedback}");
        }
    }
}
