//! Calls on separate lines, and their effects.

use super::Exchange;
use super::said::{Text, all, says};

#[test]
fn sketch() {
    Exchange::of("sketch", all(REPLIES), &[]).assert_as_in("sketch");
}

const TITLE: &str = r#"
NARRATIVE: I see a black canvas. I write a title first.
ACTIONS:
type("My house")"#;

const REPLIES: &[Text] = &[
    says("types before it ever clicked", TITLE),
    says("the same again", TITLE),
    says("the same a third time, while nothing changes", TITLE),
    says(
        "learns from it in part",
        r#"
NARRATIVE: The title does not appear. I try it once more and draw the ground.
ACTIONS:
type("My house")
drag(200, 800, 800, 800)"#,
    ),
    says(
        "a call in every way of giving arguments",
        r#"
NARRATIVE: The ground is there. I click before I type.
ACTIONS:
left_click(100, 100)
left_click(x=110, y=100)
left_click(120, y=100)
click(130, 100)
type(text="My house")
double_left_click(200, 800)
right_click(y=790, x=800)"#,
    ),
    says(
        "calls that cannot be read",
        r#"
NARRATIVE: I draw the walls (200, 800) to (200, 500).
ACTIONS:
drag(200, 800, 200)
drag(200, 800, 200, 500, 5)
left_click("left", 500)
left_click(two, 500)
drag(200, 800, x1=200, y1=500)
drag(200, 800, 200, 250 * 2)
- drag(800, 800, 800, 500)"#,
    ),
    says(
        "tools that do not exist or are switched off",
        r#"
NARRATIVE: I save my work.
ACTIONS:
press("ctrl+s")
save("house.png")
draw_line(200, 500, 800, 500)
scroll(3)"#,
    ),
    says(
        "asks for a screenshot",
        r"
NARRATIVE: I look again.
ACTIONS:
screenshot()",
    ),
    says(
        "the same call five times, and a sixth that differs",
        r"
NARRATIVE: I make the corner strong.
ACTIONS:
left_click(200, 500)
left_click(200, 500)
left_click(200,500)
left_click(x=200, y=500)
left_click(200, 500)
left_click(800, 500)",
    ),
    says(
        "prose alone",
        r"
The walls are done. Next I will draw the roof: a drag from the left wall (200, 500) up to the top (500, 250), and another down to the right wall.",
    ),
    says(
        "a call only inside a thought",
        r"
Thought: drag(200, 500, 500, 250) would be the left side of the roof.

NARRATIVE: I think about the roof.",
    ),
    says(
        "calls on lines of their own, but inside a thought",
        r"
Thought: The roof comes next.
drag(200, 500, 500, 250)
drag(500, 250, 800, 500)

NARRATIVE: I think about the roof.",
    ),
    says(
        "full-width punctuation, and a label of another case",
        "
**Narrative:** 我画屋顶。
**Actions\u{ff1a}**
drag\u{ff08}200\u{ff0c}500\u{ff0c}500\u{ff0c}250\u{ff09}
`drag(500, 250, 800, 500)`
1. left_click(500\u{ff0c} 250)",
    ),
    says(
        "cut off in the middle of its second call",
        r"
NARRATIVE: The roof is done. I draw the door.
ACTIONS:
drag(450, 800, 450, 620)
drag(450, 620, 550, 6",
    )
    .cut(),
    says(
        "cut off behind a call that looks complete",
        r"
NARRATIVE: I learned to write less.
ACTIONS:
drag(450, 620, 550, 620)
drag(550, 620, 550, 800)",
    )
    .cut(),
    says(
        "several calls on one line",
        r#"
NARRATIVE: The door is done. I draw the window and its name.
ACTIONS:
drag(300, 600, 380, 600); drag(380, 600, 380, 680), drag(380, 680, 300, 680) drag(300, 680, 300, 600)
left_click(310, 640); type("w; x(1)")"#,
    ),
    says(
        "pixels for the thousand, and numbers with a point",
        r"
NARRATIVE: I draw a sun at the top right.
ACTIONS:
left_click(1700, 120)
right_click(850.5, 99.4)
left_click(-3, 1e9)",
    ),
    says(
        "a fenced block as for Python, without a header",
        r"
I draw the chimney now.
```python
drag(650, 380, 650, 280)
for y in range(280, 380, 20):
    left_click(650, y)
```",
    ),
    says("nothing at all", ""),
    says("done", "NARRATIVE: The sketch is complete. No actions."),
];
