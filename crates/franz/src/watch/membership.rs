//! Registers a run with a standing panel, and again if that panel was restarted.

use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_home::Home;
use franz_panel::Hub;
use franz_panel::registered_runs::{PROTOCOL, Registration, RunStatus, TurnTrouble};
use franz_panel::web::{CODE, CodeRequest, REGISTER, Registered};
use franz_secret::Secret;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::access::DashboardAccess;
use super::agent_control::AgentControl;
use super::standing_panel::StandingPanel;
use crate::exit::Unusable;
use crate::terminal::Printer;

/// How long the panel may take to respond.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long to collect changes before the panel is told. A busy run changes many times per second.
const PACE: Duration = Duration::from_millis(100);

/// How long to wait before looking for a panel that has gone, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How many characters of a goal to report.
const GOAL: usize = 200;

/// How many characters of an error to report.
const ERROR: usize = 300;

/// Which panel's page shows a run, besides the run's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum PanelChoice {
    /// The standing panel's, if one is running.
    #[default]
    Found,
    /// None but the run's own.
    Own,
    /// This panel's.
    Given(StandingPanel),
}

impl PanelChoice {
    /// Parses the value of `--panel`.
    pub(crate) fn of_flag(flag: Option<&str>) -> Result<PanelChoice> {
        match flag {
            None => Ok(PanelChoice::Found),
            Some("own") => Ok(PanelChoice::Own),
            Some(link) => Ok(PanelChoice::Given(StandingPanel::of_link(link)?)),
        }
    }

    /// Fails if the person named a panel that does not respond or does not know its token.
    pub(super) async fn check(&self) -> Result<()> {
        let PanelChoice::Given(panel) = self else { return Ok(()) };
        let Err(error) = panel.ask().await else { return Ok(()) };
        Err(unusable(panel, &error).into())
    }

    fn panel(&self) -> Option<StandingPanel> {
        match self {
            PanelChoice::Found => StandingPanel::find(),
            PanelChoice::Own => None,
            PanelChoice::Given(panel) => Some(panel.clone()),
        }
    }
}

/// A run's place on the standing panel's page, for as long as this value lives.
pub(super) struct Membership {
    /// The address and token of the run's page there.
    page: DashboardAccess,
    /// How many pages were open there when the run registered.
    pages: usize,
    over: oneshot::Sender<()>,
    keeping: JoinHandle<()>,
}

impl Membership {
    /// Registers the run with the chosen panel, if there is one. Fails only if the person named a panel that cannot be
    /// used. Otherwise the run does without, and says why.
    pub(super) async fn join(choice: PanelChoice, offer: Registration, news: RunNews) -> Result<Option<Membership>> {
        let Some(panel) = choice.panel() else { return Ok(None) };
        let connected = match Connection::open(&panel, &offer).await {
            Ok(connected) => connected,
            Err(error) => {
                let why = unusable(&panel, &error);
                if let PanelChoice::Given(_) = choice {
                    return Err(why.into());
                }
                news.notice(&format!("{why}; the run has only its own page"));
                return Ok(None);
            }
        };
        let (over, end) = oneshot::channel();
        let page = DashboardAccess {
            address: format!("{}/run/{}", panel.access.address, connected.registered.name),
            token: panel.access.token,
        };
        let pages = connected.registered.pages;
        let keeping = tokio::spawn(keep(choice, connected, offer, news, end));
        Ok(Some(Membership {
            page,
            pages,
            over,
            keeping,
        }))
    }

    /// Returns the address of the run's page.
    pub(super) fn page(&self) -> &DashboardAccess {
        &self.page
    }

    /// Returns an address that opens the run's page once, with the code that was in the offer.
    pub(super) fn link_once(&self, code: &str) -> String {
        format!("{}/?code={code}", self.page.address)
    }

    /// Returns whether a page of the panel was already open.
    pub(super) fn is_watched(&self) -> bool {
        self.pages > 0
    }

    /// Reports how the run ended, and leaves.
    pub(super) async fn end(self) {
        drop(self.over);
        let _ = timeout(PATIENCE, self.keeping).await;
    }
}

/// Returns what the run offers a standing panel.
pub(super) fn offer(home: &Home, own: &DashboardAccess, code: Option<String>) -> Result<Registration> {
    let address = own.address.trim_start_matches("http://");
    Ok(Registration {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        name: home.name(),
        directory: std::path::absolute(home.path())?,
        dashboard: address.parse().context("the dashboard's address cannot be read")?,
        token: own.token.clone(),
        code,
        status: RunStatus::default(),
    })
}

