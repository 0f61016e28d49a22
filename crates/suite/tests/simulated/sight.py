"""What the model sees: lines of text, coloured shapes, fields and windows in one picture."""
import io
import re
from difflib import SequenceMatcher
from functools import cached_property

import cv2
import numpy
from PIL import Image
from rapidocr_onnxruntime import RapidOCR

import letters

READER = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1, use_cls=False)
WIDE = str.maketrans("，。：；（）？！【】“”", ",.:;()?![]\"\"")
ALIKE = str.maketrans({"l": "i", "1": "i", "|": "i", "!": "i", "0": "o"})
HUES = {"red": (0, 8), "orange": (12, 25), "yellow": (26, 34), "green": (45, 75), "blue": (100, 130),
        "purple": (140, 160)}  # In OpenCV's half degrees.


class NotSeen(Exception):
    """The picture does not show what the model looks for."""


class Box:
    """A rectangle of the picture, in pixels; right and bottom are just outside."""

    def __init__(self, left, top, right, bottom):
        self.left, self.top, self.right, self.bottom = int(left), int(top), int(right), int(bottom)

    @property
    def width(self):
        return self.right - self.left

    @property
    def height(self):
        return self.bottom - self.top

    @property
    def middle(self):
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, other):
        x, y = other.middle
        return self.left <= x < self.right and self.top <= y < self.bottom

    def grown(self, by):
        return Box(max(0, self.left - by), max(0, self.top - by), self.right + by, self.bottom + by)

    def __repr__(self):
        return f"({self.left}, {self.top}, {self.right}, {self.bottom})"


class Line(Box):
    """A line of text that the reader found."""

    def __init__(self, corners, text):
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        super().__init__(min(xs), min(ys), max(xs) + 1, max(ys) + 1)
        self.text = text.translate(WIDE).strip()

    def part(self, words):
        """The part of the line with these words, by their share of the letters."""
        whole, part = plain(self.text), plain(words)
        at = whole.find(part)
        if at < 0 or not whole:
            return self
        step = self.width / len(whole)
        return Box(self.left + at * step, self.top, self.left + (at + len(part)) * step, self.bottom)


def plain(text):
    """The letters and digits of a text, without the differences that the reader often mistakes."""
    return re.sub(r"[\W_]+", "", text.lower().translate(ALIKE))


def likeness(one, other):
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


