//! The process of a foreign agent that `franz panel` starts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};
use franz_panel::Hub;
use franz_panel::runs::Runs;
use franz_screen::child::{self, Environment};

use super::agent_control::AgentControl;
use super::guard;
use super::process_output::ProcessOutput;
use super::services::Services;
use super::supervisor::AgentProcess;

/// A foreign agent that the panel supervises.
pub(super) struct ForeignAgent {
    program: PathBuf,
    command: Vec<OsString>,
    directory: PathBuf,
    relay: String,
    control: AgentControl,
    hub: Hub,
    runs: Arc<Runs>,
    process_output: ProcessOutput,
}

impl ForeignAgent {
    pub(super) fn new(
        command: Vec<OsString>,
        directory: PathBuf,
        relay: String,
        control: AgentControl,
        services: &Services,
        runs: Arc<Runs>,
    ) -> Result<ForeignAgent> {
        Ok(ForeignAgent {
            program: std::env::current_exe().context("cannot find the FRANZ executable to guard the agent")?,
            command,
            directory,
            relay,
            control,
            hub: services.hub.clone(),
            runs,
            process_output: ProcessOutput::new(services.hub.clone())?,
        })
    }
}

impl AgentProcess for ForeignAgent {
    /// Returns the command of the agent's guard, which ends the agent when the panel has gone.
    fn command(&mut self) -> Command {
        let environment = Environment::foreign_agent()
            .with(guard::RUN_DIR, &self.directory)
            .with("OPENAI_BASE_URL", format!("{}/v1", self.relay));
        let mut command = child::command(&self.program, &environment);
        command.arg("guard").arg("--").args(&self.command);
        command
    }

    fn first_line(&mut self) -> Option<String> {
        self.control.tell_standing(&self.hub);
        None
    }

    fn said(&mut self, line: &str) {
        self.process_output.says(line);
    }

    fn complained(&mut self, line: &str) {
        self.process_output.complains(line);
    }

    fn completed(&self) -> u64 {
        self.runs.turns()
    }

    fn has_ended(&self) -> bool {
        false
    }

    fn last_line(&mut self) -> Option<String> {
        None
    }

    fn died(&mut self, how: &str) {
        self.process_output.breaks(how);
    }

    fn last_words(&mut self, _code: u8, _said: &str) -> String {
        String::new()
    }
}
