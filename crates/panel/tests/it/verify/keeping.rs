//! Tests of what remains after a verifier has ended.

use std::fs;

use franz_panel::VerdictKind::{First, Match};
use franz_panel::verify::Verifier;
use proptest::prelude::*;

use crate::wire::{Ask, Watch, quote};

#[test]
fn a_damaged_file_is_reported_once_and_replaced() {
    for content in [
        "",
        "{",
        "[]",
        "{\"v\":1}",
        "{\"v\":2,\"memory\":{}}",
        "{\"v\":1,\"memory\":{\"known\":[1]}}",
    ] {
        let mut watch = Watch::new();
        watch.see(Ask::new("\"\"").run("r", 1).reply("\"one\""));
        let file = watch.path().join(Verifier::FILE);
        fs::write(&file, content).unwrap();
        watch.restart();
        let verdict = watch.see(Ask::new("\"x\"").run("r", 2).reply("\"two\""));
        assert_eq!(verdict.verdict, First);
        assert!(verdict.why.unwrap().contains(Verifier::FILE), "{content}");
        watch.restart();
        assert_eq!(watch.kinds(vec![Ask::new("\"two\"").run("r", 3)]), [Match]);
    }
}

#[test]
fn the_memory_file_is_private_and_complete() {
    let mut watch = Watch::new();
    watch.see(Ask::new("\"\"").run("r", 1).reply(r#""\ud800""#));
    let names: Vec<_> = fs::read_dir(watch.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [Verifier::FILE]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(watch.path().join(Verifier::FILE))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_repeated_exchange_matches_whether_or_not_it_was_kept() {
    let asks = || {
        let reply = Ask::new("\"one\"").run("r", 2).reply("\"two\"");
        [Ask::new("\"\"").run("r", 1).reply("\"one\""), reply.clone(), reply]
    };
    for kept in [true, false] {
        let mut watch = Watch::new();
        let [first, second, again] = asks();
        watch.see(first);
        if kept {
            watch.see(second);
        } else {
            // The panel was killed before it could save what it had seen.
            watch.judge(second);
        }
        watch.restart();
        assert_eq!(
            watch.kinds(vec![again, Ask::new("\"two\"").run("r", 3)]),
            [Match, Match]
        );
    }
}

#[test]
fn long_stories_of_many_agents_are_bounded() {
    let mut watch = Watch::new();
    let long = quote(&"x".repeat(3 << 20));
    for run in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        watch.see(Ask::new(&long).run(run, 1).reply(&long));
    }
    let bytes = fs::metadata(watch.path().join(Verifier::FILE)).unwrap().len();
    assert!(bytes < 17 << 20, "{bytes}");
    assert_eq!(
        watch.kinds(vec![Ask::new(&long).run("h", 2), Ask::new("\"\"").run("a", 2)]),
        [Match, First]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A restart between any two exchanges must not change a verdict.
    #[test]
    fn a_restart_changes_nothing(
        script in prop::collection::vec((0..3_usize, 0..6_u8, 0..3_u8, any::<bool>()), 1..30),
        headers in any::<bool>(),
    ) {
        let mut asks = Vec::new();
        let mut story = [String::new(), String::new(), String::new()];
        let mut previous = story.clone();
        let mut turns = [0; 3];
        for (number, (agent, sends, comes, same_turn)) in script.into_iter().enumerate() {
            let sent = match sends {
                0 => format!("{}x", story[agent]),
                1 => previous[agent].clone(),
                _ => story[agent].clone(),
            };
            if !same_turn || turns[agent] == 0 {
                turns[agent] += 1;
            }
            let mut ask = Ask::new(&quote(&sent)).connection(number as u64);
            if headers {
                ask = ask.run(["a", "b", "c"][agent], turns[agent]);
            } else {
                ask = ask.program(["a", "b", "c"][agent]);
            }
            previous[agent] = sent;
            if comes > 0 {
                story[agent] = format!("reply {number} to {agent}");
                ask = ask.reply(&quote(&story[agent]));
            }
            asks.push(ask);
        }
        let plain = Watch::new().kinds(asks.clone());
        let restarting = Watch::restarting().kinds(asks);
        prop_assert_eq!(plain, restarting);
    }
}
