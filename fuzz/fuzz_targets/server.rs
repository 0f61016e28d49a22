//! The data that a model server reports about itself: lists of models, hints, refusals, and when to retry. Also the
//! queries that a page sends.
#![no_main]

use franz_chat::{Endpoint, ServerRefusal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    franz_chat::fuzzing::server_says(data);
    let text = String::from_utf8_lossy(data);
    let _ = ServerRefusal::of(400, &text);
    if let Ok(endpoint) = text.parse::<Endpoint>() {
        assert_eq!(endpoint.to_string().parse::<Endpoint>(), Ok(endpoint));
    }
    let decoded = franz_panel::web::fuzzing::parameter(&text);
    assert!(decoded.is_none_or(|decoded| decoded.len() <= 3 * text.len()));
});
