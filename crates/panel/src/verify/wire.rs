//! What a message on the wire says: its start line, its fields and its body without framing.

use bytes::Bytes;

use crate::exchange::{Copy, Message};

/// The method and the path of a request, the query left out.
pub(crate) fn method_and_path(message: &Message) -> Option<(&str, &str)> {
    let line = message.head.split(|&byte| byte == b'\n').next()?;
    let mut words = str::from_utf8(line).ok()?.split_ascii_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    let path = target.split(['?', '#']).next()?;
    Some((method, path))
}

/// The status of a response.
pub(crate) fn status(message: &Message) -> Option<u16> {
    let line = message.head.split(|&byte| byte == b'\n').next()?;
    str::from_utf8(line).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The value of the first field of that name.
pub(crate) fn field<'a>(message: &'a Message, name: &str) -> Option<&'a str> {
    let lines = message.head.split(|&byte| byte == b'\n').skip(1);
    let mut fields = lines.filter_map(|line| str::from_utf8(line).ok()?.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim().eq_ignore_ascii_case(name))?;
    Some(value.trim())
}

/// The body without framing and compression, or why it cannot be had.
pub(crate) fn payload(message: &Message) -> Result<Bytes, String> {
    match &message.body {
        Copy::Whole(bytes) => Ok(bytes.clone()),
        Copy::Dropped => Err("it was not copied".to_owned()),
    }
}
