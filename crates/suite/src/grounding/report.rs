//! How often each model hits, with confidence intervals.

use std::collections::BTreeMap;
use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};
use serde::Serialize;

use super::answer::{GroundingAnswer, GroundingOutcome};
use super::set::{GroundingSet, PicturedItem, SetFile};
use super::splits;
pub use super::splits::{HitRate, Split, SplitBy, SplitPart};
use super::store::{MeasuredModel, ModelAnswers};
use crate::folder::SuiteDigest;
use crate::report::PairSummary;
use crate::report::lines::cell;
use crate::statistics::Interval;

/// Everything that is shown about the answers to a set. As JSON, rates are fractions from 0 to 1.
#[derive(Clone, Debug, Serialize)]
pub struct GroundingReport<'a> {
    /// The files of the set.
    pub files: &'a [SetFile],
    /// The digest of the set.
    pub digest: &'a SuiteDigest,
    /// The number of items in the set.
    pub set_items: u64,
    /// The number of items that were chosen.
    pub items: u64,
    /// The number of different pictures of the chosen items.
    pub pictures: u64,
    /// The seed of the choice; `None` if all items were chosen.
    pub seed: Option<u64>,
    /// The models, from the highest rate to the lowest.
    pub models: Vec<ModelHits<'a>>,
    /// Every pair of models that answered the same items.
    pub pairs: Vec<PairSummary<'a>>,
    /// The items divided in several ways.
    pub splits: Vec<Split>,
}

/// What one model answered.
#[derive(Clone, Debug, Serialize)]
pub struct ModelHits<'a> {
    /// The model.
    #[serde(flatten)]
    pub model: &'a MeasuredModel,
    /// Hits among answers. An answer without a click is not a hit.
    pub hit: HitRate,
    /// Hits among the answers with a click.
    pub of_clicks: HitRate,
    /// Answers from which no click can be read.
    pub no_click: u64,
    /// The most frequent reason why an answer has no click; `None` if every answer has one.
    pub no_click_because: Option<&'a str>,
    /// Items to which the server gave no answer.
    pub failed: u64,
    /// Items that were not asked yet.
    pub not_asked: u64,
    /// The lowest and the highest rate that is possible once every item has an answer; `None` if every one has.
    pub bound: Option<Interval>,
    /// The medians over answers.
    pub median: AnswerMedians,
}

/// Medians over answers; `None` where nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AnswerMedians {
    /// How long an answer took, in seconds.
    pub seconds: Option<f64>,
    /// The tokens of a request.
    pub prompt_tokens: Option<f64>,
    /// The tokens of an answer.
    pub completion_tokens: Option<f64>,
}

