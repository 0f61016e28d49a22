//! Checks whether there is a model server, and a model on it.

use franz_chat::{Candidate, Keyring, NamedBy};
use tokio::runtime::Builder;

use super::finding::Finding;
use crate::agent::{ModelServers, Waits};
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::stop::Stop;

pub(super) fn examine(settings: &Settings, named_by: NamedBy, keyring: Keyring) -> Vec<Finding> {
    let connected = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| {
            ModelServers::connect(runtime, settings, named_by, keyring, &Stop::default(), Waits::Never)
        });
    match connected {
        Err(error) => vec![Finding::problem("model server", &error)],
        Ok(None) => Vec::new(),
        Ok(Some(server)) => {
            let upstream = server.upstream();
            let found = if upstream.demo.is_some() && settings.model.upstream == "auto" {
                Finding::remark("model server", &upstream.shown)
            } else {
                Finding::fine("model server", &upstream.shown)
            };
            match server.candidates() {
                Err(error) if !error.is_of_the_list_alone() => {
                    vec![Finding::problem("model server", &Unusable::server(error).into())]
                }
                listed => {
                    let model = of_model(&upstream.model, listed.ok().as_deref());
                    [Some(found), Some(model), of_context(&upstream.known)]
                        .into_iter()
                        .flatten()
                        .collect()
                }
            }
        }
    }
}

/// The tokens of a context below which a run soon has to forget.
const SHORT: u64 = 8192;

/// Warns of a context in which a picture, the prompt and a reply hardly fit.
fn of_context(model: &Candidate) -> Option<Finding> {
    let tokens = model.context.filter(|tokens| *tokens < SHORT)?;
    let longer = model.kind.map(|kind| format!(": {}", kind.longer_context()));
    Some(Finding::remark(
        "context",
        format!(
            "{tokens} tokens are short for pictures, prompt and reply; start the server with more{}",
            longer.unwrap_or_default()
        ),
    ))
}

/// Looks for a model in the server's list. The result is only a remark: a server may accept names that it does not
/// list, and pictures without saying so.
fn of_model(name: &str, candidates: Option<&[Candidate]>) -> Finding {
    let Some(candidates) = candidates else {
        let unlisted = "the server lists no models; if it does not know this one, check the address and the name";
        return Finding::remark("model", format!("{name}: {unlisted} (--upstream, --model)"));
    };
    let listed = candidates.iter().find(|candidate| candidate.id == name);
    match listed {
        Some(candidate) if candidate.sees == Some(false) => Finding::remark(
            "model",
            format!(
                "{name}: the server says that it does not accept images; load one that does, or choose one with --model"
            ),
        ),
        Some(_) => Finding::fine("model", name),
        None => {
            let known: Vec<&str> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
            let known = known.join(", ");
            Finding::remark("model", format!("the server does not list {name}; it has: {known}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_context_is_reported_with_the_servers_setting() {
        let model = |context| Candidate {
            context,
            kind: Some(franz_chat::ServerKind::Ollama),
            ..Candidate::named("m")
        };
        let finding = of_context(&model(Some(4096))).unwrap().to_string();
        assert!(finding.contains("OLLAMA_CONTEXT_LENGTH=16384"), "{finding}");
        assert!(of_context(&model(Some(16_384))).is_none() && of_context(&model(None)).is_none());
    }

    #[test]
    fn an_unlisted_or_blind_model_is_reported() {
        let model = |id, sees| Candidate {
            sees,
            ..Candidate::named(id)
        };
        let candidates = [model("a", Some(false)), model("b", Some(true)), model("c", None)];
        let finding = |name| of_model(name, Some(&candidates)).to_string();
        assert!(finding("a").contains("does not accept images"), "{}", finding("a"));
        assert!(finding("d").contains("it has: a, b, c"), "{}", finding("d"));
        assert!(of_model("d", None).to_string().contains("lists no models"));
        assert!(finding("b").ends_with('b') && finding("c").ends_with('c'));
    }
}
