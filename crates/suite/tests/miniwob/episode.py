"""Episodes: which page a request is about, and the calls that its rule makes next."""
import json
import re
import threading
import traceback
import urllib.request

import acts
from page import Page

MOST_TRIES = 4
MOST_WAITS = 5


class Episode:
    def __init__(self, rule, address):
        self.rule, self.address = rule, address
        self.page, self.steps = Page(), None
        self.last, self.tries, self.waits = [], 0, 0

    def look(self):
        with urllib.request.urlopen(self.address + "/elements", timeout=30) as answer:
            self.page.update(json.load(answer))

    def next(self, went_well):
        """The calls for the next reply. What FRANZ held is tried again."""
        self.look()
        if self.page.is_done:
            return [acts.finish("The page says that it is done.")]
        if not self.page.is_begun:
            return self.wait()
        failed = [call for call, well in zip(self.last, went_well) if not well]
        if failed and self.tries < MOST_TRIES:
            self.tries += 1
            self.last = failed
            return failed
        self.tries = 0
        try:
            if self.steps is None:
                self.steps = self.rule(self.page)
            calls = next(self.steps)
        except StopIteration:
            return self.wait()
        except Exception:  # A page that a rule did not expect must not end the server.
            traceback.print_exc()
            return [acts.finish("The rule does not understand this page.", False)]
        self.last = calls if isinstance(calls, list) else [calls]
        return self.last

    def wait(self):
        self.waits += 1
        if self.waits > MOST_WAITS:
            return [acts.finish("The rule has no further step.", False)]
        self.last = []
        return [acts.wait(0.5)]


class Episodes:
    def __init__(self, rules):
        self.rules, self.known, self.lock = rules, {}, threading.Lock()

    def begin(self, name, address):
        with self.lock:
            self.known[name] = Episode(self.rules.get(name.rsplit(".", 1)[0]), address)

    def reply(self, request):
        """The words and calls that answer a request."""
        messages = request["messages"]
        goal = next((text(message) for message in messages if message["role"] == "user"), "")
        name = re.search(r"\[([a-z0-9.-]+)\]", goal)
        with self.lock:
            episode = self.known.get(name[1]) if name else None
        if episode is None:
            return "I know no such page.", [acts.finish("There is no page.", False)]
        if episode.rule is None:
            return "I have no rule.", [acts.finish("There is no rule for this task.", False)]
        calls = episode.next(outcomes(messages))
        return "The page says: " + episode.page.goal, calls


def text(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def outcomes(messages):
    """For each call of the last reply, whether it was performed."""
    last = max((i for i, message in enumerate(messages) if message["role"] == "assistant"), default=len(messages))
    results = [text(message) for message in messages[last + 1:] if message["role"] == "tool"]
    return [re.match(r'\s*{"ok":\s*true', result) is not None for result in results]
