//! Plans that somebody else wrote, and what the person allows.

use std::fs;

use franz_demo::DemoHandle;
use franz_suite::{RecordedOutcome, Suite, basics, folder};

use super::bench::{Bench, DRAWN, drawer};
use crate::harness::{Finished, spawn, url};

/// A key that must reach no server unasked.
const KEY: &str = "secret-key-secret-key";

/// Rewrites the plan in `results`, so that a model gets another server, a key and a setting.
fn plant(bench: &Bench, old: &DemoHandle, new: &DemoHandle) {
    let file = bench.place.path("results/plan.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let with = format!(
        "{:?},\"key_env\":\"OUR_KEY\",\"set\":{{\"model.timeout_s\":77}}",
        url(new)
    );
    let planted = text.replace(&format!("{:?}", url(old)), &with);
    assert_ne!(planted, text);
    fs::write(file, planted).unwrap();
}

/// Runs a command with a key in the environment.
fn with_key(bench: &Bench, arguments: &[&str]) -> Finished {
    let mut command = bench.place.program(arguments);
    command.env("OUR_KEY", KEY);
    spawn(command).finish()
}

#[test]
fn a_plan_that_somebody_planted_sends_nothing_until_it_is_allowed() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let (server, thief) = (drawer(), drawer());
    bench.plan(&server, &["--repeat", "1"]);
    let before = bench.digest();
    plant(&bench, &server, &thief);
    let shard = [
        "suite", "shard", "results", "--index", "0", "--of", "1", "--digest", &before,
    ];
    let submit = ["suite", "submit", "results", "--engine", "slurm", "--dry-run"];
    for (arguments, told) in [
        (&["suite", "run", "results"][..], "this plan was not made here"),
        (&submit, "this plan was not made here"),
        (&shard, "is not the digest of this plan"),
    ] {
        let refused = with_key(&bench, arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(told), "{arguments:?}: {}", refused.stderr);
        let advised = refused.stderr.contains("franz trust /") && refused.stderr.contains("/results");
        assert!(advised || arguments == &shard[..], "{}", refused.stderr);
        assert_eq!(refused.stdout, "", "{arguments:?}");
    }
    // The checks of a suite that is allowed may run again; no model plays.
    assert_eq!(bench.franz(&["rescore", "results"]).code, Some(0));
    assert!(thief.requests().is_empty() && bench.all_results().is_empty());

    let shown = bench.allow("results");
    for line in [
        format!("  demo sends pictures to {} with the key in OUR_KEY\n", url(&thief)),
        "  demo sets model.timeout_s = 77\n".to_owned(),
        "with 1 attempt in all and the profile draw:\n".to_owned(),
    ] {
        assert!(shown.contains(&line), "{line}: {shown}");
    }
    assert!(!shown.contains("check.sh"), "the suite is allowed already: {shown}");
    let ran = with_key(&bench, &["suite", "run", "results"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(bench.results()["drawn"].outcome, RecordedOutcome::Solved);
    assert!(server.requests().is_empty() && !thief.requests().is_empty());
}

#[test]
fn the_built_in_suite_lets_nobody_choose_servers_either() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let (server, thief) = (drawer(), drawer());
    let model = format!("demo={}", url(&server));
    let planned = bench.franz(&["plan", "basics", "--upstream", &model, "--limit", "1", "-o", "results"]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    plant(&bench, &server, &thief);
    let refused = with_key(&bench, &["suite", "run", "results"]);
    assert_eq!(refused.code, Some(2), "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains("review where it sends pictures and keys"),
        "{}",
        refused.stderr
    );
    assert!(thief.requests().is_empty());
    // A profile in a file could name servers and programs, so no permission is asked for one.
    let file = bench.place.path("results/plan.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"operator\"", "\"/tmp/mine.toml\"")).unwrap();
    let refused = with_key(&bench, &["suite", "run", "results"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("there is no built-in profile /tmp/mine.toml"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_plan_that_would_undo_what_an_attempt_needs_cannot_even_be_allowed() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let file = bench.place.path("results/plan.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let set = format!("{:?},\"set\":{{\"screen.kind\":\"desktop\"}}", url(&server));
    fs::write(&file, text.replace(&format!("{:?}", url(&server)), &set)).unwrap();
    for arguments in [&["suite", "run", "results"][..], &["trust", "results"]] {
        let refused = with_key(&bench, arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        let told = "screen.kind is set by the suite itself";
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
}

#[test]
fn what_is_allowed_is_listed_and_can_be_revoked() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let list = || spawn(bench.place.program(&["trust", "--list"])).finish().stdout;
    let revoke = |what: &str| spawn(bench.place.program(&["trust", "--revoke", what])).finish();
    let suite = folder::digest(&bench.place.path("suite"), &[]).unwrap();
    let both = list();
    assert!(both.starts_with(&format!("allowed  suite suite {suite} /")), "{both}");
    assert!(
        both.contains(&format!("\nallowed  plan suite {} /", bench.digest())),
        "{both}"
    );

    let check = bench.place.path("suite/drawn/check.sh");
    fs::write(&check, "exit 0\n").unwrap();
    assert!(list().starts_with("changed  suite suite"), "{}", list());
    assert_eq!(bench.franz(&["test", "suite"]).code, Some(2));
    let revoked = revoke("results");
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    assert!(
        revoked.stdout.contains("the plan suite is no longer allowed"),
        "{}",
        revoked.stdout
    );
    assert_eq!(bench.franz(&["run", "results"]).code, Some(2));
    // The copy in the results is the suite as it was.
    let revoked = revoke("results/suite");
    assert!(
        revoked.stdout.contains("the suite suite is no longer allowed"),
        "{}",
        revoked.stdout
    );
    assert_eq!(list(), "");
    assert_eq!(revoke("suite").code, Some(2));

    bench.trust();
    let digest = folder::digest(&bench.place.path("suite"), &[]).unwrap();
    fs::remove_dir_all(bench.place.path("suite")).unwrap();
    assert!(list().starts_with("missing  suite suite"), "{}", list());
    assert_eq!(revoke(digest.as_str()).code, Some(0));
    assert_eq!(list(), "");
}

/// Without a list of what is allowed, a plan of the built-in suite is asked about, and nothing else is.
#[test]
fn a_suite_that_is_built_in_is_not_shown_again() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let server = drawer();
    let model = format!("demo={}", url(&server));
    bench.franz(&["plan", "basics", "--upstream", &model, "--limit", "1", "-o", "results"]);
    let digest = bench.digest();
    let revoked = spawn(bench.place.program(&["trust", "--revoke", &digest])).finish();
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    let written = bench.place.path("basics");
    basics::write(&written).unwrap();
    let task = &Suite::load(&written, &franz_suite::SuiteRules::NONE).unwrap().tasks[0].name;
    let shown = bench.allow("results");
    assert!(shown.contains("demo sends pictures to"), "{shown}");
    assert!(!shown.contains(&format!("  {task}: ")), "{shown}");
}
