//! A model's thoughts are sent back to it, and reach the chat template.

use crate::harness::{Workplace, spawn};
use crate::real_server::parrot::{Parrot, Said, installed};

/// The model knows only from its thoughts how far it has got. Without them, it repeats its first thought.
#[test]
fn thoughts_that_the_server_tells_apart_reach_the_template_again() {
    let template = std::fs::read_to_string(installed().join("templates/Qwen3.5-4B.jinja")).unwrap();
    let forgets = "loop.index0 > ns.last_query_index";
    assert!(template.contains(forgets));
    let template = template.replace(forgets, "true");
    let thoughts = ["There is no line yet.", "There is one line.", "There are two lines."];
    let replies = thoughts.map(|thought| Said {
        text: format!("{thought}\n</think>\n\nI look at it."),
        mark: thought.to_owned(),
    });
    let server = Parrot::with_template(&template, "qwen3.5-4b", &replies);
    let place = Workplace::new();
    let mut arguments = vec!["run", "--run-dir", "run", "--upstream", &server.url, "--max-turns", "3"];
    arguments.extend(["--profile", "operator", "--screen", "canvas"]);
    let settings = ["loop.executing_delay_s=0", "image.width=112", "image.height=112"];
    arguments.extend(settings.into_iter().flat_map(|setting| ["--set", setting]));
    arguments.push("Look at the lines");
    let finished = spawn(place.franz(&arguments)).finish();
    assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
    let turns = place.turns();
    let thought: Vec<_> = turns
        .iter()
        .map(|turn| turn.reasoning.as_deref().unwrap_or_default().trim())
        .collect();
    assert_eq!(thought, thoughts);
}
