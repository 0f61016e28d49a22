//! How a model server is named, and how it is reached.

use std::fmt;

use anyhow::Result;
use franz_chat::{Candidate, Endpoint, NamedBy};
use serde::{Deserialize, Serialize};

use crate::calibrate::ModelHome;
use crate::exit::Unusable;

/// The way to reach a model server.
#[derive(Clone, Debug)]
pub(crate) enum ServerAddress {
    /// By the name that people use (a URL, `auto` or `demo`), with who named it.
    Named(String, NamedBy),
    /// Through a relay.
    Relayed(Relayed),
}

/// A model server behind one of our relays.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Relayed {
    /// The relay's URL.
    pub(crate) relay: String,
    /// The model server's own address.
    pub(crate) address: String,
    /// A description for people of that address and the reason for choosing it.
    pub(crate) shown: String,
    /// The model to name in requests, and the known facts about it; `None` if it has not been chosen yet.
    pub(crate) model: Option<Candidate>,
    /// The models that the server listed, if FRANZ has requested the list.
    pub(crate) listed: Vec<Candidate>,
    /// The location of the server's models, in the form that calibrations use.
    pub(crate) home: ModelHome,
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerAddress::Named(name, _) => f.write_str(name),
            ServerAddress::Relayed(relayed) => f.write_str(&relayed.address),
        }
    }
}

/// Checks whether this can be the address of a server.
pub(crate) fn check(address: &str) -> Result<()> {
    match address {
        "auto" | "demo" => Ok(()),
        address => endpoint(address).map(drop),
    }
}

pub(super) fn endpoint(address: &str) -> Result<Endpoint> {
    // An address can contain a password, so the error shows the address only if that is safe.
    let endpoint = address.parse::<Endpoint>();
    Ok(endpoint.map_err(Unusable::usage)?)
}
