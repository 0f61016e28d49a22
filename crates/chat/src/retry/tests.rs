use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::{Next, Policy, Trials, retry_after};
use crate::connection_error::ConnectionError;
use crate::defect::Defect;
use crate::failure::{RequestFailure, Trouble};

const NO_TIME: Duration = Duration::ZERO;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn refused() -> RequestFailure {
    RequestFailure::Unreachable {
        address: "http://h:1".to_owned(),
        why: "refused".to_owned(),
    }
}

fn timeout() -> RequestFailure {
    RequestFailure::Timeout { after: seconds(600) }
}

fn busy(retry_after: Option<u64>) -> RequestFailure {
    RequestFailure::Server {
        status: 503,
        words: "Loading model".to_owned(),
        retry_after: retry_after.map(seconds),
    }
}

fn broken(error: ConnectionError) -> RequestFailure {
    RequestFailure::Broken {
        address: "http://h:1".to_owned(),
        error,
    }
}

fn useless() -> RequestFailure {
    RequestFailure::Defect(Defect::Empty)
}

fn lasting() -> RequestFailure {
    RequestFailure::of_status(401, "who are you".to_owned(), None)
}

fn missing() -> RequestFailure {
    RequestFailure::of_status(404, "The model `m` does not exist.".to_owned(), None)
}

fn broke() -> RequestFailure {
    let body = br#"{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}"#;
    RequestFailure::of_answer(429, body, None)
}

fn trials(policy: Policy) -> Trials {
    Trials::new(policy, 1)
}

#[test]
fn waits_for_a_loading_server_grow() {
    let mut trials = trials(Policy::default());
    let mut waits = Vec::new();
    while let Next::Again(wait) = trials.after(&busy(None), NO_TIME, 0.0) {
        waits.push(wait);
    }
    let first: Vec<f64> = waits.iter().take(7).map(Duration::as_secs_f64).collect();
    assert_eq!(first, [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]);
    assert_eq!(waits.iter().sum::<Duration>(), Duration::from_mins(10));
    assert_eq!(trials.after(&busy(None), NO_TIME, 0.0), Next::End);
}

#[test]
fn without_a_limit_retries_never_end() {
    let mut trials = trials(Policy {
        most_wait: None,
        ..Policy::default()
    });
    for _ in 0..100_000 {
        assert!(matches!(trials.after(&refused(), seconds(9), 1.0), Next::Again(_)));
    }
}

#[test]
fn jitter_lengthens_a_wait_by_a_quarter_at_most() {
    let mut trials = trials(Policy::default());
    assert_eq!(
        trials.after(&busy(None), NO_TIME, 1.0),
        Next::Again(Duration::from_millis(625))
    );
    for _ in 0..6 {
        trials.after(&busy(None), NO_TIME, 1.0);
    }
    assert_eq!(trials.after(&busy(None), NO_TIME, 1.0), Next::Again(seconds(15)));
}

#[test]
fn retry_after_is_respected_up_to_a_maximum() {
    let wait = |asked| trials(Policy::default()).after(&busy(Some(asked)), NO_TIME, 0.0);
    assert_eq!(
        [0, 7, 60, 86_400].map(wait),
        [0.5, 7.0, 60.0, 60.0].map(|wait| Next::Again(Duration::from_secs_f64(wait)))
    );
    let mut trials = trials(Policy {
        most_wait: Some(seconds(3)),
        ..Policy::default()
    });
    assert_eq!(
        trials.after(&busy(Some(60)), NO_TIME, 0.0),
        Next::Again(seconds(3)),
        "one last try at the end"
    );
    assert_eq!(trials.after(&busy(Some(60)), NO_TIME, 0.0), Next::End);
}

#[test]
fn an_absent_server_is_retried_only_when_asked_to() {
    let at_once = || Policy {
        waits_for_absent: false,
        ..Policy::default()
    };
    assert_eq!(trials(at_once()).after(&refused(), NO_TIME, 0.0), Next::End);
    assert!(matches!(
        trials(at_once()).after(&busy(None), NO_TIME, 0.0),
        Next::Again(_)
    ));
    // A busy server counts as present.
    let mut two = Trials::new(at_once(), 2);
    assert_eq!(two.after(&busy(None), NO_TIME, 0.0), Next::Elsewhere(NO_TIME));
    assert!(matches!(two.after(&refused(), NO_TIME, 0.0), Next::Elsewhere(_)));
    let mut two = Trials::new(at_once(), 2);
    assert_eq!(two.after(&refused(), NO_TIME, 0.0), Next::Elsewhere(NO_TIME));
    assert_eq!(two.after(&refused(), NO_TIME, 0.0), Next::End);
}

#[test]
fn every_fallback_is_tried_before_waiting() {
    let mut three = Trials::new(Policy::default(), 3);
    for wait in [
        NO_TIME,
        NO_TIME,
        Duration::from_millis(500),
        NO_TIME,
        NO_TIME,
        seconds(1),
    ] {
        assert_eq!(three.after(&refused(), NO_TIME, 0.0), Next::Elsewhere(wait));
    }
}

#[test]
fn a_missing_model_is_looked_for_on_every_server_and_waited_for_where_one_is_down() {
    let mut both = Trials::new(Policy::default(), 2);
    assert_eq!(both.after(&missing(), NO_TIME, 0.0), Next::Elsewhere(NO_TIME));
    assert_eq!(both.after(&missing(), NO_TIME, 0.0), Next::Fail);
    let mut one_is_down = Trials::new(Policy::default(), 2);
    for wait in [Duration::from_millis(500), seconds(1)] {
        assert_eq!(one_is_down.after(&missing(), NO_TIME, 0.0), Next::Elsewhere(NO_TIME));
        assert_eq!(one_is_down.after(&refused(), NO_TIME, 0.0), Next::Elsewhere(wait));
    }
    assert_eq!(
        trials(Policy::default()).after(&missing(), NO_TIME, 0.0),
        Next::Fail,
        "there is no other"
    );
}

