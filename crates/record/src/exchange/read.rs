//! Reads exchanges back, even while the log is being written. Never repairs anything.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Seek as _};

use std::str::FromStr;

use flate2::read::MultiGzDecoder;
use franz_home::{DiskError, View};
use franz_json::{Raw, count, members, text};
use serde_json::value::RawValue;
use thiserror::Error;

use super::LOG_FILE;
use super::line::LoggedHead;
use super::{COMPRESSED, older_names};

/// The maximum length of a line, which is enough for a body of 64 MB in which every byte is escaped.
pub(super) const MOST_LINE: u64 = 512 << 20;

/// How many bytes of a compressed log to unpack. No log written here is larger, but a small malicious file could unpack
/// to far more.
const MOST_UNPACKED: u64 = 1 << 30;

/// Which exchanges to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All exchanges of a turn, one for each attempt.
    Turn(u64),
    /// The exchange with this ID.
    Id(String),
}

impl FromStr for Wanted {
    type Err = NoExchangeName;

    fn from_str(name: &str) -> Result<Self, NoExchangeName> {
        match name.parse() {
            Ok(turn) => Ok(Self::Turn(turn)),
            Err(_) if name.starts_with("req_") => Ok(Self::Id(name.to_owned())),
            Err(_) => Err(NoExchangeName),
        }
    }
}

/// The error for a string that does not identify an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("give a turn number, or an id from exchange.log such as req_4bf92f3577b34da6")]
pub struct NoExchangeName;

/// A request and its response, as far as the log contains them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoggedExchange {
    /// The ID that the two lines share.
    pub id: String,
    /// The turn, if it is known.
    pub turn: Option<u64>,
    /// The request; `None` if its line was rotated away.
    pub request: Option<LoggedMessage>,
    /// The response; `None` if it has not arrived yet, or never will.
    pub response: Option<LoggedMessage>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedMessage {
    /// When the request was sent, or the response was complete; RFC 3339.
    pub at: String,
    /// The HTTP status of a response, if one is known.
    pub status: Option<u64>,
    /// Where a request went and its headers, if they were logged.
    pub head: Option<LoggedHead>,
    /// The body.
    pub body: ReadBody,
    /// A JSON body as it was sent, if that differs from `body` in the blanks around its tokens.
    pub as_sent: Option<String>,
}

/// A body, read back from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadBody {
    /// JSON, as it was on the wire.
    Json(Raw),
    /// Any other text, or as much as arrived of a body, with U+FFFD in place of invalid bytes.
    Text(String),
    /// The reason why there is no body.
    Missing(String),
}

/// The reason why an exchange cannot be read.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// There is no log.
    #[error(
        "{run} has no exchange.log: no request was sent, or record.exchange_log was none; set it to all for the next run"
    )]
    NoLog {
        /// The run's directory.
        run: String,
    },
    /// The logs contain no JSON lines.
    #[error("an older version wrote the exchange.log of {run} as text; read it in an editor")]
    OnlyText {
        /// The run's directory.
        run: String,
    },
    /// The turn is older than the oldest exchange in the log.
    #[error(
        "the exchange of turn {turn} is no longer in the log, which begins at turn {oldest}: older ones were rotated away"
    )]
    RotatedAway {
        /// The turn.
        turn: u64,
        /// The oldest turn in the log.
        oldest: u64,
    },
    /// No exchange in the log matches.
    #[error("no exchange {wanted} in the log; {there}")]
    NoSuchExchange {
        /// The requested exchange.
        wanted: String,
        /// A description of what the log contains instead.
        there: String,
    },
    /// A log cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// Returns the wanted exchanges of the run in `view`, in the order of their requests. There is at least one.
