"""The calls that a reply may hold. Places are pixels of the screen, and calls have thousandths of its size."""

WIDTH, HEIGHT = 1568, 896


def point(where):
    x, y = where.middle if hasattr(where, "middle") else where
    return [round(x * 1000 / WIDTH), round(y * 1000 / HEIGHT)]


def click(where, **more):
    label = getattr(where, "text", "") or "this place"
    return "click_element", {"label": label[:40], "box": point(where), **more}


def write(text, where=None, **more):
    return "type_text", {"text": text, **({"box": point(where)} if where is not None else {}), **more}


def press(key, **more):
    return "press_key", {"key": key, **more}


def scroll(where, amount, direction="down"):
    return "scroll_at_position", {"box": point(where), "direction": direction, "amount": amount}


def drag(start, end, *between):
    via = {"via": [point(place) for place in between]} if between else {}
    return "drag", {"from": point(start), "to": point(end), **via}


def wait(seconds):
    return "observe_screen", {"seconds": seconds}


def finish(answer, success=True):
    return "finish", {"answer": answer, "success": success}


def word(element, index=0):
    """The middle of a word, because a text that goes on in the next line has no useful box."""
    _, x, y, w, h = element.words[index]
    return x + w / 2, y + h / 2


def hover(where):
    return "move", {"box": point(where)}


def keys(key, count):
    """Presses a key this often, in several calls if it is often."""
    most, calls = 10, []
    while count > 0:
        calls.append(press(key, **({"count": min(count, most)} if count > 1 else {})))
        count -= most
    return calls
