//! Values that are yet to be written as JSON, Python or plain text.

use serde_json::Value;

use super::CallArgs;

/// The value of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Written without quotes: a number, or a name in place of one.
    Bare(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Said>),
    /// An object with its members in this order.
    Members(CallArgs),
}

impl Said {
    pub(crate) fn bare(word: &str) -> Said {
        Said::Bare(word.to_owned())
    }

    pub(crate) fn text(text: &str) -> Said {
        Said::Text(text.to_owned())
    }

    /// Writes the value as JSON.
    pub(crate) fn json(&self) -> String {
        match self {
            Said::Bare(word) => word.clone(),
            Said::Text(text) => Value::from(text.as_str()).to_string(),
            Said::List(list) => listed(list, Said::json),
            Said::Members(args) => members(args),
        }
    }

    /// Writes the value as Python, with strings in single quotes.
    pub(crate) fn literal(&self) -> String {
        match self {
            Said::Bare(word) => match word.as_str() {
                "true" => "True".to_owned(),
                "false" => "False".to_owned(),
                word => word.to_owned(),
            },
            Said::Text(text) => {
                let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
                format!("'{}'", escaped.replace('\n', "\\n").replace('\r', "\\r"))
            }
            Said::List(list) => listed(list, Said::literal),
            Said::Members(_) => self.json(),
        }
    }

    /// Writes the value as plain text, for elements.
    pub(crate) fn plain(&self) -> String {
        match self {
            Said::Text(text) => text.clone(),
            other => other.json(),
        }
    }
}

fn listed(list: &[Said], write: impl Fn(&Said) -> String) -> String {
    let list: Vec<String> = list.iter().map(write).collect();
    format!("[{}]", list.join(", "))
}

/// Writes an object with its members in this order.
pub(crate) fn members(args: &[(String, Said)]) -> String {
    let members: Vec<String> = args
        .iter()
        .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), value.json()))
        .collect();
    format!("{{{}}}", members.join(", "))
}
