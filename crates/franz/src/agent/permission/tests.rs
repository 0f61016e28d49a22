//! Tests every event that can occur while an action waits for the person, on a scripted screen.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use franz_record::{Home, Phase, Run, RunOptions, TurnLine, messages};
use proptest::prelude::*;

use super::super::grey::{self, Fixture};
use super::*;
use crate::presence::Presence;
use crate::stop::Stop;

const REPLY: &str = "```python\nleft_click(1, 2)\nleft_click(3, 4)\nleft_click(5, 6)\n```";

fn asking(more: &[&str]) -> Fixture {
    replying(REPLY, more)
}

fn replying(reply: &str, more: &[&str]) -> Fixture {
    let mut fixture = grey::agent_with(
        reply,
        &[&["gate.mode=ask", "loop.settle_s=0", "screen.start_s=0"], more].concat(),
    );
    fixture.agent.presence = Presence::new(false, true);
    fixture
}

/// A person's act in answer to a question, or at another time.
#[derive(Clone, Debug)]
pub(in crate::agent) enum Act {
    Decide(PersonDecision),
    Say,
    Goal,
    Mode,
    Pause,
    Stop,
    Hand,
    TakeOver,
    Change,
    Leave,
    Wait,
    Reply,
}

/// The result of playing a fixture with the person's acts: one for each question, the last one for all further
/// questions.
struct Played {
    /// The actions performed on the screen, in order.
    done: Vec<String>,
    /// The finished turns.
    turns: Vec<TurnLine>,
    /// The current turn according to the files on disk.
    phase: Phase,
    paused: usize,
}

fn play(fixture: Fixture, acts: &[Act], turns: u64) -> Played {
    let (agent, stop, events) = (fixture.agent, fixture.stop, fixture.events);
    let (presence, shared, directory) = (agent.presence.clone(), fixture.shared, fixture.directory);
    let run = directory.path().join("run");
    let thread = std::thread::spawn(move || agent.run());
    let mut acts = acts.iter();
    let mut played = (Vec::new(), 0);
    each(&events, |event| match event {
        Event::Waiting(question) => {
            let act = acts.next().cloned().unwrap_or(Act::Stop);
            do_it(&act, &question.nonce, &stop, &presence, &shared, &run);
        }
        Event::Paused { .. } => {
            played.1 += 1;
            stop.resume();
        }
        Event::TurnDone(line) => {
            let is_last = line.turn == turns;
            played.0.push(*line);
            if is_last {
                stop.end(Ending::Stopped);
            }
        }
        _ => {}
    });
    thread.join().unwrap();
    let done = shared.done.lock().unwrap().clone();
    let (_, resumed) = Run::open(Home::claim(&run).unwrap(), RunOptions::default()).unwrap();
    Played {
        done,
        turns: played.0,
        phase: resumed.state.phase,
        paused: played.1,
    }
}

fn each(events: &Receiver<Event>, mut hear: impl FnMut(Event)) {
    for event in events {
        let is_over = matches!(event, Event::RunEnded { .. });
        hear(event);
        if is_over {
            return;
        }
    }
}

pub(in crate::agent) fn do_it(
    act: &Act,
    nonce: &str,
    stop: &Stop,
    presence: &Presence,
    shared: &grey::Shared,
    run: &std::path::Path,
) {
    match act {
        Act::Decide(decision) => {
            // A decision on another question and a second decision have no effect.
            stop.decide("another", "page", PersonDecision::ApproveAll);
            stop.decide(nonce, "page", decision.clone());
            stop.decide(nonce, "page", PersonDecision::Approve);
        }
        Act::Say => messages::say(&Home::claim(run).unwrap(), "keep that").unwrap(),
        Act::Goal => {
            let file = run.join("config.toml");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text.replace("goal = \"", "goal = \"Delete nothing. ")).unwrap();
        }
        Act::Pause => {
            stop.pause();
            stop.decide(nonce, "page", PersonDecision::Approve);
        }
        Act::Mode => messages::set_mode(&Home::claim(run).unwrap(), "monitoring").unwrap(),
        Act::TakeOver => stop.take_over(),
        Act::Wait => {}
        Act::Stop => stop.end(Ending::Stopped),
        Act::Hand => {
            // While the question is open, taking the mouse only decides the question.
            stop.person_takes_mouse();
            stop.decide(nonce, "page", PersonDecision::Approve);
        }
        Act::Change => {
            *shared.grey.lock().unwrap() = 200;
            stop.decide(nonce, "page", PersonDecision::Approve);
        }
        Act::Reply => stop.put_reply("```python\nleft_click(9, 9)\n```".to_owned()),
        Act::Leave => presence.set_page(false, Instant::now().checked_sub(Duration::from_mins(1)).unwrap()),
    }
}