fn unusable(panel: &StandingPanel, error: &impl Display) -> Unusable {
    Unusable::usage(format!("cannot use the panel at {}: {error}", panel.access.address))
}

impl StandingPanel {
    /// Fails unless the panel responds and accepts its token.
    async fn ask(&self) -> io::Result<()> {
        let code = crate::random().map_err(io::Error::other)?;
        self.access.open_code(code).await
    }

    /// Makes a new code valid, and returns the address that opens the panel's page with it once.
    pub(super) async fn link_once(&self) -> Result<String> {
        let code = crate::random()?;
        let opened = self.access.open_code(code.clone()).await;
        opened.map_err(|error| unusable(self, &error))?;
        Ok(format!("{}/?code={code}", self.access.address))
    }
}

impl DashboardAccess {
    /// Makes a one-time code valid. Fails unless the dashboard responds and accepts its token.
    pub(super) async fn open_code(&self, code: String) -> io::Result<()> {
        let body = serde_json::to_vec(&CodeRequest { code })?;
        let response = timeout(PATIENCE, post(self.socket()?, &self.token, CODE, body)).await??;
        if response.status() == StatusCode::OK {
            return Ok(());
        }
        let said = timeout(PATIENCE, whole(&mut response.into_body())).await??;
        Err(io::Error::other(refusal(&said)))
    }
}

/// Reports every change until the run is over. If the panel has gone, registers again when it is back.
async fn keep(
    choice: PanelChoice,
    mut connection: Connection,
    mut offer: Registration,
    news: RunNews,
    mut over: oneshot::Receiver<()>,
) {
    loop {
        news.watched(connection.registered.pages > 0);
        if connection.report(&news, &mut over).await {
            return;
        }
        news.watched(false);
        news.notice(
            "the standing panel is gone; the run continues, and has a page of its own until that panel is back",
        );
        let mut pause = FIRST_PAUSE;
        let mut told = None;
        connection = loop {
            tokio::select! {
                () = sleep(pause) => {}
                _ = &mut over => return,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            offer.status = news.status();
            let Some(panel) = choice.panel() else { continue };
            match Connection::open(&panel, &offer).await {
                Ok(found) => break found,
                Err(OpenError::Failed(_)) => {}
                // It is tried again, since another panel might take this one's place.
                Err(error @ OpenError::Refused(_)) => {
                    let why = unusable(&panel, &error).to_string();
                    if told.as_ref() != Some(&why) {
                        news.notice(&why);
                        told = Some(why);
                    }
                }
            }
        };
        news.notice("the standing panel is back");
    }
}

/// Why a run could not register.
#[derive(Debug, Error)]
enum OpenError {
    /// The panel did not want it, for this reason.
    #[error("{0}")]
    Refused(String),
    /// There was no usable response.
    #[error(transparent)]
    Failed(#[from] io::Error),
}

/// An open registration.
struct Connection {
    address: SocketAddr,
    token: String,
    registered: Registered,
    lines: Lines,
    told: RunStatus,
}

impl Connection {
    async fn open(panel: &StandingPanel, offer: &Registration) -> Result<Connection, OpenError> {
        let address = panel.access.socket()?;
        let token = panel.access.token.clone();
        let body = serde_json::to_vec(offer).map_err(io::Error::other)?;
        let posted = timeout(PATIENCE, post(address, &token, REGISTER, body)).await;
        let response = posted.map_err(io::Error::from)??;
        let is_accepted = response.status() == StatusCode::OK;
        let mut body = response.into_body();
        if !is_accepted {
            let said = timeout(PATIENCE, whole(&mut body)).await.map_err(io::Error::from)??;
            return Err(OpenError::Refused(refusal(&said)));
        }
        let mut lines = Lines { body, read: Vec::new() };
        let first = timeout(PATIENCE, lines.next()).await.map_err(io::Error::from)?;
        Ok(Connection {
            address,
            token,
            registered: first.ok_or_else(|| io::Error::other("it is not a FRANZ panel"))?,
            lines,
            told: offer.status.clone(),
        })
    }

    /// Reports every change. Returns true once the run is over, and false if the panel has gone.
    async fn report(&mut self, news: &RunNews, over: &mut oneshot::Receiver<()>) -> bool {
        let mut changes = news.hub.listen(None);
        let mut is_over = false;
        loop {
            let now = news.status();
            if now != self.told {
                if self.tell(&now).await.is_err() {
                    return is_over;
                }
                self.told = now;
            }
            if is_over {
                return true;
            }
            tokio::select! {
                biased;
                _ = &mut *over => is_over = true,
                line = self.lines.next() => match line {
                    Some(line) => news.watched(line.pages > 0),
                    None => return false,
                },
                _ = changes.next() => sleep(PACE).await,
            }
        }
    }

    async fn tell(&self, status: &RunStatus) -> io::Result<()> {
        let path = format!("{REGISTER}/{}", self.registered.name);
        let told = post(self.address, &self.token, &path, serde_json::to_vec(status)?);
        let status = timeout(PATIENCE, told).await??.status();
        if status == StatusCode::OK {
            Ok(())
        } else {
            Err(io::Error::other(status.to_string()))
        }
    }
}

async fn post(address: SocketAddr, token: &str, path: &str, body: Vec<u8>) -> io::Result<Response<Incoming>> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    let request = Request::post(path)
        .header(HOST, address.to_string())
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(io::Error::other)?;
    sender.send_request(request).await.map_err(io::Error::other)
}

/// Reads a whole body.
async fn whole(body: &mut Incoming) -> io::Result<Vec<u8>> {
    Ok(body.collect().await.map_err(io::Error::other)?.to_bytes().to_vec())
}

/// The lines of the response to a registration, which end when the panel does.
struct Lines {
    body: Incoming,
    read: Vec<u8>,
}

impl Lines {
    /// Returns the next line. It can be cancelled without losing anything.
    async fn next(&mut self) -> Option<Registered> {
        loop {
            if let Some(end) = self.read.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return serde_json::from_slice(&line).ok();
            }
            let data = self.body.frame().await?.ok()?.into_data().ok()?;
            self.read.extend_from_slice(&data);
        }
    }
}

