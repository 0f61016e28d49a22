"""Tasks that fill in fields, boxes and lists."""
import re

from acts import click, drag, keys, press, scroll, wait, word, write

from . import rule
from .reveal import reveal


def field(page, number=0):
    return page.all("input", type="text")[number]


def submit(page):
    return click(page.one(id="subbtn"))


@rule("enter-text", "enter-text-dynamic")
def text_and_submit(page):
    yield [write(page.quoted()[0], field(page)), submit(page)]


@rule("enter-text-2")
def upper_or_lower(page):
    text = page.quoted()[0]
    text = text.upper() if "upper case" in page.goal else text.lower()
    yield [write(text, field(page)), submit(page)]


@rule("enter-password")
def password_twice(page):
    password = page.quoted()[0]
    yield [write(password, page.one(id="password")), write(password, page.one(id="verify")), submit(page)]


@rule("login-user")
def login(page):
    user, password = page.quoted()
    yield [write(user, page.one(id="username")), write(password, page.one(id="password")), submit(page)]


@rule("login-user-popup")
def login_despite_popup(page):
    user, password = page.quoted()
    for name, text in (("username", user), ("password", password)):
        yield click(page.one(id=name))
        if page.find(id="popup-cancel"):
            yield click(page.one(id="popup-cancel"))
        yield write(text, page.one(id=name))
    yield submit(page)


@rule("enter-date")
def date(page):
    month, day, year = page.bold()[0].split("/")
    # A click at its beginning chooses the month, and each part goes on to the next one.
    yield [click(page.one(id="tt").at(0.08, 0.5)), write(month.zfill(2) + day.zfill(2) + year)]
    yield submit(page)


@rule("enter-time")
def time(page):
    hour, minute, half = re.search(r"(\d+):(\d+)\s*([AP]M)", page.goal).groups()
    yield [click(page.one(id="tt").at(0.08, 0.5)), write(hour.zfill(2) + minute + half)]
    yield submit(page)


@rule("click-option")
def option(page):
    wanted = page.goal.removeprefix("Select ").removesuffix(" and click Submit.")
    yield [click(page.one("label", text=wanted).at(0.15, 0.5)), submit(page)]


def wanted_boxes(page):
    text = re.search(r"Select (?:words similar to )?(.*) and click Submit", page.goal)[1]
    return [] if text == "nothing" else text.split(", ")


def check(page, labels):
    """Checks boxes that may be below the part that is shown."""
    for label in labels:
        while page.find("label", text=label).bottom > 890:
            yield scroll(page.one("label", on_top=True), 2)
        yield click(page.one("label", text=label).at(0.1, 0.5))


@rule("click-checkboxes", "click-checkboxes-transfer", "click-checkboxes-large")
def checkboxes(page):
    yield from check(page, wanted_boxes(page))
    while page.one(id="subbtn").bottom > 890:
        yield scroll(page.one("label", on_top=True), 5)
    yield submit(page)


SYNONYMS = """big large huge enormous gigantic/small tiny little mini petite/red scarlet crimson vermillion/
happy cheerful joyful gleeful delighted/sad unhappy sorrowful miserable tragic/angry mad furious irritated/
evil wicked immoral sinful corrupt depraved/wrong incorrect mistaken erroneous/real genuine actual/
strange odd peculiar unusual weird/stop cease halt end finish/scared terrified panicked fearful frightened afraid/
quiet calm peaceful serene mild/old aged archaic/love like adore favor/kill murder assassinate/
keep retain preserve sustain maintain/hide conceal camouflage/hate despise loathe detest dislike/
funny humorous amusing comical laughable/fat fleshy plump chubby/stupid dumb dull unwise/
delicious savory delectable appetizing/cut slice carve chop/brave courageous fearless/begin start initiate launch/
answer reply response/television televisions TV TVs/house home houses homes/fire flame fires flames/pig pork swine/
rabbit rabbits bunny bunnies/car cars automobile automobiles vehicle vehicles/water"""


@rule("click-checkboxes-soft")
def similar_words(page):
    groups = [set(line.split()) for line in SYNONYMS.replace("\n", "").split("/")]
    wanted = set().union(*(group for word in wanted_boxes(page) for group in groups if word in group))
    yield from check(page, [one.all for one in page.all("label") if one.all in wanted])
    yield submit(page)


@rule("choose-list")
def choose(page):
    wanted = page.goal.removeprefix("Select ").removesuffix(" from the list and click Submit.")
    options = page.one("select").told["options"]
    yield click(page.one("select"))
    # In the open list, the keyboard moves from the chosen entry, which is the first one.
    yield keys("down", options.index(wanted)) + [press("enter")]
    yield click(page.one("button"))


