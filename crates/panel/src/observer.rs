//! The thread that receives the relay's copies. It judges them, writes the verdicts and the exchange log, and informs
//! the hub.
//!
//! Each step is isolated: if it fails or panics, that is logged once and does not affect the other steps.

mod dispatcher;
mod foreign;
mod log;
mod logged_head;
mod png;
mod reachability;
mod record;
mod recorded_request;
mod redaction;
mod step;
mod verdicts;

use std::sync::Arc;
use std::thread::JoinHandle;

use franz_home::Home;
use franz_record::{ExchangeOptions, RunOptions};
use franz_relay::{Copied, CopiesReader, Exchange, SentRequest};

use crate::history::History;
use crate::hub::Hub;
use crate::runs::Runs;
use crate::verdict::Verdict;
use crate::verify::reply::ReceivedReply;
use crate::verify::{Verifier, is_chat};
use dispatcher::Dispatcher;
use foreign::ForeignTurns;
use franz_secret::Secret;
use log::LogOutput;
use record::AgentRecord;
use step::ObserverStep;
use verdicts::VerdictOutput;

/// What an observer needs, and where its results go.
pub struct ObserverOptions {
    /// The run's directory.
    pub home: Home,
    /// The hub to inform.
    pub hub: Hub,
    /// The history of the run.
    pub history: Arc<History>,
    /// How many bytes of requests and responses to log; 0 to log none.
    pub exchange_log: u64,
    /// How to record turns and pictures for agents that do not record them; `None` for agents that do.
    pub record_turns: Option<RunOptions>,
    /// The API keys, which are never written to a file.
    pub secret: Secret,
    /// The key that our own agent sends as `X-Franz-Key`; `None` for other agents. It is never written to a file.
    pub key: Option<String>,
    /// Gives each run and conversation of other agents its own directory; `None` if everything belongs to one run.
    pub runs: Option<Arc<Runs>>,
}

/// Observes until all senders of copies have been dropped. Neither disk failures nor panics stop it.
pub fn spawn(copies: CopiesReader, options: ObserverOptions) -> std::io::Result<JoinHandle<()>> {
    spawn_on(move || copies.next_copy(), options)
}

/// Does the same as [`spawn`], but first passes every exchange to `also`, as a step of its own. Tests use this for a step
/// that panics.
#[doc(hidden)]
pub fn spawn_with(
    copies: CopiesReader,
    options: ObserverOptions,
    mut also: impl FnMut(&Exchange) + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let mut watching = ObserverStep::new("watching the exchange");
    let next = move || {
        let copy = copies.next_copy()?;
        if let Copied::Exchange(exchange) = &copy {
            watching.run(|| {
                also(exchange);
                Ok::<_, String>(())
            });
        }
        Some(copy)
    };
    spawn_on(next, options)
}

/// Observes the copies that `next` returns, until it returns none.
fn spawn_on(
    mut next: impl FnMut() -> Option<Copied> + Send + 'static,
    options: ObserverOptions,
) -> std::io::Result<JoinHandle<()>> {
    // Do this before anything is reported. The dashboard's server hides the secret as well, but might start later.
    options.hub.hide(options.secret.clone());
    std::thread::Builder::new().name("observer".to_owned()).spawn(move || {
        if let Some(runs) = options.runs.clone() {
            let mut dispatcher = Dispatcher::new(options, runs);
            while let Some(copied) = next() {
                match copied {
                    Copied::Request(sent) => dispatcher.sent(&sent),
                    Copied::Exchange(exchange) => dispatcher.observe(&exchange),
                }
            }
            return;
        }
        let mut observer = Observer::new(options);
        while let Some(copied) = next() {
            match copied {
                Copied::Request(sent) if is_chat(&sent.message) => observer.sent(&sent),
                Copied::Request(_) => {}
                Copied::Exchange(exchange) => {
                    observer.observe(&exchange, &exchange);
                }
            }
        }
    })
}

/// A chat exchange with its verdict.
struct Judged<'a> {
    exchange: &'a Exchange,
    /// The exchange as it was on the wire. `exchange` is the same, or rewritten as a chat.
    wire: &'a Exchange,
    received: ReceivedReply,
    verdict: Verdict,
}

/// An action to take for every chat exchange.
trait Output: Send {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String>;
}

struct Observer {
    hub: Hub,
    history: Arc<History>,
    verifier: Verifier,
    secret: Secret,
    /// Our own agent's record, which is needed until the first exchange has been seen.
    record: Option<AgentRecord>,
    judging: ObserverStep,
    verdicts: (ObserverStep, VerdictOutput),
    keeping: ObserverStep,
    telling: ObserverStep,
    /// Further outputs, in the order in which they get each exchange. The log comes after them.
    outputs: Vec<(ObserverStep, Box<dyn Output>)>,
    log: Option<(ObserverStep, LogOutput)>,
}

