//! What the report says in words and numbers.

use std::time::Instant;

use franz_suite::report::{AttemptOutcome, ReportInput, ReportedAttempt, SuiteReport, write_csv};

use crate::made_up::{by_chance, infrastructure, ran, results, skipped, task_fault};

fn text(input: &ReportInput) -> String {
    SuiteReport::of(input).text()
}

#[track_caller]
fn says(text: &str, words: &str) {
    assert!(text.contains(words), "no {words:?} in:\n{text}");
}

#[test]
fn a_clear_difference() {
    // The second model solves what the first does, but for the first two repeats of every other task.
    let input = results(24, &["weak", "strong"], 5, |task, model, repeat| {
        task % 4 != 0 && (model == 1 || repeat > 2 || task % 2 == 0)
    });
    let report = SuiteReport::of(&input);
    let [pair] = &report.pairs[..] else { panic!("one pair") };
    assert!(pair.told_apart);
    assert_eq!(
        pair.sentence,
        "strong is better than weak: 75 % against 55 %, difference 20 points (11 to 29), 24 tasks x 5"
    );
    assert_eq!((report.models[0].model, report.models[1].model), ("strong", "weak"));
    says(&report.text(), &format!("{}.\n", pair.sentence));
}

#[test]
fn no_clear_difference() {
    let input = results(24, &["a", "b"], 5, |task, model, repeat| {
        (task + model * 3 + repeat) % 5 < 3
    });
    says(
        &text(&input),
        "a and b cannot be told apart: 60 % against 60 %, difference 0 points (the same on every task), 24 tasks x 5.",
    );
    let input = results(24, &["a", "b"], 1, |task, model, _| (task * 7 + model * 5) % 12 < 6);
    says(
        &text(&input),
        "a and b cannot be told apart: 50 % against 50 %, difference 0 points (",
    );
}

#[test]
fn a_difference_that_is_the_same_everywhere() {
    let input = results(10, &["a", "b"], 2, |_, model, _| model == 0);
    let text = text(&input);
    says(
        &text,
        "a is better than b: 100 % against 0 %, difference 100 points (the same on every task), 10 tasks x 2.",
    );
    // Wilson's intervals for 10 of 10 and 0 of 10 tasks.
    says(&text, "100 %      72 to 100");
}

#[test]
fn luck_has_the_last_word_over_the_interval() {
    // One better task in five is enough for the interval of one pair, and not for a test adjusted for six.
    let input = results(20, &["a", "b", "c", "d"], 1, |task, model, _| {
        model == 0 || task % 4 != 0
    });
    let report = SuiteReport::of(&input);
    let [pair, ..] = &report.pairs[..] else { panic!("pairs") };
    assert!(pair.difference.interval.is_some_and(|interval| interval.low > 0.0));
    assert!(!pair.told_apart);
    assert_eq!(
        pair.sentence,
        "a and b cannot be told apart: 100 % against 75 %, difference 25 points (4 to 46), 20 tasks x 1; p is 0.375 \
         after Holm's adjustment for 6 pairs"
    );
}

#[test]
fn errors_are_apart_and_bound_the_rate() {
    let mut input = results(10, &["a", "b"], 2, |task, _, _| task < 5);
    input.attempts[0].outcome = infrastructure("the server is down");
    input.attempts[4].outcome = infrastructure("the server is down");
    input.attempts[39].outcome = task_fault("check.sh ended with 7");
    let report = SuiteReport::of(&input);
    let model = report.models.iter().find(|model| model.model == "a").unwrap();
    assert_eq!(
        (model.counts.solved, model.counts.unsolved, model.counts.infrastructure),
        (8, 10, 2)
    );
    assert!((model.rate.unwrap().mean - 0.5).abs() < 1e-12);
    assert!((model.bound.unwrap().mean - 0.4).abs() < 1e-12);
    assert_eq!((report.attempts, report.planned), (38, 40));
    let text = report.text();
    says(&text, "38 of 40 attempts have results.");
    says(
        &text,
        "2 attempts failed for reasons that are neither the model's nor the task's (infrastructure), and not counted.",
    );
    says(&text, "1 attempt failed by a fault of the task, and not counted.");
    says(
        &text,
        "a: with 2 infrastructure errors counted as failed, it solves 40 % (",
    );
    says(&text, ") instead of 50 %.");
    says(
        &text,
        "2 x infrastructure, invoice-total and 1 other task: the server is down",
    );
    says(
        &text,
        "1 x task fault, rename-photo-2: check.sh ended with 7"
            .replace("shop-2", "rename-photo-2")
            .as_str(),
    );
}

