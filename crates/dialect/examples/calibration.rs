//! Calibrates thousands of simulated models, prints how often the rulings are right, and fails if a goal is missed:
//! `cargo run --release --example calibration -p franz-dialect -- [MODELS OF EACH KIND]`.

use std::process::ExitCode;

use trial::{Tally, Trial};

#[path = "../tests/it/calibration/model.rs"]
mod model;
#[path = "../tests/it/calibration/table.rs"]
#[allow(dead_code, reason = "the tests read all of it")]
mod table;
#[path = "../tests/it/calibration/trial.rs"]
mod trial;

const SEED: u64 = 1;

fn main() -> ExitCode {
    let each = std::env::args()
        .nth(1)
        .map_or(20, |count| count.parse().expect("a number"));
    let trial = Trial::run(each, 8, SEED);
    println!("{} models", trial.models());
    println!("\nModels with a class, by noise in pixels and misses in percent:");
    for ((noise, misses), tally) in trial.by_noise() {
        println!("{noise:3} px {misses:3} %  {tally}");
    }
    println!("\nThe same, each class for itself:");
    for ((name, noise, misses), tally) in &trial.classes {
        println!("{name:27} {noise:3} px {misses:3} %  {tally}");
    }
    println!("\nModels to be refused:");
    for (name, tally) in Trial::by_kind(&trial.refused) {
        println!("{name:27}  {tally}");
    }
    println!("\nModels that answer in steps:");
    for (name, tally) in Trial::by_kind(&trial.coarse) {
        println!("{name:27}  {tally}");
    }
    let (held, intervals) = trial.intervals;
    println!("\nThe interval held the true median {held} times of {intervals}.");
    let (true_rules, rules) = trial.rules;
    println!("The named rule made the true size {true_rules} times of {rules}.");
    let missed = missed(&trial);
    for miss in &missed {
        println!("missed: {miss}");
    }
    if missed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns one line for each class, noise level and miss rate that misses its goal.
fn missed(trial: &Trial) -> Vec<String> {
    let goal = |noise: u32, misses: u32, tally: &Tally| {
        let least = match (noise, misses) {
            (0..=15, 0..=10) => 97.0,
            (0..=15, _) => 90.0,
            _ => 0.0,
        };
        tally.wrong() < 0.5 && tally.right() >= least && tally.most_asked <= 11
    };
    let missing = trial
        .classes
        .iter()
        .filter(|((_, noise, misses), tally)| !goal(*noise, *misses, tally));
    missing
        .map(|((name, noise, misses), tally)| format!("{name} {noise} px {misses} %  {tally}"))
        .collect()
}
