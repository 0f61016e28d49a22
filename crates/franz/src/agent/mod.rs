//! The agent: one loop that acts, lets the screen settle, captures, asks and records.

mod act;
mod ask;
mod recorder;
mod view;

use std::time::{Duration, Instant};

use franz_record::{Acted, Event, Millis, Outputs, State, TurnLine};
use franz_screen::{Interrupt, Screen};
use jiff::Timestamp;

pub(crate) use ask::Server;
pub(crate) use recorder::Recorder;

use crate::config::live::Live;
use crate::stop::{Ending, Stop};
use view::{Eye, View};

/// What a run is made of.
pub(crate) struct Parts {
    pub(crate) live: Live,
    pub(crate) screen: Box<dyn Screen>,
    pub(crate) server: Server,
    pub(crate) recorder: Recorder,
    pub(crate) outputs: Outputs,
    pub(crate) stop: Stop,
    pub(crate) state: State,
}

/// The loop and its state.
pub(crate) struct Agent {
    live: Live,
    screen: Box<dyn Screen>,
    server: Server,
    recorder: Recorder,
    outputs: Outputs,
    stop: Stop,
    state: State,
    eye: Eye,
    /// The turn after which this invocation began.
    first: u64,
}

/// One turn under way.
struct Turn {
    /// What will be kept of it.
    line: TurnLine,
    /// The actions that the model has not been shown the effect of: those of this turn, or of the failed ones before.
    unseen: Vec<Acted>,
    /// What the model is shown; `None` when nothing could be captured.
    view: Option<View>,
}

impl Agent {
    pub(crate) fn new(parts: Parts) -> Agent {
        let Parts {
            live,
            screen,
            server,
            recorder,
            outputs,
            stop,
            state,
        } = parts;
        Agent {
            first: state.turn,
            eye: Eye::default(),
            live,
            screen,
            server,
            recorder,
            outputs,
            stop,
            state,
        }
    }

    /// Runs turns until something ends the run, and says what.
    pub(crate) fn run(mut self) -> Ending {
        let ending = loop {
            if let Err(ending) = self.turn() {
                break ending;
            }
        };
        self.close(ending)
    }

    fn turn(&mut self) -> Result<(), Ending> {
        let mut turn = self.begin()?;
        self.act(&mut turn)?;
        self.settle(&mut turn)?;
        self.capture(&mut turn);
        self.ask(&mut turn)?;
        self.record(turn)
    }

    /// The next turn, unless the run is over; edited settings count from here on.
    fn begin(&mut self) -> Result<Turn, Ending> {
        for edit in self.live.reload() {
            self.notice(&edit);
        }
        let most = self.live.settings.pace.max_turns;
        if most > 0 && self.state.turn >= self.first.saturating_add(most) {
            return Err(Ending::LastTurn);
        }
        self.go_on()?;
        let mut line = TurnLine::new(self.state.turn + 1, Timestamp::now().to_string());
        line.goal = Some(self.live.settings.prompt.goal.clone()).filter(|goal| !goal.is_empty());
        Ok(Turn {
            line,
            unseen: Vec::new(),
            view: None,
        })
    }

    /// Waits until the screen shows what the actions did.
    fn settle(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let began = Instant::now();
        if self.state.turn > 0 {
            self.stop
                .sleep(Duration::from_secs_f64(self.live.settings.pace.executing_delay_s));
        }
        turn.line.ms.settle = began.elapsed().into();
        self.go_on()
    }

    /// Keeps the turn: its pictures, then its line, which is the commit, then the state.
    fn record(&mut self, mut turn: Turn) -> Result<(), Ending> {
        let began = Instant::now();
        if let Some(view) = turn.view.take() {
            self.keep_pictures(&mut turn.line, view)?;
        }
        turn.line.ms.record = Millis::from(began.elapsed());
        self.state.completed(&turn.line);
        self.recorder.turn(&turn.line, &self.state)?;
        self.snapshot(turn.line.turn)?;
        self.tell(&Event::TurnDone(Box::new(turn.line)));
        self.server.verdict()
    }

    fn snapshot(&mut self, turn: u64) -> Result<(), Ending> {
        let saved = self.screen.save(turn);
        self.recorder.demand(saved)
    }

    fn close(mut self, ending: Ending) -> Ending {
        let saved = self.screen.close();
        let ending = self
            .recorder
            .demand(saved)
            .err()
            .filter(|_| ending.error().is_none())
            .unwrap_or(ending);
        self.tell(&Event::RunEnded {
            reason: ending.to_string(),
            exit_code: ending.exit_code(),
        });
        ending
    }

    /// Fails once a stop was asked for.
    fn go_on(&self) -> Result<(), Ending> {
        self.stop.ending().map_or(Ok(()), Err)
    }

    fn notice(&mut self, text: &str) {
        self.tell(&Event::Notice { text: text.to_owned() });
    }

    /// Tells every output what happened.
    pub(crate) fn tell_all(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.tell(&event);
        }
    }

    fn tell(&mut self, event: &Event) {
        announce(&mut self.outputs, event);
    }
}

/// Tells every output; one that fails is dropped, which is logged.
fn announce(outputs: &mut Outputs, event: &Event) {
    for dropped in outputs.event(event) {
        tracing::warn!("{dropped}");
    }
}
