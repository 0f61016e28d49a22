//! Builds an agent from its settings, server, record and screen.

use anyhow::{Error, Result, anyhow};
use franz_home::{Home, View};
use franz_record::{
    Event, ExchangeLog, ExchangeOptions, Outputs, Phase, RunEnd, RunStarted, RunState, Status, Unwanted,
};
use franz_screen::Screen as _;
use jiff::Timestamp;

use crate::agent::{self, Agent, Grounder, Memory, ModelServers, Recorder, Trail, keep_stop};
use crate::calibrate::ServedModel;
use crate::config::live::{Granted, Live};
use crate::config::origin::Origin;
use crate::config::resolve::Resolved;
use crate::exit;
use crate::idiom;
use crate::offline::RecordedFacts;
use crate::presence::Presence;
use crate::run_location::Opened;
use crate::screen::{OpenScreen, Person, Prepared};
use crate::shortcomings;
use crate::stop::{Ending, Stop};
use crate::terminal::complain;
use crate::upstream::Upstream;

/// Everything that goes into an agent.
pub(crate) struct AgentBuilder {
    pub(crate) resolved: Resolved,
    pub(crate) opened: Opened,
    pub(crate) server: ModelServers,
    /// The servers of the grounder, if there is one.
    pub(crate) grounder: Option<ModelServers>,
    pub(crate) outputs: Outputs,
    pub(crate) stop: Stop,
    /// The profile's name, as shown to people.
    pub(crate) profile: String,
    /// Whether the agent keeps the log of exchanges itself. With a panel, the panel keeps it.
    pub(crate) logs_exchanges: bool,
    /// The preparations for the screen from before the run was created.
    pub(crate) prepared: Option<Prepared>,
    /// Whether there is a way to resume a paused run.
    pub(crate) resumable: bool,
    pub(crate) presence: Presence,
    /// The turn before this invocation's first turn, if an earlier process began the invocation.
    pub(crate) first: Option<u64>,
    /// The bounds that the person sets during the run.
    pub(crate) granted: Granted,
    /// The key that proves to the panel that requests come from this run; `None` if there is no panel.
    pub(crate) key: Option<String>,
    /// The facts that a replay takes from the record; empty in any other run.
    pub(crate) facts: RecordedFacts,
}

impl AgentBuilder {
    /// Builds the agent and runs it to the end. Returns the exit code.
    pub(crate) fn run(self) -> Result<u8> {
        let ending = self.run_quietly()?;
        if let Some(why) = ending.error() {
            complain(why);
        }
        Ok(ending.exit_code())
    }

    /// Builds the agent and runs it to the end. Tells the person nothing about the end.
    pub(crate) fn run_quietly(self) -> Result<Ending> {
        let (stop, start) = (self.stop.clone(), Start::of(&self.opened));
        match (self.agent(), stop.ending()) {
            (Ok(agent), _) => Ok(agent.run()),
            // A stop interrupts opening the screen, for example while a desktop asks for consent.
            (Err(error), Some(ending)) => {
                tracing::info!("{error:#}");
                if let Err(error) = keep_stop(&start.home, &ending) {
                    tracing::error!("{error}; the next agent performs what is still pending");
                }
                Ok(ending)
            }
            (Err(error), None) => {
                start.failed(&error);
                Err(error)
            }
        }
    }

