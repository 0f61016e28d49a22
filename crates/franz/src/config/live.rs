//! The settings that change while a run goes on: `config.toml`, read again before every turn.

use std::path::PathBuf;

use super::key::Key;
use super::layer::{Layer, LayerError};
use super::settings::Settings;

/// The current settings and the file they are edited in.
pub(crate) struct Live {
    path: PathBuf,
    /// The file as last read, or why it could not be, so that each state of it is judged, and reported, once.
    seen: Option<Result<String, String>>,
    /// What that file says: a value that was not edited stays as flags have set it.
    file: Layer,
    layer: Layer,
    /// The values in force.
    pub(crate) settings: Settings,
}

impl Live {
    /// The settings of a run whose `config.toml` is at `path`. `own` is what was read from it; without that it has
    /// just been written.
    pub(crate) fn new(path: PathBuf, layer: Layer, own: Option<Layer>) -> Live {
        let written = || Layer::read(&path).ok().flatten();
        Live {
            settings: Settings::resolve(&layer),
            file: own.or_else(written).unwrap_or_default(),
            seen: None,
            path,
            layer,
        }
    }

    /// Takes over what was edited since the last call, and says so, a sentence an edit. A file that is missing, cut or wrong changes nothing.
    pub(crate) fn reload(&mut self) -> Vec<String> {
        let read = std::fs::read_to_string(&self.path).map_err(|error| error.to_string());
        if self.seen.as_ref() == Some(&read) {
            return Vec::new();
        }
        let path = self.path.display().to_string();
        let parsed = match &read {
            Ok(text) => Layer::parse(text, &path),
            Err(reason) => Err(LayerError::Unreadable {
                path,
                reason: reason.clone(),
            }),
        };
        self.seen = Some(read);
        match parsed {
            Ok(edited) => self.take(edited),
            Err(error) => vec![format!("{error}; the previous settings stay")],
        }
    }

    fn take(&mut self, edited: Layer) -> Vec<String> {
        let mut edits = Vec::new();
        for (name, value) in edited.values {
            if self.file.values.get(&name) == Some(&value) {
                continue;
            }
            let live = Key::named(&name).is_some_and(|key| key.live);
            let when = if live {
                "from this turn on"
            } else {
                "takes effect at the next start"
            };
            edits.push(format!("{name} = {}: {when}", brief(&value)));
            if live {
                self.layer.values.insert(name.clone(), value.clone());
            }
            self.file.values.insert(name, value);
        }
        self.settings = Settings::resolve(&self.layer);
        edits
    }
}

fn brief(value: &toml::Value) -> String {
    let text = value.to_string().replace('\n', " ");
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(directory: &tempfile::TempDir) -> Live {
        let path = directory.path().join("config.toml");
        std::fs::write(&path, "").unwrap();
        Live::new(path, crate::config::defaults(), None)
    }

    fn edit(live: &mut Live, text: &str) -> Vec<String> {
        std::fs::write(&live.path, text).unwrap();
        live.reload()
    }

    #[test]
    fn live_keys_change_at_once_and_others_at_the_next_start() {
        let directory = tempfile::tempdir().unwrap();
        let mut live = live(&directory);
        let said = edit(&mut live, "[image]\nwidth = 640\n[screen]\nwidth = 800");
        assert_eq!(
            said,
            [
                "image.width = 640: from this turn on",
                "screen.width = 800: takes effect at the next start"
            ]
        );
        assert_eq!((live.settings.image.width, live.settings.screen.width), (640, 1920));
        assert!(live.reload().is_empty(), "said once");
    }

    #[test]
    fn a_broken_cut_or_empty_file_changes_nothing_and_is_reported_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut live = live(&directory);
        let before = live.settings.clone();
        let said = edit(&mut live, "[image]\nwidth = ");
        assert!(
            said[0].contains("config.toml:2:") && said[0].ends_with("the previous settings stay"),
            "{said:?}"
        );
        assert!(live.reload().is_empty());
        assert!(edit(&mut live, "").is_empty());
        std::fs::remove_file(&live.path).unwrap();
        assert!(live.reload()[0].starts_with("cannot read "));
        assert!(live.reload().is_empty(), "said once");
        assert_eq!(live.settings, before);
    }
}
