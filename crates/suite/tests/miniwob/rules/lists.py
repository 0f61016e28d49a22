"""Tasks with rows of mails and posts."""
import re

from acts import click, hover, wait, write

from . import rule
from .reveal import reveal


@rule("email-inbox", "email-inbox-noscroll", "email-inbox-delete", "email-inbox-important", "email-inbox-reply",
      "email-inbox-forward", "email-inbox-star-reply")
def act_on_email(page):
    name = re.search("Find the email by (.*?) and (?:click|reply|forward)", page.goal)[1]
    if "click the" in page.goal:
        icon = "trash" if "trash" in page.goal else "star"
        yield from row_click(page, "email-thread", "email-sender", name, icon)
        return
    text = page.bold()[-1]
    act = "reply" if "reply to them" in page.goal else "forward"
    yield from row_click(page, "email-thread", "email-sender", name, "email-body")
    yield wait(0.3)
    yield from reveal(lambda: page.one(id="area"), lambda: page.one("span", of=f"email-{act}"))
    yield click(page.one("span", of=f"email-{act}"))
    yield wait(0.3)
    box = page.one(id="reply-text") if act == "reply" else page.one("input", of="forward-sender")
    yield write(text, box)
    yield click(page.one(id=f"send-{act}"))


def row_click(page, row, column, name, icon, act=click):
    """Clicks an icon in the row with this name, and scrolls to it."""
    def target():
        sender = next(one for one in page.all(of=column) if one.all == name)
        outer = next(one for one in page.all(of=row) if page.is_within(sender, one))
        return next(one for one in page.all(of=icon) if page.is_within(one, outer))

    yield from reveal(lambda: page.one(id="area"), target)
    yield act(target())


@rule("social-media")
def one_post(page):
    user, action = page.bold()
    classes = {"Share via DM": "share", "Copy link to Tweet": "copy", "Embed Tweet": "embed", "Mute": "menu-user",
               "Block": "block-user", "Report": "report", "Reply": "reply", "Retweet": "retweet", "Like": "like"}
    wanted = classes[action]
    if wanted not in ("reply", "retweet", "like"):
        for step in range(3):
            yield from icon_click(page, user, "more")
            if page.find("li", of=wanted):
                break
        yield from row_click(page, "media", "username", user, wanted)
    else:
        yield from icon_click(page, user, wanted)


def icon_click(page, user, icon):
    """Clicks an icon that is another picture under the mouse: a click counts only once that picture is there."""
    yield from row_click(page, "media", "username", user, icon, hover)
    yield from row_click(page, "media", "username", user, icon)


@rule("social-media-some", "social-media-all")
def many_posts(page):
    texts = page.bold()
    action, user = texts[0].lower(), texts[-1]
    mine = [index for index, one in enumerate(page.all("span|div", of="username")) if one.all == user]
    count = int(texts[1]) if len(texts) == 3 else len(mine)
    for index in mine[:count]:
        yield from reveal(lambda: page.one(id="area"), lambda: page.all(of=action)[index])
        yield hover(page.all(of=action)[index])
        yield click(page.all(of=action)[index])
    yield from reveal(lambda: page.one(id="area"), lambda: page.one("button"))
    yield click(page.one("button"))
