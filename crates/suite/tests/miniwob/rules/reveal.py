"""Scrolling to something that an area does not show yet."""
from acts import scroll


def reveal(area, find):
    """Scrolls an area until nothing covers the middle of what `find` returns."""
    while not find().is_on_top:
        outer, inner = area(), find()
        yield scroll(outer, 1, "up" if inner.middle[1] < outer.middle[1] else "down")
