//! Tests what is gathered from the results of other disks.

use super::*;

#[test]
fn tries_of_other_disks_are_taken_once() {
    let bench = Bench::new();
    let (shared, local) = (bench.store("r", 2).unwrap(), bench.store("l", 2).unwrap());
    bench.publish(&local, 1, "aa");
    local
        .publish_failure(2, "bb", "no server", &bench.path("prepared"))
        .unwrap();
    assert_eq!(shared.take_from(&local, "x", &bench.path("scratch")).unwrap().new, 2);
    assert_eq!(shared.take_from(&local, "x", &bench.path("scratch")).unwrap().new, 0);
    assert_eq!(shared.results().unwrap().len(), 1);
    assert_eq!(shared.fruitless(&[2].into()).unwrap()[&2], fruitless(&["bb"], &[]));
    assert_eq!(shared.why_failed(2, "bb").unwrap(), "no server");
}

#[cfg(unix)]
#[test]
fn a_try_that_cannot_be_copied_does_not_keep_the_others() {
    let bench = Bench::new();
    let (shared, local) = (bench.store("r", 4).unwrap(), bench.store("l", 4).unwrap());
    for attempt in 1..=4 {
        bench.publish(&local, attempt, "aa");
    }
    let own = |attempt: u32| bench.path(&format!("l/attempt_{attempt:04}/try_aa"));
    std::os::unix::fs::symlink("log", own(1).join("link")).unwrap();
    fs::remove_file(own(2).join(RESULT_FILE)).unwrap();
    fs::create_dir(own(2).join(RESULT_FILE)).unwrap();
    let long = fs::File::options().write(true).open(own(3).join(RESULT_FILE)).unwrap();
    long.set_len(MOST_RESULT_BYTES + 1).unwrap();
    let taken = shared.take_from(&local, "x", &bench.path("scratch")).unwrap();
    assert_eq!((taken.new, taken.refused.len()), (1, 3));
    let told = [
        "link is neither a file nor a folder",
        "it is not a file",
        "it is longer than",
    ];
    for ((error, words), attempt) in taken.refused.iter().zip(told).zip(1..) {
        let error = error.to_string();
        let try_path = format!("attempt_{attempt:04}/try_aa");
        assert!(error.contains(&try_path) && error.contains(words), "{error}");
    }
    assert_eq!(shared.results().unwrap().len(), 1);
    assert_eq!(fs::read_dir(bench.path("scratch")).unwrap().count(), 0);
}

#[test]
fn a_gathered_attempt_keeps_its_result() {
    let bench = Bench::new();
    let local = bench.store("l", 1).unwrap();
    bench.publish(&local, 1, "bb");
    bench.publish(&local, 1, "aa");
    let take = |name: &str| {
        let taker = bench.store(name, 1).unwrap();
        assert_eq!(taker.take_from(&local, "x", &bench.path("scratch")).unwrap().new, 2);
        assert_eq!(taker.result(1).unwrap().unwrap().r#try, "bb");
        let is_marked = |id: &str| bench.path(&format!("{name}/attempt_0001/try_{id}/duplicate")).exists();
        assert_eq!((is_marked("aa"), is_marked("bb")), (true, false));
    };
    take("r");
    // After a copy without hard links, every try is marked.
    let (result, copy) = (bench.path("l/attempt_0001/result.json"), bench.path("copy"));
    fs::copy(&result, &copy).unwrap();
    fs::rename(&copy, &result).unwrap();
    fs::write(bench.path("l/attempt_0001/try_bb/duplicate"), "").unwrap();
    take("s");
}

#[test]
fn results_of_another_plan_are_refused() {
    let bench = Bench::new();
    let store = bench.store("r", 2).unwrap();
    bench.store("r", 2).unwrap();
    let error = bench.store("r", 3).unwrap_err().to_string();
    assert!(
        error.contains("already holds another plan, of the suite suite with 2 attempts"),
        "{error}"
    );
    let other = bench.store("o", 3).unwrap();
    let error = store
        .take_from(&other, "x", &bench.path("scratch"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("have different plans") && error.contains("gather takes results of one plan only"),
        "{error}"
    );
    let error = ResultStore::open(&bench.at("suite")).unwrap_err().to_string();
    assert!(
        error.contains("has no plan.jsonl; make one: franz suite plan"),
        "{error}"
    );
}