@rule("click-scroll-list")
def choose_several(page):
    wanted = page.goal.removeprefix("Select ").removesuffix(" from the scroll list and click Submit.").split(", ")
    for number, name in enumerate(wanted):
        while True:
            outer, entry = page.one("select"), page.one("option", text=name)
            if entry.y < outer.y - 1:
                yield scroll(outer, 1, "up")
            elif entry.bottom > outer.bottom + 1:
                yield scroll(outer, 1)
            else:
                break
        yield click(page.one("option", text=name), **({"modifiers": "ctrl"} if number else {}))
    yield click(page.one("button"))


@rule("form-sequence-2")
def form_of_radio_and_text(page):
    radio, box = re.findall(r"(\d)(?:st|nd|rd)", page.goal)
    yield click(page.all("input", type="radio")[int(radio) - 1])
    yield [write(page.quoted()[0], page.one(id=f"input-{box}")), submit(page)]


@rule("form-sequence-3")
def form_of_list_and_button(page):
    wanted = re.search("Choose (.*) from the dropdown", page.goal)[1]
    yield click(page.one("div", of="selectric"))
    yield wait(0.3)
    while True:
        entry = next(one for one in page.all("li") if one.all == wanted)
        if entry.is_on_top:
            break
        yield scroll(page.one("div", of="selectric-items"), 1)
    yield click(entry)
    yield wait(0.3)
    yield click(page.one("button", text=page.quoted()[0]))


@rule("copy-paste")
def copy(page):
    yield [click(page.one(id="to-copy")), press("ctrl+a"), press("ctrl+c")]
    yield [click(page.one(id="answer-input")), press("ctrl+v"), submit(page)]


@rule("copy-paste-2")
def copy_nth(page):
    yield [click(page.one(id=f"text-{page.bold()[0][0]}")), press("ctrl+a"), press("ctrl+c")]
    yield [click(page.one(id="answer-input")), press("ctrl+v"), submit(page)]


@rule("find-word")
def nth_word(page):
    number = int(re.match(r"\d+", page.bold()[0])[0])
    words = page.one("p").told["raw"].split()
    yield [write(re.sub("[^a-zA-Z]", "", words[number - 1]), page.one(id="answer-input")), submit(page)]


@rule("read-table")
def value_of(page):
    cells = [one.all for one in page.all("td")]
    yield [write(cells[cells.index(page.bold()[0]) + 1], page.one(id="tt")), submit(page)]


@rule("read-table-2")
def two_values(page):
    cells = [one.all for one in page.all("td")]
    for number in (1, 2):
        key = page.one(id=f"ll{number}").all.removesuffix(":")
        yield write(cells[cells.index(key) + 1], page.one(id=f"tt{number}"))
    yield submit(page)


@rule("simple-arithmetic")
def arithmetic(page):
    one, action, two = page.one(id="math-problem").all.replace("=", "").split()
    one, two = int(one), int(two)
    answer = {"+": one + two, "-": one - two, "x": one * two}[action]
    yield write(str(answer), page.one(id="math-answer"))
    yield submit(page)


@rule("simple-algebra")
def algebra(page):
    left, action, right, _, answer = page.one(id="math-problem").all.split()
    answer = int(answer)
    if left == "x":
        x = answer - int(right) if action == "+" else answer + int(right)
    else:
        x = answer - int(left) if action == "+" else int(left) - answer
    yield [write(str(x), page.one(id="math-answer")), submit(page)]


@rule("visual-addition")
def count_blocks(page):
    yield [write(str(len(page.all("span", of="addition-block"))), page.one(id="math-answer")), submit(page)]


@rule("text-transform")
def captcha(page):
    letters = [one.all for one in page.all("span") if page.is_within(one, page.one(id="captcha"))]
    yield [write("".join(letters), page.one(id="tt")), submit(page)]


@rule("guess-number")
def guess(page):
    low, high = 0, 9
    while True:
        number = (low + high) // 2
        yield [write(str(number), page.one(id="tt"), replace=True), submit(page)]
        yield wait(0.2)
        if page.find(id="higher"):
            low = number + 1
        else:
            high = number - 1


@rule("use-autocomplete", "use-autocomplete-nodelay")
def autocomplete(page):
    start, *end = page.bold()
    yield write(start, page.one(id="tags"))
    yield wait(0.8)
    items = [one for one in page.all("div|li", of="ui-menu-item-wrapper") or page.all("li", of="ui-menu-item")]
    wanted = next(one for one in items if one.all.startswith(start) and one.all.endswith("".join(end)))
    for step in range(20):
        entry = next(one for one in page.elements if one.all == wanted.all and one.tag in ("div", "li"))
        if entry.bottom < 890:
            break
        yield press("down")
    yield click(entry)
    yield wait(0.3)
    yield submit(page)


