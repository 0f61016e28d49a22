"""Tasks in which places count: points, sliders, and things that are dragged."""
import math
import re

from acts import click, drag, keys

from . import rule


def submit(page):
    return click(page.one(id="subbtn"))


def mark(page, place):
    """Where to click so that the page draws a point here: it draws the point beside the mouse."""
    whole, drawing = page.one(id="wrap"), page.one("svg")
    return place[0] - (drawing.x - whole.x), place[1] - (drawing.y - whole.y - 50 * page.scale)


@rule("circle-center")
def centre(page):
    yield [click(mark(page, page.one("circle").middle)), submit(page)]


@rule("find-midpoint")
def midpoint(page):
    (x1, y1), (x2, y2) = (one.middle for one in page.all("circle", of="black-circle"))
    yield [click(mark(page, ((x1 + x2) / 2, (y1 + y2) / 2))), submit(page)]


def inside(page, vertex, angle):
    """A place in this direction that is inside the drawing."""
    area = page.one("svg")
    x, y = vertex
    for length in range(300, 20, -20):
        point = x + length * math.cos(angle), y + length * math.sin(angle)
        if area.x + 12 < point[0] < area.right - 12 and area.y + 12 < point[1] < area.bottom - 12:
            return point
    return None


@rule("bisect-angle")
def bisect(page):
    vertex = page.one("circle", of="init-blue").middle
    angles = [math.atan2(y - vertex[1], x - vertex[0])
              for x, y in (one.middle for one in page.all("circle", of="init-black"))]
    between = math.atan2(sum(map(math.sin, angles)), sum(map(math.cos, angles)))
    yield [click(mark(page, inside(page, vertex, between))), submit(page)]


@rule("right-angle")
def right_angle(page):
    vertex, other = page.one(id="init-blue").middle, page.one(id="init-black").middle
    angle = math.atan2(other[1] - vertex[1], other[0] - vertex[0])
    places = [inside(page, vertex, angle + turn) for turn in (math.pi / 2, -math.pi / 2)]
    yield [click(mark(page, next(place for place in places if place is not None))), submit(page)]


def slide(page, slider, value, wanted):
    """Moves a slider's handle by keys, as often as it takes."""
    for step in range(8):
        now = int(page.one(id=value).all)
        if now == wanted:
            return
        outer = page.one(id=slider)
        handle = next(one for one in page.all("span", of="ui-slider-handle") if page.is_within(one, outer))
        yield [click(handle)] + keys("right" if wanted > now else "left", abs(wanted - now))


@rule("use-slider")
def slider(page):
    yield from slide(page, "slider", "val", int(page.goal.split()[1]))
    yield submit(page)


@rule("use-slider-2")
def sliders(page):
    wanted = [int(value) for value in re.search(r"\[(.*)\]", page.goal)[1].split(",")]
    for number, value in enumerate(wanted, 1):
        yield from slide(page, f"slider-{number}", f"val-{number}", value)
    yield submit(page)


@rule("form-sequence")
def slider_and_checkbox(page):
    yield from slide(page, "slider", "val", int(page.goal.split()[1]))
    box = re.search(r"(\d)(?:st|nd|rd) checkbox", page.goal)[1]
    yield [click(page.one(id=f"checkbox-{box}")), submit(page)]


@rule("drag-box")
def small_box(page):
    small, large = page.one(id="draggableSmall"), page.one(id="draggableLarge")
    if page.is_within(small, large) or not small.is_on_top:
        yield drag(large.at(0.9, 0.9), (large.x + large.w + 20, large.y + 20))
        small, large = page.one(id="draggableSmall"), page.one(id="draggableLarge")
    yield drag(small, large)
    yield submit(page)


@rule("drag-circle", "drag-single-shape")
def shape_in_a_direction(page):
    x, y = page.one("circle|rect|polygon").at(0.5, 0.6)
    way = re.search(r"(left|right|up|down) then", page.goal)[1]
    across, down = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[way]
    yield [drag((x, y), (x + 45 * across, y + 45 * down)), submit(page)]


