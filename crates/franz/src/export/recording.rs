//! The source of all export formats: the turns of a run, complete but without any API key.

use std::cell::RefCell;

use anyhow::Result;
use franz_frame::png;
use franz_home::View;
use franz_json::{each_item, members, text};
use franz_panel::export::{OfflineRun, OfflineTurn};
use franz_panel::history::{History, HistoryError, RecordedTurn};
use franz_record::digest::sha256_hex;
use franz_record::{ExchangeIndex, ReadBody};
use franz_secret::Secret;

use super::gaps::Gaps;
use super::redaction::Redaction;
use crate::cli::export::TurnRange;

/// The chosen turns of a run.
pub(crate) struct Recording {
    history: History,
    exchanges: ExchangeIndex,
    secret: Secret,
    redaction: Redaction,
    turns: TurnRange,
    gaps: RefCell<Gaps>,
}

/// A picture of a run that is safe to share.
pub(super) struct ExportedPicture {
    /// The SHA-256 of its bytes.
    pub(super) sha256: String,
    /// The PNG.
    pub(super) png: Vec<u8>,
}

impl Recording {
    /// Reads the run in `view`, up to the last turn that is complete now.
    pub(crate) fn of(view: &View, turns: TurnRange, secret: Secret, redaction: Redaction) -> Result<Recording> {
        Ok(Recording {
            history: History::of(view)?,
            exchanges: ExchangeIndex::of(view)?,
            secret,
            redaction,
            turns,
            gaps: RefCell::default(),
        })
    }

    /// Returns the run's name.
    pub(super) fn name(&self) -> String {
        self.history.name()
    }

    /// Returns the numbers of the chosen turns.
    pub(crate) fn turns(&self) -> Vec<u64> {
        let begin = self.turns.first.saturating_sub(1);
        let turns = std::iter::successors(self.history.above(begin), |&turn| self.history.above(turn));
        turns.take_while(|&turn| turn <= self.turns.last).collect()
    }

    /// Returns a turn, and the line that was recorded for it. `None` if the line cannot be read.
    pub(super) fn turn(&self, turn: u64) -> Result<Option<(RecordedTurn, String)>> {
        let recorded = self.readable(turn, self.history.recorded_turn(turn))?;
        let (Some(recorded), Some(line)) = (recorded, self.history.recorded(turn)?) else {
            return Ok(None);
        };
        Ok(Some((recorded, self.cleaned(&String::from_utf8_lossy(&line)))))
    }

    /// Returns the run's data for the page.
    pub(super) fn offline_run(&self) -> OfflineRun {
        OfflineRun::of(&self.history)
    }

    /// Returns a turn's data for the page. `None` if its line cannot be read.
    pub(super) fn offline_turn(&self, turn: u64) -> Result<Option<OfflineTurn>> {
        let mut found = self.readable(turn, OfflineTurn::of(&self.history, &self.exchanges, turn))?;
        if let Some(found) = found.as_mut().filter(|_| self.redaction.has_words()) {
            found.leave_out_streams();
        }
        Ok(found)
    }

    /// Leaves out what a damaged line or one from another version holds, and notes that it is missing.
    fn readable<T>(&self, turn: u64, found: Result<Option<T>, HistoryError>) -> Result<Option<T>> {
        match found {
            Err(HistoryError::Unreadable { .. }) => {
                self.note(turn, "left out, because the line in the record cannot be read");
                Ok(None)
            }
            found => Ok(found?),
        }
    }

    /// Returns the outcomes of the actions in a turn's reply, which are in the next turn's line, as a JSON array.
    /// `None` if there is no such line yet.
    pub(super) fn outcomes(&self, turn: u64) -> Result<Option<String>> {
        let Some(next) = turn.checked_add(1) else {
            return Ok(None);
        };
        let Some(line) = self.history.recorded(next)? else {
            return Ok(None);
        };
        let line = self.cleaned(&String::from_utf8_lossy(&line));
        let acted = members(&line, ["acted"]).and_then(|[acted]| Some(acted?.get().to_owned()));
        Ok(acted)
    }

