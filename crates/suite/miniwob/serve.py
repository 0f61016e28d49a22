"""Serves one episode of a MiniWoB++ task on this machine, and shows it in Chromium.

reward.json, in the working directory, gets the reward that the page gives: the first one only, so that an episode that
is loaded again changes nothing.
"""
import argparse
import json
import mimetypes
import os
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).resolve().parent
PAGES = HERE / "html"
MOST_BYTES = 16 << 20
# The episode's area is only 160 pixels wide and 210 high. Most other pages are those of flights, as large as on a phone.
SCALE, SMALL_SCALE = 3, 1.3

words = argparse.ArgumentParser(description=__doc__)
words.add_argument("task", help="the page below html, without .html")
words.add_argument("seed", type=int, help="the seed of the episode")
words.add_argument("--time-limit", type=float, metavar="SECONDS", help="end the episode after this time")
words.add_argument("--oracle", metavar="URL", help="tell this server where the page can be asked for its elements")
words.add_argument("--no-browser", action="store_true", help="only serve the page, and print its address")
given = words.parse_args()


class Elements:
    """The elements of the page, which it reports again and again, for the oracle."""

    def __init__(self):
        self.changed = threading.Condition()
        self.count, self.newest = 0, b"{}"

    def report(self, elements):
        with self.changed:
            self.count, self.newest = self.count + 1, elements
            self.changed.notify_all()

    def next(self):
        """Returns a report that the page began after this call."""
        with self.changed:
            wanted = self.count + 2
            self.changed.wait_for(lambda: self.count >= wanted, timeout=20)
            return self.newest


elements = Elements()
reward_lock = threading.Lock()


def save_reward(text):
    """Writes the first reward, in one step."""
    reward = json.loads(text)
    kept = {"reward": float(reward["reward"]), "reason": str(reward.get("reason") or "")[:200]}
    with reward_lock:
        if not Path("reward.json").exists():
            Path("reward.new").write_text(json.dumps(kept))
            os.replace("reward.new", "reward.json")


def own_script():
    """Returns our script, which follows the package's own core.js in the same file."""
    settings = {"seed": given.seed, "limit": given.time_limit}
    script = (HERE / "episode.js").read_text().replace("SETTINGS", json.dumps(settings))
    if given.oracle:
        script += (HERE / "elements.js").read_text()
    return script.encode()


class Pages(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body, kind="text/plain", status=200, keep="no-store"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", keep)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = unquote(urlsplit(self.path).path).lstrip("/")
        if path == "elements" and given.oracle:
            return self.answer(elements.next(), "application/json")
        file = (PAGES / path).resolve()
        if not file.is_relative_to(PAGES) or not file.is_file():
            return self.answer(b"there is no such page", status=404)
        body = file.read_bytes()
        if path == "core/core.js":
            body += b"\n" + own_script()
        # Pictures that change under the mouse are shown at once when they are needed again.
        self.answer(body, mimetypes.guess_type(file.name)[0] or "application/octet-stream", keep="max-age=86400")

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        if size > MOST_BYTES:
            self.close_connection = True
            return self.answer(b"that is too long", status=413)
        body = self.rfile.read(size)
        if self.path == "/reward":
            save_reward(body)
        elif self.path == "/elements" and given.oracle:
            elements.report(body)
        else:
            return self.answer(b"there is nothing here", status=404)
        self.answer(b"")

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
address = f"http://127.0.0.1:{server.server_port}"
page = f"{address}/{given.task}.html"
if given.oracle:
    place = {"episode": f"{given.task.split('/')[-1]}.{given.seed}", "address": address}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    urllib.request.urlopen(given.oracle + "/pages", json.dumps(place).encode()).close()
if given.no_browser:
    print(page, flush=True)
else:
    scale = SMALL_SCALE if given.task.startswith("flight/") else SCALE
    browser = ["chromium", "--kiosk", f"--app={page}", f"--user-data-dir={os.getcwd()}/.browser",
               f"--force-device-scale-factor={scale}", "--no-first-run", "--password-store=basic", "--disable-gpu",
               "--disable-extensions", "--disable-sync", "--disable-background-networking", "--disable-component-update",
               "--disable-features=Translate", "--disable-pinch", "--overscroll-history-navigation=0",
               "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    if os.geteuid() == 0:
        # As root, Chromium starts only without its sandbox. The other flag hides the bar that warns about it.
        browser += ["--no-sandbox", "--test-type"]
    subprocess.Popen(browser)
if given.oracle:
    threading.Event().wait()
server.serve_forever()
