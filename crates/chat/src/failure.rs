//! Defines every way in which asking a model can fail.

use std::time::Duration;

use thiserror::Error;

use crate::connection_error::ConnectionError;
use crate::defect::Defect;
use crate::endpoint::Endpoint;
use crate::refusal::ServerRefusal;
use crate::server_message;

/// The way in which one attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestFailure {
    /// The server cannot be reached.
    #[error("no model server answers at {address} ({why}); start it, or run with --upstream demo")]
    Unreachable {
        /// The server's address.
        address: String,
        /// The root cause.
        why: String,
    },
    /// The server accepts the connection, but https does not work with it.
    #[error("{address} answers, but https does not work there ({why}); {}", advice_on_tls(why))]
    Tls {
        /// The server's address.
        address: String,
        /// The root cause.
        why: String,
    },
    /// No complete answer arrived in time.
    #[error("the model server did not complete its response within {} s; raise model.timeout_s, or choose a faster model", after.as_secs_f64())]
    Timeout {
        /// The time allowed.
        after: Duration,
    },
    /// The connection broke.
    #[error("the connection to {address} broke: {error}; check the model server's log")]
    Broken {
        /// The server's address.
        address: String,
        /// How it broke.
        error: ConnectionError,
    },
    /// The server returned a status that might be temporary: 5xx, 408, 425 or 429.
    #[error(
        "the model server returned {status}: {}; check its log if this persists",
        unended(words)
    )]
    Server {
        /// The HTTP status.
        status: u16,
        /// The server's words.
        words: String,
        /// How long the server asks clients to wait.
        retry_after: Option<Duration>,
    },
    /// The server returned a permanent status.
    #[error("the model server rejected the request with {status}: {}; {}{}", unended(words), advice(*status, words), elsewhere(asked.as_deref()))]
    Permanent {
        /// The HTTP status.
        status: u16,
        /// The server's words.
        words: String,
        /// The URL that was asked, if the server might not have it.
        asked: Option<String>,
    },
    /// The server or the model's template rejects something about the request.
    #[error("{}; {refusal}", rejected(*refusal, *status, words))]
    Refused {
        /// The feature that the server refuses.
        refusal: ServerRefusal,
        /// The HTTP status.
        status: u16,
        /// The server's words.
        words: String,
    },
    /// The server redirects. FRANZ never follows a redirect, because the key and pictures must go only to the server
    /// that was named.
    #[error(
        "the model server redirects to \"{location}\" ({status}); if that is the right server, pass its address with --upstream"
    )]
    Redirected {
        /// The HTTP status.
        status: u16,
        /// The redirect's target.
        location: String,
    },
    /// The answer has status 200 but is unusable.
    #[error("cannot use the model server's response: {0}")]
    Defect(#[from] Defect),
    /// The answer is too large.
    #[error("the model server's response is larger than {} MB; set model.max_tokens", limit >> 20)]
    TooLarge {
        /// The largest number of bytes to read.
        limit: usize,
    },
    /// The request cannot be built.
    #[error("cannot send the request ({why}); check the address and the headers")]
    Unsendable {
        /// The root cause.
        why: String,
    },
}

/// The category of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing accepts the connection.
    Absent,
    /// The server exists but cannot answer now: it is loading, is overloaded, or closes the connection.
    Busy,
    /// No complete answer arrived in time.
    Slow,
    /// An answer arrived but is unusable.
    Useless,
    /// The model used up its tokens before writing anything, and would do so again.
    Spent,
    /// The same request would fail the same way.
    Lasting,
}

impl RequestFailure {
    /// Returns the failure to reach this server. Names port 80, because an address without a port means it, although
    /// few model servers use it.
    pub(crate) fn unreachable(server: &Endpoint, why: String) -> Self {
        let is_bare = !server.is_secure() && server.port() == 80;
        Self::Unreachable {
            address: server.to_string(),
            why: if is_bare {
                format!("{why}; FRANZ asked port 80")
            } else {
                why
            },
        }
    }

