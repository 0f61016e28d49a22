use std::fmt::Write as _;

use base64_simd::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::Value;

use super::*;

const KEY: &str = "sk-a/b\"c1+23?";

fn secret() -> Secret {
    Secret::new([KEY])
}

#[test]
fn a_key_is_found_in_every_encoding() {
    for text in [
        r#"sk-a/b"c1+23?"#,
        r#"{"a":"sk-a/b\"c1+23?"}"#,
        r#"{"a":"sk-a\/b\u0022c1+23?"}"#,
        r#"{"a":"\u0073\u006B-a\u002fb\"c1+23?"}"#,
        r#"{"a":"{\"a\":\"sk-a\\/b\\\"c1+23?\"}"}"#,
        r#"{"a":"\\u0073k-a/b\\\"c1+23?"}"#,
        "https://h/?key=sk-a%2Fb%22c1%2B23%3F",
        "https://h/?key=sk-a%2fb%22c1%2b23%3f",
        "https://h/?next=%3Fkey%3Dsk-a%252Fb%2522c1%252B23%253F",
        "%73%6b%2d%61%2f%62%22%63%31%2b%32%33%3f",
        "736b2d612f622263312b32333f",
        "736B2D612F622263312B32333F",
        "the key is sk-a/b%22c\\u0031+23?!",
    ] {
        assert!(secret().is_in(text.as_bytes()), "{text}");
        let hidden = secret().text(text).into_owned();
        assert!(
            hidden.contains("[the API key, ") && !secret().is_in(hidden.as_bytes()),
            "{text} -> {hidden}"
        );
        if text.starts_with('{') {
            serde_json::from_str::<Value>(&hidden).unwrap();
        }
    }
    assert_eq!(
        secret().text("the key sk-a/b\"c1+23?."),
        "the key [the API key, 13 bytes]."
    );
    assert_eq!(format!("{:?}", secret()), "Secret");
}

#[test]
fn text_similar_to_the_key_stays() {
    for text in [
        "sk-a/b\"c1+23",
        r#"{"a":"sk-a/b","b":"\"c1+23?"}"#,
        "SK-A/B\"C1+23?",
        "sk-a/b\"c1 23?",
        "",
    ] {
        assert!(!secret().is_in(text.as_bytes()), "{text}");
        assert!(matches!(secret().text(text), Cow::Borrowed(_)));
    }
}

#[test]
fn a_short_key_is_no_secret() {
    for key in ["", "x", "EMPTY", "ollama", "sk-12345678", "  sk-1234567  "] {
        assert!(
            !Secret::new([key]).is_in(format!("{key} \"{key}\"").as_bytes()),
            "{key}"
        );
    }
    assert!(!Secret::default().is_in(b"anything"));
    assert!(Secret::new(["x", " sk-123456789 "]).is_in(b"sk-123456789"));
}

#[test]
fn each_of_several_keys_is_found() {
    let secret = Secret::new(["first-key-0123", "second-key-0123"]);
    let text = "first-key-0123 and second-key-0123";
    assert_eq!(secret.text(text), "[the API key, 14 bytes] and [the API key, 15 bytes]");
}

