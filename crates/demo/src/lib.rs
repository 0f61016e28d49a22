//! The built-in model: a chat-completions server that looks at the picture and draws a cat.
#![forbid(unsafe_code)]
