"""Plans for windows with buttons, fields, sliders and lists."""
import re

import letters
from sight import Box, NotSeen, plain


def between(text, start, end):
    found = re.search(f"{start}(.*?){end}", text)
    return found.group(1) if found else ""


def drag_disc(turn):
    """Drag the disc of a colour into the box."""
    colour = between(turn.goal, "Drag the ", " disc")
    disc, box = turn.sight.coloured(colour), turn.sight.frame_around(turn.sight.find("box"))
    if box.left < disc.left and disc.right < box.right and box.top < disc.top and disc.bottom < box.bottom:
        turn.finish(f"The {colour} disc is in the box.")
    turn.step("drag the disc", turn.hand.drag(disc, box), why=f"The {colour} disc is at {disc}, the box at {box}.")


def trough_below(sight, label):
    """The grey trough of the slider below a label, from end to end."""
    parts = [box for _, box in sight.shapes(abs(sight.grey.astype(int) - 179) < 6, 60)
             if 20 < box.top - label.top < 90 and box.bottom - box.top < 45 and sight.window_of(label).holds(box)]
    if not parts:
        raise NotSeen(f"the slider below '{label.text}'")
    return Box(min(p.left for p in parts), min(p.top for p in parts), max(p.right for p in parts),
               max(p.bottom for p in parts))


def slider(sight, name, line):
    """A slider's value, the middle of its knob, and how far the knob moves for a value of one."""
    label = next((found for found in sight.every(name) if found is not line and found.top > line.top), None)
    if not label:
        raise NotSeen(f"the slider {name}")
    trough = trough_below(sight, label)
    for number in sight.lines:
        if label.top < number.middle[1] < trough.top + 5 and re.fullmatch(r"\d{1,3}", number.text):
            return int(number.text), (number.middle[0], trough.middle[1]), (trough.width - 40) / 100
    raise NotSeen(f"the value of {name}")


def drag_sliders(turn):
    """Move each slider to the value that the window names."""
    line, wanted = turn.sight.match(r"Set\s*(\w+?)\s*to\s*(\d+)\s*and\s*(\w+?)\s*to\s*(\d+)")
    if not line:
        raise NotSeen("the line that names the values")
    calls, seen = [], []
    for name, value in [wanted.group(1, 2), wanted.group(3, 4)]:
        now, (x, y), unit = slider(turn.sight, name, line)
        seen.append(f"{name} is {now} and should be {value}.")
        if now != int(value):
            calls.append(turn.hand.drag((x, y), (x + (int(value) - now) * unit, y)))
    if not calls:
        turn.finish("Both sliders have their values. " + " ".join(seen))
    turn.step("drag the sliders", *calls, why=" ".join(seen), tries=8)


def dialog_confirm(turn):
    """Give each question its answer."""
    answers = re.findall(r"Press (\w+) in the window that asks whether to (\w+)", turn.goal)
    calls = []
    for answer, verb in answers:
        question, _ = turn.sight.match(rf"want\s*to\s*{verb}")
        if question:
            button = turn.sight.find(answer, turn.sight.window_of(question))
            calls.append(turn.hand.click(f"the button {answer} below the question about {verb}", button))
    if calls:
        turn.step("answer a question", calls[0], tries=6)
    if not turn.did("answer a question"):
        raise NotSeen("a question")
    turn.finish("Both questions have their answers.")


def card_values(turn, names, card):
    """The values that a card names, such as 'Town: Porto'."""
    values = {}
    for line in turn.sight.rows(card):
        name, colon, value = turn.sight.read(line).partition(":")
        if colon and name.strip() in names:
            values[name.strip()] = value.strip()
    missing = [name for name in names if not values.get(name)]
    if missing:
        raise NotSeen(f"{', '.join(missing)} on the card")
    return values


def dialog_form(turn):
    """Fill in a form with what a yellow card says."""
    sight, hand = turn.sight, turn.hand
    if sight.sees("The form was sent"):
        turn.finish("The form was sent.")
    card = sight.coloured("yellow", pale=True)
    form = sight.window_of(sight.find("Send"))
    names = ["Name", "Town", "Phone", "Size"]
    values = card_values(turn, names, card)
    calls = [hand.type(values[name], sight.field_right_of(sight.find(name, form)), replace=True) for name in names[:3]]
    calls.append(hand.click(f"the size {values['Size']}", sight.find(values["Size"], form)))
    if any("please" in line.text.lower() for line in sight.inside(card)):
        calls.append(hand.click("the box Wrap it as a gift", sight.find("Wrap it as a gift", form)))
    turn.once("fill in the form", *calls, notes=values)
    turn.step("send the form", hand.click("the button Send", sight.find("Send", form)))


def scroll_list(turn):
    """Scroll a list until it shows a person, then type the number that stands after the name."""
    sight, hand = turn.sight, turn.hand
    name = between(turn.goal, "Find ", " in the list")
    if turn.did("save the number") and sight.sees("Saved"):
        turn.finish(f"The number {turn.talk.noted('number')} of {name} was saved.")
    label = sight.find("Number:")
    listed = Box(0, 0, sight.width, label.top)
    rows = [row for row in sight.rows(listed) if plain(row.text).startswith(plain(name))]
    for row in rows:
        number = re.search(r"\d{4}$", sight.read(row))
        if number:
            turn.step("save the number", hand.type(number.group(), sight.field_right_of(label), replace=True),
                      hand.click("the button Save", sight.find("Save")), notes={"number": number.group()})
    spot = (label.middle[0] + 60, label.top - 150)
    turn.step("scroll the list", hand.scroll(spot, 2), why=f"I do not see {name} here.", tries=24)


