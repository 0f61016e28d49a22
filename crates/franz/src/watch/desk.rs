//! What browsers may ask for: commands for the agent, and edits of the run's `config.toml`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use franz_panel::controls::SettingsPage;
use franz_panel::relay::Gate;
use franz_panel::supervisor;
use franz_panel::update::{AgentState, Doing};
use franz_panel::{Command, Controls, Hub, Refused, Update};
use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedSender;

use super::assignment::{Order, line};
use super::edit::Config;

/// The reins of an agent. Clones share them.
#[derive(Clone)]
pub(crate) struct Reins {
    shared: Arc<Shared>,
}

struct Shared {
    holds: Holds,
    paused: AtomicBool,
    interrupted: AtomicBool,
}

/// By what an agent is held.
enum Holds {
    /// Ours pauses itself.
    Agent(UnboundedSender<supervisor::Order>),
    /// Another one waits for its reply, and ends with its process, where that is ours.
    Requests {
        gate: Gate,
        hub: Hub,
        process: Option<UnboundedSender<supervisor::Order>>,
    },
}

impl Reins {
    /// Those of our own agent.
    pub(crate) fn of_agent(orders: UnboundedSender<supervisor::Order>, paused: bool) -> Reins {
        Reins::new(Holds::Agent(orders), paused)
    }

    /// Those of an agent that knows nothing of a panel.
    pub(crate) fn of_requests(gate: Gate, hub: Hub, process: Option<UnboundedSender<supervisor::Order>>) -> Reins {
        Reins::new(Holds::Requests { gate, hub, process }, false)
    }

    fn new(holds: Holds, paused: bool) -> Reins {
        Reins {
            shared: Arc::new(Shared {
                holds,
                paused: AtomicBool::new(paused),
                interrupted: AtomicBool::new(false),
            }),
        }
    }

    /// Whether a person wants the agent to wait, also one that is about to start.
    pub(crate) fn is_paused(&self) -> bool {
        self.shared.paused.load(Ordering::Acquire)
    }

    /// What an agent is told last.
    pub(crate) fn farewell(&self) -> Order {
        Order::Stop {
            interrupted: self.shared.interrupted.load(Ordering::Acquire),
        }
    }

    /// Ends the agent; `interrupted` by Ctrl+C.
    pub(crate) fn end(&self, interrupted: bool) {
        self.shared.interrupted.fetch_or(interrupted, Ordering::AcqRel);
        if let Holds::Agent(orders)
        | Holds::Requests {
            process: Some(orders), ..
        } = &self.shared.holds
        {
            // An agent that has ended already need not be told.
            let _ = orders.send(supervisor::Order::End);
        }
    }

    fn obey(&self, command: Command) -> Result<(), Refused> {
        match command {
            Command::Pause => self.shared.paused.store(true, Ordering::Release),
            Command::Resume => self.shared.paused.store(false, Ordering::Release),
            Command::Step => {}
            Command::Stop => {
                if let Holds::Requests { process: None, .. } = &self.shared.holds {
                    let why = "this panel has not started the agent; end it where it was started";
                    return Err(Refused::NothingThere(why.to_owned()));
                }
                self.end(false);
                return Ok(());
            }
        }
        match &self.shared.holds {
            Holds::Agent(orders) => {
                let order = supervisor::Order::Tell(line(&order(command)));
                let gone = || Refused::NothingThere("the agent has ended".to_owned());
                orders.send(order).map_err(|_| gone())
            }
            Holds::Requests { gate, hub, .. } => {
                hold(gate, hub, command);
                Ok(())
            }
        }
    }
}

fn order(command: Command) -> Order {
    match command {
        Command::Pause => Order::Pause,
        Command::Resume => Order::Resume,
        Command::Step => Order::Step,
        Command::Stop => Order::Stop { interrupted: false },
    }
}

fn hold(gate: &Gate, hub: &Hub, command: Command) {
    match command {
        Command::Pause => gate.close(),
        Command::Resume => gate.open(),
        Command::Step => return gate.step(),
        Command::Stop => return,
    }
    let (state, detail) = if gate.is_closed() {
        (Doing::Paused, "its requests are held")
    } else {
        (Doing::Running, "")
    };
    hub.tell(Update::Agent(AgentState {
        state,
        detail: detail.to_owned(),
        since: Timestamp::now().as_millisecond(),
    }));
}

/// What browsers reach.
pub(crate) struct Desk {
    reins: Reins,
    config: Option<Config>,
}

impl Desk {
    /// With the settings in that file, where there are any.
    pub(crate) fn new(reins: Reins, config: Option<PathBuf>) -> Desk {
        Desk {
            reins,
            config: config.map(Config::new),
        }
    }
}

impl Controls for Desk {
    fn command(&self, command: Command) -> Result<(), Refused> {
        self.reins.obey(command)
    }

    fn settings(&self) -> Result<Option<SettingsPage>, Refused> {
        self.config.as_ref().map(Config::page).transpose()
    }

    fn set(&self, key: &str, text: &str, hash: &str) -> Result<String, Refused> {
        let none = || Refused::NothingThere("this panel has no settings of the agent".to_owned());
        self.config.as_ref().ok_or_else(none)?.set(key, text, hash)
    }
}
