//! Groups the items by file, by kind and source, and by size.

use std::collections::BTreeMap;

use serde::Serialize;

use super::set::PicturedItem;
use crate::statistics::{Interval, wilson};

/// Hits among answers, with the interval of their rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HitRate {
    /// The number of hits.
    pub hits: u64,
    /// The number of answers.
    pub answers: u64,
    /// Hits among answers, 0 to 1; `None` without answers.
    pub rate: Option<f64>,
    /// The 95 % interval of the rate after Wilson; 0 to 1 without answers.
    pub interval: Interval,
}

/// A way to divide the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitBy {
    /// By the file that they are in.
    File,
    /// By the kind of target: `data_type` or `ui_type`.
    Kind,
    /// By the source of the picture: `data_source` or `platform`.
    Source,
    /// By the group of programs: `group`.
    Group,
    /// By the size of the target.
    Size,
}

/// The items divided in one way.
#[derive(Clone, Debug, Serialize)]
pub struct Split {
    /// The way.
    pub by: SplitBy,
    /// The parts in the order of their names, sizes from the smallest.
    pub parts: Vec<SplitPart>,
}

/// One part of the items.
#[derive(Clone, Debug, Serialize)]
pub struct SplitPart {
    /// The value that its items have in common.
    pub value: String,
    /// The number of its items.
    pub items: u64,
    /// The hits of each model, in the order of the report.
    pub models: Vec<HitRate>,
}

impl HitRate {
    /// Counts answers that are hits or not.
    pub(super) fn of(answers: impl IntoIterator<Item = bool>) -> HitRate {
        let (mut hits, mut all) = (0, 0);
        for hit in answers {
            hits += u64::from(hit);
            all += 1;
        }
        HitRate::new(hits, all)
    }

    pub(super) fn new(hits: u64, answers: u64) -> HitRate {
        let rate = (answers > 0).then(|| hits as f64 / answers as f64);
        HitRate {
            hits,
            answers,
            rate,
            interval: wilson(rate.unwrap_or(0.0), answers as usize),
        }
    }
}

impl SplitBy {
    const ALL: [SplitBy; 5] = [
        SplitBy::File,
        SplitBy::Kind,
        SplitBy::Source,
        SplitBy::Group,
        SplitBy::Size,
    ];

    /// Returns the heading of a table.
    pub(super) fn words(self) -> &'static str {
        match self {
            SplitBy::File => "file",
            SplitBy::Kind => "kind",
            SplitBy::Source => "source",
            SplitBy::Group => "group",
            SplitBy::Size => "target, by its share of the picture",
        }
    }

    /// Returns the part to which an item belongs: a number by which parts are sorted first, and its name.
    fn part(self, item: &PicturedItem) -> (u8, String) {
        let named = |name: &Option<String>| match name {
            Some(name) => (0, name.clone()),
            None => (1, "(not given)".to_owned()),
        };
        match self {
            SplitBy::File => (0, item.file().to_owned()),
            SplitBy::Kind => named(&item.item.kind),
            SplitBy::Source => named(&item.item.source),
            SplitBy::Group => named(&item.item.group),
            SplitBy::Size => {
                let size = item.target_size();
                (size as u8, size.words().to_owned())
            }
        }
    }
}

/// Divides items in every way that has more than one part. `hits` holds for each model whether it hit each item; `None`
/// if it did not answer. Sizes are always shown.
pub(super) fn all(items: &[&PicturedItem], hits: &[Vec<Option<bool>>]) -> Vec<Split> {
    let splits = SplitBy::ALL.into_iter().map(|by| of(by, items, hits));
    splits
        .filter(|split| split.by == SplitBy::Size || split.parts.len() > 1)
        .collect()
}

fn of(by: SplitBy, items: &[&PicturedItem], hits: &[Vec<Option<bool>>]) -> Split {
    let mut parts: BTreeMap<(u8, String), Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        parts.entry(by.part(item)).or_default().push(at);
    }
    let part = |((_, value), part): ((u8, String), Vec<usize>)| SplitPart {
        value,
        items: part.len() as u64,
        models: hits
            .iter()
            .map(|hits| HitRate::of(part.iter().filter_map(|&at| hits[at])))
            .collect(),
    };
    Split {
        by,
        parts: parts.into_iter().map(part).collect(),
    }
}