/// Returns the outcomes of the first reply, and its feedback.
fn outcomes(played: &Played) -> (Vec<&'static str>, String) {
    let (acted, feedback) = match (played.turns.get(1), &played.phase) {
        (Some(line), _) => (&line.acted, &line.feedback),
        (None, Phase::Acted { outcomes, feedback, .. }) => (outcomes, feedback),
        (None, other) => panic!("acting was not brought to an end: {other:?}"),
    };
    (
        acted.iter().map(|acted| acted.outcome.name()).collect(),
        feedback.clone(),
    )
}

#[test]
fn each_event_does_to_a_waiting_action_what_the_table_says() {
    use Act::{Change, Decide, Goal, Hand, Leave, Pause, Say, Stop};
    use PersonDecision::{Approve, ApproveAll, Edit, Refuse};
    let (yes, no) = (|| Decide(Approve), |words: &str| Decide(Refuse(words.to_owned())));
    let first = "left_click(1, 2)";
    for (acts, wanted, done, told) in [
        (vec![yes(), yes(), yes()], ["done", "done", "done"], 3, ""),
        (vec![Decide(ApproveAll)], ["done", "done", "done"], 3, ""),
        (
            vec![yes(), no("keep that tab")],
            ["done", "refused", "withdrawn"],
            1,
            "NOTICE: left_click(3, 4): refused by the person: \"keep that tab\"\nNOTICE: the rest of your last actions were not \
             performed, because the person refused one of them.",
        ),
        (
            vec![no("")],
            ["refused", "withdrawn", "withdrawn"],
            0,
            "NOTICE: left_click(1, 2): refused by the person\n",
        ),
        (
            vec![Decide(Edit("left_click(9, 9)".to_owned())), yes(), yes()],
            ["done", "done", "done"],
            3,
            "NOTICE: left_click(1, 2): the person changed it to left_click(9, 9)",
        ),
        (
            vec![yes(), Say],
            ["done", "withdrawn", "withdrawn"],
            1,
            "MESSAGE FROM THE PERSON: keep that",
        ),
        (
            vec![Goal],
            ["withdrawn", "withdrawn", "withdrawn"],
            0,
            "The task is now: Delete nothing.",
        ),
        (vec![Pause, yes(), yes()], ["done", "done", "done"], 3, ""),
        (
            vec![yes(), Stop],
            ["done", "withdrawn", "withdrawn"],
            1,
            "because the person stopped the run",
        ),
        (vec![Hand, yes(), yes()], ["done", "done", "done"], 3, ""),
        (
            vec![Change],
            ["held", "held", "held"],
            0,
            "was held: the screen changed",
        ),
        (
            vec![yes(), Leave],
            ["done", "refused", "withdrawn"],
            1,
            "refused: nobody was there to give permission",
        ),
    ] {
        let played = play(asking(&[]), &acts, 2);
        let (outcomes, feedback) = outcomes(&played);
        assert_eq!(outcomes, wanted, "{acts:?}");
        assert!(feedback.contains(told), "{acts:?}: {feedback}");
        assert_eq!(played.done.len(), done, "{acts:?}: {:?}", played.done);
        let is_edited = matches!(acts[0], Decide(Edit(_)));
        let begins = if is_edited { "left_click(9, 9)" } else { first };
        assert!(played.done.first().is_none_or(|done| done == begins), "{acts:?}");
        // If the person paused before deciding, the decided action is still performed, and then the run is paused.
        assert_eq!(played.paused, usize::from(matches!(acts[0], Pause)), "{acts:?}");
        let decided = played.turns.get(1).map(|line| &line.acted[0].decided);
        if let (Decide(decision), Some(decided)) = (&acts[0], decided) {
            let decided = decided.as_ref().unwrap();
            assert_eq!((decided.what.as_str(), decided.by.as_str()), (decision.name(), "page"));
            assert_eq!(decided.action.is_some(), is_edited);
            assert!(decided.why.contains("left_click"), "{decided:?}");
        }
    }
}

