//! The panel's messages to an agent: first the assignment, then orders, each as a line of JSON on the agent's stdin.

use std::fmt;

use anyhow::Result;
use franz_chat::{ApiKey, Keyring};
use franz_panel::controls::{PersonDecision, PersonInput};
use serde::{Deserialize, Serialize};

use crate::keys::HeldPassword;
use crate::screen::PanelsDesktop;
use crate::stop::Ending;
use crate::upstream::Relayed;

/// The data with which an agent starts, besides the settings in its run's `config.toml`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each a member of the message"
)]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The model servers, in the order to try them.
    pub(crate) servers: Vec<Relayed>,
    /// The grounder's server, if there is one.
    #[serde(default)]
    pub(crate) grounder: Option<Relayed>,
    /// The settings that only the person may give, in the form of
    /// [`OwnSettings::text`](crate::own_settings::OwnSettings::text).
    pub(crate) own: String,
    /// A goal that the command line gives a resumed run.
    pub(crate) goal: Option<String>,
    /// The turn before this invocation's first turn; `None` if the invocation begins with this start of the agent.
    pub(crate) first: Option<u64>,
    /// Whether to wait, before the first reply, for servers that are not running.
    #[serde(default)]
    pub(crate) wait: bool,
    /// Whether an earlier agent in this invocation has received a reply.
    #[serde(default)]
    pub(crate) answered: bool,
    /// Whether the agent begins paused.
    pub(crate) paused: bool,
    /// Whether the person has a terminal, or a desktop that can notify them.
    #[serde(default)]
    pub(crate) attended: bool,
    /// Whether a page of the dashboard is open.
    #[serde(default)]
    pub(crate) page: bool,
    /// The private desktop that was started for the run.
    pub(crate) display: Option<PanelsDesktop>,
    /// The password of the run's VNC server.
    #[serde(default)]
    pub(crate) vnc_password: Option<HeldPassword>,
    /// The profile's name, as shown to people.
    pub(crate) profile: String,
    /// Every API key, with the servers that it may be sent to.
    pub(crate) keys: Vec<HeldKey>,
    /// The key that the agent sends with each request, to prove to the panel that it belongs to this run.
    pub(crate) key: String,
}

/// An API key to be sent to the agent. It is never shown.
#[derive(Serialize, Deserialize)]
pub(crate) struct HeldKey {
    pub(crate) key: String,
    /// The origins of the servers that the key may be sent to.
    pub(crate) servers: Vec<String>,
}

impl fmt::Debug for HeldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldKey")
            .field("servers", &self.servers)
            .finish_non_exhaustive()
    }
}

impl Assignment {
    /// Returns the agent's keys, each for those servers that the panel allows.
    pub(crate) fn keyring(&self) -> Result<Keyring> {
        let mut keyring = Keyring::default();
        for HeldKey { key, servers } in &self.keys {
            let key = ApiKey::new(key)?;
            keyring = keyring.with_held_key(key.clone());
            for server in servers {
                keyring = keyring.with_server_key(server.parse()?, key.clone());
            }
        }
        Ok(keyring)
    }
}

/// An order to a running agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Order {
    Pause,
    Resume,
    Step,
    /// The person has decided the question with this nonce.
    Decide {
        nonce: String,
        by: String,
        decision: PersonDecision,
    },
    /// The person replies in place of the model.
    Reply {
        text: String,
    },
    /// The person takes over the screen.
    TakeOver,
    /// The person gives the screen back.
    GiveBack,
    /// The person's input while they have the screen.
    Input {
        inputs: Vec<PersonInput>,
    },
    /// The first page of the dashboard was opened, or the last one closed.
    Page {
        open: bool,
    },
    /// The person has changed the run's bounds. The text has the form of [`Assignment::own`].
    Allow {
        own: String,
    },
    /// The agent must end cleanly.
    Stop {
        #[serde(default)]
        by: StoppedBy,
    },
}

/// The source of an order to stop, as the panel sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoppedBy {
    /// The person, in the dashboard.
    #[default]
    Person,
    /// Ctrl+C.
    Interrupt,
    /// Another signal.
    Signal,
    /// The MCP host, by leaving.
    Host,
}

impl StoppedBy {
    /// Returns who stopped the panel.
    pub(super) fn of(ending: Option<&Ending>) -> StoppedBy {
        match ending {
            Some(Ending::Interrupted) => StoppedBy::Interrupt,
            Some(Ending::Terminated) => StoppedBy::Signal,
            Some(Ending::HostLeft) => StoppedBy::Host,
            _ => StoppedBy::Person,
        }
    }

    /// Returns the reason for the end, as the agent reports it.
    pub(crate) fn ending(self) -> Ending {
        match self {
            StoppedBy::Person => Ending::Stopped,
            StoppedBy::Interrupt => Ending::Interrupted,
            StoppedBy::Signal => Ending::Terminated,
            StoppedBy::Host => Ending::HostLeft,
        }
    }
}

/// Returns the message as one line of JSON, without a line break.
pub(super) fn line(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("an order always fits into JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_short_words() {
        for (order, text) in [
            (Order::Pause, r#"{"do":"pause"}"#),
            (Order::Step, r#"{"do":"step"}"#),
            (Order::Page { open: true }, r#"{"do":"page","open":true}"#),
            (
                Order::Stop {
                    by: StoppedBy::Interrupt,
                },
                r#"{"do":"stop","by":"interrupt"}"#,
            ),
        ] {
            assert_eq!(line(&order), text);
            assert_eq!(serde_json::from_str::<Order>(text).unwrap(), order);
        }
        assert_eq!(
            serde_json::from_str::<Order>(r#"{"do":"stop"}"#).unwrap(),
            Order::Stop { by: StoppedBy::Person }
        );
    }

    #[test]
    fn an_agent_ends_for_the_same_reason_as_its_panel() {
        for ending in [
            Ending::Stopped,
            Ending::Interrupted,
            Ending::Terminated,
            Ending::HostLeft,
        ] {
            assert_eq!(StoppedBy::of(Some(&ending)).ending(), ending);
        }
    }
}
