//! The model server and the model that a run uses, and why.

mod address;
mod client;
mod located;
mod model_choice;

use anyhow::Result;
use franz_chat::models::ListError;
use franz_chat::{Candidate, Client, Grant, Keyring, NamedBy, choose};
use franz_demo::DemoHandle;
use franz_record::AnsweringModel;

use self::address::endpoint;
pub(crate) use self::address::{Relayed, ServerAddress, check};
use self::client::client;
pub(crate) use self::located::{Located, Otherwise, locate};
use self::model_choice::model;
pub(crate) use self::model_choice::{of_name, single};
use crate::agent::Waits;
use crate::calibrate::{ModelHome, ServedModel};
use crate::config::settings::Settings;
use crate::exit::Unusable;

/// The model server of a run.
pub(crate) struct Upstream {
    pub(crate) client: Client,
    /// The model to name in requests.
    pub(crate) model: String,
    /// Facts about the model that answers. Its name is not `model` if the server switched to another model although the
    /// person named one.
    pub(crate) known: Candidate,
    /// The models that the server listed, or the error if it listed none.
    pub(crate) listed: Result<Vec<Candidate>, ListError>,
    /// The model that the server's last reply named.
    pub(crate) heard: Option<String>,
    /// The address and the reason for choosing it, for people.
    pub(crate) shown: String,
    /// The model's location, in the form that calibrations use.
    pub(crate) home: ModelHome,
    /// The key that is sent to the server, if any.
    pub(crate) grant: Grant,
    /// The built-in model, which runs until this value is dropped.
    pub(crate) demo: Option<DemoHandle>,
}

impl Upstream {
    /// Returns the server whose answers come from a record. The client never sends anything.
    pub(crate) fn of_record(shown: String, known: Candidate, settings: &Settings) -> Result<Upstream> {
        let nowhere = endpoint("http://127.0.0.1:9")?;
        let grant = Grant::default();
        Ok(Upstream {
            client: client(nowhere, None, grant.clone(), settings)?,
            model: known.id.clone(),
            known,
            listed: Ok(Vec::new()),
            heard: None,
            shown,
            home: ModelHome::record(),
            grant,
            demo: None,
        })
    }

    /// Returns the models that the server listed; empty if it listed none.
    pub(crate) fn list(&self) -> &[Candidate] {
        self.listed.as_deref().unwrap_or_default()
    }

    /// Returns whether the server listed a model of this name.
    pub(crate) fn lists(&self, name: &str) -> bool {
        self.list().iter().any(|listed| listed.id == name)
    }

    /// Adopts a list that is newer than the one that the panel handed over when the run began. Without a newer list,
    /// keeps using the model that gave the run's last reply.
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

    /// Continues with the model that gave a run's last reply, if requests still name that model. Returns the message to
    /// the person if the server now lists another one.
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

impl From<&Upstream> for ServedModel {
    fn from(upstream: &Upstream) -> Self {
        ServedModel {
            server: upstream.home.clone(),
            name: upstream.known.id.clone(),
        }
    }
}

/// Finds, starts or uses the server at an address, and chooses a model on it.
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

/// Returns the address of the settings' server and the models it lists. Never uses the built-in model in place of
/// another server.
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
    // The panel already decided which servers get which keys, so it handed over only those.
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

/// Describes for people the address, the reason for choosing it, and the known facts about the server.
fn shown(address: &str, why: &str, known: &Candidate) -> String {
    match known.about_server() {
        about if about.is_empty() => format!("{address}{why}"),
        about => format!("{address}{why} ({about})"),
    }
}