pub fn exchanges(view: &View, wanted: &Wanted) -> Result<Vec<LoggedExchange>, ExchangeError> {
    let run = || view.path().display().to_string();
    let logs = open_all(view)?;
    if logs.is_empty() {
        return Err(ExchangeError::NoLog { run: run() });
    }
    let read = |take: &mut dyn FnMut(&str)| {
        for log in &logs {
            log.each_line(&mut |_, line| take(line))
                .map_err(DiskError::when("read", &view.path_of(&log.name)))?;
        }
        Ok::<_, DiskError>(())
    };
    let mut found = SearchedLogs::default();
    read(&mut |line| found.note(line, wanted))?;
    if found.lines == 0 {
        return Err(ExchangeError::OnlyText { run: run() });
    }
    if found.ids.is_empty() {
        let is_rotated = logs.iter().any(|log| log.name != LOG_FILE);
        return Err(found.missing(wanted, is_rotated));
    }
    read(&mut |line| found.take(line))?;
    let mut exchanges: Vec<_> = found.ids.into_iter().collect();
    exchanges.sort_unstable_by_key(|(_, (place, _))| *place);
    Ok(exchanges.into_iter().map(|(_, (_, exchange))| exchange).collect())
}

/// Checks whether the file `name` contains JSON lines; `None` if it does not exist or is empty.
pub(super) fn holds_lines(view: &View, name: &str) -> Option<bool> {
    let mut first = [0];
    let read = view.open_file(name).ok()?.read(&mut first).ok()?;
    (read == 1).then_some(first == *b"{")
}

/// An open log.
#[derive(Debug)]
pub(super) struct OpenLog {
    pub(super) name: String,
    pub(super) file: File,
    is_compressed: bool,
}

/// Opens all logs, oldest first. The newest is opened before the others, so that a rotation in the meantime hides none
/// of them.
pub(super) fn open_all(view: &View) -> Result<Vec<OpenLog>, DiskError> {
    let mut logs = Vec::new();
    // While logs are being rotated, the newest one is missing for a moment.
    logs.extend(open_first(view, [LOG_FILE.to_owned()])?);
    for number in 1.. {
        match open_first(view, older_names(number))? {
            Some(log) => logs.push(log),
            None => break,
        }
    }
    logs.reverse();
    Ok(logs)
}

/// Opens the first of these logs that exists. While a log is being compressed, its second name exists before its first
/// name is removed.
fn open_first<const N: usize>(view: &View, names: [String; N]) -> Result<Option<OpenLog>, DiskError> {
    for name in names {
        match view.open_file(&name) {
            Ok(file) => {
                return Ok(Some(OpenLog {
                    is_compressed: name.ends_with(COMPRESSED),
                    name,
                    file,
                }));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(DiskError::when("open", &view.path_of(&name))(error)),
        }
    }
    Ok(None)
}

/// Checks whether a compressed log cannot be read further because it is damaged or incomplete.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::InvalidInput
    )
}

impl OpenLog {
    /// Calls `take` with each complete line and its offset. Does nothing if an older version wrote the log. If a
    /// compressed log is damaged, ends at the damage.
    pub(super) fn each_line(&self, take: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
        match self.read_lines(take) {
            Err(error) if self.is_compressed && is_damage(&error) => Ok(()),
            read => read,
        }
    }

