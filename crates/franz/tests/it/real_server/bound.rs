//! A model with random weights, held to grammars and schemas by the real server: every reply ends in a call that is done.

use franz_action::Outcome;
use franz_record::TurnLine;

use crate::harness::{Finished, Workplace, spawn};
use crate::real_server::disguise;
use crate::real_server::parrot::Parrot;

/// A family for each dialect that is asked for, and for each envelope and space.
const FAMILIES: [&str; 13] = [
    "franz",
    "claude",
    "qwen2.5-vl",
    "qwen3.5",
    "fara",
    "seed",
    "ui-tars-1.5",
    "opencua",
    "kimi",
    "scalecua",
    "glm-v",
    "holo2",
    "showui",
];
const TURNS: usize = 4;

fn run(place: &Workplace, url: &str, profile: &str, family: &str) -> Finished {
    let mut arguments = vec!["run", "--run-dir", "run", "--upstream", url, "--max-turns", "4"];
    arguments.extend(["--profile", profile, "--family", family, "--screen", "canvas"]);
    let settings = [
        "loop.executing_delay_s=0",
        "loop.monitoring_delay_s=0",
        "loop.stop_on_answer=false",
        "model.calls=text",
        "model.max_tokens=8000",
        // A random wait lasts, and so does watching.
        "protocol.tools.watch=false",
        "protocol.tools.wait=false",
        "protocol.tools.observe=false",
        "image.width=112",
        "image.height=112",
    ];
    arguments.extend(settings.into_iter().flat_map(|setting| ["--set", setting]));
    arguments.push("Draw");
    spawn(place.franz(&arguments)).finish()
}

/// Whether the reply of a turn was held to something by this field.
fn is_bound(turn: &TurnLine, field: &str) -> bool {
    let sampling = turn.sampling.as_ref().map_or("", |sampling| sampling.get());
    sampling.contains(&format!(r#""bound":"{field}""#))
}

/// Whether what a reply asked for was done, as far as the screen can.
fn done(turn: &TurnLine) -> bool {
    let fine = |outcome: &Outcome| {
        matches!(
            outcome,
            // One part too many is enlarged: what follows is held. Nobody is there to answer a question, and the rest of its
            // reply is withdrawn.
            Outcome::Done(_)
                | Outcome::Read { .. }
                | Outcome::NotApplied(_)
                | Outcome::Held(_)
                | Outcome::Refused(_)
                | Outcome::Withdrawn(_)
        ) || *outcome == Outcome::IGNORED
    };
    !turn.acted.is_empty() && turn.acted.iter().all(|acted| fine(&acted.outcome))
}

#[test]
fn random_weights_write_calls_that_are_done_in_every_dialect() {
    let server = Parrot::babbling("Qwen3-VL-Instruct", "babbler");
    for family in FAMILIES {
        for profile in ["sketch", "companion", "operator"] {
            // Read-only families are asked for functions that the server reports.
            if profile == "operator" && family == "claude" {
                continue;
            }
            replies_are_done(&server.url, profile, family, "grammar");
        }
    }
}

/// As LM Studio and Ollama have llama.cpp do it.
#[test]
fn random_weights_write_json_of_a_schema_that_is_done() {
    let server = Parrot::babbling("Qwen3-VL-Instruct", "babbler");
    let url = disguise::as_lm_studio(&server.url, "babbler");
    for family in ["holo1", "holo2", "holo3"] {
        replies_are_done(&url, "operator", family, "response_format");
    }
}

/// Runs a few turns, all but the first of which are bound by this field, and checks that what they ask for is done.
fn replies_are_done(url: &str, profile: &str, family: &str, field: &str) {
    let place = Workplace::new();
    let finished = run(&place, url, profile, family);
    let told = format!("{family} in {profile}:\n{}\n{}", finished.stdout, finished.stderr);
    assert_eq!(finished.code, Some(0), "{told}");
    let turns = place.turns();
    assert_eq!(turns.len(), TURNS, "{told}");
    let bound = turns.iter().filter(|turn| is_bound(turn, field)).count();
    assert!(bound >= TURNS - 1, "{told}");
    for pair in turns.windows(2) {
        let [asked, next] = pair else { continue };
        assert!(!asked.cut, "{told}");
        let reply = asked.reply.as_ref().map(franz_json::Story::text).unwrap_or_default();
        // A sketch may rest.
        let rests = profile == "sketch" && next.acted.is_empty();
        assert!(
            !is_bound(asked, field) || rests || done(next),
            "{told}\n{reply}\n{:?}",
            next.acted
        );
    }
}
