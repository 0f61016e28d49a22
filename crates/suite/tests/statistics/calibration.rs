//! Checks the promises of tests and intervals on many simulated suites whose true rates are known.

use std::array;

use fastrand::Rng;
use franz_suite::statistics::{LEVEL, PairedDifference, PlanAssumption, RateEstimate, smallest_difference};

const SUITES: usize = 2_000;
const TASKS: usize = 24;
const REPEATS: u64 = 5;

/// Simulates a pair of models with this true difference, which is larger by `spread` on every second task and smaller
/// by as much on the others. Returns the task means of each.
fn simulated(random: &mut Rng, difference: f64, spread: f64) -> [Vec<f64>; 2] {
    array::from_fn(|model| {
        let sign = if model == 0 { 0.5 } else { -0.5 };
        let mean = |task: usize| {
            let here = if task.is_multiple_of(2) { spread } else { -spread };
            let chance = 0.5 + sign * (difference + here);
            let solved = (0..REPEATS).filter(|_| random.f64() < chance).count();
            solved as f64 / REPEATS as f64
        };
        (0..TASKS).map(mean).collect()
    })
}

/// Returns the share of simulated comparisons for which `found` holds.
fn share(difference: f64, spread: f64, found: impl Fn(PairedDifference) -> bool) -> f64 {
    let mut random = Rng::with_seed(23);
    let suites = (0..SUITES).filter(|_| {
        let [first, second] = simulated(&mut random, difference, spread);
        let differences: Vec<f64> = first
            .iter()
            .zip(&second)
            .map(|(first, second)| first - second)
            .collect();
        PairedDifference::of(&differences).is_some_and(&found)
    });
    suites.count() as f64 / SUITES as f64
}

/// Three standard errors of a share of simulated suites.
fn error(share: f64) -> f64 {
    3.0 * (share * (1.0 - share) / SUITES as f64).sqrt()
}

#[test]
fn equal_models_are_told_apart_in_5_percent() {
    let share = share(0.0, 0.0, |paired| paired.p < LEVEL);
    assert!((0.02..=LEVEL + error(LEVEL)).contains(&share), "{share}");
}

#[test]
fn the_smallest_difference_shows_in_80_percent() {
    let assumption = PlanAssumption::default();
    let difference = smallest_difference(TASKS, REPEATS, 1, assumption).unwrap();
    let share = share(difference, assumption.spread, |paired| paired.p < LEVEL);
    assert!((0.77..=0.86).contains(&share), "{share}");
}

#[test]
fn intervals_of_differences_contain_the_true_one_in_95_percent() {
    let contains = |paired: PairedDifference| {
        let interval = paired.interval.unwrap();
        interval.low <= 0.15 && 0.15 <= interval.high
    };
    let share = share(0.15, 0.0, contains);
    assert!((share - 0.95).abs() < error(0.95), "{share}");
}

#[test]
fn intervals_of_rates_contain_the_true_one_in_95_percent() {
    let mut random = Rng::with_seed(23);
    let contain = (0..SUITES).filter(|_| {
        // Tasks of any difficulty: another choice of them would have another rate, 0.5 on average.
        let means: Vec<f64> = (0..TASKS)
            .map(|_| {
                let chance = random.f64();
                (0..REPEATS).filter(|_| random.f64() < chance).count() as f64 / REPEATS as f64
            })
            .collect();
        let interval = RateEstimate::of(&means).unwrap().interval;
        interval.low <= 0.5 && 0.5 <= interval.high
    });
    let share = contain.count() as f64 / SUITES as f64;
    assert!((share - 0.95).abs() < error(0.95), "{share}");
}