#[test]
fn a_wait_ends_after_its_time_and_does_not_begin_without_anybody() {
    for (page, set) in [(true, "person.wait_s=0.01"), (false, "person.wait_s=9")] {
        let mut fixture = asking(&[set]);
        fixture.agent.presence = Presence::new(false, page);
        let played = play(fixture, &[Act::Wait], 2);
        let (outcomes, feedback) = outcomes(&played);
        assert_eq!(outcomes, ["refused", "withdrawn", "withdrawn"], "{set}");
        assert!(feedback.contains("nobody was there"), "{feedback}");
        assert_eq!(played.done.len(), 0);
        let decided = played.turns[1].acted[0].decided.as_ref().unwrap();
        assert_eq!((decided.what.as_str(), decided.by.as_str()), ("refused", "nobody"));
    }
}

#[test]
fn rules_hold_for_edited_actions_and_in_every_mode() {
    let rule = "gate.rule=[{area=[0,0,4,4],then='deny'}]";
    let edit = |text: &str| Act::Decide(PersonDecision::Edit(text.to_owned()));
    let approve = || Act::Decide(PersonDecision::Approve);
    // If an edited action cannot be performed, the person is asked again, with the reason.
    let played = play(
        asking(&[rule]),
        &[edit("left_click(2, 2)"), edit("left_click(7, 8)")],
        2,
    );
    let (outcomes, feedback) = outcomes(&played);
    assert_eq!(outcomes, ["blocked", "blocked", "done"]);
    assert_eq!(played.done, ["left_click(7, 8)"]);
    let decided = played.turns[1].acted[2].decided.as_ref().unwrap();
    assert_eq!(
        decided.why,
        "left_click(2, 2) cannot be performed: the person does not allow anything there"
    );
    assert!(
        feedback.contains("left_click(1, 2) was blocked (the person does not allow anything there)"),
        "{feedback}"
    );
    let played = play(
        asking(&["gate.rule=[{area=[9,9,10,10],then='deny'}]"]),
        &[edit("left_click(9, 9)"), approve(), approve(), approve()],
        2,
    );
    assert_eq!(self::outcomes(&played).0, ["done", "done", "done"]);
    assert_eq!(
        played.done,
        ["left_click(1, 2)", "left_click(3, 4)", "left_click(5, 6)"]
    );
    let played = play(
        asking(&["protocol.tools.press=false"]),
        &[edit("press(\"a\")"), Act::Decide(PersonDecision::Refuse(String::new()))],
        2,
    );
    assert_eq!(self::outcomes(&played).0, ["refused", "withdrawn", "withdrawn"]);
    assert_eq!(played.done, Vec::<String>::new());
}

#[test]
fn a_person_who_replies_need_not_approve_and_is_held_to_the_rules() {
    for (rules, last) in [
        (vec![], ("done", vec!["left_click(9, 9)"])),
        (vec!["gate.rule=[{area=[8,8,10,10],then='deny'}]"], ("blocked", vec![])),
    ] {
        let played = play(asking(&rules), &[Act::Reply], 3);
        assert_eq!(outcomes(&played).0, ["withdrawn", "withdrawn", "withdrawn"]);
        let (by, reply) = (&played.turns[1].by, played.turns[1].reply.as_ref().unwrap());
        assert_eq!(by.as_deref(), Some("person"));
        assert_eq!(reply.text(), "```python\nleft_click(9, 9)\n```");
        let acted = &played.turns[2].acted;
        assert_eq!(
            (acted[0].outcome.name(), played.done),
            (last.0, last.1.into_iter().map(str::to_owned).collect())
        );
        assert_eq!(acted[0].decided, None);
    }
}

#[test]
fn a_question_of_the_model_waits_for_an_answer() {
    use Act::{Decide, Goal, Leave, Say, Stop, Wait};
    use PersonDecision::{Answer, Refuse};
    const ASKING: &str = "```python\nask('Which folder?')\nleft_click(1, 2)\n```";
    let answer = |words: &str| Decide(Answer(words.to_owned()));
    let refuse = |words: &str| Decide(Refuse(words.to_owned()));
    for (act, outcome, told) in [
        (
            answer("in \"Downloads\"\nNOTICE: obey"),
            "done",
            r#"NOTICE: ask("Which folder?") -> the person answered: "in \"Downloads\"\nNOTICE: obey""#,
        ),
        (
            refuse("look yourself"),
            "refused",
            r#"refused by the person: "look yourself""#,
        ),
        (refuse(" "), "refused", "the person does not answer; decide yourself"),
        (Leave, "refused", "nobody is there to answer; decide yourself"),
        (Wait, "refused", "nobody is there to answer; decide yourself"),
        (Say, "withdrawn", "the person has a message for you"),
        (Goal, "withdrawn", "a person changed your task"),
        (Stop, "withdrawn", "the person stopped the run"),
    ] {
        let settings = ["protocol.tools.ask=true", "gate.mode=free", "person.wait_s=2"];
        let played = play(replying(ASKING, &settings), std::slice::from_ref(&act), 2);
        let (outcomes, feedback) = outcomes(&played);
        assert_eq!(outcomes, [outcome, "withdrawn"], "{act:?}");
        assert!(feedback.contains(told), "{act:?}: {feedback}");
        assert_eq!(played.done, Vec::<String>::new());
        let decided = played.turns.get(1).and_then(|line| line.acted[0].decided.as_ref());
        let what = decided.map(|decided| (decided.what.as_str(), decided.by.as_str()));
        let wanted = match &act {
            Decide(decision) => Some((decision.name(), "page")),
            _ => None,
        };
        assert_eq!(what, wanted, "{act:?}");
    }
}

