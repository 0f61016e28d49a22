//! Checks whether there is a model server with a model, and reports what FRANZ has learned about that model.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use franz_chat::models::ListError;
use franz_chat::{Candidate, Endpoint, Keyring, NamedBy, ServerKind};
use tokio::runtime::Builder;

use super::finding::{Finding, State};
use crate::agent::{ModelServers, Waits};
use crate::calibrate::{Calibrated, ServedModel};
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::idiom::{self, Idiom};
use crate::shortcomings::{self, EarlyTurn};
use crate::stop::Stop;
use crate::upstream::{Upstream, of_name};

/// How long a server that did not answer may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(1);

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
            let found = of_server(upstream, settings);
            if matches!(found.state, State::Problem { .. }) {
                return vec![found];
            }
            let mut findings = vec![found];
            findings.extend(of_model(&upstream.model, &upstream.listed));
            findings.extend(of_knowledge(upstream, settings, turn));
            findings
        }
    }
}

/// Reports whether the server answers.
fn of_server(upstream: &Upstream, settings: &Settings) -> Finding {
    match &upstream.listed {
        Err(ListError::Silent { address, after }) => {
            let silent = format!("{address} did not describe its models within {} s", after.as_secs());
            if accepts(upstream.client.endpoint()) {
                let busy = format!("{silent}; if a run gets no reply, check the model server's log");
                return Finding::remark("model server", busy);
            }
            let absent = format!("{silent} and accepts no connection; check the address, or start the model server");
            Finding::problem("model server", &Unusable::server(absent).into())
        }
        Err(error) if !error.is_of_the_list_alone() => {
            Finding::problem("model server", &Unusable::server(error.clone()).into())
        }
        _ if upstream.demo.is_some() && settings.model.upstream == "auto" => {
            Finding::remark("model server", &upstream.shown)
        }
        _ => Finding::fine("model server", &upstream.shown),
    }
}

/// Checks whether a program accepts connections at this address.
fn accepts(endpoint: &Endpoint) -> bool {
    let addresses = (endpoint.bare_host(), endpoint.port()).to_socket_addrs();
    addresses.is_ok_and(|mut addresses| addresses.any(|address| TcpStream::connect_timeout(&address, CONNECT).is_ok()))
}

/// Reports how the model writes calls, and what FRANZ has learned about it.
fn of_knowledge(upstream: &Upstream, settings: &Settings, turn: EarlyTurn) -> Vec<Finding> {
    let mut findings = Vec::new();
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
/// list, and pictures without saying so. Only Ollama's list is complete. Returns nothing if the server did not answer.
fn of_model(name: &str, listed: &Result<Vec<Candidate>, ListError>) -> Option<Finding> {
    let candidates = match listed {
        Ok(candidates) => candidates.as_slice(),
        Err(ListError::Silent { .. }) => return None,
        Err(_) => &[],
    };
    if candidates.is_empty() {
        let unlisted = "the server lists no models; if it does not know this one, check the address and the name";
        return Some(Finding::remark(
            "model",
            format!("{name}: {unlisted} (--upstream, --model)"),
        ));
    }
    if of_name(name, candidates).is_some() {
        return Some(Finding::fine("model", name));
    }
    let known: Vec<&str> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    let known = known.join(", ");
    if candidates
        .iter()
        .any(|candidate| candidate.kind == Some(ServerKind::Ollama))
    {
        let missing = format!("Ollama has no {name}; run ollama pull {name}, or choose one with --model: {known}");
        return Some(Finding::problem("model", &Unusable::server(missing).into()));
    }
    let unlisted = format!("the server does not list {name}; it has: {known}");
    Some(Finding::remark("model", unlisted))
}

#[cfg(test)]
mod tests {
    use franz_chat::{Client, ClientSettings};

    use super::*;
    use crate::config::layer::Layer;

    #[test]
    fn an_unlisted_model_is_reported() {
        let listed = Ok(["a", "b"].map(Candidate::named).to_vec());
        let finding = |name| of_model(name, &listed).unwrap().to_string();
        assert!(finding("d").ends_with("it has: a, b"), "{}", finding("d"));
        assert!(finding("b").ends_with('b'));
        let tagged = |kind| Candidate {
            kind,
            ..Candidate::named("a:latest")
        };
        for (kind, is_listed) in [(Some(ServerKind::Ollama), true), (None, false)] {
            let finding = of_model("a", &Ok(vec![tagged(kind)])).unwrap().to_string();
            assert_eq!(finding.contains("does not list"), !is_listed, "{finding}");
        }
        for (name, is_there) in [
            ("A:Latest", true),
            ("library/a", true),
            ("registry.ollama.ai/library/a:latest", true),
            ("a:8b", false),
            ("other/a", false),
        ] {
            let finding = of_model(name, &Ok(vec![tagged(Some(ServerKind::Ollama))])).unwrap();
            assert_eq!(finding.state == State::Fine, is_there, "{finding}");
        }
        let missing = of_model("b", &Ok(vec![tagged(Some(ServerKind::Ollama))])).unwrap();
        assert_eq!(missing.state, State::Problem { code: 3 });
        let told = missing.to_string();
        assert!(
            told.ends_with("Ollama has no b; run ollama pull b, or choose one with --model: a:latest"),
            "{told}"
        );
        let no_list = ListError::NotAList {
            address: "h".to_owned(),
        };
        for none in [Err(no_list), Ok(Vec::new())] {
            let finding = of_model("d", &none).unwrap().to_string();
            assert!(finding.contains("lists no models; if it"));
        }
    }

    #[test]
    fn a_server_that_does_not_answer_is_reported() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", port.local_addr().unwrap());
        let settings = Settings::resolve(&Layer::defaults());
        let mut upstream = Upstream::of_record(address.clone(), Candidate::named("m"), &settings).unwrap();
        upstream.client = Client::new(address.parse().unwrap(), ClientSettings::default()).unwrap();
        upstream.listed = Err(ListError::Silent {
            address: address.clone(),
            after: Duration::from_secs(3),
        });
        let finding = of_server(&upstream, &settings);
        assert_eq!(finding.state, State::Remark);
        let said = format!("{address} did not describe its models within 3 s");
        assert!(finding.to_string().contains(&said), "{finding}");
        assert!(of_model("m", &upstream.listed).is_none());
        drop(port);
        let finding = of_server(&upstream, &settings);
        assert!(matches!(finding.state, State::Problem { .. }), "{finding}");
        assert!(finding.to_string().contains("accepts no connection"), "{finding}");
    }
}
