use proptest::prelude::*;

use super::*;

const NAMERS: [NamedBy; 3] = [NamedBy::CommandLine, NamedBy::Person, NamedBy::Others];

fn key(text: &str) -> ApiKey {
    ApiKey::new(text).unwrap()
}

fn endpoint(text: &str) -> Endpoint {
    text.parse().unwrap()
}

fn given(keyring: &Keyring, server: &str, named_by: NamedBy) -> Option<String> {
    let key = keyring.may_have(&endpoint(server), named_by);
    key.map(|key| key.text().to_owned())
}

#[test]
fn only_a_server_that_the_person_named_gets_the_key() {
    let keyring = Keyring::default().with_upstream_key(key("own"), false);
    for server in ["https://cloud.example", "http://127.0.0.1:1", "http://h:1"] {
        let all = NAMERS.map(|named_by| given(&keyring, server, named_by).is_some());
        assert_eq!(all, [true, true, false], "{server}");
    }
    assert!(
        NAMERS
            .iter()
            .all(|named_by| given(&Keyring::default(), "h:1", *named_by).is_none())
    );
}

#[test]
fn openai_key_leaves_this_machine_only_for_a_server_on_the_command_line() {
    let keyring = Keyring::default().with_upstream_key(key("cloud"), true);
    for (server, expected) in [
        ("https://api.openai.com/v1", [true, false, false]),
        ("http://127.0.0.1.evil.example", [true, false, false]),
        ("http://localhost.evil.example", [true, false, false]),
        ("http://localhost:1234/v1", [true, true, false]),
        ("http://127.0.0.2:1", [true, true, false]),
        ("http://[::1]:1", [true, true, false]),
    ] {
        let all = NAMERS.map(|named_by| given(&keyring, server, named_by).is_some());
        assert_eq!(all, expected, "{server}");
    }
}

#[test]
fn a_key_entry_applies_to_its_server_whoever_names_it() {
    let keyring = Keyring::default()
        .with_upstream_key(key("own"), false)
        .with_server_key("https://good.example".parse().unwrap(), key("entry"))
        .with_key_for("http://second.example:8080".parse().unwrap());
    for (server, expected) in [
        ("https://good.example/v1", Some("entry")),
        ("https://GOOD.example:443", Some("entry")),
        ("http://good.example", None),
        ("https://good.example:444", None),
        ("https://good.example.", None),
        ("https://good.example.evil.example", None),
        ("http://second.example:8080/v1", Some("own")),
        ("http://second.example", None),
        ("https://second.example:8080", None),
    ] {
        assert_eq!(
            given(&keyring, server, NamedBy::Others).as_deref(),
            expected,
            "{server}"
        );
    }
    assert_eq!(
        given(&keyring, "https://good.example", NamedBy::CommandLine).as_deref(),
        Some("entry")
    );
}

#[test]
fn a_grant_is_for_one_server() {
    let keyring = Keyring::default().with_upstream_key(key("sk-0123456789"), false);
    let grant = keyring.grant(&endpoint("https://h/api"), NamedBy::Person);
    let (own, relay) = (endpoint("https://h:443/v1"), endpoint("http://127.0.0.1:1"));
    assert!(grant.check(&own, None).is_ok() && grant.check(&relay, Some(&own)).is_ok());
    for other in ["http://h", "https://i", "https://h:1"] {
        let other = endpoint(other);
        let error = grant.check(&other, None).unwrap_err().to_string();
        assert!(!error.contains("sk-0"), "{error}");
        assert!(grant.check(&relay, Some(&other)).is_err());
    }
    assert!(Grant::default().check(&endpoint("https://i"), None).is_ok());
    assert!(!format!("{keyring:?} {grant:?}").contains("sk-0"));
}

#[test]
fn every_held_key_counts_as_a_secret() {
    let keyring = Keyring::default()
        .with_upstream_key(key("upstream-key-1"), false)
        .with_server_key("https://h".parse().unwrap(), key("server-key-22"))
        .with_held_key(key("held-key-333"));
    for text in ["upstream-key-1", "server-key-22", "held-key-333"] {
        assert!(keyring.secret().is_in(text.as_bytes()), "{text}");
    }
    assert_eq!(keyring.keys().count(), 3);
}

/// Generates servers from parts that resemble each other.
fn any_server() -> impl Strategy<Value = (String, &'static str, u16, bool)> {
    let scheme = prop::sample::select(vec!["http", "https"]);
    let host = prop::sample::select(vec![
        ("good.example", "good.example", false),
        ("GOOD.Example", "good.example", false),
        ("good.example.", "good.example.", false),
        ("good.example.evil", "good.example.evil", false),
        ("127.0.0.1", "127.0.0.1", true),
        ("127.1", "127.0.0.1", true),
        ("[::1]", "[::1]", true),
        ("localhost", "localhost", true),
    ]);
    let port = prop::sample::select(vec![None, Some(80_u16), Some(443), Some(8080)]);
    let path = prop::sample::select(vec!["", "/", "/v1", "/v1/chat/completions", "/good.example"]);
    (scheme, host, port, path).prop_map(|(scheme, (host, canonical, local), port, path)| {
        let shown = port.map(|port| format!(":{port}")).unwrap_or_default();
        let usual = if scheme == "https" { 443 } else { 80 };
        let secure = scheme == "https";
        let server = format!("{scheme}://{host}{shown}{path}");
        let known = if secure { [canonical, "s"] } else { [canonical, ""] }.concat();
        (
            server,
            Box::leak(known.into_boxed_str()) as &'static str,
            port.unwrap_or(usual),
            local,
        )
    })
}

proptest! {
    /// Checks the rule against an independent formulation of it.
    #[test]
    fn no_server_gets_a_key_against_the_rule(
        (asked, asked_host, asked_port, is_local) in any_server(),
        (other, other_host, other_port, _) in any_server(),
        named_by in prop::sample::select(NAMERS.to_vec()),
        customary in any::<bool>(),
        entry in any::<bool>(),
        also in any::<bool>(),
    ) {
        let origin: ServerOrigin = endpoint(&other).origin();
        let mut keyring = Keyring::default().with_upstream_key(key("own"), customary);
        if entry {
            keyring = keyring.with_server_key(origin.clone(), key("entry"));
        }
        if also {
            keyring = keyring.with_key_for(origin);
        }
        let same = asked_host == other_host && asked_port == other_port;
        let expected = if same && entry {
            Some("entry")
        } else if same && also || named_by == NamedBy::CommandLine || named_by == NamedBy::Person && (!customary || is_local) {
            Some("own")
        } else {
            None
        };
        let given = given(&keyring, &asked, named_by);
        prop_assert_eq!(given.as_deref(), expected);
    }
}
