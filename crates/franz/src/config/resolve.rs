//! Resolves the settings of a run from layers. The result is [`Settings`] and the origin of each value.
//!
//! The layers, each on top of the one before it:
//!
//! | a new run | a resumed run |
//! |---|---|
//! | the defaults | the defaults |
//! | the tools of a desktop, if the profile is made for the canvas only and the run has a desktop | |
//! | the profile: built in, or a file | the values that the person has given this run before |
//! | `franz.toml` in the person's own folder | the run's `config.toml` |
//! | `franz.toml` in the working directory | |
//! | the environment | the limits of the person's own `franz.toml` and of the environment that are tighter |
//! | flags: the goal and the shorthand flags, the goal of a scenario, `--set` | the same flags |
//!
//! If all layers leave a new run's server at the default, it is the one in `OPENAI_BASE_URL`, if that is on this
//! machine.
//!
//! A layer belongs either to the person or to a stranger. The person's own layers apply in full: flags, environment,
//! defaults, built-in profiles, files in their own folder and files that they trust. Any other file may narrow the
//! layers below it but never widen them; a key's [`Trust`] says what counts as wider. FRANZ refuses values that such a
//! file may not set, and asks or tells the person.
//!
//! During the run, [`live`](super::live) applies edits of its `config.toml` within the same bounds.

use std::path::PathBuf;

use franz_home::View;
use toml::Value;

use super::ConfigError;
use super::flags::Flags;
use super::key::{ConfigKey, GOAL};
use super::layer::{Layer, LayerError};
use super::live::not_from_a_file;
use super::origin::{FileKind, Origin};
use super::refused::RefusedSetting;
use super::settings::Settings;
use super::settings_file::{self, FileRead};
use super::stack::{Judged, Stack};
use super::today::ApartRegions;
use super::trust::Trust;
use super::{environment, folder, profile, scenario, today};

impl Settings {
    /// Turns a complete stack of layers into settings.
    pub(crate) fn resolve(layer: &Layer) -> Settings {
        let table = layer.table();
        table
            .try_into()
            .expect("every key of a layer is checked, and the defaults are complete")
    }
}

/// The settings of a run, and the origin of each.
pub(crate) struct Resolved {
    pub(crate) settings: Settings,
    /// Every value, with its origin.
    pub(crate) layer: Layer,
    /// The values that only the person may set or widen, as they have set them. No file of the run can exceed them.
    pub(crate) bounds: Layer,
    /// The contents of a resumed run's `config.toml`.
    pub(crate) file: Option<Layer>,
    /// The values that today's limits and the command line set on top of a resumed run's `config.toml`.
    pub(crate) flags: Layer,
    /// The goal that the command line gives a resumed run.
    pub(crate) given_goal: Option<String>,
    /// Messages to the person about a `config.toml` that sets more than it may.
    pub(crate) notices: Vec<String>,
    /// Messages to the person about their own limits that a resumed run did not have before.
    pub(crate) limits: Vec<String>,
}

/// The person's answers about a file of unknown origin.
pub(crate) struct Approval<'a> {
    /// Whether they have already allowed exactly this file.
    pub(crate) trusts: fn(&FileRead) -> bool,
    /// Whether they allow it now, given the values that it would set.
    pub(crate) allows: &'a mut dyn FnMut(&FileRead, &[RefusedSetting]) -> bool,
}

/// Resolves the settings of a new run.
pub(crate) fn new_run(flags: &Flags, approval: &mut Approval<'_>) -> Result<Resolved, ConfigError> {
    let stack = Sources::of_machine(flags, approval.trusts)?.stack()?;
    Resolved::of(stack.settled(approval.allows)?).with_flags(flags)
}

/// Resolves the settings for a command that only finds or shows a run. Instead of failing, ignores values that a file
/// may not set.
pub(crate) fn shown(flags: &Flags, trusts: fn(&FileRead) -> bool) -> Result<Settings, ConfigError> {
    Ok(Settings::resolve(&judged(flags, trusts)?.layer))
}

