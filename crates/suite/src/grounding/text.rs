//! The report in tables and sentences for a terminal.

use super::report::{GroundingReport, ModelHits};
use super::splits::{HitRate, Split};
use super::store::MeasuredModel;
use crate::report::table::TextTable;
use crate::report::words::{count, grouped, hundredths, mean, percent, printable, span};

impl GroundingReport<'_> {
    /// Returns the report, with a line break at the end of each line. Lines are not wrapped.
    pub fn text(&self) -> String {
        let mut text = String::new();
        line(&mut text, &self.heading());
        line(&mut text, &self.choice());
        for model in &self.models {
            line(&mut text, &described(model.model));
        }
        text.push('\n');
        text.push_str(&self.rates());
        if !self.pairs.is_empty() {
            text.push('\n');
            for pair in &self.pairs {
                line(&mut text, &format!("{}.", pair.sentence));
            }
        }
        for split in &self.splits {
            text.push('\n');
            text.push_str(&self.split(split));
        }
        text.push('\n');
        for note in self.notes() {
            line(&mut text, &note);
        }
        text
    }

    fn heading(&self) -> String {
        let files: Vec<String> = self
            .files
            .iter()
            .map(|file| format!("{} ({}, {})", file.name, file.format.name(), items(file.items as u64)))
            .collect();
        let digest: String = self.digest.as_str().chars().take(12).collect();
        format!("Grounding set {}, digest {digest}", files.join(", "))
    }

    fn choice(&self) -> String {
        let pictures = count(self.pictures, "picture", "pictures");
        match self.seed {
            None => format!("All {} in {pictures}.", items(self.items)),
            Some(seed) => format!(
                "{} of {} in {pictures}, chosen at random with seed {seed}: always the same ones.",
                grouped(self.items),
                items(self.set_items)
            ),
        }
    }

    fn rates(&self) -> String {
        let mut table = TextTable::new(&[
            "model",
            "hits",
            "95 % interval",
            "answers",
            "no click",
            "hits of clicks",
            "no answer",
            "not asked",
            "seconds",
            "tokens in",
            "tokens out",
        ]);
        for model in &self.models {
            table.row(&row(model));
        }
        table.text()
    }

    fn split(&self, split: &Split) -> String {
        let mut header = vec![split.by.words(), "items"];
        header.extend(self.models.iter().map(|model| model.model.name.as_str()));
        let mut table = TextTable::new(&header);
        for part in &split.parts {
            let mut cells = vec![part.value.clone(), grouped(part.items)];
            cells.extend(part.models.iter().map(rate));
            table.row(&cells);
        }
        table.text()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.models.iter().filter_map(unanswered).collect();
        notes.extend(self.models.iter().filter_map(without_click));
        notes.push(
            "A hit is a click in the box or on its edge. Rates have 95 % Wilson intervals; an answer without a \
             readable click is not a hit."
                .to_owned(),
        );
        notes.push("Seconds and tokens are medians per answer.".to_owned());
        if self.pictures < self.items {
            notes
                .push("Items on the same picture are correlated, so the intervals are somewhat too narrow.".to_owned());
        }
        if self.pairs.len() > 1 {
            notes.push(format!(
                "A model is called better if chance alone would produce such a difference in fewer than 5 % of cases: \
                 a sign-flip test over items, adjusted for {} pairs by Holm's method.",
                self.pairs.len()
            ));
        }
        notes
    }
}

/// Describes a model and how it was asked.
fn described(model: &MeasuredModel) -> String {
    let asked = match model.settings.get("profile").and_then(|profile| profile.as_str()) {
        Some(profile) if model.asked == "turn" => format!("asked as in the first turn of a run with profile {profile}"),
        _ => "asked as a run asks its grounder".to_owned(),
    };
    format!(
        "{} is {}, family {}, coordinates in {}, {asked}.",
        model.name, model.model, model.family, model.coordinates
    )
}

fn row(model: &ModelHits<'_>) -> Vec<String> {
    let some = |number: u64| if number == 0 { String::new() } else { grouped(number) };
    let number = |value: Option<f64>| value.map_or(String::new(), mean);
    let of_clicks = model.of_clicks.rate.filter(|_| model.no_click > 0);
    vec![
        model.model.name.to_string(),
        model.hit.rate.map_or("–".to_owned(), percent),
        model.hit.rate.map_or(String::new(), |_| interval(&model.hit)),
        grouped(model.hit.answers),
        some(model.no_click),
        of_clicks.map_or(String::new(), percent),
        some(model.failed),
        some(model.not_asked),
        number(model.median.seconds),
        number(model.median.prompt_tokens),
        number(model.median.completion_tokens),
    ]
}

/// Formats the rate for a part of the items: `30 % (18 to 45)`.
fn rate(hits: &HitRate) -> String {
    match hits.rate {
        Some(rate) => format!("{} ({})", percent(rate), interval(hits)),
        None => "–".to_owned(),
    }
}

fn interval(hits: &HitRate) -> String {
    span(hits.interval.low, hits.interval.high, hundredths)
}

/// States the range of rates that remain possible because of items without an answer.
fn unanswered(model: &ModelHits<'_>) -> Option<String> {
    let bound = model.bound?;
    let mut without = Vec::new();
    if model.failed > 0 {
        without.push(format!("the server gave no answer to {}", items(model.failed)));
    }
    if model.not_asked > 0 {
        without.push(format!(
            "{} not asked yet",
            count(model.not_asked, "item was", "items were")
        ));
    }
    Some(format!(
        "{}: {}; they are not counted. If all of them were misses, it would hit {}; if all were hits, {}.",
        model.model.name,
        without.join(", and "),
        percent(bound.low),
        percent(bound.high)
    ))
}

/// States the most frequent reason why answers have no click.
fn without_click(model: &ModelHits<'_>) -> Option<String> {
    let because = model.no_click_because?;
    Some(format!(
        "{}: {} without a click, for example because {because}.",
        model.model.name,
        count(model.no_click, "answer", "answers"),
    ))
}

fn items(number: u64) -> String {
    count(number, "item", "items")
}

fn line(text: &mut String, words: &str) {
    text.push_str(&printable(words));
    text.push('\n');
}
