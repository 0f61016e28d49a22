//! The settings of a run: the layers of the configuration, resolved once into types.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

use franz_dialect::{protocol, protocols};

use super::layer::Layer;
use super::prompt;

/// Stands at the top of a run's `config.toml`.
const CONFIG_HEAD: &str = "\
# The settings of this run, read again before every turn: model sampling, image, loop (but modes), protocol.tools, marks
# and prompt take effect on the next turn, the rest at the next start. Change values rather than deleting their lines.

";

/// Everything that can be configured; one field a TOML table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) model: ModelSettings,
    pub(crate) image: ImageSettings,
    #[serde(rename = "loop")]
    pub(crate) pace: LoopSettings,
    pub(crate) protocol: ProtocolSettings,
    pub(crate) memory: MemorySettings,
    pub(crate) screen: ScreenSettings,
    pub(crate) marks: MarksSettings,
    pub(crate) prompt: PromptSettings,
    pub(crate) record: RecordSettings,
    pub(crate) panel: PanelSettings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelSettings {
    /// A URL, `auto` or `demo`.
    pub(crate) upstream: String,
    /// URLs of servers to turn to, in order.
    pub(crate) fallback: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) timeout_s: f64,
    pub(crate) attempts: u32,
    /// Seconds to wait for servers in one turn; 0: for ever.
    pub(crate) wait_s: f64,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) max_tokens: Option<u32>,
    /// Tokens of the whole run.
    pub(crate) max_total_tokens: Option<u64>,
}

/// The picture that the model gets, in pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImageSettings {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoopSettings {
    /// Time for the screen to settle after acting.
    pub(crate) executing_delay_s: f64,
    /// Time between looks while nothing is to be done.
    pub(crate) monitoring_delay_s: f64,
    /// 0: no end.
    pub(crate) max_turns: u64,
    /// Whether a final answer ends the run.
    pub(crate) stop_on_answer: bool,
    /// Whether the model moves between executing and monitoring.
    pub(crate) modes: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProtocolSettings {
    /// One of `protocols::NAMES`.
    pub(crate) kind: String,
    pub(crate) strict: bool,
    pub(crate) tools: BTreeMap<String, bool>,
    pub(crate) limits: LimitSettings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LimitSettings {
    pub(crate) source_bytes: usize,
    pub(crate) steps: u64,
    pub(crate) seconds: f64,
    pub(crate) bytes: usize,
    pub(crate) depth: usize,
    pub(crate) actions: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemorySettings {
    pub(crate) kind: MemoryKind,
    pub(crate) shape: MemoryShape,
    pub(crate) empty_story: Option<String>,
    /// The newest pictures, think blocks and turns that a conversation keeps.
    pub(crate) keep_screenshots: usize,
    pub(crate) keep_thinks: usize,
    pub(crate) keep_turns: usize,
}

/// What of the past goes back to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemoryKind {
    /// Its last reply alone.
    Story,
    /// The messages so far.
    Conversation,
}

/// How a request in story memory is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemoryShape {
    /// System, story, feedback with the picture: three messages.
    Seeds,
    /// System, and one user message of three parts.
    Merged,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScreenSettings {
    pub(crate) kind: ScreenKind,
    /// The canvas's or the virtual desktop's, in pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// By its number from 1, or its name.
    pub(crate) monitor: Option<String>,
    /// From the left, from the top, width, height; in pixels.
    pub(crate) region: Option<[u32; 4]>,
    /// Commands for a virtual desktop.
    pub(crate) start: Vec<String>,
    pub(crate) cursor: bool,
    /// Whether the agent gives way to the person at the mouse.
    #[serde(rename = "yield")]
    pub(crate) yields: bool,
    pub(crate) countdown_s: f64,
    pub(crate) pace: InputPace,
    pub(crate) move_steps: u32,
    pub(crate) move_step_s: f64,
    pub(crate) settle_s: f64,
    pub(crate) type_char_s: f64,
    pub(crate) type_word_s: f64,
}

/// What is seen and acted upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScreenKind {
    /// A sandbox to draw on.
    Canvas,
    /// The person's own desktop.
    Desktop,
    /// A private one.
    Virtual,
}

/// How fast hands move on a desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InputPace {
    Human,
    Fast,
}

#[expect(clippy::struct_excessive_bools, reason = "four independent switches")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MarksSettings {
    pub(crate) crosshair: bool,
    pub(crate) classic: bool,
    pub(crate) cursor: bool,
    pub(crate) timestamp: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PromptSettings {
    pub(crate) goal: String,
    /// `{goal}` and `{tools}` stand for the goal and the tools.
    pub(crate) system: String,
    /// The goal while monitoring, when the model gives none.
    pub(crate) monitoring_goal: String,
    pub(crate) scenarios: Vec<Scenario>,
}

/// A goal to choose by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) goal: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordSettings {
    pub(crate) dir: String,
    /// Turns in one file.
    pub(crate) batch: NonZeroU64,
    pub(crate) exchange_log: bool,
    /// Whether a run without a record must end.
    pub(crate) required: bool,
    /// Whether files are flushed to the disk itself, against power loss; see [`Settings::is_durable`].
    pub(crate) durable: Option<bool>,
    /// Bytes of pictures to keep.
    pub(crate) keep_pictures: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PanelSettings {
    /// Where the relay listens; `None`: where the command says.
    pub(crate) relay: Option<String>,
    /// Where the dashboard listens; `None`: at the usual port, or a free one.
    pub(crate) dashboard: Option<String>,
    /// Names by which both may be called.
    pub(crate) allow_hosts: Vec<String>,
    /// The pause before a restart of the agent.
    pub(crate) restart_s: f64,
}

impl Settings {
    /// The settings that a complete stack of layers means.
    pub(crate) fn resolve(layer: &Layer) -> Settings {
        let table = layer.table();
        table
            .try_into()
            .expect("every key of a layer is checked, and the defaults are complete")
    }

    /// The system prompt with the goal and the tools in their places.
    pub(crate) fn system_prompt(&self, goal: &str) -> String {
        prompt::fill(&self.prompt.system, goal, &self.tools())
    }

    pub(crate) fn protocol_kind(&self) -> protocols::ProtocolKind {
        protocols::kind(&self.protocol.kind).expect("the kind of protocol is checked")
    }

    /// The protocol that replies are read with.
    pub(crate) fn protocol(&self) -> Box<dyn franz_dialect::Protocol> {
        let limits = &self.protocol.limits;
        let settings = protocol::ReadingSettings {
            tools: self.tools(),
            builtins: if self.protocol.strict {
                franz_dialect::Builtins::Absent
            } else {
                franz_dialect::Builtins::Safe
            },
            limits: franz_dialect::Limits {
                source_bytes: limits.source_bytes,
                steps: limits.steps,
                seconds: limits.seconds,
                bytes: limits.bytes,
                depth: limits.depth,
            },
            actions: limits.actions,
        };
        (self.protocol_kind().new)(settings)
    }

    /// Whether files are flushed to the disk itself. What was done on a desktop cannot be done again.
    pub(crate) fn is_durable(&self) -> bool {
        self.record.durable.unwrap_or(self.screen.kind != ScreenKind::Canvas)
    }

    /// The styles of marks that are switched on.
    pub(crate) fn mark_styles(&self) -> franz_frame::Marks {
        let MarksSettings {
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
