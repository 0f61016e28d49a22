//! `franz suite grounding` with made-up sets and models: hits, misses, failures, and going on after a cut.

mod marksman;
mod pictures;

use std::fs;
use std::path::Path;

use marksman::{Hand, Marksman, Skill};
use pictures::{Form, ITEMS, draw};
use serde_json::Value;

use crate::harness::{Finished, Workplace, spawn, wait_until};

/// Lets FRANZ wait hardly any time for a server that fails.
const AT_ONCE: [&str; 2] = ["--set", "model.wait_s=0.1"];

struct Range {
    place: Workplace,
}

impl Range {
    fn new(form: Form) -> Range {
        let place = Workplace::new();
        draw(&place.path(""), form);
        Range { place }
    }

    fn command(&self, more: &[&str]) -> std::process::Command {
        let set = ["suite", "grounding", "made_up.json", "--pictures", "pictures"];
        self.place.program(&[&set[..], more].concat())
    }

    fn franz(&self, more: &[&str]) -> Finished {
        spawn(self.command(more)).finish()
    }

    /// Measures a model under this name.
    fn measure(&self, name: &str, model: &Marksman, more: &[&str]) -> Finished {
        let upstream = format!("{name}={}", model.url);
        self.franz(&[&["--upstream", &upstream], more].concat())
    }

    /// Returns the report on all answers, as JSON.
    fn report(&self, more: &[&str]) -> Value {
        let reported = self.franz(&[&["--json"], more].concat());
        assert_eq!(reported.code, Some(0), "{}", reported.stderr);
        serde_json::from_str(&reported.stdout).unwrap()
    }

