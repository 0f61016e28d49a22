//! A model with random weights that the real server binds to grammars and schemas. Every reply ends in a call that can
//! be performed.

use franz_action::Outcome;
use franz_record::TurnLine;

use crate::harness::{Finished, Workplace, spawn};
use crate::real_server::disguise;
use crate::real_server::parrot::Parrot;

/// A family for each dialect that FRANZ can ask for, and for each envelope and coordinate space.
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
        // Waiting and watching for a random time would take too long.
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

/// Returns whether this field bound the turn's reply to a grammar or a schema.
fn is_bound(turn: &TurnLine, field: &str) -> bool {
    let sampling = turn.sampling.as_ref().map_or("", |sampling| sampling.get());
    sampling.contains(&format!(r#""bound":"{field}""#))
}

/// Returns whether a reply's actions were performed, as far as the screen allows.
fn done(turn: &TurnLine) -> bool {
    let fine = |outcome: &Outcome| {
        matches!(
            outcome,
            // If a reply zooms in on too many parts, the actions after that are held. Nobody is there to answer a
            // question, so the rest of a reply that asks one is withdrawn.
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
            // In read-only families, FRANZ asks for function calls that the server reports.
            if profile == "operator" && family == "claude" {
                continue;
            }
            replies_are_done(&server.url, profile, family, "grammar");
        }
    }
}

/// The server binds replies as llama.cpp does in LM Studio and Ollama.
#[test]
fn random_weights_write_json_of_a_schema_that_is_done() {
    let server = Parrot::babbling("Qwen3-VL-Instruct", "babbler");
    let url = disguise::as_lm_studio(&server.url, "babbler");
    for family in ["holo1", "holo2", "holo3"] {
        replies_are_done(&url, "operator", family, "response_format");
    }
}

/// Runs a few turns, all but the first of which are bound by this field, and checks that their actions are performed.
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
        // In `sketch`, the model may rest.
        let rests = profile == "sketch" && next.acted.is_empty();
        assert!(
            !is_bound(asked, field) || rests || done(next),
            "{told}\n{reply}\n{:?}",
            next.acted
        );
    }
}
