//! Runs of other FRANZ processes register here, and stay registered for as long as the response lasts.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinError;
use tokio::time::{MissedTickBehavior, interval};

use super::answer::{HttpResponse, answer, json, not_allowed, nothing, refusal};
use super::body::ResponseBody;
use super::request_body::collect;
use super::service::DashboardService;
use crate::registered_runs::{ListedRun, RegisteredRuns, Registration, RunStatus};

/// Where a run registers with `POST`. With its name appended, where it reports its state.
pub const REGISTER: &str = "/api/register";

/// How often to send a line even if nothing has changed.
const ALIVE: Duration = Duration::from_secs(15);

/// A line of the response to a registration, which lasts as long as the panel runs. There is one at once, one for each
/// change, and one every few seconds, so that both ends notice when the other has gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// The name in the run's address: `/run/NAME/`.
    pub name: String,
    /// How many pages of this panel are open.
    pub pages: usize,
}

/// The response to `GET /api/panel`.
#[derive(Serialize)]
struct PanelState {
    /// The registered runs, and those that have ended.
    runs: Vec<ListedRun>,
    /// The number of conversations of other agents.
    conversations: u64,
}

/// Where a program of this person makes a one-time code valid, which admits a browser.
pub const CODE: &str = "/api/code";

/// The body of a request to [`CODE`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CodeRequest {
    /// The code, which must be as hard to guess as the token.
    pub code: String,
}

/// Checks whether only a program of this person may send requests with this path.
pub(super) fn is_for_programs(path: &str) -> bool {
    path == CODE || path.starts_with(REGISTER)
}

impl DashboardService {
    /// Answers requests about the registered runs and one-time codes; `None` if the request is about something else.
    pub(super) async fn about_registered(
        &self,
        head: &Parts,
        body: &mut Incoming,
        closing: &watch::Receiver<bool>,
    ) -> Option<HttpResponse> {
        let path = head.uri.path();
        if path == "/api/panel" {
            return Some(if head.method == Method::POST {
                not_allowed("GET, HEAD")
            } else {
                self.panel_state()
            });
        }
        let name = path.strip_prefix(REGISTER).filter(|_| self.registered.is_some());
        if name.is_none() && path != CODE {
            return None;
        }
        if head.method != Method::POST {
            return Some(not_allowed("POST"));
        }
        // A page has a cookie, but only a program of this person knows the token.
        if !self.guard.is_bearer(head) {
            let sentence = "only a FRANZ run can register; start one with franz run, or open a page with franz open";
            return Some(refusal(StatusCode::FORBIDDEN, sentence));
        }
        let done = match (name, self.registered.as_ref()) {
            (Some(""), Some(runs)) => self.register(runs, body, closing.clone()).await,
            (Some(name), Some(runs)) => report(runs, name.strip_prefix('/').unwrap_or_default(), body).await,
            _ => self.open_code(body).await,
        };
        Some(done.unwrap_or_else(|refused| *refused))
    }

    fn panel_state(&self) -> HttpResponse {
        let runs = self.registered.as_ref().map(|runs| runs.list());
        let state = PanelState {
            runs: runs.unwrap_or_default(),
            conversations: self.runs.count(),
        };
        json(&state, &self.secret)
    }

    async fn register(
        &self,
        runs: &Arc<RegisteredRuns>,
        body: &mut Incoming,
        closing: watch::Receiver<bool>,
    ) -> Result<HttpResponse, Box<HttpResponse>> {
        let body = collect(body).await?;
        let conflict = |why: String| Box::new(refusal(StatusCode::CONFLICT, &why));
        // The rest of another protocol's registration might not be readable.
        runs.check(&parse(&body)?).map_err(conflict)?;
        let registration: Registration = parse(&body)?;
        let code = registration.code.clone();
        let (runs, pages) = (Arc::clone(runs), self.clients.subscribe());
        // If the run breaks off the connection now, its place is dropped once it has been made, and so given up.
        let opening = tokio::task::spawn_blocking(move || OpenRegistration::open(runs, registration, pages));
        let failed = |error: JoinError| {
            let sentence = format!("registering failed ({error}); try again");
            Box::new(refusal(StatusCode::INTERNAL_SERVER_ERROR, &sentence))
        };
        let open = opening.await.map_err(failed)?.map_err(conflict)?;
        if let Some(code) = code.filter(|_| *open.pages.borrow() == 0) {
            self.guard.codes().open(code);
        }
        let (pieces, body) = ResponseBody::pieces();
        tokio::spawn(open.last(pieces, closing));
        Ok(answer(StatusCode::OK, "application/x-ndjson", body))
    }

    async fn open_code(&self, body: &mut Incoming) -> Result<HttpResponse, Box<HttpResponse>> {
        let CodeRequest { code } = read(body).await?;
        self.guard.codes().open(code);
        Ok(done())
    }
}

fn done() -> HttpResponse {
    answer(StatusCode::OK, "application/json", "{\"ok\":true}".to_owned())
}

async fn report(runs: &RegisteredRuns, name: &str, body: &mut Incoming) -> Result<HttpResponse, Box<HttpResponse>> {
    let status: RunStatus = read(body).await?;
    if runs.report(name, status) {
        Ok(done())
    } else {
        Err(Box::new(nothing()))
    }
}

async fn read<T: DeserializeOwned>(body: &mut Incoming) -> Result<T, Box<HttpResponse>> {
    parse(&collect(body).await?)
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Box<HttpResponse>> {
    let read = serde_json::from_slice(body);
    read.map_err(|error| {
        Box::new(refusal(
            StatusCode::BAD_REQUEST,
            &format!("cannot read the registration: {error}"),
        ))
    })
}

/// A run's place on the list, which it gives up when this value is dropped.
struct OpenRegistration {
    runs: Arc<RegisteredRuns>,
    name: String,
    number: u64,
    /// How many pages of this panel are open.
    pages: watch::Receiver<usize>,
}

impl OpenRegistration {
    /// Registers a run, which reads the disk.
    fn open(
        runs: Arc<RegisteredRuns>,
        registration: Registration,
        pages: watch::Receiver<usize>,
    ) -> Result<OpenRegistration, String> {
        let (name, number) = runs.register(registration)?;
        Ok(OpenRegistration {
            runs,
            name,
            number,
            pages,
        })
    }

    /// Lasts until the run's process closes the connection or this panel ends. Tells the run how many pages are open.
    async fn last(mut self, pieces: mpsc::Sender<io::Result<Bytes>>, mut closing: watch::Receiver<bool>) {
        let mut alive = interval(ALIVE);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let told = Registered {
                name: self.name.clone(),
                pages: *self.pages.borrow_and_update(),
            };
            let mut line = serde_json::to_vec(&told).unwrap_or_default();
            line.push(b'\n');
            if pieces.send(Ok(line.into())).await.is_err() {
                return;
            }
            alive.reset();
            tokio::select! {
                biased;
                () = pieces.closed() => return,
                _ = closing.wait_for(|&closing| closing) => return,
                Ok(()) = self.pages.changed() => {}
                _ = alive.tick() => {}
            }
        }
    }
}

impl Drop for OpenRegistration {
    fn drop(&mut self) {
        self.runs.leave(&self.name, self.number);
    }
}
