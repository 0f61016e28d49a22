//! A server's answer: whatever story it holds goes into the next request to the byte.
#![no_main]

use franz_chat::{Bytes, Form, PictureRef, Prompt, Reply, Request, Sampling};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(reply) = Reply::read(Bytes::copy_from_slice(data)) else { return };
    let Some(story) = reply.story() else { return };
    let _ = (story.text(), reply.finish(), reply.usage(), reply.reasoning());
    let picture = PictureRef { png: b"png", sha256: "0123456789abcdef" };
    let prompt = Prompt { system: "s", story, feedback: "f", picture: Some(picture) };
    let request = Request::new(&prompt, &Form::default(), &Sampling::default());
    let body = request.body();
    let raw = story.raw().as_bytes();
    assert!(body.windows(raw.len()).any(|window| window == raw));
});