#[test]
fn a_model_with_errors_only_has_no_rate() {
    let mut input = results(3, &["a", "b"], 1, |_, _, _| true);
    for attempt in input.attempts.iter_mut().filter(|attempt| attempt.model == "a") {
        attempt.outcome = infrastructure("no such model");
    }
    let report = SuiteReport::of(&input);
    assert_eq!((report.models[1].model, report.models[1].rate), ("a", None));
    assert!(report.pairs.is_empty());
    let text = report.text();
    says(
        &text,
        "a: with 3 infrastructure errors counted as failed, it solves 0 % (0 to 56).",
    );
    says(&text, "Not every model has results on all 3 tasks: a on 0.");
    assert!(!text.contains("Pairs are compared"), "there is no pair: {text}");
}

#[test]
fn limits_are_said() {
    let mut input = results(24, &["a", "b"], 5, |task, _, _| task % 2 == 0);
    for (jobs, words) in [
        (Some(4), "Seconds are not compared: 4 attempts ran at once"),
        (
            None,
            "Seconds are not compared: the results come from 24 runs or shards, which may have slowed each other down.",
        ),
    ] {
        input.facts.runs = if jobs.is_none() { 24 } else { 1 };
        input.facts.jobs = jobs;
        let text = text(&input);
        says(&text, words);
        assert!(!text.contains("  seconds"), "{text}");
    }
    input.facts.jobs = Some(1);
    let whole = text(&input);
    says(&whole, "  seconds");
    says(&whole, "31.5");
    for words in ["Not isolated", "have results", "left out", "versions"] {
        assert!(!whole.contains(words), "{words} in {whole}");
    }
    input.facts.isolated = false;
    input.facts.planned = 600;
    input.facts.versions.push(ran("franz", "0.1.1"));
    input.attempts.push(input.attempts[7].clone());
    input.attempts.truncate(240);
    input.attempts.push(input.attempts[8].clone());
    let limited = text(&input);
    says(
        &limited,
        "Not isolated: programs on the desktop could tamper with what the checks examine",
    );
    says(&limited, "240 of 600 attempts have results.");
    says(
        &limited,
        "1 result is left out: an earlier result has the same task, model and repeat.",
    );
    says(&limited, "franz ran in 2 versions: 0.1.0, 0.1.1.");
}

