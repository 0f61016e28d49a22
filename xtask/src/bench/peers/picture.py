"""Makes the picture of one turn with the libraries that Python programs use.

Each line on stdin asks for a picture of WIDTH HEIGHT pixels. The answer on stdout is a line with the time in
microseconds and the size of the PNG file in bytes.
"""

import base64
import io
import sys
import time

from PIL import Image

CATMULL_ROM = Image.Resampling.BICUBIC


def mss_grabber():
    import mss

    grab = mss.MSS()
    whole = grab.monitors[0]

    def picture(size):
        shot = grab.grab(whole)
        image = Image.frombytes("RGB", shot.size, shot.bgra, "raw", "BGRX")
        return encoded(fitted(image, size), compress_level=1)

    return picture


def pyautogui_grabber():
    import pyautogui

    def picture(size):
        return encoded(fitted(pyautogui.screenshot().convert("RGB"), size))

    return picture


def fitted(image, size):
    return image if image.size == size else image.resize(size, CATMULL_ROM)


def encoded(image, **options):
    file = io.BytesIO()
    image.save(file, "PNG", **options)
    return file.getvalue()


def main():
    picture = {"mss": mss_grabber, "pyautogui": pyautogui_grabber}[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        width, height = map(int, line.split())
        began = time.perf_counter()
        png = picture((width, height))
        uri = "data:image/png;base64," + base64.b64encode(png).decode()
        took = time.perf_counter() - began
        assert uri
        print(round(took * 1e6), len(png), flush=True)


main()
