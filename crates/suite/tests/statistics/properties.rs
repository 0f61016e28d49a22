//! Properties of the statistics for any results.

use franz_suite::statistics::{
    IntervalMethod, PairedDifference, PlanAssumption, RateEstimate, TaskCounts, holm, mean_pass_at_k, mean_pass_hat_k,
    pass_at_k, pass_hat_k, sign_flip_p, smallest_difference, wilson,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// The most that two results of the same computation in another order may differ.
const ROUNDING: f64 = 1e-12;

fn counts() -> impl Strategy<Value = TaskCounts> {
    (1_u64..40).prop_flat_map(|attempts| (0..=attempts).prop_map(move |solved| TaskCounts { attempts, solved }))
}

/// Pairs of means over up to forty tasks; one in two tasks has the same mean for both.
fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let mean = || (0_u32..=5).prop_map(|solved| f64::from(solved) / 5.0);
    vec(
        prop_oneof![(mean(), mean()), mean().prop_map(|mean| (mean, mean))],
        1..40,
    )
}

fn differences(pairs: &[(f64, f64)]) -> Vec<f64> {
    pairs.iter().map(|(first, second)| first - second).collect()
}

fn close(first: f64, second: f64) -> bool {
    (first - second).abs() <= ROUNDING
}

proptest! {
    #[test]
    fn intervals_contain_the_mean_and_stay_within_0_and_1(means in vec(0.0_f64..=1.0, 1..60)) {
        let estimate = RateEstimate::of(&means).unwrap();
        prop_assert!(0.0 <= estimate.interval.low && estimate.interval.low <= estimate.mean);
        prop_assert!(estimate.mean <= estimate.interval.high && estimate.interval.high <= 1.0);
    }

    #[test]
    fn wilson_intervals_contain_the_mean_and_narrow_with_trials(mean in 0.0_f64..=1.0, trials in 0_usize..5_000) {
        let (interval, next) = (wilson(mean, trials), wilson(mean, trials + 1));
        prop_assert!(0.0 <= interval.low && interval.low <= mean && mean <= interval.high && interval.high <= 1.0);
        prop_assert!(next.high - next.low < interval.high - interval.low + ROUNDING);
    }

    #[test]
    fn the_order_of_tasks_does_not_matter(pairs in pairs(), turn in 0_usize..40) {
        let mut turned = pairs.clone();
        let turn = turn % turned.len();
        turned.rotate_left(turn);
        let first = PairedDifference::of(&differences(&pairs)).unwrap();
        let second = PairedDifference::of(&differences(&turned)).unwrap();
        prop_assert!(close(first.mean, second.mean));
        prop_assert_eq!(first.p.to_bits(), second.p.to_bits());
        prop_assert_eq!(first.interval.is_some(), second.interval.is_some());
        if let (Some(first), Some(second)) = (first.interval, second.interval) {
            prop_assert!(close(first.low, second.low) && close(first.high, second.high));
        }
    }

    #[test]
    fn exchanging_the_models_only_turns_the_sign(pairs in pairs()) {
        let there = differences(&pairs);
        let back: Vec<f64> = there.iter().map(|difference| -difference).collect();
        let (there, back) = (PairedDifference::of(&there).unwrap(), PairedDifference::of(&back).unwrap());
        prop_assert!(close(there.mean, -back.mean));
        prop_assert_eq!(there.p.to_bits(), back.p.to_bits());
        if let (Some(there), Some(back)) = (there.interval, back.interval) {
            prop_assert!(close(there.low, -back.high) && close(there.high, -back.low));
        }
    }

    #[test]
    fn identical_models_do_not_differ(pairs in pairs()) {
        let same: Vec<f64> = pairs.iter().map(|(mean, _)| mean - mean).collect();
        let paired = PairedDifference::of(&same).unwrap();
        prop_assert_eq!((paired.mean, paired.p, paired.interval), (0.0, 1.0, None));
    }

    #[test]
    fn p_values_are_never_0_and_ignore_tasks_without_a_difference(pairs in pairs(), extra in 0_usize..20) {
        let mut differences = differences(&pairs);
        let p = sign_flip_p(&differences);
        prop_assert!(0.0 < p && p <= 1.0);
        differences.extend(vec![0.0; extra]);
        prop_assert_eq!(sign_flip_p(&differences).to_bits(), p.to_bits());
    }

    #[test]
    fn p_values_are_the_share_of_all_signs(sizes in vec(-12_i32..=12, 1..11), unit in 1_u32..=40) {
        let differences: Vec<f64> = sizes.iter().map(|&size| f64::from(size) / f64::from(unit)).collect();
        let all = 1_u32 << sizes.len();
        let sum = |signs: u32| -> i32 {
            (0..).zip(&sizes).map(|(bit, &size)| if signs >> bit & 1 == 1 { size } else { -size }).sum()
        };
        let observed = sizes.iter().sum::<i32>().abs();
        let as_far = (0..all).filter(|&signs| sum(signs).abs() >= observed).count();
        prop_assert!(close(sign_flip_p(&differences), as_far as f64 / f64::from(all)));
    }

    #[test]
    fn the_interval_of_a_difference_contains_it(pairs in pairs()) {
        let paired = PairedDifference::of(&differences(&pairs)).unwrap();
        if let Some(interval) = paired.interval {
            prop_assert!(-1.0 <= interval.low && interval.low <= paired.mean);
            prop_assert!(paired.mean <= interval.high && interval.high <= 1.0);
        }
    }

    #[test]
    fn holm_keeps_the_order_and_never_lowers(p_values in vec(0.0_f64..=1.0, 0..50)) {
        let adjusted = holm(&p_values);
        prop_assert_eq!(adjusted.len(), p_values.len());
        for (index, &p) in p_values.iter().enumerate() {
            prop_assert!(p <= adjusted[index] && adjusted[index] <= 1.0);
            for (other, &q) in p_values.iter().enumerate() {
                prop_assert!(p > q || adjusted[index] <= adjusted[other]);
            }
        }
    }

    #[test]
    fn one_of_k_is_at_least_as_likely_as_each_of_k(counts in counts(), k in 1_u64..40) {
        let (at, hat) = (pass_at_k(counts, k), pass_hat_k(counts, k));
        prop_assert_eq!(at.is_some(), k <= counts.attempts);
        prop_assert_eq!(hat.is_some(), k <= counts.attempts);
        if let (Some(at), Some(hat), Some(rate)) = (at, hat, counts.rate()) {
            prop_assert!(0.0 <= hat && hat <= rate + ROUNDING && rate <= at + ROUNDING && at <= 1.0);
            if k == 1 {
                prop_assert!(close(at, rate) && close(hat, rate));
            }
            if let (Some(more), Some(fewer)) = (pass_at_k(counts, k + 1), pass_hat_k(counts, k + 1)) {
                prop_assert!(at <= more + ROUNDING && fewer <= hat + ROUNDING);
            }
        }
    }

    #[test]
    fn means_over_tasks_leave_out_tasks_with_fewer_attempts(tasks in vec(counts(), 0..20), k in 1_u64..40) {
        let enough = tasks.iter().filter(|counts| counts.attempts >= k).count();
        let expected = (enough > 0).then_some(enough);
        prop_assert_eq!(mean_pass_at_k(&tasks, k).map(|(_, tasks)| tasks), expected);
        prop_assert_eq!(mean_pass_hat_k(&tasks, k).map(|(_, tasks)| tasks), expected);
    }

    #[test]
    fn larger_plans_show_smaller_differences(tasks in 6_usize..500, repeats in 1_u64..50, pairs in 1_usize..50) {
        let of = |tasks, repeats, pairs| {
            smallest_difference(tasks, repeats, pairs, PlanAssumption::default()).unwrap_or(f64::INFINITY)
        };
        let difference = of(tasks, repeats, pairs);
        prop_assert!(difference > 0.0);
        prop_assert!(of(tasks + 1, repeats, pairs) <= difference);
        prop_assert!(of(tasks, repeats + 1, pairs) <= difference);
        prop_assert!(of(tasks, repeats, pairs + 1) >= difference);
    }
}

