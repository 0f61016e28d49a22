//! The help: commands grouped by purpose, two examples for each, and advice on a misplaced goal.

use std::fmt::Write as _;

use clap::Subcommand;
use clap::builder::styling::Style;
use clap::error::{ContextKind, ContextValue};

use super::Command;

/// Every command that is not hidden, in exactly one group.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Run", &["run", "say", "fork", "profiles", "mcp"]),
    ("Watch", &["panel", "open"]),
    ("Records", &["replay", "runs", "export"]),
    ("Models", &["models", "calibrate", "suite", "demo-model"]),
    ("Setup", &["doctor", "config", "check", "trust", "release"]),
];

const FRANZ: &str = "\
Examples (`franz COMMAND --help` has more; `franz` alone is `franz run`):
  franz                                    find a model server here, and draw
  franz run \"Draw a house\" --max-turns 40    stop after 40 turns";

pub(super) const RUN: &str = "\
Examples:
  franz run --upstream http://127.0.0.1:1234 --model qwen3-vl-4b \"Draw a house\"
  franz run --resume last --max-turns 40    continue the newest run for 40 more turns";

pub(super) const SAY: &str = "\
Examples:
  franz say \"The invoice is in Downloads.\"    to the newest live run
  franz say runs/run_20261121_214402 \"Stop when you have found it.\"";

pub(super) const FORK: &str = "\
Examples:
  franz fork --at 12 --model qwen3-vl-8b    the newest run from turn 12, with another model
  franz fork run_20261121_214402 --at 12 --dry 20    what would the model do, and how often?";

pub(super) const SCENARIOS: &str = "\
Examples:
  franz scenarios --profile sketch
  franz run --profile sketch --scenario 2    run the second one";

pub(super) const CONFIG: &str = "\
Examples:
  franz config model --profile mine.toml    show all of [model], and where each value comes from
  franz config --run last loop.max_turns";

pub(super) const CHECK: &str = "\
Examples:
  franz profiles draw > mine.toml    start a profile of your own
  franz check mine.toml              and see what is wrong with it";

pub(super) const PROFILES: &str = "\
Examples:
  franz profiles draw > mine.toml    start a profile of your own
  franz scenarios --profile sketch   list the goals that a profile suggests";

pub(super) const MODELS: &str = "\
Examples:
  franz models                         list the families, and which fits each model on a server
  franz models qwen3-vl > mine.toml    start a family of your own";

pub(super) const PANEL: &str = "\
Examples:
  franz panel -- python agent.py     start and watch an agent that asks 127.0.0.1:1234
  franz panel --upstream http://127.0.0.1:8080 --relay 127.0.0.1:9000";

pub(super) const OPEN: &str = "\
Examples:
  franz open                     the page of the panel, or else of the newest live run
  franz open run_20261121_214402 --no-open    only print the link";

pub(super) const MCP: &str = "\
Examples (a host starts these; docs/mcp.md has the lines for its settings):
  franz mcp --screen browser:https://example.org
  franz mcp --screen desktop --gate ask --open    your own desktop; you allow each click";

pub(super) const REPLAY: &str = "\
Examples:
  franz replay                   show the newest run
  franz replay last --offline    run it again without a model, and compare each request";

pub(super) const RUNS: &str = "\
Examples:
  franz runs                    list all runs, newest first
  franz runs show last          print what the newest run did, turn by turn";

pub(super) const EXPORT: &str = "\
Examples:
  franz export --html run.html           the newest run, to open in any browser
  franz export run_20261121_214402 --turns 5..20 --gif part.gif";

pub(super) const RUNS_SHOW: &str = "\
Examples:
  franz runs show last --exchange 12    print every attempt of turn 12
  franz runs show run_20261121_214402";

pub(super) const RUNS_DELETE: &str = "\
Examples:
  franz runs delete run_20261121_214402
  franz runs delete --older 30d --keep-last 20    older than 30 days, except the newest 20";

pub(super) const READ: &str = "\
Examples:
  franz read --family ui-tars-1.5 --picture 1344x896 reply.txt
  franz read --lines --json replies.jsonl    one object for each line";

pub(super) const CALIBRATE: &str = "\
Examples:
  franz calibrate --upstream http://127.0.0.1:1234 --model ui-tars-7b
  franz calibrate --check    exit with 1 if the stored result no longer holds";

pub(super) const SUITE: &str = "\
Examples (then `franz suite run DIR` and `franz suite report DIR`):
  franz suite plan basics --upstream small=http://127.0.0.1:8080 -o DIR
  franz suite test basics    try the tasks without a model";

pub(super) const SUITE_TEST: &str = "\
Examples:
  franz suite test basics --task wait-code
  franz suite test my-suite --seed 7 --pictures pictures";

pub(super) const SUITE_IMPORT: &str = "\
Examples:
  franz suite import miniwob miniwob-1.1.0-py3-none-any.whl
  franz suite import miniwob --help    list the options";

pub(super) const SUITE_IMPORT_MINIWOB: &str = "\
Examples:
  franz suite import miniwob miniwob-1.1.0-py3-none-any.whl -o web-tasks
  franz suite import miniwob miniwob-1.1.0-py3-none-any.whl --tasks click-tab,use-slider --seeds 5";

