//! Measures two checkouts alternately, so that a change is judged by figures from the same machine at the same time.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::load::{DO_NOT_QUOTE, Load};
use crate::process::{cargo, output, root};

/// A figure counts as slower if it exceeds its earlier value by more than this share, and also by more than the spread
/// within either checkout.
const TOLERANCE: f64 = 0.05;

/// A figure measured in both checkouts, with one value per round.
#[derive(Debug, Default)]
struct Figure {
    /// Whether more is better, as in attempts an hour.
    is_rate: bool,
    before: Vec<f64>,
    after: Vec<f64>,
}

/// One figure of a row.
#[derive(Debug, PartialEq)]
struct Measured {
    name: String,
    value: f64,
    is_rate: bool,
}

/// Measures each subject `rounds` times in the checkout at `other`, which is from before the change, and as many times
/// in this one. Fails if any figure became slower.
pub(super) fn against(other: &Path, subjects: &[&str], rounds: usize) -> Result<()> {
    let other = other
        .canonicalize()
        .with_context(|| format!("no checkout at {}", other.display()))?;
    ensure!(other.join("xtask").is_dir(), "{} has no xtask", other.display());
    let mut figures: BTreeMap<String, Figure> = BTreeMap::new();
    let load = Load::before();
    for subject in subjects {
        for round in 0..rounds {
            eprintln!("{subject}, round {} of {rounds}", round + 1);
            // Alternate the order, because the first checkout finds the machine as the previous round left it.
            for is_before in [round % 2 == 0, round % 2 != 0] {
                let checkout = if is_before { &other } else { &root() };
                for Measured { name, value, is_rate } in measured(checkout, subject)? {
                    let figure = figures.entry(name).or_default();
                    figure.is_rate = is_rate;
                    let side = if is_before {
                        &mut figure.before
                    } else {
                        &mut figure.after
                    };
                    side.push(value);
                }
            }
        }
    }
    let load = load.after();
    println!("{}\n{load}", table(&figures, load));
    let slower: Vec<&str> = figures
        .iter()
        .filter(|(_, figure)| figure.is_slower())
        .map(|(name, _)| name.as_str())
        .collect();
    ensure!(slower.is_empty(), "slower than before: {}", slower.join("; "));
    Ok(())
}

/// Returns the figures from one measurement of a checkout, by name.
fn measured(checkout: &Path, subject: &str) -> Result<Vec<Measured>> {
    let cargo = cargo(&["xtask", "bench", subject]);
    let mut command = Command::new(cargo.get_program());
    command
        .args(cargo.get_args().map(OsStr::to_owned))
        .current_dir(checkout);
    let printed = String::from_utf8(output(&mut command)?)?;
    let figures: Vec<_> = printed.lines().flat_map(figures_of).collect();
    ensure!(
        !figures.is_empty(),
        "no figures for {subject} came from {}",
        checkout.display()
    );
    Ok(figures)
}

/// Returns the figures in a row of the table of goals. For example, `a / b ms` has two. Ignores text in brackets or
/// after a comma or a semicolon, which only explains the figures, such as how much faster FRANZ is than other programs.
fn figures_of(line: &str) -> Vec<Measured> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let ["", what, _goal, measured, _met, _peers, _command, ""] = cells[..] else {
        return Vec::new();
    };
    let end = measured.find(['(', ',', ';']).unwrap_or(measured.len());
    let measured = measured.get(..end).unwrap_or_default();
    let words = measured.split_whitespace();
    let values: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    let name = |at: usize| match (values.len(), at) {
        (1, _) => what.to_owned(),
        (_, at) => format!("{what} [{}]", at + 1),
    };
    let is_rate = [" a second", " an hour"]
        .iter()
        .any(|rate| measured.contains(rate) || what.contains(rate.trim()));
    let figure = |(at, value): (usize, &f64)| Measured {
        name: name(at),
        value: *value,
        is_rate,
    };
    values.iter().enumerate().map(figure).collect()
}

