//! Where a run lives on disk, new or resumed, and the settings that come with it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_home::{ClaimError, Home, View};
use franz_record::resume::{CONFIG_FILE, Source, check_is_run};
use franz_record::{
    DirectoryError, LockError, ResumeError, Resumed, Run, RunError, RunOptions, RunState, Status, TurnLine,
    create_directory, last_run,
};

use crate::cli::RunArgs;
use crate::config::layer::Layer;
use crate::config::live;
use crate::config::origin::{FileKind, Origin};
use crate::config::settings::{PanelSettings, Settings};
use crate::config::stack::{self, FileRead, Stack};
use crate::config::{self, ConfigError, Sources, profile, scenario};
use crate::consent::Consent;
use crate::exit::Unusable;
use crate::own_settings::OwnSettings;
use crate::terminal::complain;
use crate::trusted_files;

/// The key of the goal.
pub(crate) const GOAL: &str = "prompt.goal";

/// The directory of a run.
pub(crate) enum RunLocation {
    /// A new run, in a directory of its own or of this name.
    New(Option<PathBuf>),
    /// A resumed run.
    Resumed(Home),
}

/// The settings of a run, as layers.
pub(crate) struct Layers {
    /// All of them.
    pub(crate) whole: Layer,
    /// What the `config.toml` of a resumed run says.
    pub(crate) own: Option<Layer>,
    /// What only the person may give, and has given. No file of the run goes beyond it.
    pub(crate) bounds: Layer,
    /// What the command sets over the `config.toml` of a resumed run.
    pub(crate) flags: Layer,
    /// The goal that the command gives a resumed run.
    pub(crate) given_goal: Option<String>,
    /// What a person should know about a `config.toml` that asks for more than it may.
    pub(crate) notices: Vec<String>,
}

impl Layers {
    /// Returns layers of everything that counts, with the bounds that it sets.
    fn over(whole: Layer) -> Layers {
        Layers {
            bounds: stack::bounds(&whole),
            whole,
            own: None,
            flags: Layer::default(),
            given_goal: None,
            notices: Vec::new(),
        }
    }

    /// Returns the layers of a resumed run, within what its person once gave it and gives it now. What its
    /// `config.toml` asks for beyond that does not count. This is reported but holds nothing up, since the file may
    /// have been edited during the run.
    pub(crate) fn of_run(own: Layer, file: FileRead, kept: Layer, flags: &Layer) -> Layers {
        let judged = Stack::default()
            .own(config::defaults().over(kept.clone()))
            .stranger(own.clone(), file, FileKind::Run, &|_| false)
            .own(flags.clone())
            .judged();
        let refused = judged.refused.iter();
        let notices = refused.map(|one| live::not_from_a_file(&one.key, Some(&one.value), &one.origin));
        Layers {
            notices: notices.collect(),
            own: Some(own),
            bounds: stack::bounds(&config::defaults().over(kept).over(flags.clone())),
            ..Layers::over(judged.layer)
        }
    }

    /// Returns the goal that the command gives a resumed run, as a layer of its own; empty if it gives none.
    pub(crate) fn goal_layer(&self) -> Layer {
        let mut layer = Layer::default();
        let goal = self.given_goal.as_ref().and_then(|_| self.whole.get(GOAL));
        if let (Some(goal), Some(origin)) = (goal, self.whole.origin(GOAL)) {
            layer.insert(GOAL, goal.clone(), origin.clone());
        }
        layer
    }

    /// Resolves the layers.
    pub(crate) fn settings(&self) -> Settings {
        Settings::resolve(&self.whole)
    }

    /// Returns the origin of a key's value. A key that nobody has set is at its default.
    pub(crate) fn origin(&self, key: &str) -> &Origin {
        self.whole.origin(key).unwrap_or(&Origin::Default)
    }
}

/// A run that is open for writing.
pub(crate) struct Opened {
    pub(crate) run: Run,
    pub(crate) state: RunState,
    /// What a person should know about the state in which it was found.
    pub(crate) notices: Vec<String>,
    /// The last turn, if mode and goal are still to be read from its reply.
    pub(crate) unread: Option<TurnLine>,
}

impl RunLocation {
    /// Returns the place that the flags name. A directory that cannot be one is refused before anything else is tried.
    pub(crate) fn of(flags: &RunArgs) -> Result<RunLocation> {
        match (&flags.resume, &flags.run_dir) {
            (Some(named), _) => Ok(RunLocation::Resumed(claimed(&find(named, flags)?)?)),
            (None, Some(directory)) if holds_something(directory) => {
                let directory = directory.clone();
                Err(Unusable::usage(DirectoryError::Exists { directory }).into())
            }
            (None, directory) => Ok(RunLocation::New(directory.clone())),
        }
    }

