//! Holm's adjustment of p values for the number of tests.

/// Adjusts p values so that the probability of even one false positive stays below the level, however the tests depend
/// on each other. Returns them in the order given.
///
/// The smallest of m values is multiplied by m, the next by m − 1, and so on; none becomes smaller than the one before
/// it, or larger than 1. The procedure is that of Holm 1979 (*A simple sequentially rejective multiple test procedure*,
/// Scandinavian Journal of Statistics 6, 65–70). `statsmodels` calls it `multipletests(method="holm")`.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let tests_left = (p_values.len() - rank) as f64;
        least = least.max(p_values[index] * tests_left).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}
