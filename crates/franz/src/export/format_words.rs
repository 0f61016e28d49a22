//! The words of the formats themselves, which a redaction leaves in place: without them, nothing could read an export.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The names of members in FRANZ's records and exports, and in the requests and responses of the chat API.
const NAMES: &str = "\
    act acted acting action actions additionalProperties adopted agent answer answered_by area arguments as_sent \
    asked at attachments attempt attempts axes beside broken by bytes cache_prompt cached cached_tokens calls \
    capture change chat_template_kwargs choices clock completed_at completion completion_tokens \
    completion_tokens_details config content context count created cut dataset decided delta description detail \
    difference effect elements encode end enum epoch error errors eval eval_id events exchanges exit_code failed \
    family feedback file file_goal finish finish_reason first first_byte_ms forked_from found franz \
    frequency_penalty fresh function goal groups head headers heard height held id image image_url include_usage \
    index input input_tokens input_tokens_cache_read items joined json kept_from last last_action last_event line \
    live logit_bias logprobs look mark marks max_completion_tokens max_tokens message messages metadata min_p \
    missing mode model model_usage ms n name needs_person newest next nonce notices now object others outcome output \
    output_tokens over packages parameters parse_error parts pending phase picture picture_missing pictures plain \
    plan port position presence_penalty previous private profile program prompt prompt_tokens prompt_tokens_details \
    properties question read_as reason reasoning reasoning_content reasoning_effort reasoning_name received \
    received_units record refusal refused relay repeat_penalty reply reply_bytes reported_done request request_bytes \
    required response response_bytes response_format results retry role run run_id runs said sample_ids samples \
    sampling scale score scores screen seed seen sent sent_ms sent_units server settings settle sha256 shown side \
    since snapshot source space started started_at state stats status stop stop_reason story stream stream_options \
    strict success summaries summary system system_fingerprint taken_over target task task_id task_version tasks \
    temperature text timings tokens told told_takeovers told_unchanged tool_call_id tool_calls tool_choice tools top_k \
    top_p total total_tokens traceback traceback_ansi trouble turn turns type unreadable until unusable_reply up \
    upstream url usage v verdict verdicts version violations waiting what whole_ms why width window withdraws words";

/// The names of members whose values are words of the format.
const NAMES_OF_WORDS: [&str; 11] = [
    "effect",
    "finish",
    "finish_reason",
    "outcome",
    "role",
    "source",
    "state",
    "status",
    "stop_reason",
    "type",
    "verdict",
];

/// These words.
const WORDS: &str = "\
    assistant blocked by_person cancelled developer done elsewhere error failed first function generate held ignored \
    image image_url interrupted length malformed match near none not_applied ok paused reasoning refused restarting \
    retry running started starting stop stopped success system text tool tool_calls unverifiable user violation \
    withdrawn";

static KNOWN_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| NAMES.split(' ').collect());
static KNOWN_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split(' ').collect());

/// Returns whether this is the name of a member of a format.
pub(super) fn is_name(name: &str) -> bool {
    KNOWN_NAMES.contains(name)
}

/// Returns whether the value of the member with this name is a word of a format.
pub(super) fn is_word(name: &str, value: &str) -> bool {
    NAMES_OF_WORDS.contains(&name) && KNOWN_WORDS.contains(value)
}

#[cfg(test)]
mod tests {
    use franz_action::Outcome;
    use franz_record::TurnLine;

    use super::*;

    #[test]
    fn the_names_of_a_turn_and_all_outcomes_are_known() {
        let line = serde_json::to_value(TurnLine::new(1, "2026-01-01T00:00:00Z")).unwrap();
        for name in line.as_object().unwrap().keys() {
            assert!(is_name(name), "{name}");
        }
        for outcome in Outcome::NAMES {
            assert!(is_word("outcome", outcome), "{outcome}");
        }
        assert!(!is_name("anna") && !is_word("action", "done") && !is_word("role", "anna"));
    }
}
