//! `franz config` and `franz check`.

use std::fs;

use serde_json::Value;

use crate::harness::{Finished, Workplace, reply, scripted, spawn};

fn franz(place: &Workplace, words: &[&str]) -> Finished {
    spawn(place.program(words)).finish()
}

/// Returns the value of a key and where it comes from.
fn setting(place: &Workplace, words: &[&str]) -> (Value, String) {
    let finished = franz(place, &[&["config", "--json"], words].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut setting: Value = serde_json::from_str(finished.stdout.trim()).unwrap();
    let origin = setting["origin"].as_str().unwrap().to_owned();
    (setting["value"].take(), origin)
}

#[test]
fn settings_are_shown_with_where_they_come_from() {
    let place = Workplace::new();
    fs::write(place.path("mine.toml"), "[loop]\nmax_turns = 3").unwrap();
    let key = ["loop.max_turns"];
    assert_eq!(setting(&place, &key), (0.into(), "defaults".to_owned()));
    let (value, origin) = setting(&place, &[&key[..], &["--profile", "mine.toml"]].concat());
    assert_eq!((value, origin.as_str()), (3.into(), "mine.toml:2"));
    let set = ["--profile", "mine.toml", "--set", "loop.max_turns=4"];
    assert_eq!(setting(&place, &[&key[..], &set].concat()).0, 4);

    let server = scripted(&[&reply("one")]);
    let finished = place.run(&server, &["--max-turns", "1"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(setting(&place, &["loop.max_turns", "--run", "run"]).0, 1);

    let table = franz(&place, &["config", "loop"]).stdout;
    let (head, settings) = table.split_once('\n').unwrap();
    assert_eq!(head, "[loop]");
    assert!(settings.lines().all(|line| line.contains(" # ")), "{table}");
    let all = franz(&place, &["config"]).stdout;
    let parsed: toml::Table = all.parse().expect("it is TOML");
    assert!(parsed.len() > 10, "{all}");

    let unset = franz(&place, &["config", "model.name"]);
    assert_eq!(unset.code, Some(0));
    let told = "# model.name is not set: Model, as its server lists it";
    assert!(unset.stdout.starts_with(told), "{}", unset.stdout);

    let unknown = franz(&place, &["config", "modle"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean model?"), "{}", unknown.stderr);
}

#[test]
fn all_that_is_wrong_with_a_profile_is_told_at_once() {
    let place = Workplace::new();
    let wrong =
        "[prompt]\nsystem = 'Draw {gaol}'\n[model]\nupstraem = 1\n[image]\nwidth = 'big'\n[screen]\nkind = 'desktop'";
    fs::write(place.path("mine.toml"), wrong).unwrap();
    let checked = franz(&place, &["check", "mine.toml"]);
    assert_eq!(checked.code, Some(2), "{}", checked.stderr);
    let told: Vec<&str> = checked.stdout.lines().collect();
    let expected = [
        "wrong   mine.toml:4:1: unknown key 'model.upstraem'",
        "wrong   mine.toml:6:1: image.width must be",
        "wrong   prompt.system has no {goal}",
        "wrong   prompt.system: {gaol} is not a placeholder; did you mean {goal}?",
        "asks    mine.toml:8: screen.kind uses your desktop",
    ];
    assert_eq!(told.len(), expected.len(), "{}", checked.stdout);
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    // A run refuses the file for the same reasons, with one line for each.
    let refused = franz(&place, &["run", "--profile", "mine.toml"]);
    assert_eq!(
        (refused.code, refused.stderr.lines().count()),
        (Some(2), 2),
        "{}",
        refused.stderr
    );

    for (profile, said) in [("draw", "draw: no mistakes"), ("operator", "operator: no mistakes")] {
        let checked = franz(&place, &["check", profile]);
        assert_eq!((checked.code, checked.stdout.trim()), (Some(0), said));
    }
    assert_eq!(franz(&place, &["check", "nobody"]).code, Some(2));
}

/// Such values fit their keys, and were noticed only when a run ended.
#[test]
fn values_that_would_end_a_run_are_mistakes_of_a_profile() {
    let place = Workplace::new();
    let wrong = "[model]\nfamily = 'qwen-vl3'\nfallback = ['http://']\n[screen]\ndrawing = ['drag(1, 2)', 'wait(1)']\n[prompt]\nscreens = ['Canvas', 'virtual']\nsystem = '{goal}'\n";
    fs::write(place.path("mine.toml"), wrong).unwrap();
    let checked = franz(&place, &["check", "mine.toml"]);
    assert_eq!(checked.code, Some(2), "{}", checked.stderr);
    let told: Vec<&str> = checked.stdout.lines().collect();
    let expected = [
        "wrong   model.family: there is no family 'qwen-vl3'",
        "wrong   model.fallback: \"http://\" is not a valid address",
        "wrong   screen.drawing: \"drag(1, 2)\": ",
        "wrong   screen.drawing: \"wait(1)\": only clicks, drag and type can draw",
        "wrong   prompt.screens: there is no screen \"Canvas\"",
        "asks    mine.toml:3: model.fallback names servers",
    ];
    assert_eq!(told.len(), expected.len(), "{}", checked.stdout);
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
}

#[test]
fn a_mistake_in_the_persons_own_family_is_not_blamed_on_the_profile() {
    let place = Workplace::new();
    let own = place.path("config").join("franz").join("families");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("mine.toml"), "models = [1]\nspac = 'pixels'\n").unwrap();
    let profile = "[model]\nfamily = 'qwen3-vl'\n[grounder]\nfamily = 'qwen3-vl'\n[prompt]\nsystem = '{goal}'\n";
    fs::write(place.path("profile.toml"), profile).unwrap();
    let checked = franz(&place, &["check", "profile.toml"]);
    assert_eq!(checked.code, Some(2), "{}", checked.stderr);
    let file = own.join("mine.toml");
    let told: Vec<&str> = checked.stdout.lines().collect();
    assert_eq!(told.len(), 4, "once for both keys: {}", checked.stdout);
    for (told, line) in told.iter().zip([1, 1, 1, 2]) {
        let place = format!("wrong   {}, line {line}: ", file.display());
        assert!(told.starts_with(&place), "{told}");
    }
}
