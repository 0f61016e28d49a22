//! A server's answer. Any story in it goes into the next request byte for byte. A stream of events has the same meaning
//! however its bytes are split.
#![no_main]

use franz_chat::{Bytes, Form, PictureRef, Prompt, Reply, Request, Sampling, StreamedReply};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let body = if StreamedReply::is_in(None, data) {
        let whole = StreamedReply::of(data, 3).end();
        let mut split = StreamedReply::limited(3);
        data.chunks(1 + data.len() % 7).for_each(|piece| split.push(piece));
        assert_eq!(split.end(), whole);
        let Ok(body) = whole else { return };
        body
    } else {
        Bytes::copy_from_slice(data)
    };
    let Ok(reply) = Reply::read(body) else { return };
    let Some(story) = reply.story() else { return };
    let _ = (story.text(), reply.finish(), reply.usage(), reply.reasoning());
    let picture = PictureRef { png: b"png", sha256: "0123456789abcdef" };
    let prompt = Prompt { system: "s", story, feedback: "f", beside: &[], picture: Some(picture) };
    let request = Request::new(&prompt, &Form::default(), &Sampling::default());
    let body = request.body();
    let raw = story.raw().as_bytes();
    assert!(body.windows(raw.len()).any(|window| window == raw));
});
