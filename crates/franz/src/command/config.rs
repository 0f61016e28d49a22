//! `franz config [KEY]`: shows the effective settings and where each comes from.

use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;
use toml::{Table, Value};

use crate::cli::ConfigArgs;
use crate::config::flags::Flags;
use crate::config::key::ConfigKey;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::resolve;
use crate::config::stack::Judged;
use crate::exit::Unusable;
use crate::own_settings::OwnSettings;
use crate::terminal::{complain, one_line, printable, write_json};
use crate::{run_location, trusted_files};

pub(super) fn print(arguments: &ConfigArgs) -> Result<u8> {
    for key in &arguments.key {
        check_known(key)?;
    }
    let (layer, refused) = counting(arguments)?;
    let is_wanted = |name: &str| {
        let mut wanted = arguments.key.iter();
        arguments.key.is_empty() || wanted.any(|key| name == key || is_below(name, key))
    };
    let names = ConfigKey::names();
    let set = names.iter().filter(|name| is_wanted(name));
    let set = set.filter_map(|name| Some((name.as_str(), layer.get(name)?)));
    let mut out = io::stdout().lock();
    let mut table = None;
    for (name, value) in set {
        let origin = layer.origin(name).unwrap_or(&Origin::Default).to_string();
        if arguments.json {
            let key = name;
            write_json(&mut out, &Setting { key, value, origin })?;
            continue;
        }
        let (above, last) = name.rsplit_once('.').unwrap_or(("", name));
        if table.is_none_or(|table| table != above) {
            let gap = if table.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}[{above}]")?;
            table = Some(above);
        }
        writeln!(out, "{}", line(last, value, &origin)?)?;
    }
    for (name, key) in asked(&arguments.key).filter(|(name, _)| !arguments.json && layer.get(name).is_none()) {
        writeln!(out, "# {name} is not set: {}", key.about)?;
    }
    for what in refused {
        complain(&what);
    }
    Ok(0)
}

/// Returns the keys that were asked for by their whole names.
fn asked(names: &[String]) -> impl Iterator<Item = (&String, ConfigKey)> {
    names.iter().filter_map(|name| Some((name, ConfigKey::named(name)?)))
}

/// A setting in machine-readable form.
#[derive(Serialize)]
struct Setting<'a> {
    key: &'a str,
    value: &'a Value,
    origin: String,
}

/// Returns the effective values, and a message about each value that was ignored.
fn counting(arguments: &ConfigArgs) -> Result<(Layer, Vec<String>)> {
    let flags = Flags::of(arguments);
    if let Some(run) = &arguments.run {
        let (view, _) = run_location::recorded(run, &flags)?;
        let kept = OwnSettings::of(view.path()).unwrap_or_default();
        let resolved = resolve::of_agent(&view, kept, None).map_err(Unusable::usage)?;
        return Ok((resolved.layer, resolved.notices));
    }
    let judged = resolve::judged(&flags, trusted_files::has).map_err(Unusable::usage)?;
    let Judged { layer, refused } = judged;
    Ok((layer, refused.iter().map(ToString::to_string).collect()))
}

/// Writes a setting as TOML with its origin, which is on the same line, or on the line above if the value has several
/// lines.
fn line(name: &str, value: &Value, origin: &str) -> Result<String> {
    let origin = one_line(origin);
    if value.as_str().is_some_and(|text| text.contains('\n')) {
        let setting = Table::from_iter([(name.to_owned(), value.clone())]);
        let lines = toml::to_string_pretty(&setting)?;
        return Ok(format!("# {origin}\n{}", printable(lines.trim_end())));
    }
    let setting = printable(&format!("{name} = {value}"));
    Ok(format!("{setting:<40} # {origin}"))
}

fn check_known(key: &str) -> Result<()> {
    if ConfigKey::names().iter().any(|name| name == key || is_below(name, key)) {
        return Ok(());
    }
    let advice = match ConfigKey::nearest(key) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => "`franz profiles --schema` lists all".to_owned(),
    };
    Err(Unusable::usage(format!("there is no key {}; {advice}", one_line(key))).into())
}

fn is_below(name: &str, table: &str) -> bool {
    name.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
}
