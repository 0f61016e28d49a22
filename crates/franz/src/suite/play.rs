//! The run of an attempt: one `franz run`, in the sandbox.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_chat::ApiKey;
use franz_screen::child::Environment;
use franz_suite::suite::TaskScreen;
use franz_suite::{SuiteModel, SuiteTask};

use super::live_check::{self, LiveCheck};
use super::process::{self, EndedProgram, GRACE, HowEnded};
use super::rules;
use super::sandbox::{Allowed, SuiteSandbox};
use super::scratch::{file, make};
use super::shell::{StartMark, limited, limited_and_marked};
use crate::stop::Stop;

/// The variable with the seed by which programs place windows and choose values.
const SEED: &str = "SUITE_SEED";

/// The folder of the record, and the files with the model's final answer and with the run's errors.
pub(crate) const RECORD: &str = "run";
pub(crate) const ANSWER_FILE: &str = "answer.txt";
pub(crate) const ERRORS: &str = "errors.txt";

/// The file for a program's output, the most bytes read from it, and the program's time limit.
const PRINTED: &str = "printed.txt";
const MOST_PRINTED: u64 = 1 << 20;
const PRINTING: Duration = Duration::from_mins(1);

/// The most bytes of actions that draw what a canvas shows at the start. They must fit a word of a command line.
const MOST_DRAWN: usize = 120_000;

/// The longest file with a key.
const MOST_KEY_BYTES: u64 = 16 << 10;

/// What a run needs.
pub(crate) struct Play<'a> {
    pub(crate) sandbox: &'a SuiteSandbox,
    pub(crate) stop: &'a Stop,
    /// The FRANZ executable.
    pub(crate) executable: &'a Path,
    /// The suite's folder.
    pub(crate) suite: &'a Path,
    pub(crate) task: &'a SuiteTask,
    pub(crate) model: &'a SuiteModel,
    /// The address of the model's server.
    pub(crate) server: &'a str,
    pub(crate) profile: &'a str,
    pub(crate) max_turns: u64,
    pub(crate) seed: u32,
    /// The folder for the record and everything else that the run writes.
    pub(crate) folder: &'a Path,
}

impl Play<'_> {
    /// Runs the model in this home, and then the live check, if the task has one.
    pub(crate) fn run(&self, home: &Path, start: &str) -> Result<EndedProgram> {
        let state = self.folder.join("state");
        make(&state)?;
        make(&self.folder.join(RECORD))?;
        let mut environment = environment(home, self.seed).with("XDG_STATE_HOME", state.as_os_str());
        if let Some(name) = &self.model.key_env
            && let Some(key) = key(name)?
        {
            environment = environment.with("FRANZ_API_KEY", key);
        }
        let allowed = Allowed {
            read: &[self.executable],
            write: &[home, &state],
            own: Some(self.folder),
            network: true,
            directory: home,
        };
        let mut command = self.sandbox.command(&self.arguments(start), allowed, &environment);
        command
            .stdout(file(&self.folder.join(ANSWER_FILE))?)
            .stderr(file(&self.folder.join(ERRORS))?);
        let mut grace = GRACE;
        if let Some(check) = &self.task.check_live {
            command.stdin(live_check::stdin(&self.suite.join(check))?);
            // The run asks it while it shuts down.
            grace += Duration::from_secs_f64(self.task.check_s.ceil());
        }
        let most = Duration::from_secs_f64(self.task.run_s);
        Ok(process::run(&mut command, most, Some(grace), self.stop)?)
    }

    /// Returns whether a desktop without any of the task's programs starts on this machine.
    pub(crate) fn starts_a_desktop(&self) -> Result<bool> {
        let home = self.folder.join("bare");
        make(&home)?;
        let arguments = [self.executable.as_os_str().to_owned(), "rehearse".into()];
        let allowed = Allowed {
            read: &[self.executable],
            write: &[&home],
            own: None,
            network: false,
            directory: &home,
        };
        let mut command = self
            .sandbox
            .command(&arguments, allowed, &environment(&home, self.seed));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let ended = process::run(&mut command, PRINTING, None, self.stop)?;
        Ok(ended.how == HowEnded::Exited(0))
    }

    /// Returns the settings for the initial screen: the commands of a private desktop, or the actions that the task's
    /// programs print for a canvas.
    pub(crate) fn start(&self, home: &Path) -> Result<Printed> {
        if self.task.screen == TaskScreen::Virtual {
            let commands = toml::Value::from(self.task.start.clone());
            return Ok(Printed::Text(format!("screen.start={commands}")));
        }
        let mut drawing: Vec<String> = Vec::new();
        for command in &self.task.start {
            let program = TaskProgram {
                sandbox: self.sandbox,
                stop: self.stop,
                folder: self.folder,
                seed: self.seed,
            };
            let printed = match program.run(&["-c".as_ref(), command.as_ref()], &[], home)? {
                Printed::Text(text) => text,
                Printed::Failed(why) => return Ok(Printed::Failed(format!("{command:?} {why}"))),
                Printed::Stopped => return Ok(Printed::Stopped),
            };
            drawing.extend(
                printed
                    .lines()
                    .map(str::to_owned)
                    .filter(|line| !line.trim().is_empty()),
            );
        }
        let drawing = toml::Value::from(drawing).to_string();
        if drawing.len() > MOST_DRAWN {
            let words = format!("the programs of start print more than {MOST_DRAWN} bytes of actions; print fewer");
            return Ok(Printed::Failed(words));
        }
        Ok(Printed::Text(format!("screen.drawing={drawing}")))
    }

    /// Returns the command line of the run.
    fn arguments(&self, start: &str) -> Vec<OsString> {
        let (task, model) = (self.task, self.model);
        let mut arguments: Vec<OsString> = limited(self.executable.as_os_str().to_owned(), None);
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(OsString::from));
        // The home may contain settings that the person has not reviewed.
        add(&[
            "run",
            "--no-settings-files",
            "--no-panel",
            "--quiet",
            "--profile",
            self.profile,
        ]);
        add(&["--screen", task.screen.as_str(), "--upstream", self.server]);
        add(&["--max-turns", &self.max_turns.to_string()]);
        if let Some(name) = &model.served_as {
            add(&["--model", name]);
        }
        if let Some(family) = &model.family {
            add(&["--family", family]);
        }
        // The model's value of a key takes precedence, because the suite compares models.
        for (key, value) in task.set.iter().chain(&model.set) {
            add(&["--set", &format!("{key}={}", rules::text_of(value))]);
        }
        add(&["--set", start]);
        let own = self.sandbox.own(self.folder);
        if task.check_live.is_some() {
            arguments.extend(LiveCheck::arguments(own, task.check_s).map(OsString::from));
        }
        arguments.extend(self.sandbox.confining().iter().map(OsString::from));
        arguments.extend(["--run-dir".into(), own.join(RECORD).into_os_string()]);
        arguments.extend(["--".into(), OsString::from(&task.goal)]);
        arguments
    }
}

