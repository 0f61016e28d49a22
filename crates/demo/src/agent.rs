//! Provides the parts that every test agent has: a canvas, its picture, and a model to ask.

use serde_json::{Value, json};

use crate::model::{Model, ThinkingPace};
use crate::player::Player;
use crate::request::ChatRequest;
use crate::sandbox::Sandbox;
use crate::throttled_body::Payload;
use crate::{cat, eye};

/// The parts of an agent that are independent of the protocol.
pub(crate) struct TestAgent {
    pub(crate) sandbox: Sandbox,
    /// The size of the agent's pictures, in pixels.
    pub(crate) size: (u32, u32),
    model: Model,
}

impl TestAgent {
    /// Creates an agent with an empty canvas that sends pictures of this size.
    pub(crate) fn new(size: (u32, u32)) -> TestAgent {
        TestAgent {
            sandbox: Sandbox::default(),
            model: Model::new(ThinkingPace::AT_ONCE, None),
            size,
        }
    }

    /// Creates the same agent with a model that plays a given family.
    pub(crate) fn playing(size: (u32, u32), player: Player) -> TestAgent {
        TestAgent {
            model: Model::played(ThinkingPace::AT_ONCE, player),
            ..TestAgent::new(size)
        }
    }

    /// Returns the part of a message that shows the canvas.
    pub(crate) fn picture(&self) -> Value {
        self.picture_of(&self.sandbox)
    }

    /// Returns the same part with another canvas, such as one with marks on it.
    pub(crate) fn picture_of(&self, sandbox: &Sandbox) -> Value {
        let png = base64_simd::STANDARD.encode_to_string(sandbox.png(self.size.0, self.size.1));
        json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{png}") } })
    }

    /// Asks the model and returns its choice. Checks that the reply stays below the token limit; otherwise the agent
    /// would treat it as cut off.
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

    /// Returns whether every stroke is on the canvas.
    pub(crate) fn shows_the_cat(&self) -> bool {
        let progress = eye::look(&self.sandbox.picture(512, 288), &cat::parts());
        progress.iter().flatten().all(|&drawn| drawn)
    }
}

/// Asks a player one question about a picture, as a calibration does, and returns the message.
pub(crate) fn question(player: &Player, png: &[u8], words: &str, natively: bool) -> Value {
    let uri = format!("data:image/png;base64,{}", base64_simd::STANDARD.encode_to_string(png));
    let tools = json!([{ "type": "function", "function": { "name": "left_click",
        "parameters": { "properties": { "point": { "type": "array" } } } } }]);
    let request = json!({ "max_tokens": 300, "tools": if natively { tools } else { Value::Null }, "messages": [
        { "role": "system", "content": "You see one picture, and point at things in it." },
        { "role": "user", "content": [
            { "type": "image_url", "image_url": { "url": uri } },
            { "type": "text", "text": words },
        ] },
    ]});
    let request = ChatRequest::read(request.to_string().as_bytes()).unwrap();
    let answer = Model::played(ThinkingPace::AT_ONCE, player.clone()).answer(&request);
    let Payload::Json(body) = answer.payload else {
        panic!("not asked for pieces")
    };
    let mut body: Value = serde_json::from_slice(&body).unwrap();
    body["choices"][0]["message"].take()
}

/// Returns a message's text.
pub(crate) fn said(message: &Value) -> Option<&str> {
    message["content"].as_str()
}
