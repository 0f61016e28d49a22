//! Holds this process's API keys, and the rule that decides which server receives which key.

use std::sync::OnceLock;

use franz_secret::Secret;
use reqwest::header::HeaderValue;
use thiserror::Error;

use crate::endpoint::Endpoint;
use crate::key::ApiKey;
use crate::server_origin::ServerOrigin;

/// Who named a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// The person, as the model server on the command line.
    CommandLine,
    /// The person, as the model server in the environment or in their own configuration directory.
    Person,
    /// Anything else: a profile, a file in the working directory, a run's directory, or discovery. Fallback servers
    /// belong here too.
    Others,
}

/// The keys, and the servers that each may be sent to.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    /// The key for the one model server that the person named.
    upstream: Option<UpstreamKey>,
    /// Other servers that may receive that key.
    also: Vec<ServerOrigin>,
    /// Keys for one server each.
    servers: Vec<(ServerOrigin, ApiKey)>,
    /// Keys that FRANZ only searches for and never sends.
    held: Vec<ApiKey>,
    /// The secret, built from all keys on first use, because building it takes milliseconds.
    secret: OnceLock<Secret>,
}

#[derive(Clone, Debug)]
struct UpstreamKey {
    key: ApiKey,
    /// Whether this is a key that shells often hold for a cloud service, and that was not necessarily set for FRANZ.
    customary: bool,
}

/// The key that a client may send to one server, and the keys that it must not let through from any server. Only a
/// [`Keyring`] can create a grant with a key.
#[derive(Clone, Debug, Default)]
pub struct Grant {
    key: Option<(ServerOrigin, ApiKey)>,
    secret: Secret,
}

/// The error when a key for one server was about to be sent to another.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the API key for {granted} must not be sent to {asked}; this is a bug in FRANZ: please report it")]
pub struct NotGranted {
    granted: ServerOrigin,
    asked: ServerOrigin,
}

impl Keyring {
    /// Adds a key for the one model server that the person names. A `customary` key, which shells usually hold for a
    /// cloud service, is sent only to a server on this machine or to one named on the command line.
    #[must_use]
    pub fn with_upstream_key(mut self, key: ApiKey, customary: bool) -> Keyring {
        self.upstream = Some(UpstreamKey { key, customary });
        self.renewed()
    }

    /// Allows the model server's key to be sent to this server as well.
    #[must_use]
    pub fn with_key_for(mut self, server: ServerOrigin) -> Keyring {
        self.also.push(server);
        self
    }

    /// Adds a key for this server, whoever names it. If a server has several keys, the one added last is used.
    #[must_use]
    pub fn with_server_key(mut self, server: ServerOrigin, key: ApiKey) -> Keyring {
        self.servers.insert(0, (server, key));
        self.renewed()
    }

    /// Adds a key that FRANZ only searches for and never sends.
    #[must_use]
    pub fn with_held_key(mut self, key: ApiKey) -> Keyring {
        self.held.push(key);
        self.renewed()
    }

    fn renewed(mut self) -> Keyring {
        self.secret.take();
        self
    }

    /// Returns the key that a server may receive, depending on who named the server. Every key that FRANZ sends comes
    /// from here.
    fn may_have(&self, endpoint: &Endpoint, named_by: NamedBy) -> Option<&ApiKey> {
        let server = endpoint.origin();
        if let Some((_, key)) = self.servers.iter().find(|(origin, _)| *origin == server) {
            return Some(key);
        }
        let UpstreamKey { key, customary } = self.upstream.as_ref()?;
        let may = match named_by {
            NamedBy::CommandLine => true,
            NamedBy::Person => !customary || endpoint.is_loopback(),
            NamedBy::Others => false,
        };
        (may || self.also.contains(&server)).then_some(key)
    }

    /// Returns the grant for a client of this server.
    pub fn grant(&self, endpoint: &Endpoint, named_by: NamedBy) -> Grant {
        let key = self.may_have(endpoint, named_by).cloned();
        Grant {
            key: key.map(|key| (endpoint.origin(), key)),
            secret: self.secret().clone(),
        }
    }

    /// Returns the keys as a secret, which must not appear in anything that is shown or recorded.
    pub fn secret(&self) -> &Secret {
        self.secret.get_or_init(|| Secret::new(self.keys().map(ApiKey::text)))
    }

    /// Returns whether there is a key for the one model server that the person names.
    pub fn has_upstream_key(&self) -> bool {
        self.upstream.is_some()
    }

    /// Returns whether that key was not set for FRANZ, but is the one that shells usually hold for a cloud service.
    pub fn has_customary_key(&self) -> bool {
        self.upstream.as_ref().is_some_and(|upstream| upstream.customary)
    }

    /// Returns every key.
    pub fn keys(&self) -> impl Iterator<Item = &ApiKey> {
        let upstream = self.upstream.iter().map(|upstream| &upstream.key);
        upstream
            .chain(self.servers.iter().map(|(_, key)| key))
            .chain(&self.held)
    }
}

impl Grant {
    /// Returns whether the grant includes a key.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Returns the key and its server, as passed to an agent through the pipe.
    pub fn key(&self) -> Option<(&ServerOrigin, &ApiKey)> {
        self.key.as_ref().map(|(server, key)| (server, key))
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        self.key.as_ref().map(|(_, key)| key.header())
    }

    /// Refuses to be used for a different server. A FRANZ relay is treated as the server `behind` it.
    pub(crate) fn check(&self, endpoint: &Endpoint, behind: Option<&Endpoint>) -> Result<(), NotGranted> {
        let asked = behind.unwrap_or(endpoint).origin();
        match &self.key {
            Some((granted, _)) if *granted != asked => Err(NotGranted {
                granted: granted.clone(),
                asked,
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
