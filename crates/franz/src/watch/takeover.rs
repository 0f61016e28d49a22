//! Tracks which page has taken over the agent's screen, and handles the loss of that page.

use std::time::{Duration, Instant};

use franz_panel::Refused;
use franz_panel::controls::PersonInput;

use super::agent_control::AgentControl;
use super::assignment::Order;
use super::holder::Due;

/// How often to check whether the page is still there.
const CHECK: Duration = Duration::from_millis(100);
impl AgentControl {
    /// Gives the agent's screen to a page.
    pub(super) fn take_over(&self, key: &str) -> Result<(), Refused> {
        self.check_private()?;
        if !self.holder().take(key)? {
            return Ok(());
        }
        if let Err(refused) = self.tell(&Order::TakeOver) {
            self.holder().clear();
            return Err(refused);
        }
        let control = self.clone();
        let thread = std::thread::Builder::new().name("takeover".to_owned());
        let started = thread.spawn(move || control.look_after_page());
        started.map(drop).map_err(|error| {
            self.holder().clear();
            Refused::Failed(error.to_string())
        })
    }

    /// Gives the screen back to the agent.
    pub(super) fn give_back(&self) -> Result<(), Refused> {
        if !self.holder().is_held() {
            return Err(Refused::NothingThere("nobody has taken over this screen".to_owned()));
        }
        self.holder().clear();
        self.tell(&Order::GiveBack)
    }

    /// Passes on the person's input.
    pub(super) fn input(&self, key: &str, inputs: Vec<PersonInput>) -> Result<(), Refused> {
        if !self.holder().hears(key) {
            return Err(Refused::Decided("this page has not taken over the screen".to_owned()));
        }
        self.tell(&Order::Input { inputs })
    }

    /// Releases the keys and buttons that a lost page held down, and pauses the run if the page does not return.
    fn look_after_page(&self) {
        loop {
            std::thread::sleep(CHECK);
            let told = match self.holder().due(Instant::now()) {
                Due::Nothing => continue,
                Due::Over => return,
                Due::LetGo => self.tell(&Order::Input {
                    inputs: vec![PersonInput::LetGo],
                }),
                Due::GiveBack => {
                    // Pause before giving the screen back, so that the run does not continue in between.
                    let paused = self.obey(franz_panel::AgentCommand::Pause);
                    paused.and_then(|()| self.tell(&Order::GiveBack))
                }
            };
            if told.is_err() {
                self.holder().clear();
                return;
            }
        }
    }
}
