//! Sections, and the changes of mode and goal that they cause.

use super::Exchange;
use super::said::{Text, all, says};

#[test]
fn companion() {
    Exchange::of("companion", all(REPLIES), &[]).assert_as_in("companion");
}

#[test]
fn a_companion_with_a_goal_starts_executing() {
    let exchange = Exchange::of("companion", all(&[says("looks", "ACTION: observe()")]), &["Tidy up."]);
    assert_eq!(exchange.turns[0].mode.as_deref(), Some("executing"));
    let feedback = "Current mode: executing\nYOUR GOAL NOW: Tidy up.\nLast action performed: none; nothing has been done yet: this is your first turn";
    assert_eq!(exchange.turns[0].feedback, feedback);
}

const REPLIES: &[Text] = &[
    says(
        "watches",
        r"
STATUS: monitoring
GOAL: same
ACTION: observe()
STORY: The screen is black. Nobody left a note.",
    ),
    says(
        "acts while it is to watch",
        r"
STATUS: monitoring
ACTION: left_click(500, 500)
STORY: I click to see whether anything happens.",
    ),
    says(
        "takes up a goal and begins",
        r"
STATUS: executing
GOAL: Write hello in the middle, as the note asks.
ACTION: left_click(500, 500)
STORY: A note asks me to write hello. I click into the middle.",
    ),
    says(
        "one action, and the goal again in other letters",
        r#"
STATUS: executing
GOAL:   write HELLO in the middle, as the note asks.
ACTION: type("hello")
STORY: The cursor is in the middle. I type."#,
    ),
    says(
        "two calls, and no status",
        r"
ACTION: left_click(500, 600)
drag(400, 620, 600, 620)
STORY: I click below and underline the word.",
    ),
    says(
        "a call that cannot be read, behind it one that could",
        r"
STATUS: executing
ACTION: drag(400, 620, 600)
left_click(1, 1)
STORY: Only the click was done. I underline the word now.",
    ),
    says(
        "no header before the call",
        r"
STATUS: executing
STORY: drag needs four numbers. I try again.

drag(400, 620, 600, 620)",
    ),
    says(
        "bold, fenced and in another order",
        r"
```
**STORY:** The word is underlined. I put a dot behind it.
**ACTION**: `right_click(620, 500)`
**Status:** Executing
**Goal:** **Write hello in the middle, as the note asks.**
```",
    ),
    says(
        "a header without a call",
        r"
STATUS: executing
ACTION: I look at the result.
STORY: left_click(9, 9) would be wrong now.",
    ),
    says(
        "a status of its own, and pixels for the thousand",
        r"
STATUS: waiting
ACTION: double_left_click(1600, 500)
STORY: I wait and see.",
    ),
    says(
        "a tool that is switched off",
        r#"
STATUS: executing
ACTION: press("ctrl+s")
STORY: I save the picture."#,
    ),
    says(
        "has reached the goal",
        r"
STATUS: completed
GOAL: Write hello in the middle, as the note asks.
ACTION: observe()
STORY: The word is there, underlined, with a dot. The goal is reached.",
    ),
    says(
        "watches again",
        r"
STATUS: monitoring
ACTION: observe()
STORY: Nothing changes.",
    ),
    says(
        "takes up a goal, and the token limit cuts its action off",
        r"
STATUS: executing
GOAL: Draw a frame around the word.
ACTION: drag(380, 450, 620, 4",
    )
    .cut(),
    says(
        "goes back to watching with a goal of its own",
        r"
STATUS: monitoring
GOAL: Watch whether somebody draws a second word.
ACTION: observe()
STORY: The frame was not drawn. I only watch.",
    ),
    says("nothing at all", ""),
    says(
        "thinks of executing, and watches",
        r"
<think>STATUS: executing
ACTION: left_click(3, 3)</think>
STATUS: monitoring
ACTION: observe()
STORY: All is quiet.",
    ),
    says(
        "watches for the last time",
        r"
STATUS: monitoring
ACTION: observe()
STORY: All is quiet.",
    ),
];
