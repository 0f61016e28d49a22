//! Loads each model before its first attempt, so that loading does not count towards limits or measured times: some
//! servers load a model only on its first request.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_chat::{ApiKey, CallForm, Candidate, Conversation, Endpoint, Keep, Keyring, NamedBy, Request, Sampling};
use franz_suite::SuiteModel;
use franz_suite::suite::Name;
use tokio::runtime::Builder;

use super::play;
use super::rules;
use super::versions::UNKNOWN;
use crate::agent::{ModelServers, Waits};
use crate::calibrate::{Respondent as _, ServerAsked};
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::settings::Settings;
use crate::stop::Stop;
use crate::terminal::progress;

/// After this time, tells the person what the suite is waiting for.
const SILENCE: Duration = Duration::from_secs(1);

/// The server that every run starts for itself.
const BUILT_IN: &str = "demo";

/// What a model is asked.
const SYSTEM: &str = "Answer with one word.";
const QUESTION: &str = "Are you ready?";

/// The models that have answered this process, each with its server's name and version.
pub(crate) struct LoadedModels(BTreeMap<Name, Mutex<Option<String>>>);

impl LoadedModels {
    /// Returns these models, none of which has answered yet.
    pub(crate) fn none_of(models: &[SuiteModel]) -> LoadedModels {
        let unloaded = models.iter().map(|model| (model.name.clone(), Mutex::new(None)));
        LoadedModels(unloaded.collect())
    }

    /// Waits until a model has answered one small request, unless it has answered before. Others that want the same model
    /// wait, too.
    ///
    /// A server that is loading gets as long as a run would give it: `model.wait_s`, and `model.timeout_s` for the answer.
    /// Any answer will do. If there is none, this says nothing, because the attempt itself will say it best.
    pub(crate) fn load(&self, model: &SuiteModel, server: &str, stop: &Stop) {
        let Some(loaded) = self.0.get(&model.name) else { return };
        let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.is_some() || stop.ending().is_some() {
            return;
        }
        *loaded = match server {
            BUILT_IN => Some(format!("FRANZ {}", env!("CARGO_PKG_VERSION"))),
            _ => announced(&model.name, || ask(model, server, stop)).ok().flatten(),
        };
    }

    /// Returns the name and version of a loaded model's server.
    pub(crate) fn server_of(&self, model: &Name) -> Option<String> {
        let loaded = self.0.get(model)?.lock();
        loaded.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs a step, and reports that the model is loading if the step takes long.
fn announced<T>(model: &Name, load: impl FnOnce() -> T) -> T {
    let (loaded, over) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if over.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                progress(&format!("loading {model}…"));
            }
        });
        let answer = load();
        drop(loaded);
        answer
    })
}

/// Asks the model for one token. Returns its server's name and version, or `None` if the person stops the suite.
fn ask(model: &SuiteModel, server: &str, stop: &Stop) -> Result<Option<String>> {
    let settings = settings(model, server)?;
    let mut keyring = Keyring::default();
    if let Some(variable) = &model.key_env
        && let Some(key) = play::key(variable)?
    {
        let endpoint: Endpoint = server.parse().context("the model's server")?;
        keyring = keyring.with_server_key(endpoint.origin(), ApiKey::new(&key.to_string_lossy())?);
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let servers = ModelServers::connect(runtime, &settings, NamedBy::Others, keyring, stop, Waits::Busy)?;
    let Some(servers) = servers else { return Ok(None) };
    let sampling = Sampling {
        model: Some(servers.upstream().model.clone()),
        max_tokens: Some(1),
        ..Sampling::default()
    };
    let talk = Conversation::new(Keep {
        screenshots: 0,
        most_screenshots: 0,
        thinks: 0,
        turns: 0,
    });
    let request = Request::conversation(SYSTEM, QUESTION, &talk, "[]", None, CallForm::Native, &sampling);
    let mut asked = ServerAsked {
        servers: &servers,
        stop,
    };
    Ok(asked.ask(&request)?.map(|_| own_name(&servers.upstream().known)))
}

/// Returns a server's name and version.
fn own_name(known: &Candidate) -> String {
    let version = known.version.as_deref().unwrap_or(UNKNOWN);
    known
        .kind
        .map_or(version.to_owned(), |kind| format!("{kind} {version}"))
}

/// Returns the settings for asking the model: those of its runs, without those of the person and of a task.
fn settings(model: &SuiteModel, server: &str) -> Result<Settings> {
    let mut own = Layer::default();
    for (key, value) in &model.set {
        own.set(key, &rules::text_of(value), Origin::flag("--set"))?;
    }
    own.set("model.upstream", server, Origin::flag("--upstream"))?;
    if let Some(name) = &model.served_as {
        own.set("model.name", name, Origin::flag("--model"))?;
    }
    let mut settings = Settings::resolve(&Layer::defaults().over(own));
    settings.model.fallback.clear();
    Ok(settings)
}
