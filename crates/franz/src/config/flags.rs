//! The settings on a command line.

use franz_rfb::{VncAddress, VncAddressError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ConfigError;
use super::key::GOAL;
use super::layer::Layer;
use super::origin::Origin;
use super::settings::KEYS;

/// The flags of a command line. Each command has only some of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Flags {
    pub(crate) profile: Option<String>,
    /// The number of a scenario.
    pub(crate) scenario: Option<usize>,
    /// Keys with their values, in the form that `--set` accepts.
    set: Vec<String>,
    #[serde(skip)]
    goal: Option<String>,
    /// The other flags, by name. Some are shorthand for a key.
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Flags {
    /// Collects a command's flags from its arguments, by name.
    pub(crate) fn of(arguments: &impl Serialize) -> Flags {
        let flags = serde_json::to_value(arguments).and_then(serde_json::from_value);
        flags.expect("arguments hold texts and numbers; paths are left out")
    }

    /// Returns flags that name a profile, or no flags if none is given.
    pub(crate) fn of_profile(profile: Option<String>) -> Flags {
        Flags {
            profile,
            ..Flags::default()
        }
    }

    /// Adds a profile.
    pub(crate) fn with_profile(self, profile: &str) -> Flags {
        Flags {
            profile: Some(profile.to_owned()),
            ..self
        }
    }

    /// Adds a goal.
    pub(crate) fn with_goal(self, goal: Option<&str>) -> Flags {
        Flags {
            goal: goal.map(str::to_owned),
            ..self
        }
    }

    /// Returns the layer of all flags except the scenario. `--set` takes precedence over the other flags.
    pub(super) fn layer(&self) -> Result<Layer, ConfigError> {
        let mut layer = Layer::default();
        if let Some(goal) = &self.goal {
            layer.set(GOAL, goal, Origin::flag("goal"))?;
        }
        for key in KEYS {
            let Some(flag) = key.flag else { continue };
            match self.others.get(flag.trim_start_matches('-')) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => {
                    let (text, place) = with_place(key.name, text)?;
                    layer.set(key.name, text, Origin::flag(flag))?;
                    if let Some((key, place)) = place {
                        layer.set(key, &place, Origin::flag(flag))?;
                    }
                }
                Some(other) => layer.set(key.name, &other.to_string(), Origin::flag(flag))?,
            }
        }
        Ok(layer.over(self.set()?))
    }

    /// Returns the layer of `--set`.
    pub(super) fn set(&self) -> Result<Layer, ConfigError> {
        set_flags(&self.set)
    }
}

/// The key for the page that a browser opens first.
const URL: &str = "screen.url";

/// The key for the VNC server.
const VNC: &str = "screen.vnc";

/// The kind of screen in the flag, and the key and value that the rest of the flag sets.
type WithPlace<'a> = (&'a str, Option<(&'static str, String)>);

/// Separates the address from the kind of screen in `browser:URL` and `vnc://HOST:PORT`. A browser's address can be
/// written like that of a VNC server, too.
fn with_place<'a>(key: &str, text: &'a str) -> Result<WithPlace<'a>, VncAddressError> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    match kind {
        _ if key != "screen.kind" || rest.is_empty() => Ok((text, None)),
        "browser" => Ok((kind, Some((URL, rest.strip_prefix("//").unwrap_or(rest).to_owned())))),
        "vnc" => Ok((kind, Some((VNC, text.parse::<VncAddress>()?.to_string())))),
        _ => Ok((text, None)),
    }
}

