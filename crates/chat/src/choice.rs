//! Picks a model for FRANZ from the models that a server offers.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::server_kind::ServerKind;

/// A server's model and the known facts about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The model's name.
    pub id: String,
    /// Whether the model accepts pictures; `None` if the server does not say.
    pub sees: Option<bool>,
    /// Whether the model is in memory; `None` if the server does not say.
    pub loaded: Option<bool>,
    /// Whether the model only produces embeddings.
    pub embeds: bool,
    /// The largest number of tokens in a request and its reply together; `None` if the server does not say.
    pub context: Option<u64>,
    /// The program that serves the model; `None` if unknown.
    pub kind: Option<ServerKind>,
    /// The version of that program; `None` if the server does not say.
    pub version: Option<String>,
    /// The number of requests that the program handles at a time; `None` if the server does not say.
    pub slots: Option<u64>,
    /// Whether the program caches the prompt for the next request; `None` if the server does not say.
    pub cache: Option<bool>,
}

/// The model that was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The model's index among the candidates.
    pub index: usize,
    /// Why the model was picked.
    pub reason: Reason,
}

/// Why a model was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is the first that is in memory and accepts pictures.
    LoadedAndSees,
    /// It is the only one that accepts pictures.
    OnlyOneThatSees,
    /// It is the only one that writes text.
    OnlyOne,
}

/// Why no model was picked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// The list is empty or contains only embedding models.
    #[error("{}; load one that accepts images, or name it with --model", none(models))]
    None {
        /// All models that the server offers.
        models: Vec<String>,
    },
    /// Several models are possible.
    #[error("the model server offers several models ({}); choose one with --model", models.join(", "))]
    Several {
        /// The possible models.
        models: Vec<String>,
    },
}

/// Picks the first model that is loaded and accepts pictures; otherwise the only one that accepts pictures; otherwise
/// the only one that is not an embedding model.
pub fn choose(candidates: &[Candidate]) -> Result<Choice, ChoiceError> {
    let places = |fits: fn(&Candidate) -> bool| {
        let indices = (0..candidates.len()).filter(|&index| fits(&candidates[index]));
        indices.collect::<Vec<_>>()
    };
    let seeing = places(|candidate| candidate.sees == Some(true));
    let ready = seeing.iter().find(|&&index| candidates[index].loaded == Some(true));
    if let Some(&index) = ready {
        return Ok(Choice {
            index,
            reason: Reason::LoadedAndSees,
        });
    }
    if let [index] = seeing[..] {
        return Ok(Choice {
            index,
            reason: Reason::OnlyOneThatSees,
        });
    }
    match places(|candidate| !candidate.embeds)[..] {
        [] => Err(ChoiceError::None {
            models: names(candidates, |_| true),
        }),
        [index] => Ok(Choice {
            index,
            reason: Reason::OnlyOne,
        }),
        _ => Err(ChoiceError::Several {
            models: names(candidates, |candidate| !candidate.embeds),
        }),
    }
}

impl Candidate {
    /// Creates a candidate with nothing known but its name. By convention, the name shows whether a model is an
    /// embedding model.
    pub fn named(id: &str) -> Self {
        let embeds = id.to_lowercase().contains("embed");
        Self {
            id: id.to_owned(),
            sees: None,
            loaded: None,
            embeds,
            context: None,
            kind: None,
            version: None,
            slots: None,
            cache: None,
        }
    }

    /// Creates a candidate on the same server, with nothing known but its name.
    #[must_use]
    pub fn beside(&self, id: &str) -> Self {
        Self {
            kind: self.kind,
            version: self.version.clone(),
            cache: self.cache,
            ..Self::named(id)
        }
    }

