# An installer that asks four questions and then whether the answers are right. It writes the answers to install.txt.
import os, zlib
from pathlib import Path


def pick(word, n):
    """Returns a number from 0 to n-1 that depends only on the seed and the word."""
    return zlib.crc32(f"{os.environ['SUITE_SEED']}/{word}".encode()) % 65521 % n


def shuffle(word, n):
    """Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word."""
    return sorted(range(n), key=lambda i: pick(f"{word}-{i}", 65521))


languages = ["Dutch", "English", "French", "German", "Italian", "Polish", "Spanish"]
shown = [languages[i] for i in shuffle("language", 7)]
birds = ["heron", "merlin", "osprey", "plover", "robin", "siskin", "thrush", "wagtail"]
word = f"{birds[pick('bird', 8)]}{100 + pick('number', 900)}"


def ask(question, is_good):
    """Asks a question until the answer is good, and returns the answer."""
    while True:
        answer = input(question + " ").strip()
        if is_good(answer):
            return answer
        print("Please answer again.")


def one_of(*answers):
    return lambda answer: answer.lower() in answers


while True:
    os.system("clear")
    print("Kestrel is not installed yet.\n")
    install = ask("Install it? [y/n]", one_of("y", "n")).lower()
    print("\n" + "  ".join(f"{i}={name}" for i, name in enumerate(shown, 1)))
    number = ask("Number of the language:", one_of(*"1234567"))
    folder = input("\nFolder [/opt/kestrel]: ").strip() or "/opt/kestrel"
    given = ask(f"\nType {word} to confirm:", bool)
    language = shown[int(number) - 1]
    print(f"\nInstall: {install}\nLanguage: {language}\nFolder: {folder}\nConfirmed with: {given}\n")
    if ask("Is this right? [y/n]", one_of("y", "n")).lower() == "y":
        break
Path("install.new").write_text(f"{install}\n{language}\n{folder}\n{given}\n")
os.replace("install.new", "install.txt")
input("\nThe installer is done. You can leave this window open. ")