    /// Returns the layers of the run's settings, checked for contradictions.
    pub(crate) fn layers(&self, goal: Option<&str>, flags: &RunArgs, consent: Consent) -> Result<Layers> {
        Ok(self.resolved(goal, flags, consent).map_err(Unusable::usage)?)
    }

    fn resolved(&self, goal: Option<&str>, flags: &RunArgs, consent: Consent) -> Result<Layers, ConfigError> {
        let flag_layer = flag_layer(goal, flags)?;
        let mut layers = match self {
            RunLocation::New(_) => Layers::over(consent.settle(new_stack(goal, flags)?)?),
            RunLocation::Resumed(directory) => {
                let (own, file) = config::of_run(directory)?;
                match OwnSettings::of(directory.path()) {
                    Some(kept) => Layers::of_run(own, file, kept, &flag_layer),
                    None => Layers {
                        own: Some(own.clone()),
                        ..Layers::over(
                            consent.settle(
                                Stack::default()
                                    .own(config::defaults())
                                    .stranger(own, file, FileKind::Run, &trusted_files::has)
                                    .own(flag_layer.clone()),
                            )?,
                        )
                    },
                }
            }
        };
        layers.flags = with_scenario(&layers.whole, flag_layer, flags)?;
        layers.whole = layers.whole.over(layers.flags.clone());
        let settings = layers.settings();
        settings.check()?;
        let from_command = layers.flags.get(GOAL).is_some();
        layers.given_goal = (layers.own.is_some() && from_command).then_some(settings.prompt.goal);
        Ok(layers)
    }

    /// Returns the directory of a resumed run.
    pub(crate) fn existing(&self) -> Option<&View> {
        match self {
            RunLocation::New(_) => None,
            RunLocation::Resumed(directory) => Some(directory),
        }
    }

    /// Makes the run's directory with its settings for an agent that will open it, or takes the existing one.
    pub(crate) fn prepare(&self, layers: &Layers, settings: &Settings) -> Result<Home> {
        match self {
            RunLocation::New(directory) => {
                let made = create_directory(directory.as_deref(), Path::new(&settings.record.dir));
                let made = made.map_err(|error| with_code(error.into()))?;
                let own = OwnSettings::new(made.path(), layers.bounds.clone());
                let notice = own.keep_around(|| {
                    let text = settings.to_toml()?;
                    Ok(made.replace(CONFIG_FILE, text.as_bytes(), settings.is_durable())?)
                })?;
                if let Some(notice) = notice {
                    complain(&notice);
                }
                Ok(made)
            }
            RunLocation::Resumed(directory) => {
                check_is_run(directory).map_err(|error| with_code(error.into()))?;
                Ok(directory.clone())
            }
        }
    }

    /// Makes the run's directory with its settings, or opens the existing one.
    pub(crate) fn open(&self, layers: &Layers, settings: &Settings) -> Result<Opened> {
        let options = settings.run_options();
        match self {
            RunLocation::New(directory) => {
                let created = Run::create(directory.as_deref(), Path::new(&settings.record.dir), options);
                let (run, state) = created.map_err(with_code)?;
                let own = OwnSettings::new(run.path(), layers.bounds.clone());
                let notice = own.keep_around(|| Ok(run.write_config(&settings.to_toml()?)?))?;
                Ok(Opened {
                    run,
                    state,
                    notices: notice.into_iter().collect(),
                    unread: None,
                })
            }
            RunLocation::Resumed(directory) => {
                let (run, resumed) = Run::open(directory.clone(), options).map_err(with_code)?;
                let Resumed {
                    state,
                    last_turn,
                    source,
                    mut notices,
                } = resumed;
                notices.extend(layers.notices.iter().cloned());
                let answered = last_turn.filter(|line| line.status == Status::Ok);
                Ok(Opened {
                    run,
                    state,
                    notices,
                    unread: answered.filter(|_| source == Source::TurnLine),
                })
            }
        }
    }
}

fn holds_something(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some())
}

/// Claims the directory, which is this user's alone.
pub(crate) fn claimed(directory: &Path) -> Result<Home> {
    let home = Home::claim(directory).map_err(|error| with_code(error.into()))?;
    home.notices().iter().for_each(|notice| complain(notice));
    Ok(home)
}

/// Finds the directory of a run by its path, by its name among the runs, or as the last one.
fn find(named: &Path, flags: &RunArgs) -> Result<PathBuf> {
    if named.is_dir() {
        return Ok(named.to_owned());
    }
    let settings = Settings::resolve(&shown_layers(flags).map_err(Unusable::usage)?);
    let runs = Path::new(&settings.record.dir);
    let (found, trouble) = if named == Path::new("last") {
        let none = format!(
            "there is no run in {} to go on with; start one with: franz run",
            runs.display()
        );
        (last_run(runs), none)
    } else {
        let directory = runs.join(named);
        (
            directory.is_dir().then_some(directory),
            format!(
                "there is no run {}; name its directory, or say last; a goal stands behind that: franz run --resume last \"Draw a hat\"",
                named.display()
            ),
        )
    };
    Ok(found.ok_or_else(|| Unusable::usage(trouble))?)
}

