"""A model for tests of FRANZ's hands: it knows where everything on a page of MiniWoB++ is, and looks at no picture.

The programs that serve the pages tell it where they can be asked for their elements (`--oracle` of `franz suite import
miniwob`). It acts only by the calls in its replies.
"""
import argparse
import json
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "simulated"))
from server import Answers, handler  # noqa: E402

from episode import Episodes  # noqa: E402
from rules import RULES  # noqa: E402


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--port", type=int, default=0, help="the port; 0 for any free one")
    words.add_argument("--list", action="store_true", help="list the tasks that have a rule, and end")
    given = words.parse_args()
    if given.list:
        print("\n".join(sorted(RULES)))
        return
    episodes = Episodes(RULES)

    class Oracle(handler("oracle", Answers(episodes.reply))):
        def do_POST(self):
            if self.path != "/pages":
                return super().do_POST()
            size = int(self.headers.get("Content-Length", 0))
            place = json.loads(self.rfile.read(size))
            episodes.begin(place["episode"], place["address"])
            self.send(200, {})

    server = ThreadingHTTPServer(("127.0.0.1", given.port), Oracle)
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
