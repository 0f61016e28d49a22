//! Every setting, declared once: its key, field, accepted values, default and purpose, and who may set it.
//!
//! A line `field: Type = live(takes, who)` below makes a field of its table's struct and a [`ConfigKey`] of the same
//! name. The line above it appears in the table of settings, the schema and the dashboard. If a run's `config.toml` is
//! edited, `live` settings change on the next turn and `fixed` ones at the next start. A default has the form that
//! `--set` accepts. A setting without a default can be left out.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

use franz_action::ToolSet;
use franz_chat::Streaming;
use franz_dialect::{Geometry, OwnForm, protocol, protocols};
use franz_screen::private_desktop::Compositor;

use super::gate::{GateMode, GateRule};
use super::key::{ConfigKey, fixed, live, tables};
use super::kind::ValueKind::{
    Bytes, Choice, Count, Fields, Filled, Flag, Masks, Number, Region, Rules, Scenarios, Text, Texts, Tools,
};
use super::mask::MaskSetting;
use super::screen_kind::ScreenKind;
use super::trust::Permission::{Addresses, Desktop, Directories, Limits, Programs, Servers};
use super::trust::Trust::{Any, Limit, Own};
use super::trust::Wider::{
    Beyond, Less, Longer, Looser, More, MoreOrZero, Off, Outside, Shared, Shorter, Unchecked, Unmasked,
};

/// The number of seconds in a day. Longer delays and timeouts are probably typing errors.
pub(crate) const DAY_S: f64 = 86_400.0;

/// The usual name of the request field that limits a reply, and the one that newer models of `OpenAI` take instead.
pub(crate) const LIMIT_FIELD: &str = "max_tokens";
pub(crate) const NEWER_LIMIT_FIELD: &str = "max_completion_tokens";

/// The tools whose actions wait for the person by default: those that do more than move or scroll.
const ASK: &str = "[\"left_click\", \"right_click\", \"middle_click\", \"double_left_click\", \"triple_click\", \"drag\", \"mouse_down\", \"type\", \"press\", \"hold\", \"read_clipboard\", \"write_clipboard\", \"open\"]";

const MONITORING_GOAL: &str = include_str!("../../assets/monitoring_goal.txt").trim_ascii_end();

/// Everything that can be configured, with one field per TOML table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) model: ModelSettings,
    pub(crate) image: ImageSettings,
    #[serde(rename = "loop")]
    pub(crate) pace: LoopSettings,
    pub(crate) protocol: ProtocolSettings,
    pub(crate) memory: MemorySettings,
    pub(crate) grounder: GrounderSettings,
    pub(crate) screen: ScreenSettings,
    pub(crate) gate: GateSettings,
    pub(crate) person: PersonSettings,
    pub(crate) eyes: EyesSettings,
    pub(crate) marks: MarksSettings,
    pub(crate) prompt: PromptSettings,
    pub(crate) record: RecordSettings,
    pub(crate) panel: PanelSettings,
}

