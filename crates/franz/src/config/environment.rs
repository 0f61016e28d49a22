//! Keys set by environment variables. A variable's name is `FRANZ_` followed by a key, or a name that other programs
//! commonly use.

use std::collections::BTreeMap;

use franz_chat::Endpoint;

use super::layer::{Layer, LayerError};
use super::origin::Origin;

/// Variables that belong to FRANZ but are not configuration keys.
const NOT_KEYS: [&str; 6] = [
    "FRANZ_API_KEY",
    "FRANZ_API_KEY_FILE",
    "FRANZ_RELAY_KEY",
    "FRANZ_RUN_DIR",
    "FRANZ_VNC_PASSWORD",
    "FRANZ_VNC_PASSWORD_FILE",
];

/// Other variables that set keys. A `FRANZ_` variable for the same key takes precedence.
const ALIASES: [(&str, &str); 12] = [
    ("LMSTUDIO_ENDPOINT", "model.upstream"),
    ("LMSTUDIO_MODEL", "model.name"),
    ("LMSTUDIO_TIMEOUT", "model.timeout_s"),
    ("LMSTUDIO_TEMPERATURE", "model.temperature"),
    ("LMSTUDIO_MAX_TOKENS", "model.max_tokens"),
    ("AGENT_IMAGE_W", "image.width"),
    ("AGENT_IMAGE_H", "image.height"),
    ("AGENT_DUMP_DIR", "record.dir"),
    ("AGENT_KEEP_LAST_SCREENSHOTS", "memory.keep_screenshots"),
    ("AGENT_KEEP_LAST_THINKS", "memory.keep_thinks"),
    ("AGENT_MAX_STEPS", "loop.max_turns"),
    ("AGENT_STEP_DELAY", "loop.executing_delay_s"),
];

/// The variable that tells other programs the model server's address.
const CUSTOMARY: &str = "OPENAI_BASE_URL";

/// Returns this process's variables, except those that are not valid Unicode and so cannot set a key.
pub(super) fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

impl Layer {
    /// Reads the keys set by environment variables: `FRANZ_LOOP__EXECUTING_DELAY_S` sets `loop.executing_delay_s`. An
    /// empty variable counts as unset, because shells and containers often leave empty variables behind.
    pub(crate) fn environment(variables: impl Iterator<Item = (String, String)>) -> Result<Layer, LayerError> {
        let variables: BTreeMap<String, String> = variables.filter(|(_, text)| !text.trim().is_empty()).collect();
        let mut layer = Layer::default();
        for (variable, text) in &variables {
            let name = variable.strip_prefix("FRANZ_");
            let is_key = |name: &&str| !NOT_KEYS.contains(&variable.as_str()) && !is_of_a_service(name, text);
            if let Some(name) = name.filter(is_key) {
                let key = name.to_lowercase().replace("__", ".");
                let set = layer.set(&key, text, Origin::variable(variable));
                set.map_err(suggesting_a_variable)?;
            }
        }
        for (variable, key) in ALIASES {
            if let Some(text) = variables.get(variable).filter(|_| layer.get(key).is_none()) {
                layer.set(key, text, Origin::variable(variable))?;
            }
        }
        Ok(layer)
    }

    /// Returns the layer with the server that the shell names for all programs, but only if it is on this machine. A
    /// variable that was set for a cloud service must not make FRANZ send pictures of the screen there. Even a server on
    /// this machine might pass them on, so every server that was named for FRANZ takes precedence.
    pub(super) fn customary_server(variables: &[(String, String)]) -> Layer {
        let mut layer = Layer::default();
        let named = variables.iter().find(|(name, _)| name == CUSTOMARY);
        if let Some((_, server)) = named.filter(|(_, server)| is_here(server)) {
            layer.insert("model.upstream", server.trim().into(), Origin::variable(CUSTOMARY));
        }
        layer
    }
}

/// Checks whether Kubernetes or Docker set this variable, without `FRANZ_`, for a service such as `franz-panel` or a
/// container called `franz`.
fn is_of_a_service(name: &str, text: &str) -> bool {
    let is_of_docker = name.starts_with("ENV_") || (name == "NAME" && text.starts_with('/'));
    let words = format!("_{name}");
    let is_address = words.ends_with("_PORT") && text.contains("://");
    let ends = words.ends_with("_SERVICE_HOST") || words.ends_with("_SERVICE_PORT");
    // Every key's variable has two underscores in a row, and few services do.
    let is_of_kubernetes = !name.contains("__") && (is_address || ends || words.contains("_PORT_"));
    is_of_docker || is_of_kubernetes
}

/// Suggests the variable instead of the key, because only variables can be set in the environment.
fn suggesting_a_variable(mut error: LayerError) -> LayerError {
    if let LayerError::Unknown {
        nearest: Some(nearest), ..
    } = &mut error
        && nearest.contains('.')
    {
        *nearest = format!("FRANZ_{}", nearest.to_uppercase().replace('.', "__"));
    }
    error
}

fn is_here(server: &str) -> bool {
    server.parse().is_ok_and(|server: Endpoint| server.is_loopback())
}

