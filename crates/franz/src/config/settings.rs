//! The settings of a run: the layers of the configuration, resolved once into types.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

use franz_dialect::{protocol, protocols};

use super::layer::Layer;
use super::prompt;

/// The head of a run's `config.toml`.
const CONFIG_HEAD: &str = "\
# The settings of this run, read again before every turn: model sampling, image, loop (but modes), protocol.tools, marks
# and prompt take effect on the next turn, the rest at the next start. Change values rather than deleting their lines.

";

/// Everything that can be configured, with one field per TOML table.
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
    /// URLs of servers to fall back on, in order.
    pub(crate) fallback: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) timeout_s: f64,
    pub(crate) attempts: u32,
    /// Seconds to wait for servers in one turn; 0 waits for ever.
    pub(crate) wait_s: f64,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) max_tokens: Option<u32>,
    /// The limit on tokens of the whole run.
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
    /// Seconds for the screen to settle after acting.
    pub(crate) executing_delay_s: f64,
    /// Seconds between looks while there is nothing to do.
    pub(crate) monitoring_delay_s: f64,
    /// 0 means no limit.
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
    /// How many of the newest pictures, think blocks and turns a conversation keeps.
    pub(crate) keep_screenshots: usize,
    pub(crate) keep_thinks: usize,
    pub(crate) keep_turns: usize,
}

/// What the model gets back of the past.
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
    /// Three messages: system, story, and feedback with the picture.
    Seeds,
    /// Two messages: system, and one user message of three parts.
    Merged,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScreenSettings {
    pub(crate) kind: ScreenKind,
    /// The size of the canvas or virtual desktop, in pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The monitor's number, from 1, or its name.
    pub(crate) monitor: Option<String>,
    /// Left, top, width and height, in pixels.
    pub(crate) region: Option<[u32; 4]>,
    /// Commands to start on a virtual desktop.
    pub(crate) start: Vec<String>,
    pub(crate) cursor: bool,
    /// Whether the agent yields to the person at the mouse.
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

/// What the agent sees and acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScreenKind {
    /// A sandbox to draw on.
    Canvas,
    /// The person's own desktop.
    Desktop,
    /// A private desktop.
    Virtual,
}

/// How fast the hands move on a desktop.
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
    /// The text, in which `{goal}` and `{tools}` stand for the goal and the tools.
    pub(crate) system: String,
    /// The goal while monitoring, if the model gives none.
    pub(crate) monitoring_goal: String,
    pub(crate) scenarios: Vec<Scenario>,
}

/// A goal that can be chosen by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) goal: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordSettings {
    pub(crate) dir: String,
    /// How many turns go into one file.
    pub(crate) batch: NonZeroU64,
    pub(crate) exchange_log: bool,
    /// Whether the run must end if it cannot be recorded.
    pub(crate) required: bool,
    /// Whether files are flushed to the disk itself, against power loss; see [`Settings::is_durable`].
    pub(crate) durable: Option<bool>,
    /// How many bytes of pictures to keep.
    pub(crate) keep_pictures: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PanelSettings {
    /// Where the relay listens; `None` for where the command says.
    pub(crate) relay: Option<String>,
    /// Where the dashboard listens; `None` for the usual port, or a free one.
    pub(crate) dashboard: Option<String>,
    /// Names by which both may be called.
    pub(crate) allow_hosts: Vec<String>,
    /// Seconds to pause before a restart of the agent.
    pub(crate) restart_s: f64,
}

impl Settings {
    /// Resolves a complete stack of layers into settings.
    pub(crate) fn resolve(layer: &Layer) -> Settings {
        let table = layer.table();
        table
            .try_into()
            .expect("every key of a layer is checked, and the defaults are complete")
    }

    /// Returns the system prompt with the goal and the tools filled in.
    pub(crate) fn system_prompt(&self, goal: &str) -> String {
        prompt::fill(&self.prompt.system, goal, &self.tools())
    }

    pub(crate) fn protocol_kind(&self) -> protocols::ProtocolKind {
        protocols::kind(&self.protocol.kind).expect("the kind of protocol is checked")
    }

    /// Returns the protocol that reads replies.
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

    /// Returns whether files are flushed to the disk itself. What was done on a desktop cannot be done again.
    pub(crate) fn is_durable(&self) -> bool {
        self.record.durable.unwrap_or(self.screen.kind != ScreenKind::Canvas)
    }

    /// Returns the styles of marks that are switched on.
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

    /// Returns the text of a run's `config.toml`.
    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        Ok(format!("{CONFIG_HEAD}{}", toml::to_string_pretty(self)?))
    }

    /// Returns the tools that are switched on.
    pub(crate) fn tools(&self) -> franz_action::ToolSet {
        let enabled = self.protocol.tools.iter().filter(|(_, on)| **on);
        franz_action::ToolSet::of(enabled.map(|(name, _)| name.as_str()))
    }
}
