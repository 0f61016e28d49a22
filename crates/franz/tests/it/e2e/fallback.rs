//! Fallback servers, which are tried in order, and only while a server is down.

use std::net::TcpListener;

use franz_demo::{Demo, DemoHandle, DemoSettings, Player, ThinkingPace};
use franz_dialect::Family;
use franz_record::Status;
use serde_json::json;

use crate::e2e::settings::{SMALL, start};
use crate::harness::{Finished, Running, Workplace, reply, scripted, url, wait_until};
use crate::routes::Routes;

const CHAT: &str = "/v1/chat/completions";

/// Returns an address at which nobody listens.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn saying(text: &str) -> DemoHandle {
    scripted(&[&reply(text)])
}

/// Starts a run with fallback servers.
fn falling_back(place: &Workplace, upstream: &str, fallback: &[&str], more: &[&str]) -> Running {
    let list = format!("model.fallback={fallback:?}");
    let settings = ["--set", &list, "--set", "model.attempts=1"];
    start(place, upstream, &[&settings, more].concat())
}

fn finished(place: &Workplace, upstream: &str, fallback: &[&str], more: &[&str]) -> Finished {
    falling_back(place, upstream, fallback, more).finish()
}

fn replies(place: &Workplace) -> Vec<Option<String>> {
    let text = |turn: franz_record::TurnLine| turn.reply.map(|reply| reply.text());
    place.turns().into_iter().map(text).collect()
}

#[test]
fn a_server_that_is_down_at_the_start_is_skipped() {
    // If the model is named, no request is sent before the first turn.
    for model in [&[][..], &["--model", "franz-demo"]] {
        let (place, second) = (Workplace::new(), saying("second"));
        let more = [&["--max-turns", "2"], model].concat();
        let finished = finished(&place, &closed(), &[&closed(), &url(&second)], &more);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(replies(&place), [Some("second".to_owned()), Some("second".to_owned())]);
        assert_eq!(place.turns()[0].errors.len(), if model.is_empty() { 0 } else { 2 });
        assert!(finished.stdout.contains(&url(&second)), "{}", finished.stdout);
    }
}

#[test]
fn a_server_that_dies_is_replaced_within_the_turn() {
    let (place, first, second) = (Workplace::new(), saying("first"), saying("second"));
    let address = url(&second);
    let bounded = ["--set", "model.wait_s=1"];
    let running = falling_back(&place, &url(&first), &[&closed(), &address], &bounded);
    place.wait_for_turn(3);
    assert!(second.requests().is_empty(), "it is asked in need only");
    drop(first);
    wait_until("the second server", || (second.requests().len() >= 3).then_some(()));
    drop(second);
    let finished = running.finish();
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    assert!(finished.stderr.contains("(model.wait_s)"), "{}", finished.stderr);

    let turns = place.turns();
    let answered: Vec<_> = turns.iter().take_while(|turn| turn.status == Status::Ok).collect();
    let texts: Vec<_> = answered
        .iter()
        .filter_map(|turn| Some(turn.reply.as_ref()?.text()))
        .collect();
    let change = texts.iter().position(|text| text == "second").unwrap();
    assert!(texts[..change].iter().all(|text| text == "first"));
    assert!(texts[change..].iter().all(|text| text == "second") && texts.len() - change >= 2);
    assert!(!answered[change].errors.is_empty() && answered[change + 1].errors.is_empty());
    assert_eq!(turns.len(), texts.len() + 1, "one turn was held, and failed");
    assert_eq!(turns[texts.len()].status, Status::Failed);
    let notices = finished.stdout.lines().filter(|line| line.starts_with("note: "));
    let notices: Vec<_> = notices.filter(|line| line.contains("switching to")).collect();
    assert!(notices[0].ends_with(&format!("switching to {address}")), "{notices:?}");
}