/// A program that prints what a canvas shows at the start, or a model's replies.
pub(crate) struct TaskProgram<'a> {
    pub(crate) sandbox: &'a SuiteSandbox,
    pub(crate) stop: &'a Stop,
    /// The folder for what they print.
    pub(crate) folder: &'a Path,
    pub(crate) seed: u32,
}

/// What a program printed.
pub(crate) enum Printed {
    /// This text.
    Text(String),
    /// No usable output, for this reason.
    Failed(String),
    /// It was ended because the person stops the suite.
    Stopped,
}

impl TaskProgram<'_> {
    /// Runs a shell with these arguments in this home, and returns what it prints.
    pub(crate) fn run(&self, shell: &[&OsStr], read: &[&Path], home: &Path) -> Result<Printed> {
        let start = StartMark::new(self.folder);
        let mut arguments = limited_and_marked("sh".into(), None);
        arguments.extend(shell.iter().copied().map(OsString::from));
        let allowed = Allowed {
            read,
            write: &[home],
            own: None,
            network: false,
            directory: home,
        };
        let (printed, errors) = (self.folder.join(PRINTED), self.folder.join(ERRORS));
        let mut command = self.sandbox.command(&arguments, allowed, &environment(home, self.seed));
        command
            .stdin(start.stdin()?)
            .stdout(file(&printed)?)
            .stderr(file(&errors)?);
        let ended = process::run(&mut command, PRINTING, None, self.stop)?;
        start
            .check(ended, &errors)
            .context("a program of the task did not start")?;
        let why = match ended.how {
            HowEnded::Stopped => return Ok(Printed::Stopped),
            HowEnded::Exited(0) => match franz_suite::folder::read(&printed, MOST_PRINTED).map(String::from_utf8) {
                Ok(Ok(text)) => return Ok(Printed::Text(text)),
                Ok(Err(error)) => format!("does not print text: {error}"),
                Err(error) => format!("prints too much: {error}"),
            },
            HowEnded::TooLate | HowEnded::TooMany | HowEnded::TooMuch => {
                format!("takes longer than {} s", PRINTING.as_secs())
            }
            HowEnded::Exited(code) => match process::tail(&errors, 1000).trim() {
                "" => format!("ended with {code}"),
                told => format!("ended with {code}: {told}"),
            },
        };
        Ok(Printed::Failed(why))
    }
}

/// Returns the key in a variable, or in the file that the variable `NAME_FILE` names.
pub(super) fn key(variable: &str) -> Result<Option<OsString>> {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let named = format!("{variable}_FILE");
    let (text, source) = if let Some(text) = value(variable) {
        (text.into_string().ok(), variable)
    } else if let Some(file) = value(&named) {
        let bytes = franz_suite::folder::read(Path::new(&file), MOST_KEY_BYTES);
        let bytes = bytes.with_context(|| format!("{named} does not name a readable file"))?;
        (String::from_utf8(bytes).ok(), named.as_str())
    } else {
        return Ok(None);
    };
    let key = text.and_then(|text| ApiKey::new(&text).ok());
    let key = key.with_context(|| format!("the key in {source} cannot be sent; copy it again"))?;
    Ok(Some(key.text().to_owned().into()))
}

/// Returns the environment of an attempt's programs: nothing of the person's but what any program needs.
pub(crate) fn environment(home: &Path, seed: u32) -> Environment {
    Environment::helper()
        .with("HOME", home.as_os_str())
        .with("TMPDIR", "/tmp")
        .with("XDG_CONFIG_HOME", home.join(".config"))
        .with("XDG_DATA_HOME", home.join(".local/share"))
        .with("XDG_CACHE_HOME", home.join(".cache"))
        .with("XDG_STATE_HOME", home.join(".local/state"))
        .with(SEED, seed.to_string())
}
