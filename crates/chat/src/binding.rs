//! Bindings: what holds a model to replies of a grammar, as each server takes it.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::server_kind::ServerKind;

/// A field of a request that binds the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Binding {
    /// A grammar in GBNF, for llama.cpp.
    Grammar(String),
    /// The same for vLLM.
    StructuredOutputs {
        /// The grammar.
        grammar: String,
    },
}

/// The fields of requests that bind a reply, on any server.
const FIELDS: [&str; 9] = [
    "grammar",
    "json_schema",
    "response_format",
    "structured_outputs",
    "guided_choice",
    "guided_grammar",
    "guided_json",
    "guided_regex",
    "format",
];

impl Binding {
    /// Returns what binds a reply on this server; `None` if it takes no grammars. Ollama and LM Studio take schemas of
    /// JSON alone, and a reply is more than that.
    pub fn on(kind: ServerKind, gbnf: impl FnOnce() -> String) -> Option<Binding> {
        match kind {
            ServerKind::LlamaCpp => Some(Binding::Grammar(gbnf())),
            ServerKind::Vllm => Some(Binding::StructuredOutputs { grammar: gbnf() }),
            ServerKind::LmStudio | ServerKind::Ollama => None,
        }
    }

    /// Checks whether one of these fields binds the reply already.
    pub fn is_in(fields: &Map<String, Value>) -> bool {
        FIELDS.iter().any(|field| fields.contains_key(*field))
    }

    /// Returns the name of the field.
    pub fn name(&self) -> &'static str {
        match self {
            Binding::Grammar(_) => "grammar",
            Binding::StructuredOutputs { .. } => "structured_outputs",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampling;

    #[test]
    fn each_server_gets_its_own_field() {
        let sent = |kind| {
            let sampling = Sampling {
                binding: Binding::on(kind, || "root ::= \"a\"".to_owned()),
                ..Sampling::default()
            };
            serde_json::to_string(&sampling).unwrap()
        };
        assert_eq!(sent(ServerKind::LlamaCpp), r#"{"grammar":"root ::= \"a\""}"#);
        assert_eq!(
            sent(ServerKind::Vllm),
            r#"{"structured_outputs":{"grammar":"root ::= \"a\""}}"#
        );
        assert_eq!(sent(ServerKind::LmStudio), "{}");
        assert_eq!(sent(ServerKind::Ollama), "{}");
    }

    #[test]
    fn a_field_of_the_persons_own_is_known() {
        let fields = |text: &str| serde_json::from_str(text).unwrap();
        assert!(Binding::is_in(&fields(r#"{"top_k":20,"grammar":""}"#)));
        assert!(!Binding::is_in(&fields(r#"{"top_k":20}"#)));
    }
}
