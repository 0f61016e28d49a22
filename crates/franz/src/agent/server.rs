//! The model servers of a run: the one that is asked, and those to fall back on.

use anyhow::Result;
use franz_chat::models::ListError;
use franz_chat::{Answer, AskError, Attempt, Candidate, Keyring, NamedBy, Request};
use tokio::runtime::Runtime;

use crate::config::settings::Settings;
use crate::stop::{Ending, Stop};
use crate::terminal::complain;
use crate::upstream::{self, Address, Upstream};

/// The name of the failure of an answer that repeats the API key.
const REPEATS_KEY: &str = "repeats_key";

/// The model servers, in the order in which they are tried, and how they have behaved.
pub(crate) struct Server {
    settings: Settings,
    keyring: Keyring,
    /// The address of each, and what is known of it once it was used.
    servers: Vec<(Address, Option<Upstream>)>,
    /// The one that is asked.
    current: usize,
    runtime: Runtime,
    /// Whether a reply came since the start: before that, a failure means that no server can be used.
    answered: bool,
    /// The failure of the turn just done, when it failed.
    failure: Option<AskError>,
    /// Why the turn before it failed, when that was for a reason that lasts.
    refused: Option<&'static str>,
}

impl Server {
    /// Connects to the first server of the settings that can be used. `None`: a stop was asked for meanwhile.
    /// `named_by` says who named the first one.
    pub(crate) fn connect(
        runtime: Runtime,
        settings: &Settings,
        named_by: NamedBy,
        keyring: Keyring,
        stop: &Stop,
    ) -> Result<Option<Server>> {
        let model = &settings.model;
        model.fallback.iter().try_for_each(|address| upstream::check(address))?;
        let fallbacks = model.fallback.iter().map(|name| (name, NamedBy::Others));
        let names = std::iter::once((&model.upstream, named_by)).chain(fallbacks);
        let addresses = names
            .map(|(name, named_by)| Address::Named(name.clone(), named_by))
            .collect();
        Server::first_of(addresses, runtime, settings, keyring, stop)
    }

    /// Connects to the first of these servers that can be used. `None`: a stop was asked for meanwhile.
    pub(crate) fn first_of(
        addresses: Vec<Address>,
        runtime: Runtime,
        settings: &Settings,
        keyring: Keyring,
        stop: &Stop,
    ) -> Result<Option<Server>> {
        let mut server = Server {
            settings: settings.clone(),
            keyring,
            servers: addresses.into_iter().map(|address| (address, None)).collect(),
            current: 0,
            runtime,
            answered: false,
            failure: None,
            refused: None,
        };
        let mut trouble: Option<anyhow::Error> = None;
        for current in 0..server.servers.len() {
            server.current = current;
            match server.reach(stop) {
                Ok(true) => {
                    if let Some(error) = trouble {
                        complain(&format!("{error}; going over to {}", server.servers[current].0));
                    }
                    return Ok(Some(server));
                }
                Ok(false) => return Ok(None),
                Err(error) => drop(trouble.get_or_insert(error)),
            }
        }
        Err(trouble.expect("there is at least one server"))
    }

    /// The server that is asked.
    pub(crate) fn upstream(&self) -> &Upstream {
        let (_, upstream) = &self.servers[self.current];
        upstream.as_ref().expect("the current server was reached")
    }

    /// The keys, and where each may go.
    pub(crate) fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// What the server that is asked tells of its models.
    pub(crate) fn candidates(&self) -> Result<Vec<Candidate>, ListError> {
        self.runtime.block_on(self.upstream().client.candidates())
    }

    /// The servers in the order in which they will be tried, the current one first, with what is known of each.
    pub(crate) fn into_order(mut self) -> Vec<(Address, Option<Upstream>)> {
        self.servers.rotate_left(self.current);
        self.servers
    }

    /// How many servers there are to be tried in one turn.
    pub(super) fn count(&self) -> usize {
        self.servers.len()
    }

    /// Goes over to the next server that can be reached, and gives its address; `None` when there is no other.
    pub(super) fn go_over(&mut self, stop: &Stop) -> Option<String> {
        let left = self.current;
        for step in 1..self.servers.len() {
            self.current = (left + step) % self.servers.len();
            if self.reach(stop).unwrap_or(false) {
                return Some(self.servers[self.current].0.to_string());
            }
        }
        self.current = left;
        None
    }

    /// Whether the run can go on after the turn just done.
    pub(super) fn verdict(&mut self) -> Result<(), Ending> {
        let Some(failure) = self.failure.take() else {
            self.refused = None;
            return Ok(());
        };
        let lasting = failure.is_permanent().then(|| failure.kind.name());
        let again = lasting.is_some() && lasting == self.refused;
        self.refused = lasting;
        // The first answer that repeats the key may be a slip of the model.
        let may_pass = lasting == Some(REPEATS_KEY);
        if (!self.answered && !may_pass) || again {
            return Err(Ending::ServerUnusable(failure.to_string()));
        }
        Ok(())
    }

    pub(super) fn answered(&mut self) {
        self.answered = true;
    }

    pub(super) fn failed(&mut self, failure: AskError) {
        self.failure = Some(failure);
    }

    /// Sends a request until it is answered or given up. `None`: the run is to stop.
    pub(super) fn ask(
        &self,
        request: &Request,
        headers: &[(&str, &str)],
        stop: &Stop,
        on_retry: &mut dyn FnMut(&Attempt),
    ) -> Option<Result<Answer, AskError>> {
        let asking = self.upstream().client.ask(request.body().clone(), headers, on_retry);
        self.runtime.block_on(async {
            tokio::select! {
                () = stop.given() => None,
                answer = asking => Some(answer),
            }
        })
    }

    /// Makes the current server known. `false`: a stop was asked for meanwhile.
    fn reach(&mut self, stop: &Stop) -> Result<bool> {
        let (address, known) = &mut self.servers[self.current];
        if known.is_some() {
            return Ok(true);
        }
        *known = self.runtime.block_on(async {
            tokio::select! {
                () = stop.given() => Ok(None),
                upstream = upstream::connect(address, &self.settings, &self.keyring) => upstream.map(Some),
            }
        })?;
        Ok(known.is_some())
    }
}
