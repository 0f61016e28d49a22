//! The settings that can change during a run. They are reread from `config.toml` before every turn.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use franz_action::text::shortened;
use franz_home::View;
use franz_record::resume::CONFIG_FILE;
use franz_screen::Mask;

use super::check::Mismatch;
use super::key::{ConfigKey, GOAL};
use super::kind::ValueKind;
use super::layer::{Layer, LayerError, position};
use super::mask::{self, MaskSetting};
use super::origin::{FileKind, Origin};
use super::refused::flag;
use super::settings::Settings;
use super::settings_file;

/// The key for the masks.
const MASK: &str = "screen.mask";

/// How many characters of a value a notice shows.
const LONGEST_VALUE: usize = 60;

/// The current settings, and the file in which they are edited.
pub(crate) struct Live {
    run: View,
    /// The file as last read, or the reason why it could not be read. Each version of the file is judged and reported
    /// only once.
    seen: Option<Result<String, String>>,
    /// The contents of that file. Values that were not edited stay as the flags set them.
    file: Layer,
    layer: Layer,
    /// The values that only the person may set or widen. No edit of the file can exceed them.
    bounds: Layer,
    /// Bounds that the person has given during the run.
    granted: Granted,
    /// The settings that the server and the model have turned out to need; they override everything else.
    learned: Layer,
    /// The settings in force.
    pub(crate) settings: Settings,
}

/// Passes the bounds that the person changes during a run on to the run's settings. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Granted(Arc<Mutex<Option<Layer>>>);

impl Granted {
    /// Replaces all bounds, from the next turn on.
    pub(crate) fn give(&self, bounds: Layer) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bounds);
    }

    fn take(&self) -> Option<Layer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The reason why an edited file has no effect.
#[derive(Debug, thiserror::Error)]
enum EditRefused {
    #[error(transparent)]
    Layer(#[from] LayerError),
    #[error("{at}: the file ends here without {key}; write its value instead of deleting it")]
    Missing { at: String, key: String },
    #[error("{at}: the last line looks truncated; end it with a line break")]
    Cut { at: String },
    #[error("{path}: {mismatch}")]
    Mismatch { path: String, mismatch: Mismatch },
}

impl Live {
    /// Creates the settings of a run whose `config.toml` is in `run`. `own` has the contents of that file, or is `None`
    /// if the file has just been written.
    pub(crate) fn new(run: View, layer: Layer, own: Option<Layer>, bounds: Layer, granted: Granted) -> Live {
        let written = || settings_file::read_run(&run).ok().map(|(layer, _)| layer);
        Live {
            settings: Settings::resolve(&layer),
            file: own.or_else(written).unwrap_or_default(),
            seen: None,
            learned: Layer::default(),
            run,
            layer,
            bounds,
            granted,
        }
    }

    /// Returns the file's path, for people.
    fn path(&self) -> PathBuf {
        self.run.path_of(CONFIG_FILE)
    }

    /// Returns the goal in the file, which flags might have overridden.
    pub(crate) fn goal_of_file(&self) -> &str {
        let goal = self.file.get(GOAL).and_then(toml::Value::as_str);
        goal.unwrap_or(&self.settings.prompt.goal)
    }

    /// Replaces the settings that the server and the model have turned out to need.
    pub(crate) fn learn(&mut self, learned: Layer) {
        self.learned = learned;
        self.settings = self.resolved(&self.layer);
    }

    /// Returns the settings that the server and the model have turned out to need.
    pub(crate) fn learned(&self) -> &Layer {
        &self.learned
    }

    fn resolved(&self, layer: &Layer) -> Settings {
        Settings::resolve(&layer.clone().over(self.learned.clone()))
    }

    /// Checks whether the file has changed since the last [`reload`](Live::reload).
    pub(crate) fn is_edited(&self) -> bool {
        let read = settings_file::text_of_run(&self.run).map_err(|error| error.to_string());
        self.seen.as_ref() != Some(&read)
    }

