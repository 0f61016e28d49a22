//! `franz check PROFILE`: reports every mistake in a profile.

use anyhow::Result;

use crate::config::check::Mismatch;
use crate::config::profile;
use crate::config::resolve;
use crate::config::settings::Settings;
use crate::config::stack::Judged;
use crate::exit::Unusable;
use crate::idiom;
use crate::terminal::say;
use crate::trusted_files;

pub(super) fn run(profile: &str) -> Result<u8> {
    let (judged, mistakes) = resolve::of_profile(profile, trusted_files::has).map_err(Unusable::usage)?;
    let Judged { layer, refused } = judged;
    let settings = Settings::resolve(&layer);
    let contradictions = settings.mismatches().into_iter();
    // A missing goal is not a mistake, because the command line can provide one.
    let contradictions = contradictions.filter(|mismatch| !matches!(mismatch, Mismatch::NoGoal(_)));
    let wrong: Vec<String> = mistakes
        .iter()
        .map(ToString::to_string)
        .chain(contradictions.map(|mismatch| mismatch.to_string()))
        .chain(idiom::prompt_mistakes(&settings))
        .chain(scenario_mistakes(&settings))
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

/// Returns the mistakes in the scenarios.
fn scenario_mistakes(settings: &Settings) -> Vec<String> {
    let numbered = settings.prompt.scenarios.iter().zip(1..);
    let empty = numbered.filter(|(scenario, _)| scenario.goal.trim().is_empty());
    let told = empty.map(|(_, number)| format!("prompt.scenarios: scenario {number} has no goal"));
    told.collect()
}