    /// Briefly describes the candidate's server and capabilities, as far as they are known; empty if nothing is known.
    pub fn about_server(&self) -> String {
        let program = self.kind.map(|kind| match &self.version {
            Some(version) => format!("{kind} {version}"),
            None => kind.to_string(),
        });
        let context = self.context.map(|tokens| format!("a context of {tokens} tokens"));
        let images = self
            .sees
            .map(|sees| if sees { "images" } else { "no images" }.to_owned());
        let slots = self.slots.map(|slots| match slots {
            1 => "1 request at a time".to_owned(),
            slots => format!("{slots} requests at a time"),
        });
        let cache = self.cache.map(|cache| {
            let words = if cache { "a prompt cache" } else { "no prompt cache" };
            words.to_owned()
        });
        let known = [program, context, images, slots, cache];
        known.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Reason {
    /// Says why the model was picked from a list of this many.
    pub fn among(self, models: usize) -> String {
        match self {
            Self::LoadedAndSees => format!("the first of {models} models that is loaded and accepts images"),
            Self::OnlyOneThatSees => format!("the only one of {models} models that accepts images"),
            Self::OnlyOne => format!("the only one of {models} models that writes text"),
        }
    }
}

fn names(candidates: &[Candidate], fits: fn(&Candidate) -> bool) -> Vec<String> {
    let fitting = candidates.iter().filter(|candidate| fits(candidate));
    fitting.map(|candidate| candidate.id.clone()).collect()
}

fn none(models: &[String]) -> String {
    match models {
        [] => "the model server lists no models".to_owned(),
        models => format!("the model server has no usable model ({})", models.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, ChoiceError, Reason, ServerKind, choose};

    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);

    fn model(id: &str, sees: Option<bool>, loaded: Option<bool>) -> Candidate {
        Candidate {
            sees,
            loaded,
            ..Candidate::named(id)
        }
    }

    #[test]
    fn the_most_useful_model_is_picked() {
        use Reason::{LoadedAndSees, OnlyOne, OnlyOneThatSees};
        let embedding = || Candidate::named("text-embedding-nomic");
        let cases = [
            (
                vec![model("a", NO, YES), model("b", YES, NO), model("c", YES, YES)],
                2,
                LoadedAndSees,
            ),
            (vec![model("a", YES, YES), model("b", YES, YES)], 0, LoadedAndSees),
            (
                vec![model("a", NO, YES), model("b", YES, NO), embedding()],
                1,
                OnlyOneThatSees,
            ),
            (vec![embedding(), model("a", None, None)], 1, OnlyOne),
            (vec![model("a", NO, YES)], 0, OnlyOne),
        ];
        for (candidates, index, reason) in cases {
            let choice = choose(&candidates).unwrap();
            assert_eq!((choice.index, choice.reason), (index, reason), "{candidates:?}");
        }
        for (reason, said) in [
            (LoadedAndSees, "the first of 3 models that is loaded and accepts images"),
            (OnlyOneThatSees, "the only one of 3 models that accepts images"),
            (OnlyOne, "the only one of 3 models that writes text"),
        ] {
            assert_eq!(reason.among(3), said);
        }
    }

    #[test]
    fn what_is_known_of_a_server_is_said_in_a_few_words() {
        let known = Candidate {
            kind: Some(ServerKind::LlamaCpp),
            version: Some("b6789".to_owned()),
            context: Some(4096),
            slots: Some(4),
            ..Candidate::named("m")
        };
        assert_eq!(
            known.about_server(),
            "llama.cpp b6789, a context of 4096 tokens, 4 requests at a time"
        );
        assert_eq!(Candidate::named("m").about_server(), "");
    }

    #[test]
    fn an_ambiguous_choice_is_left_to_the_person() {
        let several = [model("a", YES, NO), model("b", YES, NO), Candidate::named("embed-c")];
        let error = choose(&several).unwrap_err();
        assert_eq!(
            error,
            ChoiceError::Several {
                models: vec!["a".into(), "b".into()]
            }
        );
        assert_eq!(
            error.to_string(),
            "the model server offers several models (a, b); choose one with --model"
        );
    }

    #[test]
    fn without_a_model_to_choose_the_person_names_one() {
        let told = |candidates: &[Candidate]| choose(candidates).unwrap_err().to_string();
        assert_eq!(
            told(&[]),
            "the model server lists no models; load one that accepts images, or name it with --model"
        );
        assert_eq!(
            told(&[Candidate::named("embed-c")]),
            "the model server has no usable model (embed-c); load one that accepts images, or name it with --model"
        );
    }
}