@rule("multi-orderings", "multi-layouts")
def search_movies(page):
    genre, name, year = re.search(r"Search for (.*) movies directed by (.*) from year (\d+)", page.goal).groups()
    texts = {"Genre": genre, "Director": name, "Year": year, "Date": year}
    for number in range(3):
        label, box = labels_of(page)[number]
        yield write(next(text for key, text in texts.items() if key in label), box)
    yield click(next(one for one in page.all("button|div") if one.text in ("Submit", "Search", "Go!")))


def labels_of(page):
    """The fields with the text of the row around them."""
    return [(page.parent(page.parent(box)).all if page.parent(box).tag == "td" or "input" in page.parent(box).classes
             else page.parent(box).all, box) for box in page.all("input", type="text")]


@rule("search-engine")
def search(page):
    name, nth = page.bold()
    number = int(re.match(r"\d+", nth)[0]) - 1
    yield [write(name, page.one(id="search-text")), click(page.one(id="search"))]
    yield wait(0.3)
    if number >= 3:
        yield click(page.one("a", text=str(number // 3 + 1), of="page-link") if page.find("a", of="page-link")
                    else next(one for one in page.all("a") if one.all == str(number // 3 + 1)))
        yield wait(0.3)
    yield click(page.one("a", data_result=str(number)))


@rule("phone-book")
def contact(page):
    name, what = re.search(r"Find (.*) in the contact book and click on their (\w+)", page.goal).groups()
    for step in range(5):
        if page.one("h2", of="name").all == name:
            break
        yield click(next(one for one in page.all("a") if one.all == ">"))
        yield wait(0.3)
    yield click(word(page.one("a", of=what)))


@rule("scroll-text")
def last_word(page):
    words = page.one(id="text-area").value.split()
    yield [write(re.sub("[^a-zA-Z0-9]", "", words[-1]), page.one(id="answer-input")), submit(page)]


@rule("scroll-text-2")
def scroll_to_end(page):
    way = "down" if "bottom" in page.goal else "up"
    for step in range(10):
        top, whole, shown = page.one(id="text-area").told["scroll"]
        if (top + shown > whole - 2) if way == "down" else top < 1:
            break
        yield scroll(page.one(id="text-area"), 5, way)
    yield submit(page)


@rule("sign-agreement")
def sign(page):
    if page.quoted():
        for step in range(20):
            if "disabled" not in page.one(id="agree").attributes:
                break
            yield scroll(page.one(id="text-area"), 10)
        yield write(page.quoted()[0], page.one(id="name"))
    name = page.quoted()[1].lower() if page.quoted() else "cancel"
    yield click(page.one(id=name))


@rule("buy-ticket")
def ticket(page):
    ways = {"cheapest": ("data-price", min), "most expensive": ("data-price", max),
            "shortest": ("data-duration", min), "longest": ("data-duration", max)}
    attribute, best = next(value for key, value in ways.items() if key in page.goal)
    values = [int(one.attributes[attribute]) for one in page.elements if attribute in one.attributes]
    index = values.index(best(values))
    yield from reveal(lambda: page.one(id="area"), lambda: page.all("button", of="buy-ticket")[index])
    yield click(page.all("button", of="buy-ticket")[index])


@rule("highlight-text", "highlight-text-2")
def highlight(page):
    texts = page.all("p") or [page.one(id="randomText")]
    number = int(page.goal[len("Highlight the text in the ")]) - 1 if len(texts) > 1 else 0
    words = texts[number].words
    first, last = words[0], words[-1]
    # From the left of the first letter to the right of the last one.
    yield drag((first[1] - 2, first[2] + first[4] / 2), (last[1] + last[3] + 4, last[2] + last[4] / 2))
    yield submit(page)


@rule("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_day(page):
    month, day, _ = (int(part) for part in re.search(r"(\d+)/(\d+)/(\d+)", page.goal).groups())
    yield click(page.one(id="datepicker"))
    yield wait(0.8)
    names = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
             "November", "December"]
    for step in range(14):
        shown = names.index(page.one("span", of="ui-datepicker-month").all) + 1
        if shown == month:
            break
        yield click(page.one("a", of="ui-datepicker-prev" if shown > month else "ui-datepicker-next"))
    yield click(next(one for one in page.all("a", of="ui-state-default") if one.all == str(day)))
    yield wait(0.5)
    yield submit(page)


@rule("terminal")
def terminal(page):
    yield [click(page.one(id="terminal")), write("ls", enter=True)]
    yield wait(0.3)
    files = page.all("span", of="output")[-1].all.split()
    ending = re.search(r"extension (\.\S+)", page.goal)
    file = next(name for name in files if (name.endswith(ending[1]) if ending else "." not in name))
    yield write(f"rm {file}", enter=True)