/// Returns the sentence in a refusal.
fn refusal(body: &[u8]) -> String {
    let read: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let sentence = read.as_ref().and_then(|read| read["error"].as_str());
    sentence.unwrap_or("it is not a FRANZ panel").to_owned()
}

/// What a run and its standing panel tell each other. API keys are left out.
pub(super) struct RunNews {
    printer: Printer,
    hub: Hub,
    secret: Secret,
    control: AgentControl,
    /// Whether a page of the panel is open, which counts as somebody who is there.
    is_watched: Mutex<bool>,
}

impl RunNews {
    pub(super) fn new(hub: Hub, secret: Secret, control: AgentControl) -> Result<RunNews> {
        Ok(RunNews {
            printer: Printer::new()?,
            hub,
            secret,
            control,
            is_watched: Mutex::default(),
        })
    }

    /// Notes whether a page of the panel is open.
    fn watched(&self, is_open: bool) {
        let mut is_watched = self.is_watched.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *is_watched, is_open) != is_open {
            self.control.take_note_of_page(is_open);
        }
    }

    /// Tells the person, in the terminal and on the run's own page.
    fn notice(&self, text: &str) {
        self.printer.complain(&format!("franz: {text}"));
        self.hub.change(|snapshot| snapshot.notice(text));
    }

    /// Returns the run's state for the list.
    fn status(&self) -> RunStatus {
        let (snapshot, _) = self.hub.snapshot();
        let plain = |text: &str| self.secret.text(text).into_owned();
        let run = snapshot.run.as_ref();
        let goal: String = plain(snapshot.goal.as_deref().unwrap_or_default())
            .chars()
            .take(GOAL)
            .collect();
        RunStatus {
            state: snapshot.agent.state,
            detail: plain(&snapshot.agent.detail),
            waits: snapshot.waits_for_person(),
            turn: snapshot.turns.last,
            goal,
            profile: run.map(|run| plain(&run.profile)).unwrap_or_default(),
            model: run.map(|run| plain(&run.model)).unwrap_or_default(),
            violation: snapshot.violations.last().copied(),
            trouble: snapshot.trouble.as_ref().map(|(turn, error)| TurnTrouble {
                turn: *turn,
                error: plain(error).chars().take(ERROR).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
