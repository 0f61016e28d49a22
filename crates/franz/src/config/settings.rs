//! The settings of a run: the layers of the configuration, resolved once into types.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

use franz_action::protocol;

use super::layer::Layer;

/// Stands at the top of a run's `config.toml`.
const CONFIG_HEAD: &str = "\
# The settings of this run, read again before every turn: model sampling, image, loop, protocol.tools, marks and
# prompt take effect on the next turn, the rest at the next start.

";

/// Everything that can be configured; one field a TOML table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) model: Model,
    pub(crate) image: Image,
    #[serde(rename = "loop")]
    pub(crate) pace: Pace,
    pub(crate) protocol: Protocol,
    pub(crate) memory: Memory,
    pub(crate) screen: Screen,
    pub(crate) marks: Marks,
    pub(crate) prompt: Prompt,
    pub(crate) record: Record,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Model {
    /// A URL, `auto` or `demo`.
    pub(crate) upstream: String,
    pub(crate) name: Option<String>,
    pub(crate) timeout_s: f64,
    pub(crate) attempts: u32,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) max_tokens: Option<u32>,
}

/// The picture that the model gets, in pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Image {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pace {
    /// Time for the screen to settle after acting.
    pub(crate) executing_delay_s: f64,
    /// 0: no end.
    pub(crate) max_turns: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Protocol {
    pub(crate) kind: String,
    pub(crate) strict: bool,
    pub(crate) tools: BTreeMap<String, bool>,
    pub(crate) limits: Limits,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limits {
    pub(crate) source_bytes: usize,
    pub(crate) steps: u64,
    pub(crate) seconds: f64,
    pub(crate) bytes: usize,
    pub(crate) depth: usize,
    pub(crate) actions: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) kind: String,
    pub(crate) shape: Shape,
    pub(crate) empty_story: Option<String>,
}

/// How a request in story memory is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// System, story, feedback with the picture: three messages.
    Seeds,
    /// System, and one user message of three parts.
    Merged,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Screen {
    pub(crate) kind: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

#[expect(clippy::struct_excessive_bools, reason = "four independent switches")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Marks {
    pub(crate) crosshair: bool,
    pub(crate) classic: bool,
    pub(crate) cursor: bool,
    pub(crate) timestamp: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Prompt {
    pub(crate) goal: String,
    /// `{goal}` stands for the goal.
    pub(crate) system: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) dir: String,
    /// Turns in one file.
    pub(crate) batch: NonZeroU64,
    pub(crate) exchange_log: bool,
    /// Whether a run without a record must end.
    pub(crate) required: bool,
    /// Whether files are flushed to the disk itself, against power loss.
    pub(crate) durable: bool,
    /// Bytes of pictures to keep.
    pub(crate) keep_pictures: u64,
}

impl Settings {
    /// The settings that a complete stack of layers means.
    pub(crate) fn resolve(layer: &Layer) -> Settings {
        let table = layer.table();
        table
            .try_into()
            .expect("every key of a layer is checked, and the defaults are complete")
    }

    /// The system prompt with the goal in its place.
    pub(crate) fn system_prompt(&self) -> String {
        self.prompt.system.replace("{goal}", &self.prompt.goal)
    }

    /// The protocol that replies are read with.
    pub(crate) fn protocol(&self) -> Box<dyn franz_action::Protocol> {
        let limits = &self.protocol.limits;
        let settings = protocol::Settings {
            tools: self.tools(),
            strict: self.protocol.strict,
            limits: franz_action::Limits {
                source_bytes: limits.source_bytes,
                steps: limits.steps,
                seconds: limits.seconds,
                bytes: limits.bytes,
                depth: limits.depth,
                actions: limits.actions,
            },
        };
        protocol::named(&self.protocol.kind, settings).expect("the kind of protocol is checked")
    }

    /// The styles of marks that are switched on.
    pub(crate) fn mark_styles(&self) -> franz_frame::Marks {
        let Marks {
            crosshair,
            classic,
            cursor,
            timestamp,
        } = self.marks;
        franz_frame::Marks {
            crosshair,
            classic,
            cursor,
            timestamp,
        }
    }

    /// The text of a run's `config.toml`.
    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        Ok(format!("{CONFIG_HEAD}{}", toml::to_string_pretty(self)?))
    }

    /// The tools that are switched on.
    pub(crate) fn tools(&self) -> franz_action::ToolSet {
        let enabled = self.protocol.tools.iter().filter(|(_, on)| **on);
        franz_action::ToolSet::of(enabled.map(|(name, _)| name.as_str()))
    }
}