/// Resolves the settings of a new run without asking the person. Returns which values apply and which do not.
pub(crate) fn judged(flags: &Flags, trusts: fn(&FileRead) -> bool) -> Result<Judged, ConfigError> {
    Ok(Sources::of_machine(flags, trusts)?.stack()?.judged())
}

/// Resolves those settings of a single profile that are usable and apply. Also returns every mistake in its text.
pub(crate) fn of_profile(name: &str, trusts: fn(&FileRead) -> bool) -> Result<(Judged, Vec<LayerError>), ConfigError> {
    let below = Stack::trusting(trusts).own(Layer::defaults());
    let (stack, mistakes) = profile::load_leniently(name, below)?;
    Ok((stack.judged(), mistakes))
}

/// Resolves the settings of a resumed run. `kept` has the values that the person gave the run before. Without them, the
/// file is treated as a stranger's. `today` has what the person's own file and environment say now.
pub(crate) fn resumed(
    run: &View,
    kept: Option<Layer>,
    today: &Layer,
    flags: &Flags,
    approval: &mut Approval<'_>,
) -> Result<Resolved, ConfigError> {
    let given = flags.layer()?;
    let (layer, file) = settings_file::read_run(run)?;
    let resolved = if let Some(kept) = kept {
        within(kept, layer, file, given.clone())
    } else {
        let below = Stack::trusting(approval.trusts).own(Layer::defaults());
        let stack = below.stranger(layer.clone(), file, FileKind::Run).own(given.clone());
        Resolved {
            file: Some(layer),
            ..Resolved::of(stack.settled(approval.allows)?)
        }
    };
    resolved.limited(today, given)?.with_flags(flags)
}

/// Resolves the settings of a run for a panel's agent. The panel has already written the flags into `config.toml`.
pub(crate) fn of_agent(run: &View, kept: Layer, given_goal: Option<String>) -> Result<Resolved, ConfigError> {
    let (layer, file) = settings_file::read_run(run)?;
    let resolved = within(kept, layer, file, Layer::default());
    resolved.settings.check()?;
    Ok(Resolved { given_goal, ..resolved })
}

/// Resolves a `config.toml` within the bounds that the person has set for the run, both before and now. Values beyond
/// these bounds do not apply. FRANZ reports them but continues, because the file might have been edited during the run.
fn within(kept: Layer, layer: Layer, file: FileRead, flags: Layer) -> Resolved {
    let below = Layer::defaults().over(kept);
    let judged = Stack::trusting(|_| false)
        .own(below.clone())
        .stranger(layer.clone(), file, FileKind::Run)
        .own(flags.clone())
        .judged();
    let refused = judged.refused.iter();
    let notices = refused.map(|one| not_from_a_file(&one.key, Some(&one.value), &one.origin));
    Resolved {
        bounds: bounds(&below.over(flags)),
        file: Some(layer),
        notices: notices.collect(),
        ..Resolved::of(judged.layer)
    }
}

/// Returns the part of a layer that only the person may set, or that they have limited.
pub(crate) fn bounds(whole: &Layer) -> Layer {
    whole.part(|name| ConfigKey::named(name).is_some_and(|key| key.trust != Trust::Any))
}

impl Resolved {
    fn of(layer: Layer) -> Resolved {
        Resolved {
            settings: Settings::resolve(&layer),
            bounds: bounds(&layer),
            layer,
            file: None,
            flags: Layer::default(),
            given_goal: None,
            notices: Vec::new(),
            limits: Vec::new(),
        }
    }

    /// Tightens a resumed run's limits to those of `today`, except where the person gives a value now. The bounds are
    /// tightened on their own, because the run's file may be tighter than they are.
    fn limited(mut self, today: &Layer, given: Layer) -> Result<Resolved, ApartRegions> {
        let today = &today::suiting(today, &self.layer);
        today::check_region(today, &self.layer, &given)?;
        let tighter = today::tighter(today, &self.layer);
        self.flags = tighter.clone().over(given.clone());
        let applied = tighter
            .iter()
            .filter(|(name, _)| self.flags.get(name) != given.get(name));
        self.limits = applied
            .filter_map(|(name, limit)| today::said(name, limit, today, &self.layer))
            .collect();
        let tighter = today::tighter(today, &self.bounds).over(given);
        self.bounds = self.bounds.over(bounds(&tighter));
        Ok(self)
    }

