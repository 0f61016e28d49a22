//! Our own agent under the panel's supervision: its input at each start, and where its output goes.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};
use franz_home::Home;
use franz_panel::Hub;
use franz_panel::history::History;
use franz_record::{Event, Exit, Outputs, RunStarted, Status};
use franz_screen::child::{self, Environment};

use super::access::DashboardAccess;
use super::agent_control::AgentControl;
use super::assignment::{Assignment, line};
use super::notification::Notifier;
use super::process_output::ProcessOutput;
use super::services::Services;
use super::supervisor::AgentProcess;
use crate::agent::keep_stop;
use crate::own_settings::OwnSettings;
use crate::reading;

/// The variables that the agent needs besides those of the person's session. Keys are passed through the pipe instead.
const AGENT: [&str; 2] = ["RUST_LOG", "RUST_BACKTRACE"];

/// The agent of a run.
pub(super) struct OwnAgent {
    program: PathBuf,
    home: Home,
    own: OwnSettings,
    /// Variables in the agent's environment besides the panel's own.
    environment: Vec<(&'static str, String)>,
    assignment: Assignment,
    outputs: Outputs,
    control: AgentControl,
    hub: Hub,
    history: Arc<History>,
    dashboard: String,
    process_output: ProcessOutput,
    /// Tells the person when the run waits for them.
    notifier: Notifier,
    /// The reason why the run ended; empty until then.
    reason: String,
}

impl OwnAgent {
    pub(super) fn new(
        home: Home,
        assignment: Assignment,
        own: OwnSettings,
        outputs: Outputs,
        control: AgentControl,
        notifier: Notifier,
        services: &Services,
    ) -> Result<OwnAgent> {
        Ok(OwnAgent {
            program: std::env::current_exe().context("cannot find the FRANZ executable to start the agent")?,
            home,
            own,
            environment: Vec::new(),
            assignment,
            outputs,
            control,
            hub: services.hub.clone(),
            history: Arc::clone(&services.history),
            dashboard: services.access.link(),
            process_output: ProcessOutput::new(services.hub.clone())?,
            notifier,
            reason: String::new(),
        })
    }

    /// Sets the address of the page that shows the run, if it is not the run's own.
    pub(super) fn with_page(self, page: Option<&DashboardAccess>) -> OwnAgent {
        match page {
            Some(page) => OwnAgent {
                dashboard: page.link(),
                ..self
            },
            None => self,
        }
    }

    /// Sets the variables that the agent needs to reach its screen.
    pub(super) fn with_environment(self, environment: Vec<(&'static str, String)>) -> OwnAgent {
        OwnAgent { environment, ..self }
    }

    fn hear(&mut self, event: Event) {
        // These pictures are only for the person, so they go only to the pages.
        let event = match event {
            Event::Live(picture) => return self.hub.live().push(picture),
            other => other,
        };
        match &event {
            Event::Writing(piece) => self.hub.growing_reply().push(piece),
            Event::Asking { .. } | Event::TurnDone(_) | Event::Retry { .. } | Event::RunEnded { .. } => {
                self.hub.growing_reply().clear();
            }
            _ => {}
        }
        self.notifier.hear(&event);
        // Read a finished turn first, so that pages have its line before they lose the pending turn.
        self.note(&event);
        self.hub.change(|snapshot| snapshot.event(&event));
        let event = match event {
            Event::RunStarted(run) => self.started(run),
            other => other,
        };
        for dropped in self.outputs.event(&event) {
            tracing::warn!("{dropped}");
        }
    }

    /// Returns the event for a start of the agent. Only the first start begins the run; a later one becomes a notice.
    fn started(&mut self, run: RunStarted) -> Event {
        let turn = run.turn;
        if self.assignment.first.is_some() {
            return Event::Notice {
                text: format!("the agent was restarted at turn {turn}"),
            };
        }
        self.assignment.first = Some(turn.saturating_sub(1));
        Event::RunStarted(RunStarted {
            dashboard: Some(self.dashboard.clone()),
            ..run
        })
    }

    /// Returns the reason and the exit code of an end that the agent has not reported: the person's, or else the
    /// agent's, with its last words on stderr.
    fn unreported_end(&self, code: u8, said: &str) -> (String, u8) {
        let Some(ending) = self.control.ending() else {
            let meaning = Exit::of(i32::from(code)).map_or("the agent ended", Exit::meaning);
            let reason = if said.is_empty() { meaning } else { said };
            return (reason.to_owned(), code);
        };
        if let Err(error) = keep_stop(&self.home, &ending) {
            tracing::error!("{error}; the next agent performs what is still pending");
        }
        (ending.to_string(), ending.exit_code())
    }

    /// Notes the data that the next start and the end need.
    fn note(&mut self, event: &Event) {
        match event {
            Event::TurnDone(line) => {
                self.assignment.answered |= line.status == Status::Ok;
                // The goal on the command line applies only once, so a restart must not give it again.
                self.assignment.goal = None;
                self.hub.read(&self.history);
            }
            // A restarted agent must not take the mouse and keyboard from the person, so it begins paused.
            Event::Paused { why, .. } => {
                self.hub.live().clear();
                if why.is_some() {
                    self.control.take_note_of_pause();
                }
            }
            Event::Waiting(_) | Event::TakenOver { .. } | Event::GivenBack { .. } => self.hub.live().clear(),
            Event::RunEnded { reason, .. } => self.reason.clone_from(reason),
            _ => {}
        }
    }
}

impl AgentProcess for OwnAgent {
    fn command(&mut self) -> Command {
        let agent = Environment::session()
            .inheriting(&AGENT)
            .inheriting(reading::TEST_VARIABLES);
        let environment = self.environment.iter();
        let environment = environment.fold(agent, |all, (name, value)| all.with(name, value));
        let mut command = child::command(&self.program, &environment);
        command.arg("agent").arg(self.home.path());
        command
    }

    fn first_line(&mut self) -> Option<String> {
        self.assignment.paused = self.control.is_paused();
        self.assignment.page = self.control.is_watched_at_start();
        self.assignment.own = self.own.text();
        Some(line(&self.assignment))
    }

    fn said(&mut self, line: &str) {
        match Event::from_line(line) {
            Ok(event) => self.hear(event),
            Err(error) => tracing::warn!("the agent printed something that is not an event: {error}"),
        }
    }

    fn complained(&mut self, line: &str) {
        self.process_output.complains(line);
    }

    fn completed(&self) -> u64 {
        self.history.extent().count
    }

    fn has_ended(&self) -> bool {
        !self.reason.is_empty()
    }

    fn last_line(&mut self) -> Option<String> {
        Some(line(&self.control.last_order()))
    }

    fn died(&mut self, how: &str) {
        // The next agent reports the end of the run.
        self.reason.clear();
        // The person had the screen, so the next agent waits for them.
        if self.control.holder().is_held() {
            self.control.take_note_of_pause();
        }
        self.control.holder().clear();
        self.hub.live().clear();
        self.hub.growing_reply().clear();
        self.process_output.breaks(how);
    }

    fn last_words(&mut self, code: u8, said: &str) -> String {
        // An agent that had died, could not begin, or was killed because it did not end in time, has reported nothing.
        if self.reason.is_empty() {
            let (reason, exit_code) = self.unreported_end(code, said);
            self.hear(Event::RunEnded {
                reason,
                exit_code,
                tokens: self.hub.look(|snapshot| snapshot.tokens),
            });
        }
        self.reason.clone()
    }
}
