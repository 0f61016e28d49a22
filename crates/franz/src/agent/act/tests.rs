//! A person edits the settings while the actions of one reply are performed.

use std::sync::Arc;

use franz_record::TurnLine;

use super::super::grey;
use super::*;

/// Returns the turn after a reply with three clicks, and the clicks that were performed. During the first click,
/// `config.toml` is edited.
fn edited_during_first_click(from: &'static str, to: &'static str) -> (TurnLine, Vec<String>) {
    let fixture = grey::agent("```python\nleft_click(1, 2)\nleft_click(3, 4)\nleft_click(5, 6)\n```");
    let (agent, stop, events) = (fixture.agent, fixture.stop, fixture.events);
    let file = fixture.directory.path().join("run/config.toml");
    *fixture.shared.meanwhile.lock().unwrap() = Some(Box::new(move || {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from) || text.contains(to), "{text}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
    }));
    let shared = Arc::clone(&fixture.shared);
    let thread = std::thread::spawn(move || agent.run());
    let done = events.iter().find_map(|event| match event {
        Event::TurnDone(done) if done.turn == 2 => Some(*done),
        _ => None,
    });
    stop.end(Ending::Stopped);
    thread.join().unwrap();
    let done_before: Vec<String> = shared.done.lock().unwrap().iter().take(2).cloned().collect();
    (done.unwrap(), done_before)
}

fn outcomes(line: &TurnLine) -> Vec<&str> {
    line.acted.iter().map(|acted| acted.outcome.name()).collect()
}

#[test]
fn a_changed_goal_withdraws_the_remaining_actions() {
    let (line, done) = edited_during_first_click("goal = \"", "goal = \"Delete nothing. ");
    assert_eq!(outcomes(&line), ["done", "withdrawn", "withdrawn"]);
    assert_eq!(done[0], "left_click(1, 2)");
    for told in [
        "NOTICE: the rest of your last actions were not performed, because a person changed your task.",
        "The task is now: Delete nothing.",
    ] {
        assert!(line.feedback.contains(told), "{}", line.feedback);
    }
    assert!(line.goal.unwrap().starts_with("Delete nothing."));
}

#[test]
fn a_disabled_tool_stops_working_from_the_next_action() {
    let (line, done) = edited_during_first_click("left_click = true", "left_click = false");
    assert_eq!(outcomes(&line), ["done", "ignored", "ignored"]);
    assert_eq!(done, ["left_click(1, 2)"]);
}

#[test]
fn a_goal_that_changes_during_a_second_look_withdraws_the_action() {
    let mut fixture = grey::agent("```python\nleft_click(1, 2)\n```");
    fixture.enlarge();
    let file = fixture.directory.path().join("run/config.toml");
    let (agent, stop, events, server) = (fixture.agent, fixture.stop, fixture.events, fixture.server);
    let shared = Arc::clone(&fixture.shared);
    let mut looks = 0;
    *fixture.shared.before_picture.lock().unwrap() = Some(Box::new(move |_| {
        looks += usize::from(!server.requests().is_empty());
        *shared.grey.lock().unwrap() = if looks == 1 { 200 } else { 0 };
        if looks == 2 {
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text.replace("goal = \"", "goal = \"Delete nothing. ")).unwrap();
        }
    }));
    let thread = std::thread::spawn(move || agent.run());
    let done = events.iter().find_map(|event| match event {
        Event::TurnDone(done) if done.turn == 2 => Some(*done),
        _ => None,
    });
    stop.end(Ending::Stopped);
    thread.join().unwrap();
    assert_eq!(outcomes(&done.unwrap()), ["withdrawn"]);
}

#[derive(Debug)]
struct Silent;

impl franz_dialect::PlanReport for Silent {
    fn feedback(&self, _: &Plan, _: &[Outcome], _: &Scene<'_>) -> String {
        String::new()
    }
}

#[test]
fn the_result_of_an_edited_action_says_what_was_performed() {
    let step = |call: &str| franz_dialect::PlanStep {
        span: franz_dialect::ReplySpan::Text(0..0),
        text: call.to_owned(),
        shown: call.to_owned(),
        intent: Intent::Perform(call.parse().unwrap()),
    };
    let plan = Plan::new(vec![step("left_click(1, 2)"), step("left_click(3, 4)")], Silent);
    let decided = |action: &str| franz_record::RecordedDecision {
        what: "edited".to_owned(),
        by: "page".to_owned(),
        at: String::new(),
        ms: franz_record::Millis::default(),
        why: String::new(),
        action: Some(action.to_owned()),
    };
    let acted = |outcome: Outcome| Acted {
        decided: Some(decided("left_click(9, 9)")),
        ..Acted::new("left_click(1, 2)", outcome)
    };
    let second = Acted::new("left_click(3, 4)", Outcome::DONE);
    for (outcome, first) in [
        (Outcome::DONE, "left_click(9, 9)"),
        (Outcome::Held(String::new()), "left_click(1, 2)"),
    ] {
        let performed = as_performed(&plan, &[acted(outcome), second.clone()]);
        let actions: Vec<String> = performed.actions().map(ToString::to_string).collect();
        assert_eq!(actions, [first, "left_click(3, 4)"]);
    }
}
