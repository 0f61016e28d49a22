//! Words of our own in what is shown, which no key can be told from: pages need them as they are.

/// Members whose values are names of our own, and these names.
const NAMES: [(&[u8], &[&[u8]]); 5] = [
    (
        b"verdict",
        &[b"first", b"match", b"retry", b"violation", b"unverifiable"],
    ),
    (b"status", &[b"ok", b"failed"]),
    (
        b"outcome",
        &[
            b"done",
            b"not_applied",
            b"ignored",
            b"malformed",
            b"blocked",
            b"interrupted",
        ],
    ),
    (
        b"field",
        &[b"story", b"reply", b"feedback", b"goal", b"actions", b"errors"],
    ),
    (
        b"state",
        &[b"none", b"starting", b"running", b"paused", b"restarting", b"stopped"],
    ),
];

/// Whether `value` is a name, a time, a picture or an address of our own, given the name of the member that it is the value of.
pub(super) fn is_ours(name: &[u8], value: &[u8]) -> bool {
    let named = || {
        NAMES
            .iter()
            .any(|(member, names)| *member == name && names.contains(&value))
    };
    match name {
        b"key" => is_setting(value),
        b"last_event" => only(value, |byte| byte.is_ascii_hexdigit() || byte == b'-'),
        _ => named() || is_time(value) || is_picture(value),
    }
}

/// Such as `prompt.goal`.
fn is_setting(value: &[u8]) -> bool {
    value.contains(&b'.') && only(value, |byte| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'_'))
}

/// Such as `2026-01-02T03:04:05.123Z`.
fn is_time(value: &[u8]) -> bool {
    let digit_or = |sign: &'static [u8]| move |byte: u8| byte.is_ascii_digit() || sign.contains(&byte);
    let parts = value
        .split_at_checked(10)
        .and_then(|(day, time)| Some((day, time.strip_prefix(b"T")?)));
    parts.is_some_and(|(day, time)| only(day, digit_or(b"-")) && time.len() >= 8 && only(time, digit_or(b":.+-Z")))
}

/// Such as `turn_0001.plain.png`.
fn is_picture(value: &[u8]) -> bool {
    let middle = value.strip_prefix(b"turn_").and_then(|rest| rest.strip_suffix(b".png"));
    let number = middle.map(|middle| middle.strip_suffix(b".plain").unwrap_or(middle));
    number.is_some_and(|number| only(number, |byte| byte.is_ascii_digit()))
}

fn only(value: &[u8], allowed: impl Fn(u8) -> bool) -> bool {
    !value.is_empty() && value.iter().all(|&byte| allowed(byte))
}
