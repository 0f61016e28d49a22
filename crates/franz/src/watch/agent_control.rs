//! Controls an agent: pauses, resumes and ends it, in a way that depends on the kind of agent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use franz_panel::controls::PersonDecision;
use franz_panel::hub::{Doing, Snapshot};
use franz_panel::{AgentCommand, Hub, Refused};
use franz_record::PersonQuestion;
use franz_relay::Gate;
use tokio::sync::mpsc::UnboundedSender;

use super::assignment::{Order, StoppedBy, line};
use super::holder::Holder;
use super::supervisor::ProcessOrder;
use crate::gate;
use crate::presence::AWAY;
use crate::stop::{Ending, Stop};
use crate::terminal_orders::Listener;

/// Controls an agent on behalf of everyone who may pause it. Clones share the state.
#[derive(Clone)]
pub(super) struct AgentControl {
    shared: Arc<Shared>,
}

struct Shared {
    holds: Holds,
    /// The panel's own stop signal, which also ends the agent.
    stop: Stop,
    /// Whether a person wants the agent to wait. The lock is held while orders about it are sent.
    paused: Mutex<bool>,
    pages: Mutex<Pages>,
    /// The last question that was decided, with the decision and where it was made.
    decided: Mutex<Option<(String, String)>>,
    /// The page that has taken over the screen.
    holder: Holder,
}

/// The pages that show this run.
#[derive(Default)]
struct Pages {
    open: usize,
    /// When the last one was closed.
    closed: Option<Instant>,
}

/// How to make an agent wait.
enum Holds {
    /// Our own agent gets orders and pauses itself.
    Agent(UnboundedSender<ProcessOrder>, Hub),
    /// A foreign agent has to wait for its replies. If FRANZ started its process, ending the process ends the agent.
    Requests {
        gate: Gate,
        hub: Hub,
        process: Option<UnboundedSender<ProcessOrder>>,
    },
}

impl AgentControl {
    /// Controls our own agent, which begins paused if `stop` is paused.
    pub(super) fn of_agent(orders: UnboundedSender<ProcessOrder>, hub: Hub, stop: Stop) -> AgentControl {
        let paused = stop.is_paused();
        AgentControl::new(Holds::Agent(orders, hub), stop, paused)
    }

    /// Controls an agent that is not aware of a panel.
    pub(super) fn of_requests(
        gate: Gate,
        hub: Hub,
        process: Option<UnboundedSender<ProcessOrder>>,
        stop: Stop,
    ) -> AgentControl {
        AgentControl::new(Holds::Requests { gate, hub, process }, stop, false)
    }

    fn new(holds: Holds, stop: Stop, paused: bool) -> AgentControl {
        AgentControl {
            shared: Arc::new(Shared {
                holds,
                stop,
                paused: Mutex::new(paused),
                pages: Mutex::default(),
                decided: Mutex::default(),
                holder: Holder::default(),
            }),
        }
    }

    /// Returns whether a person wants the agent to wait, even if the agent has not started yet.
    pub(super) fn is_paused(&self) -> bool {
        *self.paused()
    }

    /// Returns whether a page is open for the agent that starts now. One that was open until a moment ago still counts,
    /// because it might only let those of other runs have their turns. The agent is then told that it is closed.
    pub(super) fn is_watched_at_start(&self) -> bool {
        let pages = self.pages();
        let is_away = pages.open == 0 && pages.closed.is_some_and(|closed| closed.elapsed() < AWAY);
        if is_away {
            self.tell_of(&pages);
        }
        is_away || pages.open > 0
    }

    /// Notes that a page was opened or closed. Tells our agent when the first page opens or the last one closes.
    pub(super) fn take_note_of_page(&self, is_open: bool) {
        let mut pages = self.pages();
        let before = pages.open;
        pages.open = if is_open { before + 1 } else { before.saturating_sub(1) };
        if pages.open == 0 {
            pages.closed = Some(Instant::now());
        }
        if before == 0 || pages.open == 0 {
            self.tell_of(&pages);
        }
    }

    /// Tells our agent whether a page is open. The lock is held meanwhile, so that orders arrive in sequence.
    fn tell_of(&self, pages: &Pages) {
        if let Holds::Agent(orders, _) = &self.shared.holds {
            // A failure is ignored, because an agent that has ended need not know.
            let _ = orders.send(ProcessOrder::Tell(line(&Order::Page { open: pages.open > 0 })));
        }
    }

    /// Notes that the agent has paused on its own, because a person at its screen wanted that or because it needs help.
    pub(super) fn take_note_of_pause(&self) {
        *self.paused() = true;
    }

