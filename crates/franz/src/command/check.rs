//! `franz check PROFILE`: reports every mistake in a profile.

use anyhow::Result;
use franz_dialect::family::FileError;
use toml::Value;

use crate::config::check::Mismatch;
use crate::config::profile;
use crate::config::resolve;
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::config::stack::Judged;
use crate::exit::Unusable;
use crate::terminal::say;
use crate::{families, idiom, screen, trusted_files, upstream};

pub(super) fn run(profile: &str) -> Result<u8> {
    let (judged, mistakes) = resolve::of_profile(profile, trusted_files::has).map_err(Unusable::usage)?;
    let Judged { layer, refused } = judged;
    let settings = Settings::resolve(&layer);
    let mut whole = layer;
    for one in &refused {
        whole.insert(one.key.clone(), one.value.clone(), one.origin.clone());
    }
    let whole = Settings::resolve(&whole);
    let contradictions = settings.mismatches().into_iter();
    // A missing goal is not a mistake, because the command line can provide one.
    let contradictions = contradictions.filter(|mismatch| !matches!(mismatch, Mismatch::NoGoal(_)));
    let wrong: Vec<String> = mistakes
        .iter()
        .map(ToString::to_string)
        .chain(contradictions.map(|mismatch| mismatch.to_string()))
        .chain(idiom::prompt_mistakes(&settings))
        .chain(scenario_mistakes(&settings))
        .chain(value_mistakes(&whole))
        .collect();
    for what in &wrong {
        say(&format!("wrong   {what}"));
    }
    for one in &refused {
        say(&format!("asks    {one}"));
    }
    let name = profile::short_name(profile);
    if wrong.is_empty() && refused.is_empty() {
        say(&format!("{name}: no mistakes"));
    } else if wrong.is_empty() {
        say(&format!(
            "{name}: no mistakes, but it asks for things that only you may allow"
        ));
    }
    Ok(if wrong.is_empty() { 0 } else { 2 })
}

/// Returns the values that their keys accept, but that would end a run or have no effect. The settings include those
/// that only the person may allow.
fn value_mistakes(settings: &Settings) -> Vec<String> {
    let Settings {
        model,
        grounder,
        screen,
        prompt,
        ..
    } = settings;
    let mut families = family_mistakes("model.family", &model.family);
    for other in family_mistakes("grounder.family", &grounder.family) {
        if !families.contains(&other) {
            families.push(other);
        }
    }
    let servers = [("model.upstream", &model.upstream)].into_iter();
    let servers = servers.chain(model.fallback.iter().map(|server| ("model.fallback", server)));
    let servers = servers.chain(grounder.upstream.iter().map(|server| ("grounder.upstream", server)));
    let servers = servers.filter_map(|(key, server)| Some(format!("{key}: {}", upstream::check(server).err()?)));
    let drawings = screen.drawing.iter().filter_map(|text| screen::drawn(text).err());
    let is_kind = |name: &String| Value::String(name.clone()).try_into::<ScreenKind>().is_ok();
    let unknown = prompt.screens.iter().filter(|name| !is_kind(name));
    let unknown = unknown.map(|name| {
        format!("prompt.screens: there is no screen {name:?}; choose canvas, desktop, virtual, browser or vnc")
    });
    families
        .into_iter()
        .chain(servers)
        .chain(drawings)
        .chain(unknown)
        .collect()
}

/// Returns the reasons why a family cannot be used. All of the person's own family files are read to find it, so a
/// mistake in one of them names that file and not the profile's key.
fn family_mistakes(key: &str, family: &str) -> Vec<String> {
    if family == "auto" {
        return Vec::new();
    }
    let Err(error) = families::named(family) else {
        return Vec::new();
    };
    let cause = error.downcast_ref::<Unusable>().map(Unusable::cause);
    match cause.and_then(|cause| cause.downcast_ref::<FileError>()) {
        Some(of_file) => of_file.to_string().lines().map(str::to_owned).collect(),
        None => vec![format!("{key}: {error}")],
    }
}

/// Returns the mistakes in the scenarios.
fn scenario_mistakes(settings: &Settings) -> Vec<String> {
    let numbered = settings.prompt.scenarios.iter().zip(1..);
    let empty = numbered.filter(|(scenario, _)| scenario.goal.trim().is_empty());
    let told = empty.map(|(_, number)| format!("prompt.scenarios: scenario {number} has no goal"));
    told.collect()
}