def drop(page, entries, index, target):
    """Drags an entry of a list to the place of another one."""
    start, end = entries[index], entries[target]
    beyond = 0.75 if target > index else 0.25
    return drag(start.at(0.5, 0.5), (start.middle[0], end.at(0.5, beyond)[1]))


@rule("drag-items")
def drag_entry(page):
    name, where = re.search(r"Drag (\S+) (.*)\.", page.goal).groups()
    entries = page.all("li", of="ui-state-default")
    index = next(i for i, one in enumerate(entries) if one.all == name)
    number = re.search(r"to the (\d)", where)
    target = (int(number[1]) - 1 if number else 0 if "top" in where else len(entries) - 1 if "bottom" in where
              else index + (1 if "down" in where else -1))
    yield drop(page, entries, index, target)


@rule("drag-items-grid")
def drag_in_grid(page):
    name, where = re.search(r"Drag (\S+) (.*)\.", page.goal).groups()
    entries = page.all("li", of="ui-state-default")
    index = next(i for i, one in enumerate(entries) if one.all == name)
    if "by one" in where:
        target = index + {"up": -3, "down": 3, "left": -1, "right": 1}[where.split()[0]]
    else:
        row = 0 if "top" in where else 2 if "bottom" in where else 1
        column = 0 if "left" in where else 2 if "right" in where else 1
        target = 3 * row + column
    # An entry gives way to the side from which the mouse comes, once the mouse is in its farther half. So the mouse
    # goes along the row first, and then straight up or down.
    ways = target % 3 - index % 3, target // 3 - index // 3
    start = entries[index].middle
    x, y = entries[target].at(*(0.75 if way > 0 else 0.25 if way else 0.5 for way in ways))
    yield drag(start, (x, y), (x, start[1])) if all(ways) else drag(start, (x, y))


@rule("drag-sort-numbers")
def sort_numbers(page):
    for target in range(3):
        entries = page.all("li", of="ui-state-default")
        values = [int(one.all) for one in entries]
        index = values.index(min(values[target:]), target)
        if index != target:
            yield drop(page, entries, index, target)
    yield submit(page)


def solid(page):
    """The shapes that can be dragged."""
    return [one for one in page.all("circle|rect|polygon") if one.id != "shape-container"]


def into(page, box, chosen):
    """Drags the chosen shapes into a box, each to a place of its own."""
    for index, shape in enumerate(solid(page)):
        if chosen(shape):
            x, y = box.x + box.w * (0.15 + 0.14 * index), box.y + box.h * (0.3 + 0.3 * (index % 2))
            yield drag(solid(page)[index].at(0.5, 0.6), (x, y))


def is_named(word):
    tags = {"rectangles": "rect", "circles": "circle", "triangles": "polygon"}
    return lambda shape: shape.tag == tags.get(word) or shape.attributes.get("fill") == word


@rule("drag-shapes")
def shapes_into_box(page):
    wanted = page.goal.removeprefix("Drag all ").split()[0]
    box = page.one(id="shape-container")
    yield from into(page, box, is_named(wanted))
    yield submit(page)


@rule("drag-shapes-2")
def shapes_into_boxes(page):
    wanted = is_named(page.goal.removeprefix("Drag all ").split()[0])
    left, right = sorted(page.all(id="shape-container"), key=lambda box: box.x)
    yield from into(page, left, wanted)
    yield from into(page, right, lambda shape: not wanted(shape))
    yield submit(page)


@rule("draw-line")
def line(page):
    x, y = page.one(id="circ").middle
    area = page.one("svg")
    if "horizontal" in page.goal:
        yield drag((area.x + 30, y), (area.right - 30, y), (x, y))
    else:
        yield drag((x, area.y + 20), (x, area.bottom - 20), (x, y))
    yield click(page.one("button"))


@rule("resize-textarea")
def resize(page):
    side, way = page.bold()
    box = page.one(id="tt")
    corner = page.find("div", of="ui-resizable-se")
    x, y = corner.middle if corner else (box.right - 6, box.bottom - 6)
    step = 45 if way == "larger" else -45
    yield drag((x, y), (x + (step if side == "width" else 0), y + (step if side == "height" else 0)))
    yield click(page.one(id="submit"))
