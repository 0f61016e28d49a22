//! Runs every family that can act, with its own chat template, in every profile. The server accepts the conversation
//! turn after turn.

use crate::harness::Workplace;
use crate::real_server::speaker::{Calls, Counts, Speaker};

/// The arguments are in the order of the parameters in FRANZ's function, which llama.cpp enforces.
const QWEN: Calls = Calls {
    drag: r#"<tool_call>
{"name": "computer_use", "arguments": {"action": "left_click_drag", "coordinate": [X2, Y2], "start_coordinate": [X1, Y1]}}
</tool_call>"#,
    finish: r#"<tool_call>
{"name": "computer_use", "arguments": {"action": "terminate", "status": "success"}}
</tool_call>"#,
};

/// In text, the arguments are in the order of the prompt.
const QWEN_TEXT: Calls = Calls {
    drag: r#"<tool_call>
{"name": "computer_use", "arguments": {"action": "left_click_drag", "start_coordinate": [X1, Y1], "coordinate": [X2, Y2]}}
</tool_call>"#,
    ..QWEN
};

const QWEN_XML: Calls = Calls {
    drag: "<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click_drag\n</parameter>\n\
           <parameter=coordinate>\n[X2, Y2]\n</parameter>\n<parameter=start_coordinate>\n[X1, Y1]\n</parameter>\n\
           </function>\n</tool_call>",
    finish: "<tool_call>\n<function=computer_use>\n<parameter=action>\nterminate\n</parameter>\n\
             <parameter=status>\nsuccess\n</parameter>\n</function>\n</tool_call>",
};

const QWEN3_VL: Speaker = Speaker {
    model: "qwen3-vl-8b-instruct",
    template: "Qwen3-VL-Instruct",
    counts: Counts::Thousandths,
    thought: "",
    calls: QWEN_TEXT,
    functions: Some(QWEN),
};

const QWEN3_VL_THINKING: Speaker = Speaker {
    model: "qwen3-vl-8b-thinking",
    template: "Qwen3-VL-Thinking",
    thought: "A line is missing.\n</think>\n\n",
    ..QWEN3_VL
};

const QWEN3_5: Speaker = Speaker {
    model: "qwen3.5-4b",
    template: "qwen3.5",
    counts: Counts::Thousandths,
    thought: "A line is missing.\n</think>\n\n",
    calls: QWEN_XML,
    functions: Some(QWEN_XML),
};

const QWEN2_VL: Speaker = Speaker {
    model: "qwen2-vl-7b-instruct",
    template: "qwen2-vl-instruct",
    functions: None,
    ..QWEN3_VL
};

const QWEN2_5_VL: Speaker = Speaker {
    model: "qwen2.5-vl-7b-instruct",
    template: "qwen2.5-vl-instruct",
    counts: Counts::Pixels,
    functions: None,
    ..QWEN3_VL
};

/// The first generation is based on Qwen2-VL and uses its template.
const UI_TARS: Speaker = Speaker {
    model: "ui-tars-7b-dpo",
    template: "qwen2-vl-instruct",
    counts: Counts::Thousandths,
    thought: "",
    calls: Calls {
        drag: "Action: drag(start_box='(X1,Y1)', end_box='(X2,Y2)')",
        finish: "Action: finished(content='There are three lines.')",
    },
    functions: None,
};

/// The next generation is based on Qwen2.5-VL.
const UI_TARS_1_5: Speaker = Speaker {
    model: "ui-tars-1.5-7b",
    template: "qwen2.5-vl-instruct",
    counts: Counts::Pixels,
    ..UI_TARS
};

const GLM_4_1V: Speaker = Speaker {
    model: "glm-4.1v-9b-thinking",
    template: "glm-4.1v-thinking",
    counts: Counts::Thousandths,
    thought: "",
    calls: Calls {
        drag: "<|begin_of_box|>left_drag(start_box='[X1,Y1]', end_box='[X2,Y2]')<|end_of_box|>",
        finish: "<|begin_of_box|>DONE()<|end_of_box|>",
    },
    functions: None,
};