    fn answers(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.place.path(&format!("grounding/{name}.jsonl"))).unwrap();
        let lines = text.lines().skip(1);
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn whole(number: usize) -> u64 {
    number as u64
}

#[test]
fn a_model_that_sees_hits_everything_in_its_own_numbers() {
    for (form, hand, more) in [
        (Form::ScreenSpot, Hand::Qwen, &[][..]),
        (Form::Pro, Hand::Tars, &["--jobs", "3"]),
        (Form::Pro, Hand::Qwen, &["--grounder"]),
        (Form::ScreenSpot, Hand::Tars, &["--grounder"]),
    ] {
        let (range, model) = (Range::new(form), Marksman::new(Skill::Sees, hand));
        let measured = range.measure("good", &model, more);
        assert_eq!(measured.code, Some(0), "{}", measured.stderr);
        assert_eq!(model.asked(), ITEMS);
        let report = range.report(&[]);
        let good = &report["models"][0];
        assert_eq!(good["hit"]["hits"], whole(ITEMS), "{}", measured.stdout);
        assert_eq!(good["asked"], if more == ["--grounder"] { "grounder" } else { "turn" });
        assert_eq!(good["median"]["prompt_tokens"], 1200.0);
        let text = &measured.stdout;
        for told in [
            "100 %",
            "All 12 items in 4 pictures.",
            "tiny (below 0.1 %)",
            "icon",
            "macos",
        ] {
            assert!(text.contains(told), "{told}: {text}");
        }
        let name = if form == Form::Pro {
            "ScreenSpot-Pro"
        } else {
            "ScreenSpot"
        };
        assert!(text.contains(&format!("made_up ({name}, 12 items)")), "{text}");
    }
}

#[test]
fn a_run_and_its_grounder_ask_as_they_do_elsewhere() {
    let (range, model) = (Range::new(Form::ScreenSpot), Marksman::new(Skill::Sees, Hand::Qwen));
    range.measure("turn", &model, &["--limit", "1"]);
    let turn = model.last();
    let system = turn["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("You are FRANZ. You operate a computer"), "{system}");
    assert_eq!(turn["temperature"], 0.4);
    range.measure("eye", &model, &["--limit", "1", "--grounder"]);
    let eye = model.last();
    assert_eq!(eye["temperature"].as_f64(), Some(0.0));
    let words = eye["messages"][1]["content"][1]["text"].as_str().unwrap();
    assert!(words.starts_with("Click this: click the "), "{words}");
}

#[test]
fn models_that_do_not_see_are_told_apart_from_one_that_does() {
    let range = Range::new(Form::ScreenSpot);
    for (name, skill) in [
        ("good", Skill::Sees),
        ("blind", Skill::Blind),
        ("wild", Skill::Wild),
        ("babbler", Skill::Babbles),
        ("silent", Skill::Silent),
    ] {
        let measured = range.measure(name, &Marksman::new(skill, Hand::Tars), &[]);
        assert_eq!(measured.code, Some(0), "{name}: {}", measured.stderr);
    }
    let report = range.report(&[]);
    let models = report["models"].as_array().unwrap();
    let counts = |name: &str| {
        let model = models.iter().find(|model| model["name"] == name).unwrap();
        assert_eq!(model["hit"]["answers"], whole(ITEMS), "{name}");
        [&model["hit"]["hits"], &model["no_click"], &model["failed"]].map(|count| count.as_u64().unwrap())
    };
    let all = whole(ITEMS);
    assert_eq!(counts("good"), [all, 0, 0]);
    assert_eq!(counts("blind"), [0, 0, 0]);
    // A place outside of the picture is not moved to its edge, and numbers in prose are no click.
    assert_eq!(counts("wild"), [0, all, 0]);
    assert_eq!(counts("babbler"), [0, all, 0]);
    assert_eq!(counts("silent"), [0, all, 0]);
    let text = range.franz(&[]).stdout;
    assert!(text.contains("good is better than blind: 100 % against 0 %"), "{text}");
    assert!(
        text.contains(&format!("silent: {ITEMS} answers without a click, for example because")),
        "{text}"
    );
    assert!(text.contains("babbler and blind cannot be told apart"), "{text}");
    assert!(range.answers("wild")[0]["why"].as_str().unwrap().contains("outside"));
}

#[test]
fn a_server_that_fails_is_no_miss_and_the_same_command_goes_on() {
    let range = Range::new(Form::ScreenSpot);
    let failing = Marksman::new(Skill::Fails(4), Hand::Qwen);
    let measured = range.measure("model", &failing, &AT_ONCE);
    assert_eq!(measured.code, Some(75), "{}", measured.stderr);
    assert!(
        measured.stderr.contains("6 items in a row got no answer"),
        "{}",
        measured.stderr
    );
    assert!(measured.stdout.contains("100 %"), "{}", measured.stdout);
    assert!(
        measured
            .stdout
            .contains("If all of them were misses, it would hit 33 %"),
        "{}",
        measured.stdout
    );
    let report = range.report(&[]);
    let model = &report["models"][0];
    assert_eq!(
        (model["failed"].as_u64(), model["not_asked"].as_u64()),
        (Some(6), Some(2))
    );
    let healthy = Marksman::new(Skill::Sees, Hand::Qwen);
    let again = range.measure("model", &healthy, &AT_ONCE);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(
        again.stderr.contains("4 of 12 items already have answers"),
        "{}",
        again.stderr
    );
    assert_eq!(healthy.asked(), ITEMS - 4);
    let report = range.report(&[]);
    assert_eq!(report["models"][0]["hit"]["hits"], whole(ITEMS));
    assert!(report["models"][0]["bound"].is_null());
    let once_more = range.measure("model", &healthy, &AT_ONCE);
    assert_eq!((once_more.code, healthy.asked()), (Some(0), ITEMS - 4));
}

#[cfg(unix)]
#[test]
fn a_measurement_that_was_killed_goes_on_where_it_was() {
    let range = Range::new(Form::ScreenSpot);
    let model = Marksman::new(Skill::Sees, Hand::Qwen);
    let upstream = format!("model={}", model.url);
    let running = spawn(range.command(&["--upstream", &upstream]));
    let file = range.place.path("grounding/model.jsonl");
    let lines = || fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    wait_until("three answers", || (lines() > 3).then_some(()));
    running.kill();
    // A kill in the middle of a write leaves a part of a line.
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}{{\"item\":\"made_up/12\",\"outc")).unwrap();
    let again = range.measure("model", &model, &[]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let mut items: Vec<String> = range
        .answers("model")
        .iter()
        .map(|answer| answer["item"].to_string())
        .collect();
    items.sort();
    let all = items.len();
    items.dedup();
    assert_eq!((all, items.len()), (ITEMS, ITEMS), "each item has one answer");
}

#[cfg(unix)]
#[test]
fn a_stopped_measurement_says_how_to_go_on() {
    let range = Range::new(Form::ScreenSpot);
    let mut puppet = crate::puppet::Puppet::new();
    let upstream = format!("model={}", puppet.url());
    let running = spawn(range.command(&["--upstream", &upstream, "--set", "model.family=qwen3-vl"]));
    puppet.asked();
    running.signal("INT");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("run the same command again to continue"),
        "{}",
        finished.stderr
    );
    assert!(range.answers("model").is_empty());
}

#[test]
fn answers_that_do_not_belong_together_are_refused() {
    let range = Range::new(Form::ScreenSpot);
    let model = Marksman::new(Skill::Sees, Hand::Qwen);
    range.measure("model", &model, &["--limit", "2"]);
    for (more, told) in [
        (&["--set", "model.temperature=0"][..], "temperature 0.4, now 0.0"),
        (&["--grounder"], "asked as turn, now grounder"),
        (&["--set", "image.width=800"], "image.width 1568, now 800"),
    ] {
        let refused = range.measure("model", &model, more);
        assert_eq!(refused.code, Some(2), "{more:?}");
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("choose another folder with -o"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(model.asked(), 2);
    draw(&range.place.path(""), Form::Pro);
    let other = range.measure("model", &model, &[]);
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("answers to another set, made_up with 12 items"),
        "{}",
        other.stderr
    );
}

#[test]
fn a_limit_is_a_choice_that_stays_the_same_and_grows() {
    let range = Range::new(Form::ScreenSpot);
    let model = Marksman::new(Skill::Sees, Hand::Qwen);
    let few = range.measure("model", &model, &["--limit", "5"]);
    assert!(few.stdout.contains("5 of 12 items"), "{}", few.stdout);
    assert!(
        few.stdout
            .contains("chosen at random with seed 1: always the same ones"),
        "{}",
        few.stdout
    );
    range.measure("model", &model, &["--limit", "5"]);
    assert_eq!(model.asked(), 5);
    range.measure("model", &model, &["--limit", "8"]);
    assert_eq!(model.asked(), 8);
    let csv = range.franz(&["--csv", "--limit", "5"]).stdout;
    assert_eq!(csv.lines().count(), 6, "{csv}");
}

#[test]
fn bad_items_are_named_and_left_out_only_on_request() {
    let range = Range::new(Form::ScreenSpot);
    let model = Marksman::new(Skill::Sees, Hand::Qwen);
    let file = range.place.path("made_up.json");
    let mut items: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    items[0]["img_filename"] = "desk/gone.png".into();
    items[1]["bbox"] = serde_json::json!([900, 500, 100, 100]);
    items[2]["img_filename"] = "../made_up.json".into();
    fs::write(&file, Value::from(items).to_string()).unwrap();
    let refused = range.measure("model", &model, &[]);
    assert_eq!(refused.code, Some(2));
    for told in [
        "made_up, item 1: desk/gone.png: No such file",
        "made_up, item 2: desk/0.png: the box from (900, 500) to (1000, 600) is not inside the picture of 960x540",
        "made_up, item 3: img_filename \"../made_up.json\" leaves the folder of pictures",
        "3 of 12 items cannot be used; fix them, or leave them out with --skip-bad",
    ] {
        assert!(refused.stderr.contains(told), "{told}: {}", refused.stderr);
    }
    assert_eq!(model.asked(), 0);
    let measured = range.measure("model", &model, &["--skip-bad"]);
    assert_eq!(
        (measured.code, model.asked()),
        (Some(0), ITEMS - 3),
        "{}",
        measured.stderr
    );
    assert!(
        measured.stderr.contains("3 of 12 items are left out"),
        "{}",
        measured.stderr
    );
}

#[test]
fn a_picture_that_turns_out_to_be_damaged_loses_no_answer() {
    let range = Range::new(Form::ScreenSpot);
    let model = Marksman::new(Skill::Sees, Hand::Qwen);
    let picture = range.place.path("pictures/desk/2.png");
    let whole = fs::read(&picture).unwrap();
    fs::write(&picture, &whole[..whole.len() / 2]).unwrap();
    let measured = range.measure("model", &model, &[]);
    assert_eq!(measured.code, Some(2), "{}", measured.stderr);
    assert!(
        measured.stderr.contains("made_up/7: desk/2.png: ") && measured.stderr.contains("--skip-bad"),
        "{}",
        measured.stderr
    );
    let skipped = range.measure("model", &model, &["--skip-bad"]);
    assert_eq!(
        (skipped.code, model.asked()),
        (Some(0), ITEMS - 3),
        "{}",
        skipped.stderr
    );
}

#[test]
fn a_key_goes_only_to_its_server_and_into_no_file() {
    const KEY: &str = "sk-0123456789abcdefghijklmnop";
    let range = Range::new(Form::ScreenSpot);
    let (mine, other) = (
        Marksman::new(Skill::Sees, Hand::Qwen),
        Marksman::new(Skill::Sees, Hand::Qwen),
    );
    let models = format!(
        "[[model]]\nname = \"mine\"\nupstream = \"{}\"\nkey_env = \"RANGE_KEY\"\n\n[[model]]\nname = \
         \"other\"\nupstream = \"{}\"\n",
        mine.url, other.url
    );
    fs::write(range.place.path("models.toml"), models).unwrap();
    let mut command = range.command(&["--models-from", "models.toml", "--limit", "2"]);
    command
        .env("RANGE_KEY", KEY)
        .env("FRANZ_API_KEY", "sk-another0123456789");
    let measured = spawn(command).finish();
    assert_eq!(measured.code, Some(0), "{}", measured.stderr);
    assert!(!mine.keys().is_empty() && mine.keys().iter().all(|sent| sent == &format!("Bearer {KEY}")));
    assert_eq!(other.keys(), Vec::<String>::new());
    assert!(!measured.stdout.contains("sk-") && !measured.stderr.contains("sk-"));
    for entry in fs::read_dir(range.place.path("grounding")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains("sk-"), "{text}");
    }
    let one = range.franz(&["--models-from", "models.toml", "--models", "nobody"]);
    assert!(
        one.stderr.contains("there is no model nobody, only mine, other"),
        "{}",
        one.stderr
    );
}

#[test]
fn a_text_among_a_models_settings_is_read_without_its_quotes() {
    let (range, model) = (Range::new(Form::ScreenSpot), Marksman::new(Skill::Sees, Hand::Qwen));
    let models = format!(
        "[[model]]\nname = \"m\"\nupstream = {:?}\nset = {{ \"model.calls\" = \"text\" }}\n",
        model.url
    );
    fs::write(range.place.path("models.toml"), models).unwrap();
    let measured = range.franz(&["--models-from", "models.toml", "--limit", "1"]);
    assert_eq!((measured.code, model.asked()), (Some(0), 1), "{}", measured.stderr);
}

#[test]
fn the_grounder_of_the_settings_is_measured() {
    let range = Range::new(Form::ScreenSpot);
    let none = range.franz(&["--grounder"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("no grounder is set"), "{}", none.stderr);
    let model = Marksman::new(Skill::Sees, Hand::Tars);
    let settings = format!("[grounder]\nupstream = \"{}\"\nwidth = 640\nheight = 360\n", model.url);
    fs::create_dir_all(range.place.path("config/franz")).unwrap();
    fs::write(range.place.path("config/franz/franz.toml"), settings).unwrap();
    let measured = range.franz(&["--grounder", "--limit", "4"]);
    assert_eq!((measured.code, model.asked()), (Some(0), 4), "{}", measured.stderr);
    let report = range.report(&["--limit", "4"]);
    let grounder = &report["models"][0];
    assert_eq!(
        (&grounder["name"], &grounder["asked"]),
        (&"grounder".into(), &"grounder".into())
    );
    assert_eq!(grounder["settings"]["image.width"], 640);
}

#[test]
fn wrong_usage_says_what_to_do() {
    let range = Range::new(Form::ScreenSpot);
    let model = Marksman::new(Skill::Sees, Hand::Qwen);
    let upstream = format!("model={}", model.url);
    let upstream = upstream.as_str();
    fs::write(range.place.path("taken"), "").unwrap();
    for (more, told) in [
        (&[][..], "no model is given: add --upstream NAME=URL"),
        (&["--upstream", "http://127.0.0.1:1"], "write NAME=URL"),
        (
            &["--upstream", upstream, "-o", "pictures"],
            "is not a folder of answers",
        ),
        (&["--upstream", upstream, "-o", "taken"], "taken"),
        (
            &["--upstream", upstream, "--set", "model.family=holo4"],
            "measure it with franz calibrate",
        ),
        (&["--upstream", upstream, "--profile", "nobody"], "nobody"),
        (
            &["--upstream", upstream, "--models", "model,model"],
            "model is given twice",
        ),
    ] {
        let refused = range.franz(more);
        assert_eq!(refused.code, Some(2), "{more:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(told), "{more:?}: {}", refused.stderr);
    }
    assert_eq!(model.asked(), 0);
    let elsewhere = |set: &Path| {
        let set = set.to_str().unwrap();
        spawn(
            range
                .place
                .program(&["suite", "grounding", set, "--upstream", upstream]),
        )
        .finish()
    };
    for (name, text, told) in [
        ("empty.json", "[]", "it has no items; write one like {\"img_filename\""),
        ("prose.json", "dear diary", "neither a JSON array nor JSON lines"),
    ] {
        let path = range.place.path(name);
        fs::write(&path, text).unwrap();
        let refused = elsewhere(&path);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    let missing = elsewhere(&range.place.path("missing.json"));
    assert!(missing.stderr.contains("missing.json"), "{}", missing.stderr);
}