tables! {
    /// The model server, and the requests to it.
    "model" ModelSettings {
        /// Model server: a URL, `auto` to find one on this machine, or `demo`
        upstream: String = fixed(Text, Own(Servers)).default("auto").flag("--upstream");
        /// URLs of servers to ask for the same model.name, in order, if the upstream is down or lacks the model or credit
        fallback: Vec<String> = fixed(Texts, Own(Servers)).default("[]");
        /// Model, as its server lists it; default: chosen from the list
        name: Option<String> = fixed(Filled, Any).flag("--model");
        /// How the model writes calls: `auto` decides by the model's name; otherwise a family from `franz models`, a TOML file of your own, or `franz`
        family: String = fixed(Text, Any).default("auto").flag("--family");
        /// How FRANZ offers tools: `auto` in whichever way the family and the server support, `text` only in the prompt
        calls: ToolOffer = fixed(Choice(&["auto", "text"]), Any).default("auto");
        /// Whether the server restricts the model to replies that FRANZ can read: `auto` if it can without suppressing thinking, or `off`
        constrain: ConstrainChoice = live(Choice(&["auto", "off"]), Any).default("auto");
        /// Stream replies: `auto` if the server can, `on` always, `off` never
        stream: StreamChoice = live(Choice(&["auto", "on", "off"]), Any).default("auto");
        /// Ask the server to count tokens at the end of a stream
        stream_usage: bool = live(Flag, Any).default("true");
        /// Send temperature and top_p; false: leave both to the server, for models that refuse other values
        send_sampling: bool = fixed(Flag, Any).default("true");
        /// Field of a request that holds model.max_tokens; newer models of OpenAI refuse the older one
        limit_field: String = fixed(Choice(&[LIMIT_FIELD, NEWER_LIMIT_FIELD]), Any).default("max_tokens");
        /// Cut off a streamed reply that repeats the same few lines more than this many times in a row; 0: never
        max_repeats: u32 = live(Count(0, 1_000_000), Limit(Limits, MoreOrZero)).default("50");
        /// Seconds to wait for a whole reply
        timeout_s: f64 = live(Number(0.1, DAY_S), Any).default("600");
        /// Unusable answers in one turn before the turn counts as failed
        attempts: u32 = fixed(Count(1, 100), Any).default("5");
        /// Seconds a turn waits for a model server that is down or busy before the run ends; 0: for ever
        wait_s: f64 = fixed(Number(0.0, DAY_S), Limit(Limits, MoreOrZero)).default("600");
        /// Sampling temperature: 0 picks the likeliest words, 0.7 varies them, above 1.5 many models break the reply format; default: the server's
        temperature: Option<f64> = live(Number(0.0, 10.0), Any);
        /// Nucleus sampling: pick only from the likeliest words that together reach this probability; lower varies less; default: the server's
        top_p: Option<f64> = live(Number(0.0, 1.0), Any);
        /// Maximum tokens in one reply; default: the server's
        max_tokens: Option<u32> = live(Count(1, 10_000_000), Limit(Limits, More));
        /// Extra fields for each request, passed on unchanged: { top_k = 20, chat_template_kwargs = { enable_thinking = false } }
        extra: Option<toml::Table> = fixed(Fields, Own(Servers));
        /// Maximum tokens in a whole run, requests included; default: no limit
        max_total_tokens: Option<u64> = fixed(Count(1, i64::MAX), Limit(Limits, More));
    }

    /// The picture that the model gets.
    "image" ImageSettings {
        /// Width of the picture the model gets, in pixels
        width: u32 = live(Count(16, 8192), Any).default("512");
        /// Height of the picture the model gets, in pixels
        height: u32 = live(Count(16, 8192), Any).default("288");
    }

    /// The pace of a run.
    "loop" LoopSettings {
        /// Whether FRANZ checks before each action that its target on the desktop still looks the way the model saw it: `target`, or `off`
        look: LookBefore = live(Choice(&["target", "off"]), Limit(Limits, Unchecked)).default("target");
        /// Minimum seconds between acting and capturing while executing; raise it for programs that redraw slowly; default: 0.25 on a desktop, none on the canvas
        executing_delay_s: Option<f64> = live(Number(0.0, DAY_S), Any);
        /// Desktop: maximum seconds to wait after acting for the screen to stop changing
        settle_s: f64 = live(Number(0.0, DAY_S), Any).default("2");
        /// Seconds before each capture while monitoring; a lower value notices changes sooner but costs more turns
        monitoring_delay_s: f64 = live(Number(0.0, DAY_S), Any).default("3");
        /// Desktop: seconds after which FRANZ asks the model while monitoring even if nothing has changed
        watch_s: f64 = live(Number(0.0, DAY_S), Any).default("60");
        /// Seconds to rest once two replies in a row request no action, doubled each time up to a minute; 0: none
        rest_s: f64 = live(Number(0.0, DAY_S), Any).default("0");
        /// How many times in a row the model can do the same thing without effect before the run pauses for you, or ends if nobody is there; 0: no limit
        patience: u32 = live(Count(0, 1_000_000), Limit(Limits, MoreOrZero)).default("8");
        /// Stop each invocation after this many turns; 0: no limit
        max_turns: u64 = live(Count(0, i64::MAX), Limit(Limits, MoreOrZero)).default("0").flag("--max-turns");
        /// Whether a final answer ends the run (protocol tools)
        stop_on_answer: bool = live(Flag, Limit(Limits, Off)).default("true");
        /// Whether the model switches between executing and monitoring (protocol sections)
        modes: bool = fixed(Flag, Limit(Limits, Off)).default("false");
    }

    /// How replies write actions.
    "protocol" ProtocolSettings {
        /// How the model writes actions: one call per line, a block of Python, headed sections, function calls
        kind: String = fixed(Choice(&protocols::NAMES), Any).default("python");
        /// Whether a block of Python can call only the tools, no builtins
        strict: bool = fixed(Flag, Limit(Limits, Off)).default("false");
        /// Maximum calls performed from one reply (protocol tools)
        calls: usize = fixed(Count(1, 20), Limit(Limits, More)).default("8");
        + tools: BTreeMap<String, bool>;
        + limits: LimitSettings;
    }

    /// The limits of one block of Python.
    "protocol.limits" LimitSettings {
        /// Maximum bytes in a block of Python
        source_bytes: usize = fixed(Count(1, 1 << 20), Limit(Limits, More)).default("65536");
        /// Maximum steps of the interpreter in one block
        steps: u64 = fixed(Count(1, 1_000_000_000), Limit(Limits, More)).default("1000000");
        /// Maximum seconds one block may run
        seconds: f64 = fixed(Number(0.01, 60.0), Limit(Limits, More)).default("2");
        /// Maximum bytes of memory one block may use
        bytes: usize = fixed(Count(1 << 16, 1 << 30), Limit(Limits, More)).default("67108864");
        /// Maximum nested calls in one block
        depth: usize = fixed(Count(1, 200), Limit(Limits, More)).default("60");
        /// Maximum actions in one block
        actions: usize = fixed(Count(1, 100_000), Limit(Limits, More)).default("500");
    }

    /// The part of the past that each request repeats.
    "memory" MemorySettings {
        /// What goes back to the model: only its last reply, or all messages so far (protocol tools)
        kind: MemoryKind = fixed(Choice(&["story", "conversation"]), Any).default("story");
        /// Story memory: `seeds` sends three messages, `merged` two, for servers that refuse three
        shape: MemoryShape = fixed(Choice(&["seeds", "merged"]), Any).default("seeds");
        /// Text to send instead of an empty story, for servers that refuse an empty message
        empty_story: Option<String> = fixed(Text, Any);
        /// Conversation memory: how many of the newest pictures to keep when pruning a request
        keep_screenshots: usize = fixed(Count(1, 100), Any).default("1");
        /// Conversation memory: prune a request with more pictures than this; default: keep_screenshots + 6
        most_screenshots: Option<usize> = fixed(Count(1, 200), Limit(Limits, More));
        /// Conversation memory: how many of the newest replies keep their think blocks when a request is pruned
        keep_thinks: usize = fixed(Count(0, 10_000), Any).default("2");
        /// Conversation memory: prune a request with more turns than this
        keep_turns: usize = fixed(Count(1, 10_000), Any).default("40");
        /// Conversation memory: prune a request that exceeds this many tokens or the server's context
        most_tokens: u64 = fixed(Count(512, 100_000_000), Limit(Limits, More)).default("16384");
    }

    /// A second model that points, so that calls can name their targets: `left_click(target="the Save button")`.
    "grounder" GrounderSettings {
        /// The grounder's model server, as in model.upstream; default: none, so calls give coordinates
        upstream: Option<String> = fixed(Filled, Own(Servers));
        /// Name of the grounder, as its server lists it; default: chosen from the list
        name: Option<String> = fixed(Filled, Any);
        /// How the grounder writes calls, as in model.family
        family: String = fixed(Text, Any).default("auto");
        /// Width of the picture the grounder gets, in pixels; default: image.width
        width: Option<u32> = fixed(Count(16, 8192), Any);
        /// Height of the picture the grounder gets, in pixels; default: image.height
        height: Option<u32> = fixed(Count(16, 8192), Any);
    }

    /// The screen that the model sees and acts on.
    "screen" ScreenSettings {
        /// What the model sees and acts on: a sandbox to draw on, this desktop, a private desktop or browser that nobody sees, or a VNC server's screen; `--screen browser:URL` also sets screen.url, `--screen vnc://HOST` screen.vnc
        kind: ScreenKind = fixed(Choice(&["canvas", "desktop", "virtual", "browser", "vnc"]), Limit(Desktop, Shared))
            .default("canvas")
            .flag("--screen");
        /// Width of the canvas, the virtual desktop or the browser, in pixels; default: 1920; virtual and browser: the picture's, or 1568 if the picture is smaller than 1024x576
        width: Option<u32> = fixed(Count(16, 16_384), Any);
        /// Height of the canvas, the virtual desktop or the browser, in pixels; default: 1080; virtual and browser: the picture's, or 896 if the picture is smaller than 1024x576
        height: Option<u32> = fixed(Count(16, 16_384), Any);
        /// Browser: the page to open first; default: a blank page
        url: Option<String> = fixed(Filled, Own(Servers));
        /// Browser: name or path of the program; default: an installed Chromium, Chrome or Edge
        browser: Option<String> = fixed(Filled, Own(Programs));
        /// Browser: how many screen pixels wide one page pixel is
        scale: f64 = fixed(Number(0.25, 4.0), Any).default("1");
        /// VNC: the server's address, as vnc://HOST or vnc://HOST:PORT
        vnc: Option<String> = fixed(Filled, Own(Servers));
        /// VNC: whether pictures, keys and the password may go to another machine unencrypted
        unencrypted: bool = fixed(Flag, Own(Servers)).default("false").flag("--unencrypted");
        /// VNC: what the server can type: `any` character, only those of a `us` keyboard, or those plus whatever ctrl+v pastes from its `clipboard`; `auto`: `us` for QEMU and wayvnc, `any` for others
        keyboard: franz_screen::RemoteKeyboard = fixed(Choice(&["auto", "any", "us", "clipboard"]), Own(Desktop)).default("auto");
        /// Desktop: the monitor to use, by number from 1 or by name; default: all
        monitor: Option<String> = fixed(Filled, Own(Desktop));
        /// Desktop: the part to use, as [left, top, width, height] in pixels; default: all of it
        region: Option<[u32; 4]> = fixed(Region, Limit(Desktop, Outside));
        /// Canvas: actions to draw before the first turn, such as "drag(100, 500, 900, 500)"
        drawing: Vec<String> = fixed(Texts, Any).default("[]");
        /// Virtual desktop: what shows it: `xvfb`, an X server, or `sway`, a Wayland compositor
        compositor: Compositor = fixed(Choice(&["xvfb", "sway"]), Own(Programs)).default("xvfb");
        /// Virtual desktop: commands to start on it
        start: Vec<String> = fixed(Texts, Own(Programs)).default("[]");
        /// Desktop: maximum seconds to wait at the start for the screen to show something and stop changing
        start_s: f64 = fixed(Number(0.0, DAY_S), Any).default("15");
        /// Virtual desktop: commands that the model may open by the name of their program; browser: addresses that it may open, such as "https://example.org/*"
        open: Vec<String> = fixed(Texts, Own(Programs)).default("[]");
        /// Desktop: whether the picture includes the mouse cursor
        cursor: bool = fixed(Flag, Any).default("true");
        /// Desktop: whether moving your mouse or pressing Esc twice pauses the agent, and pushing the pointer into a corner stops it
        yields as "yield": bool = fixed(Flag, Limit(Limits, Off)).default("true");
        /// Desktop: whether you stay in front of one that cannot tell your input from the agent's, and stop the agent with Ctrl+C
        i_watch: bool = fixed(Flag, Own(Desktop)).default("false").flag("--i-watch");
        /// Desktop: seconds before the agent starts
        countdown_s: f64 = fixed(Number(0.0, 60.0), Limit(Limits, Less)).default("5");
        /// Desktop: `human` moves and types at the pace set below, `fast` as fast as programs can keep up; `auto` is `human` on your own desktop, `fast` elsewhere
        pace: InputPace = fixed(Choice(&["auto", "human", "fast"]), Any).default("auto");
        /// Steps in one mouse movement
        move_steps: u32 = fixed(Count(1, 1000), Any).default("20");
        /// Seconds between two of these steps
        move_step_s: f64 = fixed(Number(0.0, 1.0), Any).default("0.01");
        /// Seconds between reaching the target and clicking
        settle_s: f64 = fixed(Number(0.0, 10.0), Any).default("0.15");
        /// Seconds to wait after each typed character
        type_char_s: f64 = fixed(Number(0.0, 10.0), Any).default("0.08");
        /// Seconds to wait after each typed word
        type_word_s: f64 = fixed(Number(0.0, 10.0), Any).default("0.15");
        /// What to hide from the model: { area = [x1, y1, x2, y2] } in thousandths of the screen, or { window = "KeePass*" } by title or class; masks from all files add up; see docs/safety.md
        mask: Vec<MaskSetting> = live(Masks, Limit(Limits, Unmasked)).default("[]");
    }

    /// Which of the model's actions pass, and which wait for you.
    "gate" GateSettings {
        /// `free`: every action is performed; `ask`: those in gate.ask wait for you; `watch`: none is performed
        mode: GateMode = live(Choice(&["free", "ask", "watch"]), Limit(Limits, Looser)).default("free").flag("--gate");
        /// Tools whose actions wait for you in mode `ask`
        ask: Vec<String> = live(Tools, Limit(Limits, Shorter)).default(ASK);
        /// Rules by place, key, text and tool that apply in every mode; see docs/safety.md
        rule: Vec<GateRule> = live(Rules, Limit(Limits, Shorter)).default("[]");
    }

    /// The way in which FRANZ asks you.
    "person" PersonSettings {
        /// Seconds an action waits for your decision before it is refused; 0: as long as somebody is there
        wait_s: f64 = live(Number(0.0, DAY_S), Any).default("0");
        /// Notify you on your desktop when the run waits for you (Linux; not while the model acts on that desktop)
        notify: bool = fixed(Flag, Any).default("true");
    }

    /// Information about the screen that the model gets besides the picture.
    "eyes" EyesSettings {
        /// Virtual desktop and browser: give the model a numbered list of the buttons, fields and menus that programs and pages report
        elements: bool = fixed(Flag, Any).default("false");
    }

    /// The marks that are drawn over the picture.
    "marks" MarksSettings {
        /// Mark the last action with a crosshair and a ring, a drag with an arrow
        crosshair: bool = live(Flag, Any).default("false");
        /// Mark every action of the turn with its number
        classic: bool = live(Flag, Any).default("false");
        /// Mark the current and previous pointer position, with coordinates
        cursor: bool = live(Flag, Any).default("false");
        /// Write the time at the bottom of the picture
        timestamp: bool = live(Flag, Any).default("false");
        /// Write each element's number next to it (eyes.elements)
        elements: bool = live(Flag, Any).default("false");
    }

    /// The text that the model gets.
    "prompt" PromptSettings {
        /// What the model should do; replaces {goal} in the system prompt
        goal: String = live(Text, Any).default("");
        /// System prompt; {goal}, {tools} and {coordinates} stand for the goal, the calls and the unit of coordinates, {screen} and {rules} for text that depends on the screen; see docs/profiles.md
        system: String = live(Text, Any).default("");
        /// Kinds of screen the profile is made for; FRANZ warns you on any other; empty: all
        screens: Vec<String> = fixed(Texts, Any).default("[]");
        /// Goal while monitoring, if the model sets none
        monitoring_goal: String = live(Text, Any).default(MONITORING_GOAL);
        /// Goals to choose from with --scenario N
        scenarios: Vec<Scenario> = live(Scenarios, Any).default("[]");
    }

    /// How a run is recorded.
    "record" RecordSettings {
        /// Directory to save runs in, each in a directory of its own
        dir: String = fixed(Text, Own(Directories)).default("runs");
        /// Turns per file of records
        batch: NonZeroU64 = fixed(Count(1, 1_000_000), Any).default("1000");
        /// How much of the requests and responses to log: all, none, or a size above which the oldest are removed
        exchange_log: u64 = fixed(Bytes(256_000_000), Any).default("256 MB");
        /// Whether a run ends when it can no longer be recorded
        required: bool = fixed(Flag, Limit(Limits, Off)).default("true");
        /// Whether records are flushed to disk so that they survive a power failure; default: on every screen but the canvas
        durable: Option<bool> = fixed(Flag, Any);
        /// Which pictures to keep: all, only the newest turn's (none), or as many as fit in a size
        keep_pictures: u64 = fixed(Bytes(10_000_000_000), Limit(Limits, More)).default("10 GB");
    }

    /// Relay and dashboard.
    "panel" PanelSettings {
        /// Address of the relay, as HOST:PORT; default: a free port (franz panel: 127.0.0.1:1234)
        relay: Option<String> = fixed(Filled, Limit(Addresses, Beyond)).flag("--relay");
        /// Address of the dashboard, as HOST:PORT; default: 127.0.0.1:7878, or a free port if that is taken
        dashboard: Option<String> = fixed(Filled, Limit(Addresses, Beyond)).flag("--dashboard");
        /// Host names that the relay and dashboard answer to, besides 127.0.0.1, localhost and [::1]
        allow_hosts: Vec<String> = fixed(Texts, Limit(Addresses, Longer)).default("[]");
        /// Seconds before FRANZ restarts an agent that died
        restart_s: f64 = fixed(Number(0.0, 3600.0), Any).default("3");
        /// Deaths in a row, with no turn in between, after which FRANZ no longer restarts the agent; 0: no limit
        max_deaths: u32 = fixed(Count(0, 1_000_000), Limit(Limits, MoreOrZero)).default("5");
    }
}

