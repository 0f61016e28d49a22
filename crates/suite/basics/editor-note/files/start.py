# Opens an empty note in the editor.
import os, zlib
from pathlib import Path


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def open_editor(file, left, top):
    """Starts the editor at this place on the screen, with letters that are large enough to read."""
    settings = Path(".config/glib-2.0/settings/keyfile")
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(
        "[org/xfce/mousepad/preferences/window]\nremember-position=true\npath-in-title=false\n"
        "[org/xfce/mousepad/preferences/view]\nuse-default-monospace-font=false\nfont-name='DejaVu Sans Mono 14'\n"
        f"[org/xfce/mousepad/state/window]\nwidth=uint32 680\nheight=uint32 460\nleft=uint32 {left}\ntop=uint32 {top}\n"
    )
    fonts = Path(".config/gtk-3.0/settings.ini")
    fonts.parent.mkdir(parents=True, exist_ok=True)
    fonts.write_text("[Settings]\ngtk-font-name=DejaVu Sans 13\n")
    os.environ["GSETTINGS_BACKEND"] = "keyfile"
    os.environ["XDG_CONFIG_HOME"] = os.path.abspath(".config")
    os.execvp("mousepad", ["mousepad", file])


Path("note.txt").write_text("")
left = 20 if pick("sides", 2) else 800
open_editor("note.txt", left + pick("x", 60), 30 + pick("y", 330))
