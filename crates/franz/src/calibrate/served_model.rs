//! A model on a server.

use std::fmt;

use franz_chat::Endpoint;
use serde::{Deserialize, Serialize};

/// The subject of a calibration: a model on a particular server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServedModel {
    pub(crate) server: ModelHome,
    pub(crate) name: String,
}

/// The place where a model is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ModelHome(String);

impl ModelHome {
    /// Returns the home of the models on a server. A gateway can have other servers below other paths.
    pub(crate) fn server(endpoint: &Endpoint) -> ModelHome {
        ModelHome(endpoint.to_string())
    }

    /// Returns the home of a model that a record replaces. Nothing is known or remembered about it.
    pub(crate) fn record() -> ModelHome {
        ModelHome("record".to_owned())
    }

    /// Returns the home of the built-in model, which is the same wherever it listens.
    pub(crate) fn built_in() -> ModelHome {
        ModelHome("demo".to_owned())
    }
}

impl fmt::Display for ModelHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_behind_one_gateway_have_homes_of_their_own() {
        let home = |address: &str| ModelHome::server(&address.parse().unwrap()).to_string();
        for address in ["http://h:1", "http://h:1/v1", "http://h:1/v1/chat/completions"] {
            assert_eq!(home(address), "http://h:1");
        }
        assert_eq!(home("https://gw/a/v1"), "https://gw/a");
        assert_ne!(home("https://gw/a/v1"), home("https://gw/b/v1"));
    }
}
