//! Checks whether there is a model server with a model, and reports what FRANZ has learned about that model.

use franz_chat::models::ListError;
use franz_chat::{Candidate, Keyring, NamedBy};
use tokio::runtime::Builder;

use super::finding::Finding;
use crate::agent::{ModelServers, Waits};
use crate::calibrate::{Calibrated, ServedModel};
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::idiom::{self, Idiom};
use crate::shortcomings::{self, EarlyTurn};
use crate::stop::Stop;
use crate::upstream::Upstream;

/// Examines the server that these settings name. Its context must be long enough for this turn.
pub(super) fn examine(settings: &Settings, turn: EarlyTurn, named_by: NamedBy, keyring: Keyring) -> Vec<Finding> {
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
            match &upstream.listed {
                Err(error) if !error.is_of_the_list_alone() && !matches!(error, ListError::Silent { .. }) => {
                    vec![Finding::problem(
                        "model server",
                        &Unusable::server(error.clone()).into(),
                    )]
                }
                _ => of_server(upstream, settings, turn),
            }
        }
    }
}

/// Reports on the server, on the model and how it writes calls, and on what FRANZ has learned about it.
fn of_server(upstream: &Upstream, settings: &Settings, turn: EarlyTurn) -> Vec<Finding> {
    let found = if upstream.demo.is_some() && settings.model.upstream == "auto" {
        Finding::remark("model server", &upstream.shown)
    } else {
        Finding::fine("model server", &upstream.shown)
    };
    let mut findings = vec![found, of_model(&upstream.model, upstream.listed.as_deref().ok())];
    let model = ServedModel::from(upstream);
    match model.settings() {
        Ok(learned) => findings.extend(learned.iter().map(|(name, value)| {
            let needs = format!("this model needs {name} = {value} on this server (franz models --forget clears it)");
            Finding::fine("learned", needs)
        })),
        Err(error) => findings.push(Finding::remark("learned", error.to_string())),
    }
    match idiom::decide(&settings.model.family, &upstream.known.id) {
        Err(error) => findings.push(Finding::problem("family", &error)),
        Ok(decided) => {
            let decided = decided.with_grounder(settings);
            findings.extend(decided.why.map(|why| Finding::fine("family", why)));
            let picture = decided.family.picture.fitted(settings.image.size());
            let idiom = Idiom {
                family: decided.family,
                measured: None,
                screen: settings.screen_size(picture),
                pointer: None,
            };
            match Calibrated::find(&model, &idiom.family.name, picture) {
                Ok(calibrated) => {
                    findings.extend(calibrated.map(|known| Finding::fine("calibration", known.sentence)));
                }
                Err(error) => findings.push(Finding::remark("calibration", error.to_string())),
            }
            let shortcomings = shortcomings::of(settings, &idiom, &upstream.known, turn);
            findings.extend(
                shortcomings
                    .into_iter()
                    .map(|(subject, told)| Finding::remark(subject, told)),
            );
        }
    }
    findings
}

/// Looks for a model in the server's list. Returns only remarks, because a server can accept names that it does not
/// list, and pictures without saying so.
fn of_model(name: &str, candidates: Option<&[Candidate]>) -> Finding {
    let Some(candidates) = candidates.filter(|candidates| !candidates.is_empty()) else {
        let unlisted = "the server lists no models; if it does not know this one, check the address and the name";
        return Finding::remark("model", format!("{name}: {unlisted} (--upstream, --model)"));
    };
    let listed = candidates.iter().find(|candidate| candidate.id == name);
    if listed.is_some() {
        return Finding::fine("model", name);
    }
    let known: Vec<&str> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    let known = known.join(", ");
    Finding::remark("model", format!("the server does not list {name}; it has: {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unlisted_model_is_reported() {
        let candidates = ["a", "b"].map(Candidate::named);
        let finding = |name| of_model(name, Some(&candidates)).to_string();
        assert!(finding("d").ends_with("it has: a, b"), "{}", finding("d"));
        assert!(finding("b").ends_with('b'));
        for none in [None, Some(&[][..])] {
            assert!(of_model("d", none).to_string().contains("lists no models; if it"));
        }
    }
}
