//! Samples by name, and statistics on them.

use std::collections::BTreeMap;

use serde::Serialize;

/// Samples in microseconds, by target and kind.
#[derive(Debug, Default)]
pub(crate) struct Samples(BTreeMap<(String, String), Vec<u64>>);

/// The median and the 99th percentile in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Samples {
    /// Adds lines of `TARGET KIND MICROSECONDS`.
    pub(crate) fn read(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split(' ');
            if let (Some(target), Some(kind), Some(Ok(micros))) =
                (words.next(), words.next(), words.next().map(str::parse))
            {
                self.add(target, kind, micros);
            }
        }
    }

    /// Adds one sample.
    pub(crate) fn add(&mut self, target: &str, kind: &str, micros: u64) {
        let samples = self.0.entry((target.to_owned(), kind.to_owned())).or_default();
        samples.push(micros);
    }

    /// Returns the measured targets and kinds.
    pub(crate) fn names(&self) -> Vec<(String, String)> {
        self.0.keys().cloned().collect()
    }

    /// Returns the number of samples.
    pub(crate) fn count(&self, target: &str, kind: &str) -> usize {
        let key = (target.to_owned(), kind.to_owned());
        self.0.get(&key).map_or(0, Vec::len)
    }

    /// Returns the percentile `hundredth` in milliseconds, or `None` if nothing was measured.
    pub(crate) fn at(&self, target: &str, kind: &str, hundredth: usize) -> Option<f64> {
        let mut sorted = self.0.get(&(target.to_owned(), kind.to_owned()))?.clone();
        sorted.sort_unstable();
        let place = (sorted.len() * hundredth).div_ceil(100).max(1) - 1;
        sorted.get(place).map(|micros| *micros as f64 / 1000.0)
    }

    /// Returns how long `kind` took with `target`, or `None` if nothing was measured.
    pub(crate) fn spread(&self, target: &str, kind: &str) -> Option<Spread> {
        Some(Spread {
            p50: self.at(target, kind, 50)?,
            p99: self.at(target, kind, 99)?,
        })
    }
}

impl Spread {
    /// Returns how much longer this takes than `other`.
    pub(crate) fn over(self, other: Spread) -> Spread {
        Spread {
            p50: self.p50 - other.p50,
            p99: self.p99 - other.p99,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_computed_from_the_samples() {
        let mut samples = Samples::default();
        for micros in 1..=200 {
            samples.read(&format!("relay fresh {}\nrelay kept 7\nnonsense", micros * 1000));
        }
        assert_eq!(
            samples.spread("relay", "fresh"),
            Some(Spread { p50: 100.0, p99: 198.0 })
        );
        assert_eq!(samples.spread("relay", "kept"), Some(Spread { p50: 0.007, p99: 0.007 }));
        assert_eq!(samples.spread("nginx", "fresh"), None);
        assert_eq!(
            (samples.count("relay", "kept"), samples.count("nginx", "kept")),
            (200, 0)
        );
    }
}
