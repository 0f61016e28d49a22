//! A chat template that refuses a conversation. The run reports this in one line, retries the request in another form,
//! and remembers that form.

use crate::harness::spawn;
use crate::real_server::speaker::{Calls, Counts, Course, Speaker};

/// Gemma's template insists that user and assistant alternate.
const GEMMA: Speaker = Speaker {
    model: "gemma-3-4b-it",
    template: "gemma-3-it",
    counts: Counts::Thousandths,
    thought: "",
    calls: Calls {
        drag: "drag(X1, Y1, X2, Y2)",
        finish: "",
    },
    functions: Some(Calls {
        drag: r#"<tool_call>{"name": "drag", "arguments": {"from": [X1, Y1], "to": [X2, Y2]}}</tool_call>"#,
        finish: "",
    }),
};

/// Returns whether a line of output names the form that the server refused and the one that FRANZ tries instead.
fn told(course: &Course, setting: &str) -> bool {
    let lines = &course.finished.stdout;
    lines.contains("Conversation roles must alternate") && lines.contains(&format!("trying {setting}"))
}

#[test]
fn a_template_that_wants_alternating_roles_gets_merged_messages() {
    for profile in ["draw", "sketch", "companion"] {
        let course = GEMMA.run(profile, &["--family", "franz"]);
        course.drew_three_lines();
        assert!(told(&course, "memory.shape = \"merged\""), "{}", course.finished.stdout);
    }
}

#[test]
fn a_template_without_tool_results_gets_calls_and_results_as_words() {
    // The model gives the same replies to every form of request, so do not constrain them.
    let free = ["--family", "franz", "--set", "model.constrain=off"];
    let course = GEMMA.run("operator", &free);
    course.drew_three_lines();
    assert!(told(&course, "model.calls = \"text\""), "{}", course.finished.stdout);
    let log = course.exchanges();
    let last = log.lines().rfind(|line| line.contains(r#""request":{"#)).unwrap();
    assert!(
        !last.contains(r#""role":"tool""#) && !last.contains(r#""tools":[{"#),
        "{last}"
    );
}

#[test]
fn what_helped_is_remembered_until_it_is_forgotten() {
    let first = GEMMA.run("sketch", &["--family", "franz"]);
    let said = &first.finished.stdout;
    assert!(
        said.contains("FRANZ remembers it for this model on this server"),
        "{said}"
    );
    let forget = || spawn(first.place.franz(&["models", "--forget"])).finish();
    let forgotten = forget();
    assert_eq!(forgotten.code, Some(0), "{}", forgotten.stderr);
    assert!(
        forgotten
            .stdout
            .starts_with("forgot gemma-3-4b-it on http://127.0.0.1:"),
        "{}",
        forgotten.stdout
    );
    assert_eq!(forget().stdout, "FRANZ remembers nothing about such a model\n");
}
