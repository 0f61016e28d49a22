//! When to ask again, and how long to wait before.

use std::fmt;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::failure::Failure;
use crate::reply::Usage;

/// The most bytes that are kept of the answer of a failed attempt: enough to see what went wrong.
const MOST_OF_AN_ANSWER: usize = 1 << 20;

/// How many answers of failed attempts are kept, the latest ones: with many attempts memory must stay bounded.
const ANSWERS: usize = 5;

/// How patient the client is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The most attempts, the first included; 0 is taken as 1.
    pub attempts: u32,
    /// The wait after the first failure; each later one is twice as long.
    pub first_wait: Duration,
    /// The longest wait of our own accord.
    pub longest_wait: Duration,
    /// The longest wait that a server may ask for.
    pub longest_asked: Duration,
}

/// One attempt that failed.
#[derive(Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// The failure's name, see [`Failure::name`].
    pub kind: &'static str,
    /// What happened and what to do, in words.
    pub error: String,
    /// The wait that followed; zero after the last attempt.
    pub waited: Duration,
    /// The body that the server sent, as far as it was read: the first megabyte at most, and only of the last five
    /// attempts, without the key where the server repeats it. `None` when nothing came, or nothing may be kept.
    pub answer: Option<Bytes>,
    /// The tokens that the server counted for a reply that was of no use: they were spent all the same. Nothing where
    /// no reply came.
    pub usage: Usage,
}

/// An attempt's failure together with the body that came and the tokens that it tells of.
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    pub(crate) answer: Bytes,
    pub(crate) usage: Usage,
}

impl fmt::Debug for Attempt {
    /// The answer shows its length alone: it may be long, and may repeat the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Attempt")
            .field("number", &self.number)
            .field("kind", &self.kind)
            .field("error", &self.error)
            .field("waited", &self.waited)
            .field("answer_bytes", &self.answer.as_ref().map(Bytes::len))
            .field("usage", &self.usage)
            .finish()
    }
}

impl Default for Policy {
    /// Five attempts, 0.5 s doubling to 8 s, a server's wish honoured up to 60 s.
    fn default() -> Self {
        Self {
            attempts: 5,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            longest_asked: Duration::from_mins(1),
        }
    }
}

impl Policy {
    /// The wait before the next attempt; `None` when there is to be none.
    ///
    /// `past` are the attempts that failed before this failure; `jitter` (0..=1) lengthens the wait by up to a quarter,
    /// so that clients which failed together do not come back together. A timeout is retried once, since each costs
    /// `model.timeout_s`.
    pub fn wait(&self, past: &[Attempt], failure: &Failure, jitter: f64) -> Option<Duration> {
        let failed_so_before = past.iter().any(|attempt| attempt.kind == failure.name());
        let twice_timed_out = matches!(failure, Failure::Timeout { .. }) && failed_so_before;
        let used_up = past.len() + 1 >= self.attempts as usize;
        if used_up || twice_timed_out || failure.is_permanent() {
            return None;
        }
        Some(self.backoff(past.len(), jitter).max(self.asked(failure)))
    }

    fn backoff(&self, failures: usize, jitter: f64) -> Duration {
        let doublings = failures.min(16) as u32;
        let wait = self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait);
        wait.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 4.0).min(self.longest_wait)
    }

    fn asked(&self, failure: &Failure) -> Duration {
        match failure {
            Failure::Server {
                retry_after: Some(asked),
                ..
            } => self.longest_asked.min(*asked),
            _ => Duration::ZERO,
        }
    }
}

/// Makes attempts until one succeeds or the policy has had enough. `on_retry` hears of each failure that is followed by
/// another attempt, before the wait. The failures are added to `failed`.
pub(crate) async fn persist<T>(
    policy: &Policy,
    failed: &mut Vec<Attempt>,
    on_retry: &mut dyn FnMut(&Attempt),
    mut attempt: impl AsyncFnMut() -> Result<T, Failed>,
) -> Result<T, Failure> {
    loop {
        let Failed { failure, answer, usage } = match attempt().await {
            Ok(success) => return Ok(success),
            Err(failed) => failed,
        };
        let wait = policy.wait(failed, &failure, fastrand::f64());
        failed.push(Attempt {
            number: failed.len() as u32 + 1,
            kind: failure.name(),
            error: failure.to_string(),
            waited: wait.unwrap_or_default(),
            answer: worth_keeping(&answer),
            usage,
        });
        forget_old_answers(failed);
        let Some(wait) = wait else { return Err(failure) };
        failed.last().into_iter().for_each(&mut *on_retry);
        tokio::time::sleep(wait).await;
    }
}

/// A copy of an answer's start; `None` of an empty one. A slice would hold on to the whole.
fn worth_keeping(answer: &[u8]) -> Option<Bytes> {
    let start = answer.get(..MOST_OF_AN_ANSWER).unwrap_or(answer);
    (!start.is_empty()).then(|| Bytes::copy_from_slice(start))
}

fn forget_old_answers(failed: &mut [Attempt]) {
    let old = failed.len().saturating_sub(ANSWERS);
    failed.iter_mut().take(old).for_each(|attempt| attempt.answer = None);
}

