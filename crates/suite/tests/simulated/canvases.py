"""Plans for drawings. Their goals say everything in words, so these plans need no picture."""
import re


def numbers(text, pattern):
    return [int(number) for number in re.search(pattern, text).groups()]


def click(x, y):
    return "click_element", {"label": f"the place of a dot at ({x}, {y})", "box": [x, y]}


def drag(x1, y1, x2, y2):
    return "drag", {"from": [x1, y1], "to": [x2, y2]}


def dots(turn):
    """A dot in the middle, and one in the middle of each quarter."""
    turn.once("draw the dots", *[click(x, y) for x, y in [(500, 500), (250, 250), (750, 250), (250, 750), (750, 750)]])
    turn.finish("The five dots are drawn.")


def board(turn):
    """Two vertical and two horizontal lines, and an X in the middle field."""
    x1, x2, top, bottom = numbers(turn.goal, r"at x = (\d+) and x = (\d+), from y = (\d+) to y = (\d+)")
    y1, y2, left, right = numbers(turn.goal, r"at y = (\d+) and y = (\d+), from x = (\d+) to x = (\d+)")
    lines = [(x1, top, x1, bottom), (x2, top, x2, bottom), (left, y1, right, y1), (left, y2, right, y2)]
    turn.once("draw the board", *[drag(*line) for line in lines])
    gap_x, gap_y = (x2 - x1) // 5, (y2 - y1) // 5
    x1, x2, y1, y2 = x1 + gap_x, x2 - gap_x, y1 + gap_y, y2 - gap_y
    turn.once("draw the X", drag(x1, y1, x2, y2), drag(x1, y2, x2, y1))
    turn.finish("The board and the X are drawn.")


def shade(turn):
    """Lines one below the other, in two steps, because a step has only eight calls."""
    (least,) = numbers(turn.goal, r"at least (\d+) lines")
    top, bottom = numbers(turn.goal, r"from y = (\d+) to y = (\d+)")
    left, right = numbers(turn.goal, r"from x = (\d+) to x = (\d+)")
    count = least + 2
    lines = [drag(left, y, right, y) for y in (top + (bottom - top) * i // (count - 1) for i in range(count))]
    turn.once("draw the upper lines", *lines[:count // 2])
    turn.once("draw the lower lines", *lines[count // 2:])
    turn.finish(f"{count} lines are drawn.")
