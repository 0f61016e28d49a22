//! The built-in model: a chat-completions server that looks at the picture and draws a cat.
//!
//! It works like any other model server, except that it has no weights: it decodes the screenshot, sees which strokes
//! of its cat are missing, and writes calls that draw the next ones. It stores nothing between two requests. It
//! remembers what it has learned by reading its own replies, which the agent sends back. This shows that an agent's
//! memory works.
//!
//! In reading order: [`stroke`] and [`cat`] define the drawing, [`picture`] and [`eye`] read it from the screen,
//! [`feedback`] and [`rules`] read the outcome of the last actions and the model's memory, and [`artist`] decides what
//! comes next. The model speaks four protocols: `protocol` recognises which one a request uses; [`python`], [`lines`],
//! [`sections`] and `tools` each read and write their own, sharing the sentences in [`words`]; and `speech` is their
//! result. `request` (with `content`, and `tool_spec` and `tool_call` for functions) and `completion` are the JSON, [`script`] holds
//! prepared answers, and `model` chooses between artist and script. `answer` and `throttled_body` write to the wire,
//! `service` dispatches on paths, [`received`] stores requests for tests, and [`server`] listens.
//!
//! A [`player`] makes the model imitate one of any family. It draws and thinks as before, but writes calls and numbers
//! as that family does; [`aim`] converts positions into numbers.
//!
//! This crate deliberately has no conversation state, no keys or accounts, and no support for pictures other than PNG.
#![forbid(unsafe_code)]

#[cfg(test)]
mod agent;
pub mod aim;
mod answer;
pub mod artist;
pub mod cat;
mod completion;
mod content;
pub mod eye;
pub mod feedback;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod lines;
mod model;
pub mod picture;
pub mod player;
mod protocol;
pub mod python;
pub mod received;
mod request;
pub mod rules;
#[cfg(test)]
mod sandbox;
pub mod script;
pub mod sections;
pub mod server;
mod service;
pub mod speech;
pub mod stroke;
mod throttled_body;
mod tool_call;
mod tool_spec;
mod tools;
pub mod words;

pub use model::ThinkingPace;
pub use player::{Player, PlayerError};
pub use received::Received;
pub use script::{Script, ScriptError};
pub use server::{Demo, DemoHandle, DemoSettings, ServerError};

pub(crate) use completion::MODEL;
