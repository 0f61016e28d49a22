"""Shapes as MiniWoB++ describes them: `small red letter`, `circle`, `large aqua 5`."""
import re

COLOURS = ["red", "green", "blue", "aqua", "black", "magenta", "yellow"]
NAMES = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}
LARGE_FROM = 15


def kind_of(element):
    """`letter`, `digit` or `shape`, and which one."""
    if element.tag == "text":
        return ("digit" if element.all.isdigit() else "letter"), element.all
    return "shape", NAMES[element.tag]


def size_of(element):
    if element.tag == "text":
        size = element.number_of("font-size")
    elif element.tag == "circle":
        size = 2 * element.number_of("r")
    elif element.tag == "rect":
        size = element.number_of("width")
    else:
        corners = re.findall(r"(-?[\d.]+),(-?[\d.]+)", element.attributes["points"])
        across = [float(x) for x, _ in corners]
        size = max(across) - min(across)
    return "large" if size >= LARGE_FROM else "small"


def described(text):
    """What a description asks for, by its words."""
    wanted = {}
    for word in text.rstrip(".").split():
        if word in ("large", "small"):
            wanted["size"] = word
        elif word in COLOURS:
            wanted["colour"] = word
        elif word in ("letter", "digit", "shape", "item"):
            wanted["kind"] = word
        else:
            wanted["text"] = word
    return wanted


def matches(element, wanted):
    kind, text = kind_of(element)
    asked = wanted.get("kind", "item")
    return (wanted.get("size", size_of(element)) == size_of(element)
            and wanted.get("colour", element.attributes.get("fill")) == element.attributes.get("fill")
            and asked in ("item", kind) and wanted.get("text", text) == text)
