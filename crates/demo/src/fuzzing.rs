//! Gives the fuzz targets access to private code that reads scripts and requests.

use franz_dialect::Family;

use crate::model::{Model, ThinkingPace};
use crate::player::Player;
use crate::request::ChatRequest;
use crate::script::Script;
use crate::throttled_body::Payload;

/// Returns a played model's answer to a request, split into pieces; `pick` selects the family.
pub fn played(pick: u8, request: &[u8]) -> Option<Vec<Vec<u8>>> {
    let request = ChatRequest::read(request).ok()?;
    let mut families = Family::all();
    families.retain(|family| !family.dialect.is_read_only());
    let family = families.swap_remove(usize::from(pick) % families.len());
    let player = Player {
        noise: f64::from(pick >> 6),
        ..Player::new(family).ok()?
    };
    Some(pieces(
        Model::played(ThinkingPace::AT_ONCE, player).answer(&request).payload,
    ))
}

fn pieces(payload: Payload) -> Vec<Vec<u8>> {
    match payload {
        Payload::Json(body) => vec![body.to_vec()],
        Payload::Events(events) => events.iter().map(|event| event.to_vec()).collect(),
    }
}

/// Returns the answers to a request that is sent `times` times, each split into pieces, or `None` if the request cannot
/// be answered.
pub fn answers(script: Option<Script>, request: &[u8], times: usize) -> Option<Vec<Vec<Vec<u8>>>> {
    let request = ChatRequest::read(request).ok()?;
    let model = Model::new(ThinkingPace::AT_ONCE, script);
    let answer = |_| pieces(model.answer(&request).payload);
    Some((0..times).map(answer).collect())
}