/// How FRANZ offers tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToolOffer {
    /// In whichever way the family and the server support.
    Auto,
    /// Only in the prompt.
    Text,
}

/// Whether the server restricts the model to replies that FRANZ can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ConstrainChoice {
    /// If it can without suppressing thinking.
    Auto,
    Off,
}

/// Whether to ask for streamed replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StreamChoice {
    /// If the server can.
    Auto,
    On,
    Off,
}

/// What FRANZ compares with the model's picture before each action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LookBefore {
    /// The action's target.
    Target,
    /// Nothing.
    Off,
}

/// How much of the past each request repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemoryKind {
    /// Only the model's last reply.
    Story,
    /// All messages so far.
    Conversation,
}

/// The layout of a request in story memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemoryShape {
    /// Three messages: system, story, and feedback with the picture.
    Seeds,
    /// Two messages: system, and one user message with three parts.
    Merged,
}

/// How fast the agent moves and types on a desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InputPace {
    Auto,
    Human,
    Fast,
}

/// A goal that can be chosen by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) goal: String,
}

/// The comment at the top of a run's `config.toml`.
const CONFIG_HEAD: &str = "\
# The settings of this run, read again before every turn. These take effect on the next turn: image, loop (except modes),
# protocol.tools, gate, marks, prompt (except screens), person.wait_s, screen.mask, model.constrain, model.stream,
# model.stream_usage, model.max_repeats, model.timeout_s, model.temperature, model.top_p and model.max_tokens. All
# others take effect at the next start. Change values; do not delete their lines.

