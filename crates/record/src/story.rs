//! How a turn line stores a story: in full, or as the hash of the reply in the previous line.

use franz_json::{Raw, Story, lossy};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::sha256_hex;

/// The story that a turn sent.
///
/// In JSON, it is the raw string literal, or `{"sha256":"..."}` if the reply in the previous turn line is the same
/// literal. This way, a story is stored only once and cannot be mistaken for a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredStory {
    /// The story as sent.
    Full(Story),
    /// The reply in the previous turn line, identified by the SHA-256 of its raw literal.
    PreviousReply {
        /// 64 lowercase hexadecimal digits.
        sha256: String,
    },
}

impl StoredStory {
    /// Returns the short form of `story`, given the reply in the previous turn line.
    pub fn shortened(story: &Story, previous_reply: Option<&Story>) -> Self {
        if previous_reply == Some(story) {
            Self::PreviousReply {
                sha256: sha256_hex(story.raw().as_bytes()),
            }
        } else {
            Self::Full(story.clone())
        }
    }

    /// Returns the full story, given the reply in the previous turn line. `None` if that reply has another hash.
    pub fn resolve<'a>(&'a self, previous_reply: Option<&'a Story>) -> Option<&'a Story> {
        match self {
            Self::Full(story) => Some(story),
            Self::PreviousReply { sha256 } => {
                previous_reply.filter(|reply| sha256_hex(reply.raw().as_bytes()) == *sha256)
            }
        }
    }
}

impl Default for StoredStory {
    /// Returns the story of the first turn: the empty string.
    fn default() -> Self {
        Self::Full(Story::empty())
    }
}

#[derive(Serialize, Deserialize)]
struct Hash {
    #[serde(deserialize_with = "lossy::string")]
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
        let hash = raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()));
        match hash {
            Some(Ok(Hash { sha256 })) => Ok(Self::PreviousReply { sha256 }),
            _ => raw.try_into().map(Self::Full).map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_stored_once() {
        let story = Story::from_raw(r#""once \ud800""#).unwrap();
        let other = Story::from_raw(r#""once \uD800""#).unwrap();

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
            StoredStory::Full(Story::from_raw(r#""{\"sha256\":\"\ud800\"}""#).unwrap()),
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
