//! Compares every statistic with `reference.json`, which `reference.py` wrote with `scipy` and `statsmodels`.

use franz_suite::statistics::{
    FLIPS_DRAWN, IntervalMethod, PairedDifference, PlanAssumption, RateEstimate, TaskCounts, holm, pass_at_k,
    pass_hat_k, sign_flip_p, smallest_difference, wilson,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    estimates: Vec<EstimateCase>,
    wilson: Vec<WilsonCase>,
    passes: Vec<PassCase>,
    sign_flips: Vec<SignFlipCase>,
    long_sign_flips: Vec<SignFlipCase>,
    drawn_sign_flips: Vec<DrawnCase>,
    paired: Vec<PairedCase>,
    holm: Vec<HolmCase>,
    powers: Vec<PowerCase>,
}

#[derive(Deserialize)]
struct EstimateCase {
    repeats: u64,
    solved: Vec<u64>,
    mean: f64,
    low: f64,
    high: f64,
    clustered_low: f64,
    clustered_high: f64,
}

#[derive(Deserialize)]
struct WilsonCase {
    solved: usize,
    trials: usize,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct PassCase {
    n: u64,
    c: u64,
    k: u64,
    pass_at_k: f64,
    pass_hat_k: f64,
}

#[derive(Deserialize)]
struct SignFlipCase {
    unit: u32,
    differences: Vec<i32>,
    p: f64,
}

#[derive(Deserialize)]
struct DrawnCase {
    differences: Vec<f64>,
    p: f64,
}

#[derive(Deserialize)]
struct PairedCase {
    repeats: u64,
    first: Vec<u64>,
    second: Vec<u64>,
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct HolmCase {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[derive(Deserialize)]
struct PowerCase {
    tasks: usize,
    pairs: usize,
    effect: f64,
    exact_power: f64,
}

impl SignFlipCase {
    fn differences(&self) -> Vec<f64> {
        let unit = f64::from(self.unit);
        self.differences
            .iter()
            .map(|&difference| f64::from(difference) / unit)
            .collect()
    }
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("reference.json")).expect("the file is reference.py's")
}

fn means(solved: &[u64], repeats: u64) -> Vec<f64> {
    solved.iter().map(|&solved| solved as f64 / repeats as f64).collect()
}

#[track_caller]
fn same(ours: f64, theirs: f64, what: &str) {
    let allowed = 1e-9 * theirs.abs().max(1e-300);
    assert!(
        (ours - theirs).abs() <= allowed,
        "{what}: {ours} instead of {theirs}, relative error {:e}",
        (ours - theirs).abs() / theirs.abs()
    );
}

#[test]
fn t_intervals_over_tasks() {
    for case in reference().estimates {
        let what = format!("{} tasks x {}", case.solved.len(), case.repeats);
        let estimate = RateEstimate::of(&means(&case.solved, case.repeats)).unwrap();
        assert_eq!(estimate.method, IntervalMethod::T, "{what}");
        same(estimate.mean, case.mean, &what);
        for (low, high) in [(case.low, case.high), (case.clustered_low, case.clustered_high)] {
            same(estimate.interval.low, low.max(0.0), &what);
            same(estimate.interval.high, high.min(1.0), &what);
        }
    }
}

#[test]
fn wilson_intervals() {
    for case in reference().wilson {
        let what = format!("{} of {}", case.solved, case.trials);
        let mean = case.solved as f64 / case.trials as f64;
        let interval = wilson(mean, case.trials);
        if case.solved == 0 {
            assert_eq!(interval.low.total_cmp(&0.0), std::cmp::Ordering::Equal, "{what}");
        } else {
            same(interval.low, case.low, &what);
        }
        same(interval.high, case.high, &what);
        if case.solved == 0 || case.solved == case.trials {
            let estimate = RateEstimate::of(&vec![mean; case.trials]).unwrap();
            assert_eq!((estimate.method, estimate.interval), (IntervalMethod::Wilson, interval));
        }
    }
}

#[test]
fn chances_of_one_and_of_each_of_k() {
    for case in reference().passes {
        let what = format!("n {}, c {}, k {}", case.n, case.c, case.k);
        let counts = TaskCounts {
            attempts: case.n,
            solved: case.c,
        };
        same(pass_at_k(counts, case.k).unwrap(), case.pass_at_k, &what);
        same(pass_hat_k(counts, case.k).unwrap(), case.pass_hat_k, &what);
    }
}

#[test]
fn sign_flips() {
    let reference = reference();
    for case in reference.sign_flips.iter().chain(&reference.long_sign_flips) {
        let what = format!("{:?} / {}", case.differences, case.unit);
        same(sign_flip_p(&case.differences()), case.p, &what);
    }
}

#[test]
fn drawn_sign_flips_are_close_to_all_of_them() {
    for case in reference().drawn_sign_flips {
        let error = (case.p * (1.0 - case.p) / FLIPS_DRAWN as f64).sqrt();
        let ours = sign_flip_p(&case.differences);
        assert!(
            (ours - case.p).abs() <= 4.0 * error + 1e-4,
            "{ours} instead of {}",
            case.p
        );
    }
}

#[test]
fn paired_t_intervals() {
    for case in reference().paired {
        let what = format!("{} tasks x {}", case.first.len(), case.repeats);
        let (first, second) = (means(&case.first, case.repeats), means(&case.second, case.repeats));
        let differences: Vec<f64> = first
            .iter()
            .zip(&second)
            .map(|(first, second)| first - second)
            .collect();
        let paired = PairedDifference::of(&differences).unwrap();
        let interval = paired.interval.unwrap();
        // A difference of 0 has no relative error.
        assert!((paired.mean - case.mean).abs() < 1e-15, "{what}");
        same(interval.low, case.low.max(-1.0), &what);
        same(interval.high, case.high.min(1.0), &what);
    }
}

#[test]
fn holm_over_pairs() {
    for case in reference().holm {
        for (ours, theirs) in holm(&case.p).into_iter().zip(case.adjusted) {
            same(ours, theirs, &format!("{:?}", case.p));
        }
    }
}

#[test]
fn smallest_differences_have_the_power_promised() {
    // With this spread and attempts that never vary, σ is 0.5 and does not depend on repeats.
    let assumption = PlanAssumption {
        chance: 1.0,
        spread: 0.5,
    };
    for case in reference().powers {
        let what = format!("{} tasks, {} pairs", case.tasks, case.pairs);
        match smallest_difference(case.tasks, 3, case.pairs, assumption) {
            Some(difference) => same(difference, case.effect * assumption.spread, &what),
            None => assert!(case.effect * assumption.spread > 1.0, "{what}"),
        }
        assert!(
            (0.76..=0.82).contains(&case.exact_power),
            "{what}: {}",
            case.exact_power
        );
    }
}
