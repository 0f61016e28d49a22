//! A folder for results that answers late, or whose answers get lost.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use franz_suite::RecordedOutcome;

use super::bench::{Bench, DRAWN, drawer};
use super::names;
use super::shim::{Shim, text};
use crate::harness::spawn;

const LATE: &str = include_str!("shim/late.c");

/// How long opening a file of the suite takes, and a check at most, in seconds.
const OPENING: u32 = 9;
const CHECKING: u32 = 8;

/// Two processes play the same attempts at the same time.
#[test]
fn a_late_folder_loses_nothing_counts_nothing_twice_and_costs_no_model_its_time() {
    for loses in [false, true] {
        let limits = format!("check_s = {CHECKING}\nrun_s = 600\n");
        let bench = Bench::with(&[("drawn", DRAWN)], &[("drawn", &limits)]);
        let server = drawer();
        bench.plan(&server, &["--repeat", "3"]);
        let digest = bench.digest();
        let results = bench.place.path("results");
        let lost = bench.place.path("lost");
        let mut variables = vec![("LATE_FOLDER", text(&results)), ("LATE_MS", "200".to_owned())];
        if loses {
            variables.push(("LOSES", text(&lost)));
        } else {
            let suite = text(&results.join("suite"));
            variables.extend([("LATE_SUITE", suite), ("LATE_SUITE_MS", (OPENING * 1000).to_string())]);
        }
        let shim = Shim::new(&bench.place, LATE, variables);
        let shard = || {
            let arguments = [
                "suite", "shard", "results", "--index", "0", "--of", "1", "--digest", &digest,
            ];
            spawn(shim.on(bench.place.program(&arguments)))
        };
        let began = Instant::now();
        for ended in [shard(), shard()] {
            let ended = ended.finish();
            assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
        }
        let is_late = began.elapsed() >= Duration::from_secs(OPENING.into());
        assert!(if loses { lost.exists() } else { is_late }, "the folder had no fault");
        let all = bench.all_results();
        assert_eq!(all.len(), 3);
        let mut duplicates = 0;
        for result in &all {
            assert_eq!(result.outcome, RecordedOutcome::Solved, "{result:?}");
            assert!(
                result.check.as_ref().unwrap().seconds < f64::from(CHECKING),
                "{result:?}"
            );
            let folder = results.join(format!("attempt_{:04}", result.attempt.attempt));
            duplicates += check(&folder, &format!("try_{}", result.r#try));
        }
        println!("{duplicates} duplicates");
        let gathered = bench.franz(&["gather", "results"]);
        assert_eq!(
            gathered.stdout, "3 of 3 attempts have results\n",
            "nothing was left to mend"
        );
    }
}

/// Checks that every try of an attempt is whole, and that all but the result are marked. Returns how many these are.
fn check(folder: &Path, result: &str) -> usize {
    let tries = names(folder).into_iter().filter(|name| name != "result.json");
    let mut duplicates = 0;
    for name in tries {
        assert!(name.starts_with("try_"), "nothing half done is left: {name}");
        assert!(fs::metadata(folder.join(&name).join("result.json")).unwrap().len() > 0);
        let is_marked = folder.join(&name).join("duplicate").exists();
        assert_eq!(is_marked, name != result, "{name}");
        duplicates += usize::from(is_marked);
    }
    duplicates
}
