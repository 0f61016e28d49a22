//! What can be wrong with a call, in words that show the model how to fix it.

use franz_action::ToolSet;
use franz_action::keys::KeyError;
use franz_action::text::shortened;

use super::function::Function;
use crate::geometry::PlaceError;
use crate::json::StringFault;

/// How many characters of the model's own words to quote in a message.
const LONGEST_WORDS: usize = 60;

/// Why a call is not performed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ToolCallError {
    #[error("your reply hit the token limit, so its last call was not performed; write less before the call")]
    Cut,
    #[error(
        "the call is not a valid JSON object; write one like {{\"name\": \"observe_screen\", \"parameters\": {{}}}}"
    )]
    Call,
    #[error("{0}")]
    String(StringFault),
    #[error("put nothing after the call; write any words before it")]
    Followed,
    #[error("{}", crate::call::CallError::Thought)]
    Thought,
    #[error("the arguments are not valid JSON; write one object like {0}")]
    Json(String),
    #[error("{what}; write arguments like {shape}")]
    Args { what: String, shape: String },
    #[error("'{name}' must be {form}")]
    Place { name: &'static str, form: String },
    #[error("{0}")]
    OutOfPlace(PlaceError),
    #[error("the label is missing: name in a few words what you click; write arguments like {0}")]
    MissingLabel(String),
    #[error("the place is missing: write it as '{0}'; write arguments like {1}")]
    MissingPlace(&'static str, String),
    #[error("the key is missing; write arguments like {0}")]
    MissingKey(String),
    #[error("the text is empty; write arguments like {0}")]
    EmptyText(String),
    #[error("'{0}' is still the placeholder from the instructions; write your own words")]
    Placeholder(&'static str),
    #[error("{}; write a key, or keys joined by +", shortened(&.0.to_string(), LONGEST_WORDS))]
    Key(KeyError),
    #[error("there is no tool '{}'; use {}", shortened(.name, LONGEST_WORDS), .known.join(", "))]
    Unknown { name: String, known: Vec<&'static str> },
    #[error("{0}")]
    Usual(String),
    #[error("{}; look at the result, then go on", most(*.0))]
    Surplus(usize),
    #[error("{}", crate::imagined::IMAGINED)]
    Imagined,
    #[error("not yet: look at the results of the calls before it; if the task is done then, call only finish")]
    NotYet,
}

/// States how many calls in a reply are performed.
fn most(calls: usize) -> String {
    match calls {
        0 | 1 => "only the first tool call of a reply is performed".to_owned(),
        calls => format!("only the first {calls} tool calls of a reply are performed"),
    }
}

impl ToolCallError {
    /// Returns the error for arguments that the function does not accept.
    pub(super) fn args(function: &Function, tools: &ToolSet, what: impl Into<String>) -> ToolCallError {
        ToolCallError::Args {
            what: what.into(),
            shape: function.shape(tools),
        }
    }

    /// Checks whether the call might be one that another program would understand.
    pub(super) fn may_be_usual(&self) -> bool {
        matches!(
            self,
            ToolCallError::Json(_)
                | ToolCallError::String(_)
                | ToolCallError::Args { .. }
                | ToolCallError::Place { .. }
                | ToolCallError::MissingPlace(..)
                | ToolCallError::MissingKey(_)
                | ToolCallError::EmptyText(_)
                | ToolCallError::Key(_)
                | ToolCallError::Unknown { .. }
        )
    }

    /// Returns the error's type in the form that results use.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            ToolCallError::Cut
            | ToolCallError::Call
            | ToolCallError::String(_)
            | ToolCallError::Followed
            | ToolCallError::Json(_) => "invalid_json",
            ToolCallError::Args { .. }
            | ToolCallError::Usual(_)
            | ToolCallError::Placeholder(_)
            | ToolCallError::Thought => "invalid_args",
            ToolCallError::Place { .. } | ToolCallError::OutOfPlace(_) => "invalid_box",
            ToolCallError::MissingLabel(_) => "missing_label",
            ToolCallError::MissingPlace(..) => "missing_box",
            ToolCallError::MissingKey(_) => "missing_key",
            ToolCallError::EmptyText(_) => "empty_text",
            ToolCallError::Key(_) => "invalid_key",
            ToolCallError::Unknown { .. } => "unknown_tool",
            ToolCallError::Surplus(_) => "too_many_tool_calls",
            ToolCallError::Imagined | ToolCallError::NotYet => "not_yet",
        }
    }
}
