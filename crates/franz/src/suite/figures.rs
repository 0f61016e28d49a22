//! What a run recorded, in figures.

use std::path::Path;

use franz_home::View;
use franz_record::{Exit, RunEnd, RunOverview, TurnLines};
use franz_suite::RunFigures;
use jiff::Timestamp;

/// Reads the figures of a run that has ended. A run that recorded nothing has none.
pub(crate) fn of(run: &Path, exit: Option<u8>) -> RunFigures {
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
    if let (Some(began), Some(ended)) = (overview.began, ended) {
        figures.seconds = (ended - began).total(jiff::Unit::Second).unwrap_or(0.0);
    }
    let Ok(turns) = TurnLines::open(&view) else {
        return figures;
    };
    for turn in turns.flatten() {
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
    figures
}
