"""A model that repeats recorded replies: what solved a task with one seed, down to the coordinates."""
import json

from conversation import Conversation


class Rote:
    def __init__(self, path):
        self.replies = {}  # The replies of the first recorded run, by goal.
        runs = {}
        self.turns = {}
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                goal = line["goal"]
                runs[goal] = runs.get(goal, 0) + line["first"]
                if runs[goal] == 1:
                    self.replies.setdefault(goal, []).append((line["words"], line["calls"]))

    def think(self, request):
        conversation = Conversation(request)
        replies = self.replies[conversation.goal]
        turn = 0 if conversation.is_first else self.turns[conversation.goal] + 1
        self.turns[conversation.goal] = turn
        return replies[min(turn, len(replies) - 1)]
