//! `franz suite plan`

use std::collections::BTreeSet;

use anyhow::Result;
use franz_suite::plan::{AttemptPlan, PlanOptions};
use franz_suite::statistics::{PlanAssumption, smallest_difference};
use franz_suite::suite::Name;
use franz_suite::{ResultAddress, ResultStore, SuiteModel};

use crate::cli::suite::SuitePlanArgs;
use crate::config::profile::BuiltIn;
use crate::exit::Unusable;
use crate::suite::chosen::ChosenSuite;
use crate::suite::models;
use crate::suite::scratch::Scratch;
use crate::suite::unusable;
use crate::terminal::{complain, say};

pub(super) fn run(arguments: &SuitePlanArgs) -> Result<u8> {
    let scratch = Scratch::new(&crate::random()?)?;
    let chosen = ChosenSuite::read(&arguments.suite, scratch.folder())?;
    let models = players(arguments, &chosen)?;
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
    let output = ResultAddress::of(&arguments.output);
    ResultStore::create(&output, &plan, &chosen.folder).map_err(unusable)?;
    tell(&plan, &chosen, arguments);
    Ok(0)
}

/// Returns the models that play: those named, or all.
fn players(arguments: &SuitePlanArgs, chosen: &ChosenSuite) -> Result<Vec<SuiteModel>> {
    let mut known = chosen.suite.models.clone();
    for model in &mut known {
        if let Some(file) = &mut model.upstream_file {
            *file = chosen.folder.join(&*file);
        }
    }
    if let Some(file) = &arguments.models_from {
        known.extend(models::of_file(file)?);
    }
    for given in &arguments.upstream {
        known.push(models::given(given)?);
    }
    models::chosen(known, &arguments.models)
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
