//! A planner names its target, and a grounder finds it. The click is performed there, or the call fails with an
//! explanation.

use franz_demo::DemoHandle;
use franz_record::{Acted, Outcome};
use serde_json::json;

use crate::chat;
use crate::e2e::settings::{edit, resume, run, start};
use crate::harness::{Finished, Workplace, reply, scripted, spawn, url};
use crate::puppet::Puppet;
use crate::routes::Routes;

const CLICK: &str = "```python\nleft_click(target=\"the left box\")\n```";
/// The centre of a 64x36 picture, in the format and pixels of UI-TARS 1.5.
const THERE: &str = "Thought: there\nAction: click(start_box='(31,17)')";

/// Returns the settings for a grounder of this family.
fn grounder(url: &str, family: &str) -> Vec<String> {
    [format!("grounder.upstream={url}"), format!("grounder.family={family}")]
        .into_iter()
        .flat_map(|setting| ["--set".to_owned(), setting])
        .collect()
}

/// Lets a planner click three times with the help of this grounder, without a panel.
fn clicked(place: &Workplace, planner: &DemoHandle, grounding: &str, family: &str, more: &[&str]) -> Finished {
    let grounder = grounder(grounding, family);
    let grounder: Vec<&str> = grounder.iter().map(String::as_str).collect();
    let turns: &[&str] = if more.contains(&"--max-turns") {
        &[]
    } else {
        &["--max-turns", "3"]
    };
    let more = [turns, &grounder[..], more].concat();
    start(place, &url(planner), &more).finish()
}

/// Returns the second turn's action.
fn acted(place: &Workplace) -> Acted {
    let turns = place.turns();
    let [acted] = &turns[1].acted[..] else {
        panic!("{:?}", turns[1].acted)
    };
    acted.clone()
}

