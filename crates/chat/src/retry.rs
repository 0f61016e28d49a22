//! When to ask again, and how long to wait before.

use std::time::{Duration, SystemTime};

use crate::failure::Failure;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// The failure's name, see [`Failure::name`].
    pub kind: &'static str,
    /// What happened and what to do, in words.
    pub error: String,
    /// The wait that followed; zero after the last attempt.
    pub waited: Duration,
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
    mut attempt: impl AsyncFnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    loop {
        let failure = match attempt().await {
            Ok(success) => return Ok(success),
            Err(failure) => failure,
        };
        let wait = policy.wait(failed, &failure, fastrand::f64());
        failed.push(Attempt {
            number: failed.len() as u32 + 1,
            kind: failure.name(),
            error: failure.to_string(),
            waited: wait.unwrap_or_default(),
        });
        let Some(wait) = wait else { return Err(failure) };
        failed.last().into_iter().for_each(&mut *on_retry);
        tokio::time::sleep(wait).await;
    }
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
    use super::{Attempt, Policy, persist, retry_after};
    use crate::failure::Failure;
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

    fn past(kinds: &[&'static str]) -> Vec<Attempt> {
        let attempt = |(at, &kind): (usize, &&'static str)| Attempt {
            number: at as u32 + 1,
            kind,
            error: String::new(),
            waited: Duration::ZERO,
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
        let (mut failed, mut told, mut made) = (Vec::new(), Vec::new(), 0);
        let mut on_retry = |attempt: &Attempt| told.push(attempt.clone());
        let policy = Policy::default();
        let outcome = persist(&policy, &mut failed, &mut on_retry, async || {
            made += 1;
            if made < 4 { Err(server(Some(2))) } else { Ok("reply") }
        });
        assert_eq!(outcome.await, Ok("reply"));
        assert_eq!(failed, told);
        assert_eq!(
            failed.iter().map(|attempt| attempt.number).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        let waited: Duration = failed.iter().map(|attempt| attempt.waited).sum();
        assert!(waited >= Duration::from_secs(6));
        assert!(started.elapsed() >= waited && started.elapsed() < waited + Duration::from_millis(10));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_failure_is_the_error_and_is_not_waited_after() {
        let (mut failed, mut told) = (Vec::new(), 0);
        let outcome: Result<(), _> = persist(&Policy::default(), &mut failed, &mut |_| told += 1, async || {
            Err(server(None))
        })
        .await;
        assert_eq!(outcome, Err(server(None)));
        assert_eq!((failed.len(), told), (5, 4));
        assert_eq!(failed[4].waited, Duration::ZERO);
    }
}
