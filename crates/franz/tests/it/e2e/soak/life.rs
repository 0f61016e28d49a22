//! A run's processes, from one start to the next.

use std::fs;

use franz_demo::DemoHandle;

use crate::dice::Dice;
use crate::e2e::settings;
use crate::e2e::watched;
use crate::harness::{Running, Workplace, url, wait_until};

/// How many times in a row an agent may be killed before it has completed a turn. A panel gives up after the fifth such
/// death.
const FRUITLESS: u32 = 2;
/// The beginning of a run's first line of output.
const FIRST_LINE: &str = "FRANZ ";

/// The processes to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// An agent without a panel.
    Alone,
    /// The agent, which its panel restarts.
    Agent,
    /// The panel, whose agent then ends on its own.
    Panel,
    /// Both at the same time.
    Both,
}

impl Target {
    pub(super) fn name(self) -> &'static str {
        match self {
            Target::Alone => "of an agent alone",
            Target::Agent => "of an agent under its panel",
            Target::Panel => "of a panel",
            Target::Both => "of both",
        }
    }
}

/// A panel with its agents, or an agent without a panel.
pub(super) struct Life {
    /// `None` once it has been killed.
    running: Option<Running>,
    watched: bool,
    /// How many of this panel's agents have been killed since a turn was completed.
    fruitless: u32,
}

impl Life {
    /// Starts the run, or continues it if there is something to continue.
    pub(super) fn begin(place: &Workplace, server: &DemoHandle, watched: bool) -> Life {
        let more = ["--set", "protocol.tools.wait=true"];
        let running = match (place.file("config.toml").exists(), watched) {
            (false, true) => watched::start(place, server, &more),
            (true, true) => watched::resume(place, server, &[]),
            (false, false) => settings::start(place, &url(server), &more),
            (true, false) => settings::resume(place, &url(server), &[]),
        };
        Life {
            running: Some(running),
            watched,
            fruitless: 0,
        }
    }

    /// Continues the run after a kill. Only an agent under a panel waits until an earlier agent has released the run.
    pub(super) fn again(place: &Workplace, server: &DemoHandle, watched: bool) -> Life {
        if !watched {
            let what = "the end of an agent without a panel";
            wait_until(what, || nobody_is_at_work(place).then_some(()));
        }
        // A process that the killed panel was just starting holds the panel's lock until it has become the agent.
        wait_until("the lock of the panel that was killed", || {
            let lock = fs::File::open(place.file("panel.lock"));
            lock.map_or(Some(()), |lock| lock.try_lock().ok())
        });
        Life::begin(place, server, watched)
    }

    /// Chooses the next process to kill.
    pub(super) fn target(&self, dice: &mut Dice) -> Target {
        if self.watched {
            [Target::Agent, Target::Panel, Target::Both][dice.roll(3)]
        } else {
            Target::Alone
        }
    }

    /// Returns whether this kill is allowed before another turn is completed.
    pub(super) fn bears_another(&self, target: Target) -> bool {
        target != Target::Agent || self.fruitless < FRUITLESS
    }

    /// Notes that a turn was completed.
    pub(super) fn was_of_use(&mut self) {
        self.fruitless = 0;
    }

    pub(super) fn goes_on(&self) -> bool {
        self.running.is_some()
    }

    /// Fails if the process has ended without being killed.
    pub(super) fn must_go_on(&mut self) {
        let running = self.running.as_mut().expect("the run goes on");
        if running.has_ended() {
            let finished = self.running.take().unwrap().finish();
            let code = finished.code;
            panic!(
                "ended by itself with {code:?}\n{}\n{}",
                finished.stdout, finished.stderr
            );
        }
    }

    /// Kills the target with SIGKILL.
    pub(super) fn kill(&mut self, target: Target) {
        self.must_go_on();
        match target {
            Target::Agent => {
                let agent = self.agent();
                watched::kill(agent);
                self.fruitless += 1;
                wait_until("the end of a killed agent", || (!watched::lives(agent)).then_some(()));
                return;
            }
            Target::Both => self.agents().into_iter().for_each(watched::kill),
            Target::Alone | Target::Panel => {}
        }
        self.running.take().expect("the run goes on").kill();
    }

    /// Ends the run properly.
    pub(super) fn end(mut self) {
        // The turn that was waited for might have come from the killed panel's agent, while this panel does not listen
        // to signals yet. Its first line of output shows that it does.
        wait_until("the first line of the run", || {
            self.must_go_on();
            let running = self.running.as_ref()?;
            running.has_printed(FIRST_LINE).then_some(())
        });
        let running = self.running.take().expect("the run goes on");
        running.signal("TERM");
        let finished = running.finish();
        assert_eq!(finished.code, Some(143), "{}\n{}", finished.stdout, finished.stderr);
    }

    /// Waits for the panel's agent process.
    fn agent(&self) -> u32 {
        wait_until("an agent that lives", || self.agents().first().copied())
    }

    /// Returns the panel's child processes that are still running.
    fn agents(&self) -> Vec<u32> {
        let panel = self.running.as_ref().expect("the run goes on").id();
        let mut agents = watched::children(panel);
        agents.retain(|&agent| watched::lives(agent));
        agents
    }
}

/// Returns whether no process that was started in this workplace is left. The agent of a killed panel ends a little
/// later, even if the panel started it at the last moment.
pub(super) fn nobody_is_at_work(place: &Workplace) -> bool {
    let place = place.path("").canonicalize().unwrap();
    let mut processes = fs::read_dir("/proc").unwrap().flatten();
    !processes.any(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|at| at == place))
}
