"""The plan for each kind of goal. A plan looks at the picture and at the steps so far, and takes the next step."""
import canvases
import dialogs
import editors
import shops
import terminals

PLANS = [
    ("The canvas shows some boxes", canvases.dots),
    ("noughts and crosses", canvases.board),
    ("an empty frame", canvases.shade),
    ("discs and a box", dialogs.drag_disc),
    ("two sliders", dialogs.drag_sliders),
    ("Two windows each ask a question", dialogs.dialog_confirm),
    ("order form", dialogs.dialog_form),
    ("'Phone list'", dialogs.scroll_list),
    ("'Terms of use'", dialogs.scroll_form),
    ("'Phrase'", dialogs.unicode_phrase),
    ("into the field Greek", dialogs.unicode_fields),
    ("'Oven'", dialogs.wait_collect),
    ("'Send me a code'", dialogs.wait_code),
    ("A dialog lists cities", dialogs.dialog_row),
    ("The terminal shows a command", terminals.terminal_command),
    ("An installer asks questions", terminals.terminal_install),
    ("files to rename", terminals.terminal_rename),
    ("misspelled", editors.editor_typo),
    ("a message of three lines", editors.editor_note),
    ("a list of four expenses", editors.editor_total),
    ("with the most stars", shops.shop_search),
    ("the cheapest", shops.shop_cheapest),
    ("go to the checkout", shops.shop_checkout),
    ("Put the two things", shops.shop_two_items),
]


def plan_for(goal):
    """The plan whose words the goal has."""
    for words, plan in PLANS:
        if words in goal:
            return plan
    return lambda turn: turn.give_up("I know no way to reach this goal.")
