//! Exposes private functions that read a server's text, only for the fuzz targets.

use std::time::SystemTime;

use crate::{model_metadata, retry, server_message, think};

/// Reads the bytes as each kind of text that a server sends, apart from replies.
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
