//! A model with random weights, held to grammars by the real server: every reply ends in a call that is done.

use franz_action::Outcome;
use franz_record::TurnLine;

use crate::harness::{Finished, Workplace, spawn};
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

fn run(place: &Workplace, server: &Parrot, profile: &str, family: &str, more: &[&str]) -> Finished {
    let mut arguments = vec!["run", "--run-dir", "run", "--upstream", &server.url, "--max-turns", "4"];
    arguments.extend(["--profile", profile, "--family", family, "--screen", "canvas"]);
    let settings = [
        "loop.executing_delay_s=0",
        "loop.monitoring_delay_s=0",
        "loop.stop_on_answer=false",
        "model.calls=text",
        "model.max_tokens=8000",
        // A random wait lasts.
        "protocol.tools.wait=false",
        "protocol.tools.observe=false",
        "image.width=112",
        "image.height=112",
    ];
    arguments.extend(settings.into_iter().flat_map(|setting| ["--set", setting]));
    arguments.extend(more);
    arguments.push("Draw");
    spawn(place.franz(&arguments)).finish()
}

fn is_bound(turn: &TurnLine) -> bool {
    let sampling = turn.sampling.as_ref().map_or("", |sampling| sampling.get());
    sampling.contains(r#""bound":"grammar""#)
}

/// Whether what a reply asked for was done, as far as the screen can.
fn done(turn: &TurnLine) -> bool {
    let fine = |outcome: &Outcome| {
        matches!(
            outcome,
            Outcome::Done(_) | Outcome::Read { .. } | Outcome::NotApplied(_)
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
            let place = Workplace::new();
            let finished = run(&place, &server, profile, family, &[]);
            let told = format!("{family} in {profile}:\n{}\n{}", finished.stdout, finished.stderr);
            assert_eq!(finished.code, Some(0), "{told}");
            let turns = place.turns();
            assert_eq!(turns.len(), TURNS, "{told}");
            let bound: Vec<&TurnLine> = turns.iter().filter(|turn| is_bound(turn)).collect();
            assert!(bound.len() >= TURNS - 1, "{told}");
            for pair in turns.windows(2) {
                let [asked, next] = pair else { continue };
                assert!(!asked.cut, "{told}");
                let reply = asked.reply.as_ref().map(franz_json::Story::text).unwrap_or_default();
                // A sketch may rest.
                let rests = profile == "sketch" && next.acted.is_empty();
                assert!(
                    !is_bound(asked) || rests || done(next),
                    "{told}\n{reply}\n{:?}",
                    next.acted
                );
            }
        }
    }
}
