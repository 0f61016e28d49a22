//! Tests of matches, retries and violations: what happens to the story from turn to turn.

use franz_panel::VerdictKind::{First, Match, Retry, Unverifiable, Violation};
use franz_relay::{Copy, Ended};

use crate::wire::{Ask, Watch, quote};

#[test]
fn a_run_matches_before_and_after_failures() {
    let turn = |turn, story| Ask::new(&quote(story)).run("r", turn);
    let mut asks = vec![
        turn(1, "").reply("\"one\""),
        turn(2, "one").reply("\"two\""),
        turn(3, "two"),
        turn(3, "two").unanswered(Ended::ClientGone),
        turn(3, "two").unanswered(Ended::Unreachable("refused".to_owned())),
        turn(4, "two")
            .reply("\"four\"")
            .ended(Ended::ServerGone("reset".to_owned())),
        turn(5, "two").answer("application/json", "{\"error\":\"full\"}"),
        turn(6, "two").answer("application/json", "no JSON"),
        turn(7, "two").reply("null"),
        turn(8, "two").reply("\"eight\""),
        turn(9, "eight").reply("\"nine\""),
    ];
    let (mut plain, mut restarting) = (Watch::new(), Watch::restarting());
    let kinds = plain.kinds(asks.clone());
    assert_eq!(kinds[0], First);
    assert!(kinds[1..].iter().all(|kind| *kind == Match), "{kinds:?}");
    assert_eq!(restarting.kinds(asks.clone()), kinds);

    // A turn that was interrupted by a crash is repeated, before or after its reply was seen.
    asks.extend([
        turn(9, "eight").reply("\"other\""),
        turn(10, "other").unanswered(Ended::ClientGone),
        turn(10, "other").reply("\"ten\""),
    ]);
    let again = Watch::restarting().kinds(asks);
    assert!(again[1..].iter().all(|kind| *kind == Match), "{again:?}");
}

#[test]
fn any_other_story_is_a_violation() {
    for headers in [true, false] {
        let turn = |turn, story: &str| {
            let ask = Ask::new(&quote(story));
            if headers { ask.run("r", turn) } else { ask }
        };
        let cases = [
            ("onE", 2, 3),
            ("one ", 3, 4),
            ("on", 2, 2),
            ("", 0, 0),
            ("zero one", 0, 8),
        ];
        for (sent, position, units) in cases {
            let mut watch = Watch::new();
            let asks = vec![turn(1, "zero").reply("\"none\""), turn(2, "none").reply("\"one\"")];
            assert_eq!(watch.kinds(asks), [First, Match]);
            let verdict = watch.see(turn(3, sent).reply("\"three\""));
            assert_eq!(verdict.verdict, Violation, "{sent}");
            let difference = verdict.difference.unwrap();
            assert_eq!(
                (difference.position, difference.sent_units, difference.received_units),
                (position, units, 3)
            );
            assert_eq!(
                (difference.received.get(), difference.sent.get()),
                ("\"one\"", quote(sent).as_str())
            );
            assert_eq!(watch.kinds(vec![turn(4, "three")]), [Match]);
        }
    }
}

#[test]
fn the_story_before_is_a_retry() {
    let mut watch = Watch::new();
    let asks = vec![
        Ask::new("\"a\"").reply("\"b\""),
        Ask::new("\"b\"").reply("\"c\""),
        Ask::new("\"b\"").reply("\"d\""),
        Ask::new("\"d\""),
    ];
    assert_eq!(watch.kinds(asks), [First, Match, Retry, Match]);
    // If requests name their turns, the reply of a lower turn counts, so sending the same story again is a match.
    let asks = vec![
        Ask::new("\"a\"").run("r", 7).reply("\"b\""),
        Ask::new("\"a\"").run("r", 7).reply("\"b\""),
        Ask::new("\"b\"").run("r", 8).reply("\"c\""),
        Ask::new("\"b\"").run("r", 8).reply("\"d\""),
        Ask::new("\"c\"").run("r", 9),
    ];
    assert_eq!(watch.kinds(asks), [First, Retry, Match, Match, Violation]);
}

#[test]
fn unobserved_replies_are_not_violations() {
    let dropped = |mut ask: Ask| {
        ask.response.as_mut().unwrap().body = Copy::Dropped;
        ask
    };
    let turn = |turn, story: &str| Ask::new(&quote(story)).run("r", turn);
    // The copy of a reply was dropped.
    let asks = vec![
        turn(1, "").reply("\"one\""),
        dropped(turn(2, "one").reply("\"two\"")),
        turn(3, "two").reply("\"three\""),
        turn(4, "three"),
    ];
    assert_eq!(Watch::restarting().kinds(asks), [First, Match, Unverifiable, Match]);
    // The copy of a reply was dropped, and the agent did not use that reply.
    let asks = vec![
        turn(1, "").reply("\"one\""),
        dropped(turn(2, "one").reply("\"two\"")),
        turn(3, "one"),
    ];
    assert_eq!(Watch::restarting().kinds(asks), [First, Match, Retry]);
    // The copy of a request was dropped.
    let mut request = turn(2, "x").reply("\"two\"");
    request.body = Copy::Dropped;
    let asks = vec![turn(1, "").reply("\"one\""), request, turn(3, "two"), turn(4, "x")];
    assert_eq!(Watch::restarting().kinds(asks), [First, Unverifiable, Match, Violation]);
    // Several exchanges were not seen at all.
    for (sent, kind) in [("one", Retry), ("", Retry), ("five", Unverifiable)] {
        let asks = vec![
            turn(1, "").reply("\"one\""),
            turn(6, sent).reply("\"six\""),
            turn(7, "six"),
        ];
        assert_eq!(Watch::restarting().kinds(asks), [First, kind, Match]);
    }
    // The run continues from a turn that is too far back for its reply to have been kept.
    let mut asks: Vec<Ask> = (1..6)
        .map(|n| turn(n, &(n - 1).to_string()).reply(&quote(&n.to_string())))
        .collect();
    asks.extend([
        turn(3, "2").reply("\"x\""),
        turn(4, "x"),
        turn(1, "").reply("\"y\""),
        turn(2, "y"),
    ]);
    let kinds = Watch::restarting().kinds(asks);
    assert_eq!(
        kinds,
        [First, Match, Match, Match, Match, Unverifiable, Match, First, Match]
    );
}

