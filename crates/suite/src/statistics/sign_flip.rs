//! The permutation test of paired differences.

use fastrand::Rng;

/// Up to this many differences other than 0, all signs are tried; above it, [`FLIPS_DRAWN`] are drawn.
pub const MOST_ENUMERATED: usize = 16;

/// The number of drawn signs.
pub const FLIPS_DRAWN: u64 = 19_999;

/// The same for every test, so that the same results always give the same p value.
const SEED: u64 = 0x6672_616e_7a20_7375;

/// Sums closer than this part of the largest sum are equal: they differ only by rounding.
const ROUNDING: f64 = 1e-10;

/// Returns the two-sided p value of the sign-flip test: how often the mean would be at least as far from 0 if each
/// difference had its sign by the toss of a coin.
///
/// This is so if neither model is better: on each task, either could have had the other's results. The test assumes
/// nothing about the shape of the differences.
///
/// Differences of 0 change nothing and are left out. If at most [`MOST_ENUMERATED`] are left, the value is exact: the
/// share of all 2^n signs. Otherwise it is (b + 1) / (m + 1), with b of m = [`FLIPS_DRAWN`] random signs at least as far
/// from 0. The order and the direction of the differences do not matter. `scipy` calls the test
/// `permutation_test(permutation_type="samples")`.
pub fn sign_flip_p(differences: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = differences
        .iter()
        .map(|difference| difference.abs())
        .filter(|&size| size > 0.0)
        .collect();
    // Sorted, so that the sums, and the signs drawn for each size, do not depend on the order of tasks.
    sizes.sort_by(f64::total_cmp);
    let observed = differences.iter().sum::<f64>().abs();
    let least = observed - ROUNDING * sizes.iter().sum::<f64>();
    let sums = SignedSums::new(&sizes);
    if sizes.len() <= MOST_ENUMERATED {
        let all = 1_u64 << sizes.len();
        let as_far = (0..all).filter(|&signs| sums.of(&signs.to_le_bytes()).abs() >= least);
        return as_far.count() as f64 / all as f64;
    }
    let mut random = Rng::with_seed(SEED);
    let mut signs = vec![0; sums.groups.len()];
    let as_far = (0..FLIPS_DRAWN).filter(|_| {
        random.fill(&mut signs);
        sums.of(&signs).abs() >= least
    });
    (as_far.count() + 1) as f64 / (FLIPS_DRAWN + 1) as f64
}

/// The sums of up to eight sizes under each of their 256 signs, so that a byte of signs costs one addition.
struct SignedSums {
    groups: Vec<Vec<f64>>,
}

impl SignedSums {
    fn new(sizes: &[f64]) -> Self {
        let groups = sizes.chunks(8).map(|group| {
            let sum = |signs: u32| {
                let signed = group.iter().enumerate();
                signed.fold(
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

    fn of(&self, signs: &[u8]) -> f64 {
        let sums = self.groups.iter().zip(signs);
        sums.map(|(group, &signs)| group[usize::from(signs)]).sum()
    }
}
