//! Gives the fuzz targets, and nothing else, access to private functions that parse a server's text.

use std::time::SystemTime;

use crate::{model_metadata, retry, server_message, think};

/// Parses the bytes as every kind of text that a server sends, except replies.
pub fn server_says(data: &[u8]) {
    let _ = server_message::of_body(data);
    let text = String::from_utf8_lossy(data);
    let _ = (
        model_metadata::listed(&text),
        model_metadata::lm_studio(&text),
        model_metadata::llama_cpp(&text),
    );
    let _ = (
        model_metadata::ollama_loaded(&text),
        model_metadata::ollama_shown("m", &text),
    );
    let _ = retry::retry_after(&text, SystemTime::now());
    assert!(think::without(&text).len() <= text.len());
}
