//! Identifies the programs that serve models, if they reveal themselves.

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
    /// Returns the program that is displayed under this name.
    pub fn named(name: &str) -> Option<ServerKind> {
        let all = [Self::LlamaCpp, Self::LmStudio, Self::Ollama, Self::Vllm];
        all.into_iter().find(|kind| kind.to_string() == name)
    }

    /// Returns instructions for giving this server a longer context.
    pub fn longer_context(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama-server --ctx-size 16384",
            Self::LmStudio => "Context Length 16384 in the model's load settings in LM Studio",
            Self::Ollama => "OLLAMA_CONTEXT_LENGTH=16384 ollama serve",
            Self::Vllm => "vllm serve --max-model-len 16384",
        }
    }

    /// Returns whether this server might load a model only on request, and report the model's context length only after
    /// that.
    pub fn loads_on_request(self) -> bool {
        match self {
            Self::LmStudio | Self::Ollama => true,
            Self::LlamaCpp | Self::Vllm => false,
        }
    }

    /// Returns instructions for giving this server a model that accepts images.
    pub fn eyes(self) -> &'static str {
        match self {
            Self::LlamaCpp => "give it the model's projector: llama-server --mmproj FILE",
            Self::LmStudio => "load a model of type vlm in LM Studio, or choose one with --model",
            Self::Ollama => "choose a model with the vision capability (see ollama show NAME) with --model",
            Self::Vllm => {
                "run vllm serve with a model that accepts images, without --limit-mm-per-prompt '{\"image\":0}'"
            }
        }
    }

    /// Returns the path at which this server reports its version, if it has a separate one.
    pub(crate) fn version_path(self) -> Option<&'static str> {
        match self {
            Self::Ollama => Some("/api/version"),
            Self::Vllm => Some("/version"),
            Self::LlamaCpp | Self::LmStudio => None,
        }
    }

    /// Returns the path of this server's metrics if they reveal its prompt cache.
    pub(crate) fn metrics_path(self) -> Option<&'static str> {
        match self {
            Self::LlamaCpp | Self::Vllm => Some("/metrics"),
            Self::LmStudio | Self::Ollama => None,
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