";

impl Settings {
    /// Returns the tools that are switched on and that this screen can perform.
    pub(crate) fn tools(&self) -> ToolSet {
        let enabled = self.protocol.tools.iter().filter(|(_, on)| **on);
        ToolSet::of(
            enabled
                .map(|(name, _)| name.as_str())
                .filter(|name| self.can_perform(name)),
        )
    }

    /// Checks whether this screen can perform a tool. For example, a canvas has no windows to list, and a VNC server
    /// reports none.
    pub(crate) fn can_perform(&self, tool: &str) -> bool {
        let kind = self.screen.kind;
        match tool {
            "windows" | "focus" => kind.has_windows(),
            "read_clipboard" | "write_clipboard" => kind.has_clipboard(),
            "open" => kind.is_private() && !self.screen.open.is_empty(),
            _ => true,
        }
    }

    /// Returns whether to ask for streamed replies.
    pub(crate) fn streaming(&self) -> Streaming {
        match (self.model.stream, self.model.stream_usage) {
            (StreamChoice::Off, _) => Streaming::Off,
            (StreamChoice::Auto | StreamChoice::On, true) => Streaming::WithUsage,
            (StreamChoice::Auto | StreamChoice::On, false) => Streaming::On,
        }
    }

    /// Returns whether to offer tools only in the prompt, whatever the family says.
    pub(crate) fn calls_in_text(&self) -> bool {
        self.model.calls == ToolOffer::Text
    }

