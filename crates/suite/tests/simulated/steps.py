"""Steps: the words and calls of one reply. A step begins with its name, so that the model finds it in its story."""
import traceback

from sight import NotSeen

MOST_TRIES = 3


class Reply(Exception):
    """A finished reply. Raised, so that a plan can end in the middle."""

    def __init__(self, words, calls):
        super().__init__(words)
        self.words, self.calls = words, calls


class Hand:
    """Makes calls from boxes in the picture, in thousandths of its size."""

    def __init__(self, sight):
        self.sight = sight

    def point(self, where):
        x, y = where.middle if hasattr(where, "middle") else where
        return [round(x * 1000 / self.sight.width), round(y * 1000 / self.sight.height)]

    def click(self, label, where, **more):
        return "click_element", {"label": label, "box": self.point(where), **more}

    def type(self, text, where=None, **more):
        return "type_text", {"text": text, **({"box": self.point(where)} if where else {}), **more}

    def press(self, key, **more):
        return "press_key", {"key": key, **more}

    def scroll(self, where, amount, direction="down"):
        return "scroll_at_position", {"box": self.point(where), "direction": direction, "amount": amount}

    def drag(self, start, end):
        return "drag", {"from": self.point(start), "to": self.point(end)}

    def wait(self, seconds):
        return "observe_screen", {"seconds": seconds}


class Turn:
    """One turn: what the model knows, and the ways to end the turn with a reply."""

    def __init__(self, conversation):
        self.talk, self.sight, self.goal = conversation, conversation.sight, conversation.goal
        self.hand = Hand(self.sight)

    def did(self, name):
        return self.talk.did(name)

    def step(self, name, *calls, why="", notes=None, tries=MOST_TRIES):
        """Takes a step, unless it was already taken too often."""
        if self.talk.count(name) >= tries:
            self.give_up(f"I tried to {name} {tries} times, without success.")
        words = [f"Step: {name}.", why] + [f'Noted {key}: "{value}"' for key, value in (notes or {}).items()]
        raise Reply("\n".join(filter(None, words)), list(calls))

    def once(self, name, *calls, **more):
        """Takes a step if it was not taken yet."""
        if not self.did(name):
            self.step(name, *calls, **more)

    def wait(self, seconds, why, tries=12):
        self.step("wait", self.hand.wait(seconds), why=why, tries=tries)

    def finish(self, answer):
        raise Reply(f"Step: finish. {answer}", [("finish", {"answer": answer, "success": True})])

    def give_up(self, why):
        raise Reply(f"Step: give up. {why}", [("finish", {"answer": why, "success": False})])


def reply_of(plan, turn):
    """The reply to which a plan leads."""
    try:
        plan(turn)
        turn.give_up("My plan has no further step.")
    except Reply as reply:
        return reply
    except NotSeen as missing:
        return look_again(turn, f"I do not see {missing} yet.")
    except Exception as wrong:  # What a plan did not expect in a picture must not end the server.
        traceback.print_exc()
        return look_again(turn, f"I do not understand this picture: {wrong!r:.200}")


def look_again(turn, why):
    try:
        turn.step("look again", turn.hand.wait(1), why=why, tries=4)
    except Reply as reply:
        return reply