    /// Checks whether an edit that has not been applied yet changes the goal.
    pub(crate) fn has_new_goal(&self) -> bool {
        let edited = self.pending();
        let goal = edited.as_ref().and_then(|edited| edited.get(GOAL));
        goal.and_then(toml::Value::as_str)
            .is_some_and(|goal| goal != self.goal_of_file())
    }

    /// Returns the masks in force together with those of an edit that has not been applied yet, because a new mask must
    /// apply before the next turn.
    pub(crate) fn masks(&self) -> Vec<Mask> {
        let mut all = self.layer.part(|name| name == MASK);
        if let Some(edited) = self.pending() {
            all.lay_from(MASK, &edited);
        }
        mask::masks(all.get(MASK)).iter().map(MaskSetting::mask).collect()
    }

    /// Returns the file's contents if they have not been applied yet and can be parsed.
    fn pending(&self) -> Option<Layer> {
        let text = settings_file::text_of_run(&self.run).ok()?;
        let is_seen = matches!(&self.seen, Some(Ok(seen)) if *seen == text);
        let edited = || settings_file::layer_of_run(&self.run, &text).ok();
        (!is_seen).then(edited).flatten()
    }

    /// Applies the edits since the last call, and returns a sentence for each of them. A file that is missing,
    /// truncated or invalid changes nothing.
    pub(crate) fn reload(&mut self) -> Vec<String> {
        let mut edits = self.widen();
        edits.extend(self.read_again());
        edits
    }

    fn read_again(&mut self) -> Vec<String> {
        let read = settings_file::text_of_run(&self.run).map_err(|error| error.to_string());
        if self.seen.as_ref() == Some(&read) {
            return Vec::new();
        }
        let edits = self.edited(&read).and_then(|edited| self.take(edited));
        self.seen = Some(read);
        edits.unwrap_or_else(|error| vec![format!("{error}; keeping the previous settings")])
    }

    /// Adopts new bounds, and applies edits that the old bounds did not allow.
    fn widen(&mut self) -> Vec<String> {
        let Some(bounds) = self.granted.take() else {
            return Vec::new();
        };
        let before = std::mem::replace(&mut self.bounds, bounds);
        let mut layer = self.layer.clone();
        let mut edits = Vec::new();
        for name in ConfigKey::names() {
            let Some(key) = ConfigKey::named(&name) else { continue };
            let (bound, value) = (self.bounds.get(&name), self.file.get(&name));
            let is_new = before.get(&name) != bound && layer.get(&name) != value;
            if !is_new || !key.live || !key.trust.admits(bound, value) {
                continue;
            }
            edits.push(sentence(&name, value, true));
            layer.copy(&name, &self.file);
        }
        let settings = self.resolved(&layer);
        if let Err(mismatch) = settings.check() {
            return vec![format!("{mismatch}; keeping the previous settings")];
        }
        (self.settings, self.layer) = (settings, layer);
        edits
    }

    /// Returns the contents of the file, if it is complete. A file that is being written might be truncated and still
    /// parse. Such a file lacks keys that it had before, or ends in the middle of a line.
    fn edited(&self, read: &Result<String, String>) -> Result<Layer, EditRefused> {
        let path = self.path().display().to_string();
        let text = read.as_ref().map_err(|reason| LayerError::Unreadable {
            path: path.clone(),
            reason: reason.clone(),
        })?;
        let edited = settings_file::layer_of_run(&self.run, text)?;
        let at = |offset| format!("{path}:{}", position(text, offset));
        if let Some(key) = self.missing(&edited) {
            let at = at(text.len());
            return Err(EditRefused::Missing { at, key });
        }
        let last_line = text.rfind('\n').map_or(0, |newline| newline + 1);
        let (before, last) = text.split_at(last_line);
        if !last.is_empty() && (!self.removed(&edited).is_empty() || self.adds(before, &edited)) {
            return Err(EditRefused::Cut { at: at(last_line) });
        }
        Ok(edited)
    }

