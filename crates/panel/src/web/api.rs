//! Everything that a page fetches: turns, pictures, search results, runs and settings.

use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde::Serialize;

use super::answer::{HttpResponse, json, not_found, png, refusal, unreadable};
use super::control::refused;
use super::query::{number, parameter, whole};
use super::service::DashboardService;
use crate::history::{Sibling, Summary};
use crate::runs::About;

const TURNS: usize = 100;
const MOST_TURNS: usize = 1000;

const HITS: usize = 100;
const MOST_HITS: usize = 500;

/// The maximum length of a query, in characters.
const LONGEST_QUERY: usize = 500;

#[derive(Serialize)]
struct TurnsPage {
    turns: Vec<Summary>,
    first: u64,
    last: u64,
    count: u64,
}

#[derive(Serialize)]
struct RunList {
    /// The other runs in the same directory.
    runs: Vec<Sibling>,
    /// The runs below the panel, newest first.
    below: Vec<About>,
}

impl DashboardService {
    pub(super) fn turns(&self, query: Option<&str>) -> HttpResponse {
        let (Ok(before), Ok(limit)) = (number(query, "before"), number(query, "limit")) else {
            return refusal(StatusCode::BAD_REQUEST, "before and limit must be whole numbers");
        };
        let limit = limit.map_or(TURNS, |limit| usize::try_from(limit).unwrap_or(MOST_TURNS));
        match self.history.page(before, limit.min(MOST_TURNS)) {
            Ok(turns) => {
                let extent = self.history.extent();
                let page = TurnsPage {
                    turns,
                    first: extent.first,
                    last: extent.last,
                    count: extent.count,
                };
                json(&page, &self.secret)
            }
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    /// Responds with the data for comparing this run with another.
    pub(super) fn trace(&self, query: Option<&str>) -> HttpResponse {
        let (Ok(after), Ok(limit)) = (number(query, "after"), number(query, "limit")) else {
            return refusal(StatusCode::BAD_REQUEST, "after and limit must be whole numbers");
        };
        let limit = limit.map_or(MOST_TURNS, |limit| usize::try_from(limit).unwrap_or(MOST_TURNS));
        match self.history.trace(after.unwrap_or(0), limit.min(MOST_TURNS)) {
            Ok(trace) => json(&trace, &self.secret),
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    pub(super) fn turn(&self, turn: &str) -> HttpResponse {
        let none = || not_found("there is no such turn; /api/turns lists them");
        let Some(turn) = whole(turn) else { return none() };
        // Read this first. If the turn ends in the meantime, it will have been recorded by the time the record is read.
        let pending = self.hub.pending().filter(|pending| pending.turn >= turn);
        let recorded = self.history.turn(turn);
        let found = match (recorded, pending) {
            (Ok(None), Some(pending)) if pending.turn == turn => self.history.pending(&pending).map(Some),
            (Ok(Some(mut detail)), Some(pending)) if pending.turn > turn => {
                detail.next = detail.next.or(Some(pending.turn));
                Ok(Some(detail))
            }
            (recorded, _) => recorded,
        };
        match found {
            Ok(Some(detail)) => json(&detail, &self.secret),
            Ok(None) => none(),
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    pub(super) fn picture(&self, hash: &str, headers: &HeaderMap) -> HttpResponse {
        match self.picture_bytes(hash) {
            Some(picture) => png(hash, headers, picture),
            None => not_found("there is no such picture; it might have been dropped to make room"),
        }
    }

    pub(super) fn picture_bytes(&self, hash: &str) -> Option<Vec<u8>> {
        let pending = self.hub.pending();
        let under_way = || self.history.pending_picture(pending.as_deref()?, hash);
        self.history.picture(hash).or_else(under_way)
    }

    pub(super) fn search(&self, query: Option<&str>) -> HttpResponse {
        let text = parameter(query, "q").unwrap_or_default();
        let Ok(limit) = number(query, "limit") else {
            return refusal(StatusCode::BAD_REQUEST, "limit must be a whole number");
        };
        if text.chars().count() > LONGEST_QUERY {
            let sentence = format!("search for at most {LONGEST_QUERY} characters");
            return refusal(StatusCode::BAD_REQUEST, &sentence);
        }
        let limit = limit.map_or(HITS, |limit| usize::try_from(limit).unwrap_or(MOST_HITS));
        match self.history.search(&text, limit.min(MOST_HITS), &self.secret) {
            Ok(found) => json(&found, &self.secret),
            Err(error) => unreadable(&error, &self.secret),
        }
    }

    pub(super) fn runs(&self) -> HttpResponse {
        let runs = self.history.runs();
        let below = self.runs.list();
        json(&RunList { runs, below }, &self.secret)
    }

    pub(super) fn settings(&self) -> HttpResponse {
        match self.controls.settings() {
            Ok(Some(page)) => json(&page, &self.secret),
            Ok(None) => not_found("this run has no settings"),
            Err(error) => refused(&error, &self.secret),
        }
    }
}
