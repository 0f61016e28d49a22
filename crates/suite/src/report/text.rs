//! The report for the terminal.

use std::fmt::Write as _;

use super::model::ModelSummary;
use super::summary::SuiteReport;
use super::table::TextTable;
use super::words::{count, grouped, hundredths, mean, percent, printable, shortened, span};

/// The most pairs that are listed in full. Beyond that, only differences that are more than chance are listed.
const MOST_PAIRS: usize = 15;
/// The most lines of differences, and of reasons for errors.
const MOST_LINES: usize = 40;
/// The most characters of a reason; the page shows all.
const MOST_OF_A_REASON: usize = 300;

impl SuiteReport<'_> {
    /// Returns the report in tables and sentences for a terminal, with a line break at the end of each line. Lines are
    /// not wrapped.
    pub fn text(&self) -> String {
        let mut text = self.heading();
        for warning in &self.warnings {
            line(&mut text, warning);
        }
        text.push('\n');
        text.push_str(&self.rates());
        self.findings(&mut text);
        if self.models.iter().any(|model| model.per_attempt.is_some()) {
            text.push_str("\nper attempt\n");
            text.push_str(&self.per_attempt());
        }
        self.reasons(&mut text);
        text.push('\n');
        for note in &self.notes {
            line(&mut text, note);
        }
        text
    }

    fn heading(&self) -> String {
        let facts = self.facts;
        let mut text = String::new();
        let digest: String = facts.digest.chars().take(12).collect();
        let digest = if digest.is_empty() {
            digest
        } else {
            format!(", digest {digest}")
        };
        line(&mut text, &format!("Suite {}{digest}", facts.suite));
        line(
            &mut text,
            &format!(
                "{} by {}: {}.",
                count(self.tasks as u64, "task", "tasks"),
                count(self.models.len() as u64, "model", "models"),
                count(self.attempts, "attempt", "attempts")
            ),
        );
        let versions: Vec<String> = facts
            .versions
            .iter()
            .map(|ran| format!("{} {}", ran.name, ran.version))
            .collect();
        if !versions.is_empty() {
            line(&mut text, &format!("Ran with {}.", versions.join(", ")));
        }
        text
    }

    fn rates(&self) -> String {
        let k = self.repeats();
        let (at_least_one, each) = (format!("pass@{k}"), format!("pass^{k}"));
        let repeated = k > 1;
        let mut table = TextTable::new(&[
            "model",
            "solved",
            "95 % interval",
            if repeated { &at_least_one } else { "" },
            if repeated { &each } else { "" },
            "score",
            "attempts",
            "infrastructure",
            "task faults",
            "skipped",
        ]);
        for model in &self.models {
            let pass = model.pass.iter().find(|pass| repeated && pass.k == k);
            table.row(&[
                model.model.to_owned(),
                model.rate.map_or("–".to_owned(), |rate| percent(rate.mean)),
                model.rate.map_or(String::new(), |rate| {
                    span(rate.interval.low, rate.interval.high, hundredths)
                }),
                pass.map_or(String::new(), |pass| percent(pass.at_least_one)),
                pass.map_or(String::new(), |pass| percent(pass.each)),
                model.score.map_or(String::new(), |score| format!("{:.2}", score.mean)),
                grouped(model.counts.counted().attempts),
                some(model.counts.infrastructure),
                some(model.counts.task_faults),
                some(model.counts.skipped),
            ]);
        }
        table.text()
    }

    fn findings(&self, text: &mut String) {
        if self.pairs.is_empty() {
            return;
        }
        text.push('\n');
        let all = self.pairs.len() <= MOST_PAIRS;
        let shown = self.pairs.iter().filter(|pair| all || pair.told_apart);
        let shown: Vec<&str> = shown.map(|pair| pair.sentence.as_str()).collect();
        for sentence in shown.iter().take(MOST_LINES) {
            line(text, &format!("{sentence}."));
        }
        if shown.len() > MOST_LINES {
            let more = shown.len() - MOST_LINES;
            line(text, &format!("The page shows {more} more differences."));
        }
        if !all {
            let told = self.pairs.iter().filter(|pair| pair.told_apart).count();
            let pairs = self.pairs.len();
            line(
                text,
                &format!("{} of {pairs} pairs cannot be told apart.", pairs - told),
            );
        }
    }

    fn per_attempt(&self) -> String {
        let mut table = TextTable::new(&[
            "model",
            "turns",
            "tokens in",
            "tokens out",
            "seconds",
            "held",
            "refused",
            "malformed",
            "loops",
            "gave up",
        ]);
        for ModelSummary { model, per_attempt, .. } in &self.models {
            let Some(means) = per_attempt else { continue };
            table.row(&[
                (*model).to_owned(),
                mean(means.turns),
                mean(means.prompt_tokens),
                mean(means.completion_tokens),
                means.seconds.map_or(String::new(), mean),
                mean(means.held),
                mean(means.refused),
                mean(means.malformed),
                mean(means.loops),
                mean(means.gave_up),
            ]);
        }
        table.text()
    }

    fn reasons(&self, text: &mut String) {
        if self.errors.is_empty() {
            return;
        }
        text.push_str("\nnot counted\n");
        for error in self.errors.iter().take(MOST_LINES) {
            let others = match error.tasks {
                1 => String::new(),
                tasks => format!(" and {}", count(tasks - 1, "other task", "other tasks")),
            };
            let kind = if error.kind == "task_fault" {
                "task fault"
            } else {
                error.kind
            };
            line(
                text,
                &format!(
                    "{} x {kind}, {}{others}: {}",
                    error.attempts,
                    error.task,
                    shortened(error.why, MOST_OF_A_REASON)
                ),
            );
        }
        if self.errors.len() > MOST_LINES {
            line(
                text,
                &format!("The page shows {} more reasons.", self.errors.len() - MOST_LINES),
            );
        }
    }
}

/// Writes a number unless it is 0.
fn some(number: u64) -> String {
    if number == 0 { String::new() } else { grouped(number) }
}

fn line(text: &mut String, words: &str) {
    let _ = writeln!(text, "{}", printable(words));
}
