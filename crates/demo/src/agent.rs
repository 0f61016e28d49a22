//! What every agent in the tests has: a canvas, its picture, and a model to ask.

use serde_json::{Value, json};

use crate::answer::Payload;
use crate::model::{Model, ThinkingPace};
use crate::request::ChatRequest;
use crate::sandbox::Sandbox;
use crate::{cat, eye};

/// The part of an agent that no protocol changes.
pub(crate) struct TestAgent {
    pub(crate) sandbox: Sandbox,
    /// The size of its pictures, in pixels.
    pub(crate) size: (u32, u32),
    model: Model,
}

impl TestAgent {
    /// An agent with an empty canvas that sends pictures of a size.
    pub(crate) fn new(size: (u32, u32)) -> TestAgent {
        TestAgent {
            sandbox: Sandbox::default(),
            model: Model::new(ThinkingPace::AT_ONCE, None),
            size,
        }
    }

    /// The part of a message that shows the canvas.
    pub(crate) fn picture(&self) -> Value {
        self.picture_of(&self.sandbox)
    }

    /// The same of another canvas, such as one with marks on it.
    pub(crate) fn picture_of(&self, sandbox: &Sandbox) -> Value {
        let png = base64_simd::STANDARD.encode_to_string(sandbox.png(self.size.0, self.size.1));
        json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{png}") } })
    }

    /// The model's choice. A reply that reaches the limit on tokens would count as cut off.
    pub(crate) fn ask(&self, request: &Value) -> Value {
        let body = request.to_string();
        let answer = self.model.answer(&ChatRequest::read(body.as_bytes()).unwrap());
        let Payload::Json(body) = answer.payload else {
            panic!("not asked for pieces")
        };
        let mut body: Value = serde_json::from_slice(&body).unwrap();
        let tokens = body["usage"]["completion_tokens"].as_u64().unwrap();
        assert!(tokens < request["max_tokens"].as_u64().unwrap() - 1, "{body}");
        body["choices"][0].take()
    }

    /// Whether every stroke is on the canvas.
    pub(crate) fn shows_the_cat(&self) -> bool {
        let progress = eye::look(&self.sandbox.picture(512, 288), &cat::parts());
        progress.iter().flatten().all(|&drawn| drawn)
    }
}
