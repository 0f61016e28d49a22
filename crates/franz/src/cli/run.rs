//! The arguments of `franz run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::number;
use super::suite::LiveCheckArgs;

/// Help headings that group options by topic.
const GOAL: &str = "Goal and profile";
const MODEL: &str = "Model server";
const RECORD: &str = "Length and record";
const WATCH: &str = "Dashboard and relay";
pub(super) const OUTPUT: &str = "Output";

// Shorthand flags are listed with their keys in `config/settings.rs`.
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RunArgs {
    /// A built-in profile (draw, sketch, companion, operator), or a TOML file
    #[arg(long, value_name = "NAME or FILE", help_heading = GOAL)]
    pub(crate) profile: Option<String>,
    /// Take the goal from this scenario of the profile; `franz scenarios` lists them
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::whole::<usize>, help_heading = GOAL)]
    pub(crate) scenario: Option<usize>,
    /// What the model sees and acts on: `canvas` (a sandbox), `virtual` (a private desktop), `browser[:URL]` (a private browser), `vnc://HOST[:PORT]` (a VNC server's screen) or `desktop` (this one)
    #[arg(long, value_name = "KIND", help_heading = GOAL)]
    pub(crate) screen: Option<String>,
    /// Hold actions back: `ask` (clicks, keys and other changes wait for you), `watch` (no action is performed) or `free`
    #[arg(long, value_name = "MODE", help_heading = GOAL)]
    pub(crate) gate: Option<String>,
    /// Act on a desktop that cannot tell your mouse from the agent's; stay in front of it, and stop the agent with Ctrl+C
    #[arg(long, help_heading = GOAL)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) i_watch: bool,
    /// Let a VNC screen's pictures, keys and password go to another machine unencrypted, on a network that you trust
    #[arg(long, help_heading = GOAL)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unencrypted: bool,
    /// Set any configuration key, for example `loop.executing_delay_s=0` (repeatable)
    #[arg(long, value_name = "KEY=VALUE", help_heading = GOAL)]
    pub(crate) set: Vec<String>,
    /// Ignore settings files, which a suite could plant; only for screens that FRANZ creates
    #[arg(long, hide = true, conflicts_with = "resume")]
    #[serde(skip)]
    pub(crate) no_settings_files: bool,
    #[command(flatten)]
    #[serde(skip)]
    pub(crate) live: LiveCheckArgs,
    #[command(flatten, next_help_heading = MODEL)]
    #[serde(flatten)]
    pub(crate) server: ServerArgs,
    /// Wait up to `model.wait_s` seconds for a model server that is not up yet
    #[arg(long, help_heading = MODEL)]
    pub(crate) wait: bool,
    /// Stop after this many more turns
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::limit, help_heading = RECORD)]
    pub(crate) max_turns: Option<u64>,
    /// Record the run in this directory, created if missing
    #[arg(long, value_name = "DIR", help_heading = RECORD)]
    #[serde(skip)]
    pub(crate) run_dir: Option<PathBuf>,
    /// Continue a run: its directory, or `last`
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last", conflicts_with_all = ["run_dir", "profile"], help_heading = RECORD)]
    #[serde(skip)]
    pub(crate) resume: Option<PathBuf>,
    /// The dashboard's address [default: 127.0.0.1:7878, or a free port if that is taken]
    #[arg(long, value_name = "HOST:PORT", help_heading = WATCH)]
    pub(crate) dashboard: Option<String>,
    /// The address of the relay between agent and model server [default: a free port]
    #[arg(long, value_name = "HOST:PORT", help_heading = WATCH)]
    pub(crate) relay: Option<String>,
    /// The panel whose page also shows the run: `own` for its own page only, or the link of a `franz panel` [default: the standing panel, if one is running]
    #[arg(long, value_name = "LINK", conflicts_with = "no_panel", help_heading = WATCH)]
    #[serde(skip)]
    pub(crate) panel: Option<String>,
    /// Start paused; step or resume from the dashboard
    #[arg(long, conflicts_with = "no_panel", help_heading = WATCH)]
    pub(crate) step: bool,
    /// Do not open the dashboard in a browser
    #[arg(long, help_heading = WATCH)]
    pub(crate) no_open: bool,
    /// Keep the dashboard open after the run, until Ctrl+C [default in a terminal, unless a standing panel shows the run]
    #[arg(long, overrides_with = "exit", conflicts_with = "no_panel", help_heading = WATCH)]
    #[serde(skip)]
    pub(crate) stay: bool,
    /// Exit when the run ends
    #[arg(long, overrides_with = "stay", help_heading = WATCH)]
    #[serde(skip)]
    pub(crate) exit: bool,
    /// Run only the agent, which talks directly to the model server: no relay, no dashboard
    #[arg(long, conflicts_with_all = ["dashboard", "relay"], help_heading = WATCH)]
    pub(crate) no_panel: bool,
    /// Print events on stdout, one JSON object per line
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
    /// Show the run as one updating block (the default in a terminal), one line per turn, or each turn's story, goal, actions and reply
    #[arg(long, value_name = "WHAT", value_enum, conflicts_with_all = ["json", "quiet"], help_heading = OUTPUT)]
    #[serde(skip)]
    pub(crate) show: Option<Show>,
    /// Print only the answer; notices and questions go to stderr
    #[arg(short, long, conflicts_with = "json", help_heading = OUTPUT)]
    #[serde(skip)]
    pub(crate) quiet: bool,
}

/// How a run is shown in the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// One block that follows the run
    State,
    /// One line per turn
    Turns,
    /// Each turn's story, goal, actions and reply
    Reply,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ServerArgs {
    /// The model server: a URL, `auto` to find one on this machine, or `demo` for the built-in model
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// The model, as its server lists it
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The model's family: a name from `franz models`, or a TOML file [default: by the model's name]
    #[arg(long, value_name = "NAME or FILE")]
    family: Option<String>,
    /// Send the API key to this server too, given as `https://host` or `http://host:port` (repeatable)
    #[arg(long, value_name = "SERVER")]
    pub(crate) key_for: Vec<String>,
}
