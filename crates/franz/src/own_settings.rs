//! The settings that only the person may give a run. They are kept in the person's state folder, so that a run's
//! directory cannot grant them to itself.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;
use franz_home::{Home, View};
use toml::{Table, Value};

use crate::config::key::ConfigKey;
use crate::config::kind::ValueKind;
use crate::config::layer::{Layer, LayerError};
use crate::config::origin::Origin;
use crate::config::trust::Trust;
use crate::random;
use crate::state_folder::{self, StateError, unusable};

/// The folder in the state folder with an entry for each run. Older versions also recorded the runs of hosts there.
const RUNS: &str = "runs";

/// The file in a run's directory that names the run's entry in the state folder.
const ID_FILE: &str = "run.id";

/// The maximum size of an entry in bytes; its values are short.
const MOST_BYTES: u64 = 1 << 20;

/// How many entries of other runs a new run checks for deleted runs.
const LOOKED_AT: usize = 64;

const HEAD: &str = "\
# What you have allowed this run of FRANZ, and only you may allow. Its config.toml may ask for less, not for more.

";

/// The person's own settings for one run. Clones share the same settings.
#[derive(Clone)]
pub(crate) struct OwnSettings {
    directory: PathBuf,
    values: Arc<Mutex<Layer>>,
}

impl OwnSettings {
    pub(crate) fn new(directory: &Path, values: Layer) -> OwnSettings {
        OwnSettings {
            directory: directory.to_owned(),
            values: Arc::new(Mutex::new(values)),
        }
    }

    /// Returns the settings that are kept for the run in this directory. A directory that was moved or copied counts as
    /// another run.
    pub(crate) fn of(directory: &Path) -> Option<Layer> {
        let (id, here) = (id_in(directory)?, canonical(directory)?);
        let entry = parsed(state_folder::look(RUNS)?.read_own(&file(&id), MOST_BYTES).ok()?)?;
        if entry.get("directory")?.as_str()? != here {
            return None;
        }
        from_table(&entry)
    }

    /// Saves the values so that they apply at the run's next start.
    fn keep(&self) -> Result<(), StateError> {
        let kept = OwnSettings::of(&self.directory);
        if kept.is_some_and(|kept| same(&kept, &self.values())) {
            return Ok(());
        }
        self.identify(&self.enter()?)
    }

    /// Writes the values to the state folder and returns the name of the entry.
    fn enter(&self) -> Result<String, StateError> {
        let values = self.values();
        let here = canonical(&self.directory).ok_or_else(|| unusable("its path is not valid UTF-8"))?;
        let folder = state_folder::make(RUNS)?;
        let known = OwnSettings::of(&self.directory).and_then(|_| id_in(&self.directory));
        let mut entry = to_table(&values);
        entry.insert("directory".to_owned(), here.into());
        let text = format!("{HEAD}{entry}");
        let id = if let Some(id) = known {
            id
        } else {
            let id = random().map_err(unusable)?;
            forget_deleted(id.clone());
            id
        };
        folder.replace(&file(&id), text.as_bytes(), false).map_err(unusable)?;
        Ok(id)
    }

    /// Ties the run to that entry.
    fn identify(&self, id: &str) -> Result<(), StateError> {
        let run = Home::claim(&self.directory).map_err(unusable)?;
        run.replace(ID_FILE, id.as_bytes(), false).map_err(unusable)
    }

    /// Saves a new run's values before its settings are written, and ties the run to them afterwards. If the process is
    /// killed before the settings are written, there is no run. If it is killed between the two, the run is not
    /// recognised as the person's.
    pub(crate) fn keep_around(&self, write: impl FnOnce() -> Result<()>) -> Result<Option<String>> {
        let entered = self.enter();
        write()?;
        let kept = entered.and_then(|id| self.identify(&id));
        Ok(kept.err().map(|error| not_kept(&error)))
    }

