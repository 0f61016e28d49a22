//! Tests of how events change a snapshot.

use super::*;

type TurnAndAttempt = Option<(u64, u32)>;
type Happens = fn(&mut Snapshot);

fn after(happens: &[Happens]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for happens in happens {
        happens(&mut snapshot);
    }
    snapshot
}

fn asking(snapshot: &mut Snapshot, turn: u64, attempt: u32) {
    snapshot.event(&Event::Asking { turn, attempt });
}

const ASKED: Happens = |snapshot| asking(snapshot, 3, 1);
const ASKED_AGAIN: Happens = |snapshot| asking(snapshot, 3, 2);
const RETRIED: Happens = |snapshot| {
    snapshot.event(&Event::Retry {
        turn: 3,
        attempt: 1,
        error: "the connection broke".to_owned(),
        since: "1970-01-01T00:00:00.007Z".to_owned(),
        wait_s: 1.0,
    });
};

#[test]
fn a_waiting_request_ends_with_its_answer_or_its_agent() {
    let cases: [(&[Happens], TurnAndAttempt); 11] = [
        (&[ASKED], Some((3, 1))),
        (&[ASKED, ASKED], Some((3, 1))),
        (&[ASKED_AGAIN, ASKED], Some((3, 2))),
        (&[ASKED, |it| it.judged(Some(2), VerdictKind::Match)], Some((3, 1))),
        (&[ASKED, |it| it.judged(Some(3), VerdictKind::Match)], None),
        (
            &[ASKED, RETRIED, |it| it.judged(Some(3), VerdictKind::Match)],
            Some((3, 2)),
        ),
        (&[ASKED, |it| it.judged(None, VerdictKind::Match)], Some((3, 1))),
        (&[ASKED, |it| it.event(&Event::Acting { turn: 3, actions: 1 })], None),
        (&[ASKED, |it| it.set_agent(Doing::Stopped, "")], None),
        (&[ASKED, |it| it.set_agent(Doing::Restarting, "")], None),
        (&[ASKED, |it| it.set_agent(Doing::Paused, "")], Some((3, 1))),
    ];
    for (place, (happens, expected)) in cases.into_iter().enumerate() {
        let waiting = after(happens).waiting;
        let waiting = waiting.map(|waiting| (waiting.turn.unwrap(), waiting.attempt));
        assert_eq!(waiting, expected, "case {place}");
    }
    let first = after(&[ASKED]);
    let mut again = first.clone();
    ASKED(&mut again);
    assert_eq!(again.waiting, first.waiting, "it waits since the first request");

    let snapshot = after(&[ASKED, RETRIED]);
    let waiting = snapshot.waiting.unwrap();
    assert_eq!((waiting.attempt, waiting.since), (2, 7));
    assert!(waiting.until.unwrap() > waiting.since);
    let notices: Vec<_> = snapshot.notices.numbered().map(|(_, notice)| &*notice.text).collect();
    assert_eq!(notices, ["Turn 3, attempt 1 failed: the connection broke"]);
    let waiting = after(&[ASKED, RETRIED, ASKED_AGAIN]).waiting.unwrap();
    assert_eq!((waiting.attempt, waiting.until), (2, None));
}

#[test]
fn verdicts_are_counted_and_violations_remembered() {
    let mut snapshot = Snapshot::default();
    for turn in 1..=1005 {
        snapshot.judged(Some(turn), VerdictKind::Violation);
    }
    snapshot.judged(Some(1006), VerdictKind::Match);
    assert_eq!(snapshot.verdicts.0[VerdictKind::Violation.place()], 1005);
    assert_eq!(snapshot.verdicts.0[VerdictKind::Match.place()], 1);
    assert_eq!((snapshot.violations.len(), snapshot.violations[0]), (1000, 6));
}

#[test]
fn an_answer_is_shown_until_the_run_starts_again() {
    const ANSWERED: Happens = |snapshot| {
        snapshot.event(&Event::Answered {
            turn: 3,
            text: "42".to_owned(),
            success: true,
        });
    };
    const STARTED: Happens = |snapshot| {
        let run = r#"{"event":"run_started","name":"a","run_dir":".","profile":"","upstream":"","model":"","screen":"","turn":4}"#;
        snapshot.event(&Event::from_line(run).unwrap());
    };
    assert_eq!(after(&[ANSWERED]).answer.unwrap().text, "42");
    let snapshot = after(&[ANSWERED, STARTED]);
    assert_eq!((snapshot.answer, snapshot.run.unwrap().name), (None, "a".to_owned()));
}
