//! Tests results in folders.

#[cfg(unix)]
mod damage;
mod gathering;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::sync::Barrier;

use super::*;
use crate::plan::PlanOptions;
use crate::result::RecordedOutcome;
use crate::suite::{SUITE_FILE, Suite};

const SUITE: &str = "[[task]]\nname = \"a\"\ngoal = \"g\"\nscreen = \"canvas\"\ncheck = \"check.sh\"\n\
                     [[model]]\nname = \"m\"\nupstream = \"demo\"\n";

/// A suite, and a folder for results.
pub(super) struct Bench {
    directory: tempfile::TempDir,
}

impl Bench {
    pub(super) fn new() -> Bench {
        let directory = tempfile::tempdir().unwrap();
        let suite = directory.path().join("suite");
        fs::create_dir(&suite).unwrap();
        fs::create_dir(directory.path().join("prepared")).unwrap();
        fs::write(directory.path().join("prepared/log"), "said").unwrap();
        fs::write(suite.join("check.sh"), "exit 0").unwrap();
        fs::write(suite.join(SUITE_FILE), SUITE).unwrap();
        Bench { directory }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn at(&self, name: &str) -> ResultAddress {
        ResultAddress::of(&self.path(name))
    }

    pub(super) fn plan(&self, repeat: u32) -> AttemptPlan {
        let suite = Suite::load(&self.path("suite"), &crate::SuiteRules::NONE).unwrap();
        let options = PlanOptions {
            franz: "1".to_owned(),
            models: suite.models.clone(),
            profiles: vec!["operator".to_owned()],
            repeat,
            tags: Vec::new(),
            limit: None,
        };
        let digest = folder::digest(&self.path("suite"), &[]).unwrap();
        AttemptPlan::new(&suite, digest, &options).unwrap()
    }

    pub(super) fn store(&self, name: &str, repeat: u32) -> Result<ResultStore, StoreError> {
        ResultStore::create(&self.at(name), &self.plan(repeat), &self.path("suite"), &[])
    }

    pub(super) fn result(&self, store: &ResultStore, attempt: u32, id: &str) -> AttemptResult {
        let planned = self.plan(9).attempts[attempt as usize - 1].clone();
        AttemptResult {
            v: AttemptResult::VERSION,
            plan: store.plan_digest().clone(),
            attempt: planned,
            r#try: id.to_owned(),
            outcome: RecordedOutcome::Solved,
            score: 1.0,
            why: String::new(),
            run: None,
            check: None,
            isolated: false,
            versions: BTreeMap::new(),
            host: String::new(),
            job: String::new(),
        }
    }

    pub(super) fn publish(&self, store: &ResultStore, attempt: u32, id: &str) -> Publication {
        let result = self.result(store, attempt, id);
        store.publish(&result, &self.path("prepared")).unwrap()
    }
}

#[test]
fn the_first_result_wins_and_later_ones_are_kept() {
    let bench = Bench::new();
    let store = bench.store("r", 2).unwrap();
    assert_eq!(bench.publish(&store, 1, "bb"), Publication::First);
    assert_eq!(bench.publish(&store, 1, "aa"), Publication::Duplicate);
    assert_eq!(store.result(1).unwrap().unwrap().r#try, "bb");
    assert!(bench.path("r/attempt_0001/try_aa/duplicate").exists());
    assert!(bench.path("r/attempt_0001/try_aa/log").exists());
    assert_eq!(store.mend().unwrap(), 0);
    assert_eq!(store.result(1).unwrap().unwrap().r#try, "bb");
    let (_, plan) = ResultStore::open(&bench.at("r")).unwrap();
    assert_eq!(store.missing(&plan).unwrap(), [2]);
    store
        .publish_failure(2, "cc", "no server", &bench.path("prepared"))
        .unwrap();
    assert_eq!(
        (store.fruitless(&[1, 2].into()).unwrap(), store.missing(&plan).unwrap()),
        ([(2, fruitless(&["cc"], &[]))].into(), vec![2])
    );
}

fn fruitless(failed: &[&str], skipped: &[&str]) -> FruitlessTries {
    let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    FruitlessTries {
        failed: ids(failed),
        skipped: ids(skipped),
    }
}

#[test]
fn a_skip_is_kept_once_and_settles_nothing() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    let (_, plan) = ResultStore::open(&bench.at("r")).unwrap();
    for program in ["chromium", "wish", "chromium"] {
        store.publish_skip(1, program, &bench.path("prepared"), "x").unwrap();
    }
    let skipped = store.fruitless(&[1].into()).unwrap().remove(&1).unwrap();
    assert_eq!((skipped.failed.len(), skipped.skipped.len()), (0, 2));
    let why = |id: &String| store.why_failed(1, id).unwrap();
    let mut reasons: Vec<String> = skipped.skipped.iter().map(why).collect();
    reasons.sort();
    assert_eq!(reasons, ["chromium is not installed", "wish is not installed"]);
    assert_eq!(store.missing(&plan).unwrap(), [1]);
    assert_eq!(store.mend().unwrap(), 0);
    assert_eq!(bench.publish(&store, 1, "aa"), Publication::First);
    assert!(store.missing(&plan).unwrap().is_empty());
}

#[test]
fn many_may_publish_the_same_skip_at_once() {
    let bench = Bench::new();
    let store = bench.store("r", 9).unwrap();
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (bench, store, start) = (&bench, &store, &start);
            scope.spawn(move || {
                start.wait();
                for attempt in 1..=9 {
                    let skipped = store.publish_skip(attempt, "wish", &bench.path("prepared"), &number.to_string());
                    skipped.unwrap();
                }
            });
        }
    });
    let tries = store.fruitless(&(1..=9).collect()).unwrap();
    assert_eq!(tries.len(), 9);
    let is_once = |tries: &FruitlessTries| tries.failed.is_empty() && tries.skipped.len() == 1;
    assert!(tries.values().all(is_once), "{tries:?}");
}