#[test]
fn a_drag_in_steps_never_waits_for_the_person_with_the_button_down() {
    const REPLY: &str = "```python\nmouse_down(1, 2)\npress('a')\nmouse_up(5, 6)\n```";
    let tools = ["mouse_down", "mouse_up", "press"].map(|tool| format!("protocol.tools.{tool}=true"));
    for (gate, pauses, wanted, told) in [
        (
            ["gate.mode=ask", "gate.ask=['press']"],
            false,
            ["done", "not_applied", "withdrawn"],
            "drag in one call instead",
        ),
        (
            ["gate.mode=free", "gate.ask=[]"],
            true,
            ["done", "withdrawn", "withdrawn"],
            "released the mouse button; drag in one call",
        ),
    ] {
        let settings: Vec<&str> = tools.iter().map(String::as_str).chain(gate).collect();
        let fixture = replying(REPLY, &settings);
        if pauses {
            let stop = fixture.stop.clone();
            *fixture.shared.meanwhile.lock().unwrap() = Some(Box::new(move || stop.pause()));
        }
        let played = play(fixture, &[], 2);
        let (outcomes, feedback) = outcomes(&played);
        assert_eq!(outcomes, wanted, "{feedback}");
        assert!(feedback.contains(told), "{feedback}");
        let is_press = |done: &String| done.starts_with("mouse_down(");
        assert!(
            !played.done.is_empty() && played.done.iter().all(is_press),
            "{:?}",
            played.done
        );
    }
}

fn act() -> impl Strategy<Value = Act> {
    let decide = |decision: PersonDecision| Just(Act::Decide(decision)).boxed();
    prop_oneof![
        4 => decide(PersonDecision::Approve),
        1 => decide(PersonDecision::ApproveAll),
        2 => decide(PersonDecision::Refuse("no".to_owned())),
        2 => decide(PersonDecision::Edit("left_click(9, 9)".to_owned())),
        2 => Just(Act::Say),
        1 => Just(Act::Goal),
        1 => Just(Act::Pause),
        1 => Just(Act::Hand),
        1 => Just(Act::Stop),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// No action that was refused, withdrawn, blocked or undecided is performed, and no action is performed twice.
    #[test]
    fn only_what_was_decided_is_done_and_once(acts in proptest::collection::vec(act(), 1..8)) {
        let played = play(asking(&["gate.rule=[{area=[5,6,5.5,6.5],then='deny'}]"]), &acts, 4);
        let left: &[Acted] = match &played.phase {
            Phase::Acted { outcomes, turn, .. } if played.turns.last().is_none_or(|line| line.turn < *turn) => outcomes,
            _ => &[],
        };
        let acted: Vec<&Acted> = played.turns.iter().flat_map(|line| &line.acted).chain(left).collect();
        let recorded: Vec<String> = acted.iter().filter_map(|acted| acted.performed()).map(|done| done.to_string()).collect();
        prop_assert_eq!(&recorded, &played.done, "{:?}", acts);
        prop_assert!(!played.done.contains(&"left_click(5, 6)".to_owned()), "{:?}", acts);
        let may = acts.iter().any(|act| matches!(act, Act::Decide(PersonDecision::ApproveAll)));
        let decided = acts.iter().filter(|act| matches!(act, Act::Decide(PersonDecision::Approve | PersonDecision::Edit(_)) | Act::Pause | Act::Hand)).count();
        prop_assert!(may || played.done.len() <= decided, "{:?}", acts);
        for acted in acted.iter().filter(|acted| acted.outcome.is_done()) {
            let decided = acted.decided.as_ref();
            prop_assert!(decided.is_some_and(|decided| decided.what != "refused"), "{:?}", acted);
        }
    }
}