    /// Builds the agent and reports the start of the run to its outputs.
    fn agent(mut self) -> Result<Agent> {
        let Opened {
            run,
            mut state,
            mut notices,
            unread,
            mut unwanted,
        } = self.opened;
        let resolved = self.resolved;
        let given_goal = resolved.goal_layer();
        let file = resolved.file.map(|file| file.over(given_goal.clone()));
        let view = View::clone(run.home());
        if let Some(last) = &state.answered_by {
            notices.extend(self.server.follows(last, self.first.is_some(), &self.stop));
        }
        let origins = resolved.layer.clone();
        let mut live = Live::new(view, resolved.layer, file, resolved.bounds, self.granted);
        recall(self.server.upstream(), &mut live, &mut notices);
        if let Some(learned) = self.facts.learned(&live.settings) {
            live.learn(learned);
        }
        let settings = &live.settings;
        let person = Person {
            stop: self.stop.clone(),
            resumable: self.resumable,
        };
        let sight = OpenScreen::open(settings, run.home(), self.prepared, self.server.keyring(), &person)?;
        notices.extend(sight.notices);
        notices.extend(catch_up(&mut state, &mut unwanted, sight.last_turn));
        let exchange = if self.logs_exchanges && settings.record.exchange_log > 0 {
            exchange_log(run.home(), settings.record.exchange_log, &self.server, &mut notices)?
        } else {
            ExchangeLog::off()
        };
        let upstream = self.server.upstream();
        let (idiom, said) = idiom::choose(settings, upstream, sight.screen.size())?;
        let idiom = self.facts.idiom(idiom);
        notices.extend(said);
        let is_own = |key: &str| origins.origin(key).is_some_and(Origin::is_persons_own);
        idiom.refuse_wordless(settings, is_own)?;
        notices.extend(shortcomings::before_run(settings, &idiom, &upstream.known, is_own));
        let grounder = match settings.of_grounder().zip(self.grounder) {
            Some((settings, servers)) => {
                let (grounder, said) = Grounder::new(settings, servers, sight.screen.size())?;
                notices.extend(said);
                Some(grounder)
            }
            None => None,
        };
        let (width, height) = idiom.picture(settings);
        let goal = resolved.given_goal.as_ref().or(state.goal.as_ref());
        let mut started = RunStarted {
            name: run.home().name(),
            run_dir: run.path().display().to_string(),
            profile: self.profile,
            upstream: upstream.shown.clone(),
            model: upstream.model.clone(),
            screen: format!("{}, shown to the model as {width}x{height}", sight.name),
            goal: goal.unwrap_or(&settings.prompt.goal).clone(),
            pace: String::new(),
            turn: state.turn + 1,
            private: settings.screen.kind.is_private(),
            dashboard: None,
        };
        let notices = notices.into_iter().map(|text| Event::Notice { text });
        let taken_up = self.first.map(|first| agent::taken_up(run.home(), first));
        let trail = taken_up
            .as_ref()
            .map(|turns| Trail::after(turns, settings.pace.patience));
        let mut recorder = Recorder::new(run, exchange, settings.record.required);
        let mut agent = Agent {
            memory: Memory::of(&mut recorder, settings, &idiom, &state.unreadable)?,
            idiom,
            recorder,
            live,
            screen: sight.screen,
            company: sight.company,
            countdown: sight.countdown,
            server: self.server,
            grounder,
            outputs: self.outputs,
            stop: self.stop,
            presence: self.presence,
            unread,
            unwanted,
            given_goal: resolved.given_goal,
            first: self.first.unwrap_or(state.turn),
            was_answered: taken_up.is_some_and(|turns| turns.iter().any(|turn| turn.status == Status::Ok)),
            state,
            key: self.key,
            trail: trail.unwrap_or_default(),
            facts: self.facts,
        };
        let written = agent.recorder.given_goal(&given_goal);
        written.map_err(|ending| anyhow!("{ending}"))?;
        started.pace = agent.pace();
        agent.tell_all(std::iter::once(Event::RunStarted(started)).chain(notices));
        Ok(agent)
    }
}

/// The start of an agent in a run that it has opened.
pub(crate) struct Start {
    home: Home,
    /// Whether the next agent still has to withdraw the last reply's actions, as the end that this start replaces says.
    withdraws: bool,
}

impl Start {
    pub(crate) fn of(opened: &Opened) -> Start {
        Start {
            home: opened.run.home().clone(),
            withdraws: opened.unwanted == Some(Unwanted::Stopped),
        }
    }

    /// Passes on the result of a step before the agent begins, and records a failure as the end of the run.
    pub(crate) fn noting<T, E: Into<Error>>(&self, step: Result<T, E>) -> Result<T> {
        step.map_err(Into::into).inspect_err(|error| self.failed(error))
    }

    /// Records that the run ended with this error before its agent could begin. Otherwise, it would look as if it had
    /// been killed, because opening it has removed its earlier end.
    fn failed(&self, error: &Error) {
        let end = RunEnd {
            at: Timestamp::now().to_string(),
            reason: exit::describe(error, false),
            exit_code: exit::code(error),
            withdraws: self.withdraws,
            unusable_reply: false,
        };
        if let Err(error) = end.keep(&self.home, true) {
            tracing::error!("{error}; the run looks as if FRANZ had been killed");
        }
    }
}

/// Applies what this server needs for this model, as earlier runs have learned.
fn recall(upstream: &Upstream, live: &mut Live, notices: &mut Vec<String>) {
    match ServedModel::from(upstream).settings() {
        Ok(remembered) => {
            notices.extend(remembered.iter().map(|(name, value)| {
                format!("this model needs {name} = {value} on this server (franz models --forget clears it)")
            }));
            live.learn(remembered);
        }
        Err(error) => notices.push(error.to_string()),
    }
}

fn exchange_log(run: &Home, bytes: u64, server: &ModelServers, notices: &mut Vec<String>) -> Result<ExchangeLog> {
    let options = ExchangeOptions::keeping(bytes, server.keyring().secret().clone());
    let (log, cut) = ExchangeLog::open(run, options)?;
    notices.extend(cut.map(|cut| {
        let cut = cut.display();
        format!("an unterminated last line of exchange.log was moved aside to {cut}")
    }));
    Ok(log)
}

/// Brings a state that has lost turns up to the last turn drawn on the canvas. Otherwise the canvas would not draw the
/// actions of a turn whose number it already has. The last recorded reply's actions are not performed, because the
/// canvas has drawn them in one of the lost turns.
fn catch_up(state: &mut RunState, unwanted: &mut Option<Unwanted>, drawn: u64) -> Option<String> {
    let recorded = state.turn;
    if drawn <= recorded.saturating_add(1) {
        return None;
    }
    if state.phase == Phase::Ready && recorded > 0 {
        *unwanted = Some(Unwanted::Unrecorded);
    }
    state.turn = drawn;
    Some(format!(
        "the canvas is at turn {drawn}, but the records end at turn {recorded}; continuing from the canvas's turn"
    ))
}