#[test]
fn a_server_that_answers_after_all_were_down_is_named() {
    let listed = || {
        let models = json!({ "data": [{ "id": "m" }] }).to_string();
        ("/v1/models", 200, models)
    };
    let down = || (CHAT, 503, "down".to_owned());
    let answers = json!({ "choices": [{ "message": { "content": "I look." } }] });
    let first = Routes::serve(vec![listed(), down(), (CHAT, 200, answers.to_string())]);
    let second = Routes::serve(vec![listed(), down()]);
    let place = Workplace::new();
    let finished = finished(&place, &first.url, &[&second.url], &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let told = &finished.stdout;
    let at = |words: String| {
        assert_eq!(told.matches(&words).count(), 1, "{told}");
        told.find(&words)
    };
    let away = at(format!("switching to {}", second.url));
    let back = at(format!("{} answers; using it from now on", first.url));
    assert!(away < back, "{told}");
}

#[test]
fn a_fallback_model_uses_its_own_family() {
    let (place, first) = (Workplace::new(), saying("first"));
    let second = Demo::spawn(DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        player: Some(Player::new(Family::named("seed").unwrap()).unwrap()),
        keep_requests: true,
        ..DemoSettings::default()
    });
    let second = second.unwrap();
    let bounded = ["--profile", "sketch", "--set", "model.wait_s=1"];
    let running = falling_back(&place, &url(&first), &[&url(&second)], &bounded);
    place.wait_for_turn(2);
    drop(first);
    wait_until("the second server", || (second.requests().len() >= 4).then_some(()));
    drop(second);
    let finished = running.finish();
    let lines = finished.stdout.lines();
    let said: Vec<_> = lines
        .filter(|line| line.contains("belongs to the seed family"))
        .collect();
    assert_eq!(said.len(), 1, "{}", finished.stdout);
    assert!(said[0].ends_with("its coordinates are thousandths"), "{said:?}");
    let turns = place.turns();
    let families: Vec<Option<String>> = turns
        .iter()
        .filter(|turn| turn.status == Status::Ok)
        .map(|turn| Some(turn.read_as.as_ref()?.family.clone()))
        .collect();
    let change = families.iter().position(Option::is_some).unwrap();
    assert!(
        change > 0
            && families[change..]
                .iter()
                .all(|family| family.as_deref() == Some("seed"))
    );
    // The second model's actions are performed, and it gets feedback in its own format.
    assert!(
        turns
            .iter()
            .skip(change + 1)
            .any(|turn| turn.feedback.contains("-> done"))
    );
}

#[test]
fn no_reachable_server_before_the_first_reply_ends_the_run() {
    for model in [&[][..], &["--model", "franz-demo"]] {
        let place = Workplace::new();
        let first = closed();
        let finished = finished(&place, &first, &[&closed()], model);
        assert_eq!(finished.code, Some(3), "{}", finished.stdout);
        let words = format!("no model server answers at {first}");
        let said = finished.stderr.lines().count() == 1 && finished.stderr.contains("no model server answers at ");
        assert!(said, "{}", finished.stderr);
        assert!(
            !model.is_empty() || finished.stderr.contains(&words),
            "{}",
            finished.stderr
        );
    }
}