impl Figure {
    /// Returns the medians before and after the change.
    fn medians(&self) -> (f64, f64) {
        (median(&self.before), median(&self.after))
    }

    /// Returns the largest difference between two values from the same checkout.
    fn spread(&self) -> f64 {
        spread(&self.before).max(spread(&self.after))
    }

    fn is_slower(&self) -> bool {
        let (before, after) = self.medians();
        let more = if self.is_rate { before - after } else { after - before };
        // A new figure has no earlier value.
        before > 0.0 && more > before * TOLERANCE && more > self.spread()
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
    f64::midpoint(at(sorted.len() / 2), at(sorted.len().saturating_sub(1) / 2))
}

fn spread(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::MIN, f64::max);
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    (most - least).max(0.0)
}

fn table(figures: &BTreeMap<String, Figure>, load: Load) -> String {
    let mut text = String::from("| figure | before | after | change | spread | slower |\n|---|---|---|---|---|---|\n");
    for (name, figure) in figures {
        let (before, after) = figure.medians();
        let change = (after - before) / before.max(f64::MIN_POSITIVE) * 100.0;
        let slower = match figure.is_slower() {
            _ if load.is_busy() => DO_NOT_QUOTE,
            true => "yes",
            false => "no",
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "| {name} | {before:.2} | {after:.2} | {change:+.1} % | {:.2} | {slower} |",
            figure.spread()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_table_of_goals() {
        let line = "| added, p50 / p99: fresh | 1 / 5 ms | 0.56 / 1.64 ms | yes | nginx 1.75 / 3.08 | `cargo xtask bench relay` |";
        let figures = |line: &str| -> Vec<(String, f64, bool)> {
            let read = figures_of(line).into_iter();
            read.map(|figure| (figure.name, figure.value, figure.is_rate)).collect()
        };
        let wanted = [
            ("added, p50 / p99: fresh [1]".to_owned(), 0.56, false),
            ("added, p50 / p99: fresh [2]".to_owned(), 1.64, false),
        ];
        assert_eq!(figures(line), wanted);
        let line = "| start | 150 ms | 16 ms (most 20) | yes | - | `cargo xtask bench run` |";
        assert_eq!(figures(line), [("start".to_owned(), 16.0, false)]);
        let line = "| attempts | - | 3764 an hour; 0.56 s each | - | - | `cargo xtask bench suite` |";
        assert_eq!(figures(line), [("attempts".to_owned(), 3764.0, true)]);
        let line =
            "| a turn | 3.5 ms; 8 times mss | 7.36 ms; 6.7 times mss | no | mss 49.3 ms | `cargo xtask bench turn` |";
        assert_eq!(figures(line), [("a turn".to_owned(), 7.36, false)]);
        for line in [
            "|---|---|---|---|---|---|",
            "| what | goal | measured | met | others | command |",
            "text",
        ] {
            assert_eq!(figures_of(line), []);
        }
    }

    #[test]
    fn slower_is_more_than_five_percent_and_more_than_the_spread() {
        for (before, after, slower) in [
            ([10.0, 10.1, 10.2], [11.0, 11.1, 11.2], true),
            ([10.0, 10.1, 10.2], [10.4, 10.4, 10.4], false),
            ([9.0, 10.1, 12.0], [11.0, 11.1, 11.2], false),
            ([11.0, 11.1, 11.2], [10.0, 10.0, 10.0], false),
        ] {
            let figure = |before: [f64; 3], after: [f64; 3], is_rate| Figure {
                is_rate,
                before: before.to_vec(),
                after: after.to_vec(),
            };
            assert_eq!(figure(before, after, false).is_slower(), slower, "{before:?} {after:?}");
            assert!(!slower || figure(after, before, true).is_slower());
            assert!(!slower || !figure(before, after, true).is_slower());
        }
    }
}
