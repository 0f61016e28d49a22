//! `franz suite plan`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_suite::plan::{AttemptPlan, PlanOptions};
use franz_suite::results::SUITE_FOLDER;
use franz_suite::statistics::{PlanAssumption, smallest_difference};
use franz_suite::suite::Name;
use franz_suite::{ResultAddress, ResultStore, SuiteModel};

use crate::cli::suite::SuitePlanArgs;
use crate::config::profile::BuiltIn;
use crate::exit::Unusable;
use crate::quantity::{counted, size};
use crate::suite::chosen::ChosenSuite;
use crate::suite::models;
use crate::suite::rules;
use crate::suite::scratch::Scratch;
use crate::suite::trust::{self, TrustedKind};
use crate::suite::{shown, unusable};
use crate::terminal::{complain, say};

pub(super) fn run(arguments: &SuitePlanArgs) -> Result<u8> {
    let scratch = Scratch::new(&crate::random()?)?;
    let chosen = ChosenSuite::read(&arguments.suite, scratch.folder())?;
    check_output(arguments, &chosen)?;
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
    rules::check_plan(&plan, &chosen.suite)?;
    let output = ResultAddress::of(&arguments.output);
    let store = ResultStore::create(&output, &plan, &chosen.folder, &chosen.without).map_err(unusable)?;
    remember(&store, &plan);
    tell(&plan, &chosen);
    models::warn_of_keys(&plan.header.models);
    say(&format!("digest of the plan: {}", store.plan_digest()));
    say(&format!("next: franz suite run {}", shown(&arguments.output)));
    Ok(0)
}

/// Checks that the results do not become a part of the suite, nor the suite a part of the results.
fn check_output(arguments: &SuitePlanArgs, chosen: &ChosenSuite) -> Result<()> {
    let ResultAddress::Folder(output) = ResultAddress::of(&arguments.output) else {
        return Ok(());
    };
    let output = resolved(&std::path::absolute(output)?);
    let words = if output.starts_with(&chosen.folder) {
        "is in the suite's folder, so results would change the suite"
    } else if chosen.folder.starts_with(output.join(SUITE_FOLDER)) {
        "would copy the suite onto itself"
    } else {
        return Ok(());
    };
    let words = format!(
        "-o {} {words}; name another folder, outside the suite",
        arguments.output.display()
    );
    Err(Unusable::usage(words).into())
}

/// Resolves the links in the part of a path that exists.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize()
        .unwrap_or_else(|_| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => resolved(parent).join(name),
            _ => path.to_owned(),
        })
}

/// Remembers the plan: the person names its models and their servers with this command.
fn remember(store: &ResultStore, plan: &AttemptPlan) {
    let place = store.folder().map_or_else(|| store.at(""), absolute);
    let name = plan.header.suite.as_str();
    if let Err(error) = trust::remember(TrustedKind::Plan, store.plan_digest(), name, &place) {
        complain(&format!("cannot remember this plan, so `run` asks about it: {error}"));
    }
}

fn absolute(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
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

const TOO_LITTLE: &str = "this plan is too small to show any difference between two models; plan more tasks or repeats";

/// The bytes that a kept turn takes on disk, as `docs/scale.md` measured them: on a private desktop with a terminal, and
/// with pictures on the whole screen.
const EMPTY_TURN: u64 = 26_000;
const FULL_TURN: u64 = 2_000_000;

/// Prints the plan's size, its cost, and the smallest difference between models that it can show.
fn tell(plan: &AttemptPlan, chosen: &ChosenSuite) {
    let tasks: BTreeSet<_> = plan.attempts.iter().map(|attempt| &attempt.task).collect();
    let turns: u64 = plan
        .attempts
        .iter()
        .filter_map(|attempt| chosen.suite.task(&attempt.task))
        .map(|task| task.max_turns)
        .sum();
    let header = &plan.header;
    let repeats = plan.repeats();
    say(&format!(
        "{}: {}, {}, {}, {}",
        counted(plan.attempts.len(), "attempt"),
        counted(tasks.len(), "task"),
        counted(header.models.len(), "model"),
        counted(header.profiles.len(), "profile"),
        counted(repeats as usize, "repeat"),
    ));
    say(&format!(
        "at most {}, each with a picture; if all attempts are kept, {} on disk with nearly empty screens, and {} with \
         pictures on them",
        counted(usize::try_from(turns).unwrap_or(usize::MAX), "request"),
        size(turns.saturating_mul(EMPTY_TURN)),
        size(turns.saturating_mul(FULL_TURN)),
    ));
    tell_difference(plan, tasks.len(), repeats);
    if repeats > 1 {
        warn_of_repeats(plan, chosen, &tasks);
    }
}

/// Prints the smallest difference between models that the plan can show.
fn tell_difference(plan: &AttemptPlan, tasks: usize, repeats: u32) {
    let header = &plan.header;
    let columns = header.models.len() * header.profiles.len();
    if columns < 2 {
        return;
    }
    let pairs = columns * (columns - 1) / 2;
    let assumption = PlanAssumption::default();
    match smallest_difference(tasks, u64::from(repeats), pairs, assumption) {
        Some(least) => say(&format!(
            "the smallest difference between two models that the plan can show: {:.0} points",
            least * 100.0
        )),
        None => complain(TOO_LITTLE),
    }
    say(&assumption.sentence());
}

/// Warns about repeats that add no information, because a model's or a task's temperature is 0.
fn warn_of_repeats(plan: &AttemptPlan, chosen: &ChosenSuite, tasks: &BTreeSet<&Name>) {
    const SAME: &str = "has temperature 0: its repeats might be identical and add no information";
    let models = &plan.header.models;
    for model in models.iter().filter(|model| model.is_greedy()) {
        complain(&format!("{} {SAME}", model.name));
    }
    let greedy = |name: &&&Name| {
        let task = chosen.suite.task(name);
        task.is_some_and(|task| models.iter().any(|model| model.is_greedy_at(task)))
    };
    for task in tasks.iter().filter(greedy) {
        complain(&format!("the task {task} {SAME}"));
    }
}
