//! Passes on the output of an agent's process to the person at the terminal and to browsers.

use anyhow::Result;
use franz_panel::Hub;

use crate::terminal::Printer;

/// Passes on the output of a process.
pub(super) struct ProcessOutput {
    printer: Printer,
    hub: Hub,
}

impl ProcessOutput {
    pub(super) fn new(hub: Hub) -> Result<ProcessOutput> {
        Ok(ProcessOutput {
            printer: Printer::new()?,
            hub,
        })
    }

    /// Passes on a line from its stdout.
    pub(super) fn says(&self, line: &str) {
        self.printer.say(line);
    }

    /// Passes on a line from its stderr.
    pub(super) fn complains(&self, line: &str) {
        self.printer.complain(line);
        self.hub.change(|snapshot| snapshot.notice(line));
    }

    /// Reports how the process died and what will happen next.
    pub(super) fn breaks(&self, how: &str) {
        self.complains(&format!("franz: {how}"));
    }
}
