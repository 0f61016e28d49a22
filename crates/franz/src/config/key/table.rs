//! The table of keys, in the order in which a run's `config.toml` has them.

use super::Key;
use crate::config::kind::Kind::{Choice, Count, Flag, Number, Region, Scenarios, Text, Texts};
use crate::config::trust::Grant::{Addresses, Desktop, Directories, Limits, Programs, Servers};
use crate::config::trust::Trust::{Any, Limit, Own};
use crate::config::trust::Wider::{Beyond, Less, Longer, More, MoreOrZero, Off, Outside, Word};
use franz_action::protocols;

/// A day: longer delays and timeouts are typing errors.
const DAY_S: f64 = 86_400.0;

/// All keys but `protocol.tools.*`, which are named after the tools.
pub(super) const KEYS: &[Key] = &[
    Key::fixed("model.upstream", Text, Own(Servers))
        .about("Model server: a URL, `auto` to find one on this machine, or `demo`"),
    Key::fixed("model.fallback", Texts, Own(Servers))
        .about("URLs of servers to ask, in order, when the upstream is down; they are asked for the same model.name"),
    Key::fixed("model.name", Text, Any)
        .optional()
        .about("Model, as its server lists it; default: chosen from the list"),
    Key::fixed("model.timeout_s", Number(0.1, DAY_S), Any).about("Seconds to wait for one reply"),
    Key::fixed("model.attempts", Count(1, 100), Any)
        .about("Useless answers in one turn before the turn counts as failed"),
    Key::fixed("model.wait_s", Number(0.0, DAY_S), Limit(Limits, MoreOrZero))
        .about("Seconds one turn waits for a model server that is down or busy before the run ends; 0: for ever"),
    Key::live("model.temperature", Number(0.0, 10.0), Any)
        .optional()
        .about("Sampling temperature; default: the server's"),
    Key::live("model.top_p", Number(0.0, 1.0), Any)
        .optional()
        .about("Nucleus sampling, as a share; default: the server's"),
    Key::live("model.max_tokens", Count(1, 10_000_000), Limit(Limits, More))
        .optional()
        .about("Most tokens in one reply; default: the server's"),
    Key::fixed("model.max_total_tokens", Count(1, i64::MAX), Limit(Limits, More))
        .optional()
        .about("Most tokens in a whole run, requests included; default: no limit"),
    Key::live("image.width", Count(16, 8192), Any).about("Width of the picture the model gets, in pixels"),
    Key::live("image.height", Count(16, 8192), Any).about("Height of the picture the model gets, in pixels"),
    Key::live("loop.executing_delay_s", Number(0.0, DAY_S), Any)
        .about("Seconds between acting and capturing while executing"),
    Key::live("loop.monitoring_delay_s", Number(0.0, DAY_S), Any).about("Seconds before capturing while monitoring"),
    Key::live("loop.max_turns", Count(0, i64::MAX), Limit(Limits, MoreOrZero))
        .about("Turns after which one invocation stops; 0: no limit"),
    Key::live("loop.stop_on_answer", Flag, Limit(Limits, Off))
        .about("Whether a final answer ends the run (protocol tools)"),
    Key::fixed("loop.modes", Flag, Limit(Limits, Off))
        .about("Whether the model switches between executing and monitoring (protocol sections)"),
    Key::fixed("protocol.kind", Choice(&protocols::NAMES), Any)
        .about("How replies write actions: one call per line, a block of Python, headed sections, function calls"),
    Key::fixed("protocol.strict", Flag, Limit(Limits, Off))
        .about("Whether a block of Python has only the tools, no builtins"),
    Key::fixed("protocol.limits.source_bytes", Count(1, 1 << 20), Limit(Limits, More))
        .about("Most bytes in a block of Python"),
    Key::fixed("protocol.limits.steps", Count(1, 1_000_000_000), Limit(Limits, More))
        .about("Most steps of the interpreter in one block"),
    Key::fixed("protocol.limits.seconds", Number(0.01, 60.0), Limit(Limits, More))
        .about("Most seconds one block may run"),
    Key::fixed("protocol.limits.bytes", Count(1 << 16, 1 << 30), Limit(Limits, More))
        .about("Most bytes of memory one block may use"),
    Key::fixed("protocol.limits.depth", Count(1, 200), Limit(Limits, More)).about("Most nested calls in one block"),
    Key::fixed("protocol.limits.actions", Count(1, 100_000), Limit(Limits, More)).about("Most actions in one block"),
    Key::fixed("memory.kind", Choice(&["story", "conversation"]), Any)
        .about("What goes back to the model: its last reply alone, or the messages so far (protocol tools)"),
    Key::fixed("memory.shape", Choice(&["seeds", "merged"]), Any)
        .about("Story memory: `seeds` sends three messages, `merged` two, for servers that refuse three"),
    Key::fixed("memory.empty_story", Text, Any)
        .optional()
        .about("Sent instead of an empty story, for servers that refuse an empty message"),
    Key::fixed("memory.keep_screenshots", Count(1, 100), Any)
        .about("Conversation memory: newest pictures that stay in a request"),
    Key::fixed("memory.keep_thinks", Count(0, 10_000), Any)
        .about("Conversation memory: newest think blocks that stay in a request"),
    Key::fixed("memory.keep_turns", Count(1, 10_000), Any)
        .about("Conversation memory: newest turns that stay in a request"),
    Key::fixed(
        "screen.kind",
        Choice(&["canvas", "desktop", "virtual"]),
        Limit(Desktop, Word("desktop")),
    )
    .about("What the model sees and acts on: a sandbox to draw on, this desktop, or a private one that nobody sees"),
    Key::fixed("screen.width", Count(16, 16_384), Any).about("Width of the canvas or the virtual desktop, in pixels"),
    Key::fixed("screen.height", Count(16, 16_384), Any).about("Height of the canvas or the virtual desktop, in pixels"),
    Key::fixed("screen.monitor", Text, Own(Desktop))
        .optional()
        .about("Desktop: the monitor to use, by number from 1 or by name; default: all together"),
    Key::fixed("screen.region", Region, Limit(Desktop, Outside))
        .optional()
        .about("Desktop: the part to use, as [left, top, width, height] in pixels; default: all of it"),
    Key::fixed("screen.start", Texts, Own(Programs)).about("Virtual desktop: commands to start on it"),
    Key::fixed("screen.cursor", Flag, Any).about("Desktop: whether the mouse cursor is in the picture"),
    Key::fixed("screen.yield", Flag, Limit(Limits, Off))
        .about("Desktop: whether your own mouse or Esc twice pauses the agent, and a corner stops it"),
    Key::fixed("screen.countdown_s", Number(0.0, 60.0), Limit(Limits, Less))
        .about("Desktop: seconds before the agent starts"),
    Key::fixed("screen.pace", Choice(&["human", "fast"]), Any)
        .about("Desktop: `human` moves and types at the pace set below, `fast` as fast as programs take it"),
    Key::fixed("screen.move_steps", Count(1, 1000), Any).about("Steps in one mouse movement"),
    Key::fixed("screen.move_step_s", Number(0.0, 1.0), Any).about("Seconds between two of these steps"),
    Key::fixed("screen.settle_s", Number(0.0, 10.0), Any).about("Seconds between arriving and clicking"),
    Key::fixed("screen.type_char_s", Number(0.0, 10.0), Any).about("Seconds after a typed character"),
    Key::fixed("screen.type_word_s", Number(0.0, 10.0), Any).about("Seconds after a typed word"),
    Key::live("marks.crosshair", Flag, Any)
        .about("Mark the last action with a crosshair and a ring, a drag with an arrow"),
    Key::live("marks.classic", Flag, Any).about("Mark every action of the turn with its number"),
    Key::live("marks.cursor", Flag, Any).about("Mark the current and previous pointer position, with coordinates"),
    Key::live("marks.timestamp", Flag, Any).about("Write the time at the bottom of the picture"),
    Key::live("prompt.goal", Text, Any).about("What the model should do; replaces {goal} in the system prompt"),
    Key::live("prompt.system", Text, Any)
        .about("System prompt; {goal} and {tools} stand for the goal and one line per tool"),
    Key::live("prompt.monitoring_goal", Text, Any).about("Goal while monitoring, if the model sets none"),
    Key::live("prompt.scenarios", Scenarios, Any).about("Goals to choose from with --scenario N"),
    Key::fixed("record.dir", Text, Own(Directories)).about("Directory that holds the runs' directories"),
    Key::fixed("record.batch", Count(1, 1_000_000), Any).about("Turns per file of records"),
    Key::fixed("record.exchange_log", Flag, Any)
        .about("Whether requests and replies are also written as text, for reading"),
    Key::fixed("record.required", Flag, Limit(Limits, Off))
        .about("Whether a run ends when it can no longer be recorded"),
    Key::fixed("record.durable", Flag, Any)
        .optional()
        .about("Whether records are flushed to disk, against power loss; default: on a desktop"),
    Key::fixed("record.keep_pictures", Count(0, i64::MAX), Limit(Limits, More))
        .about("Bytes of pictures to keep; above that, the oldest are removed"),
    Key::fixed("panel.relay", Text, Limit(Addresses, Beyond))
        .optional()
        .about("Where the relay listens, as HOST:PORT; default: a free port (franz panel: 127.0.0.1:1234)"),
    Key::fixed("panel.dashboard", Text, Limit(Addresses, Beyond))
        .optional()
        .about("Where the dashboard listens, as HOST:PORT; default: 127.0.0.1:7878, or a free port if that is taken"),
    Key::fixed("panel.allow_hosts", Texts, Limit(Addresses, Longer))
        .about("Names the relay and dashboard answer to, besides 127.0.0.1, localhost and [::1]"),
    Key::fixed("panel.restart_s", Number(0.0, 3600.0), Any).about("Seconds before a dead agent is started again"),
];