#[test]
fn no_escape_sequence_is_split() {
    for (key, json) in [
        ("0073abcdefgh", r#"["\u0073abcdefgh"]"#),
        ("073abcdefghi", r#"["\u0073abcdefghi"]"#),
        ("3abcdefghijkl", r#"["\\\u0073abcdefghijkl"]"#),
        ("12345678901u", r#"["12345678901\u00e4"]"#),
        ("nnnnnnnnnnnn", r#"["\nnnnnnnnnnnnn"]"#),
        ("bbbbbbbbbbbb", r#"["\b62626262626262626262626262"]"#),
        ("abcdefghijk\\", r#"["abcdefghijk\\\\\n"]"#),
        ("abcdefghijk\\", r#"["abcdefghijk\\"]"#),
    ] {
        let hidden = Secret::new([key]).bytes(json.as_bytes()).into_owned();
        assert!(hidden != json.as_bytes(), "{json}");
        serde_json::from_slice::<Value>(&hidden).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&hidden)));
    }
}

#[test]
fn a_long_text_is_scanned_once() {
    // Each repetition starts out like a form of the key. Quadratic work would take hours.
    for part in ["sk-a/b\"c1+23", "\\", "\\u005c", "%25", "c2stYS9iImMxKzIz", "736b2d61"] {
        let text = part.repeat((4 << 20) / part.len());
        assert!(!secret().is_in(text.as_bytes()), "{part}");
        assert_eq!(secret().text(&text), text);
    }
}

#[test]
fn a_veil_reads_a_run_of_backslashes_once() {
    let text = format!("{} x", "\\".repeat(1 << 20));
    let mut veil = secret().veil();
    assert_eq!(veil.push(&text), text);
}

/// An encoding of a key, without the text around it.
#[derive(Clone, Copy, Debug)]
enum Form {
    Plain,
    Json,
    Percent,
    Base64,
    Hex,
}

/// Writes the key in a form, between other bytes; `choices` decides for each byte whether and how it is escaped.
fn written(form: Form, key: &str, around: (&[u8], &[u8]), choices: u128) -> Vec<u8> {
    let (before, behind) = around;
    let chosen = |at: usize| choices >> (at % 128) & 1 == 1;
    let mut text = String::new();
    for (at, byte) in key.bytes().enumerate() {
        let letter = char::from(byte);
        let _ = match form {
            Form::Json if chosen(at) => write!(text, "\\u{byte:04x}"),
            Form::Json if matches!(letter, '"' | '\\' | '/') => write!(text, "\\{letter}"),
            Form::Percent if chosen(at) || letter == '%' => write!(text, "%{byte:02X}"),
            Form::Plain | Form::Json | Form::Percent => write!(text, "{letter}"),
            Form::Hex if chosen(0) => write!(text, "{byte:02x}"),
            Form::Hex => write!(text, "{byte:02X}"),
            Form::Base64 => {
                let whole = [before, key.as_bytes(), behind].concat();
                let alphabets = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD];
                return alphabets[(choices % 4) as usize].encode_to_string(whole).into_bytes();
            }
        };
    }
    [before, text.as_bytes(), behind].concat()
}

fn any_form() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![Form::Plain, Form::Json, Form::Percent, Form::Base64, Form::Hex])
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

proptest! {
    #[test]
    fn every_key_is_found_in_every_form(
        key in "[!-~]{12,100}",
        form in any_form(),
        before in any_bytes(),
        behind in any_bytes(),
        choices in any::<u128>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let secret = Secret::new([&key]);
        let text = written(form, &key, (&before, &behind), choices);
        prop_assert!(secret.is_in(&text), "{form:?} {}", String::from_utf8_lossy(&text));
        prop_assert!(!secret.is_in(&secret.bytes(&text)));
        // The result must not depend on where the text is split.
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut scanner = secret.scanner();
        let found = cuts.windows(2).fold(false, |_, cut| scanner.push(&text[cut[0]..cut[1]]));
        prop_assert!(found);
    }

    #[test]
    fn text_without_a_key_is_left_alone(key in "[!-~]{12,100}", text in prop::collection::vec(any::<u8>(), 0..300)) {
        let secret = Secret::new([&key]);
        prop_assert!(!secret.is_in(&text));
        prop_assert!(matches!(secret.bytes(&text), Cow::Borrowed(_)));
    }

    #[test]
    fn hiding_a_key_keeps_json_valid_and_the_rest_unchanged(
        key in "[!-~]{12,40}",
        before in "[a-zA-Zä😀 .]{0,9}",
        behind in "[ä😀 .]{0,9}",
        choices in any::<u128>(),
    ) {
        let escaped = String::from_utf8(written(Form::Json, &key, (b"", b""), choices)).unwrap();
        let text = format!("[\"{before}{escaped}{behind}\"]");
        let read: Vec<String> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read[0], &format!("{before}{key}{behind}"));
        let hidden = Secret::new([&key]).text(&text).into_owned();
        let read: Vec<String> = serde_json::from_str(&hidden).unwrap();
        prop_assert!(read[0].starts_with(&before) && read[0].ends_with(&behind) && !read[0].contains(&key), "{}", hidden);
    }
}

/// Returns the text that a veil lets through when it receives these pieces.
fn veiled(secret: &Secret, pieces: &[&str]) -> String {
    let mut veil = secret.veil();
    pieces.iter().map(|piece| veil.push(piece)).collect()
}

#[test]
fn a_growing_text_comes_through_as_far_as_it_is_no_part_of_a_key() {
    let secret = Secret::new(["sk-0123456789"]);
    for (pieces, shown) in [
        (&["all is well"][..], "all is well"),
        (&["it is: sk-01"], "it is: "),
        (&["it is: s", "k-", "01", "x sk"], "it is: sk-01x "),
        (&["é s", "k-0123456789 more", "more"], "é "),
        (&["c2stMDEyMzQ1", "Njc4OQ== more"], ""),
        (&[r"a\u0073\u006b", r"-0123456789"], "a"),
        (&["a%73%6b", "%2d012345", "6789"], "a"),
    ] {
        assert_eq!(veiled(&secret, pieces), shown, "{pieces:?}");
    }
    assert_eq!(veiled(&Secret::default(), &["sk-0123456789", "s"]), "sk-0123456789s");
}

proptest! {
    #[test]
    fn no_part_of_a_key_comes_through_a_veil(before in "[a-z k%-]{0,9}", way in 0..4_usize, sizes in prop::collection::vec(1..9_usize, 1..9)) {
        let key = "sk-0123456789";
        let secret = Secret::new([key]);
        let escaped = key.bytes().map(|byte| format!("\\u{byte:04x}")).collect::<Vec<_>>().concat();
        let percent = key.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
        let hex = key.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let form = [key, &escaped, &percent, &hex][way];
        let text = format!("{before}{form} and more");
        let mut veil = secret.veil();
        let (mut shown, mut rest) = (String::new(), text.as_str());
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, behind) = rest.split_at(*size.min(&rest.len()));
            shown.push_str(&veil.push(piece));
            rest = behind;
        }
        prop_assert!(veil.is_closed());
        prop_assert!(before.starts_with(&shown), "{}", shown);
    }
}