    /// Returns the HTTP status of an answer that was not 2xx.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Server { status, .. }
            | Self::Permanent { status, .. }
            | Self::Refused { status, .. }
            | Self::Redirected { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Returns the name under which the failure is recorded.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Tls { .. } => "tls",
            Self::Timeout { .. } => "timeout",
            Self::Broken { .. } => "broken",
            Self::Server { .. } => "server",
            Self::Permanent { .. } => "permanent",
            Self::Refused { .. } => "refused",
            Self::Redirected { .. } => "redirected",
            Self::Defect(defect) => defect.name(),
            Self::TooLarge { .. } => "too_large",
            Self::Unsendable { .. } => "unsendable",
        }
    }

    /// Classifies an answer with a status other than 2xx and 3xx by its status and body.
    pub(crate) fn of_answer(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let words = server_message::of_body(body);
        // OpenAI reports this with the status for too many requests, but waiting does not help.
        if status == 429 && server_message::lacks_credit(body) {
            return Self::Permanent {
                status,
                words,
                asked: None,
            };
        }
        Self::of_status(status, words, retry_after)
    }

    /// Classifies an answer with a status other than 2xx and 3xx.
    pub(crate) fn of_status(status: u16, words: String, retry_after: Option<Duration>) -> Self {
        // Check this first, because such an error quotes the reply, which can contain the words of any refusal.
        if is_about_the_reply(&words) {
            return Defect::Unread { words }.into();
        }
        if let Some(refusal) = ServerRefusal::of(status, &words) {
            return Self::Refused { refusal, status, words };
        }
        match status {
            // 501 and 505 say that the server lacks something, which does not pass by waiting.
            408 | 425 | 429 | 500 | 502..=504 | 506.. => Self::Server {
                status,
                words,
                retry_after,
            },
            _ => Self::Permanent {
                status,
                words,
                asked: None,
            },
        }
    }

    /// Adds the URL that was asked, if the server says that it does not have it.
    pub(crate) fn at(mut self, url: String) -> Self {
        if self.is_about_the_model() {
            return self;
        }
        if let Self::Permanent {
            status: 404 | 405,
            asked,
            ..
        } = &mut self
        {
            *asked = Some(url);
        }
        self
    }

    /// Returns the sentence that names the URL that was asked; empty if the URL cannot be the cause.
    pub(crate) fn elsewhere(&self) -> String {
        match self {
            Self::Permanent { asked, .. } => elsewhere(asked.as_deref()),
            _ => String::new(),
        }
    }

    /// Classifies a defect in an answer. Some servers report in the answer an error for which others use a status.
    pub(crate) fn of_defect(defect: Defect) -> Self {
        let Defect::ErrorInside { code, words } = defect else {
            return defect.into();
        };
        if is_about_the_reply(&words) {
            return Defect::Unread { words }.into();
        }
        match ServerRefusal::of(500, &words) {
            Some(refusal) => Self::Refused {
                refusal,
                status: 200,
                words,
            },
            None => Defect::ErrorInside { code, words }.into(),
        }
    }

    /// Returns the category of the failure, which decides whether to ask again.
    ///
    /// Every new failure or defect must be classified here. [`Trouble::Lasting`] means that a failure must not be
    /// retried, and that it ends the run if it occurs twice in a row.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Unreachable { .. } => Trouble::Absent,
            Self::Server { .. }
            | Self::Broken {
                error: ConnectionError::NoAnswer,
                ..
            } => Trouble::Busy,
            Self::Timeout { .. } => Trouble::Slow,
            Self::Defect(Defect::ErrorInside { code: Some(code), .. }) => trouble_inside(*code),
            Self::Defect(Defect::ThoughtCut | Defect::ThoughtRepeats) => Trouble::Spent,
            Self::Tls { .. }
            | Self::Permanent { .. }
            | Self::Refused { .. }
            | Self::Redirected { .. }
            | Self::Unsendable { .. }
            | Self::Defect(Defect::RepeatsKey { .. }) => Trouble::Lasting,
            Self::Broken { .. } | Self::Defect(_) | Self::TooLarge { .. } => Trouble::Useless,
        }
    }

    /// Returns whether the server is absent or unable to answer now, so that another server can be tried.
    pub fn is_down(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Tls { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::Server { .. } => true,
            Self::Defect(Defect::ErrorInside { .. }) => self.trouble() == Trouble::Busy,
            _ => false,
        }
    }

    /// Returns whether the server says that it does not have the requested model.
    pub fn is_about_the_model(&self) -> bool {
        let Self::Permanent {
            status: 400 | 404,
            words,
            ..
        } = self
        else {
            return false;
        };
        let words = words.to_lowercase();
        words.contains("model") && NO_SUCH.iter().any(|known| words.contains(known))
    }

    /// Returns whether the server says that the account has no credit left, so that only another server can answer.
    pub(crate) fn lacks_credit(&self) -> bool {
        matches!(
            self,
            Self::Permanent { status: 402 | 429, .. } | Self::Defect(Defect::ErrorInside { code: Some(402), .. })
        )
    }

    /// Returns whether the model caused the failure: it answered, but its reply is unusable.
    pub fn is_models_own(&self) -> bool {
        let Self::Defect(defect) = self else {
            return false;
        };
        matches!(
            defect,
            Defect::ThoughtCut
                | Defect::ThoughtRepeats
                | Defect::ReasoningOnly
                | Defect::NullContent
                | Defect::MissingContent
                | Defect::TooManyCalls { .. }
                | Defect::ToolCallsOnly
                | Defect::Unread { .. }
        )
    }

    /// Describes the failure but gives no advice, because the message goes on with what FRANZ does about it.
    pub fn without_advice(&self) -> String {
        match self {
            Self::Refused { refusal, status, words } => rejected(*refusal, *status, words),
            _ => self.to_string(),
        }
    }

    /// Returns the server's own words.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Server { words, .. }
            | Self::Permanent { words, .. }
            | Self::Refused { words, .. }
            | Self::Defect(Defect::ErrorInside { words, .. } | Defect::Unread { words }) => Some(words),
            _ => None,
        }
    }
}