    /// Returns descriptions of the actions in a turn's reply. Actions that were not performed come with their outcome.
    pub(super) fn actions(&self, turn: u64) -> Result<Vec<String>> {
        let mut actions = Vec::new();
        each_item(&self.outcomes(turn)?.unwrap_or_default(), |acted| {
            let Some([Some(action), Some(outcome)]) = members(acted.get(), ["action", "outcome"]) else {
                return;
            };
            let (action, outcome) = (text(action).unwrap_or_default(), text(outcome).unwrap_or_default());
            actions.push(match outcome.as_str() {
                "done" => action,
                other => format!("{action} ({})", other.replace('_', " ")),
            });
        });
        Ok(actions)
    }

    /// Returns a turn's last request, as it was sent except for its pictures. If there is none, notes the reason.
    pub(super) fn request(&self, turn: u64) -> Option<String> {
        let exchanges = self.exchanges.exchanges(turn).unwrap_or_default();
        let mut requests = exchanges.into_iter().rev().filter_map(|exchange| exchange.request);
        match requests.next().map(|request| request.body) {
            Some(ReadBody::Json(body)) => return Some(self.cleaned(body.get())),
            Some(ReadBody::Text(_)) => self.note(turn, "the request is not JSON"),
            Some(ReadBody::Missing(why)) => self.note(turn, &format!("no request in exchange.log ({why})")),
            None => self.note(turn, "no request in exchange.log: switched off, or rotated away"),
        }
        None
    }

    /// Returns the picture with this hash. If there is none, notes the reason and returns it.
    pub(super) fn picture(&self, turn: u64, sha256: &str) -> Result<ExportedPicture, &'static str> {
        let found = match self.history.picture(sha256) {
            Some(png) if sha256_hex(&png) == sha256 => Ok(png),
            Some(_) => Err("the picture is damaged"),
            None => Err("the picture is gone"),
        };
        let picture = found.and_then(|png| self.covered(sha256, png));
        picture.inspect_err(|why| self.note(turn, why))
    }

    /// Returns an extra picture, which was shown with the screen. If there is none, notes the reason and returns it.
    pub(super) fn picture_beside(&self, turn: u64, sha256: &str) -> Result<ExportedPicture, &'static str> {
        if self.redaction.has_areas() {
            let why = "left out an extra picture, because it might show a masked area";
            self.note(turn, why);
            return Err(why);
        }
        self.picture(turn, sha256)
    }

    /// Returns a picture of the screen with the masked areas covered.
    fn covered(&self, sha256: &str, png: Vec<u8>) -> Result<ExportedPicture, &'static str> {
        if !self.redaction.has_areas() {
            let sha256 = sha256.to_owned();
            return Ok(ExportedPicture { sha256, png });
        }
        let mut frame = png::decode(&png).map_err(|_| "the picture cannot be read")?;
        self.redaction.cover(&mut frame);
        let png = png::encode(&frame).map_err(|_| "the picture cannot be written")?;
        let sha256 = sha256_hex(&png);
        Ok(ExportedPicture { sha256, png })
    }

    /// Returns JSON without API keys and redacted words.
    pub(super) fn cleaned(&self, json: &str) -> String {
        self.redaction.json(&self.secret.text(json)).into_owned()
    }

    /// Does the same as `cleaned`, for plain text.
    pub(super) fn cleaned_text(&self, text: &str) -> String {
        self.redaction.text(&self.secret.text(text))
    }

    /// Notes that something is missing in a turn.
    pub(super) fn note(&self, turn: u64, why: &str) {
        self.gaps.borrow_mut().note(turn, why);
    }

    /// Returns a line for each reason why something is missing.
    pub(crate) fn missing(&self) -> Vec<String> {
        let bad = self.history.bad_lines();
        let bad = (bad > 0).then(|| format!("left out unreadable lines of the record ({bad} lines)"));
        self.gaps.borrow().lines().chain(bad).collect()
    }
}