/// What a `Retry-After` header asks for: seconds, or an HTTP date. `None` when it is neither.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{ANSWERS, Attempt, Failed, MOST_OF_AN_ANSWER, Policy, persist, retry_after};
    use crate::failure::Failure;
    use crate::reply::Usage;
    use bytes::Bytes;
    use std::time::{Duration, SystemTime};

    fn timeout() -> Failure {
        Failure::Timeout {
            after: Duration::from_mins(10),
        }
    }

    fn server(retry_after: Option<u64>) -> Failure {
        Failure::Server {
            status: 503,
            words: String::new(),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    fn failed(failure: Failure, answer: &[u8]) -> Failed {
        let answer = Bytes::copy_from_slice(answer);
        Failed {
            failure,
            answer,
            usage: Usage::default(),
        }
    }

    fn past(kinds: &[&'static str]) -> Vec<Attempt> {
        let attempt = |(at, &kind): (usize, &&'static str)| Attempt {
            number: at as u32 + 1,
            kind,
            error: String::new(),
            waited: Duration::ZERO,
            answer: None,
            usage: Usage::default(),
        };
        kinds.iter().enumerate().map(attempt).collect()
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let policy = Policy {
            attempts: 9,
            ..Policy::default()
        };
        let wait = |failures, jitter| policy.wait(&past(&vec!["server"; failures]), &server(None), jitter);
        let waits: Vec<_> = (0..9)
            .map(|failures| wait(failures, 0.0).map(|wait| wait.as_secs_f64()))
            .collect();
        let expected = [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0].map(Some);
        assert_eq!(waits[..8], expected);
        assert_eq!(waits[8], None);
        assert_eq!(wait(0, 1.0), Some(Duration::from_millis(625)));
        assert_eq!(wait(7, 1.0), Some(Duration::from_secs(8)));
    }

    #[test]
    fn the_server_is_heard_but_not_for_ever() {
        let policy = Policy::default();
        let wait = |asked| {
            policy
                .wait(&[], &server(Some(asked)), 0.0)
                .map(|wait| wait.as_secs_f64())
        };
        assert_eq!([0, 7, 60, 86_400].map(wait), [0.5, 7.0, 60.0, 60.0].map(Some));
    }

    #[test]
    fn a_timeout_is_retried_once_and_the_hopeless_never() {
        let policy = Policy::default();
        assert!(policy.wait(&[], &timeout(), 0.0).is_some());
        assert!(policy.wait(&past(&["server"]), &timeout(), 0.0).is_some());
        assert!(policy.wait(&past(&["timeout"]), &timeout(), 0.0).is_none());
        assert!(policy.wait(&past(&["timeout"]), &server(None), 0.0).is_some());
        let refused = Failure::of_status(400, "jinja".to_owned(), None);
        assert!(policy.wait(&[], &refused, 0.0).is_none());
        assert!(Policy { attempts: 0, ..policy }.wait(&[], &server(None), 0.0).is_none());
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

    #[tokio::test(start_paused = true)]
    async fn attempts_are_counted_told_and_waited_for() {
        let started = tokio::time::Instant::now();
        let (mut past, mut told, mut made) = (Vec::new(), Vec::new(), 0);
        let mut on_retry = |attempt: &Attempt| told.push(attempt.clone());
        let policy = Policy::default();
        let outcome = persist(&policy, &mut past, &mut on_retry, async || {
            made += 1;
            if made < 4 {
                Err(failed(server(Some(2)), b"busy"))
            } else {
                Ok("reply")
            }
        });
        assert_eq!(outcome.await, Ok("reply"));
        assert_eq!(past, told);
        let numbers: Vec<_> = past.iter().map(|attempt| attempt.number).collect();
        assert_eq!(numbers, [1, 2, 3]);
        let waited: Duration = past.iter().map(|attempt| attempt.waited).sum();
        assert!(waited >= Duration::from_secs(6));
        assert!(started.elapsed() >= waited && started.elapsed() < waited + Duration::from_millis(10));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_failure_is_the_error_and_is_not_waited_after() {
        let (mut past, mut told) = (Vec::new(), 0);
        let outcome: Result<(), _> = persist(&Policy::default(), &mut past, &mut |_| told += 1, async || {
            Err(failed(server(None), b""))
        })
        .await;
        assert_eq!(outcome, Err(server(None)));
        assert_eq!((past.len(), told), (5, 4));
        assert_eq!((past[4].waited, &past[4].answer), (Duration::ZERO, &None));
    }

    #[tokio::test(start_paused = true)]
    async fn answers_are_kept_of_the_last_attempts_and_not_for_ever_long() {
        let (mut past, mut made) = (Vec::new(), 0);
        let policy = Policy {
            attempts: 9,
            ..Policy::default()
        };
        let outcome: Result<(), _> = persist(&policy, &mut past, &mut |_| (), async || {
            made += 1;
            Err(failed(server(None), &vec![made; 2 * MOST_OF_AN_ANSWER]))
        })
        .await;
        assert!(outcome.is_err());
        let (old, new) = past.split_at(past.len() - ANSWERS);
        assert_eq!(old.len(), 4);
        assert!(old.iter().all(|attempt| attempt.answer.is_none()));
        for attempt in new {
            let expected = vec![attempt.number as u8; MOST_OF_AN_ANSWER];
            assert!(attempt.answer.as_deref() == Some(&expected[..]), "{attempt:?}");
        }
    }
}
