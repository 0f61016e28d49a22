# A small web shop and a browser window that shows it. shop.json always holds the cart and the orders.
# Arguments: "note" to leave room for a note beside the window, or else "alone"; then what is in the cart at the start.
import html, json, os, subprocess, sys, threading, zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


THINGS = ["Red mug", "Blue mug", "Green mug", "Desk lamp Vega", "Desk lamp Lyra", "Floor lamp Orion", "Floor lamp Cora",
          "Table lamp Mira", "Table lamp Juno", "Wall lamp Nova", "Red notebook", "Blue notebook", "Green notebook",
          "Family tent", "Beach tent", "Storm tent", "Pop-up tent", "Winter tent", "Tent pegs", "Tent bag", "Garden chair",
          "Folding chair", "Camping stove", "Sleeping bag", "Hand torch", "Wool blanket", "Water bottle", "Umbrella"]
ORDER = shuffle("thing", len(THINGS))
CENTS = [100 * (8 + pick(f"price-{i}", 90)) + i for i in range(len(THINGS))]
# None, one or both of what only sounds like a tent is cheaper than the cheapest tent.
cheapest = min(CENTS[i] for i, thing in enumerate(THINGS) if thing.endswith(" tent")) // 100
for place, i in enumerate(shuffle("decoy", 2)):
    is_cheaper = place < pick("cheaper", 3)
    CENTS[18 + i] = 100 * (cheapest + (-1 if is_cheaper else 1) * (1 + pick(f"decoy-{i}", 5))) + 18 + i
STARS = [f"{2 + rank // 10}.{rank % 10}" for rank in shuffle("stars", len(THINGS))]
ROWS = 7
STYLE = """body { font: 20px "DejaVu Sans", sans-serif; margin: 12px 24px; color: #222 }
input, button { font: inherit; padding: 5px 14px } td { padding: 5px 16px 5px 0 } .bar { background: #e8eef4; padding: 10px }
a { color: #0645ad; margin-right: 24px } h1 { font-size: 28px; margin: 12px 0 } label { display: inline-block; width: 160px }"""
state = {"cart": sys.argv[2:], "orders": []}
lock = threading.Lock()


def save():
    """Writes the cart and the orders in one step."""
    Path("shop.new").write_text(json.dumps(state))
    os.replace("shop.new", "shop.json")


def post(path, label, **fields):
    """Returns a button that sends these fields to a path."""
    hidden = "".join(f'<input type="hidden" name="{k}" value="{html.escape(str(v))}">' for k, v in fields.items())
    return f'<form method="post" action="{path}">{hidden}<button>{label}</button></form>'


def listing(query):
    """Returns the page with the things that were searched for, seven on each page."""
    search, sort, page = query.get("q", ""), query.get("sort", ""), int(query.get("page", "1"))
    found = [i for i in ORDER if search.lower().strip() in THINGS[i].lower()]
    if sort == "price":
        found.sort(key=lambda i: CENTS[i])
    last = max(1, -(-len(found) // ROWS))
    here = lambda page, sort: f"/?q={quote(search)}&sort={sort}&page={page}"
    rows = "".join(
        f"<tr><td>{THINGS[i]}</td><td>{CENTS[i] / 100:.2f} €</td><td>★ {STARS[i]}</td>"
        f"<td>{post('/add', 'Add to cart', thing=i, back=here(page, sort))}</td></tr>"
        for i in found[(page - 1) * ROWS:page * ROWS])
    turn = f'<p>Page {page} of {last}</p><p>'
    if page > 1:
        turn += f'<a href="{here(page - 1, sort)}">Previous page</a>'
    if page < last:
        turn += f'<a href="{here(page + 1, sort)}">Next page</a>'
    top = f"Results for “{html.escape(search)}”" if search else "All things"
    by = f'<p><a href="{here(1, "price")}">Sort by price</a></p>'
    return f"<h1>{top}</h1>{by}<table>{rows or '<tr><td>Nothing was found.</td></tr>'}</table>{turn}</p>"


def cart(query):
    """Returns the page with the cart."""
    rows = "".join(f"<tr><td>{html.escape(thing)}</td><td>{post('/remove', 'Remove', place=i)}</td></tr>"
                   for i, thing in enumerate(state["cart"]))
    if not rows:
        return "<h1>Your cart</h1><p>Your cart is empty.</p>"
    return f'<h1>Your cart</h1><table>{rows}</table><p><a href="/checkout">Go to checkout</a></p>'


def checkout(query):
    """Returns the page with the form for the address."""
    fields = "".join(f'<p><label>{name}</label><input name="{name}" size="30" autocomplete="off"></p>'
                     for name in ["Name", "Street", "Postcode", "Town"])
    return f'<h1>Delivery address</h1><form method="post" action="/order">{fields}<button>Place order</button></form>'


def thanks(query):
    return "<h1>Thank you for your order!</h1>"


PAGES = {"/": listing, "/cart": cart, "/checkout": checkout, "/thanks": thanks}
NAMES = {"/": "things", "/cart": "cart", "/checkout": "address", "/thanks": "thanks"}


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        if url.path not in PAGES:
            return self.send_error(404)
        with lock:
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            count, page = len(state["cart"]), PAGES[url.path](query)
        bar = ('<div class="bar"><form action="/"><input name="q" size="20" placeholder="Search" autocomplete="off"> '
               f'<button>Search</button> &nbsp; <a href="/">Home</a><a href="/cart">Cart ({count})</a></form></div>')
        title = f"Shop: {NAMES[url.path]}, {count} in the cart"
        text = f'<!doctype html><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>{bar}{page}'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers["Content-Length"]), 10_000)).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        with lock:
            after = "/cart"
            if self.path == "/add":
                state["cart"].append(THINGS[int(form["thing"])])
                after = form["back"]
            elif self.path == "/remove":
                del state["cart"][int(form["place"])]
            elif self.path == "/order":
                state["orders"].append({"things": state["cart"], "address": form})
                state["cart"] = []
                after = "/thanks"
            save()
        self.send_response(303)
        self.send_header("Location", after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
left, right = 10, 1558
if sys.argv[1] == "note":
    left, right = (10, 1105) if pick("sides", 2) else (465, 1558)
place = f"{left + pick('x', right - left - 870)},{10 + pick('y', 130)}"
browser = ["chromium", f"--app=http://127.0.0.1:{server.server_port}/", f"--user-data-dir={os.getcwd()}/.browser",
           "--no-first-run", "--password-store=basic", "--disable-gpu", "--disable-extensions", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--disable-features=Translate",
           "--force-device-scale-factor=1", f"--window-position={place}", "--window-size=860,700"]
if os.geteuid() == 0:
    # As root, Chromium starts only without its sandbox. The other flag hides the bar that warns about it.
    browser += ["--no-sandbox", "--test-type"]
subprocess.Popen(browser)
server.serve_forever()
