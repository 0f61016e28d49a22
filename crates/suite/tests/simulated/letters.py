"""Reads a line letter by letter, with its accents and spaces: compares it with letters drawn in common fonts.

The reader of `sight` knows no accents. Here, every letter of Latin-1 and Latin Extended-A is drawn in a few fonts and
sizes and laid over the line, and the row of letters with the least difference wins.
"""
import unicodedata
from functools import lru_cache

import cv2
import numpy
from PIL import Image, ImageDraw, ImageFont

FOLDER = "/usr/share/fonts/truetype/dejavu/"
FONTS = [("DejaVuSans.ttf", size, 8) for size in (22, 20, 18)]
FONTS += [("DejaVuSansMono.ttf", size, 8) for size in (22, 20, 19)] + [("DejaVuSansMono.ttf", 19, 1)]
PLAIN = [chr(code) for code in range(32, 127)]
MARGIN = 4  # How far above and below its expected place a line may stand.
SURE = 5  # The most that a letter of a line may differ, on average.
PER_LETTER = 0.6
PER_GAP = 1.5
PER_BLANK = 0.12


def is_letter(char):
    return unicodedata.category(char)[0] in "LNPS"


LATIN = PLAIN + [chr(code) for code in range(0xA1, 0x180) if is_letter(chr(code))] + list("€–—‘’“”„…•★")


@lru_cache(maxsize=None)
def drawn(name, size, fine, wide):
    """Each letter with its picture: as wide as its step to the next letter, and as high as a line.

    Letters are drawn larger by the factor `fine`, then made smaller, so that their edges are soft.
    """
    font = ImageFont.truetype(FOLDER + name, size * fine, layout_engine=ImageFont.Layout.BASIC)
    plain = ImageFont.truetype(FOLDER + name, size, layout_engine=ImageFont.Layout.BASIC)
    above, below = (part // fine + 1 for part in font.getmetrics())
    letters = []
    for char in LATIN if wide else PLAIN:
        step = max(1, round(plain.getlength(char)))
        picture = Image.new("L", (step * fine, (above + below) * fine), 0)
        ImageDraw.Draw(picture).text((0, above * fine), char, font=font, fill=255, anchor="ls")
        small = picture.resize((step, above + below), Image.Resampling.BOX)
        letters.append((char, step, numpy.array(small, dtype=numpy.float32) / 255))
    return letters


def strip(grey, box, height):
    """The line's part of the picture as ink from 0 to 1, with some room around it."""
    middle = (box.top + box.bottom) // 2
    top, left = middle - height // 2 - MARGIN, max(0, box.left - 6)
    part = grey[max(0, top):max(0, top) + height + 2 * MARGIN, left:box.right + 5].astype(numpy.float32)
    paper = int(numpy.bincount(part.astype(numpy.uint8).ravel(), minlength=256).argmax())
    ink = paper - part if part.mean() <= paper else part - paper
    ink = numpy.clip(ink / max(60, ink.max()), 0, 1).astype(numpy.float32)
    ink[:, (ink > 0.3).mean(axis=0) > 0.95] = 0  # The edge of a window is no letter.
    missing = [(0, max(0, height + 2 * MARGIN - ink.shape[0])), (0, max(0, 2 * height - ink.shape[1]))]
    return numpy.pad(ink, missing)


def rows(ink, letters):
    """For each step width, the least difference at each place and the letter that has it."""
    best = {}
    for number, (_, step, picture) in enumerate(letters):
        difference = cv2.matchTemplate(ink, picture, cv2.TM_SQDIFF)
        least, which = best.setdefault(step, (difference.copy(), numpy.zeros(difference.shape, int) + number))
        better = difference < least
        least[better] = difference[better]
        which[better] = number
    return best


def chain(gaps, best, row):
    """The cheapest row of letters over the whole width: its cost and its letters."""
    width = len(gaps)
    cost = [0.0] + [numpy.inf] * width
    back = [None] * (width + 1)
    steps = [(step, least[row].tolist(), which[row].tolist()) for step, (least, which) in best.items()]
    for x in range(width):
        here = cost[x]
        if here + gaps[x] < cost[x + 1]:
            cost[x + 1], back[x + 1] = here + gaps[x], (x, None)
        for step, least, which in steps:
            if x + step <= width and here + least[x] + PER_LETTER < cost[x + step]:
                cost[x + step], back[x + step] = here + least[x] + PER_LETTER, (x, which[x])
    numbers, x = [], width
    while x:
        x, number = back[x]
        numbers.append(number)
    return cost[width], numbers[::-1]


def spell(ink, letters):
    """The likeliest text, and its cost."""
    best = rows(ink, letters)
    height = letters[0][2].shape[0]
    found = []
    for row in range(ink.shape[0] - height + 1):
        gaps = (ink[row:row + height] ** 2).sum(axis=0)
        gaps = gaps + numpy.where(gaps > 0.1, PER_GAP, PER_BLANK)
        found.append(chain(gaps.tolist(), best, row))
    cost, numbers = min(found, key=lambda pair: pair[0])
    return "".join(letters[number][0] for number in numbers if number is not None).strip(), cost


def read(grey, box):
    """The text of a line, and its cost for each of its letters: below `SURE`, it is most likely right."""
    tried = []
    for font in FONTS:
        letters = drawn(*font, False)
        text, cost = spell(strip(grey, box, len(letters[0][2])), letters)
        tried.append((cost / max(1, len(text)), font))
    letters = drawn(*min(tried)[1], True)
    text, cost = spell(strip(grey, box, len(letters[0][2])), letters)
    return text, cost / max(1, len(text))
