"""The request as the model understands it: the goal, its own earlier words, the results, and the newest picture."""
import base64
import re

from sight import Sight


def parts(message):
    """The parts of a message as a list, also if it is only text."""
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text_of(message):
    return "\n".join(part["text"] for part in parts(message) if part.get("type") == "text")


def pictures_of(message):
    urls = [part["image_url"]["url"] for part in parts(message) if part.get("type") == "image_url"]
    return [base64.b64decode(url.split(",", 1)[1]) for url in urls if url.startswith("data:image/")]


class Conversation:
    def __init__(self, request, blind=False):
        messages = request["messages"]
        self.goal = next((text_of(m) for m in messages if m["role"] == "user"), "")
        self.story = [text_of(m) for m in messages if m["role"] == "assistant"]
        self.is_first = not any(words.startswith("Step: ") for words in self.story)
        self.went_well = self.outcomes(messages)
        self.sight = self.newest(messages, blind)

    @staticmethod
    def newest(messages, blind):
        for message in reversed(messages):
            pictures = pictures_of(message)
            if pictures:
                return Sight(pictures[-1], blind)
        raise ValueError("the request has no picture")

    @staticmethod
    def outcomes(messages):
        """For each of the model's replies, whether all its calls were performed."""
        outcomes = []
        for message in messages:
            if message["role"] == "assistant":
                outcomes.append(True)
            elif message["role"] == "tool" and outcomes:
                outcomes[-1] = outcomes[-1] and re.match(r'\s*{"ok":\s*true', text_of(message)) is not None
        return outcomes

    # Its own words are the model's only memory.

    def count(self, step):
        """How often the model has tried this step."""
        return sum(words.startswith(f"Step: {step}.") for words in self.story)

    def did(self, step):
        """Whether the model has taken this step, and all of it was performed."""
        return any(words.startswith(f"Step: {step}.") and well for words, well in zip(self.story, self.went_well))

    def noted(self, name):
        """What the model last noted under this name."""
        found = re.findall(rf'Noted {re.escape(name)}: "([^"\n]*)"', "\n".join(self.story))
        return found[-1] if found else None
