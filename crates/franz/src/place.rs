//! Where a run lives on disk, new or resumed, and the settings that come with it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_record::resume::CONFIG_FILE;
use franz_record::{DirectoryError, Resumed, Run, RunError, RunOptions, State, last_run};

use crate::cli::RunArgs;
use crate::config::layer::Layer;
use crate::config::settings::Settings;
use crate::config::{self, ConfigError, Sources, profile};
use crate::exit::Unusable;

/// The directory of a run.
pub(crate) enum Place {
    /// A new run, in a directory of its own or of this name.
    New(Option<PathBuf>),
    /// A run that goes on.
    Resumed(PathBuf),
}

/// A run that is open for writing.
pub(crate) struct Opened {
    pub(crate) run: Run,
    pub(crate) state: State,
    /// What a person should know about how it was found.
    pub(crate) notices: Vec<String>,
}

impl Place {
    /// The place that the flags name.
    pub(crate) fn of(arguments: &RunArgs) -> Result<Place> {
        match &arguments.resume {
            None => Ok(Place::New(arguments.run_dir.clone())),
            Some(named) => Ok(Place::Resumed(find(named, arguments)?)),
        }
    }

    /// The layers of the run's settings.
    pub(crate) fn layer(&self, arguments: &RunArgs) -> Result<Layer> {
        let layer = match self {
            Place::New(_) => new_layers(arguments),
            Place::Resumed(directory) => config::resumed(&directory.join(CONFIG_FILE), flags(arguments)?),
        };
        Ok(layer.map_err(Unusable::usage)?)
    }

    /// Makes the run's directory with its settings, or opens the one there is.
    pub(crate) fn open(&self, settings: &Settings) -> Result<Opened> {
        let options = settings.run_options();
        match self {
            Place::New(directory) => {
                let created = Run::create(directory.as_deref(), Path::new(&settings.record.dir), options);
                let (run, state) = created.map_err(usage_if_it_exists)?;
                run.write_config(&settings.to_toml()?)?;
                Ok(Opened {
                    run,
                    state,
                    notices: Vec::new(),
                })
            }
            Place::Resumed(directory) => {
                let (run, Resumed { state, notices, .. }) = Run::open(directory, options)?;
                Ok(Opened { run, state, notices })
            }
        }
    }
}

fn find(named: &Path, arguments: &RunArgs) -> Result<PathBuf> {
    let settings = Settings::resolve(&new_layers(arguments).map_err(Unusable::usage)?);
    let runs = Path::new(&settings.record.dir);
    if named == Path::new("last") {
        let last = last_run(runs).ok_or_else(|| {
            Unusable::usage(format!(
                "there is no run in {} to go on with; start one with: franz run",
                runs.display()
            ))
        })?;
        return Ok(last);
    }
    let candidates = [named.to_owned(), runs.join(named)];
    let found = candidates.into_iter().find(|directory| directory.is_dir());
    Ok(found.ok_or_else(|| Unusable::usage(format!("--resume {}: there is no such run", named.display())))?)
}

fn new_layers(arguments: &RunArgs) -> Result<Layer, ConfigError> {
    config::stack(Sources {
        profile: arguments.profile.as_deref().unwrap_or(profile::DEFAULT),
        environment: text_variables(),
        files: config::files(),
        flags: flags(arguments)?,
    })
}

/// The environment as far as it is text; nothing else can name a key.
fn text_variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The flags as a layer; the short ones are names for keys, and `--set` wins over them.
fn flags(arguments: &RunArgs) -> Result<Layer, ConfigError> {
    let most = arguments.max_turns.map(|turns| turns.to_string());
    let named = [
        ("goal", "prompt.goal", &arguments.goal),
        ("--screen", "screen.kind", &arguments.screen),
        ("--upstream", "model.upstream", &arguments.upstream),
        ("--model", "model.name", &arguments.model),
        ("--max-turns", "loop.max_turns", &most),
    ];
    let mut layer = Layer::default();
    for (flag, key, value) in named {
        if let Some(value) = value {
            layer.set(key, value, flag)?;
        }
    }
    Ok(layer.over(config::set_flags(&arguments.set)?))
}

fn usage_if_it_exists(error: RunError) -> anyhow::Error {
    match error {
        RunError::Directory(DirectoryError::Exists { .. }) => Unusable::usage(error).into(),
        other => other.into(),
    }
}

impl Settings {
    fn run_options(&self) -> RunOptions {
        RunOptions {
            batch: self.record.batch,
            durable: self.record.durable,
            keep_pictures: self.record.keep_pictures,
        }
    }
}