#[test]
fn without_results_there_is_nothing_to_estimate() {
    assert_eq!(RateEstimate::of(&[]), None);
    assert_eq!(PairedDifference::of(&[]), None);
    let none = TaskCounts::default();
    assert_eq!(
        (none.rate(), pass_at_k(none, 1), pass_hat_k(none, 1)),
        (None, None, None)
    );
    let some = TaskCounts { attempts: 3, solved: 2 };
    assert_eq!((pass_at_k(some, 0), pass_hat_k(some, 4)), (None, None));
    let impossible = TaskCounts { attempts: 3, solved: 4 };
    assert_eq!((pass_at_k(impossible, 1), pass_hat_k(impossible, 1)), (None, None));
}

#[test]
fn results_that_do_not_vary_get_an_interval_that_is_not_empty() {
    for means in [vec![0.6], vec![0.6; 24], vec![0.0; 24], vec![1.0; 24]] {
        let estimate = RateEstimate::of(&means).unwrap();
        assert_eq!(estimate.method, IntervalMethod::Wilson);
        assert!(estimate.interval.high - estimate.interval.low > 0.1);
    }
}

#[test]
fn plans_with_too_few_tasks_show_nothing() {
    let of = |tasks, repeats, pairs| smallest_difference(tasks, repeats, pairs, PlanAssumption::default());
    for (tasks, repeats, pairs) in [(0, 5, 1), (1, 5, 1), (5, 100, 1), (6, 100, 3), (24, 0, 1)] {
        assert_eq!(
            of(tasks, repeats, pairs),
            None,
            "{tasks} tasks x {repeats}, {pairs} pairs"
        );
    }
    assert!(of(6, 100, 1).is_some());
}
