//! The table of keys, in the order of a run's `config.toml`.

use super::ConfigKey;
use crate::config::kind::ValueKind::{Choice, Count, Flag, Number, Region, Scenarios, Text, Texts};
use crate::config::trust::Permission::{Addresses, Desktop, Directories, Limits, Programs, Servers};
use crate::config::trust::Trust::{Any, Limit, Own};
use crate::config::trust::Wider::{Beyond, Less, Longer, More, MoreOrZero, Off, Outside, Word};
use franz_dialect::protocols;

/// A day: longer delays and timeouts are typing errors.
const DAY_S: f64 = 86_400.0;

/// All keys except `protocol.tools.*`, which are named after the tools.
pub(super) const KEYS: &[ConfigKey] = &[
    ConfigKey::fixed("model.upstream", Text, Own(Servers))
        .about("Model server: a URL, `auto` to find one on this machine, or `demo`"),
    ConfigKey::fixed("model.fallback", Texts, Own(Servers))
        .about("URLs of servers to ask, in order, when the upstream is down; they are asked for the same model.name"),
    ConfigKey::fixed("model.name", Text, Any)
        .optional()
        .about("Model, as its server lists it; default: chosen from the list"),
    ConfigKey::fixed("model.timeout_s", Number(0.1, DAY_S), Any).about("Seconds to wait for one reply"),
    ConfigKey::fixed("model.attempts", Count(1, 100), Any)
        .about("Useless answers in one turn before the turn counts as failed"),
    ConfigKey::fixed("model.wait_s", Number(0.0, DAY_S), Limit(Limits, MoreOrZero))
        .about("Seconds one turn waits for a model server that is down or busy before the run ends; 0: for ever"),
    ConfigKey::live("model.temperature", Number(0.0, 10.0), Any)
        .optional()
        .about("Sampling temperature; default: the server's"),
    ConfigKey::live("model.top_p", Number(0.0, 1.0), Any)
        .optional()
        .about("Nucleus sampling, as a share; default: the server's"),
    ConfigKey::live("model.max_tokens", Count(1, 10_000_000), Limit(Limits, More))
        .optional()
        .about("Most tokens in one reply; default: the server's"),
    ConfigKey::fixed("model.max_total_tokens", Count(1, i64::MAX), Limit(Limits, More))
        .optional()
        .about("Most tokens in a whole run, requests included; default: no limit"),
    ConfigKey::live("image.width", Count(16, 8192), Any).about("Width of the picture the model gets, in pixels"),
    ConfigKey::live("image.height", Count(16, 8192), Any).about("Height of the picture the model gets, in pixels"),
    ConfigKey::live("loop.executing_delay_s", Number(0.0, DAY_S), Any)
        .about("Seconds between acting and capturing while executing"),
    ConfigKey::live("loop.monitoring_delay_s", Number(0.0, DAY_S), Any)
        .about("Seconds before capturing while monitoring"),
    ConfigKey::live("loop.max_turns", Count(0, i64::MAX), Limit(Limits, MoreOrZero))
        .about("Turns after which one invocation stops; 0: no limit"),
    ConfigKey::live("loop.stop_on_answer", Flag, Limit(Limits, Off))
        .about("Whether a final answer ends the run (protocol tools)"),
    ConfigKey::fixed("loop.modes", Flag, Limit(Limits, Off))
        .about("Whether the model switches between executing and monitoring (protocol sections)"),
    ConfigKey::fixed("protocol.kind", Choice(&protocols::NAMES), Any)
        .about("How replies write actions: one call per line, a block of Python, headed sections, function calls"),
    ConfigKey::fixed("protocol.strict", Flag, Limit(Limits, Off))
        .about("Whether a block of Python has only the tools, no builtins"),
    ConfigKey::fixed("protocol.limits.source_bytes", Count(1, 1 << 20), Limit(Limits, More))
        .about("Most bytes in a block of Python"),
    ConfigKey::fixed("protocol.limits.steps", Count(1, 1_000_000_000), Limit(Limits, More))
        .about("Most steps of the interpreter in one block"),
    ConfigKey::fixed("protocol.limits.seconds", Number(0.01, 60.0), Limit(Limits, More))
        .about("Most seconds one block may run"),
    ConfigKey::fixed("protocol.limits.bytes", Count(1 << 16, 1 << 30), Limit(Limits, More))
        .about("Most bytes of memory one block may use"),
    ConfigKey::fixed("protocol.limits.depth", Count(1, 200), Limit(Limits, More))
        .about("Most nested calls in one block"),
    ConfigKey::fixed("protocol.limits.actions", Count(1, 100_000), Limit(Limits, More))
        .about("Most actions in one block"),
    ConfigKey::fixed("memory.kind", Choice(&["story", "conversation"]), Any)
        .about("What goes back to the model: its last reply alone, or the messages so far (protocol tools)"),
    ConfigKey::fixed("memory.shape", Choice(&["seeds", "merged"]), Any)
        .about("Story memory: `seeds` sends three messages, `merged` two, for servers that refuse three"),
    ConfigKey::fixed("memory.empty_story", Text, Any)
        .optional()
        .about("Sent instead of an empty story, for servers that refuse an empty message"),
    ConfigKey::fixed("memory.keep_screenshots", Count(1, 100), Any)
        .about("Conversation memory: newest pictures that stay in a request"),
    ConfigKey::fixed("memory.keep_thinks", Count(0, 10_000), Any)
        .about("Conversation memory: newest think blocks that stay in a request"),
    ConfigKey::fixed("memory.keep_turns", Count(1, 10_000), Any)
        .about("Conversation memory: newest turns that stay in a request"),
    ConfigKey::fixed(
        "screen.kind",
        Choice(&["canvas", "desktop", "virtual"]),
        Limit(Desktop, Word("desktop")),
    )
    .about("What the model sees and acts on: a sandbox to draw on, this desktop, or a private one that nobody sees"),
    ConfigKey::fixed("screen.width", Count(16, 16_384), Any)
        .about("Width of the canvas or the virtual desktop, in pixels"),
    ConfigKey::fixed("screen.height", Count(16, 16_384), Any)
        .about("Height of the canvas or the virtual desktop, in pixels"),
    ConfigKey::fixed("screen.monitor", Text, Own(Desktop))
        .optional()
        .about("Desktop: the monitor to use, by number from 1 or by name; default: all together"),
    ConfigKey::fixed("screen.region", Region, Limit(Desktop, Outside))
        .optional()
        .about("Desktop: the part to use, as [left, top, width, height] in pixels; default: all of it"),
    ConfigKey::fixed("screen.start", Texts, Own(Programs)).about("Virtual desktop: commands to start on it"),
    ConfigKey::fixed("screen.cursor", Flag, Any).about("Desktop: whether the mouse cursor is in the picture"),
    ConfigKey::fixed("screen.yield", Flag, Limit(Limits, Off))
        .about("Desktop: whether your own mouse or Esc twice pauses the agent, and a corner stops it"),
    ConfigKey::fixed("screen.countdown_s", Number(0.0, 60.0), Limit(Limits, Less))
        .about("Desktop: seconds before the agent starts"),
    ConfigKey::fixed("screen.pace", Choice(&["human", "fast"]), Any)
        .about("Desktop: `human` moves and types at the pace set below, `fast` as fast as programs take it"),
    ConfigKey::fixed("screen.move_steps", Count(1, 1000), Any).about("Steps in one mouse movement"),
    ConfigKey::fixed("screen.move_step_s", Number(0.0, 1.0), Any).about("Seconds between two of these steps"),
    ConfigKey::fixed("screen.settle_s", Number(0.0, 10.0), Any).about("Seconds between arriving and clicking"),
    ConfigKey::fixed("screen.type_char_s", Number(0.0, 10.0), Any).about("Seconds after a typed character"),
    ConfigKey::fixed("screen.type_word_s", Number(0.0, 10.0), Any).about("Seconds after a typed word"),
    ConfigKey::live("marks.crosshair", Flag, Any)
        .about("Mark the last action with a crosshair and a ring, a drag with an arrow"),
    ConfigKey::live("marks.classic", Flag, Any).about("Mark every action of the turn with its number"),
    ConfigKey::live("marks.cursor", Flag, Any)
        .about("Mark the current and previous pointer position, with coordinates"),
    ConfigKey::live("marks.timestamp", Flag, Any).about("Write the time at the bottom of the picture"),
    ConfigKey::live("prompt.goal", Text, Any).about("What the model should do; replaces {goal} in the system prompt"),
    ConfigKey::live("prompt.system", Text, Any)
        .about("System prompt; {goal} and {tools} stand for the goal and one line per tool"),
    ConfigKey::live("prompt.monitoring_goal", Text, Any).about("Goal while monitoring, if the model sets none"),
    ConfigKey::live("prompt.scenarios", Scenarios, Any).about("Goals to choose from with --scenario N"),
    ConfigKey::fixed("record.dir", Text, Own(Directories)).about("Directory that holds the runs' directories"),
    ConfigKey::fixed("record.batch", Count(1, 1_000_000), Any).about("Turns per file of records"),
    ConfigKey::fixed("record.exchange_log", Flag, Any)
        .about("Whether requests and replies are also written as text, for reading"),
    ConfigKey::fixed("record.required", Flag, Limit(Limits, Off))
        .about("Whether a run ends when it can no longer be recorded"),
    ConfigKey::fixed("record.durable", Flag, Any)
        .optional()
        .about("Whether records are flushed to disk, against power loss; default: on a desktop"),
    ConfigKey::fixed("record.keep_pictures", Count(0, i64::MAX), Limit(Limits, More))
        .about("Bytes of pictures to keep; above that, the oldest are removed"),
    ConfigKey::fixed("panel.relay", Text, Limit(Addresses, Beyond))
        .optional()
        .about("Where the relay listens, as HOST:PORT; default: a free port (franz panel: 127.0.0.1:1234)"),
    ConfigKey::fixed("panel.dashboard", Text, Limit(Addresses, Beyond))
        .optional()
        .about("Where the dashboard listens, as HOST:PORT; default: 127.0.0.1:7878, or a free port if that is taken"),
    ConfigKey::fixed("panel.allow_hosts", Texts, Limit(Addresses, Longer))
        .about("Names the relay and dashboard answer to, besides 127.0.0.1, localhost and [::1]"),
    ConfigKey::fixed("panel.restart_s", Number(0.0, 3600.0), Any).about("Seconds before a dead agent is started again"),
];
