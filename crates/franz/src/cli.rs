//! The command line.

use std::path::PathBuf;

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
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

const EXAMPLES: &str = "\
Examples:
  franz                                   find a model server on this machine (or use the built-in model) and draw
  franz run --max-turns 40                the same, for 40 turns
  franz run --upstream http://127.0.0.1:1234 --model qwen3-vl-4b \"Draw a house with a garden\"
  franz run --profile sketch --scenario 2 do a scenario of a profile; franz scenarios --profile sketch lists them
  franz run --resume last                 go on with the newest run
  franz profiles draw > mine.toml         start a profile of your own, then: franz run --profile mine.toml";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a model: capture the screen, ask, do what it says, look again
    Run {
        /// What the model is to do, in words
        #[arg(conflicts_with = "scenario")]
        goal: Option<String>,
        #[command(flatten)]
        options: RunOptions,
    },
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
    /// Prints a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunOptions {
    /// A built-in profile (draw, sketch, companion, operator), or a TOML file
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) profile: Option<String>,
    /// Takes the goal from the profile's scenario of this number; `franz scenarios` lists them
    #[arg(long, value_name = "N")]
    pub(crate) scenario: Option<usize>,
    /// What is seen and acted upon; this version has the canvas only
    #[arg(long, value_name = "KIND")]
    pub(crate) screen: Option<String>,
    /// The model server: a URL, `auto` to look for one on this machine, or `demo` for the built-in model
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// The model, by the name its server lists
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
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
    /// Runs the agent alone, straight to the model server; so far there is no other way
    #[arg(long, hide = true)]
    pub(crate) no_panel: bool,
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
        assert_eq!(goal.as_deref(), Some("Draw a house"));
        assert_eq!(options.resume, Some(PathBuf::from("last")));
    }
}
