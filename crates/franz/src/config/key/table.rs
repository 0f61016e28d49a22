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
        .about("Model server: a URL, `auto` to look on this machine, or `demo`"),
    Key::fixed("model.fallback", Texts, Own(Servers)).about(
        "URLs of servers to turn to, in order, when the upstream is down; they are asked for the same model.name",
    ),
    Key::fixed("model.name", Text, Any)
        .optional()
        .about("Model, as its server lists it; left out: chosen"),
    Key::fixed("model.timeout_s", Number(0.1, DAY_S), Any).about("Seconds to wait for one reply"),
    Key::fixed("model.attempts", Count(1, 100), Any)
        .about("Answers of no use in one turn after which it counts as failed"),
    Key::fixed("model.wait_s", Number(0.0, DAY_S), Limit(Limits, MoreOrZero)).about(
        "Seconds that one turn waits for a model server which is down or busy, before the run ends; 0: for ever",
    ),
    Key::live("model.temperature", Number(0.0, 10.0), Any)
        .optional()
        .about("Sampling temperature; left out: the server's own"),
    Key::live("model.top_p", Number(0.0, 1.0), Any)
        .optional()
        .about("Nucleus sampling, a share; left out: the server's own"),
    Key::live("model.max_tokens", Count(1, 10_000_000), Limit(Limits, More))
        .optional()
        .about("Most tokens of one reply; left out: the server's own"),
    Key::fixed("model.max_total_tokens", Count(1, i64::MAX), Limit(Limits, More))
        .optional()
        .about("Most tokens of a whole run, requests included; left out: no end"),
    Key::live("image.width", Count(16, 8192), Any).about("Width of the picture that the model gets, in pixels"),
    Key::live("image.height", Count(16, 8192), Any).about("Height of the picture that the model gets, in pixels"),
    Key::live("loop.executing_delay_s", Number(0.0, DAY_S), Any)
        .about("Seconds between acting and capturing while executing"),
    Key::live("loop.monitoring_delay_s", Number(0.0, DAY_S), Any).about("Seconds before capturing while monitoring"),
    Key::live("loop.max_turns", Count(0, i64::MAX), Limit(Limits, MoreOrZero))
        .about("Turns after which one invocation ends; 0: no end"),
    Key::live("loop.stop_on_answer", Flag, Limit(Limits, Off))
        .about("Whether a final answer ends the run (protocol tools)"),
    Key::fixed("loop.modes", Flag, Limit(Limits, Off))
        .about("Whether the model moves between executing and monitoring (protocol sections)"),
    Key::fixed("protocol.kind", Choice(&protocols::NAMES), Any)
        .about("How replies say actions: one call a line, a block of Python, headed sections, function calling"),
    Key::fixed("protocol.strict", Flag, Limit(Limits, Off))
        .about("Whether a block of Python knows nothing but the tools, no builtins"),
    Key::fixed("protocol.limits.source_bytes", Count(1, 1 << 20), Limit(Limits, More))
        .about("Most bytes of a block of Python"),
    Key::fixed("protocol.limits.steps", Count(1, 1_000_000_000), Limit(Limits, More))
        .about("Most steps of the interpreter in one block"),
    Key::fixed("protocol.limits.seconds", Number(0.01, 60.0), Limit(Limits, More))
        .about("Most seconds that one block may run"),
    Key::fixed("protocol.limits.bytes", Count(1 << 16, 1 << 30), Limit(Limits, More))
        .about("Most bytes of memory of one block"),
    Key::fixed("protocol.limits.depth", Count(1, 200), Limit(Limits, More)).about("Most nested calls in one block"),
    Key::fixed("protocol.limits.actions", Count(1, 100_000), Limit(Limits, More)).about("Most actions of one block"),
    Key::fixed("memory.kind", Choice(&["story", "conversation"]), Any)
        .about("What goes back to the model: its last reply alone, or the messages so far (protocol tools)"),
    Key::fixed("memory.shape", Choice(&["seeds", "merged"]), Any)
        .about("Story memory: `seeds` sends three messages, `merged` two, for servers that refuse three"),
    Key::fixed("memory.empty_story", Text, Any)
        .optional()
        .about("Sent in place of an empty story, for servers that refuse an empty message"),
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
    .about("What is seen and acted upon: a sandbox to draw on, this desktop, or a private one that nobody sees"),
    Key::fixed("screen.width", Count(16, 16_384), Any).about("Width of the canvas or the virtual desktop, in pixels"),
    Key::fixed("screen.height", Count(16, 16_384), Any).about("Height of the canvas or the virtual desktop, in pixels"),
    Key::fixed("screen.monitor", Text, Own(Desktop))
        .optional()
        .about("Desktop: the monitor to use, by its number from 1 or its name; left out: all together"),
    Key::fixed("screen.region", Region, Limit(Desktop, Outside))
        .optional()
        .about("Desktop: the part to use, as [left, top, width, height] in pixels; left out: all of it"),
    Key::fixed("screen.start", Texts, Own(Programs)).about("Virtual desktop: commands that are started on it"),
    Key::fixed("screen.cursor", Flag, Any).about("Desktop: whether the mouse cursor is in the picture"),
    Key::fixed("screen.yield", Flag, Limit(Limits, Off))
        .about("Desktop: whether your own mouse or Esc twice pauses the agent, and a corner stops it"),
    Key::fixed("screen.countdown_s", Number(0.0, 60.0), Limit(Limits, Less))
        .about("Desktop: seconds before the agent begins"),
    Key::fixed("screen.pace", Choice(&["human", "fast"]), Any)
        .about("Desktop: `human` moves and types by the values below, `fast` as fast as programs take it"),
    Key::fixed("screen.move_steps", Count(1, 1000), Any).about("Steps of one movement of the mouse"),
    Key::fixed("screen.move_step_s", Number(0.0, 1.0), Any).about("Seconds between two such steps"),
    Key::fixed("screen.settle_s", Number(0.0, 10.0), Any).about("Seconds between arriving and clicking"),
    Key::fixed("screen.type_char_s", Number(0.0, 10.0), Any).about("Seconds behind a typed character"),
    Key::fixed("screen.type_word_s", Number(0.0, 10.0), Any).about("Seconds behind a typed word"),
    Key::live("marks.crosshair", Flag, Any)
        .about("Marks the last action with a crosshair and a ring, a drag with an arrow"),
    Key::live("marks.classic", Flag, Any).about("Marks every action of the turn with its number"),
    Key::live("marks.cursor", Flag, Any)
        .about("Marks the pointer's position, and the one before, with their coordinates"),
    Key::live("marks.timestamp", Flag, Any).about("Marks the time at the bottom of the picture"),
    Key::live("prompt.goal", Text, Any).about("What the model is to do; stands for {goal} in the system prompt"),
    Key::live("prompt.system", Text, Any)
        .about("System prompt; {goal} and {tools} stand for the goal and a line for each tool"),
    Key::live("prompt.monitoring_goal", Text, Any).about("Goal while monitoring, when the model gives none"),
    Key::live("prompt.scenarios", Scenarios, Any).about("Goals to choose from with --scenario N"),
    Key::fixed("record.dir", Text, Own(Directories)).about("Directory in which each run gets one of its own"),
    Key::fixed("record.batch", Count(1, 1_000_000), Any).about("Turns in one file of records"),
    Key::fixed("record.exchange_log", Flag, Any)
        .about("Whether requests and replies are also written as text, for reading"),
    Key::fixed("record.required", Flag, Limit(Limits, Off))
        .about("Whether a run ends when it can no longer be recorded"),
    Key::fixed("record.durable", Flag, Any)
        .optional()
        .about("Whether records are flushed to the disk itself, against power loss; left out: on a desktop"),
    Key::fixed("record.keep_pictures", Count(0, i64::MAX), Limit(Limits, More))
        .about("Bytes of pictures to keep; beyond, the oldest are removed"),
    Key::fixed("panel.relay", Text, Limit(Addresses, Beyond))
        .optional()
        .about("Where the relay listens, as HOST:PORT; left out: a free port (franz panel: 127.0.0.1:1234)"),
    Key::fixed("panel.dashboard", Text, Limit(Addresses, Beyond))
        .optional()
        .about(
            "Where the dashboard listens, as HOST:PORT; left out: 127.0.0.1:7878, or a free port when that is taken",
        ),
    Key::fixed("panel.allow_hosts", Texts, Limit(Addresses, Longer))
        .about("Names by which relay and dashboard may be called beside 127.0.0.1, localhost and [::1]"),
    Key::fixed("panel.restart_s", Number(0.0, 3600.0), Any).about("Seconds before an agent that died is started again"),
];
