//! Tests what actions draw, on canvases in memory.

mod keeping;

use franz_action::{Action, Outcome, Point};
use franz_frame::{Color, Frame};

use super::Canvas;
use crate::interrupt::tests::Fake;
use crate::screen::{ActionId, Screen};

fn action(text: &str) -> Action {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn perform(canvas: &mut Canvas, turn: u64, actions: &[&str]) -> Vec<Outcome> {
    let outcome = |(index, text): (usize, &&str)| {
        let at = ActionId { turn, index };
        canvas.perform(at, &action(text), &Fake::default()).unwrap()
    };
    actions.iter().enumerate().map(outcome).collect()
}

fn drawn(actions: &[&str]) -> Canvas {
    let mut canvas = Canvas::in_memory(1920, 1080).unwrap();
    perform(&mut canvas, 1, actions);
    canvas
}

fn white(canvas: &Canvas, x: u32, y: u32) -> bool {
    canvas.frame.color(x, y) == Some(Color::WHITE)
}

/// Pixel positions as columns and rows.
type Places<'a> = &'a [(u32, u32)];

/// Counts white pixels in columns `from..to`.
fn count(frame: &Frame, from: u32, to: u32) -> usize {
    let columns = |y| (from..to).filter(move |&x| frame.color(x, y) == Some(Color::WHITE));
    (0..frame.height()).flat_map(columns).count()
}

#[test]
fn each_action_draws_its_figure() {
    let (x, y) = (960, 540);
    let cases: [(&str, Places<'_>, Places<'_>); 6] = [
        ("left_click(500, 500)", &[(x, y), (x + 10, y)], &[(x + 14, y)]),
        ("double_left_click(500, 500)", &[(x, y), (x, y - 10)], &[(x, y - 14)]),
        (
            "right_click(500, 500)",
            &[(x, y), (x + 13, y + 8)],
            &[(x, y + 13), (x + 18, y)],
        ),
        (
            "middle_click(500, 500)",
            &[(x + 18, y), (x, y - 18)],
            &[(x, y), (x + 26, y)],
        ),
        (
            "drag(400, 500, 600, 500)",
            &[(x, y), (x, y + 3), (800, y), (1120, y)],
            &[(x, y + 6), (700, y)],
        ),
        ("move(500, 500)", &[], &[(x, y)]),
    ];
    for (text, lit, dark) in cases {
        let canvas = drawn(&[text]);
        for &(x, y) in lit {
            assert!(white(&canvas, x, y), "{text} at {x}, {y}");
        }
        for &(x, y) in dark {
            assert_eq!(canvas.frame.color(x, y), Some(Color::BLACK), "{text} at {x}, {y}");
        }
    }
}

#[test]
fn text_needs_a_click_and_continues_where_it_ended() {
    let mut canvas = Canvas::in_memory(1920, 1080).unwrap();
    let outcomes = perform(
        &mut canvas,
        1,
        &["type(\"meow\")", "left_click(100, 500)", "type(\"meow\")"],
    );
    let why = "type() requires a prior left_click() to set cursor position";
    assert_eq!(outcomes[0], Outcome::NotApplied(why.to_owned()));
    assert_eq!(outcomes[2], Outcome::DONE);
    let first = count(&canvas.frame, 0, 1920);
    let end = canvas.state.text;
    perform(&mut canvas, 2, &["type(\"meow\")"]);
    assert_ne!(canvas.state.text, end);
    assert!(count(&canvas.frame, 0, 1920) > first + 200);
}

#[test]
fn a_line_break_returns_to_the_starting_column() {
    let one = drawn(&["left_click(100, 300)", "type(\"mm\")"]);
    let two = drawn(&["left_click(100, 300)", "type(\"mm\\nmm\")"]);
    let beyond = |canvas: &Canvas| count(&canvas.frame, 300, 1920);
    assert_eq!((beyond(&one), beyond(&two)), (0, 0));
    assert!(count(&two.frame, 0, 300) > count(&one.frame, 0, 300));
}

#[test]
fn notes_tell_what_a_canvas_cannot_do() {
    let long = format!("type(\"{}\")", "W".repeat(80));
    let cases = [
        ("scroll(3)", "a canvas does not scroll"),
        ("scroll(3, 500, 500)", "a canvas does not scroll"),
        ("press(\"ctrl+s\")", "a canvas ignores keys"),
        ("read_clipboard()", "a canvas has no clipboard"),
        ("write_clipboard(\"a\")", "a canvas has no clipboard"),
        (&long, "the text runs past the right edge and is cut off"),
        ("type(\"\u{10fffe}\")", "no font has U+10FFFE; shown as boxes"),
        (
            "type(\"\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\nx\")",
            "the text runs past the bottom edge and is cut off",
        ),
    ];
    for (text, note) in cases {
        let mut canvas = drawn(&["left_click(100, 500)"]);
        let outcomes = perform(&mut canvas, 2, &[text]);
        assert_eq!(outcomes, [Outcome::Done(Some(note.to_owned()))], "{text}");
    }
    let others = ["screenshot()", "observe()", "wait(30)"];
    let outcomes = perform(&mut drawn(&[]), 1, &others);
    assert_eq!(outcomes, [Outcome::IGNORED, Outcome::DONE, Outcome::DONE]);
}

#[test]
fn nothing_is_drawn_after_an_interruption() {
    let mut canvas = Canvas::in_memory(64, 64).unwrap();
    let stopped = Fake {
        set: true,
        ..Fake::default()
    };
    for text in ["left_click(500, 500)", "wait(5)"] {
        let outcome = canvas.perform(ActionId { turn: 1, index: 0 }, &action(text), &stopped);
        assert_eq!(outcome.unwrap(), Outcome::Interrupted);
    }
    assert_eq!(count(&canvas.frame, 0, 64), 0);
}

#[test]
fn the_pointer_follows_clicks_drags_moves_and_scrolls() {
    let mut canvas = drawn(&["left_click(1, 2)", "drag(3, 4, 5, 6)", "type(\"x\")", "scroll(1)"]);
    assert_eq!(canvas.pointer().current, Some(Point::clamped(5, 6)));
    assert_eq!(canvas.pointer().previous, Some(Point::clamped(1, 2)));
    perform(&mut canvas, 2, &["move(7, 8)", "scroll(1, 9, 9)"]);
    assert_eq!(canvas.pointer().current, Some(Point::clamped(9, 9)));
    assert_eq!(canvas.pointer().previous, Some(Point::clamped(7, 8)));
}
