//! Calls that models write into their text.

use franz_dialect::{NoCall, Protocol, ReplyText, Scene};

use crate::tools::{call, kinds, performed, protocol, reported, results, written};

#[test]
fn calls_in_every_form() {
    const ARGUMENTS: &str = r#"{"label":"Save","box":[120,80]}"#;
    const CLICK: &str = r#"{"name":"click_element","arguments":{"label":"Save","box":[120,80]}}"#;
    let cases = [
        format!("<tool_call>{CLICK}</tool_call>"),
        format!("I save it.\n<tool_call>\n{CLICK}\n</tool_call>\n"),
        format!("<tool_call>\n{CLICK}"),
        format!("<tool_call>{CLICK}\nNow I wait for the result."),
        format!("<tool_call>{CLICK}\n- done"),
        format!("<tool_call>\n{CLICK}\n<tool_call>"),
        format!("<tool_call>\n{CLICK}}}\n</tool_call>"),
        format!("<tool_call>\n{}\n</tool_call>", &CLICK[..CLICK.len() - 1]),
        format!("<tool_call>\n{}", &CLICK[..CLICK.len() - 2]),
        format!("<tool_call>\n```json\n{CLICK}\n```\n</tool_call>"),
        format!("<tool_call>\n```tool_call\n{CLICK}\n```\n</tool_call>"),
        format!("<tool_call>[{CLICK}]</tool_call>"),
        format!("<think>Where is it? <tool_call>{{}}</tool_call></think><tool_call>{CLICK}</tool_call>"),
        format!("Thought: save\n<tool_call>{CLICK}</tool_call>"),
        format!("Thought: save\n{CLICK}"),
        format!("Thought: save\nit\n[{CLICK}]"),
        "<tool_call>{'name': 'click_element', 'arguments': {'label': 'Save', 'box': (120, 80),},}</tool_call>".into(),
        r#"<tool_call>{{"name": "click_element", "arguments": {{"label": "Save", "box": [120, 80]}}}}</tool_call>"#.into(),
        r#"<tool_call>{"name": "click_element", "args": "{\"label\": \"Save\", \"box\": [120, 80]}"}</tool_call>"#.into(),
        r#"<tool_call>{"type": "function", "function": {"name": "click_element", "parameters": {"label": "Save", "box": [120, 80]}}}</tool_call>"#.into(),
        "<tool_call>{“name”: “click_element”, “arguments”: {“label”: “Save”，“box”：［120, 80］}}</tool_call>".into(),
        "<tool_call>{\"name\": \"click_element\", \"arguments\": {\"label\": \"Save\nas\", \"box\": [120, 80]}}</tool_call>".into(),
        r#"<tool_call>{"name":"click_element","arguments":{"label":"a \ud800 </tool_call>","box":[120,80]}}</tool_call>"#.into(),
        "<tool_call>\n<function=click_element>\n<parameter=label>\nSave\n</parameter>\n<parameter=box>\n[120, 80]\n</parameter>\n</function>\n</tool_call>".into(),
        "<function=click_element><parameter=box>[120, 80]</parameter><parameter=label>5</parameter></function>".into(),
        "<tool_call><function=click_element><parameter=label>Save</parameter><parameter=box>[[110, 70], [130, 90]]</parameter></tool_call>".into(),
        format!("Saving.\n```json\n{CLICK}\n```"),
        format!("```\n{CLICK}\n```\nThen I look."),
        format!("```JSON {CLICK}```"),
        format!("```json\n[{CLICK}]\n```"),
        format!("```python\nprint('{{}}')\n```\n```json\n{CLICK}\n```"),
        CLICK.into(),
        format!("[{CLICK}]"),
        format!("\n  {CLICK}  \n"),
        format!("I save it.\n\n{CLICK}"),
        format!("<think>hm</think>{CLICK}"),
        r#"{"name": "click_element", "parameters": {"label": "Save", "box": [120, 80]}"#.into(),
        "<tool_call>{\"name\": \"click_element\", // the button\n\"arguments\": {\"label\": \"Save\", \"box\": [120, 80]}}</tool_call>".into(),
        format!("{{\"tool_name\": \"functions.click_element\", \"tool_args\": {ARGUMENTS}}}"),
        format!("click_element({ARGUMENTS})"),
        format!("{{\"type\": \"tool_use\", \"name\": \"click_element\", \"input\": {ARGUMENTS}}}"),
        format!("<function=click_element>{ARGUMENTS}</function>"),
        format!("<tool_call>\n<function=click_element>\n{ARGUMENTS}\n</function>\n</tool_call>"),
        format!("{CLICK}<end_of_turn>\n<end_of_turn>"),
        format!("I save it.\n{CLICK}\n<eos>"),
        format!("{CLICK}<turn|>"),
        format!("{CLICK}</s>"),
        format!("[{CLICK}]<|im_end|>"),
        format!("{CLICK}<|eot_id|>"),
        format!("{CLICK}<end_of_utterance>\n"),
        format!("{CLICK}<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>"),
        format!("<answer>\n{CLICK}\n</answer>"),
        format!("{CLICK}\n```"),
        format!("{CLICK};"),
        format!("I save it.\n{CLICK}\n</tool_call>"),
        format!("I save it.\n{}</tool_call>", &CLICK[..CLICK.len() - 3]),
        format!("Thought: save. [TOOL_REQUEST]{CLICK}[END_TOOL_REQUEST]"),
    ];
    for text in cases {
        assert_eq!(performed(&written(&text)), ["left_click(120, 80)"], "{text}");
    }
}