#[test]
fn a_server_that_refuses_is_not_down() {
    let refusal = r#"{"status": 400, "json": {"error": {"message": "the flux capacitor is missing"}}}"#;
    let (place, first, second) = (
        Workplace::new(),
        scripted(&[&reply("first"), refusal]),
        saying("second"),
    );
    let finished = finished(&place, &url(&first), &[&url(&second)], &["--max-turns", "9"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stdout);
    assert!(
        finished.stderr.contains("the flux capacitor is missing"),
        "{}",
        finished.stderr
    );
    assert!(second.requests().is_empty());
    assert_eq!(place.turns().len(), 3, "twice running");
}

#[test]
fn a_server_without_the_model_is_replaced_by_one_that_has_it() {
    let missing = json!({ "status": 404, "json": { "error": { "message": "The model `m` does not exist." } } });
    let (there, gone) = (reply("first"), missing.to_string());
    // The model is missing from the start, or disappears in the middle of the run.
    for (script, before) in [(vec![&gone], 0), (vec![&there, &gone], 1)] {
        let script: Vec<&str> = script.into_iter().map(String::as_str).collect();
        let (place, first, second) = (Workplace::new(), scripted(&script), saying("second"));
        let more = ["--model", "m", "--max-turns", "3"];
        let finished = finished(&place, &url(&first), &[&url(&second)], &more);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let wanted = ["first", "second", "second", "second"];
        let wanted: Vec<_> = wanted[1 - before..][..3]
            .iter()
            .map(|text| Some((*text).to_owned()))
            .collect();
        assert_eq!(replies(&place), wanted);
        for told in [
            "'m' is not on the server; the server has: franz-demo; choose one with --model".to_owned(),
            format!("switching to {}", url(&second)),
        ] {
            assert_eq!(finished.stdout.matches(&told).count(), 1, "{}", finished.stdout);
        }
        let asked: serde_json::Value = serde_json::from_slice(&second.requests()[0].body).unwrap();
        assert_eq!(asked["model"], "m", "the model that was named");
    }
    // Neither server has the model.
    let (place, first, second) = (Workplace::new(), scripted(&[&gone]), scripted(&[&gone]));
    let finished = finished(&place, &url(&first), &[&url(&second)], &["--model", "m"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stdout);
    assert!(
        finished.stderr.contains("The model `m` does not exist;"),
        "{}",
        finished.stderr
    );
    assert_eq!([first.requests().len(), second.requests().len()], [1, 1]);
}

#[test]
fn an_invalid_fallback_address_is_a_usage_error() {
    let server = saying("first");
    for wrong in ["", "ftp://127.0.0.1:1", "http://", "not an address"] {
        let place = Workplace::new();
        let finished = finished(&place, &url(&server), &[wrong], &["--max-turns", "1"]);
        assert_eq!(
            finished.code,
            Some(2),
            "{wrong}: {}{}",
            finished.stdout,
            finished.stderr
        );
        assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
        assert!(!place.file("").exists(), "nothing was made");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn the_key_is_in_no_file_and_in_no_output() {
    let key = "sk-secret-0123456";
    let words = format!("the key {key} is wrong");
    let refusal = serde_json::json!({ "status": 401, "json": { "error": { "message": words } } }).to_string();
    let trouble = serde_json::json!({ "status": 503, "raw": words }).to_string();
    let (place, first, second) = (
        Workplace::new(),
        scripted(&[&trouble]),
        scripted(&[&reply("a"), &refusal]),
    );
    let fallback = format!("model.fallback=[{:?}]", url(&second));
    let upstream = url(&first);
    let also = url(&second);
    let arguments = ["run", "--run-dir", "run", "--upstream", &upstream, "--set", &fallback];
    let more = ["--key-for", &also, "--set", "model.attempts=1", "-v"];
    let mut command = place.franz(&[&arguments, &SMALL[..], &more].concat());
    command.env("FRANZ_API_KEY", key).env("RUST_LOG", "debug");
    let finished = crate::harness::spawn(command).finish();
    assert_eq!(finished.code, Some(3), "{}", finished.stdout);
    let sent = |server: &DemoHandle| {
        server.requests()[0].headers["authorization"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        [sent(&first), sent(&second)],
        ["Bearer sk-secret-0123456", "Bearer sk-secret-0123456"]
    );
    assert!(
        !finished.stdout.contains(key) && !finished.stderr.contains(key),
        "{}",
        finished.stderr
    );
    let files = std::fs::read_dir(place.file(""))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut count = 0;
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let holds = bytes.windows(key.len()).any(|window| window == key.as_bytes());
        assert!(!holds, "{}", file.display());
        count += 1;
    }
    assert!(count > 6, "{count} files were read");
}
