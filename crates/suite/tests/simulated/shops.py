"""Plans for the web shop."""
import re

from dialogs import card_values
from sight import NotSeen, plain


class Row:
    """A thing of the shop: its name, price and stars, and the line of its button."""

    def __init__(self, lines):
        self.button = next(line for line in lines if line.text.startswith("Add"))
        text = " ".join(line.text for line in lines)
        price = re.search(r"(\d+)[.,](\d\d)", text)
        if not price:
            raise NotSeen(f"the price in '{text}'")
        self.name = text[:price.start()].strip()
        self.price = int(price.group(1)) * 100 + int(price.group(2))
        stars = re.findall(r"\d\.\d(?!\d)", text[price.end():])
        self.stars = float(stars[0]) if stars else 0.0

    def __repr__(self):
        return f"{self.name} for {self.price / 100:.2f} with {self.stars} stars"


def listed(sight):
    """The things on the page, from top to bottom."""
    found = []
    for add in (line for line in sight.lines if re.match(r"Add", line.text)):
        row = [line for line in sight.lines if line.top < add.middle[1] < line.bottom
               and sight.window_of(add).holds(line)]
        found.append(Row(sorted(row, key=lambda line: line.left)))
    return found


def in_cart(sight):
    """How many things the cart has, by the link above the page."""
    _, found = sight.match(r"Cart\W*(\d+)\W*$")
    if not found:
        raise NotSeen("the cart's number")
    return int(found.group(1))


def search(turn, words):
    """Searches the shop, unless the page shows the results."""
    sight = turn.sight
    if not sight.match(rf"Results\s*for\W*{words.replace(' ', '.?')}")[0]:
        buttons = sight.every("Search")
        if len(buttons) < 1:
            raise NotSeen("the search field")
        field = sight.field_left_of(max(buttons, key=lambda line: line.left))
        turn.step(f"search for {words}", turn.hand.type(words, field, replace=True, enter=True))


def add(turn, row):
    turn.step(f"add {row.name} to the cart", turn.hand.click(f"the button Add to cart of {row.name}", row.button),
              why=f"I choose {row}.", tries=2)


def shop_search(turn):
    """Search for a kind of thing, and add the one with the most stars."""
    kind = re.search(r"Search it for (\w+)", turn.goal).group(1)
    if in_cart(turn.sight) > 0:
        turn.finish(f"The {kind} with the most stars is in the cart.")
    search(turn, kind)
    rows = [row for row in listed(turn.sight) if kind in row.name.lower()]
    if not rows:
        raise NotSeen(f"a {kind}")
    add(turn, max(rows, key=lambda row: row.stars))


def shop_two_items(turn):
    """Search for each of the two things that the yellow note names, and add it."""
    note = turn.sight.rows(turn.sight.coloured("yellow", pale=True))
    wanted = [turn.sight.read(line).strip() for line in note if not plain(line.text).startswith("tobuy")]
    if len(wanted) != 2:
        raise NotSeen(f"two things on the note, but {wanted}")
    count = in_cart(turn.sight)
    if count >= len(wanted):
        turn.finish("Both things are in the cart.")
    name = wanted[count]
    search(turn, name)
    for row in listed(turn.sight):
        if row.name.replace(" ", "").lower() == name.replace(" ", "").lower():
            add(turn, row)
    raise NotSeen(name)


def shop_cheapest(turn):
    """Search for a kind of thing, and add the cheapest whose name ends with it."""
    kind = re.search(r"the cheapest (\w+)", turn.goal).group(1)
    if in_cart(turn.sight) > 0:
        turn.finish(f"The cheapest {kind} is in the cart.")
    search(turn, kind)
    rows = [row for row in listed(turn.sight) if row.name.lower().endswith(kind)]
    if not rows:
        raise NotSeen(f"a {kind}")
    add(turn, min(rows, key=lambda row: row.price))


def shop_checkout(turn):
    """Go to the checkout, fill in the address from the yellow note, and order."""
    sight, hand = turn.sight, turn.hand
    if sight.sees("Thank you for your order"):
        turn.finish("The order was placed.")
    if sight.sees("Place order"):
        names = ["Name", "Street", "Postcode", "Town"]
        form = sight.window_of(sight.find("Place order"))
        values = card_values(turn, names, sight.coloured("yellow", pale=True))
        calls = [hand.type(values[name], sight.field_right_of(sight.find(name, form)), replace=True) for name in names]
        turn.once("fill in the address", *calls, notes=values)
        turn.step("place the order", hand.click("the button Place order", sight.find("Place order")))
    if sight.sees("Go to checkout"):
        turn.step("go to the checkout", hand.click("the link Go to checkout", sight.find("Go to checkout")))
    cart, _ = sight.match(r"Cart\W*\d")
    if not cart:
        raise NotSeen("the link to the cart")
    turn.step("open the cart", hand.click("the link Cart", cart.part("Cart")))
