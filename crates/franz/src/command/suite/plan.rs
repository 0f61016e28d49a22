//! `franz suite plan`

use std::collections::BTreeSet;

use anyhow::Result;
use franz_suite::plan::{AttemptPlan, PlanOptions};
use franz_suite::statistics::{PlanAssumption, smallest_difference};
use franz_suite::suite::{Name, models_of};
use franz_suite::{ResultStore, SuiteModel};

use crate::cli::suite::SuitePlanArgs;
use crate::config::profile::BuiltIn;
use crate::exit::Unusable;
use crate::suite::chosen::ChosenSuite;
use crate::suite::scratch::Scratch;
use crate::terminal::{complain, say};

pub(super) fn run(arguments: &SuitePlanArgs) -> Result<u8> {
    let scratch = Scratch::new(&crate::random()?)?;
    let chosen = ChosenSuite::read(&arguments.suite, scratch.folder())?;
    let models = models(arguments, &chosen)?;
    for profile in &arguments.profiles {
        if BuiltIn::named(profile).is_none() {
            let words = format!("there is no built-in profile {profile}; `franz profiles` lists them");
            return Err(Unusable::usage(words).into());
        }
    }
    let tags = arguments.tag.iter().map(|tag| Name::try_from(tag.clone()));
    let options = PlanOptions {
        franz: env!("CARGO_PKG_VERSION").to_owned(),
        models,
        profiles: arguments.profiles.clone(),
        repeat: arguments.repeat,
        tags: tags.collect::<Result<_, _>>().map_err(Unusable::usage)?,
        limit: arguments.limit,
    };
    let plan = AttemptPlan::new(&chosen.suite, chosen.digest.clone(), &options).map_err(Unusable::usage)?;
    ResultStore::create(&arguments.output, &plan, &chosen.folder).map_err(Unusable::usage)?;
    tell(&plan, &chosen, arguments);
    Ok(0)
}

/// Returns the models that play: those named, or all.
fn models(arguments: &SuitePlanArgs, chosen: &ChosenSuite) -> Result<Vec<SuiteModel>> {
    let mut known = chosen.suite.models.clone();
    for model in &mut known {
        if let Some(file) = &mut model.upstream_file {
            *file = chosen.folder.join(&*file);
        }
    }
    if let Some(file) = &arguments.models_from {
        let mut more = models_of(file).map_err(Unusable::usage)?;
        let folder = file
            .parent()
            .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        for model in &mut more {
            if let (Some(file), Some(folder)) = (&mut model.upstream_file, &folder) {
                *file = folder.join(&*file);
            }
        }
        known.extend(more);
    }
    for given in &arguments.upstream {
        known.push(given_model(given)?);
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = known.iter().find(|model| !names.insert(model.name.clone())) {
        return Err(Unusable::usage(format!("there are two models called {}; rename one", twice.name)).into());
    }
    if known.is_empty() {
        let words = "no model is given: add --upstream NAME=URL, or --models-from FILE with [[model]] tables";
        return Err(Unusable::usage(words).into());
    }
    if arguments.models.is_empty() {
        return Ok(known);
    }
    let find = |name: &String| {
        let found = known.iter().find(|model| model.name.as_str() == name).cloned();
        found.ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|model| model.name.as_str()).collect();
            Unusable::usage(format!("there is no model {name}; there are: {}", names.join(", ")))
        })
    };
    Ok(arguments.models.iter().map(find).collect::<Result<_, _>>()?)
}

fn given_model(given: &str) -> Result<SuiteModel> {
    let wrong = || {
        Unusable::usage(format!(
            "--upstream {given}: write NAME=URL, such as small=http://127.0.0.1:8080"
        ))
    };
    let (name, url) = given.split_once('=').ok_or_else(wrong)?;
    let name = Name::try_from(name.to_owned()).map_err(Unusable::usage)?;
    Ok(SuiteModel {
        name,
        served_as: None,
        upstream: Some(url.to_owned()),
        upstream_file: None,
        key_env: None,
        family: None,
        set: toml::Table::new(),
    })
}

const TOO_LITTLE: &str = "this is too little to show any difference between two models; plan more tasks or repeats";

/// Prints how large the plan is, and the smallest difference between models that it can show.
fn tell(plan: &AttemptPlan, chosen: &ChosenSuite, arguments: &SuitePlanArgs) {
    let tasks: BTreeSet<_> = plan.attempts.iter().map(|attempt| &attempt.task).collect();
    let turns: u64 = plan
        .attempts
        .iter()
        .filter_map(|attempt| chosen.suite.task(&attempt.task))
        .map(|task| task.max_turns)
        .sum();
    let header = &plan.header;
    say(&format!(
        "{}: {}, {}, {}, {}; {turns} requests at most",
        counted(plan.attempts.len(), "attempt"),
        counted(tasks.len(), "task"),
        counted(header.models.len(), "model"),
        counted(header.profiles.len(), "profile"),
        counted(header.repeat as usize, "repeat"),
    ));
    let columns = header.models.len() * header.profiles.len();
    if columns > 1 {
        let pairs = columns * (columns - 1) / 2;
        let assumption = PlanAssumption::default();
        match smallest_difference(tasks.len(), u64::from(header.repeat), pairs, assumption) {
            Some(least) => say(&format!(
                "the smallest difference between two models that this can show: {:.0} points",
                least * 100.0
            )),
            None => complain(TOO_LITTLE),
        }
        say(&assumption.sentence());
    }
    if header.repeat > 1 {
        for model in header.models.iter().filter(|model| model.is_greedy()) {
            complain(&format!(
                "{} has temperature 0: its repeats may all be the same, and then they show nothing new",
                model.name
            ));
        }
    }
    say(&format!("digest of the suite: {}", header.digest));
    say(&format!("next: franz suite run {}", arguments.output.display()));
}

/// Returns a number of things in words.
fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}
