//! How model servers are asked: evenly, and loaded before the first attempt.

use franz_suite::{RecordedOutcome, ResultAddress, ResultStore};

use super::bench::{Bench, DRAWN, drawer};
use super::doorman::{Doorman, has_picture};
use crate::harness::{url, wait_until};

const TASKS: [(&str, &str); 4] = [("one", DRAWN), ("two", DRAWN), ("three", DRAWN), ("four", DRAWN)];

#[test]
fn two_servers_get_equally_many_of_four_attempts_at_once() {
    let bench = Bench::new(&TASKS);
    let server = drawer();
    let doors = [Doorman::holding_pictures(&server), Doorman::holding_pictures(&server)];
    // A plan whose order alone would not serve both evenly.
    let (results, _) = (1..50)
        .map(|number| {
            let models = [format!("a{number}={}", doors[0].url), format!("b={}", doors[1].url)];
            let results = format!("results-{number}");
            let planned = bench.franz(&[
                "plan",
                "suite",
                "--upstream",
                &models[0],
                "--upstream",
                &models[1],
                "--profiles",
                "draw",
                "--repeat",
                "1",
                "-o",
                &results,
            ]);
            assert_eq!(planned.code, Some(0), "{}", planned.stderr);
            let (_, plan) = ResultStore::open(&ResultAddress::of(&bench.place.path(&results))).unwrap();
            let first = plan.attempts[..4].iter();
            let of_b = first.filter(|attempt| attempt.model.as_str() == "b").count();
            (results, of_b)
        })
        .find(|(_, of_b)| *of_b != 2)
        .expect("not every plan begins evenly");
    let running = bench.start(&["run", &results, "--jobs", "4"]);
    wait_until("four attempts", || {
        (doors[0].inside() + doors[1].inside() == 4).then_some(())
    });
    assert_eq!((doors[0].inside(), doors[1].inside()), (2, 2));
    doors.iter().for_each(Doorman::open);
    let ran = running.finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("8 solved, 0 not solved"), "{}", ran.stdout);
}

#[test]
fn a_model_that_loads_at_its_first_request_is_loaded_before_its_first_attempt() {
    let bench = Bench::new(&TASKS);
    let server = drawer();
    let door = Doorman::holding(&server);
    let model = format!("slow={}", door.url);
    let plan = ["plan", "suite", "--upstream", &model, "--profiles", "draw"];
    let planned = bench.franz(&[&plan[..], &["--repeat", "1", "-o", "results"]].concat());
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    let running = bench.start(&["run", "results", "--jobs", "2"]);
    wait_until("word of the model", || {
        running.has_complained("loading slow…").then_some(())
    });
    wait_until("the request for one token", || (door.inside() > 0).then_some(()));
    // Both jobs wait for the same answer, and neither has started an attempt.
    let asked = door.bodies();
    assert_eq!((asked.len(), door.inside()), (1, 1), "{asked:?}");
    assert!(
        !has_picture(&asked[0]) && asked[0].contains("\"max_tokens\":1"),
        "{asked:?}"
    );
    door.open();
    let ran = running.finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let small = door.bodies().iter().filter(|body| !has_picture(body)).count();
    assert_eq!(small, 1, "each model is loaded once");
    let results = bench.all_results();
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|result| result.outcome == RecordedOutcome::Solved));
}

#[test]
fn a_server_that_cannot_be_reached_is_told_as_by_any_run() {
    let bench = Bench::new(&[("drawn", DRAWN)]);
    let server = drawer();
    let address = url(&server);
    bench.plan(&server, &["--repeat", "1"]);
    drop(server);
    let ran = bench.franz(&["run", "results"]);
    assert_eq!(ran.code, Some(75), "{}{}", ran.stdout, ran.stderr);
    let told = format!("no model server answers at {address}");
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    assert!(!ran.stderr.contains("loading"), "{}", ran.stderr);
}
