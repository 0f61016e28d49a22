//! Tests results that were damaged, and links in place of files and folders.

use super::*;

/// Ways to damage an attempt's result, each with the words of its warning.
const DAMAGES: [(&str, &str); 14] = [
    ("", "it cannot be read: EOF"),
    ("{\"v\":1,", "it cannot be read: EOF"),
    ("v", "this FRANZ does not know version 2 of results"),
    ("plan", "it is the result of another plan"),
    ("attempt", "it is the result of attempt 2"),
    (
        "task",
        "its task, model, profile, repeat or seed is not that of the plan",
    ),
    (
        "seed",
        "its task, model, profile, repeat or seed is not that of the plan",
    ),
    ("try", "its try has an invalid name"),
    ("score", "its score is impossible"),
    ("seconds", "its time is impossible"),
    ("turns", "its number of turns is impossible"),
    ("link", "it is a link"),
    ("folder", "it is not a file"),
    ("socket", "it is not a file"),
];

/// Damages a result in this way.
fn damage(file: &Path, way: &str) {
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let value = match way {
        "v" | "attempt" => serde_json::json!(2),
        "plan" => serde_json::json!("0".repeat(64)),
        "task" => serde_json::json!("zzz"),
        "seed" => serde_json::json!(json["seed"].as_u64().unwrap() ^ 1),
        "try" => serde_json::json!("../../x"),
        "score" => serde_json::json!(-7.5),
        "seconds" => serde_json::json!({ "seconds": -1.0 }),
        "turns" => serde_json::json!({ "turns": u64::MAX }),
        _ => serde_json::Value::Null,
    };
    fs::remove_file(file).unwrap();
    match way {
        "link" => std::os::unix::fs::symlink("nowhere", file).unwrap(),
        "folder" => fs::create_dir(file).unwrap(),
        "socket" => drop(std::os::unix::net::UnixListener::bind(file).unwrap()),
        "seconds" | "turns" => {
            json["run"] = value;
            fs::write(file, json.to_string()).unwrap();
        }
        _ if value.is_null() => fs::write(file, way).unwrap(),
        _ => {
            json[way] = value;
            fs::write(file, json.to_string()).unwrap();
        }
    }
}

#[test]
fn a_damaged_result_counts_as_missing_until_it_is_removed() {
    for (way, problem) in DAMAGES {
        let bench = Bench::new();
        let store = bench.store("r", 2).unwrap();
        let (_, plan) = ResultStore::open(&bench.at("r")).unwrap();
        for attempt in [1, 2] {
            bench.publish(&store, attempt, "aa");
        }
        let intact = bench.store("intact", 2).unwrap();
        assert_eq!(intact.take_from(&store, "x", &bench.path("scratch")).unwrap().new, 2);
        let (file, own) = (
            bench.path("r/attempt_0001/result.json"),
            bench.path("r/attempt_0001/try_aa/result.json"),
        );
        // Both names are those of one file, and are damaged together.
        damage(&file, way);
        damage(&own, way);
        let check = || {
            assert_eq!(store.mend().unwrap(), 0, "{way}");
            let collected = store.collect(|_| true).unwrap();
            assert_eq!(
                (collected.results.len(), collected.missing(&plan)),
                (1, vec![1]),
                "{way}"
            );
            let told = collected.damaged.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(told.len(), 1, "{way}: {told:?}");
            let start = format!("{} does not count, because {problem}", file.display());
            assert!(told[0].starts_with(&start), "{way}: {told:?}");
            let end = "; remove it, and `franz suite run` plays the attempt again";
            assert!(told[0].ends_with(end), "{way}: {told:?}");
            assert!(store.result(1).unwrap_err().to_string().contains(problem), "{way}");
        };
        check();
        // Another copy replaces what has the name of a file.
        let healed = store.heal_from(&intact, "x").unwrap();
        assert_eq!(healed, usize::from(way != "folder"), "{way}");
        if healed == 1 {
            assert!(store.missing(&plan).unwrap().is_empty(), "{way}");
            damage(&file, way);
        }
        if own.is_file() {
            damage(&own, way);
        }
        check();
        folder::remove(&file).unwrap();
        assert_eq!(store.mend().unwrap(), 0, "{way}: the damaged try does not come back");
        assert_eq!(bench.publish(&store, 1, "bb"), Publication::First, "{way}");
        assert_eq!(store.collect(|_| true).unwrap().results.len(), 2, "{way}");
    }
}

#[test]
fn no_link_leads_out_of_the_results() {
    use std::os::unix::fs::symlink;
    let bench = Bench::new();
    let store = bench.store("r", 2).unwrap();
    let (_, plan) = ResultStore::open(&bench.at("r")).unwrap();
    let (outside, precious) = (bench.path("outside"), bench.path("precious"));
    fs::create_dir(&outside).unwrap();
    bench.publish(&store, 2, "aa");
    bench.publish(&store, 2, "bb");
    // The mark of a duplicate.
    let mark = bench.path("r/attempt_0002/try_bb/duplicate");
    fs::remove_file(&mark).unwrap();
    symlink(&precious, &mark).unwrap();
    assert_eq!(bench.publish(&store, 2, "bb"), Publication::Duplicate);
    store.mend().unwrap();
    assert!(!precious.exists());
    // The folder of an attempt.
    symlink(&outside, bench.path("r/attempt_0001")).unwrap();
    let result = bench.result(&store, 1, "cc");
    let error = store.publish(&result, &bench.path("prepared")).unwrap_err().to_string();
    assert!(
        error.contains("attempt_0001") && error.contains("it is a link"),
        "{error}"
    );
    assert_eq!(store.missing(&plan).unwrap(), [1]);
    let damaged = store.collect(|_| true).unwrap().damaged;
    assert_eq!(damaged[0].file, bench.path("r/attempt_0001"));
    let intact = bench.store("intact", 2).unwrap();
    bench.publish(&intact, 1, "aa");
    assert_eq!(store.take_from(&intact, "x", &bench.path("scratch")).unwrap().new, 0);
    assert_eq!(store.heal_from(&intact, "x").unwrap(), 0);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    // A file that replaces another one.
    fs::write(&precious, "mine").unwrap();
    let page = bench.path("r/report.html");
    symlink(&precious, &page).unwrap();
    folder::replace(&page, b"page", "x").unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert_eq!(fs::read_to_string(&page).unwrap(), "page");
}
