//! A clock that is set while attempts run.

use std::fs;

use franz_suite::RecordedOutcome;

use super::bench::{Bench, DRAWN, drawer, try_folder};
use super::doorman::Doorman;
use super::names;
use super::shim::Shim;
use crate::harness::{spawn, wait_until};

const CLOCK: &str = include_str!("shim/clock.c");

/// How far the clock jumps, in seconds.
const HOUR: i64 = 3600;

/// Lets the clock jump by so many seconds once there is a file `jump`.
fn jumping(bench: &Bench, seconds: i64) -> Shim {
    let file = bench.place.path("jump").display().to_string();
    Shim::new(
        &bench.place,
        CLOCK,
        vec![("JUMP_FILE", file), ("JUMP_S", seconds.to_string())],
    )
}

/// Both shards play while the clock is set, in the middle of their runs.
#[test]
fn a_clock_that_is_set_during_runs_changes_no_limit_and_no_count() {
    for seconds in [HOUR, -HOUR] {
        let bench = Bench::with(&[("drawn", DRAWN)], &[("drawn", "run_s = 600\n")]);
        let server = drawer();
        let door = Doorman::holding_pictures(&server);
        bench.plan_at(&door.url, &["--repeat", "4"]);
        let shim = jumping(&bench, seconds);
        let digest = bench.digest();
        let shard = |index: &str| {
            let arguments = [
                "suite", "shard", "results", "--index", index, "--of", "2", "--keep", "all", "--digest",
            ];
            spawn(shim.on(bench.place.program(&[&arguments[..], &[&digest]].concat())))
        };
        let shards = [shard("0"), shard("1")];
        // The run waits for its reply while the clock is set.
        wait_until("the request of a run", || (door.inside() > 0).then_some(()));
        fs::write(bench.place.path("jump"), "").unwrap();
        door.open();
        for ended in shards {
            let ended = ended.finish();
            assert_eq!(ended.code, Some(0), "{seconds}: {}{}", ended.stdout, ended.stderr);
        }
        let results = bench.all_results();
        assert_eq!(results.len(), 4);
        let mut jumped = 0;
        for result in &results {
            assert_eq!(result.outcome, RecordedOutcome::Solved, "{seconds}: {result:?}");
            let (run, check) = (result.run.as_ref().unwrap(), result.check.as_ref().unwrap());
            assert!(run.exit.is_some() && run.turns == 2, "{seconds}: {run:?}");
            for took in [run.seconds, check.seconds] {
                assert!((0.0..600.0).contains(&took), "{seconds}: {result:?}");
            }
            let attempt = format!("attempt_{:04}", result.attempt.attempt);
            assert_eq!(
                names(&bench.place.path("results").join(&attempt)).len(),
                2,
                "one try each"
            );
            jumped += u32::from(recorded_jump(&bench, &try_folder(result)).abs() > HOUR / 2);
        }
        assert!(jumped > 0, "{seconds}: the clock jumped in the middle of no run");
    }
}

/// Returns by how many seconds the end of a run is later than its first turn, as the record says.
fn recorded_jump(bench: &Bench, folder: &str) -> i64 {
    let kept = bench.place.path("results").join(folder).join("kept.zip");
    let to = bench.place.path(&folder.replace('/', "-"));
    franz_suite::archive::unpack(&kept, &to).unwrap();
    let time = |file: &str, key: &str| {
        let text = fs::read_to_string(to.join("run").join(file)).unwrap();
        let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        line[key]
            .as_str()
            .unwrap()
            .parse::<jiff::Timestamp>()
            .unwrap()
            .as_second()
    };
    time("ended.json", "at") - time("turns_0001_1000.jsonl", "started")
}

#[test]
fn a_clock_that_is_set_during_a_check_changes_no_limit() {
    for seconds in [HOUR, -HOUR] {
        let bench = Bench::with(
            &[
                ("ends", "touch ../../../jump-PLACE; sleep 0.5; exit 0"),
                ("hangs", "touch ../../../jump-PLACE; while :; do sleep 0.1; done"),
            ],
            &[("ends", "check_s = 600"), ("hangs", "check_s = 1.5")],
        );
        let jump = bench.place.path("jump").display().to_string();
        for task in ["ends", "hangs"] {
            let file = bench.place.path(&format!("suite/{task}/check.sh"));
            let text = fs::read_to_string(&file).unwrap().replace("../../../jump-PLACE", &jump);
            fs::write(&file, text).unwrap();
        }
        bench.trust();
        let server = drawer();
        bench.plan(&server, &["--repeat", "1"]);
        let shim = jumping(&bench, seconds);
        let ran = spawn(shim.on(bench.place.program(&["suite", "run", "results"]))).finish();
        assert_eq!(ran.code, Some(0), "{seconds}: {}{}", ran.stdout, ran.stderr);
        assert!(bench.place.path("jump").exists());
        let results = bench.results();
        assert_eq!(results["ends"].outcome, RecordedOutcome::Solved, "{seconds}");
        assert_eq!(results["hangs"].why, "the check did not end", "{seconds}");
        let took = |task: &str| results[task].check.as_ref().unwrap().seconds;
        assert!(
            (0.5..600.0).contains(&took("ends")) && (1.5..600.0).contains(&took("hangs")),
            "{seconds}"
        );
    }
}
