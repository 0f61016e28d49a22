//! Builds responses from a status, headers and a body. Every response carries the headers that protect it from other
//! pages.

use bytes::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    HeaderValue, IF_NONE_MATCH, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde::Serialize;

use super::body::ResponseBody;
use crate::history::HistoryError;
use franz_secret::Secret;

/// A response.
pub(super) type HttpResponse = Response<ResponseBody>;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const EVERYWHERE: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Builds a response with a body of this type. It must not be cached.
pub(super) fn answer(status: StatusCode, kind: &'static str, body: impl Into<ResponseBody>) -> HttpResponse {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    for (name, value) in EVERYWHERE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Builds a plain-text response.
pub(super) fn text(status: StatusCode, text: impl Into<String>) -> HttpResponse {
    answer(status, "text/plain; charset=utf-8", text.into())
}

/// Builds a response that contains `value` as JSON, without the secret.
pub(super) fn json(value: &impl Serialize, secret: &Secret) -> HttpResponse {
    match serde_json::to_vec(value) {
        Ok(json) => answer(StatusCode::OK, "application/json", secret.bytes(&json).into_owned()),
        Err(error) => refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            &format!("cannot create the response ({error}); open the run's files instead"),
        ),
    }
}

/// Builds a refusal, with a sentence that says what to do.
pub(super) fn refusal(status: StatusCode, sentence: &str) -> HttpResponse {
    let body = serde_json::json!({ "error": sentence }).to_string();
    answer(status, "application/json", body)
}

/// Builds the response to a method that is not allowed at this address.
pub(super) fn not_allowed(allowed: &'static str) -> HttpResponse {
    let refused = refusal(StatusCode::METHOD_NOT_ALLOWED, &format!("use {allowed} here"));
    with(refused, ALLOW, HeaderValue::from_static(allowed))
}

/// Builds the response for an address where there is nothing.
pub(super) fn not_found(what: &str) -> HttpResponse {
    refusal(StatusCode::NOT_FOUND, what)
}

/// Builds the response that says that the run cannot be read.
pub(super) fn unreadable(error: &HistoryError, secret: &Secret) -> HttpResponse {
    refusal(StatusCode::INTERNAL_SERVER_ERROR, &secret.text(&error.to_string()))
}

/// Adds a header, or replaces it.
pub(super) fn with(mut answer: HttpResponse, name: HeaderName, value: HeaderValue) -> HttpResponse {
    answer.headers_mut().insert(name, value);
    answer
}

/// Allows the response to be cached forever, because different contents have a different address.
pub(super) fn immutable(answer: HttpResponse) -> HttpResponse {
    let kept = HeaderValue::from_static("private, max-age=31536000, immutable");
    with(answer, CACHE_CONTROL, kept)
}

/// Allows the response to be cached, but revalidated by its tag.
pub(super) fn tagged(answer: HttpResponse, tag: &str) -> HttpResponse {
    let answer = with(answer, CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    match HeaderValue::from_str(tag) {
        Ok(tag) => with(answer, ETAG, tag),
        Err(_) => answer,
    }
}

/// Allows an inline script and an inline style by the source expressions of their hashes.
pub(super) fn with_inline(answer: HttpResponse, script: &str, style: &str) -> HttpResponse {
    let policy = POLICY
        .replace("script-src 'self'", &format!("script-src 'self' {script}"))
        .replace("style-src 'self'", &format!("style-src 'self' {style}"));
    match HeaderValue::from_str(&policy) {
        Ok(policy) => with(answer, CONTENT_SECURITY_POLICY, policy),
        Err(_) => answer,
    }
}

/// Makes the browser save the response as a file with this name.
pub(super) fn attachment(answer: HttpResponse, disposition: &'static str) -> HttpResponse {
    with(answer, CONTENT_DISPOSITION, HeaderValue::from_static(disposition))
}

/// Sets a cookie.
pub(super) fn cookie(answer: HttpResponse, cookie: &str) -> HttpResponse {
    match HeaderValue::from_str(cookie) {
        Ok(cookie) => with(answer, SET_COOKIE, cookie),
        Err(_) => answer,
    }
}

/// Responds with a picture, unless the client already has it.
pub(super) fn png(hash: &str, headers: &HeaderMap, picture: impl Into<Bytes>) -> HttpResponse {
    let tag = format!("\"{hash}\"");
    let known = headers.get(IF_NONE_MATCH).is_some_and(|known| *known == *tag);
    let found = if known {
        answer(StatusCode::NOT_MODIFIED, "image/png", ResponseBody::empty())
    } else {
        answer(StatusCode::OK, "image/png", picture)
    };
    immutable(tagged(found, &tag))
}

/// Builds the response for a path that does not exist. It does not repeat the path, because anybody could have written
/// it.
pub(super) fn nothing() -> HttpResponse {
    not_found("there is nothing at this address; start at /")
}
