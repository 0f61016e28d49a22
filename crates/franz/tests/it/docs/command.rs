//! Command lines in the documents. FRANZ's own are parsed, and run if they end on their own. For other programs, only
//! the name is checked.

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::{Cli, Command, RunArgs};
use crate::docs::markdown::Document;
use crate::harness::{Workplace, spawn};

/// Third-party programs. A separate test checks the arguments of `cargo xtask`.
const OTHERS: [&str; 10] = [
    "cargo",
    "curl",
    "docker",
    "llama-server",
    "lms",
    "ollama",
    "pip",
    "rustup",
    "sudo",
    "vllm",
];

/// Options that would make a run leave the workplace or keep it from ending. Each has a value.
const REPLACED: [&str; 6] = [
    "--upstream",
    "--model",
    "--screen",
    "--max-turns",
    "--dashboard",
    "--relay",
];

/// One command line.
#[derive(Debug, PartialEq)]
struct Line {
    variables: Vec<(String, String)>,
    words: Vec<String>,
    /// The file to which stdout is redirected.
    output: Option<String>,
}

/// Checks one line of shell. The commands on a page are run in one workplace, in order.
pub(crate) fn check(place: &Workplace, text: &str) -> Result<(), String> {
    let line = Line::of(text)?;
    let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => Ok(()),
        ["franz", arguments @ ..] | ["cargo", "run", "--release", "--", arguments @ ..] => {
            ours(place, &line, arguments)
        }
        ["cargo", "run", "--release"] => ours(place, &line, &[]),
        // The arguments before the image's name are Docker's; the rest are ours.
        ["docker", "run", words @ ..] => match words.split(|word| *word == "franz").nth(1) {
            Some(arguments) => {
                // Nothing listens in the container itself, and its desktop gets the built-in model only by name.
                if !arguments.iter().any(|one| ["--upstream", "--resume"].contains(one)) {
                    return Err("it names no model".to_owned());
                }
                let entry = entry_of_the_container();
                let entry: Vec<&str> = entry.iter().map(String::as_str).collect();
                ours(place, &line, &[entry.as_slice(), arguments].concat())
            }
            None => Err("it does not run our image".to_owned()),
        },
        [program, ..] if OTHERS.contains(program) => Ok(()),
        [program, ..] => Err(format!("{program} is no program that the documents know")),
    }
}

/// Returns the arguments that the container always passes to the program.
fn entry_of_the_container() -> Vec<String> {
    let text = Document::named("Dockerfile").text;
    let entry = text.lines().find_map(|line| line.strip_prefix("ENTRYPOINT "));
    let entry: Vec<String> = serde_json::from_str(entry.expect("the container has an entry")).unwrap();
    entry.into_iter().skip_while(|word| word != "franz").skip(1).collect()
}

impl Line {
    fn of(text: &str) -> Result<Line, String> {
        let mut words = shlex::split(text).ok_or("a quote is not closed")?;
        let is_variable = |word: &String| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        };
        let count = words.iter().take_while(|word| is_variable(word)).count();
        let variables = words.drain(..count).filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        let variables = variables.collect();
        let output = match words.iter().position(|word| word == ">") {
            Some(at) => words.split_off(at).into_iter().nth(1),
            None => None,
        };
        Ok(Line {
            variables,
            words,
            output,
        })
    }
}

