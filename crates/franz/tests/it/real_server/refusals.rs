//! A chat template that refuses a conversation: the run says so in one line, and what to do.

use crate::real_server::speaker::{Calls, Counts, Speaker};

/// Its template insists on user and assistant in turn.
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

#[test]
fn alternating_roles_are_reported_with_the_setting_to_merge() {
    let refused = GEMMA.run("sketch", &["--family", "franz"]).finished;
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    let line = refused.stderr.trim();
    assert!(!line.contains('\n'), "{line}");
    assert!(line.contains("Conversation roles must alternate"), "{line}");
    assert!(line.contains("set memory.shape = \"merged\""), "{line}");

    let merged = ["--family", "franz", "--set", "memory.shape=merged"];
    for profile in ["draw", "sketch", "companion"] {
        GEMMA.run(profile, &merged).drew_three_lines();
    }
}

#[test]
fn a_refused_picture_after_a_tool_result_is_explained() {
    let course = GEMMA.run("operator", &["--family", "franz"]);
    assert_eq!(course.finished.code, Some(3), "{}", course.finished.stderr);
    assert_eq!(course.drawn().len(), 1, "the first call is performed, and never again");
    assert!(course.exchanges().contains(r#""role":"tool""#));
    let line = course.finished.stderr.trim();
    assert!(!line.contains('\n'), "{line}");
    assert!(line.contains("Conversation roles must alternate"), "{line}");
}
