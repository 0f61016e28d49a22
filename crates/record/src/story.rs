//! How a story stands in a turn line: as itself, or as the hash of a reply that is already there.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::sha256_hex;
use crate::raw::Raw;
use crate::text;

/// The story that a turn sent.
///
/// In JSON it is the raw string literal, or `{"sha256":"..."}` where the reply of the turn line before is the same
/// literal: so a story is stored once, and no story can be mistaken for a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredStory {
    /// The raw literal, as sent.
    Full(Raw),
    /// The reply of the turn line before, by the SHA-256 of its raw literal.
    PreviousReply {
        /// 64 lowercase hexadecimal digits.
        sha256: String,
    },
}

impl StoredStory {
    /// The short form of `story`, given the reply of the turn line before.
    pub fn shortened(story: &Raw, previous_reply: Option<&Raw>) -> Self {
        if previous_reply == Some(story) {
            Self::PreviousReply {
                sha256: sha256_hex(story.get().as_bytes()),
            }
        } else {
            Self::Full(story.clone())
        }
    }

    /// The story itself, given the reply of the turn line before; `None` when that is not the one meant.
    pub fn resolve<'a>(&'a self, previous_reply: Option<&'a Raw>) -> Option<&'a Raw> {
        match self {
            Self::Full(story) => Some(story),
            Self::PreviousReply { sha256 } => {
                previous_reply.filter(|reply| sha256_hex(reply.get().as_bytes()) == *sha256)
            }
        }
    }
}

impl Default for StoredStory {
    /// The story of the first turn: the empty string.
    fn default() -> Self {
        Self::Full(Raw::string(""))
    }
}

#[derive(Serialize, Deserialize)]
struct Hash {
    #[serde(deserialize_with = "text::string")]
    sha256: String,
}

impl Serialize for StoredStory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Full(story) => story.serialize(serializer),
            Self::PreviousReply { sha256 } => Hash { sha256: sha256.clone() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StoredStory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if raw.get().starts_with('"') {
            return Ok(Self::Full(raw));
        }
        let hash: Hash =
            serde_json::from_str(raw.get()).map_err(|_| D::Error::custom("a story is a string or {\"sha256\":...}"))?;
        Ok(Self::PreviousReply { sha256: hash.sha256 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_stored_once() {
        let story = Raw::parse(r#""once \ud800""#).unwrap();
        let other = Raw::parse(r#""once \uD800""#).unwrap();

        let short = StoredStory::shortened(&story, Some(&story));
        assert!(matches!(short, StoredStory::PreviousReply { .. }));
        assert_eq!(short.resolve(Some(&story)), Some(&story));
        assert_eq!(short.resolve(Some(&other)), None);
        assert_eq!(short.resolve(None), None);

        for previous in [None, Some(&other)] {
            let full = StoredStory::shortened(&story, previous);
            assert_eq!(full.resolve(None), Some(&story));
        }
    }

    #[test]
    fn both_forms_survive_json() {
        let hash = sha256_hex(b"\"a\"");
        let cases = [
            StoredStory::default(),
            StoredStory::Full(Raw::parse(r#""{\"sha256\":\"\ud800\"}""#).unwrap()),
            StoredStory::PreviousReply { sha256: hash },
        ];
        for story in cases {
            let json = serde_json::to_string(&story).unwrap();
            assert_eq!(serde_json::from_str::<StoredStory>(&json).unwrap(), story, "{json}");
        }
        for json in ["null", "1", "{}", "[]"] {
            assert!(serde_json::from_str::<StoredStory>(json).is_err(), "{json}");
        }
    }
}
