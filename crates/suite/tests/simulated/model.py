"""A simulated vision-language model for tests: it solves small tasks by looking at the pictures that it is sent.

Each answer depends on its request alone. With --blind, every picture is black before anything looks at it. With --rote,
it looks at nothing: it repeats, turn by turn, what --record has written for the same goal.
"""
import argparse
import json

from conversation import Conversation
from plans import plan_for
from rote import Rote
from server import serve
from steps import Turn, reply_of


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--blind", action="store_true", help="see only black")
    words.add_argument("--record", metavar="FILE", help="write each reply to this file")
    words.add_argument("--rote", metavar="FILE", help="repeat the replies of this file")
    words.add_argument("--port", type=int, default=0, help="the port; 0 for any free one")
    given = words.parse_args()

    def think(request):
        conversation = Conversation(request, given.blind)
        reply = reply_of(plan_for(conversation.goal), Turn(conversation))
        if given.record:
            line = {"goal": conversation.goal, "first": conversation.is_first, "words": reply.words, "calls": reply.calls}
            with open(given.record, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return reply.words, reply.calls

    if given.rote:
        serve("rote", Rote(given.rote).think, given.port)
    serve("blind" if given.blind else "competent", think, given.port)


if __name__ == "__main__":
    main()