const GLM_4_5V: Speaker = Speaker {
    model: "glm-4.5v",
    template: "glm-4.5v",
    ..GLM_4_1V
};

const KIMI: Speaker = Speaker {
    model: "kimi-k2.5",
    template: "Kimi-K2.5",
    counts: Counts::Fractions,
    thought: "A line is missing.</think>",
    calls: Calls {
        drag: "pyautogui.moveTo(X1, Y1)\npyautogui.dragTo(X2, Y2)",
        finish: "computer.terminate(status='success')",
    },
    functions: None,
};

/// The prompt for this family asks for FRANZ's own calls.
const INTERNVL: Speaker = Speaker {
    model: "internvl3-8b",
    template: "InternVL3",
    counts: Counts::Thousandths,
    thought: "",
    calls: Calls {
        drag: "drag(X1, Y1, X2, Y2)",
        finish: "",
    },
    functions: Some(Calls {
        drag: r#"<tool_call>
{"name": "drag", "arguments": {"from": [X1, Y1], "to": [X2, Y2]}}
</tool_call>"#,
        finish: r#"<tool_call>
{"name": "finish", "arguments": {"answer": "There are three lines.", "success": true}}
</tool_call>"#,
    }),
};

fn in_every_profile(speaker: &Speaker) {
    for profile in ["draw", "sketch", "companion", "operator"] {
        eprintln!("{} in {profile}", speaker.model);
        let course = speaker.run(profile, &[]);
        course.drew_three_lines();
        let native = speaker.functions.is_some() && profile == "operator";
        assert_eq!(course.native_turns(), if native { 4 } else { 0 });
        assert!(
            course.template_shows_tools || !course.sent_functions(),
            "the template never shows the model what it is sent"
        );
    }
}

#[test]
fn qwen3_vl_acts_in_every_profile() {
    in_every_profile(&QWEN3_VL);
}

#[test]
fn qwen3_vl_thinking_acts_in_every_profile() {
    in_every_profile(&QWEN3_VL_THINKING);
}

#[test]
fn qwen3_5_acts_in_every_profile() {
    in_every_profile(&QWEN3_5);
}

#[test]
fn qwen2_5_vl_acts_in_every_profile() {
    in_every_profile(&QWEN2_5_VL);
}

#[test]
fn ui_tars_acts_in_every_profile() {
    in_every_profile(&UI_TARS);
}

#[test]
fn ui_tars_1_5_acts_in_every_profile() {
    in_every_profile(&UI_TARS_1_5);
}

#[test]
fn glm_4_5v_acts_in_every_profile() {
    in_every_profile(&GLM_4_5V);
}

#[test]
fn kimi_acts_in_every_profile() {
    in_every_profile(&KIMI);
}

#[test]
fn qwen2_vl_acts_in_every_profile() {
    in_every_profile(&QWEN2_VL);
}

#[test]
fn glm_4_1v_acts_in_every_profile() {
    in_every_profile(&GLM_4_1V);
}

#[test]
fn internvl_acts_in_every_profile() {
    in_every_profile(&INTERNVL);
}

#[test]
fn a_family_file_asks_for_calls_in_the_text() {
    for (speaker, file) in [
        (QWEN3_VL, include_str!("../../../../dialect/src/families/qwen3-vl.toml")),
        (QWEN3_5, include_str!("../../../../dialect/src/families/qwen3.5.toml")),
    ] {
        let place = Workplace::new();
        std::fs::write(place.path("own.toml"), format!("calls = \"text\"\n{file}")).unwrap();
        let speaker = Speaker {
            functions: None,
            ..speaker
        };
        let course = speaker.run_in(place, "operator", &["--family", "./own.toml"]);
        course.drew_three_lines();
        assert!(!course.sent_functions());
        assert_eq!(course.native_turns(), 0, "{}", speaker.model);
    }
}
