//! Where a model server was found, and which key it gets.

use anyhow::{Context, Result};
use franz_chat::models::ListError;
use franz_chat::{Endpoint, FoundServer, Grant, Keyring, NamedBy, PORTS, RequestFailure, discover};
use franz_demo::{Demo, DemoHandle};

use super::address::endpoint;
use crate::calibrate::ModelHome;
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::terminal::complain;

/// A server whose address is known.
pub(crate) struct Located {
    pub(crate) endpoint: Endpoint,
    pub(crate) source: ServerSource,
}

/// How a server's address was found.
pub(crate) enum ServerSource {
    Given,
    Found {
        /// Whether the server requires a key.
        locked: bool,
    },
    BuiltIn(DemoHandle),
}

/// The fallback if no model server is found on this machine.
#[derive(Clone, Copy)]
pub(crate) enum Otherwise {
    /// Use the built-in model instead.
    BuiltIn,
    /// Fail: other servers were named, and the built-in model does not replace them.
    Others,
    /// Fail: the command only asks for a server's models.
    Nothing,
    /// Fail: the built-in model would act on a screen that is not the canvas it draws on, where the person must request
    /// it by name.
    NoCanvas,
    /// Fail for now: the run waits for a server.
    Later,
}

impl Otherwise {
    pub(super) fn of(settings: &Settings) -> Otherwise {
        if !settings.model.fallback.is_empty() {
            Otherwise::Others
        } else if settings.screen.kind == ScreenKind::Canvas {
            Otherwise::BuiltIn
        } else {
            Otherwise::NoCanvas
        }
    }
}

/// Finds, starts or uses the server with this name.
pub(crate) async fn locate(name: &str, otherwise: Otherwise) -> Result<Located> {
    let (endpoint, source) = match name {
        "demo" => built_in()?,
        "auto" => on_this_machine(discover(&PORTS).await.map_err(Unusable::server)?, otherwise)?,
        address => (endpoint(address)?, ServerSource::Given),
    };
    Ok(Located { endpoint, source })
}

impl Located {
    /// Returns the key to send to the server, if any. If a key is held back, says so the first time, and how to allow
    /// it. Fails if a server that FRANZ found on its own requires a key and the person gave none for it.
    pub(crate) fn grant(&self, named_by: NamedBy, keyring: &Keyring) -> Result<Grant> {
        let named_by = match self.source {
            ServerSource::Given => named_by,
            ServerSource::Found { .. } | ServerSource::BuiltIn(_) => NamedBy::Others,
        };
        let grant = keyring.grant(&self.endpoint, named_by);
        if matches!(self.source, ServerSource::Found { locked: true }) && !grant.has_key() {
            return Err(locked(&self.endpoint, keyring).into());
        }
        if let Some(notice) = self.held_back(&grant, keyring) {
            complain(&notice);
        }
        Ok(grant)
    }

    /// Returns the message to the person if the key for their model server is held back.
    fn held_back(&self, grant: &Grant, keyring: &Keyring) -> Option<String> {
        let is_customary = keyring.has_customary_key();
        let wants_none = match self.source {
            ServerSource::Given => false,
            // Nobody set the key for FRANZ, and the server asks for none.
            ServerSource::Found { .. } => is_customary,
            ServerSource::BuiltIn(_) => true,
        };
        if grant.has_key() || wants_none || !keyring.has_upstream_key() {
            return None;
        }
        let server = self.endpoint.origin();
        let why = if is_customary {
            format!("OPENAI_API_KEY is not sent to {server}: it was not set for FRANZ")
        } else {
            format!("the API key is not sent to {server}: it is for the model server that you name")
        };
        Some(format!("{why}; to allow that: --key-for {server}"))
    }

    /// Returns the location of the server's models, in the form that calibrations use.
    pub(crate) fn home(&self) -> ModelHome {
        match self.source {
            ServerSource::BuiltIn(_) => ModelHome::built_in(),
            ServerSource::Given | ServerSource::Found { .. } => ModelHome::server(&self.endpoint),
        }
    }

    /// Describes for people the address found for `name` and the reason for choosing it.
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
    /// Returns the built-in model if that is the server.
    pub(crate) fn demo(self) -> Option<DemoHandle> {
        match self {
            ServerSource::BuiltIn(demo) => Some(demo),
            ServerSource::Given | ServerSource::Found { .. } => None,
        }
    }
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
        (None, Otherwise::NoCanvas) => {
            "no model server was found on this machine; start one, or name it with --upstream URL; the built-in model, \
             which only draws, acts on this screen only with --upstream demo"
        }
    };
    Err(Unusable::server(none).into())
}

/// Returns the error for a server that FRANZ found on its own and that requires a key. FRANZ sends keys only to servers
/// that the person named, or gave a key for.
fn locked(endpoint: &Endpoint, keyring: &Keyring) -> Unusable {
    if !keyring.has_upstream_key() {
        return Unusable::server(format!(
            "the model server found at {endpoint} requires a key: set FRANZ_API_KEY and name the server with --upstream {endpoint}"
        ));
    }
    let key = if keyring.has_customary_key() {
        "OPENAI_API_KEY"
    } else {
        "your API key"
    };
    Unusable::server(format!(
        "the model server found at {endpoint} requires a key, but {key} goes only to a server that you name: --upstream {endpoint}"
    ))
}

