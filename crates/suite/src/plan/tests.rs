use super::*;
use crate::suite::TaskScreen;

fn task(name: &str, tags: &[&str]) -> SuiteTask {
    SuiteTask {
        name: Name::try_from(name.to_owned()).unwrap(),
        goal: "g".to_owned(),
        screen: TaskScreen::Canvas,
        start: Vec::new(),
        files: None,
        check: "check.sh".to_owned(),
        check_live: None,
        solve: None,
        max_turns: 3,
        run_s: 1.0,
        check_s: 1.0,
        tags: tags
            .iter()
            .map(|tag| Name::try_from((*tag).to_owned()).unwrap())
            .collect(),
        needs: Vec::new(),
        solve_needs: Vec::new(),
        set: toml::Table::new(),
    }
}

fn model(name: &str) -> SuiteModel {
    SuiteModel {
        name: Name::try_from(name.to_owned()).unwrap(),
        served_as: None,
        upstream: Some("demo".to_owned()),
        upstream_file: None,
        key_env: Some("KEY".to_owned()),
        family: None,
        set: toml::Table::new(),
    }
}

fn suite(tasks: usize) -> Suite {
    let tags: [&[&str]; 2] = [&["even"], &["odd"]];
    Suite {
        name: Name::try_from("s".to_owned()).unwrap(),
        tasks: (0..tasks)
            .map(|number| task(&format!("t{number}"), tags[number % 2]))
            .collect(),
        models: Vec::new(),
    }
}

fn options(models: &[&str], repeat: u32) -> PlanOptions {
    PlanOptions {
        franz: "1".to_owned(),
        models: models.iter().map(|name| model(name)).collect(),
        profiles: vec!["operator".to_owned()],
        repeat,
        tags: Vec::new(),
        limit: None,
    }
}

fn digest(text: &str) -> SuiteDigest {
    SuiteDigest::of_bytes(text.as_bytes())
}

#[test]
fn equal_inputs_give_equal_bytes_and_every_block_is_whole() {
    let plan = AttemptPlan::new(&suite(5), digest("x"), &options(&["a", "b"], 3)).unwrap();
    let text = plan.to_jsonl().unwrap();
    let again = AttemptPlan::new(&suite(5), digest("x"), &options(&["a", "b"], 3)).unwrap();
    assert_eq!(text, again.to_jsonl().unwrap());
    assert_eq!(AttemptPlan::parse(&text).unwrap(), plan);
    assert_eq!(plan.attempts.len(), 30);
    let pairs = |block: &[PlannedAttempt]| {
        let mut pairs: Vec<_> = block.iter().map(|one| (one.task.clone(), one.model.clone())).collect();
        pairs.sort();
        pairs.dedup();
        pairs
    };
    let orders: Vec<Vec<_>> = plan
        .attempts
        .chunks(10)
        .map(|block| {
            assert_eq!(pairs(block).len(), 10);
            block.iter().map(|one| (one.task.clone(), one.model.clone())).collect()
        })
        .collect();
    assert!(
        orders[0] != orders[1] && orders[1] != orders[2],
        "each block has its own order"
    );
    let other = AttemptPlan::new(&suite(5), digest("y"), &options(&["a", "b"], 3)).unwrap();
    assert_ne!(plan.attempts, other.attempts);
}

#[test]
fn seeds_depend_on_suite_task_model_and_repeat_only() {
    let seeds = |text: &str, profile: &str| {
        let mut options = options(&["a", "b"], 2);
        options.profiles = vec![profile.to_owned()];
        let plan = AttemptPlan::new(&suite(4), digest(text), &options).unwrap();
        let mut seeds: Vec<u32> = plan.attempts.iter().map(|one| one.seed).collect();
        seeds.sort_unstable();
        seeds
    };
    let all = seeds("x", "operator");
    assert_eq!(all, seeds("y", "draw"));
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    assert!(all.iter().all(|seed| *seed < 1 << 31));
}

#[test]
fn tags_and_limits_choose() {
    let with = |tags: &[&str], limit| {
        let mut options = options(&["a"], 1);
        options.tags = tags
            .iter()
            .map(|tag| Name::try_from((*tag).to_owned()).unwrap())
            .collect();
        options.limit = limit;
        AttemptPlan::new(&suite(5), digest("x"), &options)
    };
    assert_eq!(with(&["even"], None).unwrap().attempts.len(), 3);
    assert_eq!(with(&["even", "odd"], Some(4)).unwrap().attempts.len(), 4);
    let error = with(&["red"], None).unwrap_err().to_string();
    assert_eq!(error, "no task has the tag red; the suite's tags are: even, odd");
    assert!(matches!(with(&[], Some(0)), Err(PlanError::Empty)));
}

#[test]
fn nothing_is_planned_twice() {
    let plan = |options: &PlanOptions| AttemptPlan::new(&suite(2), digest("x"), options);
    let error = plan(&options(&["a", "b", "a"], 1)).unwrap_err().to_string();
    assert!(error.starts_with("a is given twice"), "{error}");
    let profiles = PlanOptions {
        profiles: vec!["operator".to_owned(), "operator".to_owned()],
        ..options(&["a"], 1)
    };
    let error = plan(&profiles).unwrap_err().to_string();
    assert!(error.starts_with("operator is given twice"), "{error}");
}

#[test]
fn a_damaged_plan_is_refused_with_its_line() {
    let text = AttemptPlan::new(&suite(2), digest("x"), &options(&["a"], 1)).unwrap();
    let text = text.to_jsonl().unwrap();
    let whole: Vec<&str> = text.lines().collect();
    let cut = format!("{}\n{}\n", whole[0], whole[1]);
    let swapped = format!("{}\n{}\n{}\n", whole[0], whole[2], whole[1]);
    let model = text.replace("\"model\":\"a\"", "\"model\":\"z\"");
    let profile = text.replace("\"profile\":\"operator\"", "\"profile\":\"/tmp/other.toml\"");
    let key = text.replace("\"key_env\":\"KEY\"", "\"key_env\":\"sk-123\"");
    let set = |key: &str| text.replace("\"key_env\"", &format!("\"set\":{{\"{key}\":[]}},\"key_env\""));
    for (damaged, told) in [
        (String::new(), "line 1: the plan is empty"),
        (text.replace("{\"v\":1", "{\"v\":9"), "line 1: version 9"),
        (text.trim_end().to_owned(), "the plan is truncated"),
        (cut, "the plan is truncated: it has 1 of 2 attempts"),
        (swapped, "line 2: this is attempt 2, but 1 should be here"),
        (model, "line 2: the first line has no model z"),
        (profile, "line 2: the first line has no profile /tmp/other.toml"),
        (key, "line 1: a: key_env names an environment variable"),
        (
            set("screen.start"),
            "line 1: a: set: screen.start is set by the suite itself",
        ),
        (
            set("model.upstream"),
            "line 1: a: set: model.upstream is set by the suite itself",
        ),
        (set("colour"), "line 1: a: set: \"colour\" is not a setting"),
    ] {
        let error = AttemptPlan::parse(&damaged).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn fifty_thousand_attempts_are_read_back_from_their_plan() {
    let plan = AttemptPlan::new(&suite(1000), digest("x"), &options(&["a", "b", "c", "d", "e"], 10)).unwrap();
    let text = plan.to_jsonl().unwrap();
    assert_eq!(plan.attempts.len(), 50_000);
    assert_eq!(AttemptPlan::parse(&text).unwrap().attempts.len(), 50_000);
}
