//! The run of an attempt: one `franz run`, in the sandbox.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_screen::child::Environment;
use franz_suite::suite::TaskScreen;
use franz_suite::{SuiteModel, SuiteTask};

use super::process::{self, EndedProgram};
use super::sandbox::{Allowed, SuiteSandbox};
use super::scratch::{file, make};
use crate::stop::Stop;

/// The variable with the seed by which programs place windows and choose values.
const SEED: &str = "SUITE_SEED";

/// The folder of the record, and the files with the model's final answer and with the run's errors.
pub(crate) const RECORD: &str = "run";
pub(crate) const ANSWER_FILE: &str = "answer.txt";
pub(crate) const ERRORS: &str = "errors.txt";

/// The largest file that a program may write, in the blocks of 512 bytes that `ulimit` counts: 1 GB.
const MOST_BLOCKS: u64 = 1 << 21;

/// The longest file with a key.
const MOST_KEY_BYTES: u64 = 16 << 10;

/// What a run needs.
pub(crate) struct Play<'a> {
    pub(crate) sandbox: &'a SuiteSandbox,
    pub(crate) stop: &'a Stop,
    /// The FRANZ executable.
    pub(crate) executable: &'a Path,
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
    /// Runs the model in this home.
    pub(crate) fn run(&self, home: &Path) -> Result<EndedProgram> {
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
            write: &[self.folder],
            network: true,
            directory: home,
        };
        let mut command = self.sandbox.command(&self.arguments(), allowed, &environment);
        command
            .stdout(file(&self.folder.join(ANSWER_FILE))?)
            .stderr(file(&self.folder.join(ERRORS))?);
        let most = Duration::from_secs_f64(self.task.run_s);
        Ok(process::run(&mut command, most, true, self.stop)?)
    }

    /// Returns the command line of the run.
    fn arguments(&self) -> Vec<OsString> {
        let (task, model) = (self.task, self.model);
        let mut arguments: Vec<OsString> = limited(self.executable.as_os_str().to_owned());
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(OsString::from));
        add(&["run", "--no-panel", "--quiet", "--profile", self.profile]);
        add(&["--screen", task.screen.as_str(), "--upstream", self.server]);
        add(&["--max-turns", &self.max_turns.to_string()]);
        if let Some(name) = &model.served_as {
            add(&["--model", name]);
        }
        if let Some(family) = &model.family {
            add(&["--family", family]);
        }
        // The model's value of a key wins, because the models are what is compared.
        for (key, value) in task.set.iter().chain(&model.set) {
            add(&["--set", &format!("{key}={value}")]);
        }
        if task.screen == TaskScreen::Virtual {
            let start = toml::Value::from(task.start.clone());
            add(&["--set", &format!("screen.start={start}")]);
        }
        arguments.extend(["--run-dir".into(), self.folder.join(RECORD).into_os_string()]);
        arguments.extend(["--".into(), OsString::from(&task.goal)]);
        arguments
    }
}

/// Returns the key in a variable, or in the file that the variable `NAME_FILE` names.
fn key(variable: &str) -> Result<Option<OsString>> {
    if let Some(key) = std::env::var_os(variable) {
        return Ok(Some(key));
    }
    let Some(file) = std::env::var_os(format!("{variable}_FILE")) else {
        return Ok(None);
    };
    let bytes = franz_suite::folder::read(Path::new(&file), MOST_KEY_BYTES)?;
    let text = String::from_utf8(bytes).with_context(|| format!("the key in {}", file.display()))?;
    Ok(Some(text.trim().into()))
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

/// Returns the beginning of a command line that limits the size of files. Without `ulimit`, nothing is limited.
pub(crate) fn limited(program: OsString) -> Vec<OsString> {
    if cfg!(windows) {
        return vec![program];
    }
    let limit = format!("ulimit -f {MOST_BLOCKS} 2>/dev/null; exec \"$@\"");
    vec!["sh".into(), "-c".into(), limit.into(), "sh".into(), program]
}
