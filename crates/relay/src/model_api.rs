//! The APIs by which programs ask a model.

/// An API of model servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelApi {
    /// Chat completions, `/v1/chat/completions`.
    Chat,
    /// The older completions of a prompt, `/v1/completions`.
    Completions,
    /// Responses that the server may store, `/v1/responses`.
    Responses,
    /// Anthropic's messages, `/v1/messages`.
    Messages,
}

impl ModelApi {
    /// Returns the API of a request that asks a model; `None` for any other request.
    pub fn of(method: &str, target: &str) -> Option<ModelApi> {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let (before, last) = path.rsplit_once('/')?;
        match last {
            _ if method != "POST" => None,
            "completions" if before.ends_with("/chat") => Some(ModelApi::Chat),
            "completions" => Some(ModelApi::Completions),
            "responses" => Some(ModelApi::Responses),
            // An assistant's thread has messages, too, but adding one asks no model.
            "messages" if !before.contains("/threads/") => Some(ModelApi::Messages),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ModelApi::{self, Chat, Completions, Messages, Responses};

    #[test]
    fn requests_that_ask_a_model_are_recognised_by_their_path() {
        for (target, api) in [
            ("/v1/chat/completions", Some(Chat)),
            ("/v1beta/openai/chat/completions?key=x", Some(Chat)),
            ("/v1/completions", Some(Completions)),
            ("/completions", Some(Completions)),
            ("/v1/responses#x", Some(Responses)),
            ("/v1/messages", Some(Messages)),
            ("/v1/messages/count_tokens", None),
            ("/v1/responses/r1/cancel", None),
            ("/v1/threads/t1/messages", None),
            ("/v1/embeddings", None),
            ("/", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(ModelApi::of("POST", target), api, "{target}");
            assert_eq!(ModelApi::of("GET", target), None, "{target}");
        }
    }
}
