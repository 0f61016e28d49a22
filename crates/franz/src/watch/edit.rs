//! Edits a run's `config.toml`, one process at a time, and leaves the rest of the file unchanged.

use std::path::PathBuf;

use anyhow::Result;
use franz_home::{DiskError, Home};
use franz_record::resume::CONFIG_FILE;
use franz_record::{CONFIG_LOCK, Lock, LockError};
use thiserror::Error;
use toml::Value;
use toml_edit::DocumentMut;

use crate::config::edit::{changed, put};
use crate::config::key::GOAL;
use crate::config::layer::Layer;
use crate::config::settings::Settings;
use crate::config::settings_file;
use crate::own_settings::OwnSettings;
use crate::terminal::complain;

/// Saves what the person set when they resumed the run, for its next start: the settings that only they may set, and the
/// flags.
pub(crate) fn keep(run: &Home, own: &OwnSettings, flags: &Layer) -> Result<()> {
    if let Some(notice) = own.keep_or_say() {
        complain(&notice);
    }
    write(run, flags)
}

/// Writes the values set by flags into the file, wherever it has other values.
pub(crate) fn write(run: &Home, flags: &Layer) -> Result<()> {
    if flags.iter().next().is_none() {
        return Ok(());
    }
    let _editing = lock(run)?;
    let text = settings_file::text_of_run(run)?;
    let mut document: DocumentMut = text.parse()?;
    let there = settings_file::layer_of_run(run, &text)?;
    let whole = there.clone().over(flags.clone());
    for (name, _) in flags.iter() {
        if there.get(name) != whole.get(name) {
            put(&mut document, name, whole.get(name))?;
        }
    }
    let written = document.to_string();
    if written != text {
        replace(run, &written, whole)?;
    }
    Ok(())
}

/// The right to edit a run's settings, which nobody else has meanwhile.
pub(crate) struct Editing<'a> {
    run: &'a Home,
    _lock: Lock,
}

impl<'a> Editing<'a> {
    pub(crate) fn begin(run: &'a Home) -> Result<Self> {
        Ok(Self { run, _lock: lock(run)? })
    }

    /// Adds a line to the goal.
    pub(crate) fn keep_in_goal(&self, text: &str) -> Result<()> {
        let file = settings_file::text_of_run(self.run)?;
        let layer = settings_file::layer_of_run(self.run, &file)?;
        let goal = layer.get(GOAL).and_then(Value::as_str).unwrap_or_default();
        let goal = format!("{}\n{}", goal.trim_end(), text.trim());
        let edited = changed(&file, GOAL, Some(&Value::String(goal.trim_start().to_owned())))?;
        Ok(replace(self.run, &edited, layer)?)
    }
}

/// Keeps other edits out, also those of other processes, until the returned lock is dropped. If one is in progress,
/// waits briefly.
pub(super) fn lock(run: &Home) -> Result<Lock, EditLockError> {
    Lock::acquire(run, CONFIG_LOCK).map_err(|error| match error {
        LockError::Held { .. } => EditLockError::InProgress(run.path_of(CONFIG_FILE)),
        LockError::Disk(error) => EditLockError::Disk(error),
    })
}

/// The reason why the file cannot be edited.
#[derive(Debug, Error)]
pub(super) enum EditLockError {
    #[error("another edit of {} is in progress; try again", .0.display())]
    InProgress(PathBuf),
    #[error(transparent)]
    Disk(DiskError),
}

/// Replaces the file with this text, which contains these settings.
pub(super) fn replace(run: &Home, text: &str, settings: Layer) -> Result<(), DiskError> {
    run.replace(CONFIG_FILE, text.as_bytes(), is_durable(settings))
}

fn is_durable(settings: Layer) -> bool {
    Settings::resolve(&Layer::defaults().over(settings)).is_durable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::origin::{FileKind, Origin};

    const FILE: &str = "# Mine.\n[loop]\nmax_turns = 9 # enough\n[prompt]\ngoal = 'a'\n[model]\ntemperature = 0.5\n";

    fn run() -> (tempfile::TempDir, Home) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(CONFIG_FILE), FILE).unwrap();
        let run = Home::claim(directory.path()).unwrap();
        (directory, run)
    }

    fn text(run: &Home) -> String {
        std::fs::read_to_string(run.path_of(CONFIG_FILE)).unwrap()
    }

    #[test]
    fn flags_are_written_only_where_they_differ() {
        let (_directory, run) = run();
        let flags = set_flags(&["loop.max_turns=9".to_owned(), "model.temperature=0.25".to_owned()]).unwrap();
        write(&run, &flags).unwrap();
        assert_eq!(text(&run), FILE.replace("0.5", "0.25"));
    }

    #[test]
    fn edits_are_flushed_to_disk_like_the_rest_of_the_record() {
        for (settings, expected) in [
            ("screen.kind = 'canvas'", false),
            ("screen.kind = 'virtual'", true),
            ("screen.kind = 'canvas'\nrecord.durable = true", true),
            ("screen.kind = 'desktop'\nrecord.durable = false", false),
        ] {
            let layer = Layer::parse(settings, &Origin::file(FileKind::Run, CONFIG_FILE)).unwrap();
            assert_eq!(is_durable(layer), expected, "{settings}");
        }
    }

    #[test]
    fn edits_of_several_processes_lose_nothing() {
        let (_directory, run) = run();
        let words = |letter: char| (0..20).map(move |number| format!("{letter}{number}."));
        std::thread::scope(|scope| {
            for letter in ['x', 'y'] {
                let home = Home::claim(run.path()).unwrap();
                scope.spawn(move || {
                    for word in words(letter) {
                        // It gives up soon if the other one always comes first.
                        let editing = (0..100).find_map(|_| Editing::begin(&home).ok()).unwrap();
                        editing.keep_in_goal(&word).unwrap();
                    }
                });
            }
        });
        let text = text(&run);
        for word in words('x').chain(words('y')) {
            assert!(text.contains(&word), "{word} in {text}");
        }
    }

    #[test]
    fn masks_given_on_resuming_are_added_to_those_of_the_file() {
        let (_directory, run) = run();
        let set = |masks: &str| set_flags(&[format!("screen.mask={masks}")]).unwrap();
        write(&run, &set("[{area=[0,0,9,9]}]")).unwrap();
        write(&run, &set("[{window='a'}]")).unwrap();
        let both = r#"mask = [{ area = [0, 0, 9, 9] }, { window = "a" }]"#;
        assert!(text(&run).contains(both), "{}", text(&run));
        write(&run, &set("[]")).unwrap();
        assert!(text(&run).contains("mask = []"), "{}", text(&run));
    }
}
