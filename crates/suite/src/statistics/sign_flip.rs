//! The permutation test of paired differences.

use fastrand::Rng;

/// The number of random sign vectors drawn if they cannot all be counted.
pub const FLIPS_DRAWN: u64 = 19_999;

/// The largest number of parts of 1 in which differences are counted.
const MOST_PARTS: u32 = 10_000;
/// The most steps of counting; drawing takes about as long.
const MOST_STEPS: usize = 5_000_000;
/// Numbers closer than this differ only by rounding.
const ROUNDING: f64 = 1e-9;
/// The same for every test, so that the same results always give the same p value.
const SEED: u64 = 0x6672_616e_7a20_7375;

/// Returns the two-sided p value of the sign-flip test: the probability that the mean would be at least as far from 0
/// if each difference had a random sign.
///
/// This is the null hypothesis that neither model is better: on each task, either could have had the other's results.
/// The test assumes nothing about the shape of the differences. The idea is Fisher's (*The Design of Experiments*,
/// 1935). `scipy` calls it `permutation_test(permutation_type="samples")`.
///
/// The value is exact, the share of all 2^n signs, if the differences are multiples of 1/L for a whole L up to
/// 10,000, as differences between counts are. Otherwise, or if there are thousands of tasks with uneven counts, it is
/// (b + 1) / (m + 1), with b of m = [`FLIPS_DRAWN`] random signs at least as far from 0. It is never 0. Neither the
/// order nor the direction of the differences matters, and those of 0 change nothing.
pub fn sign_flip_p(differences: &[f64]) -> f64 {
    // Without 0, and sorted, so that the signs drawn for each size do not depend on the order of tasks.
    let mut differences: Vec<f64> = differences.iter().copied().filter(|&value| value != 0.0).collect();
    differences.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    counted(&differences).unwrap_or_else(|| drawn(&differences))
}

/// Counts all signs; `None` if the differences have no common unit, or there are too many.
fn counted(differences: &[f64]) -> Option<f64> {
    let units = in_units(differences)?;
    let sizes: Vec<usize> = units.iter().map(|unit| unit.unsigned_abs() as usize).collect();
    let whole: usize = sizes.iter().sum();
    let steps = whole.checked_mul(sizes.len()).filter(|&steps| steps <= MOST_STEPS);
    steps?;
    // The chance of each sum of the differences with a positive sign.
    let mut chances = vec![0.0; whole + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for size in sizes {
        for sum in (0..=reached).rev() {
            let half = chances[sum] / 2.0;
            chances[sum] = half;
            chances[sum + size] += half;
        }
        reached += size;
    }
    let observed = units.iter().sum::<i64>().unsigned_abs() as usize;
    // A sum of positive ones is a sum of all of them of twice this size, minus the whole.
    let as_far = chances
        .iter()
        .enumerate()
        .filter(|&(sum, _)| (2 * sum).abs_diff(whole) >= observed);
    let p: f64 = as_far.map(|(_, chance)| chance).sum();
    Some(p.clamp(f64::MIN_POSITIVE, 1.0))
}

/// Writes the differences as multiples of the largest common unit 1/L.
fn in_units(differences: &[f64]) -> Option<Vec<i64>> {
    let is_whole = |number: f64| (number - number.round()).abs() < ROUNDING;
    let parts = (1..=MOST_PARTS)
        .map(f64::from)
        .find(|parts| differences.iter().all(|difference| is_whole(difference * parts)))?;
    Some(
        differences
            .iter()
            .map(|difference| (difference * parts).round() as i64)
            .collect(),
    )
}

fn drawn(differences: &[f64]) -> f64 {
    let whole: f64 = differences.iter().map(|difference| difference.abs()).sum();
    let least = differences.iter().sum::<f64>().abs() - ROUNDING * whole;
    let sums = SignedSums::of(differences);
    let mut random = Rng::with_seed(SEED);
    let mut signs = vec![0; sums.groups.len()];
    let as_far = (0..FLIPS_DRAWN).filter(|_| {
        random.fill(&mut signs);
        sums.signed(&signs).abs() >= least
    });
    (as_far.count() + 1) as f64 / (FLIPS_DRAWN + 1) as f64
}

/// The sums of up to eight sizes under each of their 256 signs, so that a byte of signs costs one addition.
struct SignedSums {
    groups: Vec<Vec<f64>>,
}

impl SignedSums {
    fn of(differences: &[f64]) -> Self {
        let groups = differences.chunks(8).map(|group| {
            let sum = |signs: u32| {
                let sizes = group.iter().map(|difference| difference.abs()).enumerate();
                sizes.fold(
                    0.0,
                    |sum, (bit, size)| {
                        if signs >> bit & 1 == 1 { sum + size } else { sum - size }
                    },
                )
            };
            (0..256).map(sum).collect()
        });
        Self {
            groups: groups.collect(),
        }
    }

    fn signed(&self, signs: &[u8]) -> f64 {
        let sums = self.groups.iter().zip(signs);
        sums.map(|(group, &signs)| group[usize::from(signs)]).sum()
    }
}
