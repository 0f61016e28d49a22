//! Measures the cost of looking for a key: `cargo run --release -p franz-secret --example scan`.

use std::time::Instant;

use franz_secret::Secret;

fn main() {
    let key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";
    let secret = Secret::new([key]);
    let reply = r#"{"choices":[{"message":{"content":"```python\nleft_click(500, 500)\n``` I look at \u00e4 100% \/ of it"}}]}"#;
    for (what, part) in [
        ("a reply", reply),
        ("letters", "abcdefghijklmnopqrstuvwxyz"),
        ("backslashes", "\\"),
        ("escapes", "\\u0073\\u006b-proj-0123456789"),
        ("percent signs", "%25%73%6B"),
        ("the key without its end", "sk-proj-0123456789abcdefghijklmnopqrstuvwxy"),
    ] {
        for megabytes in [16, 64] {
            let text = part.repeat((megabytes << 20) / part.len());
            let began = Instant::now();
            assert!(!secret.is_in(text.as_bytes()));
            let looked = began.elapsed();
            let began = Instant::now();
            assert!(matches!(secret.text(&text), std::borrow::Cow::Borrowed(_)));
            println!(
                "{megabytes} MB of {what}: found none in {looked:.0?}, hid none in {:.0?}",
                began.elapsed()
            );
        }
    }
}
