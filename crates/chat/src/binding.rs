//! Defines bindings: constraints that restrict a model's replies, in the form that each server accepts.

use franz_json::Raw;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::server_kind::ServerKind;

/// A request field that binds the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Binding {
    /// A grammar in GBNF, for llama.cpp.
    Grammar(String),
    /// The same grammar, for vLLM.
    StructuredOutputs {
        /// The grammar.
        grammar: String,
    },
    /// A JSON schema, for LM Studio and Ollama.
    ResponseFormat(ResponseFormat),
}

/// The form that `OpenAI`'s API uses to request a reply in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResponseFormat {
    /// JSON that follows a schema.
    JsonSchema {
        /// The schema and its name.
        json_schema: NamedSchema,
    },
}

/// A schema, with the other members that `OpenAI`'s API requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedSchema {
    name: &'static str,
    strict: bool,
    schema: Raw,
}

/// The language in which a server accepts bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingLanguage {
    /// A GBNF grammar.
    Gbnf,
    /// A JSON schema.
    JsonSchema,
}

impl BindingLanguage {
    /// Returns the language that this server accepts.
    pub fn of(kind: ServerKind) -> BindingLanguage {
        match kind {
            ServerKind::LlamaCpp | ServerKind::Vllm => BindingLanguage::Gbnf,
            ServerKind::LmStudio | ServerKind::Ollama => BindingLanguage::JsonSchema,
        }
    }
}

/// The request fields that bind a reply, for all servers.
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
    /// Returns a binding for this server; `written` is in the server's language.
    ///
    /// # Errors
    /// Returns an error if the schema is not JSON.
    pub fn on(kind: ServerKind, written: String) -> Result<Binding, serde_json::Error> {
        Ok(match kind {
            ServerKind::LlamaCpp => Binding::Grammar(written),
            ServerKind::Vllm => Binding::StructuredOutputs { grammar: written },
            ServerKind::LmStudio | ServerKind::Ollama => Binding::ResponseFormat(ResponseFormat::JsonSchema {
                json_schema: NamedSchema {
                    name: "reply",
                    strict: true,
                    schema: Raw::parse(&written)?,
                },
            }),
        })
    }

    /// Checks whether one of these fields already binds the reply.
    pub fn is_in(fields: &Map<String, Value>) -> bool {
        FIELDS.iter().any(|field| fields.contains_key(*field))
    }

    /// Returns the request field's name.
    pub fn name(&self) -> &'static str {
        match self {
            Binding::Grammar(_) => "grammar",
            Binding::StructuredOutputs { .. } => "structured_outputs",
            Binding::ResponseFormat(_) => "response_format",
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
            let written = match BindingLanguage::of(kind) {
                BindingLanguage::Gbnf => "root ::= \"a\"",
                // The model writes the members in the order given here.
                BindingLanguage::JsonSchema => r#"{"type":"object","properties":{"b":{},"a":{}}}"#,
            };
            let sampling = Sampling {
                binding: Some(Binding::on(kind, written.to_owned()).unwrap()),
                ..Sampling::default()
            };
            serde_json::to_string(&sampling).unwrap()
        };
        assert_eq!(sent(ServerKind::LlamaCpp), r#"{"grammar":"root ::= \"a\""}"#);
        assert_eq!(
            sent(ServerKind::Vllm),
            r#"{"structured_outputs":{"grammar":"root ::= \"a\""}}"#
        );
        let schema = r#"{"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object","properties":{"b":{},"a":{}}}}}}"#;
        assert_eq!(sent(ServerKind::LmStudio), schema);
        assert_eq!(sent(ServerKind::Ollama), schema);
    }

    #[test]
    fn a_field_of_the_persons_own_is_known() {
        let fields = |text: &str| serde_json::from_str(text).unwrap();
        assert!(Binding::is_in(&fields(r#"{"top_k":20,"grammar":""}"#)));
        assert!(!Binding::is_in(&fields(r#"{"top_k":20}"#)));
    }
}
