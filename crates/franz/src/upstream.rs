//! Which model server and which model a run talks to, and why.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Result};
use franz_chat::models::ListError;
use franz_chat::{
    CallForm, Candidate, Choice, Client, Endpoint, Expect, Form, FoundServer, Grant, Keyring, NamedBy, PORTS,
    RequestFailure, choose, discover,
};
use franz_demo::{Demo, DemoHandle};
use franz_record::AnsweringModel;
use serde::{Deserialize, Serialize};

use crate::agent::Waits;
use crate::calibrate::{ModelHome, ServedModel};
use crate::config::settings::{MemoryKind, MemoryShape, Settings};
use crate::exit::Unusable;
use crate::terminal::complain;

/// How a model server is reached.
#[derive(Clone, Debug)]
pub(crate) enum ServerAddress {
    /// As people name one: a URL, `auto` or `demo`; and who named it.
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
    /// That address and why it is this one, for people.
    pub(crate) shown: String,
    /// The model to name in requests, and what is known of it; `None` if it is still to be chosen.
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

/// How long a server may take to say something about a model that was named.
const ABOUT_NAMED: Duration = Duration::from_secs(3);

/// The model server of a run.
pub(crate) struct Upstream {
    pub(crate) client: Client,
    /// The model to name in requests.
    pub(crate) model: String,
    /// What is known of the model that answers. Its name is another one if the server changed its model although the
    /// person named one.
    pub(crate) known: Candidate,
    /// The models that the server listed, or why it did not.
    pub(crate) listed: Result<Vec<Candidate>, ListError>,
    /// The model that its last reply named.
    pub(crate) heard: Option<String>,
    /// The address and why it is this one, for people.
    pub(crate) shown: String,
    /// Where the model is, as calibrations name it.
    pub(crate) home: ModelHome,
    /// The key that the server gets, if any.
    pub(crate) grant: Grant,
    /// The built-in model; it serves for as long as this value lives.
    pub(crate) demo: Option<DemoHandle>,
}

impl Upstream {
    /// Returns the models that the server listed, if it did.
    pub(crate) fn list(&self) -> &[Candidate] {
        self.listed.as_deref().unwrap_or_default()
    }

    /// Returns whether the server listed a model of this name.
    pub(crate) fn lists(&self, name: &str) -> bool {
        self.list().iter().any(|listed| listed.id == name)
    }

    /// Takes a list that is newer than the one the panel handed over when the run began. Without one, goes on asking for
    /// the model that gave the run's last reply.
    pub(crate) fn refresh(&mut self, listed: Option<Vec<Candidate>>, last: &AnsweringModel, is_named: bool) {
        let is_current = listed.is_some();
        if let Some(listed) = listed {
            self.listed = Ok(listed);
        }
        if is_named || last.asked.is_empty() {
            return;
        }
        let now = self.list();
        let same = now.iter().find(|listed| listed.id == last.asked);
        let chosen = same.or_else(|| Some(&now[choose(now).ok().filter(|_| is_current)?.index]));
        self.known = chosen.cloned().unwrap_or_else(|| self.known.beside(&last.asked));
        self.model.clone_from(&self.known.id);
    }

