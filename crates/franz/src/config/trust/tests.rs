//! Tests which changes make a value wider.

use super::*;
use crate::config::key::ConfigKey;

fn value(text: &str) -> Option<Value> {
    (text != "-").then(|| text.parse().unwrap())
}

#[test]
fn bounds_may_be_tightened_but_never_lifted() {
    let cases = [
        ("protocol.tools.drag", "true", "false", true),
        ("protocol.tools.drag", "true", "true", true),
        ("protocol.tools.drag", "false", "true", false),
        ("protocol.tools.drag", "false", "-", false),
        ("protocol.tools.drag", "-", "true", true),
        ("protocol.tools.read_clipboard", "-", "true", false),
        ("protocol.tools.read_clipboard", "-", "false", true),
        ("protocol.tools.write_clipboard", "false", "true", false),
        ("loop.stop_on_answer", "true", "false", false),
        ("loop.stop_on_answer", "false", "true", true),
        ("loop.look", "'target'", "'off'", false),
        ("loop.look", "'off'", "'target'", true),
        ("loop.max_turns", "0", "9", true),
        ("loop.max_turns", "9", "8", true),
        ("loop.max_turns", "9", "10", false),
        ("loop.max_turns", "9", "0", false),
        ("model.max_tokens", "-", "9", true),
        ("model.max_tokens", "9", "-", false),
        ("model.max_tokens", "9", "10", false),
        ("protocol.limits.seconds", "2.0", "2.5", false),
        ("protocol.limits.seconds", "2.0", "0.5", true),
        ("screen.countdown_s", "5", "4.0", false),
        ("screen.countdown_s", "5", "6", true),
        ("screen.yield", "true", "false", false),
        ("screen.yield", "false", "true", true),
        ("record.required", "true", "false", false),
        ("protocol.strict", "true", "false", false),
        ("protocol.strict", "false", "true", true),
        ("screen.kind", "'canvas'", "'desktop'", false),
        ("screen.kind", "'canvas'", "'virtual'", true),
        ("screen.kind", "'canvas'", "'browser'", true),
        ("screen.url", "-", "'https://example.org'", false),
        ("screen.browser", "-", "'chrome'", false),
        ("screen.kind", "'desktop'", "'canvas'", true),
        ("screen.region", "-", "[0, 0, 50, 50]", true),
        ("screen.region", "[0, 0, 50, 50]", "[10, 10, 40, 40]", true),
        ("screen.region", "[0, 0, 50, 50]", "[10, 10, 41, 40]", false),
        ("screen.region", "[0, 0, 50, 50]", "-", false),
        ("screen.start", "[]", "['xterm']", false),
        ("screen.start", "['xterm']", "[]", false),
        ("model.upstream", "'auto'", "'demo'", false),
        ("panel.relay", "-", "'127.0.0.1:9'", true),
        ("panel.relay", "-", "'9'", true),
        ("panel.relay", "-", "'[::1]:9'", true),
        ("panel.relay", "-", "'0.0.0.0:9'", false),
        ("panel.dashboard", "-", "'[::]:9'", false),
        ("panel.dashboard", "'0.0.0.0:9'", "'127.0.0.1:9'", true),
        ("panel.dashboard", "-", "'localhost:9'", false),
        ("panel.dashboard", "-", "'127.0.0.1.example.org:9'", false),
        ("panel.allow_hosts", "['a', 'b']", "['b']", true),
        ("panel.allow_hosts", "['a']", "['a', 'b']", false),
        ("screen.mask", "[]", "[{ window = 'a' }]", true),
        ("screen.mask", "[{ window = 'a' }]", "[]", false),
        (
            "screen.mask",
            "[{ area = [0, 0, 9, 9] }]",
            "[{ area = [0, 0, 10, 10] }]",
            true,
        ),
        (
            "screen.mask",
            "[{ area = [0, 0, 9, 9] }]",
            "[{ area = [0, 0, 9, 8] }]",
            false,
        ),
        ("prompt.goal", "'a'", "'b'", true),
        ("loop.executing_delay_s", "1.0", "0.0", true),
    ];
    for (name, before, after, admitted) in cases {
        let key = ConfigKey::named(name).unwrap();
        let (old, new) = (value(before), value(after));
        assert_eq!(
            key.trust.admits(old.as_ref(), new.as_ref()),
            admitted,
            "{name} {before} {after}"
        );
    }
}

/// A key with one of these words in its description is never open to everybody. Any new key like that must be reviewed.
#[test]
fn keys_that_grant_access_are_never_open_to_all() {
    for name in ConfigKey::names() {
        let key = ConfigKey::named(&name).unwrap();
        let about = key.about.to_lowercase();
        let words = [
            "server: a url",
            "urls of",
            "commands",
            "listens",
            "directory that holds",
            "clipboard",
        ];
        if words.iter().any(|word| about.contains(word)) {
            assert_ne!(key.trust, Trust::Any, "{name}: {about}");
        }
    }
}
