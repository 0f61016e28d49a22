//! The record of a run that is being replayed, and the turn at which the replay is.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use franz_chat::{Candidate, ServerKind};
use franz_home::{DiskError, LARGEST, View};
use franz_json::{Raw, members, text};
use franz_record::state::STATE_FILE;
use franz_record::{
    ExchangeError, ExchangeIndex, Lock, LoggedExchange, PersonMessage, ReadBody, ReadError, RunState, Status, TurnLine,
    TurnLines, Wanted, exchanges, messages,
};
use thiserror::Error;

/// The file by which a panel recognises the next request of another program's conversation.
const CONVERSATION: &str = "conversation.json";

/// Why a run cannot be replayed.
#[derive(Debug, Error)]
pub(crate) enum ReplayError {
    #[error("{0} is still running; replay it once it has ended (franz runs lists the live runs)")]
    Live(String),
    #[error("{0} holds another program's conversation, which FRANZ cannot repeat; look at it with franz replay {0}")]
    OtherProgram(String),
    #[error("{run} contains a panel's runs; name one of them, such as {newest}")]
    Several { run: String, newest: String },
    #[error("{run} was written by a newer version of FRANZ (format {version}); replay it with that version")]
    Newer { run: String, version: u32 },
    #[error("{file} is damaged ({why}); replay the turns after the damage with --from, or restore the file")]
    Damaged { file: PathBuf, why: String },
    #[error(
        "the line of turn {turn} is missing in {run}; replay the turns after it with --from {next}, or restore the file"
    )]
    NoLine { run: String, turn: u64, next: u64 },
    #[error("{0} has no completed turn, so there is nothing to replay")]
    NoTurn(String),
    #[error("{run} has no turn {from}; its last turn is {last}")]
    BeyondEnd { run: String, from: u64, last: u64 },
    #[error("{0}")]
    NoLog(ExchangeError),
    #[error("{error}{remedy}")]
    NotRecorded { error: ExchangeError, remedy: String },
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// A recorded run.
#[derive(Debug)]
pub(crate) struct RecordedRun {
    view: View,
    lines: BTreeMap<u64, TurnLine>,
    state: RunState,
    /// What the person sent during the run, in order.
    messages: Vec<PersonMessage>,
    exchanges: ExchangeIndex,
    /// Whether the run had the canvas as its screen.
    is_canvas: bool,
    has_grounder: bool,
    first: u64,
    /// The turn at which the replay is.
    now: AtomicU64,
    /// How many messages have been passed on or lie before the first turn.
    heard: AtomicUsize,
}

impl RecordedRun {
    /// Reads the record of a run, from turn `from` or the first one that the run itself made.
    pub(crate) fn read(view: &View, from: Option<u64>) -> Result<RecordedRun, ReplayError> {
        let run = || view.path().display().to_string();
        if Lock::is_held(view) {
            return Err(ReplayError::Live(run()));
        }
        if view.open_file(CONVERSATION).is_ok() {
            return Err(ReplayError::OtherProgram(run()));
        }
        let state = state(view)?;
        let lines = lines(view, from.unwrap_or(0))?;
        let Some(last) = lines.keys().next_back().copied() else {
            return Err(match (from, newest_below(view)) {
                (_, Some(newest)) => ReplayError::Several { run: run(), newest },
                (Some(from), None) if state.turn > 0 => ReplayError::BeyondEnd {
                    run: run(),
                    from,
                    last: state.turn,
                },
                _ => ReplayError::NoTurn(run()),
            });
        };
        // A fork has only copies of the turns before.
        let forked_at = state.forked_from.as_ref().map(|origin| origin.turn);
        let first = from.or(forked_at).unwrap_or(1);
        if let Some(turn) = (first..=last).find(|turn| !lines.contains_key(turn)) {
            let next = lines.range(turn..).next().map_or(turn, |(next, _)| *next);
            return Err(ReplayError::NoLine { run: run(), turn, next });
        }
        let messages = all_messages(view)?;
        let run = RecordedRun {
            exchanges: ExchangeIndex::of(view)?,
            view: view.clone(),
            lines,
            state,
            messages,
            is_canvas: true,
            has_grounder: false,
            first,
            now: AtomicU64::new(first),
            heard: AtomicUsize::new(0),
        };
        run.check_log()?;
        Ok(run)
    }

    /// Notes which screen the run had, and whether a grounder found targets for it.
    pub(super) fn with(self, is_canvas: bool, has_grounder: bool) -> RecordedRun {
        RecordedRun {
            is_canvas,
            has_grounder,
            ..self
        }
    }

