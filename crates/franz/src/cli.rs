//! The command line.

// The documentation tests compile this file again from another directory; these paths work for both.
#[path = "cli/demo_model.rs"]
mod demo_model;
#[path = "cli/export.rs"]
pub(crate) mod export;
#[path = "cli/help.rs"]
pub(crate) mod help;
#[path = "cli/number.rs"]
mod number;
#[path = "cli/panel.rs"]
mod panel;
#[path = "cli/read.rs"]
mod read;
#[path = "cli/replay.rs"]
mod replay;
#[path = "cli/run.rs"]
pub(crate) mod run;
#[path = "cli/runs.rs"]
pub(crate) mod runs;
#[path = "cli/size.rs"]
mod size;
#[path = "cli/suite.rs"]
pub(crate) mod suite;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

pub(crate) use demo_model::DemoModelArgs;
pub(crate) use panel::PanelArgs;
pub(crate) use read::ReadArgs;
pub(crate) use replay::ReplayArgs;
use run::OUTPUT;
pub(crate) use run::{RunArgs, ServerArgs};
pub(crate) use size::Size;

/// Gives a vision-language model eyes, hands and a memory that it writes itself.
#[derive(Debug, Parser)]
#[command(name = "franz", version, about, help_template = help::first_screen())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Log each step of a run to stderr, and print errors with all their causes
    #[arg(short, long, global = true, help_heading = OUTPUT)]
    pub(crate) verbose: bool,
    /// Format of the log on stderr (`RUST_LOG` sets what is logged)
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text, help_heading = OUTPUT)]
    pub(crate) log_format: LogFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a model: look at the screen, ask, act, look again
    #[command(after_help = help::RUN)]
    Run {
        /// What the model should do, in your own words
        #[arg(value_name = "GOAL", conflicts_with = "scenario")]
        goal: Vec<String>,
        #[command(flatten)]
        options: RunArgs,
    },
    /// Run only the agent, as the panel does
    #[command(hide = true)]
    Agent {
        /// The run's directory
        run: PathBuf,
    },
    /// Find problems with this setup, and how to fix them
    #[command(after_help = help::DOCTOR)]
    Doctor(DoctorArgs),
    /// Release every key and button still held down on the desktop
    #[command(after_help = help::RELEASE)]
    Release {
        /// The display to release, such as `:1` or `wayland-1`, or a VNC server, `vnc://HOST[:PORT]` [default: this desktop]
        #[arg(long, value_name = "NAME")]
        display: Option<String>,
        /// Wait until stdin closes; do nothing if its last line was `released`
        #[arg(long, hide = true)]
        when_closed: bool,
    },
    /// Run a program, and end it with everything it started when stdin closes
    #[command(hide = true)]
    Guard {
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Become a program that ends with the process that started it
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Leash {
        /// The process that started it
        parent: u32,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Run a program, and end everything that it started with it
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Herd {
        /// The process that started it
        parent: u32,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Show all your runs on one page, or watch any other agent
    #[command(after_help = help::PANEL)]
    Panel(PanelArgs),
    /// Open the page of a live run
    #[command(after_help = help::OPEN)]
    Open {
        /// The run: its directory, its name, or `last` [default: the panel with all runs, or else the newest live run]
        run: Option<PathBuf>,
        /// Only print the link
        #[arg(long)]
        no_open: bool,
    },
    /// Offer a screen as tools to an MCP host
    #[command(after_help = help::MCP)]
    Mcp(McpArgs),
    /// Show a recorded run in the dashboard, or repeat it offline
    #[command(after_help = help::REPLAY)]
    Replay(ReplayArgs),
    /// Export a run to files for sharing or study
    #[command(after_help = help::EXPORT)]
    Export(export::ExportArgs),
    /// Continue a run from an earlier turn, as a new run
    #[command(after_help = help::FORK)]
    Fork(ForkArgs),
    /// Send a message to the model of a run
    #[command(after_help = help::SAY)]
    Say {
        /// The run (its directory, its name, or `last`; otherwise the newest live run), then your message in quotes
        #[arg(value_name = "[RUN] MESSAGE", num_args = 1..=2, required = true)]
        words: Vec<String>,
        /// Also add the message to the goal
        #[arg(long)]
        keep: bool,
    },
    /// List, show and delete recorded runs in the terminal
    #[command(after_help = help::RUNS)]
    Runs(runs::RunsArgs),
    /// Show how FRANZ reads a model's reply
    #[command(hide = true, after_help = help::READ)]
    Read(ReadArgs),
    /// Find out what a model's coordinates mean
    #[command(after_help = help::CALIBRATE)]
    Calibrate(CalibrateArgs),
    /// Serve the built-in model over the chat-completions API
    #[command(after_help = help::DEMO_MODEL)]
    DemoModel(DemoModelArgs),
    /// List model families, and which fits each model on a server
    #[command(after_help = help::MODELS)]
    Models(ModelsArgs),
    /// Show the settings in effect here, and where each comes from
    #[command(after_help = help::CONFIG)]
    Config(ConfigArgs),
    /// Find every mistake in a profile of your own
    #[command(after_help = help::CHECK)]
    Check {
        /// The profile: a TOML file, or a built-in one
        #[arg(value_name = "FILE")]
        profile: String,
    },
    /// List the built-in profiles, or print one to start your own
    #[command(after_help = help::PROFILES)]
    Profiles {
        /// The profile to print as TOML
        name: Option<String>,
        /// Print the JSON Schema of configuration files, for editors
        #[arg(long, conflicts_with = "name")]
        schema: bool,
    },
    /// List a profile's ready-made goals for `run --scenario N`
    #[command(hide = true, after_help = help::SCENARIOS)]
    Scenarios {
        /// A built-in profile, or a TOML file
        #[arg(long, value_name = "NAME or FILE")]
        profile: Option<String>,
    },
    /// Measure which tasks each model solves, and how surely
    #[command(after_help = help::SUITE)]
    Suite(suite::SuiteArgs),
    /// Run a task's script on a private desktop
    #[command(hide = true)]
    Rehearse(suite::RehearseArgs),
    /// Show what a settings file or a suite asks for, and allow it
    #[command(after_help = help::TRUST)]
    Trust(TrustArgs),
    /// Print a completion script for a shell
    #[command(hide = true, after_help = help::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or of one command
    #[command(hide = true)]
    Man {
        /// The command
        command: Option<String>,
    },
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ForkArgs {
    /// The run: its directory, its name, or `last`
    #[arg(default_value = "last")]
    pub(crate) from: PathBuf,
    /// The turn whose request the new run sends first, with the same memory, goal and feedback
    #[arg(long, value_name = "TURN", allow_negative_numbers = true, value_parser = number::from_one)]
    pub(crate) at: u64,
    /// Start no run: send the recorded request N times, perform nothing, and compare the replies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) dry: Option<u32>,
    #[command(flatten)]
    pub(crate) options: RunArgs,
}

#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct McpArgs {
    /// What the host sees and acts on: `virtual` (a private desktop), `browser[:URL]` (a private browser), `canvas` (a sandbox), `vnc://HOST[:PORT]` (a VNC server's screen) or `desktop` (this one) [default: virtual]
    #[arg(long, value_name = "KIND")]
    screen: Option<String>,
    /// Offer only tools that look and never click, type or open anything
    #[arg(long)]
    #[serde(skip)]
    pub(crate) read_only: bool,
    /// Hold actions back: `ask` (clicks, keys and other changes wait for you in the dashboard), `watch` (no action is performed) or `free`
    #[arg(long, value_name = "MODE")]
    gate: Option<String>,
    /// Act on a desktop that cannot tell your mouse from the host's; stay in front of it
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    i_watch: bool,
    /// Let a VNC screen's pictures, keys and password go to another machine unencrypted, on a network that you trust
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unencrypted: bool,
    /// Set any configuration key (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Record the run in this directory, created if missing [default: below FRANZ's state folder]
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub(crate) run_dir: Option<PathBuf>,
    /// The dashboard's address [default: 127.0.0.1:7878, or a free port if that is taken]
    #[arg(long, value_name = "HOST:PORT")]
    dashboard: Option<String>,
    /// Open the dashboard in a browser
    #[arg(long)]
    #[serde(skip)]
    pub(crate) open: bool,
}

#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct DoctorArgs {
    /// The profile to check: draw, sketch, companion, operator, or a TOML file
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) profile: Option<String>,
    /// The screen to check: `canvas`, `virtual`, `browser`, `vnc://HOST[:PORT]` or `desktop` [default: the profile's]
    #[arg(long, value_name = "KIND")]
    screen: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) server: ServerArgs,
    /// Set any configuration key (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object per line: subject, state (fine, remark or problem, with the exit code) and text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ConfigArgs {
    /// Show only these keys, or every key in a table such as `model` [default: all]
    #[serde(skip)]
    pub(crate) key: Vec<String>,
    /// Use this profile: draw, sketch, companion, operator, or a TOML file
    #[arg(long, value_name = "NAME or FILE")]
    profile: Option<String>,
    /// The settings of this run: its directory, its name, or `last`
    #[arg(long, value_name = "RUN", conflicts_with_all = ["profile", "set"])]
    #[serde(skip)]
    pub(crate) run: Option<PathBuf>,
    /// Set any configuration key (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object per line: key, value and origin
    #[arg(long)]
    #[serde(skip)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ModelsArgs {
    /// The family to print as TOML, to start your own
    #[serde(skip)]
    pub(crate) name: Option<String>,
    /// Forget what FRANZ learned about models: calibrations, and the settings a server needs; with --upstream or --model,
    /// only about that server or model
    #[arg(long, conflicts_with = "name")]
    #[serde(skip)]
    pub(crate) forget: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CalibrateArgs {
    /// Send pictures as this profile does: draw, sketch, companion, operator, or a TOML file [default: operator]
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) profile: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) server: ServerArgs,
    /// Size of the pictures to send [default: the profile's]
    #[arg(long, value_name = "WxH")]
    #[serde(skip)]
    pub(crate) picture: Option<Size>,
    /// Compare with the stored calibration, and exit with 1 if it no longer holds
    #[arg(long)]
    #[serde(skip)]
    pub(crate) check: bool,
    /// Seed for the number the model must read [default: random]
    #[arg(long, value_name = "N")]
    #[serde(skip)]
    pub(crate) seed: Option<u64>,
    /// Set any configuration key (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct TrustArgs {
    /// A profile, a `franz.toml`, a suite or its results, or a directory that contains one [default: ./franz.toml]
    pub(crate) path: Option<PathBuf>,
    /// List the allowed files, suites and plans
    #[arg(long, conflicts_with = "path")]
    pub(crate) list: bool,
    /// Revoke the permissions of a file, a suite or a plan, or of a digest that the list shows
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "list"])]
    pub(crate) revoke: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_program_is_called_franz_whatever_its_package_is_called() {
        let version = Cli::command().render_version();
        assert_eq!(version.trim(), concat!("franz ", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn run_is_the_default_command() {
        let cli = Cli::parse_from(["franz", "--max-turns", "3"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.run.max_turns, Some(3));
        assert_eq!(Cli::parse_from(["franz", "--scenario", "2"]).run.scenario, Some(2));
        assert!(Cli::try_parse_from(["franz", "rnu"]).is_err(), "a slip is no goal");
        let cli = Cli::parse_from(["franz", "run", "Draw a house", "--resume"]);
        let Some(Command::Run { goal, options }) = cli.command else {
            panic!("expected run")
        };
        assert_eq!(goal, ["Draw a house"]);
        assert_eq!(options.resume, Some(PathBuf::from("last")));
    }
}
