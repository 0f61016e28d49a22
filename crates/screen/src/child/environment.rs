//! The environment variables of child processes.

use std::ffi::{OsStr, OsString};

/// The only environment variables that a child gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(Vec<(OsString, OsString)>);

/// Variables that any program needs to find its files, its libraries and the user's language.
const BASIC: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "LD_LIBRARY_PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_COLLATE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "__CF_USER_TEXT_ENCODING",
    // Windows.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERDOMAIN",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PUBLIC",
    "ALLUSERSPROFILE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "COMMONPROGRAMFILES",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
    "OS",
];

/// Variables that lead to the user's desktop and session bus, where a single-instance program would open its windows.
const DESKTOP: &[&str] = &[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "SESSION_MANAGER",
];

/// Variables that describe the rest of the user's session.
const SESSION: &[&str] = &[
    "XAUTHORITY",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "DESKTOP_SESSION",
    "GNOME_DESKTOP_SESSION_ID",
    "KDE_FULL_SESSION",
    "KDE_SESSION_VERSION",
    "BROWSER",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
];

/// Variables hidden from programs that FRANZ puts on a desktop, because the model could display them there.
const KEYS: &[&str] = &["OPENAI_API_KEY"];

/// Shorter values are not treated as secrets, because too many variables contain them by chance.
const SECRET_BYTES: usize = 12;

impl Environment {
    /// Returns the environment for one of our own helpers that needs nothing from the user's desktop, such as an X
    /// server.
    pub fn helper() -> Environment {
        Environment::of_ours(|name, _| is_one_of(name, BASIC))
    }

    /// Returns the environment for one of our own helpers that works on the user's desktop, such as one that opens a
    /// browser.
    pub fn session() -> Environment {
        Environment::of_ours(|name, _| [BASIC, DESKTOP, SESSION].iter().any(|names| is_one_of(name, names)))
    }

    /// Returns the environment for someone else's agent: the user's environment without our own settings.
    pub fn foreign_agent() -> Environment {
        Environment::of_ours(|name, _| !is_setting(name))
    }

    /// Returns the environment for a program that the user wants on a private desktop: the user's environment without
    /// our own settings, without anything that leads to the user's desktop, and without any variable that holds one of
    /// the `keys`.
    pub fn guest(keys: &[String]) -> Environment {
        Environment::of_ours(|name, value| is_for_guest(name, value, keys))
    }

    fn of_ours(passes: impl Fn(&OsStr, &OsStr) -> bool) -> Environment {
        let variables = std::env::vars_os();
        Environment(variables.filter(|(name, value)| passes(name, value)).collect())
    }

    /// Adds those of our own variables in `names` that are set.
    #[must_use]
    pub fn inheriting(self, names: &[&str]) -> Environment {
        let ours = names.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
        ours.fold(self, |environment, (name, value)| environment.with(name, value))
    }

    /// Adds a variable, or replaces its value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Environment {
        self.0.retain(|(other, _)| !is_one_of(other, &[name]));
        self.0.push((name.into(), value.into()));
        self
    }

    /// Iterates over names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_for_guest(name: &OsStr, value: &OsStr, keys: &[String]) -> bool {
    !is_setting(name) && !is_one_of(name, DESKTOP) && !is_one_of(name, KEYS) && !holds(value, keys)
}

/// Returns whether this is one of our own variables. Windows ignores case in variable names.
fn is_setting(name: &OsStr) -> bool {
    let start = name.as_encoded_bytes().get(..6);
    start.is_some_and(|start| start.eq_ignore_ascii_case(b"FRANZ_"))
}

fn is_one_of(name: &OsStr, names: &[&str]) -> bool {
    let same = |other: &&str| {
        if cfg!(windows) {
            name.eq_ignore_ascii_case(other)
        } else {
            name == *other
        }
    };
    names.iter().any(same)
}

/// Returns whether the value contains a key, alone or within other text.
fn holds(value: &OsStr, keys: &[String]) -> bool {
    let value = value.as_encoded_bytes();
    let mut secrets = keys.iter().filter(|key| key.len() >= SECRET_BYTES);
    secrets.any(|key| value.windows(key.len()).any(|part| part == key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passes(name: &str, value: &str, keys: &[&str]) -> bool {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        is_for_guest(name.as_ref(), value.as_ref(), &keys)
    }

    #[test]
    fn a_guest_inherits_neither_keys_nor_access_to_the_persons_desktop() {
        let key = "sk-0123456789";
        for (name, value) in [
            ("PATH", "/bin"),
            ("GTK_THEME", "dark"),
            ("FRANZISKA", "x"),
            ("SHORT", "x"),
            ("Ä", "ä"),
        ] {
            assert!(passes(name, value, &[key, "x"]), "{name}");
        }
        for (name, value) in [
            ("FRANZ_API_KEY", "other"),
            ("FRANZ_GOAL", "draw"),
            ("franz_goal", "draw"),
            ("OPENAI_API_KEY", "other"),
            ("GATEWAY_TOKEN", key),
            ("AUTHORIZATION", "Bearer sk-0123456789"),
            ("DISPLAY", ":0"),
            ("WAYLAND_DISPLAY", "wayland-0"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
            ("AT_SPI_BUS_ADDRESS", "unix:path=/run/user/1000/at-spi/bus_0"),
            ("XDG_RUNTIME_DIR", "/run/user/1000"),
            ("SESSION_MANAGER", "local/x"),
        ] {
            assert!(!passes(name, value, &["another-long-key", key]), "{name}");
        }
    }

    #[test]
    fn a_helper_inherits_only_listed_variables() {
        let ours = |environment: &Environment| environment.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        let helper = Environment::helper();
        assert!(ours(&helper).iter().all(|name| is_one_of(name, BASIC)));
        // Cargo sets this variable for every test.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        for strict in [helper, Environment::session()] {
            assert!(!ours(&strict).contains(&"CARGO_MANIFEST_DIR".into()));
        }
        assert!(ours(&Environment::foreign_agent()).contains(&"CARGO_MANIFEST_DIR".into()));
    }

    #[test]
    fn a_variable_is_set_only_once() {
        let environment = Environment(Vec::new()).with("A", "1").with("B", "2").with("A", "3");
        let all: Vec<_> = environment.iter().collect();
        assert_eq!(
            all,
            [("B".as_ref(), "2".as_ref()), ("A".as_ref(), "3".as_ref())] as [(&OsStr, &OsStr); 2]
        );
        let inherited = Environment(Vec::new()).inheriting(&["CARGO_MANIFEST_DIR", "NO_SUCH_VARIABLE"]);
        assert_eq!(inherited.iter().count(), 1);
    }

    proptest! {
        #[test]
        fn no_guest_learns_a_key(
            key in "[!-~]{12,60}",
            name in "[A-Z][A-Z_]{0,12}",
            before in "[ -~]{0,20}",
            after in "[ -~]{0,20}",
        ) {
            let value = format!("{before}{key}{after}");
            prop_assert!(!passes(&name, &value, &[&key]));
            prop_assert!(passes("X", &before.replace(&key, ""), &[&key]));
        }
    }
}
