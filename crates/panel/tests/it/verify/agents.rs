//! Tests of several agents, and of agents that do not identify themselves.

use franz_panel::VerdictKind::{First, Match, Retry, Violation};
use franz_relay::Ended;

use crate::wire::{Ask, Watch, quote};

/// Returns a request from an agent that opens a new connection for each request and sends none of our headers.
fn stranger(connection: u64, story: &str) -> Ask {
    Ask::new(&quote(story))
        .program("Python-urllib/3.12")
        .connection(connection)
}

#[test]
fn named_agents_are_judged_separately() {
    for mut watch in [Watch::new(), Watch::restarting()] {
        let mut story = [String::new(), String::new(), String::new()];
        for turn in 1..20_u64 {
            for (number, run) in ["a", "b", "c"].into_iter().enumerate() {
                let reply = quote(&format!("{run} in {turn}"));
                let ask = Ask::new(&quote(&story[number])).run(run, turn).reply(&reply);
                let verdict = watch.see(ask);
                assert_eq!(verdict.verdict, if turn == 1 { First } else { Match });
                assert_eq!((verdict.agent.as_str(), verdict.turn), (run, Some(turn)));
                story[number] = format!("{run} in {turn}");
            }
        }
    }
}

#[test]
fn an_unnamed_agent_is_recognised_by_its_story() {
    for mut watch in [Watch::new(), Watch::restarting()] {
        let asks = vec![
            stranger(1, "").reply("\"one\""),
            stranger(2, "one").reply("\"two\""),
            stranger(3, "two"),
            stranger(4, "two").reply("\"three\""),
            stranger(5, "two").reply("\"four\""),
            stranger(6, "fouR").reply("\"five\""),
            stranger(7, "five"),
        ];
        let verdicts: Vec<_> = asks.into_iter().map(|ask| watch.see(ask)).collect();
        let kinds: Vec<_> = verdicts.iter().map(|verdict| verdict.verdict).collect();
        assert_eq!(kinds, [First, Match, Match, Match, Retry, Violation, Match]);
        assert!(
            verdicts.iter().all(|verdict| verdict.agent == "agent 1"),
            "{verdicts:?}"
        );
        let turns: Vec<_> = verdicts.iter().filter_map(|verdict| verdict.turn).collect();
        assert_eq!(turns, [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(verdicts[5].difference.as_ref().unwrap().position, 3);
    }
}

#[test]
fn an_unnamed_agent_is_recognised_by_its_connection() {
    let asks = vec![
        Ask::new("\"\"").connection(1).reply("\"one\""),
        Ask::new("\"\"").connection(2).reply("\"eins\""),
        Ask::new("\"one\"").connection(1).reply("\"two\""),
        Ask::new("\"eins\"").connection(2).reply("\"zwei\""),
        Ask::new("\"\"").connection(1),
        Ask::new("\"two\"").connection(2),
    ];
    let mut watch = Watch::new();
    let verdicts: Vec<_> = asks.into_iter().map(|ask| watch.see(ask)).collect();
    let found: Vec<_> = verdicts
        .iter()
        .map(|verdict| (verdict.verdict, verdict.agent.as_str()))
        .collect();
    let (one, two) = ("agent 1", "agent 2");
    assert_eq!(
        found,
        [
            (First, one),
            (First, two),
            (Match, one),
            (Match, two),
            (Violation, one),
            (Violation, two)
        ]
    );
}

#[test]
fn two_strangers_at_once_are_told_apart() {
    for mut watch in [Watch::new(), Watch::restarting()] {
        let (mut connection, mut start) = (0, 0);
        let mut stories = [String::new(), String::new()];
        for turn in 0..10 {
            // Both send requests at the same time. Which of them gets the first answer varies.
            start += 10_000;
            let mut both = [0, 1];
            both.rotate_left(turn % 2);
            for number in both {
                connection += 1;
                let reply = format!("{number} in {turn}");
                let ask = stranger(connection, &stories[number])
                    .at(start, 2_000)
                    .reply(&quote(&reply));
                let verdict = watch.see(ask);
                assert_eq!(
                    verdict.verdict,
                    if turn == 0 { First } else { Match },
                    "{turn} {number}"
                );
                stories[number] = reply;
            }
        }
        // If its story was changed, an agent is recognised because its story is the most similar one.
        for number in [0, 1] {
            start += 10_000;
            let changed = stories[number].replace("in", "iN");
            let verdict = watch.see(stranger(90 + number as u64, &changed).at(start, 10).reply("\"after\""));
            assert_eq!((verdict.verdict, verdict.difference.unwrap().position), (Violation, 3));
            start += 10_000;
            assert_eq!(
                watch.kinds(vec![
                    stranger(95 + number as u64, "after")
                        .at(start, 10)
                        .reply(&quote(&stories[number]))
                ]),
                [Match]
            );
        }
    }
}

#[test]
fn an_attempt_that_is_noticed_late_changes_nothing() {
    let mut watch = Watch::new();
    let mut given_up = stranger(2, "one").unanswered(Ended::ClientGone);
    given_up.id = Some(2);
    let mut again = stranger(3, "one").reply("\"two\"");
    again.id = Some(3);
    let (given_up, again) = (given_up.at(3_000, 900), again.at(3_500, 200));
    let mut last = stranger(4, "two");
    last.id = Some(4);
    let asks = vec![stranger(1, "").reply("\"one\""), again, given_up, last];
    assert_eq!(watch.kinds(asks), [First, Match, Retry, Match]);
}

#[test]
fn another_relay_may_restart_its_numbering() {
    let mut watch = Watch::new();
    let mut elsewhere = Ask::new("\"one\"").run("r", 2).reply("\"two\"");
    elsewhere.id = Some(1);
    let asks = vec![
        Ask::new("\"\"").run("r", 1),
        Ask::new("\"\"").run("r", 1).reply("\"one\""),
        elsewhere,
        Ask::new("\"two\"").run("r", 3),
    ];
    assert_eq!(watch.kinds(asks), [First, Retry, Match, Match]);
}

#[test]
fn another_program_is_another_agent() {
    let mut watch = Watch::new();
    let asks = vec![
        stranger(1, "").reply("\"one\""),
        Ask::new("\"hello\"").program("curl/8").connection(2).reply("\"hi\""),
        stranger(3, "one"),
        stranger(4, "").reply("\"uno\""),
        stranger(5, "uno"),
    ];
    assert_eq!(watch.kinds(asks), [First, First, Match, First, Match]);
}

#[test]
fn old_agent_names_are_forgotten() {
    let mut watch = Watch::new();
    for number in 0..200_u64 {
        let run = format!("run {number}");
        watch.judge(Ask::new("\"\"").run(&run, 1).reply(&quote(&run)));
    }
    for (number, kind) in [(199_u64, Match), (150, Match), (20, First)] {
        let run = format!("run {number}");
        let verdict = watch.see(Ask::new(&quote(&run)).run(&run, 2));
        assert_eq!(verdict.verdict, kind, "{run}");
    }
}

#[test]
fn an_identical_first_request_is_a_new_agent() {
    let begin = "\"You have just been started.\"";
    // Two agents begin at the same time, and later the first one is restarted.
    let asks = || {
        vec![
            Ask::new(begin).connection(1).reply("\"one\""),
            Ask::new(begin).connection(2).reply("\"eins\""),
            Ask::new("\"one\"").connection(1).reply("\"two\""),
            Ask::new("\"eins\"").connection(2).reply("\"zwei\""),
            Ask::new(begin).connection(3).reply("\"uno\""),
            Ask::new("\"uno\"").connection(4).reply("\"due\""),
            Ask::new("\"zwei\"").connection(5),
        ]
    };
    let expected = [First, First, Match, Match, First, Match, Match];
    assert_eq!(Watch::new().kinds(asks()), expected);
    // A first request that was not answered is sent again.
    let again = vec![
        Ask::new(begin)
            .connection(1)
            .unanswered(Ended::Unreachable(String::new())),
        Ask::new(begin).connection(2).reply("\"one\""),
        Ask::new("\"one\"").connection(3),
    ];
    assert_eq!(Watch::restarting().kinds(again), [First, Retry, Match]);
}
