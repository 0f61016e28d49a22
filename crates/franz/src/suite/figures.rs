//! Statistics of a recorded run.

use std::path::Path;

use franz_home::View;
use franz_record::{Exit, RunEnd, RunOverview, TurnLines};
use franz_suite::RunFigures;
use jiff::Timestamp;

/// Returns how a run recorded its own end, if it did.
pub(crate) fn end(run: &Path) -> Option<RunEnd> {
    RunEnd::of(&View::open(run).ok()?)
}

/// Reads the figures of a run that has ended. A run that recorded nothing has none. `whole` is how many seconds it took,
/// with its start.
pub(crate) fn of(run: &Path, exit: Option<u8>, whole: f64) -> RunFigures {
    let mut figures = RunFigures {
        exit,
        ended: "it recorded nothing".to_owned(),
        looped: exit == Some(Exit::Stuck.code()),
        ..RunFigures::default()
    };
    let (Ok(view), Ok(overview)) = (View::open(run), RunOverview::read(run)) else {
        return figures;
    };
    let end = RunEnd::of(&view);
    figures.ended = match (&end, exit) {
        (_, None) => "its time was over".to_owned(),
        (Some(end), _) => end.reason.clone(),
        (None, _) => "it was killed".to_owned(),
    };
    figures.turns = overview.turns;
    figures.prompt_tokens = overview.tokens.prompt;
    figures.completion_tokens = overview.tokens.completion;
    let ended = end.and_then(|end| end.at.parse::<Timestamp>().ok());
    let told = match (overview.began, ended) {
        (Some(began), Some(ended)) => (ended - began).total(jiff::Unit::Second).ok(),
        _ => None,
    };
    let Ok(turns) = TurnLines::open(&view) else {
        return figures;
    };
    let mut measured = 0.0;
    for turn in turns.flatten() {
        measured += turn.ms.total() / 1000.0;
        for acted in &turn.acted {
            match acted.outcome.name() {
                "done" | "read" => figures.done += 1,
                "held" => figures.held += 1,
                "blocked" | "refused" => figures.refused += 1,
                "malformed" => figures.malformed += 1,
                _ => {}
            }
        }
        if let Some(model) = turn.model
            && !figures.answered_by.contains(&model)
        {
            figures.answered_by.push(model);
        }
    }
    figures.seconds = seconds(told, measured, whole);
    figures
}

/// Returns how long a run took from its first turn to its end: the recorded value, clamped to the possible range. The
/// timestamps in a record come from the wall clock, which can be set during the run; the steps of its turns and the
/// whole run are measured with a monotonic clock.
fn seconds(told: Option<f64>, measured: f64, whole: f64) -> f64 {
    told.unwrap_or(measured).max(measured).min(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_does_not_change_how_long_a_run_took() {
        for (told, expected) in [
            (Some(9.5), 9.5),
            (Some(3609.5), 10.0),
            (Some(-3590.5), 9.0),
            (None, 9.0),
        ] {
            assert_eq!(seconds(told, 9.0, 10.0).to_bits(), f64::to_bits(expected), "{told:?}");
        }
        // Either measurement may lack a fraction of a second.
        assert_eq!(seconds(None, 10.1, 10.0).to_bits(), 10.0_f64.to_bits());
    }
}
