//! How a model server is named, and where it is.

use std::fmt;

use anyhow::Result;
use franz_chat::{Candidate, Endpoint, NamedBy};
use serde::{Deserialize, Serialize};

use crate::calibrate::ModelHome;
use crate::exit::Unusable;

/// How a model server is reached.
#[derive(Clone, Debug)]
pub(crate) enum ServerAddress {
    /// By the name people use, which is a URL, `auto` or `demo`, and who gave it.
    Named(String, NamedBy),
    /// Through a relay.
    Relayed(Relayed),
}

/// A model server behind one of our relays.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Relayed {
    /// The relay's URL.
    pub(crate) relay: String,
    /// The server's own address.
    pub(crate) address: String,
    /// That address and why it is this one, in words for people.
    pub(crate) shown: String,
    /// The model to name in requests, and what is known about it; `None` if it has yet to be chosen.
    pub(crate) model: Option<Candidate>,
    /// The models that it listed, if it was asked.
    pub(crate) listed: Vec<Candidate>,
    /// Where its models are, as calibrations name it.
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

/// Checks whether this could be the address of a server.
pub(crate) fn check(address: &str) -> Result<()> {
    match address {
        "auto" | "demo" => Ok(()),
        address => endpoint(address).map(drop),
    }
}

pub(super) fn endpoint(address: &str) -> Result<Endpoint> {
    // An address can contain a password, so the error shows it only if that is allowed.
    let endpoint = address.parse::<Endpoint>();
    Ok(endpoint.map_err(Unusable::usage)?)
}
