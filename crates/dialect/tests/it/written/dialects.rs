//! Replies of the kinds that real models write, both good and bad.

use super::actions;

#[test]
fn nothing_is_done_that_nobody_asked_for() {
    for text in [
        // Nothing to do.
        "",
        "\u{1f4d0}",
        "I'm sorry, I am not able to help with this.",
        "\u{753b}\u{9762}\u{4e2d}\u{592e}\u{6709}\u{4e00}\u{4e2a}\u{201c}\u{4fdd}\u{5b58}\u{201d}\u{6309}\u{94ae}\u{3002}",
        "I will left_click(500, 300) and then type(\"hello\").",
        "1. Open the menu (top right).\n2. Press **Save**.",
        "Action: I clicked on the \"Save\" button.",
        // Repetition.
        "</think>\n</think>\n</think>\n</think>\n",
        "|      |      |      |      |      |",
        "left_click left_click left_click left_click",
        "((((((((((((((((((((((((",
        // Only thoughts.
        "<think>\nleft_click(5, 5)\n</think>\nNothing to do.",
        "<think>left_click(5, 5)\ntype(\"never said\")",
        "left_click(5, 5)\n</think>",
        "Thought: I could do it.\nleft_click(5, 5)",
        "[THINK]\nACTION: left_click(5, 5)\n[/THINK]",
        // Cut off.
        "left_click(120, 34",
        "left_click(120,",
        "type(\"rm -rf /home/u",
        "type('it is",
        "**Action:** `drag(1, 2, 3, 4",
        // Other dialects.
        "{\"action\": \"click\", \"coordinate\": [120, 340]}",
        "{{\"name\": \"left_click\", \"arguments\": {\"x\": 1, \"y\": 2}}}",
        "{'action': 'left_click', 'x': 1, 'y': 2}",
        "<tool_call>\n{\"name\": \"left_click\", \"arguments\": {\"x\": 1}}\n</tool_call>",
        "Action: click(start_box='(120,340)')",
        "Action: click(point='<point>120 340</point>')",
        "Action: click(start_box=\"_payload()\")",
        "```python\nimport os\nos.system('x')\npyautogui.click(100, 200)\n```",
        "do(action=\"Tap\", element=[811, 188])",
        "Action: finished(content='done')",
        // Templates and references.
        "left_click(x, y)",
        "type(text)",
        "left_click(<x>, <y>)",
        "left_click(*p)",
        "left_click(__import__('os').getpid(), 1)",
        "# left_click(5, 5)",
        "executed=[\"left_click(5, 5)\"]",
        // It is unclear what was meant.
        "left_click(5, 5) or left_click(6, 6)",
        "left_click(5, 5) if the dialog is open",
        "type(\"a\"b\", \"c\")",
        "type(hello, 500, 300)",
        "type(hello, x=500, y=300)",
        "type(hello, (500, 300))",
        "left_click(`5`, 5)",
    ] {
        assert_eq!(actions(text), [const { Vec::<String>::new() }; 2], "{text}");
    }
}

#[test]
fn calls_are_found_in_every_dress() {
    let click = "left_click(120, 340)";
    let cases = [
        ("left_click(120, 340)", click),
        ("Action: click(120, 340)<|im_end|>", click),
        ("click(120, 340)[EOS]", click),
        ("click(120, 340)</s>", click),
        ("ACTION: click(120, 340)<end_of_turn>", click),
        ("click(120, 340)<end_of_utterance>", click),
        ("<answer>\nclick(x=120, y=340)\n</answer>", click),
        ("**Action**: `left_click(x=120.0, y=340)`", click),
        ("## Action:\n```python\nleft_click(120, 340)\n```", click),
        ("Thought: I need the menu.\nAction: click(120, 340)", click),
        ("**Thought:** I need the menu.\n\n**Action:** click (120, 340)", click),
        ("The menu is closed.</think>\nclick(120, 340)", click),
        ("<think>click(1, 1)</think>\n\nclick(120, 340)", click),
        ("- click(120, 340) \u{2014} the menu", click),
        ("1) **left_click(120, 340)** (the menu)", click),
        ("Action\u{ff1a}left_click\u{ff08}120\u{ff0c}340\u{ff09}\u{3002}", click),
        ("left_click(\u{ff11}\u{ff12}\u{ff10}, 340)", click),
        ("type(\u{201c}hello\u{201d})", "type(\"hello\")"),
        ("type(\"say \"hello\" to them\")", "type(\"say \\\"hello\\\" to them\")"),
        (
            "type(\"\u{4f60}\u{597d}\u{ff0c}\u{201c}\u{732b}\u{201d}\")",
            "type(\"\u{4f60}\u{597d}\u{ff0c}\u{201c}\u{732b}\u{201d}\")",
        ),
        ("type('cat.jpg\\n')", "type(\"cat.jpg\\n\")"),
        // Names and arguments of other programs.
        ("double_click(5, 5)\nterminate()", "double_left_click(5, 5)"),
        ("tap(120, 340)", click),
        ("left_click([120, 340])", click),
        ("left_click(x: 120, y: 340)", click),
        ("left_click(coordinate=[120, 340])", click),
        ("click(120, 340, button=\"left\")", click),
        ("drag(start_x=1, start_y=2, end_x=3, end_y=4)", "drag(1, 2, 3, 4)"),
        ("drag([1, 2], [3, 4])", "drag(1, 2, 3, 4)"),
        ("type(hello world)", "type(\"hello world\")"),
        ("type(hello, room 12)", "type(\"hello, room 12\")"),
        ("type('don't')", "type(\"don't\")"),
        ("type_text(content='a')", "type(\"a\")"),
        ("hotkey('ctrl', 'c')", "press(\"ctrl+c\")"),
        ("key(\"ctrl+c\")", "press(\"ctrl+c\")"),
        ("scroll(direction=\"down\", amount=3)", "scroll(3)"),
        ("scroll_up(2)", "scroll(-2)"),
        (
            "Action: Scroll(start=(500,800), end=(500,200), direction='down')",
            "scroll(5, 500, 800)",
        ),
        ("wait()", "wait(1)"),
    ];
    for (text, wanted) in cases {
        assert_eq!(actions(text), [[wanted], [wanted]], "{text}");
    }
}

#[test]
fn each_protocol_takes_as_many_calls_as_it_allows() {
    let [lines, sections] = actions("STATUS: executing\nACTION: click(1, 2); type(\"a\")\nclick(3, 4)\nSTORY: I draw.");
    assert_eq!(lines, ["left_click(1, 2)", "type(\"a\")", "left_click(3, 4)"]);
    assert_eq!(sections, ["left_click(1, 2)"]);
}
