//! Tests of strangers who pretend to be our own agent. Nothing that they claim is believed without the agent's key.

use franz_panel::Verdict;
use franz_panel::VerdictKind::{First, Match};

use crate::wire::{Ask, Watch, quote};

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// Returns our agent's request for a turn, with the previous turn's reply as its story.
fn ours(turn: u64) -> Ask {
    let before = if turn == 1 {
        String::new()
    } else {
        format!("reply {}", turn - 1)
    };
    Ask::new(&quote(&before))
        .run("r", turn)
        .key(KEY)
        .reply(&quote(&format!("reply {turn}")))
}

fn forged(turn: u64, story: &str, connection: u64) -> Ask {
    Ask::new(&quote(story))
        .run("r", turn)
        .connection(connection)
        .reply("\"a reply of another\"")
}

fn is_stranger(verdict: &Verdict) -> bool {
    verdict.turn.is_none() && verdict.agent != "r"
}

#[test]
fn a_forged_request_does_not_affect_our_verdicts() {
    for watch in [Watch::new(), Watch::restarting()] {
        let mut watch = watch.with_key(KEY);
        for turn in 1..12 {
            let asks = [
                forged(turn, "", 7),
                forged(turn + 1, "something else", 8),
                forged(turn, &format!("reply {}", turn.saturating_sub(1)), 1).key("ffffffffffffffffffffffffffffffff"),
                forged(turn, "x", 9).key(""),
            ];
            for ask in asks {
                let verdict = watch.see(ask);
                assert!(is_stranger(&verdict), "{verdict:?}");
            }
            let verdict = watch.see(ours(turn));
            assert_eq!(verdict.verdict, if turn == 1 { First } else { Match }, "{verdict:?}");
            assert_eq!((verdict.agent.as_str(), verdict.turn), ("r", Some(turn)));
        }
    }
}

#[test]
fn many_strangers_do_not_evict_our_agent() {
    let mut watch = Watch::new().with_key(KEY);
    assert_eq!(watch.see(ours(1)).verdict, First);
    for connection in 2..200 {
        watch.judge(forged(1, &format!("story {connection}"), connection));
    }
    let long = "x".repeat(6 << 20);
    for connection in 200..204 {
        watch.judge(forged(1, &format!("{connection} {long}"), connection));
    }
    assert_eq!(watch.see(ours(2)).verdict, Match);
}

#[test]
fn another_panel_has_another_key_and_the_same_memory() {
    let mut watch = Watch::new().with_key("00000000000000000000000000000000");
    assert_eq!(watch.see(ours(1).key("x")).agent, "agent 1");
    let mut watch = watch.with_key(KEY);
    assert_eq!(watch.see(ours(1)).verdict, First);
    let other = "11111111111111111111111111111111";
    let mut watch = watch.with_key(other);
    let mut again = ours(2);
    again.fields.retain(|(name, _)| *name != "X-Franz-Key");
    assert_eq!(watch.see(again.clone().key(other)).verdict, Match);
    assert_eq!(watch.see(again.key(other)).verdict, Match);
    assert!(
        is_stranger(&watch.see(ours(3))),
        "a request of an agent that was left behind"
    );
}
