//! Messages of the DevTools protocol: commands to the browser, and events from it.

use serde_json::Value;

/// A command for the browser or for one of its pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    /// The page; `None` for the browser itself.
    pub(super) session: Option<String>,
    pub(super) method: &'static str,
    pub(super) params: Value,
}

impl Command {
    pub(super) fn to_browser(method: &'static str, params: Value) -> Command {
        Command {
            session: None,
            method,
            params,
        }
    }

    pub(super) fn to_page(session: &str, method: &'static str, params: Value) -> Command {
        Command {
            session: Some(session.to_owned()),
            method,
            params,
        }
    }
}

/// An event that the browser has sent.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) session: Option<String>,
    pub(super) method: String,
    pub(super) params: Value,
}

/// Returns a value's text, or an empty string if it has none.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
