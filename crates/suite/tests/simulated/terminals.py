"""Plans for terminals."""
import re

from sight import Box, NotSeen


def terminal(turn):
    """The inside of the terminal's window, and its lines, letter by letter."""
    window = turn.sight.window_of(turn.sight.find("Terminal"))
    inside = Box(window.left, window.top + 22, window.right, window.bottom)
    return inside, [turn.sight.read(line) for line in turn.sight.rows(inside)]


def terminal_command(turn):
    """Type the command that stands below the words that ask for it."""
    inside, lines = terminal(turn)
    if turn.did("type the command") and any("noted" in line for line in lines):
        turn.finish(f"The command was typed: {turn.talk.noted('command')}")
    asks = next((i for i, line in enumerate(lines) if "type this command" in line), None)
    if asks is None or asks + 1 >= len(lines):
        raise NotSeen("a command in the terminal")
    if turn.did("type the command"):
        turn.wait(1, "The command has not ended yet.", tries=3)
    command = lines[asks + 1].strip()
    turn.step("type the command", turn.hand.type(command, inside, enter=True),
              notes={"command": command.replace('"', "'")})


def terminal_install(turn):
    """Answer the installer's newest question."""
    inside, lines = terminal(turn)
    if not lines:
        raise NotSeen("a question in the terminal")
    text = "\n".join(lines)
    if "installer is done" in text:
        turn.finish("The installer is done.")
    answers = [("answer that it shall be installed", r"nstall it\?", "y"),
               ("choose the language", r"Number of the language", language_number(turn, text)),
               ("keep the folder", r"Folder \[", ""),
               ("type the word", r"Type \S+ to confirm", word_to_confirm(text)),
               ("say that it is right", r"s this right\?", "y")]
    for name, question, answer in reversed(answers):
        if re.search(question, text) and answer is not None:
            call = turn.hand.type(answer, inside, enter=True) if answer else turn.hand.press("enter")
            turn.step(name, call, why=f"The terminal shows: {lines}", tries=2)
    raise NotSeen("a question that I know")


def language_number(turn, text):
    language = re.search(r"language (\w+)", turn.goal).group(1)
    found = re.search(rf"(\d)\s*=\s*{language}", text)
    return found.group(1) if found else None


def word_to_confirm(text):
    found = re.search(r"Type (\S+) to confirm", text)
    return found.group(1) if found else None


def terminal_rename(turn):
    """Rename the files that the yellow note names."""
    sight = turn.sight
    inside, lines = terminal(turn)
    note = sight.coloured("yellow", pale=True)
    pairs = [re.match(r"(\S+\.txt)\s*to\s*(\S+\.txt)", sight.read(line)) for line in sight.rows(note)]
    pairs = [pair.groups() for pair in pairs if pair]
    if len(pairs) < 3:
        raise NotSeen("three files to rename on the note")
    commands = "".join(f"mv {old} {new}\n" for old, new in pairs)
    turn.once("rename the files", turn.hand.type(commands + "ls\n", inside), why=f"The note says: {pairs}")
    shown = " ".join(lines)
    if all(shown.count(new) > 1 for _, new in pairs):  # Once in the command, and once in the list of files.
        turn.finish("The three files have their new names.")
    turn.wait(1, "I do not see all the new names yet.", tries=3)