fn ours(place: &Workplace, line: &Line, arguments: &[&str]) -> Result<(), String> {
    let parsed = match Cli::try_parse_from([&["franz"], arguments].concat()) {
        Ok(parsed) => parsed,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    match &parsed.command {
        None => run(place, line, arguments, &parsed.run),
        Some(Command::Run { options, .. }) => run(place, line, arguments, options),
        Some(Command::Doctor(_)) => execute(
            place,
            line,
            &with(arguments, &["--upstream", "demo", "--screen", "canvas"]),
        ),
        Some(
            Command::Profiles { .. } | Command::Scenarios { .. } | Command::Completions { .. } | Command::Man { .. },
        ) => execute(place, line, &with(arguments, &[])),
        // These commands run until they are stopped, or act on the tester's desktop.
        Some(_) => Ok(()),
    }
}

/// Runs the command line on the canvas with the built-in model, for two turns.
fn run(place: &Workplace, line: &Line, arguments: &[&str], options: &RunArgs) -> Result<(), String> {
    if options.resume.is_some() && !place.path("runs").exists() {
        let first = ["run", "--upstream", "demo", "--max-turns", "1", "--no-panel"];
        execute(place, line, &with(&[], &first))?;
    }
    // Nobody is there to continue a paused run.
    let unpaused: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|argument| *argument != "--step")
        .collect();
    let mut bounded = with(
        &unpaused,
        &["--upstream", "demo", "--screen", "canvas", "--max-turns", "2"],
    );
    for delay in ["loop.executing_delay_s=0", "loop.monitoring_delay_s=0"] {
        bounded.extend(["--set".to_owned(), delay.to_owned()]);
    }
    if !options.no_open {
        bounded.push("--no-open".to_owned());
    }
    execute(place, line, &bounded)
}

/// Returns the arguments with `more` in place of those that are [`REPLACED`].
fn with(arguments: &[&str], more: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if more.is_empty() || !REPLACED.contains(argument) {
            kept.push((*argument).to_owned());
        } else {
            rest.next();
        }
    }
    kept.extend(more.iter().map(|argument| (*argument).to_owned()));
    kept
}

fn execute(place: &Workplace, line: &Line, arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut program = place.program(&arguments);
    program.envs(line.variables.iter().map(|(name, value)| (name, value)));
    let finished = spawn(program).finish();
    if finished.code != Some(0) {
        let (code, stderr) = (finished.code, finished.stderr);
        return Err(format!("franz {} ended with {code:?}: {stderr}", arguments.join(" ")));
    }
    if let Some(output) = &line.output {
        std::fs::write(place.path(output), finished.stdout).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A new container has only the volume of the one before it, and resumes a run only with what the person allowed it.
#[test]
fn the_volume_of_the_container_holds_what_the_person_allowed() {
    let text = Document::named("Dockerfile").text;
    let after = |instruction: &str| text.lines().find_map(|line| line.strip_prefix(instruction)).unwrap();
    let variables = shlex::split(after("ENV ")).unwrap();
    let state = variables.iter().find_map(|one| one.strip_prefix("XDG_STATE_HOME="));
    let volume = format!("{}/", after("VOLUME "));
    assert!(state.is_some_and(|state| state.starts_with(&volume)), "{state:?}");
}

#[test]
fn a_container_without_options_runs() {
    let text = Document::named("Dockerfile").text;
    let options = text.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    let options: Vec<String> = serde_json::from_str(options).unwrap();
    let line = format!("docker run --rm franz {}", options.join(" "));
    assert_eq!(check(&Workplace::new(), &line), Ok(()), "{line}");
}

#[test]
fn commands_that_would_not_work_are_noticed() {
    let place = Workplace::new();
    for wrong in [
        "franz rnu",
        "franz run --max-turn 3",
        "franz run --set loop.no_such_key=1",
        "franz run --step --set loop.no_such_key=1",
        "franz run --profile nobody",
        "FRANZ_LOOP__NOTHING=1 franz run",
        "franz panel --relay",
        "franz replay last twice",
        "franz runs delete",
        "franz check",
        "farnz",
        "docker run --rm franz --upstream demo --max-turn 3",
        "docker run --rm franz --max-turns 3",
        "docker run --rm debian",
        "franz run \"Draw",
    ] {
        assert!(check(&place, wrong).is_err(), "{wrong}");
    }
    for right in [
        "# only a remark",
        "FRANZ_IMAGE__WIDTH=64 franz profiles draw > mine.toml   # and a remark",
        "franz run --profile mine.toml --upstream http://192.168.1.20:8000 \"Draw a house\"",
        "franz panel -- python agent.py",
    ] {
        assert_eq!(check(&place, right), Ok(()), "{right}");
    }
    assert!(place.path("mine.toml").exists() && place.path("runs").exists());
}