    /// Saves the values. If that fails, returns a sentence to tell the person.
    pub(crate) fn keep_or_say(&self) -> Option<String> {
        self.keep().err().map(|error| not_kept(&error))
    }

    /// Changes one value; `None` removes it. The change applies to this run even if it cannot be saved.
    pub(crate) fn set(&self, name: &str, value: Option<&Value>) {
        let mut values = self.values();
        match value {
            Some(value) => {
                let named = values.origin(name).is_some_and(Origin::is_persons_own);
                values.insert(name, value.clone(), Origin::Kept { named });
            }
            None => values.remove(name),
        }
        drop(values);
        if let Err(error) = self.keep() {
            tracing::warn!("{name} cannot be remembered for the next start: {error}");
        }
    }

    /// Returns a copy of the values.
    pub(crate) fn layer(&self) -> Layer {
        self.values().clone()
    }

    /// Returns the values in the form in which an agent receives them.
    pub(crate) fn text(&self) -> String {
        to_table(&self.values()).to_string()
    }

    fn values(&self) -> MutexGuard<'_, Layer> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the directories of all runs that are remembered, whether or not they still exist.
pub(crate) fn directories() -> Vec<PathBuf> {
    let Some(folder) = state_folder::look(RUNS) else {
        return Vec::new();
    };
    let names = folder.names().unwrap_or_default();
    let entries = names
        .iter()
        .filter_map(|name| parsed(folder.read_own(name, MOST_BYTES).ok()?));
    let directories = entries.filter_map(|entry| Some(PathBuf::from(entry.get("directory")?.as_str()?)));
    directories.collect()
}

/// Calls `deletes` to delete the run in this directory, and forgets the run.
pub(crate) fn forget_around<T, E>(directory: &Path, deletes: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let id = OwnSettings::of(directory).and_then(|_| id_in(directory));
    let done = deletes()?;
    if let (Some(id), Some(folder)) = (id, state_folder::look(RUNS)) {
        // If the entry cannot be removed now, a later run removes it.
        let _ = folder.remove(&file(&id));
    }
    Ok(done)
}

/// Removes entries of deleted runs. Checks only a few, starting at a random position, so that runs start quickly. Keeps
/// an entry whose parent directory is missing or empty, because its disk might not be mounted.
///
/// Runs in the background, because a directory on an unreachable server can block.
fn forget_deleted(id: String) {
    thread::spawn(move || state_folder::look(RUNS).map(|folder| forget_deleted_in(&folder, &id)));
}

fn forget_deleted_in(folder: &Home, id: &str) {
    let mut names = folder.names().unwrap_or_default();
    names.sort_unstable();
    let next = names.partition_point(|name| name.as_str() < id);
    names.rotate_left(next);
    for name in names.iter().take(LOOKED_AT) {
        let entry = folder.read_own(name, MOST_BYTES).ok().and_then(parsed);
        let directory = entry.as_ref().and_then(|entry| entry.get("directory")?.as_str());
        let deleted = directory.map(Path::new).is_some_and(|directory| {
            let beside = directory.parent().and_then(|parent| parent.read_dir().ok());
            beside.is_some_and(|mut beside| beside.next().is_some())
                && directory.try_exists().is_ok_and(|exists| !exists)
        });
        if deleted {
            let _ = folder.remove(name);
        }
    }
}

fn parsed(bytes: Vec<u8>) -> Option<Table> {
    String::from_utf8(bytes).ok()?.parse().ok()
}

fn not_kept(error: &StateError) -> String {
    format!("cannot remember your flags for this run ({error}); add them again when you resume it")
}

/// Parses text that [`OwnSettings::text`] wrote.
pub(crate) fn read(text: &str) -> Option<Layer> {
    from_table(&text.parse().ok()?)
}

fn same(one: &Layer, other: &Layer) -> bool {
    to_table(one) == to_table(other)
}

fn to_table(values: &Layer) -> Table {
    let named = values.iter().map(|(name, _)| name);
    let named = named.filter(|name| values.origin(name).is_some_and(Origin::is_persons_own));
    let named: Vec<Value> = named.map(|name| Value::String(name.clone())).collect();
    let mut table = Table::new();
    table.insert("named".to_owned(), Value::Array(named));
    table.insert("settings".to_owned(), Value::Table(values.table()));
    table
}

fn from_table(table: &Table) -> Option<Layer> {
    let settings = table.get("settings")?;
    let text = settings.as_table()?.to_string();
    let (parsed, mistakes) = Layer::parse_leniently(&text, &Origin::Kept { named: false }).ok()?;
    if !mistakes.iter().all(|mistake| limits_nothing(mistake, settings)) {
        return None;
    }
    let named = table.get("named")?.as_array()?;
    let mut values = parsed.clone();
    for (name, value) in parsed.iter() {
        let named = named.iter().any(|one| one.as_str() == Some(name));
        values.insert(name, value.clone(), Origin::Kept { named });
    }
    Some(values)
}

/// Checks whether a value that FRANZ no longer accepts can be left out. Earlier versions accepted empty texts, and
/// sizes below 1 kB. Without any other limit, the run could do more.
fn limits_nothing(mistake: &LayerError, settings: &Value) -> bool {
    let LayerError::Value { key: name, .. } = mistake else {
        return false;
    };
    let Some(key) = ConfigKey::named(name) else {
        return false;
    };
    let value = name.split('.').try_fold(settings, |table, part| table.get(part));
    let is_empty = value.and_then(Value::as_str).is_some_and(|text| text.trim().is_empty());
    let is_size = matches!(key.kind, ValueKind::Bytes(_)) && value.is_some_and(Value::is_integer);
    is_empty || is_size || !matches!(key.trust, Trust::Limit(..))
}

fn id_in(directory: &Path) -> Option<String> {
    let bytes = View::open(directory).ok()?.read(ID_FILE, 64).ok()?;
    let id = String::from_utf8(bytes).ok()?.trim().to_owned();
    let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

fn canonical(directory: &Path) -> Option<String> {
    directory.canonicalize().ok()?.to_str().map(str::to_owned)
}

fn file(id: &str) -> String {
    format!("{id}.toml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::layer::Layer;
    use crate::config::resolve::bounds;

    #[test]
    fn stored_settings_are_read_back_with_their_origin() {
        let flags = set_flags(&[
            "model.upstream=http://a:1".to_owned(),
            "screen.start=['a \"b\"']".to_owned(),
        ])
        .unwrap();
        let values = bounds(&Layer::defaults().over(flags));
        let own = OwnSettings::new(Path::new("nowhere"), values.clone());
        let again = read(&own.text()).unwrap();
        assert_eq!(again, values);
        let named = |key| again.origin(key).unwrap().is_persons_own();
        assert_eq!(
            ["model.upstream", "screen.start", "record.dir"].map(named),
            [true, true, false]
        );
        assert!(read("named = []").is_none() && read("settings = 5\nnamed = []").is_none());
    }

    /// A run of an earlier version might have values that are refused today.
    #[test]
    fn a_value_that_is_refused_today_costs_only_itself_unless_it_was_a_limit() {
        let with = |value: &str| read(&format!("named = []\n[settings]\nscreen.start = ['a']\n{value}"));
        for value in [
            "record.keep_pictures = 500",
            "grounder.upstream = ''",
            "screen.monitor = ''",
            "panel.relay = ''",
        ] {
            let kept = with(value).unwrap_or_else(|| panic!("{value}"));
            assert_eq!(kept.iter().count(), 1, "{value}");
            assert!(kept.get("screen.start").is_some(), "{value}");
        }
        for limit in ["gate.mode = 'mild'", "loop.max_turns = -1", "screen.region = [0]"] {
            assert!(with(limit).is_none(), "{limit}");
        }
    }
}