pub(super) const SUITE_PLAN: &str = "\
Examples:
  franz suite plan basics --upstream q4=http://127.0.0.1:8080 --upstream q8=http://127.0.0.1:8081 -o DIR
  franz suite plan my-suite --models qwen3-vl-8b,ui-tars-7b --repeat 3 -o DIR";

pub(super) const SUITE_RUN: &str = "\
Examples:
  franz suite run DIR --jobs 2
  franz suite run DIR --keep all    keep also the records of solved attempts";

pub(super) const SUITE_SHARD: &str = "\
Examples:
  franz suite shard DIR --index 0 --of 8 --digest SHA256
  franz suite shard DIR --of 8 --digest SHA256    in a job that has an index";

pub(super) const SUITE_SUBMIT: &str = "\
Examples:
  franz suite submit DIR --engine slurm --shards 24
  franz suite submit DIR --engine kubernetes --image franz:1 --claim results --dry-run";

pub(super) const SUITE_MISSING: &str = "\
Examples:
  franz suite missing DIR
  franz suite missing s3://BUCKET/PREFIX > missing.txt";

pub(super) const SUITE_GATHER: &str = "\
Examples:
  franz suite gather DIR
  franz suite gather DIR node-1 node-2    copy what those folders have first";

pub(super) const SUITE_RESCORE: &str = "\
Examples:
  franz suite rescore DIR
  franz suite rescore DIR --suite my-suite    with the checks as they are now";

pub(super) const SUITE_REPORT: &str = "\
Examples:
  franz suite report DIR            print a table, and write report.html
  franz suite report DIR --csv > attempts.csv";

pub(super) const SUITE_GROUNDING: &str = "\
Examples:
  franz suite grounding screenspot_web.json --pictures imgs --upstream q4=http://127.0.0.1:8080
  franz suite grounding screenspot_web.json --pictures imgs --csv > answers.csv    only print earlier answers";

pub(super) const SUITE_UNPACK: &str = "\
Examples:
  franz suite unpack DIR 7               write attempt 7 to attempt_0007
  franz suite unpack DIR 7 -o seventh";

pub(super) const DEMO_MODEL: &str = "\
Examples:
  franz demo-model --port 0 --script replies.jsonl
  franz demo-model --family qwen2.5-vl --resize smart-28 --noise 3 --delay 0";

pub(super) const DOCTOR: &str = "\
Examples:
  franz doctor
  franz doctor --screen virtual --upstream http://127.0.0.1:8080";

pub(super) const RELEASE: &str = "\
Examples:
  franz release
  franz release --display :1";

pub(super) const TRUST: &str = "\
Examples:
  franz trust                   show what ./franz.toml asks for
  franz trust --list            list the allowed files";

pub(super) const COMPLETIONS: &str = "\
Examples:
  franz completions bash > franz.bash
  franz completions zsh > _franz";

/// The template of `franz --help`: the commands in their groups instead of one long list.
pub(super) fn first_screen() -> String {
    let all = Command::augment_subcommands(clap::Command::new("franz"));
    let bold = Style::new().bold();
    let mut text = "{about-with-newline}{usage-heading} {usage}".to_owned();
    for (group, names) in GROUPS {
        for (index, name) in names.iter().enumerate() {
            let about = all.find_subcommand(name).and_then(clap::Command::get_about);
            let group = if index == 0 { group } else { "" };
            let _ = write!(
                text,
                "\n{bold}{group:<7}{bold:#} {name:<12}{}",
                about.cloned().unwrap_or_default()
            );
        }
    }
    // This text goes into the line that clap leaves empty after its own heading.
    let _ = write!(text, "\n{FRANZ}");
    text
}

/// Adds advice on where the goal belongs, if the error looks like a misplaced goal.
pub(crate) fn advise(mut error: clap::Error) -> clap::Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let is_goal = given(ContextKind::InvalidSubcommand).contains(' ') || given(ContextKind::InvalidArg) == "--goal";
    if is_goal {
        let tip = "put the goal after `run`: franz run \"Draw a house\"".to_owned();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_first_screen_fits_a_terminal_of_24_lines() {
        let screen = Cli::command().render_help().to_string();
        assert!(screen.lines().count() <= 24, "{screen}");
        for line in screen.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn every_visible_command_stands_in_one_group() {
        let whole = Cli::command();
        let shown = whole.get_subcommands().filter(|one| !one.is_hide_set());
        let mut shown: Vec<&str> = shown.map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
    }

    #[test]
    fn the_help_of_every_command_ends_with_two_examples() {
        let mut whole = Cli::command();
        whole.build();
        let mut waiting = vec![whole];
        while let Some(mut command) = waiting.pop() {
            let parts = command.get_subcommands();
            // What clap adds itself has no examples.
            let shown = parts.filter(|one| !one.is_hide_set() && one.get_name() != "help");
            waiting.extend(shown.cloned());
            let help = command.render_help().to_string();
            let (_, examples) = help.rsplit_once("Examples").unwrap_or_else(|| panic!("{help}"));
            let examples: Vec<&str> = examples.lines().skip(1).filter(|line| !line.is_empty()).collect();
            assert_eq!(examples.len(), 2, "{help}");
            assert!(examples.iter().all(|line| line.starts_with("  franz")), "{help}");
        }
    }

    #[test]
    fn a_misplaced_goal_gets_a_hint() {
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
