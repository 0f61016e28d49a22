//! A plan that may be played here. Only such a plan reaches an attempt, so no server gets a picture or a key that nobody
//! allowed it.

use std::io;
use std::io::IsTerminal as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::Result;
use franz_suite::plan::AttemptPlan;
use franz_suite::results::SUITE_FOLDER;
use franz_suite::{ResultStore, Suite};

use super::chosen::is_built_in;
use super::question::TrustQuestion;
use super::scratch::Scratch;
use super::shown;
use super::trust::{self, TrustedKind};
use crate::config::profile::BuiltIn;
use crate::exit::Unusable;
use crate::terminal::complain;

/// A plan that the person made or allowed on this machine, or whose digest somebody wrote into the job that plays it.
#[derive(Debug)]
pub(crate) struct AllowedPlan(AttemptPlan);

impl Deref for AllowedPlan {
    type Target = AttemptPlan;

    fn deref(&self) -> &AttemptPlan {
        &self.0
    }
}

/// The parts that the person has not allowed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unallowed {
    pub(crate) suite: bool,
    pub(crate) plan: bool,
}

impl Unallowed {
    /// Finds out what about a plan the person has not allowed.
    pub(crate) fn of(store: &ResultStore, plan: &AttemptPlan, scratch: &Scratch) -> Result<Unallowed> {
        let digest = &plan.header.digest;
        let is_trusted = is_built_in(digest, scratch.folder())? || trust::has(TrustedKind::Suite, digest);
        Ok(Unallowed {
            suite: !is_trusted,
            plan: !trust::has(TrustedKind::Plan, store.plan_digest()),
        })
    }

    pub(crate) fn is_nothing(self) -> bool {
        !self.suite && !self.plan
    }

    /// Remembers that the person allows it.
    pub(crate) fn allow(self, store: &ResultStore, plan: &AttemptPlan) -> Result<()> {
        let header = &plan.header;
        let name = header.suite.as_str();
        if self.suite {
            let place = store.at(SUITE_FOLDER);
            trust::remember(TrustedKind::Suite, &header.digest, name, &place)?;
        }
        if self.plan {
            trust::remember(TrustedKind::Plan, store.plan_digest(), name, &place(store))?;
        }
        Ok(())
    }
}

impl AllowedPlan {
    /// Returns the plan of a store if the person allows it and its suite. In a terminal, they are asked now.
    pub(crate) fn by_person(
        store: &ResultStore,
        plan: AttemptPlan,
        suite: &Suite,
        scratch: &Scratch,
    ) -> Result<AllowedPlan> {
        check_profiles(&plan)?;
        let unallowed = Unallowed::of(store, &plan, scratch)?;
        if unallowed.is_nothing() {
            return Ok(AllowedPlan(plan));
        }
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            let question = TrustQuestion::Plan(&plan, store.plan_digest(), unallowed.suite.then_some(suite));
            if question.ask(&mut io::stdin().lock(), &mut io::stderr().lock())? {
                if let Err(error) = unallowed.allow(store, &plan) {
                    complain(&format!("cannot remember this, so the next run asks again: {error}"));
                }
                return Ok(AllowedPlan(plan));
            }
        }
        let words = if unallowed.suite {
            "a suite runs code: review what it does, then allow it"
        } else {
            "this plan was not made here: review where it sends pictures and keys, then allow it"
        };
        let words = format!("{words} with: franz trust {}", shown(&place(store)));
        Err(Unusable::usage(words).into())
    }

    /// Returns the plan of a store if this is its digest.
    pub(crate) fn by_digest(store: &ResultStore, plan: AttemptPlan, given: &str) -> Result<AllowedPlan> {
        check_profiles(&plan)?;
        let digest = store.plan_digest();
        if given == digest.as_str() {
            return Ok(AllowedPlan(plan));
        }
        let words = format!("--digest is not the digest of this plan, which is {digest}");
        Err(Unusable::usage(words).into())
    }
}

/// Checks that the person lets the code of a plan's suite run here; its models play no part.
pub(crate) fn check_suite(store: &ResultStore, plan: &AttemptPlan, scratch: &Scratch) -> Result<()> {
    if !Unallowed::of(store, plan, scratch)?.suite {
        return Ok(());
    }
    let folder = store.folder().map(|folder| folder.join(SUITE_FOLDER));
    let place = folder.unwrap_or_else(|| store.at(""));
    let words = "a suite runs code: review what it does, then allow it with: franz trust";
    Err(Unusable::usage(format!("{words} {}", place.display())).into())
}

/// Checks that the profiles are built in. A file could name servers and programs.
fn check_profiles(plan: &AttemptPlan) -> Result<()> {
    let unknown = plan.header.profiles.iter();
    let mut unknown = unknown.filter(|profile| BuiltIn::named(profile).is_none());
    match unknown.next() {
        None => Ok(()),
        Some(profile) => Err(Unusable::usage(format!(
            "there is no built-in profile {profile}; `franz profiles` lists them"
        ))
        .into()),
    }
}

/// Returns the location of a plan, as a person would write it.
fn place(store: &ResultStore) -> PathBuf {
    store.folder().map_or_else(|| store.at(""), Path::to_owned)
}
