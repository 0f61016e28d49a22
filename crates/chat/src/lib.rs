//! Talks to the model over HTTP: the request, the reply, the client.
//!
//! In reading order:
//!
//! - [`Story`](franz_json::Story) is one kind of memory: the model's last reply, kept byte for byte
//! - [`conversation`] is the other: the last turns, with the model's [`tool_call`]s
//! - [`request`] writes the body of a call around either; [`picture`] holds the pictures in the call, [`sampling`]
//!   shapes the reply, and a [`binding`] holds the reply to a grammar
//! - [`question`] asks about one picture without any memory
//! - `envelope` reads an answer's JSON, `content` a message's text; [`Reply`] holds what the model said; [`defect`] lists
//!   why an answer is not a story; [`reasoning`] holds the model's thoughts, and [`pace`] its speed; [`streamed_reply`]
//!   assembles a reply that arrives as events
//! - [`endpoint`] and [`key`] hold a model server's address and its key; only the [`keyring`] gives out a key, to one
//!   [`server_origin`]
//! - [`client`] asks once and returns an [`answer`]; [`failure`], [`connection_error`] and [`refusal`] name every way
//!   to fail, and [`retry`] decides whether to ask again
//! - [`models`] lists a server's models with what `model_metadata` reads of each, [`choice`] picks one; [`server_kind`]
//!   names the server's program; [`mod@discover`] finds a server on this machine
//!
//! This crate deliberately has no redirects, proxies from the environment, compression, HTTP/2 or cookies, and never
//! round-trips a story through a `String`.
#![forbid(unsafe_code)]

pub mod conversation;
mod think;
pub mod tool_call;
pub mod window;

pub mod binding;
mod completion_request;
mod messages;
pub mod picture;
pub mod question;
pub mod request;
pub mod sampling;
mod transcript;

mod content;
pub mod defect;
mod envelope;
pub mod pace;
pub mod reasoning;
mod reply;
pub mod server_message;
pub mod streamed_reply;

pub mod endpoint;
pub mod key;
pub mod keyring;
pub mod server_origin;
mod transport;

pub mod answer;
pub mod connection_error;
pub mod failure;
pub mod refusal;
pub mod retry;

mod body;
pub mod client;

pub mod choice;
pub mod discover;
mod model_metadata;
pub mod models;
mod plausible;
pub mod server_kind;

#[cfg(fuzzing)]
pub mod fuzzing;

pub use answer::{Answer, Failed};
pub use binding::{Binding, BindingLanguage};
pub use bytes::Bytes;
pub use choice::{Candidate, Choice, ChoiceError, choose};
pub use client::{Client, ClientSettings, ReplyListener};
pub use connection_error::ConnectionError;
pub use conversation::{Content, Conversation, Screenshot};
pub use defect::Defect;
pub use discover::{FoundServer, PORTS, discover};
pub use endpoint::{Endpoint, EndpointError};
pub use failure::{RequestFailure, Trouble};
pub use key::{ApiKey, ApiKeyError};
pub use keyring::{Grant, Keyring, NamedBy};
pub use messages::{FEEDBACK_MARK, Form, MessageShape, Prompt};
pub use pace::ServerPace;
pub use picture::{Beside, Picture, PictureRef};
pub use question::Question;
pub use reasoning::ApartReasoning;
pub use refusal::{ContextSizes, ServerRefusal, most_pictures};
pub use reply::{Expect, Reply, Usage};
pub use request::Request;
pub use retry::{Next, Policy, Trials};
pub use sampling::{Sampling, Streaming};
pub use server_kind::ServerKind;
pub use server_origin::{ServerOrigin, ServerOriginError};
pub use streamed_reply::{MAX_REPEATS_HEADER, StreamedReply};
pub use tool_call::ToolCall;
pub use transcript::CallForm;
pub use transport::TransportError;
pub use window::{Keep, MemoryWindow, Room, estimated_tokens};
