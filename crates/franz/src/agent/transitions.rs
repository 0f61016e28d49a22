//! Tests the effect of each act of a person, in each state of a run, on the model's reply. This is the table of events
//! and states, except for the row about an action that is waiting, which is in `permission`.

use franz_home::Home;
use franz_record::{Event, Phase, Run, RunOptions, TurnLine};

use super::grey;
use super::permission::tests::{Act, do_it};
use crate::presence::Presence;
use crate::stop::Ending;

const REPLY: &str = "```python\nleft_click(1, 2)\nleft_click(3, 4)\n```";

/// When the person acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum During {
    /// While the model thinks about its first reply.
    Thinking,
    /// While the run is paused and that reply is pending.
    Pending,
    /// During the first action of that reply.
    Acting,
    /// While the screen is settling after the reply's actions.
    Settling,
    /// After the person took over the screen while the model was thinking.
    TakenOver,
}

/// The effect of the person's act.
#[derive(Debug, Default)]
struct Came {
    /// The outcomes of the first reply's actions.
    outcomes: Vec<&'static str>,
    /// The turns for which a request was sent to the model, in order.
    asked: Vec<u64>,
    /// How many times the run has paused since.
    paused: usize,
    /// The actions performed on the screen.
    done: Vec<String>,
    turns: Vec<TurnLine>,
    told: String,
}

fn play(during: During, act: &Act) -> Came {
    // Makes the model think until the person has acted.
    let delay = if matches!(during, During::Thinking | During::TakenOver) {
        1.5
    } else {
        0.0
    };
    let script = format!(
        "{}\n{}",
        serde_json::json!({ "text": REPLY, "delay_s": delay }),
        serde_json::json!({ "text": REPLY })
    );
    let mut fixture = grey::agent_of(&script, &["loop.settle_s=0", "screen.start_s=0"]);
    fixture.agent.presence = Presence::new(false, true);
    let (agent, stop, events) = (fixture.agent, fixture.stop, fixture.events);
    let (presence, shared, directory) = (agent.presence.clone(), fixture.shared, fixture.directory);
    let run = directory.path().join("run");
    let person = {
        let (act, stop, shared, run) = (act.clone(), stop.clone(), shared.clone(), run.clone());
        move || do_it(&act, "", &stop, &presence, &shared, &run)
    };
    let mut once = Some(person.clone());
    let mut do_once = move || {
        if let Some(person) = once.take() {
            person();
        }
    };
    match during {
        During::Acting => *shared.meanwhile.lock().unwrap() = Some(Box::new(do_once)),
        // Act during the look that follows the reply's second action.
        During::Settling => {
            *shared.before_picture.lock().unwrap() = Some(Box::new(move |done| {
                if done == 2 {
                    do_once();
                }
            }));
        }
        _ => {}
    }
    let thread = std::thread::spawn(move || agent.run());
    let mut came = Came::default();
    let mut person = Some(person);
    let mut is_over = false;
    for event in &events {
        let is_time = match (during, &event) {
            (During::Pending, Event::Asking { turn: 1, .. }) => {
                stop.pause();
                false
            }
            (During::TakenOver, Event::Asking { turn: 1, .. }) if person.is_some() => {
                stop.take_over();
                false
            }
            (During::Thinking, Event::Asking { turn: 1, .. })
            | (During::Pending, Event::Paused { .. })
            | (During::TakenOver, Event::TakenOver { .. }) => true,
            _ => false,
        };
        let mut now = false;
        if let Some(person) = person.take_if(|_| is_time) {
            person();
            now = true;
        }
        match event {
            Event::Asking { turn, .. } => came.asked.push(turn),
            Event::TakenOver { .. } => stop.give_back(),
            Event::Paused { .. } => {
                came.paused += usize::from(!now);
                // If a takeover was requested a moment ago, the takeover ends the pause.
                if !stop.is_taken_over() {
                    stop.resume();
                }
            }
            Event::TurnDone(line) => {
                came.turns.push(*line);
                if came.turns.len() == 2 {
                    stop.end(Ending::Terminated);
                }
            }
            Event::RunEnded { .. } => is_over = true,
            _ => {}
        }
        if is_over {
            break;
        }
    }
    thread.join().unwrap();
    // A third turn might begin before the run ends.
    came.asked.retain(|turn| *turn <= 2);
    came.done = shared.done.lock().unwrap().clone();
    let (_, resumed) = Run::open(Home::claim(&run).unwrap(), RunOptions::default()).unwrap();
    let (acted, feedback) = match (came.turns.get(1), &resumed.state.phase) {
        (Some(line), _) => (line.acted.clone(), line.feedback.clone()),
        (None, Phase::Acted { outcomes, feedback, .. }) => (outcomes.clone(), feedback.clone()),
        (None, _) => (Vec::new(), String::new()),
    };
    came.outcomes = acted.iter().map(|acted| acted.outcome.name()).collect();
    let requests = fixture.server.requests();
    let requests = requests.iter().map(|request| String::from_utf8_lossy(&request.body));
    came.told = requests
        .map(String::from)
        .chain([feedback])
        .collect::<Vec<_>>()
        .join("\n");
    came
}