def scroll_form(turn):
    """Read a text for its keyword while scrolling to its end, then type the keyword there."""
    sight, hand = turn.sight, turn.hand
    if turn.did("send the keyword") and sight.sees("Thank you"):
        turn.finish(f"The keyword {turn.talk.noted('keyword')} was sent.")
    window = sight.window_of(sight.find("Terms of use"))
    keyword = turn.talk.noted("keyword") or keyword_in(sight)
    notes = {"keyword": keyword} if keyword else {}
    if keyword and sight.sees("I agree"):
        field = sight.field_right_of(sight.match(r"^Keyword\s*:")[0].part("Keyword"))
        turn.step("send the keyword", hand.type(keyword, field, replace=True),
                  hand.click("the button I agree", sight.find("I agree")), notes=notes)
    if sight.sees("I agree"):
        turn.step("scroll back", hand.scroll(window, 5, "up"), why="I have not seen the keyword.", tries=15)
    turn.step("scroll down", hand.scroll(window, 20 if keyword else 6), notes=notes, tries=25)


def keyword_in(sight):
    """The keyword, which can stand on the line after the words that announce it."""
    text = "".join(sight.read(line) + " " if re.search(r"keyword|-\d{3}", line.text) else " " for line in sight.lines)
    found = re.search(r"keyword\s*is\s*([a-z]+-\s*\d+)|([a-z]+-\d{3})\b", text)
    return (found.group(1) or found.group(2)).replace(" ", "") if found else None


def unicode_phrase(turn):
    """Copy the phrase in the frame, letter by letter."""
    sight, hand = turn.sight, turn.hand
    if turn.did("save the phrase") and sight.sees("Saved"):
        turn.finish(f"The phrase was saved: {turn.talk.noted('phrase')}")
    label = sight.find("Type the phrase here")
    frame = max((box for box in sight.fields if box.bottom <= label.top), key=lambda box: box.top, default=None)
    if not frame:
        raise NotSeen("the frame with the phrase")
    phrase, cost = letters.read(sight.grey, ink_in(sight, frame))
    if cost >= letters.SURE:
        raise NotSeen("the letters of the phrase clearly")
    turn.step("save the phrase", hand.type(phrase, sight.field_below(label), replace=True),
              hand.click("the button Save", sight.find("Save")), notes={"phrase": phrase})


def ink_in(sight, frame):
    """The box around the dark pixels well inside a frame."""
    inner = Box(frame.left + 4, frame.top + 4, frame.right - 4, frame.bottom - 4)
    boxes = [box for _, box in sight.shapes(sight.ink(inner), 2)]
    if not boxes:
        raise NotSeen("a phrase in the frame")
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    return Box(inner.left + left, inner.top, inner.left + right, inner.bottom)


def unicode_fields(turn):
    """Type each word of the goal into the field that it names."""
    sight, hand = turn.sight, turn.hand
    if turn.did("save the words") and sight.sees("Saved"):
        turn.finish("The words were saved.")
    pairs = re.findall(r"(\w+) into the field (\w+)", turn.goal)
    calls = [hand.type(word, sight.field_right_of(sight.find(name)), replace=True) for word, name in pairs]
    turn.once("type the words", *calls)
    turn.step("save the words", hand.click("the button Save", sight.find("Save")))


def wait_collect(turn):
    """Start the oven, wait for the bread, and take it out."""
    sight, hand = turn.sight, turn.hand
    if sight.sees("Enjoy your bread"):
        turn.finish("The bread was taken out.")
    if sight.sees("Take out"):
        turn.step("take out the bread", hand.click("the button Take out", sight.find("Take out")))
    if not turn.did("start the oven"):
        turn.step("start the oven", hand.click("the button Start", sight.find("Start")))
    if not sight.sees("Oven"):
        raise NotSeen("the window 'Oven'")
    turn.wait(3, "The bread is not done yet.")


def wait_code(turn):
    """Request a code, wait until the phone shows it, and confirm it."""
    sight, hand = turn.sight, turn.hand
    if sight.sees("You are logged in"):
        turn.finish("The code was confirmed.")
    if not turn.did("request the code"):
        turn.step("request the code", hand.click("the button Send me a code", sight.find("Send me a code")))
    codes = [line.text for line in sight.lines if re.fullmatch(r"\d{4,8}", line.text.replace(" ", ""))]
    if not codes:
        turn.wait(3, "The phone shows no code yet.")
    turn.step("confirm the code", hand.type(codes[0], sight.field_right_of(sight.find("Code:")), replace=True),
              hand.click("the button Confirm", sight.find("Confirm")), notes={"code": codes[0]})


def dialog_row(turn):
    """Choose the row of the city with some weather, and press OK."""
    sight, hand = turn.sight, turn.hand
    weather = between(turn.goal, "city with ", r"\W")
    if turn.did("press OK") and not sight.windows:
        turn.finish(f"The city with {weather} was chosen.")
    button = sight.exactly("OK")
    if not turn.did("choose the row"):
        choose_row(turn, weather, sight.window_of(button))
    turn.step("press OK", hand.click("the button OK", button))


def choose_row(turn, weather, window):
    """Clicks the row, or scrolls on. Once it is chosen, its bright letters on blue are hard to read."""
    try:
        row = turn.sight.find(weather, window)
    except NotSeen:
        turn.step("scroll the list", turn.hand.scroll(window, 3), why=f"I do not see {weather} here.", tries=6)
    turn.step("choose the row", turn.hand.click(f"the row with {weather}", row))
