//! Settings. The input is a file, its edited version after the first byte 0xff, and after the second 0xff the values of
//! flags and environment variables, one per line.
#![no_main]

#[expect(dead_code, reason = "the program uses the rest")]
#[path = "../../crates/franz/src"]
mod franz {
    pub(crate) mod config;
    pub(crate) mod gate;
}
#[path = "../shared/place.rs"]
mod place;

use std::sync::LazyLock;

use franz::{config, gate};
use config::layer::Layer;
use config::live::{Granted, Live};
use config::origin::{FileKind, Origin};
use config::settings::Settings;
use franz_action::ToolSet;
use franz_home::View;
use libfuzzer_sys::fuzz_target;

static DEFAULTS: LazyLock<Layer> = LazyLock::new(config::key::defaults);

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |&byte| byte == 0xff).map(String::from_utf8_lossy);
    let [file, edited, flags] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let mut set = Layer::default();
    for flag in flags.lines().take(8) {
        set = set.over(config::flags::set_flags(&[flag.to_owned()]).unwrap_or_default());
    }
    if let Ok(layer) = Layer::parse(&file, &Origin::file(FileKind::Directory, "franz.toml")) {
        whole(layer.clone().over(set.clone()));
        changed(&layer, &file, &set);
        relived(&layer, &file, &edited);
    }
    let variables = flags.lines().filter_map(|line| line.split_once('='));
    let _ = Layer::environment(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
});

/// Checks that an accepted layer yields settings, and that the settings read back as they were written.
fn whole(layer: Layer) {
    let layer = DEFAULTS.clone().over(layer);
    let settings = Settings::resolve(&layer);
    let written = settings.to_toml().expect("settings can be written");
    let read = Layer::parse(&written, &Origin::file(FileKind::Run, "config.toml")).expect("what was written can be read");
    assert_eq!(Settings::resolve(&read), settings);
    let _ = (settings.protocol(ToolSet::all(), franz_dialect::Geometry::THOUSANDTHS), settings.check());
    let last = settings.prompt.scenarios.len();
    assert!(config::scenario::chosen(&layer, 0).is_err() && config::scenario::chosen(&layer, last + 1).is_err());
    assert!(last == 0 || config::scenario::chosen(&layer, last).is_ok());
}

/// Checks that editing values in the text changes only these values.
fn changed(layer: &Layer, file: &str, set: &Layer) {
    let mut text = file.to_owned();
    for (name, value) in set.iter() {
        text = config::edit::changed(&text, name, Some(value)).expect("settings can be edited");
    }
    let read = Layer::parse(&text, &Origin::file(FileKind::Run, "config.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read, layer.clone().over(set.clone()), "{text}");
}

/// Checks a file that is edited during a run: no edit leads to contradictory settings, and each edit is reported once.
fn relived(layer: &Layer, file: &str, edited: &str) {
    let whole = DEFAULTS.clone().over(layer.clone());
    if edited.is_empty() || Settings::resolve(&whole).check().is_err() {
        return;
    }
    place::with(&[("config.toml", edited.as_bytes())], |directory| {
        let path = directory.join("config.toml");
        let run = View::open(directory).expect("a directory");
        let bounds = config::resolve::bounds(&whole);
        let mut live = Live::new(run, whole.clone(), Some(layer.clone()), bounds, Granted::default());
        live.reload();
        assert_eq!(live.settings.check(), Ok(()));
        assert_eq!(live.reload(), Vec::<String>::new());
        std::fs::write(&path, file).expect("a file that can be written");
        live.reload();
        assert_eq!(live.settings.check(), Ok(()));
    });
}
