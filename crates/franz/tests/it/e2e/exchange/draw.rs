//! Blocks of Python, and their effects.

use super::Exchange;
use super::said::{Text, all, says};

#[test]
fn draw() {
    // A slow machine must reach the step limit before the time limit.
    let exchange = Exchange::of("draw", all(REPLIES), &["--set", "protocol.limits.seconds=60"]);
    exchange.assert_as_in("draw");
}

const REPLIES: &[Text] = &[
    says(
        "the second call is one number short",
        r"
RULES I KNOW:
- White paint stays.
WHAT I SEE:
An empty black canvas.
MY DRAWING PROGRESS:
head: begun
NEXT STEP:
I draw the top of the head.
```python
drag(400, 300, 450, 250)
drag(450, 250, 500)
```",
    ),
    says(
        "as it should be",
        r"
RULES I KNOW:
- drag needs four numbers: x1, y1, x2, y2.
WHAT I SEE:
A short line.
MY DRAWING PROGRESS:
head: begun
NEXT STEP:
I go on with the head.
```python
drag(450, 250, 500, 240)
drag(x1=500, y1=240, x2=550, y2=250)
drag(550, 250, y2=300, x2=600)
```",
    ),
    says(
        "types before it ever clicked, and goes on",
        r#"
NEXT STEP:
I write meow.
```python
type("meow")
drag(600, 300, 600, 420)
```"#,
    ),
    says(
        "two blocks",
        r#"
RULES I KNOW:
- type needs a click before it.
```python
left_click(700, 200)
type("meow")
```
And then the whiskers:
```python
drag(450, 380, 350, 370)
```"#,
    ),
    says(
        "calls without a block",
        r"
NEXT STEP:
I draw the whiskers.

drag(450, 380, 350, 370)
drag(450, 390, 350, 400)",
    ),
    says(
        "a block that is never closed",
        r"
NEXT STEP:
I draw the whiskers.
```python
drag(450, 380, 350, 370)
drag(450, 390, 350, 400)
",
    ),
    says(
        "asks for a screenshot",
        r"
NEXT STEP:
I look again before I go on.
```python
screenshot()
left_click(460, 330)
```",
    ),
    says(
        "coordinates of pixels, not of the thousand",
        r"
NEXT STEP:
I draw the ground.
```python
drag(0, 900, 1920, 900)
right_click(1080, -20)
```",
    ),
    says(
        "a mistake after two calls were made, in a function of its own",
        r"
NEXT STEP:
I draw the ears.
```python
def ear(x):
    drag(x, 260, x + 30, 180)
    drag(x + 30, 180, x + width, 250)

left_click(540, 330)
ear(430)
ear(540)
```",
    ),
    says(
        "thinks first, also in code",
        r"
<think>
The name width was unknown. Should I write
```python
width = 60
```
first? Yes, in the same block.
</think>
NEXT STEP:
I draw the second ear.
```python
width = 60
for x in [540]:
    drag(x, 260, x + 30, 180)
    drag(x + 30, 180, x + width, 250)
print(f'{width=} ears done')
```",
    ),
    says(
        "an empty block",
        r"
NEXT STEP:
I rest and look.
```python
```",
    ),
    says(
        "a block of nothing but a comment",
        r"
```python
# The drawing is complete.
```",
    ),
    says("nothing at all", ""),
    says(
        "cut off in the middle of a call",
        r"
NEXT STEP:
I draw the body.
```python
drag(450, 420, 420, 600)
drag(420, 600, 430, 7",
    )
    .cut(),
    says(
        "a tool that there is not, in a fence without a label",
        r"
NEXT STEP:
I draw the body.
```
draw_line(450, 420, 420, 600)
```",
    ),
    says(
        "a point in brackets, and a number as text",
        r#"
```py
left_click("500", 300)
left_click((500, 300))
```"#,
    ),
    says(
        "an import",
        r"
```python
import math
left_click(500, 500)
```",
    ),
    says(
        "code that never ends",
        r"
```python
left_click(10, 10)
while True:
    pass
```",
    ),
    says(
        "indented without reason",
        r"
```python
left_click(500, 700)
  left_click(510, 700)
```",
    ),
    says(
        "typographic quotes",
        "
```python
left_click(500, 700)
type(\u{201c}meow\u{201d})
```",
    ),
    says(
        "done",
        r"
The drawing is complete.
```python
```",
    ),
];
