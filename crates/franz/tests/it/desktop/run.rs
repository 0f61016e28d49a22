//! A run on a test's desktop.

use std::process::Command;

use franz_record::{Acted, Home, Outcome, Phase, Run, RunOptions};

use crate::desktop::process::agent_of;
use crate::desktop::stage::Stage;
use crate::harness::{Running, Workplace, spawn};

/// Small pictures, no delays, and a drag that takes at least four seconds.
const SETTINGS: [&str; 14] = [
    "screen.countdown_s=0",
    "loop.executing_delay_s=0",
    "loop.monitoring_delay_s=0",
    "loop.watch_s=0",
    "image.width=64",
    "image.height=36",
    "screen.move_steps=400",
    "protocol.tools.press=true",
    "protocol.tools.hold=true",
    "protocol.tools.mouse_down=true",
    "protocol.tools.wait=true",
    "panel.restart_s=0",
    "record.exchange_log=false",
    "protocol.tools.observe=true",
];

/// Whether a panel looks after the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    Panel,
    Alone,
}

/// Starts `franz run --run-dir run` on the desktop, as if the desktop were the person's own.
pub(crate) fn start(stage: &Stage, place: &Workplace, url: &str, care: Care, more: &[&str]) -> Running {
    let run = ["--run-dir", "run", "--upstream", url, "--screen", "desktop"];
    spawn(stage.on(command(place, care, &[&run, more].concat())))
}

/// Continues that run.
pub(crate) fn resume(stage: &Stage, place: &Workplace, url: &str, care: Care, more: &[&str]) -> Running {
    let run = ["--resume", "run", "--upstream", url];
    spawn(stage.on(command(place, care, &[&run, more].concat())))
}

/// Returns a command for `franz run` with these arguments, which override the settings above.
pub(crate) fn command(place: &Workplace, care: Care, more: &[&str]) -> Command {
    let care = match care {
        Care::Panel => &["run", "--dashboard", "127.0.0.1:0", "--no-open"][..],
        Care::Alone => &["run", "--no-panel"],
    };
    let settings = SETTINGS.iter().flat_map(|setting| ["--set", setting]);
    let settings: Vec<_> = settings.collect();
    place.program(&[care, &settings, more].concat())
}

/// Returns the process that performs the actions.
pub(crate) fn actor(running: &Running, care: Care) -> u32 {
    match care {
        Care::Panel => agent_of(running),
        Care::Alone => running.id(),
    }
}

/// Returns the recorded outcomes of the actions that were in progress when the run ended.
pub(crate) fn left_behind(place: &Workplace) -> Vec<Acted> {
    let (_, resumed) = Run::open(Home::claim(&place.file("")).unwrap(), RunOptions::default()).unwrap();
    match resumed.state.phase {
        Phase::Acted { outcomes, .. } => outcomes,
        other => panic!("acting was not brought to an end: {other:?}"),
    }
}

/// Checks that the last action that was started was interrupted, and that no later action was performed.
pub(crate) fn assert_interrupted(acted: &[Acted]) {
    let mut outcomes = acted
        .iter()
        .map(|acted| &acted.outcome)
        .skip_while(|outcome| outcome.is_done());
    let first = outcomes.next();
    assert_eq!(first, Some(&Outcome::Interrupted), "{first:?} of {}", acted.len());
    let dropped = |outcome: &Outcome| matches!(outcome, Outcome::Interrupted | Outcome::Withdrawn(_));
    assert_eq!(outcomes.find(|outcome| !dropped(outcome)), None);
}
