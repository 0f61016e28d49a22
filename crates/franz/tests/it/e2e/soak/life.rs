//! The processes of a run from one start to the next.

use std::fs;

use franz_demo::DemoHandle;

use crate::dice::Dice;
use crate::e2e::settings;
use crate::e2e::watched;
use crate::harness::{Running, Workplace, url, wait_until};

/// Kills of an agent in a row that may come before it has completed a turn: a panel gives up the fifth such death.
const FRUITLESS: u32 = 2;
/// What the first line of a run begins with.
const FIRST_LINE: &str = "FRANZ ";

/// Who is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// An agent without a panel.
    Alone,
    /// The agent, which its panel starts again.
    Agent,
    /// The panel, whose agent then ends by itself.
    Panel,
    /// Both at once.
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

/// A panel with its agents, or an agent alone.
pub(super) struct Life {
    /// `None` once it was killed.
    running: Option<Running>,
    watched: bool,
    /// Agents of this panel that were killed since a turn was completed.
    fruitless: u32,
}

impl Life {
    /// Starts the run, or goes on with it where there is something to go on with.
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

    /// Goes on with the run after a kill. Only the agent of a panel waits until an earlier one has left.
    pub(super) fn again(place: &Workplace, server: &DemoHandle, watched: bool) -> Life {
        if !watched {
            let what = "the end of an agent without a panel";
            wait_until(what, || nobody_is_at_work(place).then_some(()));
        }
        // A process that a panel was just starting when it was killed holds its lock until it has become the agent.
        wait_until("the lock of the panel that was killed", || {
            let lock = fs::File::open(place.file("panel.lock"));
            lock.map_or(Some(()), |lock| lock.try_lock().ok())
        });
        Life::begin(place, server, watched)
    }

    /// Who is killed next.
    pub(super) fn target(&self, dice: &mut Dice) -> Target {
        if self.watched {
            [Target::Agent, Target::Panel, Target::Both][dice.roll(3)]
        } else {
            Target::Alone
        }
    }

    /// Whether this kill may come before another turn was completed.
    pub(super) fn bears_another(&self, target: Target) -> bool {
        target != Target::Agent || self.fruitless < FRUITLESS
    }

    /// A turn was completed.
    pub(super) fn was_of_use(&mut self) {
        self.fruitless = 0;
    }

    pub(super) fn goes_on(&self) -> bool {
        self.running.is_some()
    }

    /// Fails when the process has ended though nobody has killed it.
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

    /// kill -9
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

    /// Ends the run in order.
    pub(super) fn end(mut self) {
        // The turn that was waited for may have come from the agent of the panel that was killed, while this panel does not
        // listen to signals yet; by its first line it does.
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

    /// The process of the panel's agent, once it is there.
    fn agent(&self) -> u32 {
        wait_until("an agent that lives", || self.agents().first().copied())
    }

    /// The processes that the panel has started and that live.
    fn agents(&self) -> Vec<u32> {
        let panel = self.running.as_ref().expect("the run goes on").id();
        let mut agents = watched::children(panel);
        agents.retain(|&agent| watched::lives(agent));
        agents
    }
}

/// Whether no process is left of those that were started in that place. The agent of a panel that was killed ends a little
/// later, also one that the panel had started in its last moment.
pub(super) fn nobody_is_at_work(place: &Workplace) -> bool {
    let place = place.path("").canonicalize().unwrap();
    let mut processes = fs::read_dir("/proc").unwrap().flatten();
    !processes.any(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|at| at == place))
}
