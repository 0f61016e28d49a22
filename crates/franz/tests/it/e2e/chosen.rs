//! The environment variables with which people control long tests.

use std::time::SystemTime;

pub(crate) fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    let number = value.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable} is no number: {value}")))
}

/// Returns the seed for random numbers. If none is given, it differs each time.
pub(crate) fn seed(variable: &str) -> u64 {
    number(variable).unwrap_or_else(|| {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        u64::from(since.subsec_nanos())
    })
}