    /// Returns the last order for our agent.
    pub(super) fn last_order(&self) -> Order {
        Order::Stop {
            by: StoppedBy::of(self.shared.stop.ending().as_ref()),
        }
    }

    /// Returns the reason why the run was ended, if it was.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.shared.stop.ending()
    }

    /// Ends the agent's process.
    pub(super) fn end(&self) {
        if let Holds::Agent(orders, _)
        | Holds::Requests {
            process: Some(orders), ..
        } = &self.shared.holds
        {
            // A failure is ignored, because the agent has already ended.
            let _ = orders.send(ProcessOrder::End);
        }
    }

    /// Tells our agent the bounds that the person has now set. An agent that has ended will learn of it when it starts
    /// again.
    pub(super) fn allow(&self, own: String) {
        if let Holds::Agent(orders, _) = &self.shared.holds {
            let _ = orders.send(ProcessOrder::Tell(line(&Order::Allow { own })));
        }
    }

    /// Carries out a person's command.
    pub(super) fn obey(&self, command: AgentCommand) -> Result<(), Refused> {
        let paused = match command {
            AgentCommand::Pause | AgentCommand::Step => true,
            AgentCommand::Resume => false,
            AgentCommand::Stop => return self.stop(),
        };
        let mut held = self.paused();
        let was_paused = *held;
        match &self.shared.holds {
            Holds::Agent(orders, hub) => {
                let gone = || Refused::NothingThere("the agent has ended".to_owned());
                let told = orders.send(ProcessOrder::Tell(line(&order(command))));
                told.map_err(|_| gone())?;
                *held = paused;
                // The agent pauses only at certain points, but the person is told immediately.
                if is_restarting(hub) {
                    // The next agent starts as the person wants.
                } else if !was_paused && paused {
                    hub.change(|snapshot| snapshot.set_agent(Doing::Running, soon(command)));
                } else if !paused {
                    hub.change(|snapshot| snapshot.set_agent(Doing::Running, ""));
                }
                Ok(())
            }
            Holds::Requests { gate, hub, .. } => {
                *held = paused;
                match command {
                    AgentCommand::Step => gate.step(),
                    _ if paused => gate.close(),
                    _ => gate.open(),
                }
                hub.change(|snapshot| hold(snapshot, paused));
                Ok(())
            }
        }
    }

    /// Returns the question that is waiting for the person.
    fn open_question(&self) -> Option<PersonQuestion> {
        match &self.shared.holds {
            Holds::Agent(_, hub) => hub.question(),
            Holds::Requests { .. } => None,
        }
    }

    /// Replies in place of the model.
    pub(super) fn reply(&self, text: &str) -> Result<(), Refused> {
        gate::check_words("the reply", text).map_err(Refused::Wrong)?;
        self.check_running()?;
        if let Holds::Agent(_, hub) = &self.shared.holds {
            hub.person_replies().take_in(text);
        }
        self.tell(&Order::Reply { text: text.to_owned() })
    }

    pub(super) fn holder(&self) -> &Holder {
        &self.shared.holder
    }

    /// Fails unless the agent has a private screen that a person can take over.
    pub(super) fn check_private(&self) -> Result<(), Refused> {
        let is_private = match &self.shared.holds {
            Holds::Agent(_, hub) => hub.look(|snapshot| snapshot.run.as_ref().is_some_and(|run| run.private)),
            Holds::Requests { .. } => false,
        };
        let why = "you can take over only a private screen here (--screen virtual or browser)";
        is_private
            .then_some(())
            .ok_or_else(|| Refused::NothingThere(why.to_owned()))
    }

    /// Fails if our agent has died and the next one has not started yet, because an order to it would be lost.
    fn check_running(&self) -> Result<(), Refused> {
        match &self.shared.holds {
            Holds::Agent(_, hub) if is_restarting(hub) => {
                let why = "the agent is restarting; try again when it runs";
                Err(Refused::NothingThere(why.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Sends an order to our agent.
    pub(super) fn tell(&self, order: &Order) -> Result<(), Refused> {
        self.check_running()?;
        let gone = || Refused::NothingThere("the agent has ended".to_owned());
        match &self.shared.holds {
            Holds::Agent(orders, _) => orders.send(ProcessOrder::Tell(line(order))).map_err(|_| gone()),
            Holds::Requests { .. } => Err(gone()),
        }
    }

    /// Passes on a decision if the question is still open and nobody has decided it.
    pub(super) fn decide(&self, nonce: &str, by: &str, decision: PersonDecision) -> Result<(), Refused> {
        let Holds::Agent(orders, _) = &self.shared.holds else {
            return Err(Refused::NothingThere(
                "this agent does not ask for decisions".to_owned(),
            ));
        };
        let mut decided = self.shared.decided.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, what)) = decided.as_ref().filter(|(of, _)| of == nonce) {
            return Err(Refused::Decided(format!("this was already {what}")));
        }
        let open = self.open_question().filter(|open| open.nonce == nonce);
        let open = open.ok_or_else(|| Refused::Decided("this question is no longer open".to_owned()))?;
        gate::check(&decision, &open).map_err(Refused::Wrong)?;
        let what = format!("{} in the {by}", decision.name());
        let order = Order::Decide {
            nonce: nonce.to_owned(),
            by: by.to_owned(),
            decision,
        };
        let told = orders.send(ProcessOrder::Tell(line(&order)));
        told.map_err(|_| Refused::NothingThere("the agent has ended".to_owned()))?;
        *decided = Some((nonce.to_owned(), what));
        Ok(())
    }

    /// Reports the state of an agent whose requests are held.
    pub(super) fn tell_standing(&self, hub: &Hub) {
        hub.change(|snapshot| hold(snapshot, self.is_paused()));
    }

    fn stop(&self) -> Result<(), Refused> {
        if let Holds::Requests { process: None, .. } = &self.shared.holds {
            let why = "this panel did not start the agent; stop it where it was started";
            return Err(Refused::NothingThere(why.to_owned()));
        }
        self.shared.stop.end(Ending::Stopped);
        Ok(())
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.shared.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn paused(&self) -> MutexGuard<'_, bool> {
        self.shared.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens to the terminal of a run.
impl Listener for AgentControl {
    fn question(&self) -> Option<PersonQuestion> {
        self.open_question()
    }

    fn is_paused(&self) -> bool {
        *self.paused()
    }

    fn is_retrying(&self) -> bool {
        let retries = |snapshot: &Snapshot| snapshot.waiting.as_ref().is_some_and(|waiting| waiting.until.is_some());
        matches!(&self.shared.holds, Holds::Agent(_, hub) if hub.look(retries))
    }

    fn decide(&self, question: &PersonQuestion, decision: PersonDecision) -> Result<(), String> {
        let decided = self.decide(&question.nonce, "terminal", decision);
        decided.map_err(|refused| refused.to_string())
    }

    fn reply(&self, text: &str) -> Result<(), String> {
        self.reply(text).map_err(|refused| refused.to_string())
    }

    fn resume(&self) -> Result<(), String> {
        self.obey(AgentCommand::Resume).map_err(|refused| refused.to_string())
    }

    fn step(&self) -> Result<(), String> {
        self.obey(AgentCommand::Step).map_err(|refused| refused.to_string())
    }
}

fn is_restarting(hub: &Hub) -> bool {
    hub.look(|snapshot| snapshot.agent.state == Doing::Restarting)
}

fn order(command: AgentCommand) -> Order {
    match command {
        AgentCommand::Pause => Order::Pause,
        AgentCommand::Resume => Order::Resume,
        AgentCommand::Step => Order::Step,
        AgentCommand::Stop => Order::Stop { by: StoppedBy::Person },
    }
}

fn soon(command: AgentCommand) -> &'static str {
    match command {
        AgentCommand::Step => "pausing after this turn",
        _ => "pausing before the next action or request",
    }
}

fn hold(snapshot: &mut Snapshot, paused: bool) {
    if paused {
        snapshot.set_agent(Doing::Paused, "its requests are held");
    } else {
        snapshot.set_agent(Doing::Running, "");
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    /// Pages come and go all the time if more runs are open in tabs than a browser has connections.
    #[test]
    fn an_agent_that_starts_while_the_page_is_away_waits_for_it_like_the_one_before() {
        let (sender, mut orders) = unbounded_channel();
        let control = AgentControl::of_agent(sender, Hub::default(), Stop::default());
        assert!(!control.is_watched_at_start(), "no page was ever open");
        control.take_note_of_page(true);
        assert!(control.is_watched_at_start());
        control.take_note_of_page(false);
        let told = |open| ProcessOrder::Tell(line(&Order::Page { open }));
        for open in [true, false] {
            assert_eq!(orders.try_recv(), Ok(told(open)));
        }
        assert!(orders.is_empty());
        assert!(control.is_watched_at_start());
        assert_eq!(orders.try_recv(), Ok(told(false)), "the new agent's own time begins");
    }
}
