"""Plans for drawings. What is on the canvas at the start is white on black."""
import cv2
import numpy

from sight import NotSeen


def figures(sight):
    """The boxes of what is drawn on the canvas."""
    drawn = [box for _, box in sight.shapes(cv2.dilate((sight.grey > 100).astype(numpy.uint8), numpy.ones((3, 3))), 20)]
    if not drawn:
        raise NotSeen("anything on the canvas")
    return drawn


def dots(turn):
    """A dot in the middle of each box."""
    if turn.did("draw the dots"):
        turn.finish("Each box has its dot.")
    boxes = [box for box in figures(turn.sight) if 0.7 < box.width / box.height < 4]
    turn.step("draw the dots", *[turn.hand.click("the middle of a box", box) for box in boxes])


def board(turn):
    """The X that completes a row: in the middle of a field, an X has ink, and an O or nothing has none."""
    if turn.did("draw the X"):
        turn.finish("The X completes the row.")
    sight, hand = turn.sight, turn.hand
    whole = max(figures(sight), key=lambda box: box.width * box.height)
    wide, high = whole.width / 3, whole.height / 3
    middles = [(whole.left + wide * (field % 3 + 0.5), whole.top + high * (field // 3 + 0.5)) for field in range(9)]
    ink = lambda x, y, share: (sight.grey[int(y - high * share):int(y + high * share),
                                          int(x - wide * share):int(x + wide * share)] > 100).any()
    crosses = {field for field, (x, y) in enumerate(middles) if ink(x, y, 0.08)}
    empty = {field for field, (x, y) in enumerate(middles) if not ink(x, y, 0.4)}
    rows = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
    wins = [row & empty for row in rows if len(row & crosses) == 2 and row & empty]
    if not wins:
        raise NotSeen(f"a row to complete; crosses are in the fields {sorted(crosses)}, {sorted(empty)} are empty")
    x, y = middles[min(wins[0])]
    right, down = wide * 0.28, high * 0.28
    turn.step("draw the X", hand.drag((x - right, y - down), (x + right, y + down)),
              hand.drag((x - right, y + down), (x + right, y - down)))


def shade(turn):
    """Lines one below the other, in two steps, because a step has only eight calls."""
    if not turn.did("draw the upper lines"):
        frame = max(figures(turn.sight), key=lambda box: box.width * box.height)
        left, top, right, bottom = frame.left, frame.top, frame.right, frame.bottom
        turn.step("draw the upper lines", *lines(turn, left, top, right, top + (bottom - top) * 4 / 9),
                  notes={"frame": f"{left} {top} {right} {bottom}"})
    left, top, right, bottom = map(int, turn.talk.noted("frame").split())
    turn.once("draw the lower lines", *lines(turn, left, top + (bottom - top) * 5 / 9, right, bottom))
    turn.finish("The frame is filled with lines.")


def lines(turn, left, top, right, bottom):
    """Five lines from side to side."""
    return [turn.hand.drag((left, y), (right, y)) for y in numpy.linspace(top, bottom, 5)]
