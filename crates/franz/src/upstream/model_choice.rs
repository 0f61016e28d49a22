//! Chooses one of a server's models.

use std::time::Duration;

use anyhow::Result;
use franz_chat::models::ListError;
use franz_chat::{Candidate, Choice, Client, ServerKind, choose};

use crate::config::settings::Settings;
use crate::exit::Unusable;

/// How long a server may take to list its models if the person named one.
const ABOUT_NAMED: Duration = Duration::from_secs(3);

/// Returns the model that the settings name, even if the server does not list it, or else chooses one from the server's
/// list. Also returns the reason and the list.
pub(super) async fn model(
    client: &Client,
    settings: &Settings,
) -> Result<(Candidate, String, Result<Vec<Candidate>, ListError>)> {
    let Some(name) = &settings.model.name else {
        let candidates = client.candidates().await.map_err(Unusable::server)?;
        let (known, why) = chosen(&candidates)?;
        return Ok((known, why, Ok(candidates)));
    };
    let listed = client.candidates_within(ABOUT_NAMED).await;
    let known = of_name(name, listed.as_deref().unwrap_or_default());
    let known = known.unwrap_or_else(|| Candidate::named(name));
    Ok((known, String::new(), listed))
}

/// Returns the listed model that the server means by this name, under this name. Ollama also answers to other forms of
/// the name that it lists.
pub(crate) fn of_name(name: &str, listed: &[Candidate]) -> Option<Candidate> {
    let full = of_ollama(name);
    let is_meant = |listed: &Candidate| listed.kind == Some(ServerKind::Ollama) && of_ollama(&listed.id) == full;
    let meant = listed.iter().find(|listed| listed.id == name || is_meant(listed))?;
    Some(Candidate {
        id: name.to_owned(),
        ..meant.clone()
    })
}

/// Returns the form of a name by which Ollama tells models apart: it ignores case, and adds the usual registry and tag.
fn of_ollama(name: &str) -> String {
    let name = name.to_lowercase();
    let name = name.strip_prefix("registry.ollama.ai/").unwrap_or(&name);
    let name = name.strip_prefix("library/").unwrap_or(name);
    let is_tagged = name.rsplit('/').next().is_some_and(|last| last.contains(':'));
    if is_tagged {
        name.to_owned()
    } else {
        format!("{name}:latest")
    }
}

/// Chooses a model from the server's list, and returns the reason.
fn chosen(candidates: &[Candidate]) -> Result<(Candidate, String)> {
    let Choice { index, reason } = choose(candidates).map_err(Unusable::server)?;
    let only = candidates.len() == 1;
    let why = if only {
        String::new()
    } else {
        format!(", {}", reason.among(candidates.len()))
    };
    Ok((candidates[index].clone(), why))
}

/// Returns the only listed model that writes text, if there is exactly one.
pub(crate) fn single(listed: &[Candidate]) -> Option<&Candidate> {
    let mut models = listed.iter().filter(|candidate| !candidate.embeds);
    models.next().filter(|_| models.next().is_none())
}