#[test]
fn unreadable_calls_are_reported_and_never_taken_as_answers() {
    let cases = [
        (
            r#"<tool_call>{"name": "type_text", "arguments": {"text": "never ended"#,
            "invalid_json",
        ),
        (
            r#"<tool_call>{"name": "type_text", "arguments": {"text": "say "hi" now"}}</tool_call>"#,
            "invalid_json",
        ),
        (
            r#"<tool_call>{"name": "type_text", "arguments": {"text": "C:\Users\nick"}}</tool_call>"#,
            "invalid_json",
        ),
        (
            r#"<tool_call>{"name": "drag", "arguments": {"x1": 1, "y1": 2, "x2": 3, "y2": 4"#,
            "invalid_json",
        ),
        (
            r#"<tool_call>{"name": "scroll_at_position", "arguments": {}}, "direction": "up"}</tool_call>"#,
            "invalid_json",
        ),
        ("<tool_call>click_element(\"OK\", [1, 2])</tool_call>", "invalid_json"),
        ("I click now. <tool_call>", "invalid_json"),
        (
            r#"<tool_call>{"action": "left_click", "coordinate": [107, 37]}</tool_call>"#,
            "unknown_tool",
        ),
        (
            r#"<tool_call>{"name": "open_app", "arguments": {"app": "mail"}}</tool_call>"#,
            "unknown_tool",
        ),
        ("<function=wait><parameter=seconds>1", "invalid_json"),
        ("<function=wait>1</function>", "invalid_json"),
        ("<function=wait>{\"seconds\": 1} or so</function>", "invalid_json"),
        ("<function=wait>{\"seconds\": 1}", "invalid_json"),
        ("<function=wait><parameter=seconds>1</parameter>", "invalid_json"),
        ("<function=wait", "invalid_json"),
        (
            "<tool_call><function=wait><parameter=seconds>soon</parameter></function></tool_call>",
            "invalid_args",
        ),
        ("<tool_call><function=teleport></function></tool_call>", "unknown_tool"),
        (
            "```json\n{\"name\": \"wait\", \"arguments\": {\"seconds\": soon}}\n```",
            "invalid_json",
        ),
        (
            "```json\n{\"name\": \"open_app\", \"arguments\": {}}\n```",
            "unknown_tool",
        ),
        (r#"{"name": "open_app", "arguments": {}}"#, "unknown_tool"),
        (r#"{"name": "wait", "arguments": {"seconds": soon}}"#, "invalid_json"),
        (
            r#"{"name": "wait", "arguments": {"seconds": 1}} Please wait."#,
            "invalid_json",
        ),
        (r#"{"name": "wait", "arguments": {"sec"#, "invalid_json"),
        (
            "I wait.\n{\"name\": \"wait\", \"arguments\": {\"seconds\": soon}}",
            "invalid_json",
        ),
        (
            "I wait.\n\n[\n  {'name' : 'wait', 'arguments': {'seconds'",
            "invalid_json",
        ),
        (
            "I wait.\n{\"name\": \"wait\", \"arguments\": {\"seconds\": 1}}\nThen I look.",
            "invalid_json",
        ),
        (
            "See [1].\n[1] The log.\n{\"function\": {\"name\": \"wait\", \"arguments\": {\"seconds\": 1}}}",
            "invalid_json",
        ),
        (
            "Thought: I wait.\n{\"name\": \"wait\", \"arguments\": {\"seconds\": soon}}",
            "invalid_json",
        ),
        // A closing tag or mark can end a quotation, and a turn that goes on was not written for this screen.
        (
            "<example>\n{\"name\": \"wait\", \"arguments\": {\"seconds\": 1}}\n</example>",
            "invalid_json",
        ),
        (
            "```xml\n{\"name\": \"wait\", \"arguments\": {\"seconds\": 1}}\n```",
            "invalid_json",
        ),
        (
            "{\"name\": \"wait\", \"arguments\": {\"seconds\": 1}}<end_of_turn>\n{\"name\": \"observe_screen\"}",
            "invalid_json",
        ),
    ];
    for (text, kind) in cases {
        let plan = written(text);
        assert_eq!(kinds(&plan), [kind], "{text}");
        assert_eq!((plan.actions().count(), plan.finish), (0, None), "{text}");
        assert_eq!(plan.no_call, Some(NoCall::Unreadable), "{text}");
    }
}

#[test]
fn plain_words_are_not_a_call_and_finish_nothing() {
    for text in [
        "I would call click_element now.",
        "```json\n{\"name\": \"Ada\", \"age\": 36}\n```",
        "```json\n{\"total\": 42}\n```",
        "```json\n{\"name\": \"mail\", \"input\": \"a@b.c\"}\n```",
        "```python\nclick_element(\"OK\", [1, 2])\n```",
        r#"{"total": 42}"#,
        r#"I found this: {"name": "wait", "arguments": {}}"#,
        "The tool calls of the log:\n{\"name\": \"open_app\", \"arguments\": {}}",
        r#"{"name": "wait_long", "age": 5}"#,
        "[1] The file is saved.",
        "Nothing < or { or [ here } is a call.",
        "```",
        "The buttons:\n[x] name: \"wait\"\n[ ] name: 'move'",
        "The file:\n{\"name\": \"Ada\", \"wait\": soon}\nIt has an error.",
        "It says:\n{wait}\nand \"drag\" by name.",
        "Thought: it is saved.\n\nThe file is saved.",
    ] {
        let plan = written(text);
        assert_eq!((plan.steps.len(), plan.finish), (0, None), "{text}");
        assert_eq!(plan.no_call, Some(NoCall::Words(text.to_owned())));
    }
}

#[test]
fn thoughts_alone_are_not_words() {
    for text in [
        "Thought: I should look.",
        "**Thought:** I should look.\nThen I click.",
        "<think>hm</think>\nReasoning: I wait.\n",
        "Thought: {\"name\": \"wait\", \"arguments\": {\"seconds\": 1}}",
    ] {
        let plan = written(text);
        assert_eq!((plan.steps.len(), plan.finish.as_ref()), (0, None), "{text}");
        assert_eq!(plan.no_call, Some(NoCall::Unreadable), "{text}");
        assert!(
            plan.feedback(&[], &Scene::default()).starts_with("Nothing was done"),
            "{text}"
        );
    }
}

#[test]
fn calls_are_taken_out_of_the_text_that_is_kept() {
    let cases = [
        (
            "Look.\n<tool_call>{\"name\":\"observe_screen\"}</tool_call>\nThen act.",
            "Look.\n\nThen act.",
        ),
        (
            "<think>why</think>\n<tool_call>{\"name\":\"observe_screen\"}",
            "<think>why</think>",
        ),
        (
            "Now <tool_call> <function=observe_screen> </function> </tool_call>",
            "Now",
        ),
        ("Now\n```json\n{\"name\":\"observe_screen\"}\n```\n", "Now"),
        ("Now\n{\"name\":\"observe_screen\"}\n", "Now"),
        (
            "a <tool_call>{\"name\":\"observe_screen\"}</tool_call> b <tool_call>{\"name\":\"wait\"}</tool_call> c",
            "a  b  c",
        ),
        ("<tool_call>nothing</tool_call>", ""),
    ];
    for (text, left) in cases {
        let spoken = written(text).spoken.unwrap();
        assert_eq!(spoken.text.as_deref(), Some(left), "{text}");
        assert!(!spoken.calls.is_empty());
    }
    let text = "<tool_call><function=type_text>\n<parameter=text>\n\n 5 \n\n</parameter>\n<parameter=times>2</parameter></function></tool_call>";
    let calls = written(text).spoken.unwrap().calls;
    assert_eq!(calls[0].arguments, r#"{"text":"\n 5 \n","times":"2"}"#);
}

#[test]
fn several_calls_are_read_in_order() {
    let cases = [
        "<tool_call>{\"name\":\"observe_screen\"}</tool_call><tool_call>{\"name\":\"observe_screen\"}</tool_call>",
        "<tool_call>{\"name\":\"observe_screen\"}<tool_call>{\"name\":\"observe_screen\"}</tool_call>",
        "<tool_call>{\"name\":\"observe_screen\"}\n{\"name\":\"observe_screen\"}</tool_call>",
        "<tool_call><function=observe_screen></function><function=observe_screen></function></tool_call>",
        "```json\n[{\"name\":\"observe_screen\"}, {\"name\":\"observe_screen\"}]\n```",
        "{\"name\":\"observe_screen\"}\n{\"name\":\"observe_screen\"}",
        // An opening tag is missing, or both are.
        "<tool_call>{\"name\":\"observe_screen\"}</tool_call>\n{\"name\":\"observe_screen\"}\n</tool_call>",
        "{\"name\":\"observe_screen\"}</tool_call><tool_call>{\"name\":\"observe_screen\"}</tool_call>",
        "{\"name\":\"observe_screen\"}\n</tool_call>\n{\"name\":\"observe_screen\"}\n</tool_call>",
        "<tool_call>{\"name\":\"observe_screen\"}</tool_call>\n{\"name\":\"observe_screen\"}<|im_end|>",
    ];
    for text in cases {
        assert_eq!(kinds(&written(text)), ["ok", "ok"], "{text}");
    }
    let result = "<tool_call>{\"name\":\"observe_screen\"}</tool_call>\n{\"ok\": true}\n</tool_call>";
    assert_eq!(kinds(&written(result)), ["ok"]);
    let untagged =
        "<tool_call>{\"name\":\"observe_screen\"}</tool_call>{\"name\":\"wait\", \"arguments\": soon}</tool_call>";
    assert_eq!(kinds(&written(untagged)), ["ok", "invalid_json"]);
    let broken = "<tool_call>{\"name\":\"observe_screen\"}</tool_call><tool_call>broken</tool_call>";
    assert_eq!(kinds(&written(broken)), ["ok", "invalid_json"]);
}

#[test]
fn no_cut_performs_an_incomplete_call() {
    let replies = [
        "Go. <tool_call>{\"name\":\"drag\",\"arguments\":{\"x1\":100,\"y1\":200,\"x2\":300,\"y2\":400}}</tool_call> \
         <tool_call>{\"name\":\"wait\",\"arguments\":{\"seconds\":12}}</tool_call>",
        "<tool_call>\n<function=wait>\n<parameter=seconds>\n12\n</parameter>\n</function>\n</tool_call>\n\
         <tool_call>\n<function=wait>\n<parameter=seconds>\n12\n</parameter>\n</function>\n</tool_call>",
        "```json\n[{\"name\":\"wait\",\"arguments\":{\"seconds\":12}},{\"name\":\"wait\",\"arguments\":{\"seconds\":12}}]\n```",
        "{\"name\":\"wait\",\"arguments\":{\"seconds\":12}}\n{\"name\":\"wait\",\"arguments\":{\"seconds\":12}}",
    ];
    for text in replies {
        let whole = performed(&written(text));
        assert_eq!(whole.len(), 2, "{text}");
        for end in 0..=text.len() {
            let cut = ReplyText {
                cut: true,
                ..ReplyText::of(&text[..end])
            };
            let plan = protocol().read(&cut);
            let actions = performed(&plan);
            assert!(
                whole.starts_with(&actions) && actions.len() < plan.steps.len().max(1),
                "{}",
                cut.text
            );
            assert_eq!(plan.finish, None);
            // The server might not report the cut. Even then, nothing runs that is not a call of the whole reply.
            let actions = performed(&written(&text[..end]));
            assert!(whole.starts_with(&actions), "{}", cut.text);
        }
    }
}

/// A click as the templates of other models write it, with tokens that a server has left in the text.
const LEAKED: [&str; 22] = [
    r#"[TOOL_CALLS]click_element[CALL_ID]abc123xyz[ARGS]{"label": "Save", "box": [120, 80]}"#,
    r#"<|tool_call_start|>[{"name": "click_element", "arguments": {"label": "Save", "box": [120, 80]}}]<|tool_call_end|>"#,
    "<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}><\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>click_element<\u{ff5c}tool\u{2581}sep\u{ff5c}>{\"label\": \"Save\", \"box\": [120, 80]}<\u{ff5c}tool\u{2581}call\u{2581}end\u{ff5c}><\u{ff5c}tool\u{2581}calls\u{2581}end\u{ff5c}>",
    "<\u{ff5c}DSML\u{ff5c}tool_calls>\n<\u{ff5c}DSML\u{ff5c}invoke name=\"click_element\">\n<\u{ff5c}DSML\u{ff5c}parameter name=\"label\" string=\"true\">Save</\u{ff5c}DSML\u{ff5c}parameter>\n<\u{ff5c}DSML\u{ff5c}parameter name=\"box\" string=\"false\">[120, 80]</\u{ff5c}DSML\u{ff5c}parameter>\n</\u{ff5c}DSML\u{ff5c}invoke>\n</\u{ff5c}DSML\u{ff5c}tool_calls>",
    "<start_function_call>call:click_element{label:<escape>Save<escape>,box:[120,80]}<end_function_call>",
    r#"[TOOL_CALLS]click_element[ARGS]{"label": "Save", "box": [120, 80]}"#,
    r#"<|tool_call>call:click_element{label:<|"|>Save<|"|>,box:[120,80]}<tool_call|>"#,
    r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.click_element:0<|tool_call_argument_begin|>{"label":"Save","box":[120,80]}<|tool_call_end|><|tool_calls_section_end|>"#,
    "<tool_call>click_element\n<arg_key>label</arg_key>\n<arg_value>Save</arg_value>\n<arg_key>box</arg_key>\n<arg_value>[120, 80]</arg_value>\n</tool_call>",
    r#"<|channel|>commentary to=functions.click_element <|constrain|>json<|message|>{"label":"Save","box":[120,80]}<|call|>"#,
    r#"<|start|>assistant to=functions.click_element<|channel|>commentary json<|message|>{"label":"Save","box":[120,80]}<|call|>"#,
    r#"<|python_tag|>{"name": "click_element", "parameters": {"label": "Save", "box": [120, 80]}}"#,
    r#"[TOOL_REQUEST]{"name": "click_element", "arguments": {"label": "Save", "box": [120, 80]}}[END_TOOL_REQUEST]"#,
    "[TOOL_REQUEST]\n{\"name\": \"click_element\", \"arguments\": {\"label\": \"Save\", \"box\": [120, 80]}}\n[END_TOOL_REQUEST]",
    "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"click_element\", \"parameters\": {\"label\": \"Save\", \"box\": [120, 80]}}\n]<|END_ACTION|>",
    "<|start|>assistant to=click_element<|message|><atem:function_calls>\n<atem:invoke name=\"click_element\">\n<atem:parameter name=\"label\">Save</atem:parameter>\n<atem:parameter name=\"box\">[120, 80]</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>",
    "<\u{ff5c}tool_calls_begin\u{ff5c}>\n<\u{ff5c}tool_call_begin\u{ff5c}>function<\u{ff5c}tool_sep\u{ff5c}><steptml:invoke name=\"click_element\">\n<steptml:parameter name=\"label\">Save</steptml:parameter>\n<steptml:parameter name=\"box\">[120, 80]</steptml:parameter>\n</steptml:invoke><\u{ff5c}tool_call_end\u{ff5c}>\n<\u{ff5c}tool_calls_end\u{ff5c}>",
    r#"<|open|>tools<|sep|><|open|>call tool="click_element" index="1"<|sep|><|open|>argument key="label" type="string"<|sep|>Save<|close|>argument<|sep|><|open|>argument key="box" type="array"<|sep|>[120, 80]<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"#,
    r#"<|open|>tools<|sep|><|open|>call tool="click_element" index="1"<|sep|><|open|>json type="object"<|sep|>{"label": "Save", "box": [120, 80]}<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"#,
    "<tool_calls>\n<tool_call>click_element<tool_sep>\n<arg_key>label</arg_key>\n<arg_value>Save</arg_value>\n<arg_key>box</arg_key>\n<arg_value>[120, 80]</arg_value>\n</tool_call>\n</tool_calls>",
    "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"click_element\">]<]minimax[>[<label>Save]<]minimax[>[</label>]<]minimax[>[<box>]<]minimax[>[<item>120]<]minimax[>[</item>]<]minimax[>[<item>80]<]minimax[>[</item>]<]minimax[>[</box>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
    "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"click_element\">]<]minimax[>[<label>Save]<]minimax[>[</label>]<]minimax[>[<box>[120, 80]]<]minimax[>[</box>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
];

#[test]
fn leaked_special_tokens_do_not_prevent_reading() {
    for text in LEAKED {
        let plan = written(&format!("I save it.\n{text}\n"));
        assert_eq!(performed(&plan), ["left_click(120, 80)"], "{text}");
        let kept = plan.spoken.and_then(|spoken| spoken.text);
        assert_eq!(kept.as_deref(), Some("I save it."), "{text}");
    }
}

#[test]
fn nothing_is_kept_of_a_list_between_tokens() {
    let call = r#"{"name": "click_element", "arguments": {"label": "Save", "box": [120, 80]}}"#;
    for text in [
        format!("<|tool_call_start|>[{call}, {call}]<|tool_call_end|>"),
        format!("[TOOL_CALLS][{call}, {call}]"),
    ] {
        let plan = written(&format!("I save it.\n{text}\n"));
        assert_eq!(performed(&plan).len(), 2, "{text}");
        let kept = plan.spoken.and_then(|spoken| spoken.text);
        assert_eq!(kept.as_deref(), Some("I save it."), "{text}");
    }
}

#[test]
fn the_same_tokens_around_other_calls_do_nothing() {
    for text in LEAKED {
        // The meaning of the numbers in another program's function is unknown.
        for other in ["computer", "click_at", "tap"] {
            let foreign = text.replace("click_element", other);
            assert_eq!(performed(&written(&foreign)).len(), 0, "{foreign}");
            let both = format!("{text}\n{foreign}");
            assert_eq!(performed(&written(&both)).len(), 0, "{both}");
        }
        let cut = ReplyText {
            cut: true,
            ..ReplyText::of(text)
        };
        assert_eq!(performed(&protocol().read(&cut)).len(), 0, "{text}");
        for (end, _) in text.char_indices() {
            let cut = ReplyText {
                cut: true,
                ..ReplyText::of(&text[..end])
            };
            assert_eq!(performed(&protocol().read(&cut)).len(), 0, "{cut:?}");
        }
    }
    let said =
        "The server answers with to=functions.click_element, as I said, and then <|channel|>final<|message|>Done.";
    assert_eq!(performed(&written(said)).len(), 0);
    // Muse shows the user what a call looks like.
    let shown = "<|start|>assistant to=user<|message|>I could write\n<atem:invoke name=\"observe_screen\">\n</atem:invoke><|eom|>";
    assert_eq!(performed(&written(shown)).len(), 0);
    assert_eq!(
        performed(&written(&shown.replace("to=user", "to=observe_screen"))).len(),
        1
    );
}

#[test]
fn every_call_of_a_list_in_code_is_read() {
    let list = r#"[click_element(label="OK", box=[500, 300]), type_text(text="hi"), press_key(key="enter")]"#;
    let done = ["left_click(500, 300)", "type(\"hi\")", "press(\"enter\")"];
    for text in [
        list.to_owned(),
        format!("<|python_start|>{list}<|python_end|>"),
        format!("```tool_code\n{list}\n```"),
        list.trim_matches(['[', ']']).to_owned(),
    ] {
        let plan = written(&text);
        assert_eq!(performed(&plan), done, "{text}");
        let kept = plan.spoken.and_then(|spoken| spoken.text).unwrap();
        assert!(!kept.contains(['[', ',']), "{kept}");
    }
    let behind = |call: &str| {
        kinds(&written(&format!(
            "[click_element(label=\"OK\", box=[500, 300]), {call}]"
        )))
    };
    assert_eq!(behind("finish(answer=\"done\")"), ["ok", "not_yet"]);
    assert_eq!(behind("observe_screen()"), ["ok", "ok"]);
    assert_eq!(behind("press_key(\"enter\")"), ["ok", "invalid_json"]);
    let amid = written("click_element(label=\"OK\", box=[500, 300]) and then type_text(text=\"hi\")");
    assert_eq!(kinds(&amid), ["ok", "invalid_json"]);
}

#[test]
fn a_call_of_gemma_is_read_without_its_tokens() {
    let cases: [(&str, &[&str]); 14] = [
        ("call:click_element{label:Save,box:[120,80]}", &["ok"]),
        (
            "I save it.\n  call:click_element{box:[120, 80], label:Save as}<turn|>",
            &["ok"],
        ),
        ("call:observe_screen{}call:press_key{key:ctrl+s}", &["ok", "ok"]),
        ("call:scroll_at_position{direction:down,amount:3}\n", &["ok"]),
        // A turn that goes on was not written for this screen.
        (
            "call:wait{seconds:1}<turn|>call:wait{seconds:2}",
            &["ok", "invalid_json"],
        ),
        (
            "call:wait{seconds:1}<turn|>\ncall:wait{seconds:2}",
            &["ok", "invalid_json"],
        ),
        (
            "call:wait{seconds:1}<turn|>\ncall:wait{seconds:2}\ncall:wait{seconds:3}",
            &["ok", "invalid_json", "invalid_json"],
        ),
        (
            "call:wait{seconds:1}\n<turn|>\ncall:wait{seconds:2}",
            &["ok", "invalid_json"],
        ),
        (
            "call:wait{seconds:1}\nDone.<turn|>\n<|turn>model\ncall:wait{seconds:2}",
            &["ok", "invalid_json"],
        ),
        (
            "call:finish{answer:done}<turn|>\ncall:wait{seconds:2}",
            &["invalid_json", "invalid_json"],
        ),
        // Nobody knows where such a text ends, or which of the values is meant.
        ("call:type_text{text:a, b,enter:true}", &["invalid_json"]),
        ("call:finish{answer:done}", &["invalid_json"]),
        (
            "call:click_element{label:Go,box:[1,2],box:[3,4]} now",
            &["invalid_json"],
        ),
        ("call:wait{seconds:1} and call:wait{seconds:2}", &["invalid_json"]),
    ];
    for (text, wanted) in cases {
        let plan = written(text);
        assert_eq!(kinds(&plan), wanted, "{text}");
        assert_eq!(plan.finish, None, "{text}");
    }
    for words in ["I would write call:wait{seconds:1} here.", "call:tap{x:1,y:2}"] {
        assert_eq!(written(words).steps.len(), 0, "{words}");
    }
}

#[test]
fn the_reason_why_a_call_cannot_be_read_is_told() {
    const QUOTES: &str = "write a backslash before each quote inside a string";
    const TWICE: &str = "in a string, write \\\\ for a backslash and \\n for a line break";
    const FOLLOWED: &str = "put nothing after the call; write any words before it";
    let said = r#"{"name": "type_text", "arguments": {"text": "say "hi" now"}}"#;
    let path = r#"{"name": "type_text", "arguments": {"text": "C:\Users\nick"}}"#;
    let wait = r#"{"name": "wait", "arguments": {"seconds": 1}}"#;
    for (text, wanted) in [
        (said.to_owned(), QUOTES),
        (format!("I type.\n{said}"), QUOTES),
        (format!("<tool_call>{said}</tool_call>"), QUOTES),
        (format!("```json\n{said}\n```"), QUOTES),
        (path.to_owned(), TWICE),
        (format!("<tool_call>{path}</tool_call>"), TWICE),
        (r#"type_text(text="say "hi")")"#.to_owned(), QUOTES),
        (r#"type_text(text="C:\Users\nick")"#.to_owned(), TWICE),
        (format!("{wait}\n\nThis will close the dialog."), FOLLOWED),
        (format!("I wait.\n{wait}\nThen I look."), FOLLOWED),
    ] {
        let results = results(&written(&text));
        assert_eq!(results[0]["error"]["message"], wanted, "{text}");
    }
    let reported = results(&reported(&call("type_text", r#"{"text": "say "hi" now"}"#)));
    assert_eq!(reported[0]["error"]["message"], QUOTES);
    // A label is never typed.
    let label = r#"{"name": "click_element", "arguments": {"label": "C:\Users\nick", "box": [120, 80]}}"#;
    assert_eq!(kinds(&written(label)), ["ok"]);
}

#[test]
fn calls_behind_a_made_up_result_are_left() {
    const WAIT: &str = r#"<tool_call>{"name":"wait","arguments":{"seconds":1}}</tool_call>"#;
    let cases: [(String, &[&str]); 6] = [
        (
            format!("{WAIT}<tool_response>ok</tool_response>{WAIT}{WAIT}"),
            &["ok", "not_yet", "not_yet"],
        ),
        (format!("{WAIT}\nObservation: ok\n{WAIT}"), &["ok", "not_yet"]),
        (
            "call:wait{seconds:1}<turn|>\n<|turn>user\nok<turn|>\n<|turn>model\ncall:wait{seconds:1}".to_owned(),
            &["ok", "not_yet"],
        ),
        (format!("{WAIT}<think>\nObservation: ok\n</think>{WAIT}"), &["ok", "ok"]),
        (format!("Observation: ok\n{WAIT}\nI go on.\n{WAIT}"), &["ok", "ok"]),
        (format!("<tool_response>ok</tool_response>{WAIT}"), &["ok"]),
    ];
    for (text, wanted) in cases {
        assert_eq!(kinds(&written(&text)), wanted, "{text}");
    }
}

#[test]
fn a_call_with_a_thought_inside_is_left() {
    for text in [
        r#"<tool_call>{"name":"type_text","arguments":{"text":"a <think>b</think> c"}}</tool_call>"#,
        "<function=type_text><parameter=text>\nThoughts: great product\n</parameter></function>",
        r#"<tool_call>{"name":"finish","arguments":{"answer":"a <think>b</think> c"}}</tool_call>"#,
    ] {
        let plan = written(text);
        assert_eq!(performed(&plan), [""; 0], "{text}");
        assert_eq!(kinds(&plan), ["invalid_args"], "{text}");
        assert!(plan.finish.is_none(), "{text}");
    }
}
