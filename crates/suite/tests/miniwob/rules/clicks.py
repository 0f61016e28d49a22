"""Tasks that a few clicks solve."""
from acts import click, hover, wait, word
from shapes import described, matches, kind_of

from . import rule


@rule("click-test", "click-test-transfer")
def only_button(page):
    ones = page.all("button", text="ONE")
    yield click(ones[0] if ones else page.one("button"))


@rule("click-test-2")
def button_one(page):
    yield click(page.one("button", text="ONE"))


@rule("click-button", "unicode-test")
def named_button(page):
    yield click(page.one("button", text=page.quoted()[0]))


@rule("click-button-sequence")
def two_buttons(page):
    yield click(page.one(id="subbtn"))
    yield click(page.one(id="subbtn2"))


@rule("click-link")
def named_link(page):
    yield click(word(page.one("span", text=page.quoted()[0], of="alink")))


@rule("click-tab")
def named_tab(page):
    yield click(page.one("a", text=page.goal.removeprefix("Click on ").removesuffix(".")))


@rule("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
def link_in_a_tab(page):
    wanted = page.quoted()[0]
    tabs = len(page.all("a", of="ui-tabs-anchor"))
    for number in range(tabs):
        link = page.find("span", text=wanted, of="alink")
        if link is not None:
            yield click(word(link))
            return
        yield click(page.all("a", of="ui-tabs-anchor")[(number + 1) % tabs])
    yield click(word(page.one("span", text=wanted, of="alink")))


@rule("click-collapsible", "click-collapsible-nodelay")
def section_and_submit(page):
    yield click(page.one("h3"))
    yield wait(0.5)
    yield click(page.one(id="subbtn"))


@rule("click-collapsible-2", "click-collapsible-2-nodelay")
def link_in_a_section(page):
    wanted = page.quoted()[0]
    for number in range(len(page.all("h3"))):
        yield click(page.all("h3")[number])
        yield wait(0.5)
        link = page.find("span", text=wanted, of="alink")
        if link is not None:
            yield click(word(link))
            return


@rule("click-dialog")
def close_dialog(page):
    yield click(page.one("button", of="ui-dialog-titlebar-close"))


@rule("click-dialog-2")
def button_of_dialog(page):
    wanted = page.quoted()[0]
    if wanted == "x":
        yield click(page.one("button", of="ui-dialog-titlebar-close"))
    else:
        yield click(page.one("button", text=wanted))


@rule("click-color")
def coloured_box(page):
    wanted = page.goal.removeprefix("Click on the ").removesuffix(" colored box.")
    yield click(page.one("div", of="color", data_color=wanted))


@rule("click-shape")
def shape(page):
    wanted = described(page.goal.removeprefix("Click on a "))
    found = [one for one in page.all("text|circle|rect|polygon") if matches(one, wanted)]
    yield click(found[0].at(0.5, 0.6))


@rule("count-shape")
def count_shapes(page):
    text = page.goal.removeprefix("How many ").removesuffix("s are there?")
    count = sum(matches(one, described(text)) for one in page.all("text|circle|rect|polygon"))
    yield click(page.one("button", text=str(count)))


@rule("identify-shape")
def name_the_shape(page):
    kind, text = kind_of(page.one("text|circle|rect|polygon"))
    wanted = text if kind == "shape" else kind
    yield click(page.one("button", data_type=wanted))


@rule("click-widget")
def kind_of_widget(page):
    yield click(page.one("input|textarea|button", data_type=page.quoted()[0]))


@rule("click-shades")
def shades(page):
    wanted = page.goal.removeprefix("Select all the shades of ").split()[0]
    yield [click(one) for one in page.all("span", data_color=wanted)]
    yield click(page.one("button"))


@rule("grid-coordinate")
def grid(page):
    yield click(page.one("circle", id=page.bold()[0]))


@rule("find-greatest")
def greatest_card(page):
    cards = page.all("div", of="card")
    numbers = {}
    for index in range(len(cards)):
        yield click(page.all("div", of="card")[index])
        shown = [one for one in page.all("span", of="card-value") if one.all]
        numbers[index] = max(int(one.all) for one in shown)
    best = max(numbers, key=numbers.get)
    if best != len(cards) - 1:
        yield click(page.all("div", of="card")[best])
    yield click(page.one(id="submit"))


@rule("ascending-numbers")
def ascending(page):
    places = {one.all: one.middle for one in page.all("text")}
    for number in sorted(places, key=int):
        yield click(places[number])


@rule("click-menu")
def menu(page):
    path = page.goal.removeprefix("Select ").split(">")
    for name in path[:-1]:
        yield hover(page.one("div", of="ui-menu-item-wrapper", text=name))
        yield wait(0.7)
    yield click(page.one("div", of="ui-menu-item-wrapper", text=path[-1]))


@rule("click-menu-2")
def menu_with_icons(page):
    def entry():
        if page.quoted()[1:]:
            return page.find("div", of="ui-menu-item-wrapper", text=page.quoted()[1])
        icon = page.query.split('class="ui-icon ')[1].split('"')[0]
        shown = [one for one in page.all("span", of=icon) if page.is_within(one, page.one(id="menu"))]
        return shown[0] if shown else None

    yield click(page.one(id="open-menu"))
    yield wait(0.3)
    if entry() is None:
        yield hover(page.one("div", of="ui-menu-item-wrapper", text="Playback"))
        yield wait(0.7)
    yield click(entry())


@rule("navigate-tree")
def tree(page):
    wanted = page.quoted()[0]
    for step in range(8):
        entry = page.find("span", text=wanted)
        if entry is not None:
            yield click(entry)
            return
        closed = [one for one in page.all("div", of="hitarea") if "expandable-hitarea" in one.classes]
        yield click(closed[0])
        yield wait(0.3)


@rule("focus-text")
def focus(page):
    yield click(page.one("input"))


@rule("focus-text-2")
def focus_nth(page):
    number = int(page.goal.removeprefix("Focus into the ")[0])
    yield click(page.one("input", id=f"tt{number}"))


@rule("generate-number")
def generate(page):
    def suits(number):
        words = page.goal.replace(",", "").split()
        if "less" in words:
            return number < int(words[words.index("than") + 1])
        if "greater" in words:
            return number > int(words[words.index("than") + 1])
        return (number % 2 == 1) == ("odd" in words)

    while True:
        yield click(page.one(id="generate"))
        shown = page.one(id="display-number").all
        if shown.isdigit() and suits(int(shown)):
            break
    yield click(page.one(id="submit"))


@rule("odd-or-even")
def odd_or_even(page):
    numbers = page.all("div", of="display-number")
    for index, number in enumerate(numbers):
        kind = "odd" if int(number.all) % 2 else "even"
        yield click(page.all("button", of=kind)[index])
    yield click(page.one(id="submit"))


@rule("number-checkboxes")
def draw_number(page):
    patterns = ["0110100110011001100110010110", "0010011000100010001000100010", "0110100110010010010010001111",
                "0110100100010110000110010110", "1000101010101111001000100010", "1111100010001110000110010110",
                "0110100110001110100110010110", "1111100100010010001001000100", "0110100110010110100110010110",
                "0110100110010111000110010110"]
    pattern = patterns[int(page.quoted()[0])]
    boxes = page.all("input", type="checkbox")
    chosen = [click(box) for box, mark in zip(boxes, pattern) if mark == "1"]
    for start in range(0, len(chosen), 8):
        yield chosen[start:start + 8]
    yield click(page.one(id="subbtn"))


@rule("use-spinner")
def spinner(page):
    wanted = int(page.goal.split()[1])
    for step in range(40):
        now = int(page.one(id="spinner").value)
        if now == wanted:
            break
        way = "up" if wanted > now else "down"
        yield [click(page.one("a", of=f"ui-spinner-{way}")) for _ in range(min(abs(wanted - now), 5))]
    yield click(page.one(id="subbtn"))
