//! Scenarios: a profile's ready-made goals, chosen by number.

use super::key::GOAL;
use super::layer::Layer;
use super::origin::Origin;
use super::settings::{Scenario, Settings};

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ScenarioError {
    #[error(
        "--scenario {number}: these settings have no scenarios; put the goal after the command instead: franz run \"GOAL\""
    )]
    None { number: usize },
    #[error("--scenario {number}: choose a number from 1 to {last}; `franz scenarios --profile NAME` lists them")]
    OutOfRange { number: usize, last: usize },
}

/// Returns a layer with the goal of a scenario. Numbers start at 1.
pub(crate) fn chosen(layer: &Layer, number: usize) -> Result<Layer, ScenarioError> {
    let scenarios = Settings::resolve(layer).prompt.scenarios;
    let last = scenarios.len();
    if last == 0 {
        return Err(ScenarioError::None { number });
    }
    let index = number.checked_sub(1);
    let scenario = index.and_then(|index| scenarios.into_iter().nth(index));
    let Scenario { goal, .. } = scenario.ok_or(ScenarioError::OutOfRange { number, last })?;
    let origin = layer.origin("prompt.scenarios").cloned().unwrap_or(Origin::Default);
    let mut goals = Layer::default();
    goals.insert(GOAL, goal.into(), origin);
    Ok(goals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::layer::Layer;

    #[test]
    fn a_number_chooses_a_goal() {
        let two = "prompt.scenarios=[{name='a',goal='draw a'},{name='b',goal='draw b'}]".to_owned();
        let layer = Layer::defaults().over(set_flags(&[two]).unwrap());
        let goal = |number| chosen(&layer, number).map(|goal| Settings::resolve(&layer.clone().over(goal)).prompt.goal);
        assert_eq!(goal(1).as_deref(), Ok("draw a"));
        assert_eq!(goal(2).as_deref(), Ok("draw b"));
        for number in [0, 3, usize::MAX] {
            assert_eq!(goal(number), Err(ScenarioError::OutOfRange { number, last: 2 }));
        }
        assert_eq!(chosen(&Layer::defaults(), 1), Err(ScenarioError::None { number: 1 }));
    }
}
