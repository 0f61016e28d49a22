//! The programs that serve models, as far as they say so.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A program that serves models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerKind {
    /// llama.cpp's own server.
    LlamaCpp,
    /// LM Studio.
    LmStudio,
    /// Ollama.
    Ollama,
    /// vLLM.
    Vllm,
}

impl ServerKind {
    /// Returns how this server is given a longer context.
    pub fn longer_context(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama-server --ctx-size 16384",
            Self::LmStudio => "Context Length 16384 in the settings with which LM Studio loads the model",
            Self::Ollama => "OLLAMA_CONTEXT_LENGTH=16384 ollama serve",
            Self::Vllm => "vllm serve --max-model-len 16384",
        }
    }
}

impl fmt::Display for ServerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::LlamaCpp => "llama.cpp",
            Self::LmStudio => "LM Studio",
            Self::Ollama => "Ollama",
            Self::Vllm => "vLLM",
        })
    }
}