/// Returns a line that explains why the server in [`CUSTOMARY`] is not used, unless something else names a server.
pub(crate) fn unused_server(upstream: &str) -> Option<String> {
    let named = std::env::var(CUSTOMARY).ok()?;
    let is_unused = upstream == "auto" && !named.trim().is_empty() && !is_here(&named);
    is_unused.then(|| {
        format!(
            "{CUSTOMARY} does not name a server on this machine, so FRANZ ignores it; to use it anyway: --upstream URL"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::key::ConfigKey;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn read(variables: Pairs<'_>) -> Result<BTreeMap<String, String>, String> {
        let owned = variables
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let layer = Layer::environment(owned).map_err(|error| error.to_string())?;
        Ok(layer
            .iter()
            .map(|(key, value)| (key.clone(), value.to_string()))
            .collect())
    }

    #[test]
    fn franz_variables_win_over_customary_ones() {
        let cases: [(Pairs<'_>, Pairs<'_>); 6] = [
            (&[("HOME", "x"), ("FRANZ_API_KEY", "k"), ("FRANZ_RUN_DIR", "d")], &[]),
            (&[("FRANZ_IMAGE__WIDTH", "200")], &[("image.width", "200")]),
            (
                &[("FRANZ_IMAGE__WIDTH", ""), ("AGENT_IMAGE_W", "100")],
                &[("image.width", "100")],
            ),
            (
                &[("AGENT_IMAGE_W", "wide"), ("FRANZ_IMAGE__WIDTH", "200")],
                &[("image.width", "200")],
            ),
            (&[("AGENT_STEP_DELAY", ""), ("LMSTUDIO_MODEL", " ")], &[]),
            (
                &[("FRANZ_MODEL__FALLBACK", "http://a:1"), ("LMSTUDIO_TIMEOUT", "240")],
                &[("model.fallback", "[\"http://a:1\"]"), ("model.timeout_s", "240.0")],
            ),
        ];
        for (variables, keys) in cases {
            let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            assert_eq!(read(variables).unwrap(), keys.collect(), "{variables:?}");
        }
    }

    #[test]
    fn variables_of_a_service_called_franz_are_none_of_the_keys() {
        let of_a_service: Pairs<'_> = &[
            ("FRANZ_SERVICE_HOST", "10.0.0.7"),
            ("FRANZ_SERVICE_PORT", "7878"),
            ("FRANZ_SERVICE_PORT_DASHBOARD", "7878"),
            ("FRANZ_PORT", "tcp://10.0.0.7:7878"),
            ("FRANZ_PORT_7878_TCP", "tcp://10.0.0.7:7878"),
            ("FRANZ_PORT_7878_TCP_PROTO", "tcp"),
            ("FRANZ_NAME", "/web/franz"),
            ("FRANZ_ENV_LANG", "C"),
            ("FRANZ_PANEL_SERVICE_HOST", "10.0.0.8"),
            ("FRANZ_PANEL_SERVICE_PORT", "7878"),
            ("FRANZ_PANEL_SERVICE_PORT_RELAY", "1234"),
            ("FRANZ_PANEL_PORT", "tcp://10.0.0.8:7878"),
            ("FRANZ_PANEL_PORT_7878_TCP_ADDR", "10.0.0.8"),
        ];
        assert_eq!(read(of_a_service).unwrap(), BTreeMap::new());
        for mistake in [
            ("FRANZ_PORT", "7878"),
            ("FRANZ_NAME", "qwen"),
            ("FRANZ_SERVICE", "x"),
            ("FRANZ_PANEL_PORT", "7878"),
            ("FRANZ_PANEL__SERVICE_HOST", "x"),
        ] {
            assert!(read(&[mistake]).is_err(), "{mistake:?}");
        }
    }

    #[test]
    fn every_alias_names_an_existing_key() {
        for (variable, key) in ALIASES {
            assert!(ConfigKey::named(key).is_some(), "{variable}");
            let text = if key == "model.temperature" { "0.4" } else { "64" };
            assert!(read(&[(variable, text)]).unwrap().contains_key(key), "{variable}");
        }
    }

    #[test]
    fn errors_name_the_variable() {
        let cases = [
            (
                ("FRANZ_MODEL__NAM", "x"),
                "environment variable FRANZ_MODEL__NAM: unknown key 'model.nam'; did you mean 'FRANZ_MODEL__NAME'?",
            ),
            (
                ("FRANZ_LOOP_MAX_TURNS", "5"),
                "environment variable FRANZ_LOOP_MAX_TURNS: unknown key 'loop_max_turns'; did you mean 'FRANZ_LOOP__MAX_TURNS'?",
            ),
            (
                ("AGENT_STEP_DELAY", "0.4s"),
                "environment variable AGENT_STEP_DELAY: loop.executing_delay_s must be a number from 0 to 86400, not \"0.4s\"",
            ),
        ];
        for (variable, message) in cases {
            assert_eq!(read(&[variable]).unwrap_err(), message);
        }
    }
}