    pub(crate) fn protocol_kind(&self) -> protocols::ProtocolKind {
        protocols::kind(&self.protocol.kind).expect("the kind of protocol is checked")
    }

    /// Returns the form in which the protocol writes calls.
    pub(crate) fn own_form(&self) -> OwnForm {
        self.protocol_kind().form
    }

    /// Returns the profile's protocol, which reads FRANZ's own forms of calls with these tools.
    pub(crate) fn protocol(&self, tools: ToolSet, geometry: Geometry) -> Box<dyn franz_dialect::Protocol> {
        let limits = &self.protocol.limits;
        let settings = protocol::ReadingSettings {
            tools,
            geometry,
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
            calls: self.protocol.calls,
        };
        (self.protocol_kind().new)(settings)
    }

    /// Returns whether to flush files to disk. Actions on a desktop cannot be replayed, so their record must survive a
    /// crash.
    pub(crate) fn is_durable(&self) -> bool {
        self.record.durable.unwrap_or(self.screen.kind.has_effects())
    }

    /// Returns the masks that hide parts of the screen from the model.
    pub(crate) fn masks(&self) -> Vec<franz_screen::Mask> {
        self.screen.mask.iter().map(MaskSetting::mask).collect()
    }

    /// Returns the kinds of marks that are switched on.
    pub(crate) fn mark_styles(&self) -> franz_frame::Marks {
        let MarksSettings {
            crosshair,
            classic,
            cursor,
            timestamp,
            elements,
        } = self.marks;
        franz_frame::Marks {
            crosshair,
            classic,
            cursor,
            timestamp,
            elements: elements && self.tells_elements(),
        }
    }

    /// Returns whether the model gets a list of elements, which programs and pages report on private screens.
    pub(crate) fn tells_elements(&self) -> bool {
        self.eyes.elements && self.screen.kind.is_private() && !self.is_on_sway()
    }

    /// Returns whether the screen is a private desktop on a Wayland compositor.
    pub(crate) fn is_on_sway(&self) -> bool {
        self.screen.kind == ScreenKind::Virtual && self.screen.compositor == Compositor::Sway
    }

    /// Returns the text of a run's `config.toml`.
    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        Ok(format!("{CONFIG_HEAD}{}", toml::to_string_pretty(self)?))
    }
}
