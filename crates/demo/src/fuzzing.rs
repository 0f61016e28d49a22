//! Access for the fuzz targets to private code that reads scripts and requests.

use crate::answer::Payload;
use crate::model::{Model, ThinkingPace};
use crate::request::ChatRequest;
use crate::script::Script;

/// Returns the answers to a request asked `times` times, each in its pieces, or `None` if it cannot be answered.
pub fn answers(script: Option<Script>, request: &[u8], times: usize) -> Option<Vec<Vec<Vec<u8>>>> {
    let request = ChatRequest::read(request).ok()?;
    let model = Model::new(ThinkingPace::AT_ONCE, script);
    let answer = |_| match model.answer(&request).payload {
        Payload::Json(body) => vec![body.to_vec()],
        Payload::Events(events) => events.iter().map(|event| event.to_vec()).collect(),
    };
    Some((0..times).map(answer).collect())
}
