//! Decides when and where to retry a request, and how long to wait first.

use std::time::{Duration, SystemTime};

use crate::failure::{RequestFailure, Trouble};

/// How patiently to retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The largest number of attempts that may get an unusable answer; 0 counts as 1.
    pub attempts: u32,
    /// The longest total wait for servers that are absent or busy; `None` waits forever.
    pub most_wait: Option<Duration>,
    /// Whether to wait even for servers that refuse every connection.
    pub waits_for_absent: bool,
    /// The wait after the first failure. Each later wait is twice as long.
    pub first_wait: Duration,
    /// The longest wait that FRANZ chooses on its own.
    pub longest_wait: Duration,
    /// The longest wait that a server may ask for.
    pub longest_asked: Duration,
}

impl Default for Policy {
    /// Defaults to five unusable answers, ten minutes of waiting in steps that double from 0.5 s to 15 s, and waits of
    /// up to 60 s at a server's request.
    fn default() -> Self {
        Self {
            attempts: 5,
            most_wait: Some(Duration::from_mins(10)),
            waits_for_absent: true,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(15),
            longest_asked: Duration::from_mins(1),
        }
    }
}

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Ask the same server again after this wait.
    Again(Duration),
    /// Ask the next server after this wait.
    Elsewhere(Duration),
    /// Give up. Another request might succeed.
    Fail,
    /// Give up, because no server can be used.
    End,
}

/// The attempts made so far to get one answer, from one server or from several in turn.
///
/// This type has no clock: the caller reports how long an attempt took, and waits as long as it is told to.
#[derive(Debug, Clone)]
pub struct Trials {
    policy: Policy,
    servers: usize,
    made: u32,
    /// The number of attempts that got an unusable answer.
    useless: u32,
    timeouts: usize,
    waits: u32,
    /// The time spent on absent or busy servers, including waits.
    spent: Duration,
    /// The number of servers that have failed since the last wait.
    tried: usize,
    /// Whether one of these servers did anything other than refuse the connection.
    any_present: bool,
}

impl Trials {
    /// Starts with no attempts and this number of servers.
    pub fn new(policy: Policy, servers: usize) -> Self {
        Self {
            policy,
            servers: servers.max(1),
            made: 0,
            useless: 0,
            timeouts: 0,
            waits: 0,
            spent: Duration::ZERO,
            tried: 0,
            any_present: false,
        }
    }

    /// Returns the number of failed attempts.
    pub fn made(&self) -> u32 {
        self.made
    }

    /// Returns the time spent waiting for servers.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Decides what to do after an attempt that `took` this long and failed. `jitter` (0..=1) lengthens a wait by up to
    /// a quarter, so that clients that failed together do not return together.
    pub fn after(&mut self, failure: &RequestFailure, took: Duration, jitter: f64) -> Next {
        let trouble = failure.trouble();
        let waits_for = matches!(trouble, Trouble::Absent | Trouble::Busy);
        if waits_for && self.made > 0 {
            self.spent = self.spent.saturating_add(took);
        }
        self.made = self.made.saturating_add(1);
        let is_used_up = self.is_used_up(trouble);
        let is_lacking = failure.is_about_the_model() || failure.lacks_credit();
        if failure.is_down() || is_lacking {
            self.tried += 1;
            self.any_present |= trouble != Trouble::Absent;
            // Use the next server if it has not been tried yet or was down before.
            if self.tried < self.servers && (self.waits == 0 || !is_used_up || is_lacking) {
                return Next::Elsewhere(Duration::ZERO);
            }
        }
        if is_used_up {
            return Next::Fail;
        }
        let absent = !std::mem::take(&mut self.any_present) && !self.policy.waits_for_absent;
        self.tried = 0;
        let left = self.policy.most_wait.map(|most| most.saturating_sub(self.spent));
        if waits_for && (absent || left.is_some_and(|left| left.is_zero())) {
            return Next::End;
        }
        let wait = self.backoff(jitter).max(self.asked(failure));
        let wait = left.map_or(wait, |left| wait.min(left));
        self.spent = self.spent.saturating_add(wait);
        self.waits = self.waits.saturating_add(1);
        if failure.is_down() && self.servers > 1 {
            Next::Elsewhere(wait)
        } else {
            Next::Again(wait)
        }
    }

    /// Counts the attempt and returns whether it was the last one allowed. A single server that hangs gets only two
    /// attempts, and each of several servers only one, because every such attempt takes `model.timeout_s`.
    fn is_used_up(&mut self, trouble: Trouble) -> bool {
        match trouble {
            Trouble::Absent | Trouble::Busy => false,
            Trouble::Slow => {
                self.timeouts += 1;
                self.timeouts >= self.servers.max(2)
            }
            Trouble::Useless => {
                self.useless += 1;
                self.useless >= self.policy.attempts
            }
            Trouble::Spent | Trouble::Lasting => true,
        }
    }

    fn backoff(&self, jitter: f64) -> Duration {
        let Policy {
            first_wait,
            longest_wait,
            ..
        } = self.policy;
        let wait = first_wait.saturating_mul(1 << self.waits.min(16)).min(longest_wait);
        wait.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 4.0).min(longest_wait)
    }

    fn asked(&self, failure: &RequestFailure) -> Duration {
        match failure {
            RequestFailure::Server {
                retry_after: Some(asked),
                ..
            } => self.policy.longest_asked.min(*asked),
            _ => Duration::ZERO,
        }
    }
}

/// Parses a `Retry-After` header: a number of seconds or an HTTP date. Returns `None` if it is neither.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests;
