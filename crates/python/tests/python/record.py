"""Records what CPython 3.11 does with every case, as a reference for the tests: `python3.11 record.py`.

`lines/*.py` contain one case per line. In `blocks/*.py`, each case starts with a line `#: name`. The result is
`recorded.json`.
"""

import builtins
import io
import json
import pathlib
import sys
import traceback
import warnings

HERE = pathlib.Path(__file__).parent
SAFE = (
    "abs all any bool chr dict divmod enumerate filter float format hex int isinstance iter len list map max"
    " min next oct ord pow print range repr reversed round set sorted str sum tuple zip"
).split()
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}
MOST_ACTIONS = 500
IMPORT = "'import' is not available here. Use the tools and the built-in functions."


def number(tool, name, value):
    if not isinstance(value, (int, float)):
        raise TypeError(f"{tool}() argument '{name}' must be a number, not {type(value).__name__}")
    return int(value + 0.5) if isinstance(value, float) else int(value)


def tools(actions):
    def left_click(x, y):
        actions.append(f"left_click({number('left_click', 'x', x)}, {number('left_click', 'y', y)})")

    def right_click(x, y):
        actions.append(f"right_click({number('right_click', 'x', x)}, {number('right_click', 'y', y)})")

    def drag(x1, y1, x2, y2):
        given = zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2))
        actions.append(f"drag({', '.join(str(number('drag', name, value)) for name, value in given)})")

    def type(text):
        if not isinstance(text, str):
            raise TypeError(f"type() argument 'text' must be str, not {builtins.type(text).__name__}")
        actions.append(f"type({json.dumps(text, ensure_ascii=False)})")

    def observe():
        actions.append("observe()")

    found = {tool.__name__: tool for tool in (left_click, right_click, drag, type, observe)}
    for tool in found.values():
        tool.__qualname__ = tool.__name__
        tool.__module__ = None
    return found | {"click": left_click}


def names(actions):
    exceptions = {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, builtins.type) and issubclass(value, BaseException)
    }
    safe = {name: getattr(builtins, name) for name in SAFE} | exceptions
    return {"__builtins__": safe} | tools(actions)


def frames(error):
    """Returns the case's own lines that an exception passed. As in newer versions, a comprehension is not a frame."""
    found = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<case>"]
    return [frame.lineno for frame in found if frame.name not in COMPREHENSIONS]


def describe(error):
    kind, message = type(error).__name__, str(error).replace("__import__ not found", IMPORT)
    lines = frames(error)
    if isinstance(error, SyntaxError) and not lines:
        message, lines = error.msg, [error.lineno] if error.lineno else []
    return {"message": f"{kind}: {message}" if message else kind, "lines": lines}


def run(source):
    actions, output, real = [], io.StringIO(), sys.stdout
    error = None
    sys.stdout = output
    try:
        exec(compile(source, "<case>", "exec"), names(actions))
    except BaseException as caught:
        error = describe(caught)
    finally:
        sys.stdout = real
    assert len(actions) <= MOST_ACTIONS, source
    return {"source": source, "actions": actions, "output": output.getvalue(), "error": error}


def cases():
    for path in sorted((HERE / "lines").glob("*.py")):
        for source in path.read_text().split("\n"):
            if source and not source.startswith("#"):
                yield source
    for path in sorted((HERE / "blocks").glob("*.py")):
        for part in path.read_text().split("\n#: ")[1:]:
            yield part.split("\n", 1)[1]


def has_syntax_error(case):
    return case["error"] and case["error"]["message"].startswith("SyntaxError")


KNOWN = {
    case["source"]: case["error"]
    for case in json.loads((HERE / "recorded.json").read_text())
    if has_syntax_error(case)
}


def in_the_words_of_the_parser(case):
    """Keeps the recorded syntax errors: most are worded by the parser, which also points at their position."""
    if has_syntax_error(case) and case["source"] in KNOWN:
        return case | {"error": KNOWN[case["source"]]}
    return case


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    assert sys.version_info[:2] == (3, 11), "the recorded texts are those of CPython 3.11"
    recorded = [in_the_words_of_the_parser(run(source)) for source in cases()]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in recorded)
    (HERE / "recorded.json").write_text(f"[\n{lines}\n]\n")
    print(len(recorded), "cases")
