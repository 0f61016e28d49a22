//! Two models compared.

use serde::Serialize;

use super::results::GridCell;
use super::words::{count, percent, points, span, times};
use crate::statistics::{LEVEL, PairedDifference, holm};

/// Two models compared on the tasks that both attempted. The first is the one with the higher rate on these tasks.
#[derive(Debug, Clone, Serialize)]
pub struct PairSummary<'a> {
    /// The model that is ahead.
    pub first: &'a str,
    /// The other one.
    pub second: &'a str,
    /// The first one's rate on these tasks, 0 to 1.
    pub first_rate: f64,
    /// The second one's rate on these tasks, 0 to 1.
    pub second_rate: f64,
    /// The difference between them.
    pub difference: PairedDifference,
    /// The p value adjusted for all pairs of the report by Holm's method.
    pub adjusted_p: f64,
    /// The fewest and the most attempts at one of these tasks by one of the two.
    pub repeats: (u64, u64),
    /// Whether the difference is more than luck: the adjusted p value is below 5 %.
    pub told_apart: bool,
    /// The result in words, without a full stop.
    pub sentence: String,
}

/// The rate of one model on one task or item.
#[derive(Clone, Copy)]
struct TaskRate {
    rate: f64,
    attempts: u64,
}

impl TaskRate {
    /// Returns the rate of the attempts that count; `None` if there are none.
    fn of(cell: &GridCell<'_>) -> Option<TaskRate> {
        let counted = cell.counts.counted();
        Some(TaskRate {
            rate: counted.rate()?,
            attempts: counted.attempts,
        })
    }
}

impl<'a> PairSummary<'a> {
    /// Compares all models with each other. `columns` holds each model's cells, one for each task. Leaves out pairs
    /// without a common task.
    pub(super) fn all(models: &[&'a str], columns: &[Vec<&GridCell<'_>>]) -> Vec<Self> {
        let rates = |cells: &Vec<&GridCell<'_>>| cells.iter().map(|cell| TaskRate::of(cell)).collect();
        let columns: Vec<Vec<Option<TaskRate>>> = columns.iter().map(rates).collect();
        Self::of_rates(models, &columns, ("task", "tasks"))
    }

    /// Compares all models with each other on items that each was asked once. `hits` holds for each model whether it hit
    /// each item; `None` if it did not answer.
    pub(crate) fn of_items(models: &[&'a str], hits: &[Vec<Option<bool>>]) -> Vec<Self> {
        let rate = |hit: &Option<bool>| {
            hit.map(|hit| TaskRate {
                rate: f64::from(u8::from(hit)),
                attempts: 1,
            })
        };
        let columns: Vec<Vec<Option<TaskRate>>> = hits.iter().map(|hits| hits.iter().map(rate).collect()).collect();
        Self::of_rates(models, &columns, ("item", "items"))
    }

    /// Compares all models with each other. `unit` names what the columns have one rate for, once and many times.
    fn of_rates(models: &[&'a str], columns: &[Vec<Option<TaskRate>>], unit: (&str, &str)) -> Vec<Self> {
        let mut pairs = Vec::new();
        for (at, &first) in models.iter().enumerate() {
            for (other, &second) in models.iter().enumerate().skip(at + 1) {
                pairs.extend(Self::of((first, &columns[at]), (second, &columns[other])));
            }
        }
        let p_values: Vec<f64> = pairs.iter().map(|pair| pair.difference.p).collect();
        let number = pairs.len();
        for (pair, adjusted) in pairs.iter_mut().zip(holm(&p_values)) {
            pair.adjusted_p = adjusted;
            pair.told_apart = adjusted < LEVEL;
            pair.sentence = pair.words(number, unit);
        }
        pairs
    }

    fn of(first: (&'a str, &[Option<TaskRate>]), second: (&'a str, &[Option<TaskRate>])) -> Option<Self> {
        let mut repeats = (u64::MAX, 0);
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        for (a, b) in first.1.iter().zip(second.1) {
            let (Some(a), Some(b)) = (a, b) else {
                continue;
            };
            for attempts in [a.attempts, b.attempts] {
                repeats = (repeats.0.min(attempts), repeats.1.max(attempts));
            }
            firsts.push(a.rate);
            seconds.push(b.rate);
        }
        let rate = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let swapped = rate(&seconds) > rate(&firsts);
        if swapped {
            std::mem::swap(&mut firsts, &mut seconds);
        }
        let differences: Vec<f64> = firsts.iter().zip(&seconds).map(|(a, b)| a - b).collect();
        let (first, second) = if swapped {
            (second.0, first.0)
        } else {
            (first.0, second.0)
        };
        Some(Self {
            first,
            second,
            difference: PairedDifference::of(&differences)?,
            first_rate: rate(&firsts),
            second_rate: rate(&seconds),
            adjusted_p: 1.0,
            repeats,
            told_apart: false,
            sentence: String::new(),
        })
    }

    /// Words the result. `pairs` is the number of pairs of the report.
    fn words(&self, pairs: usize, unit: (&str, &str)) -> String {
        let Self {
            first,
            second,
            difference,
            ..
        } = self;
        let finding = if self.told_apart {
            format!("{first} is better than {second}")
        } else {
            format!("{first} and {second} cannot be told apart")
        };
        let interval = match difference.interval {
            Some(interval) => span(interval.low, interval.high, points),
            None => format!("the same on every {}", unit.0),
        };
        let sentence = format!(
            "{finding}: {} against {}, difference {} points ({interval}), {}",
            percent(self.first_rate),
            percent(self.second_rate),
            points(difference.mean),
            match unit {
                ("task", _) => times(difference.tasks, self.repeats),
                (one, many) => count(difference.tasks as u64, one, many),
            },
        );
        // The interval looks at this pair alone. Where it seems to say the opposite, the test has the last word.
        let seems = difference
            .interval
            .is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0);
        if seems == self.told_apart || difference.interval.is_none() {
            return sentence;
        }
        format!("{sentence}; p is {} {}", self.p_words(), holm_words(pairs))
    }

    /// Words the adjusted p value: `0.031`, `below 0.001`.
    pub(super) fn p_words(&self) -> String {
        if self.adjusted_p < 0.001 {
            "below 0.001".to_owned()
        } else {
            format!("{:.3}", self.adjusted_p)
        }
    }
}

fn holm_words(pairs: usize) -> String {
    if pairs == 1 {
        "by the sign-flip test".to_owned()
    } else {
        format!("after Holm's adjustment for {pairs} pairs")
    }
}
