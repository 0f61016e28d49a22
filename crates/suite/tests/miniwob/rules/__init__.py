"""Rules: how each task is solved. A rule gets the page, and yields the calls of one reply after another."""

RULES = {}


def rule(*names):
    """Registers a rule for these tasks."""
    def register(function):
        for name in names:
            assert name not in RULES, name
            RULES[name] = function
        return function
    return register


from . import clicks, forms, lists, places  # noqa: E402, F401
