//! Requests that browsers can make: commands to the agent, and edits of the run's `config.toml`.

use franz_panel::controls::{PersonDecision, PersonInput, SettingsPage};
use franz_panel::{AgentCommand, Controls, Refused};

use super::agent_control::AgentControl;
use super::dashboard_edits::DashboardEdits;

/// The parts of a run that browsers can control.
pub(super) struct DashboardControls {
    control: AgentControl,
    edits: Option<DashboardEdits>,
}

impl DashboardControls {
    /// Creates the controls. Only a run with a model of its own has `edits`.
    pub(super) fn new(control: AgentControl, edits: Option<DashboardEdits>) -> DashboardControls {
        DashboardControls { control, edits }
    }

    fn run(&self) -> Result<&DashboardEdits, Refused> {
        let none = || Refused::NothingThere("only the model of a FRANZ run can receive messages".to_owned());
        self.edits.as_ref().ok_or_else(none)
    }
}

impl Controls for DashboardControls {
    fn has_settings(&self) -> bool {
        self.edits.is_some()
    }

    fn page(&self, listens: bool) {
        self.control.take_note_of_page(listens);
    }

    fn command(&self, command: AgentCommand) -> Result<(), Refused> {
        self.control.obey(command)
    }

    fn decide(&self, nonce: &str, decision: PersonDecision) -> Result<(), Refused> {
        self.control.decide(nonce, "page", decision)
    }

    fn reply(&self, text: &str) -> Result<(), Refused> {
        self.control.reply(text)
    }

    fn take_over(&self, key: &str) -> Result<(), Refused> {
        self.control.take_over(key)
    }

    fn give_back(&self) -> Result<(), Refused> {
        self.control.give_back()
    }

    fn input(&self, key: &str, inputs: Vec<PersonInput>) -> Result<(), Refused> {
        self.control.input(key, inputs)
    }

    fn sees(&self, key: &str, waits: bool) {
        self.control.holder().sees(key, waits);
    }

    fn say(&self, text: &str, keep: bool) -> Result<(), Refused> {
        self.run()?.say(text, keep)
    }

    fn set_mode(&self, mode: &str) -> Result<(), Refused> {
        self.run()?.set_mode(mode)
    }

    fn settings(&self) -> Result<Option<SettingsPage>, Refused> {
        self.edits.as_ref().map(DashboardEdits::page).transpose()
    }

    fn set(&self, key: &str, text: &str, hash: &str) -> Result<String, Refused> {
        let none = || Refused::NothingThere("this panel does not have the agent's settings".to_owned());
        self.edits.as_ref().ok_or_else(none)?.set(key, text, hash)
    }
}
