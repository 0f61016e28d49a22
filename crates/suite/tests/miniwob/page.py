"""A page as its elements: where they are on the screen, and what they say."""
import re


class Element:
    def __init__(self, told):
        self.told = told
        self.number, self.tag, self.text, self.all = told["number"], told["tag"], told["text"], told["all"]
        self.x, self.y, self.w, self.h = told["x"], told["y"], told["w"], told["h"]
        self.attributes = told["attributes"]
        self.id = self.attributes.get("id", "")
        self.classes = self.attributes.get("class", "").split()
        self.value, self.checked = told["value"], told["checked"]
        self.is_on_top = told["is_on_top"]
        self.words = told["words"]

    @property
    def middle(self):
        return self.x + self.w / 2, self.y + self.h / 2

    @property
    def right(self):
        return self.x + self.w

    @property
    def bottom(self):
        return self.y + self.h

    def at(self, across, down):
        """The place at these parts of its width and height."""
        return self.x + self.w * across, self.y + self.h * down

    def number_of(self, name, default=0.0):
        """An attribute as a number."""
        try:
            return float(re.match(r"-?[\d.]+", self.attributes.get(name, ""))[0])
        except TypeError:
            return default


class Page:
    def __init__(self):
        self.goal, self.query, self.elements = "", "", []
        self.is_done = self.is_begun = False
        self.scale = 1

    def update(self, told):
        self.goal, self.query = told.get("utterance", ""), told.get("query", "")
        self.is_done, self.is_begun = told.get("is_done", False), told.get("is_begun", False)
        self.scale = told.get("scale", 1)
        self.elements = [Element(one) for one in told.get("elements", [])]

    def all(self, tag=None, text=None, id=None, of=None, within=None, on_top=False, **attributes):
        """The elements that are like this, in the page's order. `of` is a class."""
        def suits(one):
            return ((tag is None or one.tag in tag.split("|")) and (text is None or one.all == text)
                    and (id is None or one.id == id) and (of is None or of in one.classes)
                    and (within is None or self.is_within(one, within)) and (not on_top or one.is_on_top)
                    and all(one.attributes.get(name.replace("_", "-")) == value for name, value in attributes.items()))
        return [one for one in self.elements if suits(one)]

    def one(self, *arguments, **more):
        """The first element that is like this."""
        found = self.all(*arguments, **more)
        if not found:
            raise LookupError(f"there is nothing like {arguments} {more}")
        return found[0]

    def find(self, *arguments, **more):
        """The first element that is like this, or None."""
        return next(iter(self.all(*arguments, **more)), None)

    def parent(self, element):
        number = element.told.get("parent")
        return next((one for one in self.elements if number is not None and one.number == int(number)), None)

    def is_within(self, element, outer):
        while element is not None:
            element = self.parent(element)
            if element is not None and element.number == outer.number:
                return True
        return False

    def quoted(self):
        """The texts in quotes in the goal."""
        return re.findall(r'"([^"]*)"', self.goal)

    def bold(self):
        """The texts in bold in the goal."""
        found = re.findall(r'<span class="bold"[^>]*>(.*?)</span>', self.query)
        return [re.sub(r"<[^>]*>", "", text).replace("&amp;", "&") for text in found]