#[test]
fn skipped_tasks_are_left_out_and_said() {
    let mut input = results(24, &["a", "b"], 5, |task, _, _| task % 2 == 0);
    for attempt in &mut input.attempts {
        match attempt.task.as_str() {
            "shop" | "shop-2" => attempt.outcome = skipped("chromium is not installed"),
            // Another machine had it.
            "wait" if attempt.repeat == 1 => attempt.outcome = skipped("wish is not installed"),
            _ => {}
        }
    }
    let report = SuiteReport::of(&input);
    assert_eq!((report.tasks, report.attempts, report.counts.skipped), (22, 218, 22));
    assert_eq!(report.planned, 240);
    let text = report.text();
    says(&text, "22 tasks by 2 models: 218 attempts.");
    says(&text, "218 of 240 attempts have results.");
    says(
        &text,
        "20 attempts were skipped, because chromium is not installed: shop, shop-2.",
    );
    says(&text, "2 attempts were skipped, because wish is not installed: wait.");
    says(&text, "20 x skipped, shop and 1 other task: chromium is not installed");
    assert!(!text.contains("Not every model has results"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    assert_eq!(json["errors"][0]["kind"], "skipped");
    assert_eq!(json["tasks"], 22);
}

#[test]
fn plans_say_what_they_can_show() {
    says(
        &text(&results(24, &["a", "b"], 5, |_, _, _| true)),
        "24 tasks x 5 are enough to show a difference of 22 points between two models in 80 % of cases. This assumes",
    );
    says(
        &text(&results(5, &["a", "b"], 5, |_, _, _| true)),
        "5 tasks x 5 are too few to show any difference between two models reliably.",
    );
}

#[test]
fn repeats_and_scores_have_columns_of_their_own() {
    let mut input = results(10, &["a"], 4, |_, _, repeat| repeat > 2);
    let report = SuiteReport::of(&input);
    let pass = report.models[0].pass.last().unwrap();
    assert_eq!((pass.k, pass.tasks), (4, 10));
    assert!((pass.at_least_one - 1.0).abs() < 1e-12 && pass.each.abs() < 1e-12);
    says(
        &report.text(),
        "model  solved  95 % interval  pass@4  pass^4  attempts\na        50 %",
    );
    input.attempts[0].score = Some(0.5);
    input.attempts[1].score = Some(f64::NAN);
    let report = SuiteReport::of(&input);
    assert!((report.models[0].score.unwrap().mean - 0.5125).abs() < 1e-12);
    says(&report.text(), "  score  ");
}

#[test]
fn terminals_get_no_control_characters() {
    let mut input = results(3, &["a\u{1b}[2J", "b\u{202e}"], 1, |_, _, _| false);
    input.attempts[0].outcome = infrastructure("two\nlines\u{7}");
    let text = text(&input);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert!(!text.contains('\u{202e}'));
    says(&text, "two lines\u{fffd}");
}

#[test]
fn a_long_reason_is_cut_off_and_damaged_results_are_counted() {
    let mut input = results(2, &["a"], 1, |_, _, _| true);
    input.attempts[0].outcome = infrastructure(&"x".repeat(3000));
    input.facts.damaged = 2;
    let text = text(&input);
    says(&text, &format!("{}…\n", "x".repeat(300)));
    says(&text, "2 results are damaged or not of this plan, and not counted.");
}

#[test]
fn without_attempts_there_is_still_a_report() {
    let report = ReportInput::default();
    says(&text(&report), "0 tasks by 0 models: 0 attempts.");
    let mut input = results(3, &["a", "b"], 2, |_, _, _| true);
    input.attempts.clear();
    says(&text(&input), "0 of 12 attempts have results.");
}

#[test]
fn json_has_every_number() {
    let input = by_chance(24, &["a", "b", "c"], 5);
    let report = SuiteReport::of(&input);
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    assert_eq!(json["facts"]["suite"], "basics");
    assert_eq!(json["models"].as_array().unwrap().len(), 3);
    assert_eq!(json["models"][0]["rate"]["tasks"], 24);
    assert_eq!(json["pairs"].as_array().unwrap().len(), 3);
    assert!(json["pairs"][0]["difference"]["interval"]["low"].is_number());
    assert_eq!(
        json["grid"][23]["cells"][2]["solved"].as_u64(),
        Some(report.grid[23].cells[2].counts.solved)
    );
}

#[test]
fn loops_and_giving_up_are_means_over_attempts() {
    let mut input = results(4, &["a"], 1, |task, _, _| task == 0);
    (
        input.attempts[1].gave_up,
        input.attempts[2].gave_up,
        input.attempts[3].loops,
    ) = (1, 1, 1);
    let report = SuiteReport::of(&input);
    let means = report.models[0].per_attempt.unwrap();
    assert_eq!((means.gave_up, means.loops), (0.5, 0.25));
    let text = report.text();
    let titles = text.lines().find(|line| line.contains("malformed")).unwrap();
    assert!(titles.ends_with("loops  gave up"), "{text}");
}

#[test]
fn input_may_lack_fields_and_have_others() {
    let json = r#"{"facts": {"suite": "s", "colour": "red"}, "attempts": [
        {"task": "t", "model": "m", "outcome": {"kind": "infrastructure"}, "new": 1},
        {"task": "t", "model": "m", "repeat": 2, "outcome": {"kind": "solved"}}]}"#;
    let input: ReportInput = serde_json::from_str(json).unwrap();
    let outcomes: Vec<&AttemptOutcome> = input.attempts.iter().map(|attempt| &attempt.outcome).collect();
    assert_eq!(outcomes, [&infrastructure(""), &AttemptOutcome::Solved]);
    assert_eq!(
        input
            .attempts
            .iter()
            .filter_map(ReportedAttempt::score)
            .collect::<Vec<f64>>(),
        [1.0]
    );
}

#[test]
fn the_order_of_results_does_not_matter() {
    let mut input = by_chance(24, &["a", "b", "c"], 3);
    let (text, html) = (SuiteReport::of(&input).text(), SuiteReport::of(&input).html());
    input.attempts.reverse();
    assert_eq!(SuiteReport::of(&input).text(), text);
    assert_eq!(SuiteReport::of(&input).html(), html);
}

/// Reports this many tasks for twenty models, and returns the time that it took, in seconds.
fn report_of(tasks: u64) -> f64 {
    let names: Vec<String> = (0..20).map(|model| format!("model-{model}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut input = by_chance(tasks, &names, 5);
    assert_eq!(input.attempts.len() as u64, tasks * 100);
    // Uneven numbers of attempts make the comparison of pairs costlier.
    for attempt in input.attempts.iter_mut().step_by(17) {
        attempt.outcome = infrastructure("the server is down");
    }
    let start = Instant::now();
    let report = SuiteReport::of(&input);
    let computed = start.elapsed();
    let bytes = report.text().len() + report.html().len() + report.json().unwrap().len();
    let mut lines = Vec::new();
    write_csv(&input, &mut lines).unwrap();
    let took = start.elapsed();
    println!(
        "{} attempts: computed in {computed:?}, all four forms in {took:?}: {} bytes",
        input.attempts.len(),
        bytes + lines.len()
    );
    took.as_secs_f64()
}

#[test]
fn ten_times_as_many_attempts_take_at_most_thirty_times_as_long() {
    // Ten short reports meet other programs about as often as the long one. If not, another comparison decides.
    let is_in_proportion = |_| {
        let ten: f64 = (0..10).map(|_| report_of(5)).sum();
        report_of(50) <= 3.0 * ten
    };
    assert!((0..5).any(is_in_proportion), "the seconds are printed above");
}
