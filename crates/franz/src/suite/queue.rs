//! The waiting attempts, in an order that gives models equal shares.

use std::collections::{BTreeMap, VecDeque};

use franz_suite::PlannedAttempt;
use franz_suite::suite::Name;

/// Attempts that wait or run, by model.
///
/// The next model is the one with waiting attempts that has the fewest running attempts. While all models have waiting
/// attempts, no model therefore has more than one running attempt more than another. Among equals, the plan's order
/// decides.
pub(crate) struct AttemptQueue {
    models: BTreeMap<Name, ModelQueue>,
    /// The place of the next attempt that is added.
    places: usize,
}

#[derive(Default)]
struct ModelQueue {
    /// The attempts with their places.
    waiting: VecDeque<(usize, PlannedAttempt)>,
    running: usize,
}

impl AttemptQueue {
    /// Queues attempts in this order.
    pub(crate) fn new(attempts: Vec<PlannedAttempt>) -> AttemptQueue {
        let mut queue = AttemptQueue {
            models: BTreeMap::new(),
            places: 0,
        };
        for attempt in attempts {
            queue.add(attempt);
        }
        queue
    }

    /// Adds an attempt behind all others.
    pub(crate) fn add(&mut self, attempt: PlannedAttempt) {
        let model = self.models.entry(attempt.model.clone()).or_default();
        model.waiting.push_back((self.places, attempt));
        self.places += 1;
    }

    /// Takes the next attempt, which is running from now on.
    pub(crate) fn take(&mut self) -> Option<PlannedAttempt> {
        let place = |model: &ModelQueue| model.waiting.front().map(|(place, _)| *place);
        let waiting = self.models.values_mut().filter(|model| !model.waiting.is_empty());
        let next = waiting.min_by_key(|model| (model.running, place(model)))?;
        let (_, attempt) = next.waiting.pop_front()?;
        next.running += 1;
        Some(attempt)
    }

    /// Marks an attempt as no longer running.
    pub(crate) fn ended(&mut self, attempt: &PlannedAttempt) {
        if let Some(model) = self.models.get_mut(&attempt.model) {
            model.running = model.running.saturating_sub(1);
        }
    }

    /// Returns whether no attempt is running.
    pub(crate) fn is_idle(&self) -> bool {
        self.models.values().all(|model| model.running == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts(models: &[&str]) -> Vec<PlannedAttempt> {
        let attempt = |(number, model): (u32, &&str)| PlannedAttempt {
            attempt: number,
            task: Name::try_from("t".to_owned()).unwrap(),
            model: Name::try_from((*model).to_owned()).unwrap(),
            profile: "draw".to_owned(),
            repeat: 1,
            seed: 1,
        };
        (1..).zip(models).map(attempt).collect()
    }

    #[test]
    fn equally_busy_models_keep_the_order_of_the_plan() {
        let mut queue = AttemptQueue::new(attempts(&["b", "b", "a", "a"]));
        let mut order = Vec::new();
        while let Some(attempt) = queue.take() {
            order.push(attempt.attempt);
            queue.ended(&attempt);
        }
        assert_eq!(order, [1, 2, 3, 4]);
        assert!(queue.is_idle());
    }

    #[test]
    fn models_are_served_evenly_while_all_of_them_wait() {
        // Whatever the order of the plan, and whichever attempt ends first.
        let mut random = fastrand::Rng::with_seed(7);
        for (jobs, models) in [(2, 2), (4, 2), (3, 2), (5, 3), (2, 3), (16, 3)] {
            let names = &["a", "b", "c"][..models];
            let mut plan: Vec<&str> = (0..40 * models).map(|at| names[at % models]).collect();
            random.shuffle(&mut plan);
            let mut queue = AttemptQueue::new(attempts(&plan));
            let mut running: Vec<PlannedAttempt> = Vec::new();
            loop {
                while running.len() < jobs {
                    let Some(attempt) = queue.take() else { break };
                    running.push(attempt);
                }
                if queue.models.values().any(|model| model.waiting.is_empty()) {
                    break;
                }
                for model in queue.models.values() {
                    let share = jobs / models;
                    assert!((share..=share + usize::from(jobs % models > 0)).contains(&model.running));
                }
                let ended = running.swap_remove(random.usize(..running.len()));
                queue.ended(&ended);
            }
        }
    }

    #[test]
    fn no_job_waits_while_any_attempt_does() {
        let mut queue = AttemptQueue::new(attempts(&["a", "a", "b"]));
        let taken: Vec<PlannedAttempt> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(taken.len(), 3);
        assert!(!queue.is_idle());
        queue.add(taken[0].clone());
        queue.ended(&taken[0]);
        assert_eq!(queue.take().unwrap().attempt, 1);
    }
}
