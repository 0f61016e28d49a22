//! What the panel tells an agent: first its assignment, then orders, each a line of JSON on its stdin.

use serde::{Deserialize, Serialize};

use crate::config::layer::{Layer, LayerError};
use crate::upstream::Relayed;

/// What an agent is started with, beside the settings in the `config.toml` of its run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The model servers, in the order in which they are to be tried.
    pub(crate) servers: Vec<Relayed>,
    /// Settings that flags have given a run that goes on, as TOML.
    pub(crate) flags: String,
    /// A goal that the command gives a run that goes on.
    pub(crate) goal: Option<String>,
    /// The turn after which this invocation began; `None`: with this start.
    pub(crate) first: Option<u64>,
    /// Whether it waits before its first turn.
    pub(crate) paused: bool,
    /// The profile's name, for people.
    pub(crate) profile: String,
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

/// The layer as a text that [`read_layer`] reads.
pub(crate) fn write_layer(layer: &Layer) -> String {
    layer.table().to_string()
}

/// The layer that such a text holds.
pub(crate) fn read_layer(text: &str) -> Result<Layer, LayerError> {
    Layer::parse(text, "the assignment")
}

/// One line of JSON, without its end.
pub(crate) fn line(message: &impl Serialize) -> String {
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

    #[test]
    fn a_layer_survives() {
        let mut layer = Layer::default();
        for (key, value) in [
            ("loop.max_turns", "7"),
            ("prompt.goal", "a \"b\"\n[c]"),
            ("protocol.tools.drag", "false"),
        ] {
            layer.set(key, value, "test").unwrap();
        }
        assert_eq!(read_layer(&write_layer(&layer)).unwrap(), layer);
        assert_eq!(read_layer(&write_layer(&Layer::default())).unwrap(), Layer::default());
    }
}