/// Classifies an error inside an answer with status 200 by the status that it names. Gateways report an error this way
/// once they have begun to answer. Servers also use 400 and 500 for a single bad reply.
fn trouble_inside(code: u16) -> Trouble {
    match code {
        401..=403 => Trouble::Lasting,
        408 | 425 | 429 | 502..=504 => Trouble::Busy,
        _ => Trouble::Useless,
    }
}

/// Phrases in which servers say that a model does not exist.
const NO_SUCH: [&str; 6] = [
    "not found",
    "not exist",
    "no such model",
    "unknown model",
    "no model",
    "not loaded",
];

/// Returns whether a server failed because of the model's reply. If functions are offered, llama.cpp and Ollama parse
/// replies strictly and report a failure to parse them as a server error (ggml-org/llama.cpp#20532, #23838). Groq
/// reports it as a bad request. The same request might well get a different reply.
fn is_about_the_reply(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    [
        "failed to parse input at pos",
        "does not match the expected peg-",
        "unexpected empty grammar stack",
        "error parsing tool call: raw=",
        "see 'failed_generation'",
    ]
    .iter()
    .any(|known| words.contains(known))
}

fn rejected(refusal: ServerRefusal, status: u16, words: &str) -> String {
    format!(
        "the model server rejected {} ({status}: {})",
        refusal.what(),
        unended(words)
    )
}

/// Returns the server's words without the full stop at their end, because more follows.
fn unended(words: &str) -> &str {
    words
        .strip_suffix('.')
        .filter(|words| !words.ends_with('.'))
        .unwrap_or(words)
}

fn advice(status: u16, words: &str) -> &'static str {
    // LM Studio, whose server runs without a model.
    if words.to_lowercase().contains("no models loaded") {
        return "load one that accepts images";
    }
    match status {
        401 | 403 => "set FRANZ_API_KEY to a key that it accepts",
        402 | 429 => "add credit to your account there, or name another server with --upstream",
        404 | 405 => "check the address and the model's name (--upstream, --model)",
        413 => "make the picture smaller (image.width, image.height)",
        _ => "fix the problem that it names, or choose another model with --model",
    }
}

/// Returns the advice for an error of rustls, in whose words the cause is.
fn advice_on_tls(why: &str) -> &'static str {
    if why.contains("not valid for name") {
        "name the server as its certificate does"
    } else if why.contains("certificate expired") || why.contains("not valid yet") {
        "renew its certificate, or correct this system's clock"
    } else if why.contains("peer certificate") {
        "install its CA certificate on this system, or use its http:// address"
    } else if why.contains("fatal alert") {
        "check the server's TLS settings; it might require a client certificate"
    } else {
        "if the server has no https, use http:// in its address"
    }
}

/// Names the URL that was asked, because the server's API might be at another one.
fn elsewhere(asked: Option<&str>) -> String {
    asked.map_or_else(String::new, |url| {
        format!("; FRANZ asked {url}: if the API is elsewhere, name the whole URL, up to /chat/completions")
    })
}

#[cfg(test)]
mod tests;