    /// Returns the first required key that has been removed from the file.
    fn missing(&self, edited: &Layer) -> Option<String> {
        let gone = |name: &String| self.file.get(name).is_some() && edited.get(name).is_none();
        let needed = |name: &String| ConfigKey::named(name).is_some_and(|key| !key.optional);
        ConfigKey::names().into_iter().find(|name| gone(name) && needed(name))
    }

    /// Returns the keys that have been removed from the file.
    fn removed(&self, edited: &Layer) -> Vec<String> {
        let had = self.file.iter().map(|(name, _)| name);
        had.filter(|name| edited.get(name).is_none()).cloned().collect()
    }

    /// Checks whether the last line of the file contains an edit, given `before`, the part of the file above that line.
    fn adds(&self, before: &str, edited: &Layer) -> bool {
        let first = settings_file::layer_of_run(&self.run, before).unwrap_or_default();
        edited.iter().any(|(name, value)| {
            let value = Some(value);
            first.get(name) != value && self.file.get(name) != value
        })
    }

    /// Applies either all edits or none.
    fn take(&mut self, edited: Layer) -> Result<Vec<String>, EditRefused> {
        let changed = edited.part(|name| self.file.get(name) != edited.get(name));
        let changed = changed.iter().map(|(name, _)| name.clone());
        let (mut layer, mut learned) = (self.layer.clone(), self.learned.clone());
        let mut edits = Vec::new();
        for name in changed.chain(self.removed(&edited)) {
            let Some(key) = ConfigKey::named(&name) else { continue };
            if !key.trust.admits(self.bounds.get(&name), edited.get(&name)) {
                edits.push(self.refused(&name, &edited));
                if key.kind == ValueKind::Masks {
                    // The masks that it adds still apply.
                    layer.copy(&name, &self.bounds);
                    layer.lay_from(&name, &edited);
                }
                continue;
            }
            edits.push(sentence(&name, edited.get(&name), key.live));
            if key.live {
                layer.copy(&name, &edited);
                learned = learned.part(|known| !goes_with(known, &name));
            }
        }
        let settings = Settings::resolve(&layer.clone().over(learned.clone()));
        settings.check().map_err(|mismatch| EditRefused::Mismatch {
            path: self.path().display().to_string(),
            mismatch,
        })?;
        (self.settings, self.layer, self.learned, self.file) = (settings, layer, learned, edited);
        Ok(edits)
    }

    fn refused(&self, name: &str, edited: &Layer) -> String {
        let file = Origin::file(FileKind::Run, self.path());
        not_from_a_file(name, edited.get(name), edited.origin(name).unwrap_or(&file))
    }
}

/// Returns the sentence about an edit that only the person may make, and only outside this file.
pub(crate) fn not_from_a_file(name: &str, value: Option<&toml::Value>, at: &Origin) -> String {
    match value.map(|value| flag(name, value)) {
        Some(flag) => {
            format!("{at}: only you can change {name} (franz run --resume RUN {flag}); keeping the previous value")
        }
        None => {
            format!(
                "{at}: {name} cannot be removed during a run; leave it out of a new run instead; keeping the previous value"
            )
        }
    }
}

/// Checks whether an edit of one key also affects another, because a picture's width and height belong together.
fn goes_with(other: &str, edited: &str) -> bool {
    let is_side = |name: &str| matches!(name, "image.width" | "image.height");
    other == edited || is_side(other) && is_side(edited)
}

fn sentence(name: &str, value: Option<&toml::Value>, live: bool) -> String {
    let edit = value.map_or_else(|| "is no longer set".to_owned(), |value| format!("= {}", brief(value)));
    let when = if live {
        "from this turn on"
    } else {
        "takes effect at the next start"
    };
    format!("{name} {edit}: {when}")
}

/// Returns a value, shortened for a message.
pub(super) fn brief(value: &toml::Value) -> String {
    shortened(&value.to_string().replace('\n', " "), LONGEST_VALUE)
}

#[cfg(test)]
mod tests;