    /// Fails if the log does not hold the first turn's request, because then it holds few others, too.
    fn check_log(&self) -> Result<(), ReplayError> {
        if self.line().is_some_and(|line| line.by.is_some()) {
            return Ok(());
        }
        match exchanges(&self.view, &Wanted::Turn(self.first)) {
            Ok(_) => Ok(()),
            Err(ExchangeError::Disk(error)) => Err(error.into()),
            Err(error @ (ExchangeError::NoLog { .. } | ExchangeError::OnlyText { .. })) => {
                Err(ReplayError::NoLog(error))
            }
            Err(error) => {
                let remedy = match &error {
                    // The oldest turn may have lost the first of its exchanges.
                    ExchangeError::RotatedAway { oldest, .. } => format!("; add --from {}", oldest + 1),
                    _ => String::new(),
                };
                Err(ReplayError::NotRecorded { error, remedy })
            }
        }
    }

    pub(super) fn view(&self) -> &View {
        &self.view
    }

    pub(super) fn name(&self) -> String {
        self.view.name()
    }

    pub(crate) fn is_canvas(&self) -> bool {
        self.is_canvas
    }

    /// Returns the first turn of the replay.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Returns the last recorded turn.
    pub(crate) fn last(&self) -> u64 {
        self.lines.keys().next_back().copied().unwrap_or(self.first)
    }

    /// Begins the replay of a turn.
    pub(super) fn begin(&self, turn: u64) {
        self.now.store(turn, Ordering::Relaxed);
    }

    /// Returns the turn at which the replay is.
    pub(super) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Returns the record of the turn at which the replay is.
    pub(super) fn line(&self) -> Option<&TurnLine> {
        self.lines.get(&self.now())
    }

    /// Returns the records of all turns.
    pub(super) fn lines(&self) -> impl Iterator<Item = &TurnLine> {
        self.lines.range(self.first..).map(|(_, line)| line)
    }

    /// Returns the goal with which the run began.
    pub(super) fn first_goal(&self) -> String {
        let task = self.state.tasks.first().map(|task| task.text.clone());
        let of_line = || self.lines.get(&self.first).and_then(|line| line.goal.clone());
        task.or_else(of_line).unwrap_or_default()
    }

    /// Returns the goal that the person gave in the turn at which the replay is, unless the run began with it.
    pub(super) fn given_goal(&self) -> Option<String> {
        let now = self.now();
        let tasks = self.state.tasks.iter().skip(1);
        let given = tasks.filter(|task| task.turn == now && now > self.first).last()?;
        Some(given.text.clone())
    }

    /// Passes the person's next messages to `send` as long as it accepts them.
    pub(super) fn send_messages(&self, mut send: impl FnMut(&PersonMessage) -> bool) {
        let mut heard = self.heard.load(Ordering::Relaxed);
        while self.messages.get(heard).is_some_and(&mut send) {
            heard += 1;
        }
        self.heard.store(heard, Ordering::Relaxed);
    }

    /// Returns a turn's exchanges that lead to its answer, with the bodies of their requests. Leaves out requests that
    /// were never answered, unless the turn ended with one; those to another server than the last one; and those to
    /// the grounder.
    pub(super) fn exchanges(&self, turn: u64) -> std::io::Result<Vec<(String, LoggedExchange)>> {
        let logged = self.exchanges.exchanges(turn)?;
        let mut all: Vec<(String, LoggedExchange)> = logged
            .into_iter()
            .filter_map(|exchange| Some((body(&exchange)?, exchange)))
            .filter(|(body, _)| !(self.has_grounder && is_for_grounder(body)))
            .collect();
        let last = all.len().saturating_sub(1);
        let model = all.last().and_then(|(body, _)| model_in(body));
        let mut index = 0;
        all.retain(|(body, exchange)| {
            index += 1;
            index > last || (is_answered(exchange) && model_in(body) == model)
        });
        Ok(all)
    }

    /// Returns the model that the request of the turn at which the replay is names.
    pub(super) fn model(&self) -> Option<String> {
        let exchanges = self.exchanges(self.now()).ok()?;
        model_in(&exchanges.last()?.0)
    }

    /// Returns the first request of the turn at which the replay is.
    pub(super) fn request(&self) -> Option<String> {
        let exchanges = self.exchanges(self.now()).ok()?;
        exchanges.into_iter().next().map(|(body, _)| body)
    }

