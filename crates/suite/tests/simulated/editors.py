"""Plans for the text editor."""
import re

import words
from sight import Box, NotSeen

MENU = r"File\s*Edit\s*Search"


def page(turn):
    """The white part of the editor for text."""
    menu, _ = turn.sight.match(MENU)
    if not menu:
        raise NotSeen("the editor's menu")
    window = turn.sight.window_of(menu)
    white = [box for _, box in turn.sight.shapes(turn.sight.pixels.min(axis=2) > 250, 5000)
             if window.holds(box) and box.top > menu.bottom]
    if not white:
        raise NotSeen("the editor's page")
    return white[0]


def save(turn, answer):
    if turn.did("save the file"):
        turn.finish(answer)
    turn.step("save the file", turn.hand.press("ctrl+s"))


def place_in(line, text, word):
    """Where a word of a line stands, if all letters have the same width."""
    step = line.width / len(text)
    at = text.index(word)
    return Box(line.left + at * step, line.top, line.left + (at + len(word)) * step, line.bottom)


def misspelled(lines):
    """The first word that is none, its line, and the word before it."""
    for line, text in lines:
        found = re.findall(r"[A-Za-z]+", text)
        for before, word in zip([""] + found, found):
            if not words.is_word(word):
                return line, text, before, word
    return None


def editor_typo(turn):
    """Correct the word that no dictionary has."""
    sheet = page(turn)
    lines = [(line, turn.sight.read(line)) for line in turn.sight.rows(sheet)]
    if not lines:
        raise NotSeen("a letter")
    found = misspelled(lines)
    if not found:
        save(turn, "The misspelled word was corrected, and the file saved.")
    line, text, before, word = found
    right = words.correction(word, before)
    if not right:
        turn.give_up(f"I know no correction of {word}.")
    spot = place_in(line, text, word)
    turn.step("correct the word", turn.hand.click(f"the word {word}", spot, kind="double"), turn.hand.type(right),
              why=f"'{word}' in '{text}' should be '{right}'.")


def editor_note(turn):
    """Write the lines of the yellow window."""
    sheet = page(turn)
    note = turn.sight.coloured("yellow", pale=True)
    lines = [turn.sight.read(line) for line in turn.sight.rows(note)]
    if len(lines) < 3:
        raise NotSeen("three lines in the yellow window")
    said = "The yellow window says: " + " / ".join(lines)
    turn.once("write the lines", turn.hand.type("\n".join(lines), sheet), why=said)
    written = [turn.sight.read(line) for line in turn.sight.rows(sheet)]
    if len(written) < len(lines):
        turn.wait(1, "I do not see the lines in the editor yet.", tries=3)
    save(turn, "The three lines were written, and the file saved.")


def editor_total(turn):
    """Add a line with the sum of the numbers."""
    rows = [(line, turn.sight.read(line)) for line in turn.sight.rows(page(turn))]
    prices = [(line, int(found.group(1))) for line, text in rows
              if (found := re.search(r":\s*(\d+)$", text)) and not text.startswith("Total")]
    if len(prices) != 4:
        raise NotSeen("four numbers in the editor")
    total = sum(price for _, price in prices)
    last = prices[-1][0]
    turn.once("add the total", turn.hand.click("the last line of the list", last), turn.hand.press("end"),
              turn.hand.type(f"\nTotal: {total}"), why=f"{' + '.join(str(price) for _, price in prices)} = {total}.")
    save(turn, f"The total is {total}.")