/// Parses the values of `--set KEY=VALUE`, in order.
pub(crate) fn set_flags(pairs: &[String]) -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for pair in pairs {
        let (key, value) = pair.split_once('=').ok_or_else(|| ConfigError::Set(pair.clone()))?;
        layer.set(key.trim(), value.trim(), Origin::flag("--set"))?;
    }
    Ok(layer)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};
    use proptest::prelude::*;

    use super::*;
    use crate::cli::{Cli, Command};

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn flags(line: &[&str]) -> Flags {
        match Cli::parse_from(line).command {
            Some(Command::Run { goal, options }) => Flags::of(&options).with_goal(goal.first().map(String::as_str)),
            Some(Command::Doctor(arguments)) => Flags::of(&arguments),
            Some(Command::Panel(arguments)) => Flags::of(&arguments),
            Some(Command::Replay(arguments)) => Flags::of(&arguments),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_short_flag_exists_and_sets_its_key() {
        let run = Cli::command();
        for key in KEYS {
            let Some(flag) = key.flag else { continue };
            let long = flag.trim_start_matches("--");
            assert!(run.get_arguments().any(|one| one.get_long() == Some(long)), "{flag}");
            let text = match key.name {
                "screen.kind" => "virtual",
                "gate.mode" => "watch",
                _ => "7",
            };
            let layer = flags(&["franz", "run", flag, text]).layer().unwrap();
            let origin = layer.origin(key.name).map(ToString::to_string);
            assert_eq!(origin.as_deref(), Some(flag), "{}", key.name);
        }
    }

    #[test]
    fn every_command_lists_the_keys_its_flags_set() {
        let cases: [(&[&str], Pairs<'_>); 8] = [
            (
                &["franz", "run", "Draw.", "--model", "4", "--max-turns", "9"],
                &[
                    ("loop.max_turns", "9"),
                    ("model.name", "\"4\""),
                    ("prompt.goal", "\"Draw.\""),
                ],
            ),
            (
                &["franz", "run", "--model", "a", "--set", "model.name=b", "--wait"],
                &[("model.name", "\"b\"")],
            ),
            (
                &["franz", "run", "--screen", "browser:https://example.org/a:b"],
                &[
                    ("screen.kind", "\"browser\""),
                    ("screen.url", "\"https://example.org/a:b\""),
                ],
            ),
            (
                &["franz", "run", "--screen", "browser://example.org"],
                &[("screen.kind", "\"browser\""), ("screen.url", "\"example.org\"")],
            ),
            (
                &["franz", "run", "--screen", "vnc://mac.local", "--unencrypted"],
                &[
                    ("screen.kind", "\"vnc\""),
                    ("screen.unencrypted", "true"),
                    ("screen.vnc", "\"vnc://mac.local:5900\""),
                ],
            ),
            (
                &["franz", "doctor", "--screen", "virtual", "--upstream", "demo", "--json"],
                &[("model.upstream", "\"demo\""), ("screen.kind", "\"virtual\"")],
            ),
            (
                &[
                    "franz",
                    "panel",
                    "--relay",
                    "1",
                    "--dashboard",
                    "2",
                    "--",
                    "true",
                    "--model",
                ],
                &[("panel.dashboard", "\"2\""), ("panel.relay", "\"1\"")],
            ),
            (
                &["franz", "replay", "last", "--dashboard", "2"],
                &[("panel.dashboard", "\"2\"")],
            ),
        ];
        for (line, keys) in cases {
            let layer = flags(line).layer().unwrap();
            let set: Vec<(&str, String)> = layer
                .iter()
                .map(|(key, value)| (key.as_str(), value.to_string()))
                .collect();
            let keys: Vec<(&str, String)> = keys.iter().map(|&(key, value)| (key, value.to_owned())).collect();
            assert_eq!(set, keys, "{line:?}");
        }
        let flags = flags(&["franz", "run", "--profile", "sketch", "--scenario", "2"]);
        assert_eq!((flags.profile.as_deref(), flags.scenario), (Some("sketch"), Some(2)));
    }

    proptest! {
        #[test]
        fn set_wins_over_the_short_flag_of_the_same_key(short in ".*[a-z].*", long in ".*[a-z].*", turns in 0..u64::MAX) {
            let set = [format!("model.name={long}")];
            let arguments = serde_json::json!({ "model": short, "max-turns": turns, "set": set });
            let layer = Flags::of(&arguments).layer();
            // TOML cannot hold larger numbers.
            if i64::try_from(turns).is_err() {
                prop_assert!(layer.unwrap_err().to_string().starts_with("--max-turns: loop.max_turns must be"));
            } else {
                let layer = layer.unwrap();
                prop_assert_eq!(layer.get("model.name"), Some(&long.trim().into()));
                prop_assert_eq!(layer.origin("model.name"), Some(&Origin::flag("--set")));
            }
        }
    }

    /// A path might not be valid UTF-8.
    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_utf8_does_not_hide_the_flags() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let odd = OsStr::from_bytes(b"runs/\xff");
        for before in [
            &["franz", "run", "--run-dir"][..],
            &["franz", "run", "--resume"],
            &["franz", "panel", "--run-dir"],
            &["franz", "panel", "--resume"],
            &["franz", "panel", "--"],
            &["franz", "replay"],
        ] {
            let line = before.iter().map(OsStr::new).chain([odd]);
            let layer = match Cli::parse_from(line).command {
                Some(Command::Run { options, .. }) => Flags::of(&options).layer(),
                Some(Command::Panel(arguments)) => Flags::of(&arguments).layer(),
                Some(Command::Replay(arguments)) => Flags::of(&arguments).layer(),
                other => panic!("{other:?}"),
            };
            assert_eq!(layer.unwrap(), Layer::default(), "{before:?}");
        }
    }

    #[test]
    fn a_vnc_address_is_checked_before_it_is_kept() {
        let refused = |screen: &str| {
            flags(&["franz", "run", "--screen", screen])
                .layer()
                .unwrap_err()
                .to_string()
        };
        assert!(refused("vnc://host:1").contains("--screen: 1 is a display number"));
        let password = refused("vnc://:secret12@host");
        assert!(
            password.contains("FRANZ_VNC_PASSWORD") && !password.contains("secret12"),
            "{password}"
        );
    }

    #[test]
    fn set_needs_a_value() {
        let error = set_flags(&["image.width".to_owned()]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("--set image.width: write it as KEY=VALUE")
        );
    }
}