#[test]
fn the_last_failure_gives_the_reason() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    assert_eq!(store.why_last_failed(1, &[]).unwrap(), None);
    for id in ["zz", "aa"] {
        store.publish_failure(1, id, id, &bench.path("prepared")).unwrap();
    }
    let ids = store.fruitless(&[1].into()).unwrap().remove(&1).unwrap().failed;
    for (older, days) in [("zz", 1), ("aa", 2)] {
        let note = bench.path(&format!("r/attempt_0001/try_{older}/failed.json"));
        let time = SystemTime::now() - std::time::Duration::from_hours(24 * days);
        fs::File::options()
            .write(true)
            .open(note)
            .unwrap()
            .set_modified(time)
            .unwrap();
        let told = store.why_last_failed(1, &ids).unwrap().unwrap();
        assert_ne!(told, older);
    }
}

/// A process can be killed between these two steps.
#[test]
fn a_try_that_was_published_but_not_linked_is_found() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    bench.publish(&store, 1, "aa");
    fs::remove_file(bench.path("r/attempt_0001/result.json")).unwrap();
    // A try that was cut off while it was copied is nothing.
    fs::create_dir(bench.path("r/attempt_0001/.try_bb")).unwrap();
    fs::write(bench.path("r/attempt_0001/.try_bb/result.json"), "{").unwrap();
    assert_eq!(store.mend().unwrap(), 1);
    assert_eq!(store.result(1).unwrap().unwrap().r#try, "aa");
}

