//! A model on a server.

use std::fmt;

use franz_chat::ServerOrigin;
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
    /// Returns the home of the models on a server.
    pub(crate) fn server(origin: &ServerOrigin) -> ModelHome {
        ModelHome(origin.to_string())
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
