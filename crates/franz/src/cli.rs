//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Gives a vision-language model eyes, hands and a memory that it writes itself.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Prints the whole chain of causes of an error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// How logs are written to stderr (`RUST_LOG` sets what is logged)
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

const EXAMPLES: &str = "\
Examples:
  franz                                    find a model server on this machine (or use the built-in model) and draw
  franz run --max-turns 40                 the same, for 40 turns
  franz run --upstream http://127.0.0.1:1234 --model qwen3-vl-4b \"Draw a house with a garden\"
  franz run --profile sketch --scenario 2  do a scenario of a profile; franz scenarios --profile sketch lists them
  franz run --resume last                  go on with the newest run
  franz replay last                        look at the newest run again, turn by turn
  franz panel -- python agent.py           watch an agent of your own, which asks a model server at 127.0.0.1:1234
  franz profiles draw > mine.toml          start a profile of your own, then: franz run --profile mine.toml";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a model: capture the screen, ask, do what it says, look again
    Run {
        /// What the model is to do, in words
        #[arg(value_name = "GOAL", conflicts_with = "scenario")]
        goal: Vec<String>,
        #[command(flatten)]
        options: RunOptions,
    },
    /// The agent alone, as the panel starts it
    #[command(hide = true)]
    Agent {
        /// The run's directory
        run: PathBuf,
    },
    /// Looks whether a run would work here, and says of each thing that would not what to do
    Doctor(DoctorArgs),
    /// Frees every key and button that is held down on the desktop, as after a program that was killed while it pressed them
    Release {
        /// The desktop, such as `:1`; left out: this one
        #[arg(long, value_name = "NAME")]
        display: Option<String>,
        /// Only once stdin is closed without the word that everything is released
        #[arg(long, hide = true)]
        when_closed: bool,
    },
    /// Runs a program, and ends it with all that it has started when stdin is closed
    #[command(hide = true)]
    Guard {
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Becomes a program that ends when the process that has started it is gone
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Leash {
        /// The process that has started it
        parent: u32,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Relay and dashboard alone, for any agent that speaks to a model server
    Panel(PanelArgs),
    /// Shows a recorded run in the dashboard, offline
    Replay(ReplayArgs),
    /// Serves the built-in model, which looks at the picture and draws a cat, over the chat-completions API
    DemoModel(DemoModelArgs),
    /// Lists the built-in profiles, or prints one as TOML to start your own from
    Profiles {
        /// The profile to print
        name: Option<String>,
        /// Prints a JSON Schema of configuration files, for editors
        #[arg(long, conflicts_with = "name")]
        schema: bool,
    },
    /// Lists a profile's scenarios, which `franz run --scenario N` chooses by number
    Scenarios {
        /// A built-in profile, or a TOML file
        #[arg(long, value_name = "NAME or FILE")]
        profile: Option<String>,
    },
    /// Shows what a settings file would be allowed to do, and allows it
    Trust(TrustArgs),
    /// Prints a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Prints a manual page, of all or of one command, for `man`
    #[command(hide = true)]
    Man {
        /// The command
        command: Option<String>,
    },
}

/// The same error, with the place of a goal where one seems to be meant.
pub(crate) fn advise(mut error: clap::Error) -> clap::Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let is_goal = given(ContextKind::InvalidSubcommand).contains(' ') || given(ContextKind::InvalidArg) == "--goal";
    if is_goal {
        let tip = "a goal stands behind the command: franz run \"Draw a house\"".to_owned();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[expect(clippy::struct_excessive_bools, reason = "six independent flags")]
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunOptions {
    /// A built-in profile (draw, sketch, companion, operator), or a TOML file
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) profile: Option<String>,
    /// Takes the goal from the profile's scenario of this number; `franz scenarios` lists them
    #[arg(long, value_name = "N")]
    pub(crate) scenario: Option<usize>,
    /// What is seen and acted upon: `canvas`, a sandbox; `desktop`, this one; `virtual`, a private desktop
    #[arg(long, value_name = "KIND")]
    pub(crate) screen: Option<String>,
    /// The model server: a URL, `auto` to look for one on this machine, or `demo` for the built-in model
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// The model, by the name its server lists
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Lets this server have the API key as well, written as `https://host` or `http://host:port` (repeatable)
    #[arg(long, value_name = "SERVER")]
    pub(crate) key_for: Vec<String>,
    /// Waits for a model server that is not up yet, for as long as `model.wait_s` says
    #[arg(long)]
    pub(crate) wait: bool,
    /// Ends after this many more turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: Option<u64>,
    /// The run's own directory, made if missing
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<PathBuf>,
    /// Goes on with a run: its directory, or `last`
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last", conflicts_with_all = ["run_dir", "profile"])]
    pub(crate) resume: Option<PathBuf>,
    /// Sets any configuration key, for example `loop.executing_delay_s=0` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Prints one JSON event a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the dashboard listens; otherwise 127.0.0.1:7878, or a free port when that is taken
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) dashboard: Option<String>,
    /// Where the relay between agent and model server listens; otherwise a free port
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) relay: Option<String>,
    /// Starts paused: the dashboard lets it go on, turn by turn or for good
    #[arg(long, conflicts_with = "no_panel")]
    pub(crate) step: bool,
    /// Does not open the dashboard in a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Runs the agent alone, straight to the model server: no relay, no dashboard
    #[arg(long, conflicts_with_all = ["dashboard", "relay"])]
    pub(crate) no_panel: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct DoctorArgs {
    /// The profile that would be run: draw, sketch, companion, operator, or a TOML file
    #[arg(long, value_name = "NAME or FILE")]
    profile: Option<String>,
    /// The screen: `canvas`, `desktop` or `virtual`; otherwise the profile's
    #[arg(long, value_name = "KIND")]
    screen: Option<String>,
    /// The model server: a URL, `auto` to look for one on this machine, or `demo` for the built-in model
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// The model, by the name its server lists
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Lets this server have the API key as well, written as `https://host` or `http://host:port` (repeatable)
    #[arg(long, value_name = "SERVER")]
    key_for: Vec<String>,
    /// Sets any configuration key (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Prints one JSON object a line: subject, state (fine, remark or problem, with the exit code) and text
    #[arg(long)]
    pub(crate) json: bool,
}