#[test]
fn of_many_at_once_exactly_one_wins() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    let start = Barrier::new(8);
    let wins = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (bench, store, start) = (&bench, &store, &start);
                scope.spawn(move || {
                    start.wait();
                    let publication = bench.publish(store, 1, &format!("{number:02}"));
                    store.mend().unwrap();
                    store.write_results(&format!("{number}")).unwrap();
                    publication
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    let first = wins.iter().filter(|win| **win == Publication::First).count();
    assert_eq!(first, 1, "{wins:?}");
    let lines = fs::read_to_string(bench.path("r/results.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 1);
}

#[test]
fn a_duplicate_that_was_not_marked_is_marked_later() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    bench.publish(&store, 1, "aa");
    bench.publish(&store, 1, "bb");
    let mark = bench.path("r/attempt_0001/try_bb/duplicate");
    fs::remove_file(&mark).unwrap();
    assert_eq!(store.mend().unwrap(), 0);
    assert!(mark.exists() && !bench.path("r/attempt_0001/try_aa/duplicate").exists());
}

#[test]
fn addresses_are_told_apart() {
    for (written, is_folder) in [
        ("results", true),
        ("/s3:/x", true),
        ("s3:/b/p", true),
        ("s3://b/p", false),
    ] {
        let address = ResultAddress::of(Path::new(written));
        assert_eq!(matches!(address, ResultAddress::Folder(_)), is_folder, "{written}");
        assert_eq!(address.to_string(), written);
    }
}

#[cfg(not(feature = "cloud"))]
#[test]
fn without_the_feature_an_object_store_is_refused_with_what_to_do() {
    let error = ResultStore::open(&ResultAddress::of(Path::new("s3://b/p"))).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("s3://b/p: ") && text.contains("--features cloud"),
        "{text}"
    );
    assert!(!error.may_pass());
}

#[test]
fn an_error_says_whether_to_try_again() {
    for (kind, expected) in [
        (ErrorKind::TimedOut, true),
        (ErrorKind::StorageFull, true),
        (ErrorKind::StaleNetworkFileHandle, true),
        (ErrorKind::Other, true),
        (ErrorKind::PermissionDenied, false),
        (ErrorKind::NotADirectory, false),
    ] {
        let error = FolderError::at(Path::new("r"))(kind.into());
        assert_eq!(StoreError::from(error).may_pass(), expected, "{kind}");
    }
    let none = StoreError::NoPlan { place: "r".into() };
    assert!(!none.may_pass());
}

#[test]
fn results_that_the_plan_does_not_have_do_not_count() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    bench.publish(&store, 1, "aa");
    fs::create_dir(bench.path("r/attempt_0099")).unwrap();
    fs::copy(
        bench.path("r/attempt_0001/result.json"),
        bench.path("r/attempt_0099/result.json"),
    )
    .unwrap();
    let collected = store.collect(|_| true).unwrap();
    assert_eq!(collected.results.len(), 1);
    let told = collected.damaged[0].to_string();
    assert!(
        told.ends_with("because the plan has no such attempt; remove it"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn nothing_unfinished_stays() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    std::os::unix::fs::symlink("log", bench.path("prepared/none")).unwrap();
    let result = bench.result(&store, 1, "aa");
    store.publish(&result, &bench.path("prepared")).unwrap_err();
    let attempt = bench.path("r/attempt_0001");
    assert_eq!(fs::read_dir(&attempt).unwrap().count(), 0);
    // What a killed process left is removed once it is surely given up.
    let (old, new) = (attempt.join(".try_bb.bb"), attempt.join(".try_cc.cc"));
    for folder in [&old, &new] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("kept.zip"), "half").unwrap();
    }
    let days = SystemTime::now() - std::time::Duration::from_hours(48);
    for path in [old.join("kept.zip"), old.clone(), new.clone()] {
        fs::File::open(path).unwrap().set_modified(days).unwrap();
    }
    store.remove_unfinished().unwrap();
    assert!(!old.exists() && new.exists(), "its file is new");
}

#[test]
fn a_failure_counts_even_if_its_reason_cannot_be_written() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    // A folder in the way of the reason stands for a full disk.
    fs::create_dir(bench.path("prepared/failed.json")).unwrap();
    fs::write(bench.path("prepared/failed.json/x"), "").unwrap();
    store
        .publish_failure(1, "aa", "no room", &bench.path("prepared"))
        .unwrap();
    assert_eq!(store.fruitless(&[1].into()).unwrap()[&1], fruitless(&["aa"], &[]));
    assert_eq!(store.why_failed(1, "aa").unwrap(), "its reason could not be written");
}

#[test]
fn a_plan_that_was_removed_may_be_made_again() {
    let bench = Bench::new();
    let store = bench.store("r", 1).unwrap();
    bench.publish(&store, 1, "aa");
    fs::remove_file(bench.path("r/plan.jsonl")).unwrap();
    let error = bench.store("r", 2).unwrap_err().to_string();
    assert!(error.contains("is the result of another plan"), "{error}");
    let again = bench.store("r", 1).unwrap();
    assert_eq!(again.results().unwrap().len(), 1);
}