impl Observer {
    fn new(options: ObserverOptions) -> Self {
        let ObserverOptions {
            home,
            hub,
            history,
            exchange_log,
            record_turns,
            secret,
            key,
            runs: _,
        } = options;
        let is_own = key.is_some();
        let mut verifier = Verifier::open(&home)
            .with_key(key)
            .hiding(secret.clone())
            .with_person_replies(hub.person_replies());
        let mut outputs: Vec<(ObserverStep, Box<dyn Output>)> = Vec::new();
        let verdicts = VerdictOutput::new(&home);
        let record = AgentRecord::of(&home).filter(|_| record_turns.is_none());
        if let Some(how) = record_turns {
            let turns = ForeignTurns::new(&home, how, secret.clone());
            verifier.count_from(turns.last_turn());
            outputs.push((ObserverStep::new("recording the turn"), Box::new(turns)));
        }
        let log = (exchange_log > 0).then(|| {
            let log = LogOutput::new(&home, ExchangeOptions::keeping(exchange_log, secret.clone()), is_own);
            (ObserverStep::new("logging the exchange"), log)
        });
        Self {
            record,
            secret,
            hub,
            history,
            verifier,
            judging: ObserverStep::new("judging the exchange"),
            verdicts: (ObserverStep::new("writing the verdict"), verdicts),
            keeping: ObserverStep::new("saving what the verifier needs"),
            telling: ObserverStep::new("updating the dashboard"),
            outputs,
            log,
        }
    }

    /// Creates an observer for exchanges that all belong to one agent with this name.
    fn of_one(options: ObserverOptions, name: String) -> Self {
        let mut observer = Self::new(options);
        observer.verifier.expect_only(name);
        observer
    }

    /// Logs a request that is waiting for its response.
    fn sent(&mut self, sent: &SentRequest) {
        let Some((step, log)) = &mut self.log else { return };
        let turn = self.verifier.turn_of(&sent.message);
        step.run(|| log.sent(sent, turn));
    }

    /// Logs an exchange with the grounder. Such an exchange has no story to judge, and says nothing about the model
    /// server.
    fn log_alone(&mut self, exchange: &Exchange) {
        let turn = self.verifier.turn_of(&exchange.request);
        let received = self.verifier.received(exchange);
        if let Some((step, log)) = &mut self.log {
            step.run(|| log.finished(exchange, turn, &received));
        }
    }

    /// Observes an exchange, and logs it as it was on the wire. Returns it with its verdict if it is a chat exchange.
    fn observe<'a>(&mut self, exchange: &'a Exchange, wire: &'a Exchange) -> Option<Judged<'a>> {
        if self.verifier.is_grounding(&exchange.request) {
            self.log_alone(exchange);
            return None;
        }
        self.telling.run(|| {
            reachability::tell(&self.hub, exchange);
            Ok::<_, String>(())
        });
        let (verifier, record) = (&mut self.verifier, &mut self.record);
        let judged = self.judging.run(|| {
            if !is_chat(&exchange.request) {
                return Ok::<_, String>(None);
            }
            if let Some(run) = verifier.run_of(exchange)
                && let Some(record) = record.take()
            {
                record.catch_up(verifier, &run, exchange);
            }
            let received = verifier.received(exchange);
            let mut verdict = verifier.verdict(exchange, &received);
            verdicts::hide(&self.secret, exchange, &mut verdict);
            Ok(Some(Judged {
                exchange,
                wire,
                received,
                verdict,
            }))
        });
        let judged = judged.flatten()?;
        let (writing, verdicts) = &mut self.verdicts;
        writing.run(|| verdicts.take(&judged));
        // Save after writing the verdict, so that the verifier never keeps anything that has not been reported.
        self.keeping.run(|| self.verifier.save());
        for (step, output) in &mut self.outputs {
            step.run(|| output.take(&judged));
        }
        if let Some((step, log)) = &mut self.log {
            step.run(|| log.take(&judged));
        }
        self.telling.run(|| {
            self.hub.read(&self.history);
            let Verdict { turn, verdict, .. } = &judged.verdict;
            let (turn, verdict) = (*turn, *verdict);
            self.hub.change(|snapshot| snapshot.judged(turn, verdict));
            Ok::<_, String>(())
        });
        Some(judged)
    }
}

#[cfg(test)]
mod tests;
