//! Calibration against models whose coordinates are known.

mod chart;
mod model;
mod rulings;
mod table;
mod trial;

use franz_dialect::calibration::{FEWEST, MOST};
use trial::Trial;

/// The goals, over all classes together. `cargo run --release --example calibration -p franz-dialect` tests each class
/// separately, with more models.
#[test]
fn calibration_detects_the_number_space_of_simulated_models() {
    let trial = Trial::run(1, 2, 1);
    assert!(trial.models() >= 5_000, "{} models", trial.models());
    for ((noise, misses), tally) in trial.by_noise() {
        assert!(tally.wrong() < 0.5, "{noise} px, {misses} % misses: {tally}");
        let least = match (noise, misses) {
            (0..=15, 0..=10) => 97.0,
            (0..=15, _) => 90.0,
            _ => 0.0,
        };
        assert!(tally.right() >= least, "{noise} px, {misses} % misses: {tally}");
    }
    for (name, tally) in Trial::by_kind(&trial.coarse) {
        assert!(tally.wrong() < 0.5, "{name}: {tally}");
    }
    for (name, tally) in Trial::by_kind(&trial.refused) {
        // Five answers of a model that keeps changing its mind sometimes agree.
        let most = if name.starts_with("thousandths or") { 15.0 } else { 1.0 };
        assert!(tally.wrong() < most, "{name}: {tally}");
    }
    assert!(trial.all().all(|tally| (FEWEST..=MOST).contains(&tally.most_asked)));
    let (held, intervals) = trial.intervals;
    assert!(
        held * 100 >= intervals * 93,
        "the interval held {held} times of {intervals}"
    );
}

#[test]
fn resizing_matches_transformers() {
    let rows = table::rows();
    assert!(rows.len() >= 300);
    for row in rows {
        assert_eq!(row.rule.size(row.sent), row.resized, "{:?} of {:?}", row.rule, row.sent);
    }
}
