//! Results that a model wrote itself instead of waiting for the real ones.

use franz_action::Outcome;

use crate::label;
use crate::plan::{Intent, PlanStep, ReplySpan};

/// Why a call behind such a result is not performed. The screen that it was meant for never existed.
pub(crate) const IMAGINED: &str = "you made up the result before it; stop after a call and wait for its real result";

/// What begins a result, or a turn of anybody but the model, in the templates of models and in FRANZ's own feedback.
const MARKS: [&str; 26] = [
    "<tool_response",
    "<|tool_response",
    "<tool_result",
    "<function_result",
    "<start_function_response",
    "[TOOL_RESULTS]",
    "<\u{ff5c}tool\u{2581}output",
    "<\u{ff5c}tool_output",
    "<|START_TOOL_RESULT|>",
    "<|observation|>",
    "<|user|>",
    "<|im_start|>user",
    "<|im_start|>tool",
    "<|im_user|>",
    "<|start_header_id|>user",
    "<|start_header_id|>tool",
    "<|start_header_id|>ipython",
    "<start_of_turn>user",
    "<|turn>user",
    "<|turn>tool",
    "<|start|>user",
    "<|start|>functions.",
    "<|start|>tool",
    "<|USER_TOKEN|>",
    "<end_of_utterance>\nUser:",
    "EXECUTOR_FEEDBACK",
];

/// Checks whether the text between two calls contains a result.
pub(crate) fn is_result(between: &str) -> bool {
    // The two characters `\n` can stand for a line break.
    let mut lines = between.split('\n').flat_map(|line| line.split("\\n"));
    MARKS.iter().any(|mark| between.contains(mark))
        || lines.any(|line| label::of(line).is_some_and(label::is_observation))
}

/// Leaves the calls in a reply's text that follow a result.
pub(crate) fn leave(steps: &mut [PlanStep], masked: &str) {
    let (mut end, mut imagined): (Option<usize>, bool) = (None, false);
    for step in steps {
        let ReplySpan::Text(span) = &step.span else { continue };
        let between = end.replace(span.end).and_then(|end| masked.get(end..span.start));
        imagined |= between.is_some_and(is_result);
        if imagined {
            step.intent = Intent::Leave(Outcome::Ignored(Some(IMAGINED.to_owned())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_from_other_words() {
        for between in [
            "</tool_call>\n<tool_response>\nThe menu opened.\n</tool_response>\n<tool_call>",
            "\nObservation: The menu opened.\nThought: Now I click Delete.\nAction: ",
            "\n**Observation 2:** The menu opened.\n",
            " Observation: The menu opened. Action: ",
            "\\nObservation: The menu opened.\\nAction: ",
            "\nTool result: ok\n",
            "\n\u{89c2}\u{5bdf}\u{ff1a}\u{597d}\n",
            "<|im_end|>\n<|im_start|>user\nok<|im_end|>\n",
            "<|observation|>ok",
            "<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\nok<|eot_id|>",
            "<end_of_turn>\n<start_of_turn>user\nok<end_of_turn>\n",
            "<turn|>\n<|turn>user\nok<turn|>\n<|turn>model\n",
            "<|turn>tool\nok<turn|>\n",
            "<|call|><|start|>user<|message|>ok<|end|>",
            "<|call|><|start|>functions.wait to=assistant<|channel|>commentary<|message|>ok<|end|>",
            "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>ok",
            "<|END_ACTION|><|START_TOOL_RESULT|>[]<|END_TOOL_RESULT|>",
            "<\u{ff5c}tool_output_begin\u{ff5c}>ok",
            "<end_of_utterance>\nUser: ok<end_of_utterance>\nAssistant: ",
            "\nEXECUTOR_FEEDBACK:\nexecuted=[]\n",
        ] {
            assert!(is_result(between), "{between}");
        }
        for between in [
            "",
            "</tool_call>\n<tool_call>",
            "\nThought: After this observation: I go on.\nAction: ",
            "\nMy observations of the page led to this.\nAction: ",
            "\n\nNext:\n",
            "<|im_end|>",
            "<|im_end|>\n<|im_start|>assistant\n",
            "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
            "<end_of_turn>\n<start_of_turn>model\n",
            "<turn|>\n<|turn>model\n",
            "<|call|><|start|>assistant",
            "<end_of_utterance>\nAssistant: ",
        ] {
            assert!(!is_result(between), "{between}");
        }
    }
}