impl<'a> GroundingReport<'a> {
    /// Computes the report on the chosen items. `seed` is that of the choice.
    pub fn of(set: &'a GroundingSet, chosen: &[usize], seed: u64, models: &'a [ModelAnswers]) -> GroundingReport<'a> {
        let items: Vec<&PicturedItem> = chosen.iter().map(|&at| &set.items[at]).collect();
        let mut answered: Vec<(ModelHits<'a>, Vec<Option<bool>>)> =
            models.iter().map(|model| model_hits(model, &items)).collect();
        let rate = |hits: &ModelHits<'_>| hits.hit.rate.unwrap_or(-1.0);
        // Stable, so that models of the same rate stay sorted by name.
        answered.sort_by(|(a, _), (b, _)| rate(b).total_cmp(&rate(a)));
        let (models, hits): (Vec<_>, Vec<_>) = answered.into_iter().unzip();
        let names: Vec<&'a str> = models
            .iter()
            .map(|hits: &ModelHits<'a>| hits.model.name.as_str())
            .collect();
        GroundingReport {
            files: &set.files,
            digest: &set.digest,
            set_items: set.items.len() as u64,
            items: items.len() as u64,
            pictures: set.pictures(chosen) as u64,
            seed: (items.len() < set.items.len()).then_some(seed),
            pairs: PairSummary::of_items(&names, &hits),
            splits: splits::all(&items, &hits),
            models,
        }
    }

    /// Returns the report as indented JSON with a line break at the end.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }
}

/// Returns what a model answered to these items, and whether it hit each.
fn model_hits<'a>(model: &'a ModelAnswers, items: &[&PicturedItem]) -> (ModelHits<'a>, Vec<Option<bool>>) {
    let all: Vec<Option<&GroundingAnswer>> = items.iter().map(|item| model.answers.get(&item.item.key)).collect();
    let count = |outcome: GroundingOutcome| {
        let same = all.iter().flatten().filter(|answer| answer.outcome == outcome);
        same.count() as u64
    };
    let (hits, misses) = (count(GroundingOutcome::Hit), count(GroundingOutcome::Miss));
    let (no_click, failed) = (count(GroundingOutcome::NoClick), count(GroundingOutcome::Failed));
    let answers = hits + misses + no_click;
    let whole = items.len() as u64;
    let hit = |answer: Option<&GroundingAnswer>| {
        let answer = answer.filter(|answer| answer.outcome.is_answer());
        answer.map(|answer| answer.outcome == GroundingOutcome::Hit)
    };
    let given: Vec<&GroundingAnswer> = all
        .iter()
        .flatten()
        .copied()
        .filter(|one| one.outcome.is_answer())
        .collect();
    let summary = ModelHits {
        model: &model.model,
        hit: HitRate::new(hits, answers),
        of_clicks: HitRate::new(hits, hits + misses),
        no_click,
        no_click_because: most_frequent(given.iter().filter_map(|answer| answer.why.as_deref())),
        failed,
        not_asked: whole - answers - failed,
        bound: (answers < whole).then(|| Interval {
            low: hits as f64 / whole as f64,
            high: (hits + whole - answers) as f64 / whole as f64,
        }),
        median: AnswerMedians {
            seconds: median(given.iter().map(|answer| answer.seconds)),
            prompt_tokens: median(
                given
                    .iter()
                    .filter_map(|answer| answer.prompt_tokens.map(|tokens| tokens as f64)),
            ),
            completion_tokens: median(
                given
                    .iter()
                    .filter_map(|answer| answer.completion_tokens.map(|tokens| tokens as f64)),
            ),
        },
    };
    (summary, all.into_iter().map(hit).collect())
}

/// Returns the text that occurs most often, and of several the first in alphabetical order.
fn most_frequent<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(text, _)| text)
}

/// Returns the median; of an even number of values, the mean of the two in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

const HEADER: [&str; 20] = [
    "item",
    "picture",
    "instruction",
    "kind",
    "source",
    "group",
    "share",
    "size",
    "left",
    "top",
    "right",
    "bottom",
    "model",
    "outcome",
    "why",
    "x",
    "y",
    "seconds",
    "prompt_tokens",
    "completion_tokens",
];

/// Writes the answers to the chosen items as CSV (RFC 4180), one record for each model and item, failed ones included.
/// Text that a spreadsheet would take for a formula gets an apostrophe in front.
pub fn write_csv(set: &GroundingSet, chosen: &[usize], models: &[ModelAnswers], out: impl Write) -> io::Result<()> {
    let mut lines = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    lines.write_record(HEADER)?;
    for item in chosen.iter().map(|&at| &set.items[at]) {
        for model in models {
            if let Some(answer) = model.answers.get(&item.item.key) {
                lines.write_record(record(item, model, answer))?;
            }
        }
    }
    lines.flush()
}

fn record(pictured: &PicturedItem, model: &ModelAnswers, answer: &GroundingAnswer) -> [String; 20] {
    let (item, target) = (&pictured.item, &pictured.item.target);
    let some = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    let optional = |text: &Option<String>| cell(text.as_deref().unwrap_or_default());
    [
        cell(&item.key),
        cell(&item.picture),
        cell(&item.instruction),
        optional(&item.kind),
        optional(&item.source),
        optional(&item.group),
        target.share_of(pictured.pictured.size).to_string(),
        cell(&format!("{:?}", pictured.target_size()).to_lowercase()),
        target.left.to_string(),
        target.top.to_string(),
        target.right.to_string(),
        target.bottom.to_string(),
        cell(model.model.name.as_str()),
        answer.outcome.name().to_owned(),
        optional(&answer.why),
        some(answer.at.map(|at| at.0.into())),
        some(answer.at.map(|at| at.1.into())),
        answer.seconds.to_string(),
        some(answer.prompt_tokens),
        some(answer.completion_tokens),
    ]
}

#[cfg(test)]
mod tests;