    fn read_lines(&self, take: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        let plain: Box<dyn Read> = if self.is_compressed {
            Box::new(MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        let mut reader = BufReader::new(plain);
        if reader.fill_buf()?.first() != Some(&b'{') {
            return Ok(());
        }
        let (mut line, mut place) = (Vec::new(), 0);
        loop {
            line.clear();
            reader.by_ref().take(MOST_LINE).read_until(b'\n', &mut line)?;
            match line.strip_suffix(b"\n") {
                Some(whole) => take(place, str::from_utf8(whole).unwrap_or_default()),
                None if line.is_empty() => return Ok(()),
                None => {}
            }
            place += line.len() as u64;
        }
    }

    /// Unpacks a compressed log into an unnamed file, in which lines can be found by their offsets. If the log is
    /// damaged, unpacks the intact part.
    pub(super) fn unpacked(self) -> io::Result<OpenLog> {
        if !self.is_compressed {
            return Ok(self);
        }
        let mut file = tempfile::tempfile()?;
        match io::copy(&mut MultiGzDecoder::new(&self.file).take(MOST_UNPACKED), &mut file) {
            Err(error) if !is_damage(&error) => return Err(error),
            _ => {}
        }
        Ok(OpenLog {
            file,
            is_compressed: false,
            ..self
        })
    }
}

/// The results of searching the logs.
#[derive(Default)]
struct SearchedLogs {
    /// The number of request and response lines.
    lines: u64,
    /// The wanted exchanges by ID, numbered in the order of their first lines in the log.
    ids: HashMap<String, (usize, LoggedExchange)>,
    turns: Option<(u64, u64)>,
    /// The ID of the newest request whose turn is unknown.
    without_turn: Option<String>,
}

impl SearchedLogs {
    fn note(&mut self, line: &str, wanted: &Wanted) {
        let Some([Some(id), turn, request, response]) = members(line, ["id", "turn", "request", "response"]) else {
            return;
        };
        let Some(id) = text(id).filter(|_| request.or(response).is_some()) else {
            return;
        };
        self.lines += 1;
        let turn = turn.and_then(count);
        match turn {
            Some(turn) => {
                let (first, last) = self.turns.unwrap_or((turn, turn));
                self.turns = Some((first.min(turn), last.max(turn)));
            }
            None => self.without_turn = Some(id.clone()),
        }
        if turn.is_some() && self.without_turn.as_ref() == Some(&id) {
            self.without_turn = None;
        }
        let fits = match wanted {
            Wanted::Turn(number) => turn == Some(*number),
            Wanted::Id(name) => *name == id,
        };
        if fits {
            let (place, exchange) = (self.ids.len(), LoggedExchange::of(&id));
            self.ids.entry(id).or_insert((place, exchange));
        }
    }

    /// Adds a line to its exchange, if that exchange is wanted.
    fn take(&mut self, line: &str) {
        let id = members(line, ["id"]).and_then(|[id]| text(id?));
        if let Some((_, exchange)) = id.and_then(|id| self.ids.get_mut(&id)) {
            exchange.take(line);
        }
    }

    fn missing(self, wanted: &Wanted, is_rotated: bool) -> ExchangeError {
        let oldest = self.turns.map(|(oldest, _)| oldest);
        if let (Wanted::Turn(turn), Some(oldest)) = (wanted, oldest)
            && is_rotated
            && *turn > 0
            && *turn < oldest
        {
            return ExchangeError::RotatedAway { turn: *turn, oldest };
        }
        let mut there = match self.turns {
            Some((oldest, newest)) if oldest == newest => format!("it holds turn {newest}"),
            Some((oldest, newest)) => format!("it holds turns {oldest} to {newest}"),
            None => "it holds no answered turn".to_owned(),
        };
        if let Some(id) = self.without_turn {
            let _ = write!(there, ", and request {id}, which has no answer yet");
        }
        let wanted = match wanted {
            Wanted::Turn(turn) => format!("of turn {turn}"),
            Wanted::Id(id) => id.clone(),
        };
        ExchangeError::NoSuchExchange { wanted, there }
    }
}

impl LoggedExchange {
    pub(super) fn of(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..Self::default()
        }
    }

    /// Adds one of the exchange's lines.
    pub(super) fn take(&mut self, line: &str) {
        let names = ["at", "turn", "status", "request", "response", "text", "error"];
        let Some([at, turn, status, request, response, other, error]) = members(line, names) else {
            return;
        };
        let Some(body) = request.or(response) else { return };
        self.turn = turn.and_then(count).or(self.turn);
        let message = LoggedMessage {
            at: at.and_then(text).unwrap_or_default(),
            status: status.and_then(count),
            head: serde_json::from_str(line).ok().filter(|_| request.is_some()),
            as_sent: members(line, ["as_sent"]).and_then(|[sent]| text(sent?)),
            body: ReadBody::of(body, other, error),
        };
        let side = match request {
            Some(_) => &mut self.request,
            None => &mut self.response,
        };
        *side = Some(message);
    }
}

impl ReadBody {
    fn of(body: &RawValue, other: Option<&RawValue>, error: Option<&RawValue>) -> Self {
        let missing = || error.and_then(text).map(Self::Missing);
        let text = other.and_then(text).map(Self::Text);
        text.or_else(missing).unwrap_or_else(|| Self::Json(body.into()))
    }
}