    /// Returns the first turn with an answer.
    pub(super) fn first_answered(&self) -> Option<&TurnLine> {
        self.lines().find(|line| line.status == Status::Ok && line.by.is_none())
    }

    /// Returns the facts about the model as far as they are recorded.
    pub(super) fn candidate(&self) -> Candidate {
        let by = self.state.answered_by.as_ref();
        let asked = self.request().as_deref().and_then(model_in);
        let same = by.filter(|by| asked.is_none() || asked.as_deref() == Some(by.asked.as_str()));
        let name = same.map(|by| by.name.clone()).filter(|name| !name.is_empty());
        Candidate {
            context: by.and_then(|by| by.context),
            kind: by.and_then(|by| ServerKind::named(by.program.as_deref()?)),
            ..Candidate::named(&name.or(asked).unwrap_or_default())
        }
    }
}

/// Returns all messages. Only a part of a long file is read at a time.
fn all_messages(view: &View) -> Result<Vec<PersonMessage>, DiskError> {
    let (mut all, mut heard) = (Vec::new(), 0);
    loop {
        let (more, next) = messages::said(view, heard)?;
        if next == heard {
            return Ok(all);
        }
        all.extend(more);
        heard = next;
    }
}

/// Reads the run's state. An old run might have none.
fn state(view: &View) -> Result<RunState, ReplayError> {
    let Ok(bytes) = view.read(STATE_FILE, LARGEST) else {
        return Ok(RunState::new(view.name()));
    };
    let state: RunState = serde_json::from_slice(&bytes).map_err(|error| ReplayError::Damaged {
        file: view.path_of(STATE_FILE),
        why: error.to_string(),
    })?;
    check_version(view, state.v, RunState::VERSION)?;
    Ok(state)
}

/// Reads all turns from this one on.
fn lines(view: &View, from: u64) -> Result<BTreeMap<u64, TurnLine>, ReplayError> {
    let mut lines = BTreeMap::new();
    let mut damage = None;
    for line in TurnLines::open(view)? {
        match line {
            Ok(line) => {
                check_version(view, line.v, TurnLine::VERSION)?;
                // Damage in an earlier turn does not matter.
                if line.turn == from {
                    damage = None;
                }
                lines.insert(line.turn, line);
            }
            Err(ReadError::Disk(error)) => return Err(error.into()),
            Err(ReadError::BadLine { file, line, source }) => {
                let why = format!("line {line} is not a turn: {source}");
                damage = damage.or(Some(ReplayError::Damaged { file, why }));
            }
        }
    }
    damage.map_or_else(|| Ok(lines.split_off(&from)), Err)
}

fn check_version(view: &View, version: u32, known: u32) -> Result<(), ReplayError> {
    if version <= known {
        return Ok(());
    }
    let run = view.path().display().to_string();
    Err(ReplayError::Newer { run, version })
}

/// Returns the newest of the runs in a panel's directory.
fn newest_below(view: &View) -> Option<String> {
    let mut names = view.open_directory("runs").ok()?.names().ok()?;
    names.sort_unstable();
    Some(view.path_of("runs").join(names.last()?).display().to_string())
}

/// Returns a logged request as it was sent, except for pictures.
fn body(exchange: &LoggedExchange) -> Option<String> {
    let request = exchange.request.as_ref()?;
    match &request.body {
        ReadBody::Json(body) => Some(request.as_sent.clone().unwrap_or_else(|| body.get().to_owned())),
        ReadBody::Text(text) => Some(text.clone()),
        ReadBody::Missing(_) => None,
    }
}

fn is_answered(exchange: &LoggedExchange) -> bool {
    let response = exchange.response.as_ref();
    response.is_some_and(|response| !matches!(response.body, ReadBody::Missing(_)))
}

fn model_in(body: &str) -> Option<String> {
    members(body, ["model"]).and_then(|[model]| text(model?))
}

/// Returns whether a request asks where a target is: it shows a picture before its question, and repeats nothing.
fn is_for_grounder(body: &str) -> bool {
    let parsed = || {
        let [messages] = members(body, ["messages"])?;
        let messages: Vec<Raw> = serde_json::from_str(messages?.get()).ok()?;
        let [_, question] = &messages[..] else { return None };
        let [content] = members(question.get(), ["content"])?;
        let parts: Vec<Raw> = serde_json::from_str(content?.get()).ok()?;
        let [kind] = members(parts.first()?.get(), ["type"])?;
        text(kind?)
    };
    parsed().as_deref() == Some("image_url")
}