    /// Goes on with the model that gave a run's last reply, if the same one is asked for. Returns what the person is told
    /// if the server lists another one now.
    pub(crate) fn follows(&mut self, last: &AnsweringModel, is_named: bool) -> Option<String> {
        if last.asked == self.model {
            self.heard.clone_from(&last.said);
            if last.name != self.known.id {
                let listed = self.list().iter().find(|listed| listed.id == last.name);
                self.known = listed.cloned().unwrap_or_else(|| Candidate {
                    id: last.name.clone(),
                    ..self.known.clone()
                });
            }
            return None;
        }
        (!is_named && last.name != self.known.id).then(|| {
            format!(
                "the model server changed its model from '{}' to '{}'",
                last.name, self.known.id
            )
        })
    }
}

/// Returns the only model that writes text, if there is just one.
pub(crate) fn single(listed: &[Candidate]) -> Option<&Candidate> {
    let mut models = listed.iter().filter(|candidate| !candidate.embeds);
    models.next().filter(|_| models.next().is_none())
}

impl From<&Upstream> for ServedModel {
    fn from(upstream: &Upstream) -> Self {
        ServedModel {
            server: upstream.home.clone(),
            name: upstream.known.id.clone(),
        }
    }
}

/// Where a server's address comes from.
pub(crate) enum ServerSource {
    Given,
    Found {
        /// Whether the server requires a key.
        locked: bool,
    },
    BuiltIn(DemoHandle),
}

/// What to do if no model server is found on this machine.
#[derive(Clone, Copy)]
pub(crate) enum Otherwise {
    /// The built-in model takes its place.
    BuiltIn,
    /// Nothing: other servers were named, which it does not replace.
    Others,
    /// Nothing: only its models are asked for.
    Nothing,
    /// Nothing: it would act on somebody's own desktop, and must be asked for by name there.
    OwnDesktop,
    /// Nothing: a server is waited for.
    Later,
}

impl Otherwise {
    fn of(settings: &Settings) -> Otherwise {
        if !settings.model.fallback.is_empty() {
            Otherwise::Others
        } else if settings.screen.kind.is_shared() {
            Otherwise::OwnDesktop
        } else {
            Otherwise::BuiltIn
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

/// Finds, starts or takes the server at an address, and chooses its model.
pub(crate) async fn connect(
    address: &ServerAddress,
    settings: &Settings,
    keyring: &Keyring,
    waits: Waits,
) -> Result<Upstream> {
    match address {
        ServerAddress::Named(name, named_by) => {
            let otherwise = match waits {
                Waits::Absent => Otherwise::Later,
                Waits::Busy | Waits::Never => Otherwise::of(settings),
            };
            let located = locate(name, otherwise).await?;
            connect_named(name, located, *named_by, settings, keyring).await
        }
        ServerAddress::Relayed(relayed) => connect_relayed(relayed, settings, keyring).await,
    }
}

/// Returns the address of the settings' server and the models that it lists. The built-in model takes no other's place.
pub(crate) async fn listed(
    settings: &Settings,
    named_by: NamedBy,
    keyring: &Keyring,
) -> Result<(String, Vec<Candidate>)> {
    let name = &settings.model.upstream;
    let located = locate(name, Otherwise::Nothing).await?;
    let grant = located.grant(named_by, keyring)?;
    let client = client(located.endpoint.clone(), None, grant, settings)?;
    let candidates = client.candidates().await.map_err(Unusable::server)?;
    Ok((located.shown(name), candidates))
}

async fn connect_named(
    name: &str,
    located: Located,
    named_by: NamedBy,
    settings: &Settings,
    keyring: &Keyring,
) -> Result<Upstream> {
    let grant = located.grant(named_by, keyring)?;
    let client = client(located.endpoint.clone(), None, grant.clone(), settings)?;
    let (known, why, listed) = model(&client, settings).await?;
    Ok(Upstream {
        shown: shown(&located.shown(name), &why, &known),
        home: located.home(),
        client,
        model: known.id.clone(),
        known,
        listed,
        heard: None,
        grant,
        demo: located.source.demo(),
    })
}

async fn connect_relayed(relayed: &Relayed, settings: &Settings, keyring: &Keyring) -> Result<Upstream> {
    let behind = endpoint(&relayed.address)?;
    // The panel knows who named the server, and has handed over keys for particular servers only.
    let grant = keyring.grant(&behind, NamedBy::Others);
    let client = client(endpoint(&relayed.relay)?, Some(behind), grant.clone(), settings)?;
    let (known, shown, listed) = if let Some(model) = &relayed.model {
        (model.clone(), relayed.shown.clone(), Ok(relayed.listed.clone()))
    } else {
        let (known, why, listed) = model(&client, settings).await?;
        let shown = shown(&relayed.shown, &why, &known);
        (known, shown, listed)
    };
    Ok(Upstream {
        shown,
        home: relayed.home.clone(),
        client,
        model: known.id.clone(),
        known,
        listed,
        heard: None,
        grant,
        demo: None,
    })
}

/// A server whose address is known.
pub(crate) struct Located {
    pub(crate) endpoint: Endpoint,
    pub(crate) source: ServerSource,
}

impl Located {
    /// Returns the key that the server gets, if any. If a key is held back, says so once and how to allow it. Fails if
    /// a server that was only found requires a key and the person gave it none.
    pub(crate) fn grant(&self, named_by: NamedBy, keyring: &Keyring) -> Result<Grant> {
        let named_by = match self.source {
            ServerSource::Given => named_by,
            ServerSource::Found { .. } | ServerSource::BuiltIn(_) => NamedBy::Others,
        };
        let grant = keyring.grant(&self.endpoint, named_by);
        if matches!(self.source, ServerSource::Found { locked: true }) && !grant.has_key() {
            return Err(locked(&self.endpoint).into());
        }
        let is_built_in = matches!(self.source, ServerSource::BuiltIn(_));
        if !grant.has_key() && !is_built_in && keyring.keys().next().is_some() {
            let server = self.endpoint.origin();
            complain(&format!(
                "the API key is not sent to {server}: it is for the model server that you name; to allow that: --key-for {server}"
            ));
        }
        Ok(grant)
    }

    /// Returns where its models are, as calibrations name it.
    pub(crate) fn home(&self) -> ModelHome {
        match self.source {
            ServerSource::BuiltIn(_) => ModelHome::built_in(),
            ServerSource::Given | ServerSource::Found { .. } => ModelHome::server(&self.endpoint.origin()),
        }
    }

    /// Returns the address that was looked for as `name` and why it is this one, for people.
    pub(crate) fn shown(&self, name: &str) -> String {
        let origin = match &self.source {
            ServerSource::Given => "",
            ServerSource::Found { .. } => ", found on this machine",
            ServerSource::BuiltIn(_) if name == "auto" => {
                " (the built-in model: no model server was found on this machine; start one, or name it with --upstream URL)"
            }
            ServerSource::BuiltIn(_) => " (the built-in model)",
        };
        format!("{}{origin}", self.endpoint)
    }
}

impl ServerSource {
    /// Returns the built-in model if the server is that one.
    pub(crate) fn demo(self) -> Option<DemoHandle> {
        match self {
            ServerSource::BuiltIn(demo) => Some(demo),
            ServerSource::Given | ServerSource::Found { .. } => None,
        }
    }
}

fn client(endpoint: Endpoint, behind: Option<Endpoint>, grant: Grant, settings: &Settings) -> Result<Client> {
    Ok(Client::new(endpoint, client_settings(settings, grant, behind)).map_err(Unusable::server)?)
}

/// Finds, starts or takes the server of this name.
pub(crate) async fn locate(name: &str, otherwise: Otherwise) -> Result<Located> {
    let (endpoint, source) = match name {
        "demo" => built_in()?,
        "auto" => on_this_machine(discover(&PORTS).await.map_err(Unusable::server)?, otherwise)?,
        address => (endpoint(address)?, ServerSource::Given),
    };
    Ok(Located { endpoint, source })
}

fn endpoint(address: &str) -> Result<Endpoint> {
    // The error names the address only if that may be shown, since it may hold a password.
    let endpoint = address.parse::<Endpoint>();
    Ok(endpoint.map_err(Unusable::usage)?)
}

fn on_this_machine(found: Option<FoundServer>, otherwise: Otherwise) -> Result<(Endpoint, ServerSource)> {
    let none = match (found, otherwise) {
        (Some(FoundServer { endpoint, locked }), _) => return Ok((endpoint, ServerSource::Found { locked })),
        (None, Otherwise::BuiltIn) => return built_in(),
        (None, Otherwise::Others) => {
            "no model server was found on this machine, and none of model.fallback can be used; start one"
        }
        (None, Otherwise::Nothing) => {
            "no model server was found on this machine; start one, or name it with --upstream URL"
        }
        (None, Otherwise::Later) => {
            let failure = RequestFailure::Unreachable {
                address: "the usual ports of this machine".to_owned(),
                why: "nothing listens there".to_owned(),
            };
            return Err(Unusable::server(ListError::from(failure)).into());
        }
        (None, Otherwise::OwnDesktop) => {
            "no model server was found on this machine; start one, or name it with --upstream URL; on your own \
             desktop the built-in model acts only if you ask for it: --upstream demo"
        }
    };
    Err(Unusable::server(none).into())
}

/// Returns the error for a found server that requires a key: keys go only to servers that the person named or gave a
/// key.
fn locked(endpoint: &Endpoint) -> Unusable {
    Unusable::server(format!(
        "the model server found at {endpoint} requires a key: set FRANZ_API_KEY and name the server with --upstream {endpoint}"
    ))
}

fn built_in() -> Result<(Endpoint, ServerSource)> {
    let demo = Demo::spawn(franz_demo::DemoSettings::default()).context("cannot start the built-in model")?;
    let endpoint = demo.addr().to_string().parse()?;
    Ok((endpoint, ServerSource::BuiltIn(demo)))
}

/// Returns the address, why it is this one, and what is known of the server, for people.
fn shown(address: &str, why: &str, known: &Candidate) -> String {
    match known.about_server() {
        about if about.is_empty() => format!("{address}{why}"),
        about => format!("{address}{why} ({about})"),
    }
}

/// Takes the model that the settings name, about which the server need not say anything, or chooses one from its list.
/// Returns also why, and the list.
async fn model(client: &Client, settings: &Settings) -> Result<(Candidate, String, Result<Vec<Candidate>, ListError>)> {
    let Some(name) = &settings.model.name else {
        let candidates = client.candidates().await.map_err(Unusable::server)?;
        let (known, why) = chosen(&candidates)?;
        return Ok((known, why, Ok(candidates)));
    };
    let listed = tokio::time::timeout(ABOUT_NAMED, client.candidates()).await;
    let listed = listed.unwrap_or_else(|_| {
        Err(ListError::Silent {
            address: client.endpoint().to_string(),
            after: ABOUT_NAMED,
        })
    });
    let known = listed.iter().flatten().find(|candidate| candidate.id == *name);
    let known = known.cloned().unwrap_or_else(|| Candidate::named(name));
    Ok((known, String::new(), listed))
}

/// Chooses a model from the server's list, and says why.
fn chosen(candidates: &[Candidate]) -> Result<(Candidate, String)> {
    let Choice { index, reason } = choose(candidates).map_err(Unusable::server)?;
    let only = candidates.len() == 1;
    let why = if only {
        String::new()
    } else {
        format!(", {reason} of {} models", candidates.len())
    };
    Ok((candidates[index].clone(), why))
}

fn client_settings(settings: &Settings, grant: Grant, behind: Option<Endpoint>) -> franz_chat::ClientSettings {
    franz_chat::ClientSettings {
        behind,
        grant,
        timeout: Duration::from_secs_f64(settings.model.timeout_s),
        expect: match settings.memory.kind {
            MemoryKind::Story => Expect::Story,
            MemoryKind::Conversation => Expect::StoryOrToolCalls,
        },
    }
}

impl Settings {
    /// Returns how calls of the past stand in a conversation.
    pub(crate) fn call_form(&self) -> CallForm {
        if self.calls_in_text() {
            CallForm::Text
        } else {
            CallForm::Native
        }
    }

    /// Returns how requests are laid out.
    pub(crate) fn form(&self) -> Form {
        Form {
            shape: match self.memory.shape {
                MemoryShape::Seeds => franz_chat::MessageShape::Separate,
                MemoryShape::Merged => franz_chat::MessageShape::Merged,
            },
            empty_story: self.memory.empty_story.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use franz_chat::ApiKey;

    use super::*;

    #[test]
    fn a_discovered_server_gets_only_a_key_entered_for_it() {
        let here: Endpoint = "http://127.0.0.1:1234".parse().unwrap();
        let key = || ApiKey::new("sk-0123456789abcdef").unwrap();
        let rings = [
            Keyring::default(),
            Keyring::default().with_upstream_key(key(), false),
            Keyring::default().with_server_key("http://127.0.0.1:8080".parse().unwrap(), key()),
        ];
        let found = |locked| Located {
            endpoint: here.clone(),
            source: ServerSource::Found { locked },
        };
        for ring in rings {
            let Err(error) = found(true).grant(NamedBy::CommandLine, &ring) else {
                panic!("it wants a key and has none")
            };
            assert!(
                error.to_string().contains("requires a key: set FRANZ_API_KEY"),
                "{error}"
            );
            assert!(!found(false).grant(NamedBy::CommandLine, &ring).unwrap().has_key());
        }
        let ring = Keyring::default().with_server_key(here.origin(), key());
        assert!(found(true).grant(NamedBy::CommandLine, &ring).unwrap().has_key());
    }

    #[test]
    fn the_built_in_model_never_replaces_a_fallback_or_drives_a_desktop() {
        let (_, source) = on_this_machine(None, Otherwise::BuiltIn).unwrap();
        assert!(matches!(source, ServerSource::BuiltIn(_)));
        for (otherwise, advice) in [
            (Otherwise::Others, "model.fallback"),
            (Otherwise::OwnDesktop, "--upstream demo"),
        ] {
            let Err(error) = on_this_machine(None, otherwise) else {
                panic!("the built-in model: {advice}")
            };
            assert_eq!(crate::exit::code(&error), 3, "{error}");
            assert!(error.to_string().contains(advice), "{error}");
        }
    }
}