#[test]
fn a_placeholder_may_replace_an_empty_story() {
    let stand_in = |turn| Ask::new("\"(nothing yet)\"").run("r", turn);
    let asks = vec![
        stand_in(1).reply("\"one\""),
        Ask::new("\"one\"").run("r", 2).reply("\"\""),
        stand_in(3).reply("\"\""),
        stand_in(4).reply("\"\""),
        Ask::new("\"(nothing Yet)\"").run("r", 5),
    ];
    assert_eq!(Watch::restarting().kinds(asks), [First, Match, Match, Match, Violation]);
    // If the first turn was not seen, the placeholder is learnt once.
    let asks = vec![
        Ask::new("\"five\"").run("r", 6).reply("\"\""),
        stand_in(7).reply("\"\""),
        Ask::new("\"other\"").run("r", 8),
    ];
    assert_eq!(Watch::restarting().kinds(asks), [First, Unverifiable, Violation]);
    // An agent that sends empty stories has no placeholder.
    let asks = vec![
        Ask::new("\"\"").run("r", 1).reply("\"\""),
        Ask::new("\"\"").run("r", 2).reply("\"\""),
        Ask::new("\"x\"").run("r", 3),
    ];
    assert_eq!(Watch::restarting().kinds(asks), [First, Match, Violation]);
}

#[test]
fn only_chat_requests_are_judged() {
    let mut watch = Watch::new();
    for (target, judged) in [
        ("/v1/chat/completions", true),
        ("/chat/completions?x=/models", true),
        ("http://127.0.0.1:1/v1/chat/completions", true),
        ("/v1/completions", false),
        ("/v1/models?q=/chat/completions", false),
        ("/v1/chat/completions/", false),
    ] {
        let mut ask = Ask::new("\"\"");
        ask.target = target;
        assert_eq!(watch.judge(ask).is_some(), judged, "{target}");
    }
}

#[test]
fn other_request_shapes_are_unverifiable_and_harmless() {
    let system = r#"{"role":"system","content":"s"}"#;
    let conversation =
        format!(r#"{{"messages":[{system},{{"role":"user","content":"u"}},{{"role":"assistant","content":"a"}}]}}"#);
    let single = format!(r#"{{"messages":[{system},{{"role":"user","content":"u"}}]}}"#);
    let mut watch = Watch::new();
    let asks = vec![
        Ask::new("\"\"").run("r", 1).reply("\"one\""),
        Ask::new("").run("r", 2).body(conversation),
        Ask::new("").run("r", 3).body(single),
        Ask::new("").run("r", 4).body("no JSON"),
        Ask::new("\"one\"").run("r", 5),
    ];
    let verdicts: Vec<_> = asks.into_iter().map(|ask| watch.see(ask)).collect();
    let kinds: Vec<_> = verdicts.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(kinds, [First, Unverifiable, Unverifiable, Unverifiable, Match]);
    let whys: Vec<_> = verdicts[1..4]
        .iter()
        .map(|verdict| verdict.why.clone().unwrap())
        .collect();
    assert!(whys[0].contains("conversation") && whys[1].contains("2 messages") && whys[2].contains("no messages"));
}

#[test]
fn a_verdict_describes_the_observed_exchange() {
    let mut watch = Watch::new();
    let verdict = watch.see(Ask::new("\"\"").run("r", 1).reply("\"one\""));
    let hash = |text: &str| Some(franz_record::digest::sha256_hex(text.as_bytes()));
    assert_eq!(
        (verdict.agent.as_str(), verdict.turn, verdict.status, verdict.adopted),
        ("r", Some(1), Some(200), true)
    );
    assert_eq!((verdict.sent, verdict.received), (hash("\"\""), hash("\"one\"")));
    assert_eq!(verdict.started, "1970-01-01T00:00:01Z");
    assert!((verdict.sent_ms - 1.5).abs() < 1e-9);
    let verdict = watch.see(Ask::new("\"one\"").run("r", 2));
    assert_eq!(
        (verdict.status, verdict.adopted, verdict.received),
        (Some(503), false, None)
    );
}

#[test]
fn a_request_with_duplicate_members_is_not_verified() {
    let user = |text: &str| format!("{{\"role\":\"user\",\"content\":{text}}}");
    let (story, feedback) = (user("\"reply 1\""), user("\"f\""));
    let messages = format!("[{story},{feedback}]");
    let bodies = [
        (
            format!("{{\"messages\":{messages},\"messages\":{messages}}}"),
            "messages",
        ),
        (
            format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"x\",\"content\":\"reply 1\"}},{feedback}]}}"),
            "content",
        ),
    ];
    for (body, name) in bodies {
        let mut watch = Watch::new();
        watch.see(Ask::new("\"\"").run("r", 1).reply("\"reply 1\""));
        let verdict = watch.see(Ask::new("\"\"").run("r", 2).body(body));
        assert_eq!(verdict.verdict, Unverifiable);
        assert_eq!(verdict.why, Some(format!("the request contains {name} twice")));
        let next = watch.see(Ask::new("\"reply 1\"").run("r", 3)).verdict;
        assert!([Match, Retry].contains(&next), "{next:?}");
    }
}
