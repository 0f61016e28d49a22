//! What is private and reads text of a server, for the fuzz targets alone.

use std::time::SystemTime;

use crate::{hint, retry, think, words};

/// Reads the bytes as each thing that a server may say beside its replies.
pub fn server_says(data: &[u8]) {
    let _ = words::of_body(data);
    let text = String::from_utf8_lossy(data);
    let _ = (hint::names(&text), hint::lm_studio(&text), hint::llama_cpp(&text));
    let _ = (hint::ollama_loaded(&text), hint::ollama_shown("m", &text));
    let _ = retry::retry_after(&text, SystemTime::now());
    let blocks = think::count(&text);
    assert!(think::without_first(&text, blocks).len() <= text.len());
}
