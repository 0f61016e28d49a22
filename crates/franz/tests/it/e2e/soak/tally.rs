//! Counts kills, turns, actions and verdicts, for the line at the end.

use std::collections::BTreeMap;
use std::fmt;

use super::life::Target;

#[derive(Default)]
pub(super) struct Tally {
    /// The kills by the target's name.
    kills: BTreeMap<&'static str, u64>,
    pub(super) runs: u64,
    pub(super) turns: u64,
    pub(super) actions: u64,
    /// Turns whose actions were interrupted by a kill.
    pub(super) interrupted: u64,
    /// The verdicts by name.
    pub(super) verdicts: BTreeMap<String, u64>,
}

impl Tally {
    pub(super) fn killed(&mut self, target: Target) {
        *self.kills.entry(target.name()).or_default() += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = |counts: Vec<(&str, u64)>| {
            let counts = counts.into_iter().map(|(name, count)| format!("{count} {name}"));
            counts.collect::<Vec<_>>().join(", ")
        };
        let kills = self.kills.iter().map(|(name, count)| (*name, *count)).collect();
        let verdicts = self
            .verdicts
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect();
        write!(
            formatter,
            "{} kills ({}) over {} runs of {} turns: none lost, {} actions done once and in order, {} turns interrupted \
             while acting, verdicts: {}",
            self.kills.values().sum::<u64>(),
            counts(kills),
            self.runs,
            self.turns,
            self.actions,
            self.interrupted,
            counts(verdicts)
        )
    }
}