#[test]
fn without_credit_every_other_server_is_asked_once() {
    let inside = Defect::ErrorInside {
        code: Some(402),
        words: "no credit".to_owned(),
    };
    for failure in [
        broke(),
        RequestFailure::of_status(402, "Insufficient Balance".to_owned(), None),
        RequestFailure::Defect(inside),
    ] {
        let mut both = Trials::new(Policy::default(), 2);
        assert_eq!(
            both.after(&failure, NO_TIME, 0.0),
            Next::Elsewhere(NO_TIME),
            "{failure}"
        );
        assert_eq!(both.after(&failure, NO_TIME, 0.0), Next::Fail, "{failure}");
        assert_eq!(
            trials(Policy::default()).after(&failure, NO_TIME, 0.0),
            Next::Fail,
            "{failure}"
        );
    }
    let mut busy_then_broke = Trials::new(Policy::default(), 2);
    assert_eq!(
        busy_then_broke.after(&busy(None), NO_TIME, 0.0),
        Next::Elsewhere(NO_TIME)
    );
    assert_eq!(busy_then_broke.after(&broke(), NO_TIME, 0.0), Next::Fail);
}

#[test]
fn useless_answers_are_counted_and_permanent_failures_end_retries() {
    let mut answered = trials(Policy::default());
    for _ in 0..4 {
        assert!(matches!(answered.after(&useless(), NO_TIME, 0.0), Next::Again(_)));
        assert!(matches!(answered.after(&busy(None), NO_TIME, 0.0), Next::Again(_)));
    }
    assert_eq!(answered.after(&useless(), NO_TIME, 0.0), Next::Fail);
    for error in [
        ConnectionError::Cut,
        ConnectionError::BadChunks,
        ConnectionError::NotHttp,
        ConnectionError::EndlessHead,
    ] {
        let once = Policy {
            attempts: 1,
            ..Policy::default()
        };
        assert_eq!(trials(once).after(&broken(error), NO_TIME, 0.0), Next::Fail);
    }
    for hopeless in [lasting(), RequestFailure::Defect(Defect::ThoughtCut)] {
        assert_eq!(trials(Policy::default()).after(&hopeless, NO_TIME, 0.0), Next::Fail);
    }
    let mut hanging = trials(Policy::default());
    assert!(matches!(hanging.after(&timeout(), seconds(600), 0.0), Next::Again(_)));
    assert_eq!(hanging.after(&timeout(), seconds(600), 0.0), Next::Fail);
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
    let cases = [
        (" 120 ", Some(120)),
        ("0", Some(0)),
        ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30)),
        ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
        ("-1", None),
        ("soon", None),
        ("99999999999999999999999", None),
    ];
    for (header, seconds) in cases {
        assert_eq!(retry_after(header, now), seconds.map(Duration::from_secs), "{header}");
    }
    assert!(retry_after("Fri, 31 Dec 9999 23:59:59 GMT", SystemTime::now()).is_some());
}

fn any_failure() -> impl Strategy<Value = RequestFailure> {
    prop_oneof![
        8 => Just(refused()),
        8 => proptest::option::of(0..100_000_u64).prop_map(busy),
        2 => Just(broken(ConnectionError::NoAnswer)),
        1 => Just(broken(ConnectionError::Cut)),
        1 => Just(useless()),
        1 => Just(timeout()),
        1 => Just(lasting()),
        1 => Just(missing()),
        1 => Just(broke()),
    ]
}

proptest! {
    /// Whatever the servers do, the total wait is limited, except for the last attempt, and so is the number of
    /// attempts that get an unusable answer. A lasting failure ends everything unless another server might have the
    /// model or the credit.
    #[test]
    fn every_sequence_of_failures_ends(
        failures in prop::collection::vec((any_failure(), 0..30_u64, 0.0..1.0), 1..400),
        (attempts, servers, most, patient) in (0..6_u32, 1..4_usize, 0..900_u64, any::<bool>()),
    ) {
        let policy = Policy {
            attempts,
            most_wait: Some(seconds(most)),
            waits_for_absent: patient,
            ..Policy::default()
        };
        let mut trials = Trials::new(policy, servers);
        let (mut waited, mut useless, mut last_try) = (NO_TIME, 0, NO_TIME);
        for (at, (failure, took, jitter)) in failures.iter().enumerate() {
            let next = trials.after(failure, seconds(*took), *jitter);
            let trouble = failure.trouble();
            if matches!(trouble, Trouble::Absent | Trouble::Busy) && at > 0 {
                last_try = seconds(*took);
                waited += last_try;
            }
            useless += u32::from(trouble == Trouble::Useless);
            prop_assert!((useless as usize) < attempts.max(1) as usize + servers);
            prop_assert_eq!(trials.made() as usize, at + 1);
            match next {
                Next::Again(wait) | Next::Elsewhere(wait) => {
                    let is_hopeless = matches!(trouble, Trouble::Lasting | Trouble::Spent);
                    let is_lacking = failure.is_about_the_model() || failure.lacks_credit();
                    prop_assert!(!is_hopeless || is_lacking && next == Next::Elsewhere(NO_TIME));
                    waited += wait;
                }
                Next::Fail | Next::End => break,
            }
            prop_assert!(waited <= seconds(most) + last_try * servers as u32 + seconds(30 * servers as u64));
        }
        prop_assert!(trials.spent() <= waited);
    }
}