#[test]
fn each_event_does_in_each_state_what_the_table_says() {
    use Act::{Change, Goal, Hand, Mode, Pause, Reply, Say, Stop, TakeOver};
    use During::{Acting, Pending, Settling, TakenOver, Thinking};
    const DONE: [&str; 2] = ["done", "done"];
    const WITHDRAWN: [&str; 2] = ["withdrawn", "withdrawn"];
    let (message, goal) = ("MESSAGE FROM THE PERSON: keep that", "Delete nothing.");
    let handed = "the person used mouse and keyboard for";
    let cells = [
        // FRANZ sends the model a new request with the message.
        (Thinking, Say, &DONE[..], &[1, 1, 2][..], 0, message),
        (Thinking, Goal, &DONE, &[1, 1, 2], 0, goal),
        (Thinking, Mode, &DONE, &[1, 1, 2], 0, ""),
        (Thinking, TakeOver, &DONE, &[1, 1, 2], 0, handed),
        // FRANZ sends no new request, because the person has replied.
        (Thinking, Reply, &["done"], &[1, 2], 0, ""),
        // The run pauses before the next action. A person who takes the mouse has other plans for the screen.
        (Thinking, Pause, &DONE, &[1, 2], 1, ""),
        (Thinking, Hand, &WITHDRAWN, &[1, 2], 1, "the person took the mouse"),
        (Thinking, Stop, &[], &[1], 0, ""),
        (Pending, Say, &WITHDRAWN, &[1, 2], 0, message),
        (Pending, Goal, &WITHDRAWN, &[1, 2], 0, goal),
        (Pending, Mode, &WITHDRAWN, &[1, 2], 0, "the person set the mode"),
        // When the person gives the screen back, the run is paused as before.
        (Pending, TakeOver, &WITHDRAWN, &[1, 2], 1, handed),
        (Pending, Reply, &WITHDRAWN, &[1], 0, ""),
        (
            Pending,
            Change,
            &["held", "held"],
            &[1, 2],
            0,
            "the screen changed at (1, 2)",
        ),
        (Pending, Hand, &WITHDRAWN, &[1, 2], 0, "the person took the mouse"),
        (Pending, Stop, &WITHDRAWN, &[1], 0, "the person stopped the run"),
        // The current action is finished or interrupted.
        (Acting, Say, &["done", "withdrawn"], &[1, 2], 0, message),
        (Acting, Goal, &["done", "withdrawn"], &[1, 2], 0, goal),
        (
            Acting,
            Mode,
            &["interrupted", "withdrawn"],
            &[1, 2],
            0,
            "the person set the mode",
        ),
        (Acting, TakeOver, &["interrupted", "interrupted"], &[1, 2], 0, handed),
        (Acting, Reply, &["done", "withdrawn"], &[1], 0, ""),
        (Acting, Pause, &DONE, &[1, 2], 1, ""),
        (
            Acting,
            Hand,
            &["interrupted", "interrupted"],
            &[1, 2],
            1,
            "took the mouse while you were acting",
        ),
        (Acting, Stop, &["interrupted", "withdrawn"], &[1], 0, ""),
        // The message comes with the next feedback, before the next request.
        (Settling, Say, &DONE, &[1, 2], 0, message),
        // Settings are read when the turn begins, so the request is interrupted.
        (Settling, Goal, &DONE, &[1, 2, 2], 0, goal),
        (Settling, Mode, &DONE, &[1, 2], 0, ""),
        (Settling, TakeOver, &DONE, &[1, 2], 0, handed),
        (Settling, Reply, &DONE, &[1], 0, ""),
        (Settling, Pause, &DONE, &[1, 2], 1, ""),
        (Settling, Hand, &DONE, &[1, 2], 1, ""),
        (Settling, Stop, &DONE, &[1], 0, ""),
        (TakenOver, Say, &DONE, &[1, 1, 2], 0, message),
        (TakenOver, Goal, &DONE, &[1, 1, 2], 0, goal),
        (TakenOver, Mode, &DONE, &[1, 1, 2], 0, handed),
        (TakenOver, Reply, &["done"], &[1, 2], 0, ""),
        (TakenOver, Pause, &DONE, &[1, 1, 2], 1, handed),
        (TakenOver, Stop, &[], &[1], 0, ""),
    ];
    let mut wrong = Vec::new();
    for (during, act, outcomes, asked, paused, told) in cells {
        let came = play(during, &act);
        let is_so =
            came.outcomes == outcomes && came.asked == asked && came.paused == paused && came.told.contains(told);
        if !is_so {
            wrong.push(format!(
                "{during:?} {act:?}: {:?} {:?} {} {}",
                came.outcomes, came.asked, came.paused, came.told
            ));
        }
        // No action is performed twice.
        let mut once = came.done.clone();
        once.dedup();
        assert!(
            during == Acting || came.done == once,
            "{during:?} {act:?}: {:?}",
            came.done
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
