//! Suites, and plans of suites, that the person allows.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_suite::plan::PLAN_FILE;
use franz_suite::suite::own_files_of_servers;
use franz_suite::{ResultAddress, ResultStore, SUITE_FILE, SuiteDigest};

use crate::command::suite::{fetch_suite, open};
use crate::exit::Unusable;
use crate::suite::allowed_plan::Unallowed;
use crate::suite::load;
use crate::suite::question::TrustQuestion;
use crate::suite::scratch::Scratch;
use crate::suite::trust::{self, TrustedDigest, TrustedKind};
use crate::terminal::say;

/// The suite or plan at a path that is not a settings file.
pub(super) enum SuitePath {
    /// A suite in this folder.
    Suite(PathBuf),
    /// A plan and its results, in a folder or an object store.
    Plan(PathBuf),
}

impl SuitePath {
    pub(super) fn of(path: &Path) -> Option<SuitePath> {
        if matches!(ResultAddress::of(path), ResultAddress::ObjectStore(_)) {
            return Some(SuitePath::Plan(path.to_owned()));
        }
        let suite = folder_of(path, SUITE_FILE);
        if suite.join(SUITE_FILE).is_file() {
            return Some(SuitePath::Suite(suite.to_owned()));
        }
        let plan = folder_of(path, PLAN_FILE);
        plan.join(PLAN_FILE).is_file().then(|| SuitePath::Plan(plan.to_owned()))
    }

    /// Asks whether it may run here.
    pub(super) fn allow(&self) -> Result<u8> {
        match self {
            SuitePath::Suite(folder) => allow_suite(folder),
            SuitePath::Plan(results) => allow_plan(results),
        }
    }

    /// Returns the digest that it has now.
    fn digest(&self) -> Option<SuiteDigest> {
        match self {
            SuitePath::Suite(folder) => digest_of_suite(folder).ok(),
            SuitePath::Plan(results) => {
                let (store, _) = ResultStore::open(&ResultAddress::of(results)).ok()?;
                Some(store.plan_digest().clone())
            }
        }
    }
}

/// Returns the folder of a path that may name a file in it.
fn folder_of<'a>(path: &'a Path, file: &str) -> &'a Path {
    let parent = || path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if path.ends_with(file) {
        parent().unwrap_or(Path::new("."))
    } else {
        path
    }
}

/// Lets a suite run its code here.
fn allow_suite(folder: &Path) -> Result<u8> {
    let suite = load(folder)?;
    let digest = digest_of_suite(folder)?;
    if trust::has(TrustedKind::Suite, &digest) {
        say(&format!(
            "the suite {} is already allowed; there is nothing to allow",
            suite.name
        ));
        return Ok(0);
    }
    if !TrustQuestion::Suite(&suite, &digest).ask(&mut io::stdin().lock(), &mut io::stdout().lock())? {
        say("nothing is allowed");
        return Ok(1);
    }
    let place = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    trust::remember(TrustedKind::Suite, &digest, suite.name.as_str(), &place)?;
    say(&format!(
        "the suite {} is allowed in its current form, wherever it is; any change needs permission again",
        suite.name
    ));
    Ok(0)
}

fn digest_of_suite(folder: &Path) -> Result<SuiteDigest> {
    let suite = load(folder)?;
    let without = own_files_of_servers(&suite.models, folder);
    Ok(franz_suite::folder::digest(folder, &without).map_err(Unusable::usage)?)
}

/// Lets the models of a plan play its suite here, and the suite run its code.
fn allow_plan(results: &Path) -> Result<u8> {
    let (store, plan) = open(results)?;
    let scratch = Scratch::new(&crate::random()?)?;
    let suite = load(&fetch_suite(&store, &plan, &scratch)?)?;
    let unallowed = Unallowed::of(&store, &plan, &scratch)?;
    let name = &plan.header.suite;
    if unallowed.is_nothing() {
        say(&format!(
            "this plan of the suite {name} is already allowed; there is nothing to allow"
        ));
        return Ok(0);
    }
    let question = TrustQuestion::Plan(&plan, store.plan_digest(), unallowed.suite.then_some(&suite));
    if !question.ask(&mut io::stdin().lock(), &mut io::stdout().lock())? {
        say("nothing is allowed");
        return Ok(1);
    }
    unallowed.allow(&store, &plan)?;
    say(&format!(
        "this plan of the suite {name} is allowed in its current form; any change needs permission again"
    ));
    Ok(0)
}

/// Returns a line for each allowed suite and plan, with its status.
pub(super) fn list() -> Vec<String> {
    let line = |trusted: TrustedDigest| {
        let (kind, standing) = (trusted.kind.word(), standing(&trusted));
        let TrustedDigest {
            digest, name, place, ..
        } = trusted;
        format!("{standing:<8} {kind} {name} {digest} {place}")
    };
    trust::list().into_iter().map(line).collect()
}

/// Returns whether what was allowed is still where it was. No object store is asked.
fn standing(trusted: &TrustedDigest) -> &'static str {
    let place = Path::new(&trusted.place);
    if matches!(ResultAddress::of(place), ResultAddress::ObjectStore(_)) {
        return "allowed";
    }
    match SuitePath::of(place).and_then(|path| path.digest()) {
        Some(digest) if digest == trusted.digest => "allowed",
        Some(_) => "changed",
        None => "missing",
    }
}

/// Stops trusting the suites and plans at a path, as they are now and as they were, or with this digest. Returns how many
/// there were.
pub(super) fn revoke(path: &Path) -> Result<usize> {
    let here = SuitePath::of(path);
    let digest = path.to_str().and_then(|text| text.parse().ok());
    let digest: Option<SuiteDigest> = digest.or_else(|| here.as_ref()?.digest());
    let place = match here {
        Some(SuitePath::Suite(folder) | SuitePath::Plan(folder)) => folder,
        None => path.to_owned(),
    };
    let whole = place.canonicalize().or_else(|_| std::path::absolute(&place))?;
    let is_meant = |trusted: &TrustedDigest| {
        let there = Path::new(&trusted.place);
        there == place || there == whole || digest.as_ref() == Some(&trusted.digest)
    };
    let meant: Vec<TrustedDigest> = trust::list().into_iter().filter(is_meant).collect();
    for trusted in &meant {
        trust::forget(trusted)?;
        let (kind, name, digest) = (trusted.kind.word(), &trusted.name, &trusted.digest);
        say(&format!("the {kind} {name} is no longer allowed ({digest})"));
    }
    Ok(meant.len())
}
