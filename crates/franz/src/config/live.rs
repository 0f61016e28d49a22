//! The settings that change while a run goes on: `config.toml`, read again before every turn.

use std::path::PathBuf;

use super::key::Key;
use super::layer::Layer;
use super::settings::Settings;

/// The current settings and the file they are edited in.
pub(crate) struct Live {
    path: PathBuf,
    /// The file as last read, so that each state of it is judged, and reported, once.
    seen: Option<String>,
    /// What that file says: a value that was not edited stays as flags have set it.
    file: Layer,
    layer: Layer,
    /// The values in force.
    pub(crate) settings: Settings,
}

/// What an edit of the file did, in a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) sentence: String,
    /// The edit could not be read, and changed nothing.
    pub(crate) failed: bool,
}

impl Live {
    /// The settings of a run whose `config.toml` is at `path`.
    pub(crate) fn new(path: PathBuf, layer: Layer) -> Live {
        let seen = std::fs::read_to_string(&path).ok();
        let file = seen.as_deref().and_then(|text| Layer::parse(text, "").ok());
        Live {
            settings: Settings::resolve(&layer),
            file: file.unwrap_or_default(),
            seen,
            path,
            layer,
        }
    }

    /// Takes over what was edited since the last call. A file that is missing, cut or wrong changes nothing.
    pub(crate) fn reload(&mut self) -> Vec<Edit> {
        let Ok(text) = std::fs::read_to_string(&self.path) else {
            return Vec::new();
        };
        if self.seen.as_ref() == Some(&text) {
            return Vec::new();
        }
        let parsed = Layer::parse(&text, &self.path.display().to_string());
        self.seen = Some(text);
        match parsed {
            Ok(edited) => self.take(edited),
            Err(error) => vec![Edit {
                sentence: format!("{error}; the previous settings stay"),
                failed: true,
            }],
        }
    }

    fn take(&mut self, edited: Layer) -> Vec<Edit> {
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
            edits.push(Edit {
                sentence: format!("{name} = {}: {when}", brief(&value)),
                failed: false,
            });
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
        Live::new(path, crate::config::defaults())
    }

    fn edit(live: &mut Live, text: &str) -> Vec<String> {
        std::fs::write(&live.path, text).unwrap();
        live.reload().into_iter().map(|edit| edit.sentence).collect()
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
        assert!(live.reload().is_empty());
        assert_eq!(live.settings, before);
    }
}