    /// Looks up the goal of the chosen scenario in the layers, and checks the result.
    fn with_flags(mut self, flags: &Flags) -> Result<Resolved, ConfigError> {
        self.flags = self.flags.over(flags.layer()?);
        if let Some(number) = flags.scenario {
            let chosen = scenario::chosen(&self.layer, number)?;
            self.flags = self.flags.over(chosen).over(flags.set()?);
        }
        self.layer = self.layer.over(self.flags.clone());
        self.settings = Settings::resolve(&self.layer);
        self.settings.check()?;
        let is_given = self.file.is_some() && self.flags.get(GOAL).is_some();
        self.given_goal = is_given.then(|| self.settings.prompt.goal.clone());
        Ok(self)
    }

    /// Sets a value to the command's own default, whatever the layers say.
    pub(crate) fn set_default(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        for layer in [&mut self.layer, &mut self.bounds] {
            layer.insert(key, value.clone(), Origin::Default);
        }
        self.settings = Settings::resolve(&self.layer);
    }

    /// Sets the size of a screen that FRANZ creates so that it suits pictures of this size, unless somebody has set it.
    /// The size is saved with the run's other settings, so that it stays the same when the run is resumed.
    pub(crate) fn settle_screen_size(&mut self, picture: (u32, u32)) {
        if self.settings.screen.kind.is_shared() {
            return;
        }
        let (width, height) = self.settings.screen_size(picture);
        for (key, side) in [("screen.width", width), ("screen.height", height)] {
            if self.layer.get(key).is_none() {
                self.layer.insert(key, i64::from(side).into(), Origin::Default);
            }
        }
        self.settings = Settings::resolve(&self.layer);
    }

    /// Returns the origin of a key's value. A key that nobody has set has its default value.
    pub(crate) fn origin(&self, key: &str) -> &Origin {
        self.layer.origin(key).unwrap_or(&Origin::Default)
    }

    /// Returns a layer with the goal that the command line gives a resumed run; empty if it gives none.
    pub(crate) fn goal_layer(&self) -> Layer {
        self.layer.part(|name| name == GOAL && self.given_goal.is_some())
    }
}

/// The sources of a new run's layers.
pub(crate) struct Sources<'a> {
    pub(crate) profile: &'a str,
    /// The person's own file and the one in the working directory, weakest first. Files that do not exist are skipped.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) flags: Layer,
    pub(crate) trusts: fn(&FileRead) -> bool,
}

impl<'a> Sources<'a> {
    fn of_machine(flags: &'a Flags, trusts: fn(&FileRead) -> bool) -> Result<Sources<'a>, ConfigError> {
        let own = folder::own().map(|folder| folder.join("franz.toml"));
        let here = (!folder::is_ignored()).then(|| PathBuf::from("franz.toml"));
        Ok(Sources {
            profile: flags.profile.as_deref().unwrap_or(profile::DEFAULT),
            files: own.into_iter().chain(here).collect(),
            environment: environment::variables().collect(),
            flags: flags.layer()?,
            trusts,
        })
    }

    /// Stacks all layers of a new run.
    pub(crate) fn stack(self) -> Result<Stack, ConfigError> {
        let below = Stack::trusting(self.trusts).own(Layer::defaults());
        let below = below.fallback(Layer::customary_server(&self.environment));
        let mut stack = profile::load(self.profile, below)?;
        for file in &self.files {
            (stack, _) = stack.file(file, folder::kind_of(file, FileKind::Directory))?;
        }
        let environment = Layer::environment(self.environment.into_iter())?;
        Ok(stack.own(environment).own(self.flags).with_desktop_tools())
    }
}

#[cfg(test)]
mod tests;