class Sight:
    """One picture, and what there is to see in it."""

    def __init__(self, png, blind=False):
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        self.pixels = numpy.array(picture)
        if blind:
            self.pixels[:] = 0
        self.height, self.width = self.pixels.shape[:2]

    @cached_property
    def grey(self):
        return cv2.cvtColor(self.pixels, cv2.COLOR_RGB2GRAY)

    # Shapes.

    def shapes(self, mask, least=100):
        """The connected parts of a mask as boxes with their number of pixels, largest first."""
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(numpy.uint8), connectivity=4)
        found = [(int(n), Box(x, y, x + w, y + h)) for x, y, w, h, n in stats[1:count] if n >= least]
        return sorted(found, key=lambda shape: -shape[0])

    @cached_property
    def windows(self):
        """The windows: what is not the black desktop."""
        mask = cv2.morphologyEx((self.grey > 8).astype(numpy.uint8), cv2.MORPH_CLOSE, numpy.ones((9, 9)))
        return [box for _, box in self.shapes(mask, 10_000)]

    def window_of(self, box):
        for window in self.windows:
            if window.holds(box):
                return window
        raise NotSeen("the window")

    def coloured(self, name, pale=False):
        """The largest shape of this colour; `pale` for the light colours of paper."""
        hue, full, light = cv2.split(cv2.cvtColor(self.pixels, cv2.COLOR_RGB2HSV))
        low, high = HUES[name]
        strength = (full > 15) & (full < 120) if pale else full > 150
        shapes = self.shapes((hue >= low) & (hue <= high) & strength & (light > 90))
        if not shapes:
            raise NotSeen(f"something {name}")
        return shapes[0][1]

    def frame_around(self, box):
        """The smallest dark frame around a box."""
        shapes = [shape for _, shape in self.shapes(self.grey < 60)
                  if shape.holds(box) and shape.width > box.width + 10 and shape.height > box.height + 10
                  and shape.width < self.width * 0.9]
        if not shapes:
            raise NotSeen("a frame around the word")
        return min(shapes, key=lambda shape: shape.width * shape.height)

    def field_right_of(self, label):
        """The white field at the height of a label, to its right."""
        fields = [box for box in self.fields if box.left >= label.right - 4 and box.top < label.middle[1] < box.bottom]
        if not fields:
            raise NotSeen(f"the field right of '{getattr(label, 'text', label)}'")
        return min(fields, key=lambda box: box.left)

    def field_left_of(self, label):
        fields = [box for box in self.fields if box.right <= label.left + 4 and box.top < label.middle[1] < box.bottom]
        if not fields:
            raise NotSeen(f"the field left of '{getattr(label, 'text', label)}'")
        return max(fields, key=lambda box: box.right)

    def field_below(self, label):
        fields = [box for box in self.fields if box.top > label.middle[1] and box.left < label.right
                  and box.right > label.left]
        if not fields:
            raise NotSeen(f"the field below '{getattr(label, 'text', label)}'")
        return min(fields, key=lambda box: box.top)

    @cached_property
    def fields(self):
        """White rectangles in the size of a field for one line of text."""
        found = []
        for count, box in self.shapes(self.pixels.min(axis=2) > 250, 800):
            if 22 <= box.height <= 70 and box.width >= 70 and count > 0.6 * box.width * box.height:
                found.append(box)
        return found

    # Text.

    @cached_property
    def lines(self):
        """All lines of text, from top to bottom. Only the part with windows is read."""
        if not self.windows:
            return []
        area = Box(min(w.left for w in self.windows), min(w.top for w in self.windows),
                   max(w.right for w in self.windows), max(w.bottom for w in self.windows))
        found, _ = READER(self.crop(area))
        lines = [Line([(x + area.left, y + area.top) for x, y in corners], text) for corners, text, _ in found or []]
        return sorted(lines, key=lambda line: (line.top, line.left))

    def crop(self, box):
        """The pixels of a box, as the reader wants them (blue first)."""
        return numpy.ascontiguousarray(self.pixels[box.top:box.bottom, box.left:box.right, ::-1])

    def every(self, words, within=None):
        """All lines with these words, the likeliest first."""
        wanted = plain(words)
        marked = []
        for line in self.lines:
            if within and not within.holds(line):
                continue
            text = plain(line.text)
            close = abs(len(text) - len(wanted)) <= len(wanted) // 8
            score = 2 if text == wanted else close and likeness(text, wanted)
            if wanted in text:
                score = max(score, 1 + len(wanted) / (len(text) + 1))
            if score > 0.8:
                marked.append((score, line))
        marked.sort(key=lambda pair: -pair[0])
        return [line for _, line in marked]

    def find(self, words, within=None):
        """The line that says these words, or the part of it that does."""
        found = self.every(words, within)
        if not found:
            raise NotSeen(f"'{words}'")
        line = found[0]
        return line if plain(line.text) == plain(words) else line.part(words)

    def match(self, pattern, within=None):
        """The first line that matches a pattern, and its match, or nothing."""
        for line in self.lines:
            found = re.search(pattern, line.text, re.IGNORECASE)
            if found and (not within or within.holds(line)):
                return line, found
        return None, None

    def exactly(self, words):
        """The line, or the beginning of a line, with exactly these words."""
        for line in self.lines:
            if re.match(re.escape(words) + r"(\W|\d|$)", line.text):
                return line if line.text == words else line.part(words)
        raise NotSeen(f"'{words}'")

    def sees(self, words, within=None):
        return bool(self.every(words, within))

    def inside(self, box):
        return [line for line in self.lines if box.holds(line)]

    def rows(self, box):
        """The lines in a box; what stands side by side, such as the columns of a list, is one line."""
        joined = []
        for line in self.inside(box):
            last = joined[-1] if joined else None
            if last and last.top <= line.middle[1] < last.bottom:
                left, right = sorted([last, line], key=lambda part: part.left)
                corners = [(left.left, min(left.top, right.top)), (right.right - 1, max(left.bottom, right.bottom) - 1)]
                joined[-1] = Line(corners, f"{left.text} {right.text}")
            else:
                joined.append(line)
        return joined

    def read(self, line):
        """The exact text of a line, letter by letter if that is sure, or else by its words."""
        text, cost = letters.read(self.grey, line)
        return text if cost < letters.SURE else self.spaced(line)

    def spaced(self, line):
        """The text of a line with its spaces, which the reader often leaves out: they are wide gaps in the picture."""
        parts = self.parts(line)
        if len(parts) < 2:
            return line.text
        words = [self.word(part) for part in parts]
        whole = line.text.replace(" ", "")
        if sum(map(len, words)) == len(whole):
            ends = numpy.cumsum([0] + [len(word) for word in words])
            words = [whole[start:end] for start, end in zip(ends, ends[1:])]
        return " ".join(word for word in words if word)

    def word(self, box):
        """One word, read on its own and enlarged."""
        crop = cv2.resize(self.crop(box.grown(3)), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        found, _ = READER(crop, use_det=False, use_cls=False)
        return found[0][0].translate(WIDE).replace(" ", "") if found else ""

    def parts(self, line, share=0.24):
        """The parts of a line between gaps that are wider than this share of its height."""
        ink = self.ink(line).any(axis=0)
        columns = numpy.flatnonzero(ink)
        if not len(columns):
            return []
        breaks = numpy.flatnonzero(numpy.diff(columns) > share * line.height) + 1
        groups = numpy.split(columns, breaks)
        return [Box(line.left + g[0], line.top, line.left + g[-1] + 1, line.bottom) for g in groups]

    def ink(self, box):
        """Where a box differs from its most common grey."""
        grey = self.grey[box.top:box.bottom, box.left:box.right].astype(int)
        paper = numpy.bincount(grey.ravel(), minlength=256).argmax()
        return abs(grey - paper) > 60
