//! What the panel tells an agent: first its assignment, then orders, each a line of JSON on its stdin.

use serde::{Deserialize, Serialize};

use crate::upstream::Relayed;

/// What an agent is started with, beside the settings in the `config.toml` of its run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The model servers, in the order in which they are to be tried.
    pub(crate) servers: Vec<Relayed>,
    /// A goal that the command gives a run that goes on.
    pub(crate) goal: Option<String>,
    /// The turn after which this invocation began; `None`: with this start.
    pub(crate) first: Option<u64>,
    /// Whether it waits before its first turn.
    pub(crate) paused: bool,
    /// The private desktop that was started for the run.
    pub(crate) display: Option<String>,
    /// The profile's name, for people.
    pub(crate) profile: String,
    /// What it sends with each request, so that the panel believes that it is this run.
    pub(crate) key: String,
}

/// What an agent is told while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Order {
    Pause,
    Resume,
    Step,
    /// To end in order; `interrupted` by Ctrl+C.
    Stop {
        #[serde(default)]
        interrupted: bool,
    },
}

/// One line of JSON, without its end.
pub(super) fn line(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("an order holds nothing that JSON cannot")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_short_words() {
        for (order, text) in [
            (Order::Pause, r#"{"do":"pause"}"#),
            (Order::Step, r#"{"do":"step"}"#),
            (Order::Stop { interrupted: true }, r#"{"do":"stop","interrupted":true}"#),
        ] {
            assert_eq!(line(&order), text);
            assert_eq!(serde_json::from_str::<Order>(text).unwrap(), order);
        }
        assert_eq!(
            serde_json::from_str::<Order>(r#"{"do":"stop"}"#).unwrap(),
            Order::Stop { interrupted: false }
        );
    }
}