impl DoctorArgs {
    /// The run that would be started.
    pub(crate) fn options(&self) -> RunOptions {
        RunOptions {
            profile: self.profile.clone(),
            screen: self.screen.clone(),
            upstream: self.upstream.clone(),
            model: self.model.clone(),
            key_for: self.key_for.clone(),
            set: self.set.clone(),
            ..RunOptions::default()
        }
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct PanelArgs {
    /// The model server: a URL, `auto` to look for one on this machine, or `demo` for the built-in model;
    /// otherwise <http://127.0.0.1:1235>
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Where the relay listens; otherwise 127.0.0.1:1234
    #[arg(long, value_name = "HOST:PORT")]
    relay: Option<String>,
    /// Where the dashboard listens; otherwise 127.0.0.1:7878, or a free port when that is taken
    #[arg(long, value_name = "HOST:PORT")]
    dashboard: Option<String>,
    /// The directory for what is recorded, made if missing
    #[arg(long, value_name = "DIR")]
    run_dir: Option<PathBuf>,
    /// Goes on with what an earlier panel recorded: its directory, or `last`
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last", conflicts_with = "run_dir")]
    resume: Option<PathBuf>,
    /// Sets any configuration key, for example `panel.restart_s=10` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Does not open the dashboard in a browser
    #[arg(long)]
    no_open: bool,
    /// The agent to start and watch; it finds the run's directory in `FRANZ_RUN_DIR` and the relay in `OPENAI_BASE_URL`
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

impl PanelArgs {
    /// What a panel has in common with a run.
    pub(crate) fn options(&self) -> RunOptions {
        RunOptions {
            upstream: self.upstream.clone(),
            relay: self.relay.clone(),
            dashboard: self.dashboard.clone(),
            run_dir: self.run_dir.clone(),
            resume: self.resume.clone(),
            set: self.set.clone(),
            no_open: self.no_open,
            ..RunOptions::default()
        }
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ReplayArgs {
    /// The run: its directory, its name among the runs, or `last`
    pub(crate) run: PathBuf,
    /// Where the dashboard listens; otherwise 127.0.0.1:7878, or a free port when that is taken
    #[arg(long, value_name = "HOST:PORT")]
    dashboard: Option<String>,
    /// Does not open the dashboard in a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

impl ReplayArgs {
    /// What a replay has in common with a run.
    pub(crate) fn options(&self) -> RunOptions {
        RunOptions {
            dashboard: self.dashboard.clone(),
            ..RunOptions::default()
        }
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct TrustArgs {
    /// A profile or franz.toml, or a directory with one; otherwise ./franz.toml
    pub(crate) path: Option<PathBuf>,
    /// Lists the files that are allowed
    #[arg(long, conflicts_with = "path")]
    pub(crate) list: bool,
    /// Withdraws what was allowed to a file
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "list"])]
    pub(crate) revoke: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct DemoModelArgs {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 1235)]
    pub(crate) port: u16,
    /// Answers with the replies of this file instead, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
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
    fn run_is_what_happens_without_a_command() {
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

    #[test]
    fn a_goal_in_another_place_is_told_its_own() {
        let tip = "franz run \"Draw a house\"";
        for (arguments, told) in [
            (vec!["franz", "Draw a cat"], true),
            (vec!["franz", "run", "--goal", "Draw a cat"], true),
            (vec!["franz", "rnu"], false),
            (vec!["franz", "run", "--gaol"], false),
        ] {
            let error = advise(Cli::try_parse_from(&arguments).unwrap_err()).to_string();
            assert_eq!(error.contains(tip), told, "{error}");
        }
    }
}
