"""A simulated vision-language model for tests: it solves small tasks by looking at the pictures that it is sent.

Each answer depends on its request alone. With --blind, every picture is black before anything looks at it.
"""
import argparse

from conversation import Conversation
from plans import plan_for
from server import serve
from steps import Turn, reply_of


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--blind", action="store_true", help="see only black")
    words.add_argument("--port", type=int, default=0, help="the port; 0 for any free one")
    given = words.parse_args()

    def think(request):
        conversation = Conversation(request, given.blind)
        reply = reply_of(plan_for(conversation.goal), Turn(conversation))
        return reply.words, reply.calls

    serve("blind" if given.blind else "competent", think, given.port)


if __name__ == "__main__":
    main()
