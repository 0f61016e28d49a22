//! Checks that start processes without end.

use std::fs;

use franz_suite::RecordedOutcome;

use super::bench::{Bench, drawer};
use super::faults::is_mentioned;
use crate::harness::spawn;

/// A process in a session of its own that starts another one before it ends; for a few seconds.
const HOPS: &str = "[ $(date +%s) -lt $2 ] || exit 0\nsleep 0.3\nsetsid sh \"$0\" \"$1\" \"$2\" &\n";

/// Returns a check that starts so many of them.
fn hopping(count: u32, mark: &str, then: &str) -> String {
    format!(
        "end=$(($(date +%s) + 20))\ni=0\nwhile [ $i -lt {count} ]; do\n\
         setsid sh \"${{0%/*}}/hops.sh\" {mark} $end &\ni=$((i + 1))\ndone\n{then}\n"
    )
}

#[test]
fn processes_that_start_others_before_they_end_outlive_no_check() {
    for is_isolated in [true, false] {
        let place = tempfile::tempdir().unwrap();
        let mark = format!("mark-{}", place.path().file_name().unwrap().display());
        let (hops, leaves) = (hopping(60, &mark, "sleep 600"), hopping(5, &mark, "exit 0"));
        let bench = Bench::with(
            &[("hops", &hops), ("leaves", &leaves), ("fine", "exit 0")],
            &[("hops", "check_s = 2")],
        );
        for task in ["hops", "leaves"] {
            fs::write(bench.place.path(&format!("suite/{task}/hops.sh")), HOPS).unwrap();
        }
        bench.trust();
        let server = drawer();
        bench.plan(&server, &["--repeat", "1"]);
        let mut run = bench.place.program(&["suite", "run", "results"]);
        if !is_isolated {
            run.env("PATH", bench.place.without_bubblewrap());
        }
        let ran = spawn(run).finish();
        assert!(!is_mentioned(&mark), "a process is left");
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let results = bench.results();
        assert!(results.values().all(|result| result.isolated == is_isolated));
        let of = |task: &str| (results[task].outcome, results[task].why.as_str());
        assert_eq!(of("hops"), (RecordedOutcome::Fault, "the check did not end"));
        assert_eq!(of("leaves"), (RecordedOutcome::Solved, ""));
        assert_eq!(of("fine"), (RecordedOutcome::Solved, ""));
    }
}

/// Without a sandbox, the parent of a check is the process that ends what it leaves behind.
#[test]
fn what_a_check_starts_ends_even_if_it_kills_its_parent() {
    let place = tempfile::tempdir().unwrap();
    let mark = format!("mark-{}", place.path().file_name().unwrap().display());
    let kills = format!(
        "setsid sh -c 'touch started; sleep 600; : {mark}' &\nuntil test -e started; do sleep 0.01; done\n\
         kill -9 $PPID\nsleep 600\n"
    );
    let bench = Bench::new(&[("kills", &kills), ("fine", "exit 0")]);
    let server = drawer();
    bench.plan(&server, &["--repeat", "1"]);
    let mut run = bench.place.program(&["suite", "run", "results"]);
    run.env("PATH", bench.place.without_bubblewrap());
    let ran = spawn(run).finish();
    assert!(!is_mentioned(&mark), "a process is left");
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let results = bench.results();
    assert_eq!(results["kills"].why, "the check ended with 137");
    assert_eq!(results["fine"].outcome, RecordedOutcome::Solved);
}
