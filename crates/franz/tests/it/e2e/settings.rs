//! The settings for runs in tests: small pictures, and edits of `config.toml`.

use std::process::Command;

use crate::harness::{Running, Workplace, spawn};

/// A small canvas, small pictures, and no delays.
pub(crate) const SMALL: [&str; 12] = [
    "--set",
    "image.width=64",
    "--set",
    "image.height=36",
    "--set",
    "screen.width=320",
    "--set",
    "screen.height=180",
    "--set",
    "loop.executing_delay_s=0",
    "--set",
    "loop.monitoring_delay_s=0",
];

/// Starts `franz run --run-dir run` with these arguments and small pictures, without a panel.
pub(crate) fn start(place: &Workplace, url: &str, more: &[&str]) -> Running {
    spawn(run(place, url, &[&["--no-panel"], more].concat()))
}

/// Returns a command for `franz run --run-dir run` with these arguments and small pictures.
pub(crate) fn run(place: &Workplace, url: &str, more: &[&str]) -> Command {
    let common = ["run", "--run-dir", "run", "--upstream", url, "--screen", "canvas"];
    place.program(&[&common, &SMALL[..], more].concat())
}

/// Continues that run.
pub(crate) fn resume(place: &Workplace, url: &str, more: &[&str]) -> Running {
    spawn(place.franz(&[&["run", "--resume", "run", "--upstream", url], more].concat()))
}

/// Edits one key in the run's `config.toml` as a person would. The key is named with its table; `None` removes it.
pub(crate) fn edit<V: Into<toml::Value>>(place: &Workplace, key: &str, value: Option<V>) {
    let path = place.file("config.toml");
    let mut config: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
    let (tables, name) = key.rsplit_once('.').unwrap();
    let mut table = &mut config;
    for name in tables.split('.') {
        table = table[name].as_table_mut().unwrap();
    }
    match value {
        Some(value) => table.insert(name.to_owned(), value.into()),
        None => table.remove(name),
    };
    std::fs::write(path, config.to_string()).unwrap();
}
