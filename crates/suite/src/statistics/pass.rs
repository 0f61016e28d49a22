//! The probability that one, or each, of several attempts solves a task.

/// The attempts at one task by one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskCounts {
    /// The attempts that count.
    pub attempts: u64,
    /// Those that solved the task.
    pub solved: u64,
}

impl TaskCounts {
    /// Returns the share of solved attempts, 0 to 1; `None` without attempts.
    pub fn rate(self) -> Option<f64> {
        (self.attempts > 0).then(|| self.solved as f64 / self.attempts as f64)
    }
}

/// Estimates the probability that at least one of `k` attempts solves the task (pass@k): 1 − C(n−c, k) / C(n, k) with n
/// attempts, c of them solved. `None` if `k` is 0 or exceeds n, or c exceeds n.
///
/// C(n−c, k) / C(n, k) is the share of all choices of k attempts out of n that contain no solved one, so the estimate
/// has no bias. It is the one of Chen et al. 2021 (*Evaluating Large Language Models Trained on Code*, arXiv 2107.03374),
/// which `openai/human-eval` computes as `estimate_pass_at_k`.
pub fn pass_at_k(counts: TaskCounts, k: u64) -> Option<f64> {
    let TaskCounts { attempts: n, solved: c } = counts;
    if k == 0 || k > n || c > n {
        return None;
    }
    if k > n - c {
        return Some(1.0);
    }
    // C(n−c, k) / C(n, k) is the product of 1 − c / (n − i) over i < k, and the same with c and k swapped. Logarithms
    // keep the digits of a result near 0.
    let (more, fewer) = (c.max(k), c.min(k));
    let logarithm: f64 = (0..fewer).map(|i| (-(more as f64) / (n - i) as f64).ln_1p()).sum();
    Some(-logarithm.exp_m1())
}

/// Estimates the probability that each of `k` attempts solves the task (pass^k): C(c, k) / C(n, k) with n attempts, c
/// of them solved. `None` if `k` is 0 or exceeds n, or c exceeds n.
///
/// It is the share of all choices of k attempts out of n that contain only solved ones, so the estimate has no bias. The
/// measure is that of Yao et al. 2024 (*τ-bench*, arXiv 2406.12045).
pub fn pass_hat_k(counts: TaskCounts, k: u64) -> Option<f64> {
    let TaskCounts { attempts: n, solved: c } = counts;
    if k == 0 || k > n || c > n {
        return None;
    }
    if k > c {
        return Some(0.0);
    }
    Some((0..k).map(|i| (c - i) as f64 / (n - i) as f64).product())
}

/// Returns the mean of [`pass_at_k`] over the tasks with at least `k` attempts, and the number of these tasks. `None`
/// if there is none.
pub fn mean_pass_at_k(tasks: &[TaskCounts], k: u64) -> Option<(f64, usize)> {
    mean_over(tasks, |counts| pass_at_k(counts, k))
}

/// Returns the mean of [`pass_hat_k`] over the tasks with at least `k` attempts, and the number of these tasks. `None`
/// if there is none.
pub fn mean_pass_hat_k(tasks: &[TaskCounts], k: u64) -> Option<(f64, usize)> {
    mean_over(tasks, |counts| pass_hat_k(counts, k))
}

fn mean_over(tasks: &[TaskCounts], value: impl Fn(TaskCounts) -> Option<f64>) -> Option<(f64, usize)> {
    let values: Vec<f64> = tasks.iter().filter_map(|&counts| value(counts)).collect();
    (!values.is_empty()).then(|| (super::estimate::mean(&values), values.len()))
}