#[test]
fn a_named_target_is_clicked_where_the_grounder_finds_it() {
    for family in ["ui-tars-1.5", "qwen2.5-vl"] {
        let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
        let grounding = scripted(&[&reply(THERE)]);
        let finished = clicked(&place, &planner, &url(&grounding), family, &[]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let acted = acted(&place);
        assert_eq!(acted.action, "left_click(target=\"the left box\")");
        assert_eq!(acted.outcome, Outcome::DONE);
        let found = acted.found.unwrap();
        // These models are shown a picture of 64x36 as 56x28.
        let at = found.action.unwrap();
        assert!(at.starts_with("left_click(56") && at.ends_with(')'), "{at}");
        assert_eq!(found.said, THERE);
        let asked = chat::all(&grounding);
        assert_eq!(asked.len(), 2, "a target is looked for once");
        assert!(
            asked[0].to_string().contains("Click this: the left box"),
            "{}",
            asked[0]
        );
        let told = chat::all(&planner);
        let system = chat::system(&told[0]);
        assert!(system.contains("left_click(target=\"the search field"), "{system}");
        assert!(chat::feedback(&told[1]).contains("OK: 1 action executed"));
        let line = std::fs::read_to_string(place.file("exchange.log")).unwrap();
        assert!(line.contains("Click this: the left box"));
        assert!(finished.stdout.contains("targets are found by "), "{}", finished.stdout);
    }
}

#[test]
fn without_a_grounder_no_target_is_offered_or_read() {
    let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
    let finished = start(&place, &url(&planner), &["--max-turns", "2"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let told = chat::all(&planner);
    assert!(!chat::system(&told[0]).contains("target"), "{}", chat::system(&told[0]));
    assert!(chat::feedback(&told[1]).contains("unexpected keyword argument 'target'"));
}

#[test]
fn a_function_call_names_its_target_by_its_label() {
    let (place, mut planner) = (Workplace::new(), Puppet::new());
    let grounding = scripted(&[&reply(THERE)]);
    let more = grounder(&url(&grounding), "ui-tars-1.5");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let goal = ["--profile", "operator", "Click the box.", "--max-turns", "2"];
    let running = start(&place, &planner.url(), &[&goal[..], &more].concat());
    let asked = planner.chat();
    let click = &asked["tools"][1]["function"];
    assert_eq!(click["name"], "click_element");
    assert_eq!(click["parameters"]["required"], serde_json::json!(["label"]));
    assert!(click["parameters"]["properties"].get("box").is_none(), "{click}");
    let next = planner.then("{\"name\": \"click_element\", \"parameters\": {\"label\": \"the left box\"}}");
    // The model's own label for the target is not reported as a fact.
    assert!(next.to_string().contains("{\\\"ok\\\":true}"), "{next}");
    planner.reply("I wait.");
    assert_eq!(running.finish().code, Some(0));
    assert!(acted(&place).found.unwrap().action.is_some());
}

#[test]
fn a_grounder_that_refuses_fields_is_asked_in_another_form_from_then_on() {
    let (place, planner, mut grounding) = (Workplace::new(), scripted(&[&reply(CLICK)]), Puppet::new());
    let more = grounder(&grounding.url(), "ui-tars-1.5");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let running = start(&place, &url(&planner), &[&["--max-turns", "2"][..], &more].concat());
    let first = grounding.chat();
    assert!(
        first["max_tokens"].is_u64() && first["temperature"].is_number(),
        "{first}"
    );
    grounding.refuse("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.");
    let second = grounding.chat();
    assert_eq!(second["max_completion_tokens"], first["max_tokens"]);
    assert!(second["max_tokens"].is_null(), "{second}");
    grounding.refuse("`temperature` is deprecated for this model.");
    let third = grounding.chat();
    assert!(third["temperature"].is_null(), "{third}");
    grounding.reply(THERE);
    let finished = running.finish();
    let told = &finished.stdout;
    assert_eq!(finished.code, Some(0), "{told}\n{}", finished.stderr);
    assert!(told.contains("grounder: that worked; FRANZ remembers it"), "{told}");
    assert_eq!(acted(&place).outcome, Outcome::DONE);

    let running = resume(&place, &url(&planner), &["--max-turns", "1"]);
    let again = grounding.chat();
    assert_eq!(again["max_completion_tokens"], first["max_tokens"]);
    assert!(again["temperature"].is_null(), "{again}");
    grounding.reply(THERE);
    assert_eq!(running.finish().code, Some(0));
}

#[test]
fn a_grounder_that_finds_nothing_fails_the_call_and_the_run_goes_on() {
    for (answer, why) in [
        (
            reply("I cannot see such a thing."),
            "the grounder did not point but answered \"I cannot see such a thing.\"",
        ),
        (
            reply("Action: click(start_box='(900,17)')"),
            "the grounder's answer is not a position in the picture",
        ),
        (
            r#"{"status": 500, "raw": "secret/path"}"#.to_owned(),
            "the grounder did not answer",
        ),
        (r#"{"raw": "{"}"#.to_owned(), "the grounder did not answer"),
    ] {
        let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
        let grounding = scripted(&[&answer]);
        let finished = clicked(&place, &planner, &url(&grounding), "ui-tars-1.5", &[]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let acted = acted(&place);
        assert!(acted.outcome.why().unwrap().contains(why), "{acted:?}");
        assert_eq!(acted.outcome.name(), "not_applied");
        assert_eq!(acted.found.unwrap().action, None);
        let told = chat::all(&planner);
        assert!(chat::feedback(&told[1]).contains(why), "{}", chat::feedback(&told[1]));
        assert!(!told[1].to_string().contains("secret/path"));
    }
}

#[test]
fn a_grounder_that_goes_down_is_no_end_of_the_run() {
    let (place, mut planner) = (Workplace::new(), Puppet::new());
    let grounding = scripted(&[&reply(THERE)]);
    let more = grounder(&url(&grounding), "ui-tars-1.5");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let running = start(&place, &planner.url(), &[&["--max-turns", "3"], &more[..]].concat());
    planner.chat();
    let next = planner.then(CLICK);
    assert!(chat::feedback(&next).contains("OK: 1 action executed"));
    drop(grounding);
    let next = planner.then(CLICK);
    assert!(
        chat::feedback(&next).contains("the grounder did not answer"),
        "{}",
        chat::feedback(&next)
    );
    planner.reply("I rest.");
    assert_eq!(running.finish().code, Some(0));
}

/// The server's new model answered instructions for the old one, so FRANZ clicks nothing until that model has got its
/// own.
#[test]
fn a_grounder_whose_server_changes_its_model_is_asked_in_the_words_of_the_new_one() {
    let listing = |model: &str| ("/v1/models", 200, json!({ "data": [{ "id": model }] }).to_string());
    let says = |model: &str, text: &str| {
        let body = json!({ "model": model, "choices": [{ "message": { "content": text } }] });
        ("/v1/chat/completions", 200, body.to_string())
    };
    let gone = json!({ "error": { "message": "The model `local` does not exist." } }).to_string();
    let call = r#"<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [250, 750]}}</tool_call>"#;
    let grounding = Routes::serve(vec![
        listing("local"),
        listing("local"),
        listing("ui-tars-1.5-7b"),
        says("org/a-1", "left_click(500, 500)"),
        says("qwen3-vl-8b", "left_click(500, 500)"),
        says("qwen3-vl-8b", call),
        ("/v1/chat/completions", 404, gone),
        says("ui-tars-1.5-7b", THERE),
    ]);
    let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
    let finished = clicked(&place, &planner, &grounding.url, "auto", &["--max-turns", "6"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let told = [
        "grounder: the model server changed its model from 'org/a-1' to 'qwen3-vl-8b'; 'qwen3-vl-8b' belongs to the qwen3-vl family",
        "which has only 'ui-tars-1.5-7b'; using that from now on; 'ui-tars-1.5-7b' belongs to the ui-tars-1.5 family",
    ];
    for told in told {
        assert_eq!(finished.stdout.matches(told).count(), 1, "{}", finished.stdout);
    }
    let turns = place.turns();
    let found: Vec<_> = turns[1..]
        .iter()
        .map(|turn| turn.acted[0].found.clone().unwrap())
        .collect();
    let models: Vec<&str> = found.iter().map(|found| found.model.as_str()).collect();
    assert_eq!(
        models,
        ["org/a-1", "qwen3-vl-8b", "qwen3-vl-8b", "local", "ui-tars-1.5-7b"]
    );
    let places: Vec<_> = found.iter().map(|found| found.action.as_deref()).collect();
    assert_eq!(
        places[..4],
        [Some("left_click(500, 500)"), None, Some("left_click(250, 750)"), None]
    );
    assert!(
        places[4].is_some_and(|place| place.starts_with("left_click(56")),
        "{places:?}"
    );
    let why = turns[2].acted[0].outcome.why().unwrap();
    assert!(
        why.contains("the grounder has just been replaced by another model"),
        "{why}"
    );
    let log = std::fs::read_to_string(place.file("exchange.log")).unwrap();
    let asked: Vec<bool> = log
        .lines()
        .filter(|line| line.contains("the left box") && line.contains(r#""request":{"#))
        .filter(|line| line.contains("Click this"))
        .map(|line| line.contains("computer_use"))
        .collect();
    assert_eq!(asked, [false, false, true, true, false]);
}

#[test]
fn a_grounder_that_is_not_there_ends_the_start_with_its_address() {
    let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
    let finished = clicked(&place, &planner, "http://127.0.0.1:1", "ui-tars-1.5", &[]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let told = finished.stderr;
    assert!(
        told.contains("the grounder cannot be used (grounder.upstream)") && told.contains("127.0.0.1:1"),
        "{told}"
    );
    assert!(!place.file("").exists(), "nothing is made on disk");
}

#[test]
fn doctor_examines_the_grounder_too() {
    let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
    let examined = |grounding: &str| {
        let grounder = format!("grounder.upstream={grounding}");
        let upstream = url(&planner);
        let arguments = [
            "doctor",
            "--upstream",
            &upstream,
            "--screen",
            "canvas",
            "--set",
            &grounder,
        ];
        spawn(place.franz(&arguments)).finish()
    };
    let there = scripted(&[&reply(THERE)]);
    let finished = examined(&url(&there));
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert!(
        finished.stdout.contains("grounder: ") || finished.stdout.contains("grounder "),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains(&format!("model server: {}", url(&there))),
        "{}",
        finished.stdout
    );
    let finished = examined("http://127.0.0.1:1");
    assert_eq!(finished.code, Some(3), "{}", finished.stdout);
}

/// If the person changes the goal while the grounder is thinking, FRANZ clicks nothing.
#[test]
fn what_the_person_withdraws_while_the_grounder_thinks_is_not_done() {
    let (place, mut planner, mut grounding) = (Workplace::new(), Puppet::new(), Puppet::new());
    let more = grounder(&grounding.url(), "ui-tars-1.5");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let running = start(&place, &planner.url(), &[&["--max-turns", "2"], &more[..]].concat());
    planner.chat();
    planner.reply(CLICK);
    grounding.chat();
    edit(&place, "prompt.goal", Some("Draw a house."));
    grounding.reply(THERE);
    planner.chat();
    planner.reply("I rest.");
    assert_eq!(running.finish().code, Some(0));
    let acted = acted(&place);
    assert_eq!(acted.outcome.name(), "withdrawn", "{acted:?}");
}

/// Under a panel, the grounder has a separate relay. Its exchange is logged but not mistaken for a story.
#[test]
fn the_panel_logs_the_grounder_and_judges_only_the_planner() {
    let (place, planner) = (Workplace::new(), scripted(&[&reply(CLICK)]));
    let grounding = scripted(&[&reply(THERE)]);
    let more = grounder(&url(&grounding), "ui-tars-1.5");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let panel = ["--max-turns", "3", "--dashboard", "127.0.0.1:0", "--no-open"];
    let finished = spawn(run(&place, &url(&planner), &[&panel[..], &more].concat())).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(acted(&place).outcome, Outcome::DONE);
    let log = std::fs::read_to_string(place.file("exchange.log")).unwrap();
    assert!(log.contains("Click this: the left box") && log.contains(&THERE[..14]));
    let verdicts = std::fs::read_to_string(place.file("verdicts.jsonl")).unwrap();
    let kinds: Vec<serde_json::Value> = verdicts
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = kinds
        .iter()
        .map(|verdict| verdict["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["first", "match", "match"]);
}

/// If a process is killed while the grounder thinks, earlier actions count as performed, and the action on the target
/// counts as interrupted.
#[cfg(unix)]
#[test]
fn what_was_done_before_a_target_is_known_after_a_kill() {
    let (place, mut planner, mut grounding) = (Workplace::new(), Puppet::new(), Puppet::new());
    let more = grounder(&grounding.url(), "ui-tars-1.5");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let running = start(&place, &planner.url(), &more);
    planner.chat();
    planner.reply("```python\ndrag(10, 10, 20, 20)\nleft_click(target=\"Save\")\n```");
    grounding.chat();
    running.kill();
    let running = resume(&place, &planner.url(), &["--max-turns", "1"]);
    let next = planner.chat();
    assert!(
        chat::feedback(&next).contains("Interrupted: 1 of 2 actions were performed."),
        "{}",
        chat::feedback(&next)
    );
    planner.reply("I rest.");
    assert_eq!(running.finish().code, Some(0));
    let turns = place.turns();
    let outcomes: Vec<&str> = turns[1].acted.iter().map(|acted| acted.outcome.name()).collect();
    assert_eq!(outcomes, ["done", "interrupted"]);
}

#[test]
fn a_reply_may_name_only_so_many_targets_and_asks_a_silent_grounder_once() {
    let calls = |count: usize| "left_click(target=\"the box\")\n".repeat(count);
    for (answer, outcomes, asked) in [
        (reply(THERE), 10, 10),
        (r#"{"status": 500, "raw": "no"}"#.to_owned(), 0, 1),
    ] {
        let block = format!("```python\n{}```", calls(13));
        let (place, planner) = (Workplace::new(), scripted(&[&reply(&block), &reply("I rest.")]));
        let grounding = scripted(&[&answer]);
        let finished = clicked(&place, &planner, &url(&grounding), "ui-tars-1.5", &[]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let turns = place.turns();
        let done = turns[1]
            .acted
            .iter()
            .filter(|acted| acted.outcome == Outcome::DONE)
            .count();
        assert_eq!((done, chat::all(&grounding).len()), (outcomes, asked));
    }
}