/// Finds a recorded run by its path, by its name among the runs, or as the last one. Returns it with the settings of a
/// panel that shows it.
pub(crate) fn recorded(named: &Path, flags: &RunArgs) -> Result<(View, PanelSettings)> {
    let view = View::open(&find(named, flags)?).map_err(Unusable::usage)?;
    check_is_run(&view).map_err(Unusable::usage)?;
    let settings = Settings::resolve(&shown_layers(flags).map_err(Unusable::usage)?);
    Ok((view, settings.panel))
}

/// Returns the settings that a new run of this profile would have.
pub(crate) fn settings_of(profile: Option<&str>) -> Result<Settings> {
    let flags = RunArgs {
        profile: profile.map(str::to_owned),
        ..RunArgs::default()
    };
    let layers = shown_layers(&flags).map_err(Unusable::usage)?;
    Ok(Settings::resolve(&layers))
}

/// Returns the layers of a run that is only looked for or looked at. What a file may not give does not count, and is no
/// trouble.
fn shown_layers(flags: &RunArgs) -> Result<Layer, ConfigError> {
    Ok(new_stack(None, flags)?.judged().layer)
}

fn new_stack(goal: Option<&str>, flags: &RunArgs) -> Result<Stack, ConfigError> {
    config::stack(Sources {
        profile: flags.profile.as_deref().unwrap_or(profile::DEFAULT),
        environment: text_variables(),
        files: config::files(),
        flags: flag_layer(goal, flags)?,
        trust: &trusted_files::has,
    })
}

/// Adds the goal of the chosen scenario to the flags. `--set` still wins over it.
fn with_scenario(below: &Layer, layer: Layer, flags: &RunArgs) -> Result<Layer, ConfigError> {
    match flags.scenario {
        Some(number) => {
            let whole = below.clone().over(layer.clone());
            let chosen = scenario::chosen(&whole, number)?;
            Ok(layer.over(chosen).over(config::set_flags(&flags.set)?))
        }
        None => Ok(layer),
    }
}

/// Returns the environment variables that are text; nothing else can name a key.
fn text_variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Returns the flags as a layer. The short ones are names for keys, and `--set` wins over them.
fn flag_layer(goal: Option<&str>, flags: &RunArgs) -> Result<Layer, ConfigError> {
    let most = flags.max_turns.map(|turns| turns.to_string());
    let named = [
        ("goal", "prompt.goal", goal),
        ("--screen", "screen.kind", flags.screen.as_deref()),
        ("--upstream", "model.upstream", flags.upstream.as_deref()),
        ("--model", "model.name", flags.model.as_deref()),
        ("--max-turns", "loop.max_turns", most.as_deref()),
        ("--relay", "panel.relay", flags.relay.as_deref()),
        ("--dashboard", "panel.dashboard", flags.dashboard.as_deref()),
    ];
    let mut layer = Layer::default();
    for (flag, key, value) in named {
        if let Some(value) = value {
            layer.set(key, value, Origin::flag(flag))?;
        }
    }
    Ok(layer.over(config::set_flags(&flags.set)?))
}

/// Checks whether a run could not be opened because another agent has it.
pub(crate) fn is_in_use(error: &anyhow::Error) -> bool {
    let unusable = error.downcast_ref::<Unusable>();
    let cause = unusable.and_then(|unusable| unusable.cause().downcast_ref());
    matches!(cause, Some(RunError::Lock(LockError::Held { .. })))
}

/// Turns trouble that another start would meet again into wrong usage.
fn with_code(error: RunError) -> anyhow::Error {
    match error {
        RunError::Claim(ClaimError::Disk(_)) | RunError::Directory(DirectoryError::Claim(ClaimError::Disk(_))) => {
            error.into()
        }
        RunError::Claim(_)
        | RunError::Directory(
            DirectoryError::Exists { .. } | DirectoryError::NoDirectory { .. } | DirectoryError::Claim(_),
        )
        | RunError::Lock(LockError::Held { .. })
        | RunError::Resume(ResumeError::NotARun { .. } | ResumeError::Unusable { .. }) => Unusable::usage(error).into(),
        other => other.into(),
    }
}

impl Settings {
    /// Returns how the run is recorded.
    pub(crate) fn run_options(&self) -> RunOptions {
        RunOptions {
            batch: self.record.batch,
            durable: self.is_durable(),
            keep_pictures: self.record.keep_pictures,
        }
    }
}