fn built_in() -> Result<(Endpoint, ServerSource)> {
    let demo = Demo::spawn(franz_demo::DemoSettings::default()).context("cannot start the built-in model")?;
    let endpoint = demo.addr().to_string().parse()?;
    Ok((endpoint, ServerSource::BuiltIn(demo)))
}

#[cfg(test)]
mod tests {
    use franz_chat::ApiKey;

    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::layer::Layer;

    #[test]
    fn a_discovered_server_gets_only_a_key_entered_for_it() {
        let here: Endpoint = "http://127.0.0.1:1234".parse().unwrap();
        let key = || ApiKey::new("sk-0123456789abcdef").unwrap();
        let unset = "requires a key: set FRANZ_API_KEY and name the server with --upstream http://127.0.0.1:1234";
        let rings = [
            (Keyring::default(), unset),
            (
                Keyring::default().with_upstream_key(key(), false),
                "requires a key, but your API key goes only to a server that you name: --upstream http://127.0.0.1:1234",
            ),
            (
                Keyring::default().with_upstream_key(key(), true),
                "requires a key, but OPENAI_API_KEY goes only to a server that you name",
            ),
            (
                Keyring::default().with_server_key("http://127.0.0.1:8080".parse().unwrap(), key()),
                unset,
            ),
        ];
        let found = |locked| Located {
            endpoint: here.clone(),
            source: ServerSource::Found { locked },
        };
        for (ring, told) in rings {
            let Err(error) = found(true).grant(NamedBy::CommandLine, &ring) else {
                panic!("it wants a key and has none")
            };
            assert!(error.to_string().contains(told), "{error}");
            assert!(!found(false).grant(NamedBy::CommandLine, &ring).unwrap().has_key());
        }
        let ring = Keyring::default().with_server_key(here.origin(), key());
        assert!(found(true).grant(NamedBy::CommandLine, &ring).unwrap().has_key());
    }

    #[test]
    fn only_a_key_that_could_be_sent_is_said_to_be_held_back() {
        let located = |source| Located {
            endpoint: "http://127.0.0.1:1234".parse().unwrap(),
            source,
        };
        let key = || ApiKey::new("sk-0123456789abcdef").unwrap();
        let of_another = Keyring::default().with_server_key("https://h".parse().unwrap(), key());
        let own =
            "the API key is not sent to http://127.0.0.1:1234: it is for the model server that you name; to allow";
        let customary = "OPENAI_API_KEY is not sent to http://127.0.0.1:1234: it was not set for FRANZ; to allow that";
        for (ring, given, found) in [
            (Keyring::default(), None, None),
            (of_another.with_held_key(key()), None, None),
            (Keyring::default().with_upstream_key(key(), false), Some(own), Some(own)),
            (Keyring::default().with_upstream_key(key(), true), Some(customary), None),
        ] {
            for (source, said) in [
                (ServerSource::Given, given),
                (ServerSource::Found { locked: false }, found),
            ] {
                let located = located(source);
                let grant = ring.grant(&located.endpoint, NamedBy::Others);
                let told = located.held_back(&grant, &ring);
                let is_as_said = match said {
                    Some(said) => told.as_ref().is_some_and(|told| told.starts_with(said)),
                    None => told.is_none(),
                };
                assert!(is_as_said, "{told:?} for {said:?}");
            }
        }
    }

    #[test]
    fn the_built_in_model_replaces_a_server_only_on_a_canvas() {
        for (set, on_canvas) in [
            ("screen.kind=canvas", true),
            ("screen.kind=virtual", false),
            ("screen.kind=browser", false),
            ("screen.kind=desktop", false),
            ("screen.kind=vnc", false),
        ] {
            let flags = set_flags(&[set.to_owned()]).unwrap();
            let otherwise = Otherwise::of(&Settings::resolve(&Layer::defaults().over(flags)));
            assert_eq!(matches!(otherwise, Otherwise::BuiltIn), on_canvas, "{set}");
        }
    }

    #[test]
    fn the_built_in_model_never_replaces_a_fallback_or_drives_a_desktop() {
        let (_, source) = on_this_machine(None, Otherwise::BuiltIn).unwrap();
        assert!(matches!(source, ServerSource::BuiltIn(_)));
        for (otherwise, advice) in [
            (Otherwise::Others, "model.fallback"),
            (Otherwise::NoCanvas, "--upstream demo"),
        ] {
            let Err(error) = on_this_machine(None, otherwise) else {
                panic!("the built-in model: {advice}")
            };
            assert_eq!(crate::exit::code(&error), 3, "{error}");
            assert!(error.to_string().contains(advice), "{error}");
        }
    }
}
