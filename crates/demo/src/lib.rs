//! The built-in model: a chat-completions server that looks at the picture and draws a cat.
//!
//! It is a model server like any other, only that no weights are behind it: it decodes the screenshot, sees which strokes
//! of its cat are missing, and writes calls that draw the next ones. It keeps nothing between two requests. What it has
//! learned it reads from its own last reply, which the agent sends back, so it shows that an agent's memory works.
//!
//! In reading order: [`stroke`] and [`cat`] are the drawing, [`picture`] and [`eye`] what is seen of it, [`heard`] and
//! [`rules`] what is told and remembered, [`artist`] decides what comes next and [`python`] says it. `request`
//! (with `surrogate`) and `completion` are the JSON, [`script`] holds answers given beforehand, `model` chooses
//! between artist and script. `answer` and `paced` go over the wire, `service` tells paths apart, [`received`] keeps
//! requests for tests, and [`server`] listens.
//!
//! Deliberately absent: any state of a conversation, keys and accounts, and pictures other than PNG.
#![forbid(unsafe_code)]

mod answer;
pub mod artist;
pub mod cat;
mod completion;
pub mod eye;
pub mod heard;
mod model;
mod paced;
pub mod picture;
pub mod python;
pub mod received;
mod request;
pub mod rules;
#[cfg(test)]
mod sandbox;
pub mod script;
pub mod server;
mod service;
pub mod stroke;
mod surrogate;

pub use completion::MODEL;
pub use model::Pace;
pub use received::Received;
pub use script::{Script, ScriptError};
pub use server::{Demo, DemoHandle, ServerError, Settings};
