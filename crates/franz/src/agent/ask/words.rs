//! What the person is told about requests and replies, and how the record words them.

use franz_chat::{Sampling, ServerPace, Usage};
use franz_json::Raw;
use serde_json::{Value, json};

use super::Agent;

/// The recorded reason for cutting off a reply that repeats itself.
pub(super) const REPEATED: &str = "cut: the reply repeated itself";
/// The recorded reason for a reply that reached the token limit.
pub(super) const AT_LIMIT: &str = "cut: the reply hit the token limit";

/// Returns the notice that a reply was cut short because it repeated itself.
pub(super) fn repeated(turn: u64, most: u32) -> String {
    format!("the reply of turn {turn} was cut: it repeated the same lines more than {most} times (model.max_repeats)")
}

/// Returns the notice about the limit at which a turn's reply was cut off.
pub(super) fn cut_off(turn: u64, used: Usage, own: Option<u32>, context: Option<u64>) -> String {
    if own.is_some_and(|most| used.completion.is_none_or(|tokens| tokens >= u64::from(most))) {
        return format!("the reply of turn {turn} was cut off at the token limit (model.max_tokens)");
    }
    let all = used.prompt.unwrap_or(0).saturating_add(used.completion.unwrap_or(0));
    match context {
        Some(context) if all >= context => format!(
            "the reply of turn {turn} was cut off at the end of the server's context of {context} tokens: start the server with a longer one"
        ),
        _ => format!("the reply of turn {turn} was cut off by a limit on the server"),
    }
}

/// Tells the person that requests have no room for the conversation.
pub(super) fn crowded(budget: u64) -> String {
    format!(
        "the model sees only its last step: with more, a request exceeds {budget} tokens, as this server counts them; \
         raise memory.most_tokens or the server's context, or send smaller pictures (image.width, image.height)"
    )
}

impl Agent {
    /// Returns the notice that the server reads only a part of the request.
    pub(super) fn cut_words(&self, read: u64) -> String {
        let upstream = self.server.upstream();
        let longer = upstream.known.kind.map(|kind| format!(": {}", kind.longer_context()));
        format!(
            "the server counted only {read} of about {} tokens: unless it leaves out cached tokens, its context is \
             too short, and it silently cuts off the beginning of requests, where the instructions are; start it \
             with a longer context{}",
            self.memory.needed(),
            longer.unwrap_or_default()
        )
    }
}

/// Returns the sampling of a request, for the record.
pub(super) fn sampling_record(sampling: &Sampling) -> Raw {
    let mut fields = sampling.extra.clone();
    fields.insert("temperature".to_owned(), json!(sampling.temperature));
    fields.insert("top_p".to_owned(), json!(sampling.top_p));
    fields.insert("max_tokens".to_owned(), json!(sampling.max_tokens));
    if let Some(binding) = &sampling.binding {
        fields.insert("bound".to_owned(), json!(binding.name()));
    }
    Raw::from(Value::Object(fields))
}

/// Returns the tokens of all the turn's attempts, with the pace of the last one, for the record.
pub(super) fn usage_record(usage: Usage, pace: ServerPace) -> Option<Raw> {
    let known = usage.prompt.or(usage.completion).or(usage.total).is_some();
    let mut record = json!({
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total,
        "cached_tokens": usage.cached,
    });
    let rates = [("read_per_s", pace.read_per_s), ("written_per_s", pace.written_per_s)];
    for (name, rate) in rates {
        if let Some(rate) = rate {
            record[name] = json!((rate * 10.0).round() / 10.0);
        }
    }
    known.then(|| Raw::from(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_that_cut_a_reply_is_named() {
        let used = |completion| Usage {
            prompt: Some(4000),
            completion,
            ..Usage::default()
        };
        for (completion, own, context, wanted) in [
            (Some(96), Some(2048), Some(4096), "context of 4096 tokens"),
            (Some(96), None, Some(4096), "context of 4096 tokens"),
            (Some(96), Some(96), Some(4096), "(model.max_tokens)"),
            (None, Some(2048), Some(4096), "(model.max_tokens)"),
            (Some(50), Some(2048), Some(8192), "a limit on the server"),
            (Some(50), None, None, "a limit on the server"),
        ] {
            let told = cut_off(7, used(completion), own, context);
            assert!(told.contains(wanted) && told.contains("turn 7"), "{told}");
        }
    }
}
