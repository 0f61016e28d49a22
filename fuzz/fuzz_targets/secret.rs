//! Text from which a key is removed. JSON stays JSON, and the key is gone, however it is written.
#![no_main]

use franz_secret::Secret;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const KEY: &str = "sk-0123456789";

fuzz_target!(|data: &[u8]| {
    let secret = Secret::new([KEY]);
    assert!(!secret.is_in(&secret.bytes(data)));
    let text = String::from_utf8_lossy(data);
    assert!(!secret.text(&text).contains(KEY));
    if let Ok(Value::String(_)) = serde_json::from_slice(data) {
        let struck = secret.bytes(data);
        let Ok(Value::String(left)) = serde_json::from_slice(&struck) else {
            panic!("it is a string no more: {}", String::from_utf8_lossy(&struck))
        };
        assert!(!left.contains(KEY));
    } else if serde_json::from_slice::<Value>(data).is_ok() {
        let struck = secret.bytes(data);
        assert!(serde_json::from_slice::<Value>(&struck).is_ok());
    }
});
