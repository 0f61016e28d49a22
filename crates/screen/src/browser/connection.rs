//! The Chrome DevTools Protocol: commands, answers and events as NUL-terminated JSON messages over two pipes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::message::{Command, Event};
use super::tabs::Tabs;
use crate::desktop::{DisplayError, IsOver};

/// The longest message to read, in bytes; no picture needs more.
const LONGEST: u64 = 256 << 20;

/// The interval at which a wait checks whether to continue.
const GLANCE: Duration = Duration::from_millis(10);

/// How long to keep waiting for an answer once the run is over.
const FAREWELL: Duration = Duration::from_millis(60);

/// How many messages may wait for the browser to read them. A browser that is stopped reads none.
const MOST_UNREAD: usize = 1000;

/// How long to wait until there is room for another message.
const ROOM: Duration = Duration::from_secs(5);

/// Why a command got no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The browser refused, with this explanation.
    Refused(String),
    /// The answer did not come in time.
    Late,
    /// The page is waiting for the answer to a dialog.
    InDialog,
    /// The browser no longer responds, for this reason.
    Gone(String),
}

impl Unanswered {
    /// Converts this into the error of a display that failed while doing `doing`.
    pub(super) fn while_doing(self, doing: &'static str) -> DisplayError {
        match self {
            Unanswered::Refused(why) => DisplayError::failed(doing, why),
            Unanswered::Late => DisplayError::Refused(format!(
                "the browser did not respond in time while {doing}; wait, then try again"
            )),
            Unanswered::InDialog => DisplayError::Refused(
                "a dialog is open; answer it first, with enter, esc or a click on one of its buttons".to_owned(),
            ),
            Unanswered::Gone(why) => DisplayError::Lost {
                doing,
                source: why.into(),
            },
        }
    }
}

type Answer = Result<Value, String>;

/// A message from the browser. Unknown fields are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: Option<u64>,
    result: Option<Value>,
    error: Option<Refusal>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    message: String,
}

/// The known state of the browser.
struct State {
    /// The number of the last command.
    last: u64,
    /// The commands with a waiting caller, and the answers that have arrived.
    asked: BTreeMap<u64, Option<Answer>>,
    /// Input that pages have yet to process: the number of each command, with the session of its page.
    input: BTreeMap<u64, String>,
    tabs: Tabs,
    /// Why the browser will send nothing more.
    gone: Option<String>,
}

/// A wait for the browser, cut short once the run is over.
struct Wait {
    until: Instant,
    run_is_over: IsOver,
    is_short: bool,
}

impl Wait {
    fn is_over(&mut self) -> bool {
        let now = Instant::now();
        if !self.is_short && (self.run_is_over)() {
            self.is_short = true;
            self.until = self.until.min(now + FAREWELL);
        }
        now >= self.until
    }
}

/// A connection to a browser. A thread reads the browser's messages as they arrive, and another one writes those to the
/// browser, because writing to a browser that reads nothing would block.
#[derive(Clone)]
pub(super) struct Connection(Arc<Shared>);

struct Shared {
    /// The messages to the browser; `None` once its input is closed.
    output: Mutex<Option<SyncSender<Vec<u8>>>>,
    state: Mutex<State>,
    heard: Condvar,
    is_over: Mutex<IsOver>,
}

impl Connection {
    /// Connects to a browser over our ends of its two pipes.
    pub(super) fn over(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        tabs: Tabs,
    ) -> std::io::Result<Connection> {
        let (messages, unread) = sync_channel(MOST_UNREAD);
        let connection = Connection(Arc::new(Shared {
            output: Mutex::new(Some(messages)),
            state: Mutex::new(State {
                last: 0,
                asked: BTreeMap::new(),
                input: BTreeMap::new(),
                tabs,
                gone: None,
            }),
            heard: Condvar::new(),
            is_over: Mutex::new(Arc::new(|| false)),
        }));
        let ears = connection.clone();
        Builder::new().name("browser".to_owned()).spawn(move || {
            let why = ears.hear(BufReader::new(input));
            ears.state().gone = Some(why);
            ears.0.heard.notify_all();
        })?;
        let shared = Arc::downgrade(&connection.0);
        Builder::new().name("to browser".to_owned()).spawn(move || {
            if let Err(error) = write_all(unread, output)
                && let Some(shared) = shared.upgrade()
            {
                // Keep what the browser itself showed to be the reason.
                lock(&shared.state)
                    .gone
                    .get_or_insert_with(|| format!("the browser has ended: {error}"));
                shared.heard.notify_all();
            }
        })?;
        Ok(connection)
    }

    /// From now on, ends waits early once `is_over` returns `true`.
    pub(super) fn until(&self, is_over: IsOver) {
        *lock(&self.0.is_over) = is_over;
    }

    /// Returns whether waits now end early.
    pub(super) fn run_is_over(&self) -> bool {
        let is_over = lock(&self.0.is_over).clone();
        is_over()
    }

    /// Returns whether the browser has ended or the connection to it has broken.
    pub(super) fn is_gone(&self) -> bool {
        self.state().gone.is_some()
    }

    /// Closes the browser's input, which makes it exit.
    pub(super) fn hang_up(&self) {
        *lock(&self.0.output) = None;
    }

    /// Calls `look` with the known state of the pages.
    pub(super) fn with_tabs<T>(&self, look: impl FnOnce(&mut Tabs) -> T) -> T {
        look(&mut self.state().tabs)
    }

    /// Waits until the pages satisfy a condition. Returns whether they do in time.
    pub(super) fn wait_for_tabs(&self, within: Duration, mut are_fine: impl FnMut(&Tabs) -> bool) -> bool {
        let mut wait = self.wait(within);
        let mut state = self.state();
        while !are_fine(&state.tabs) {
            if state.gone.is_some() || wait.is_over() {
                return false;
            }
            state = self.glance(state, &wait);
        }
        true
    }

    /// Sends a command without waiting for the answer.
    pub(super) fn tell(&self, command: &Command) -> Result<(), Unanswered> {
        let number = self.number(|_, _| ());
        self.send(number, command)
    }

    /// Sends input to a page.
    pub(super) fn input(&self, session: &str, method: &'static str, params: Value) -> Result<(), Unanswered> {
        let number = self.number(|state, number| {
            state.input.insert(number, session.to_owned());
        });
        self.send(number, &Command::to_page(session, method, params))
    }

    /// Waits until the page has processed all input but the last `most` events, or until a dialog prevents it from
    /// doing so. Returns `false` if the time runs out or `goes_on` returns `false`.
    pub(super) fn rest(&self, session: &str, most: usize, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> bool {
        let mut wait = self.wait(within);
        let mut state = self.state();
        loop {
            let under_way = state.input.values().filter(|page| *page == session).count();
            if under_way <= most || state.gone.is_some() || state.tabs.is_in_dialog(session) {
                return true;
            }
            if wait.is_over() || !goes_on() {
                return false;
            }
            state = self.glance(state, &wait);
        }
    }

    /// Sends a command, and waits for the answer.
    pub(super) fn ask(&self, command: &Command, within: Duration) -> Result<Value, Unanswered> {
        let mut answers = self.ask_all(std::slice::from_ref(command), within)?;
        answers.pop().unwrap_or(Err(Unanswered::Late))
    }

    /// Sends several commands at once. Returns the answers in the same order.
    pub(super) fn ask_all(
        &self,
        commands: &[Command],
        within: Duration,
    ) -> Result<Vec<Result<Value, Unanswered>>, Unanswered> {
        let mut wait = self.wait(within);
        let mut numbers = Vec::with_capacity(commands.len());
        for command in commands {
            let number = self.number(|state, number| {
                state.asked.insert(number, None);
            });
            numbers.push(number);
            if let Err(error) = self.send(number, command) {
                let mut state = self.state();
                state.asked.retain(|number, _| !numbers.contains(number));
                return Err(error);
            }
        }
        let answers = numbers.into_iter().zip(commands);
        Ok(answers
            .map(|(number, command)| self.answer(number, command.session.as_deref(), &mut wait))
            .collect())
    }

    /// Checks whether the browser still responds, regardless of its pages.
    pub(super) fn check(&self, within: Duration) -> Result<(), Unanswered> {
        let version = Command::to_browser("Browser.getVersion", json!({}));
        match self.ask(&version, within) {
            Ok(_) | Err(Unanswered::Refused(_)) => Ok(()),
            Err(Unanswered::Late) => Err(Unanswered::Gone("the browser is not responding".to_owned())),
            Err(error) => Err(error),
        }
    }

    fn answer(&self, number: u64, session: Option<&str>, wait: &mut Wait) -> Result<Value, Unanswered> {
        let mut state = self.state();
        let why = loop {
            if let Some(Some(_)) = state.asked.get(&number) {
                let answer = state.asked.remove(&number).flatten();
                return answer.unwrap_or(Ok(Value::Null)).map_err(Unanswered::Refused);
            }
            if let Some(why) = &state.gone {
                break Unanswered::Gone(why.clone());
            }
            if session.is_some_and(|session| state.tabs.is_in_dialog(session)) {
                break Unanswered::InDialog;
            }
            // The browser never answers a command to a page that has closed since.
            if session.is_some_and(|session| !state.tabs.has(session)) {
                break Unanswered::Refused("the page was closed".to_owned());
            }
            if wait.is_over() {
                break Unanswered::Late;
            }
            state = self.glance(state, wait);
        };
        state.asked.remove(&number);
        Err(why)
    }

    /// Waits briefly for the state to change.
    fn glance<'a>(&self, state: MutexGuard<'a, State>, wait: &Wait) -> MutexGuard<'a, State> {
        let left = wait.until.saturating_duration_since(Instant::now());
        let waited = self.0.heard.wait_timeout(state, left.min(GLANCE));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn wait(&self, within: Duration) -> Wait {
        Wait {
            until: Instant::now() + within,
            run_is_over: lock(&self.0.is_over).clone(),
            is_short: false,
        }
    }

    fn number(&self, note: impl FnOnce(&mut State, u64)) -> u64 {
        let mut state = self.state();
        state.last += 1;
        let number = state.last;
        note(&mut state, number);
        number
    }

    fn send(&self, number: u64, command: &Command) -> Result<(), Unanswered> {
        let mut message = json!({ "id": number, "method": command.method, "params": command.params });
        if let Some(session) = &command.session {
            message["sessionId"] = Value::from(session.as_str());
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let mut wait = self.wait(ROOM);
        while let Some(unsent) = self.pass_on(bytes)? {
            if wait.is_over() {
                return Err(Unanswered::Gone("the browser is not responding".to_owned()));
            }
            bytes = unsent;
            std::thread::sleep(GLANCE);
        }
        Ok(())
    }

    /// Passes a message to the thread that writes. Returns the message if there is no room for it yet.
    fn pass_on(&self, message: Vec<u8>) -> Result<Option<Vec<u8>>, Unanswered> {
        let sent = lock(&self.0.output).as_ref().map(|output| output.try_send(message));
        match sent {
            Some(Ok(())) => Ok(None),
            Some(Err(TrySendError::Full(message))) => Ok(Some(message)),
            Some(Err(TrySendError::Disconnected(_))) | None => {
                let heard = self.state().gone.clone();
                Err(Unanswered::Gone(
                    heard.unwrap_or_else(|| "the browser has ended".to_owned()),
                ))
            }
        }
    }

    /// Reads messages until the connection ends. Returns the reason for its end.
    fn hear(&self, mut input: impl BufRead) -> String {
        loop {
            let mut bytes = Vec::new();
            match (&mut input).take(LONGEST).read_until(0, &mut bytes) {
                Ok(0) => return "the browser has ended".to_owned(),
                Ok(_) => {}
                Err(error) => return format!("the connection to the browser broke: {error}"),
            }
            if bytes.pop() != Some(0) {
                return "the browser ended in the middle of a message".to_owned();
            }
            match serde_json::from_slice(&bytes) {
                Ok(message) => self.heed(message),
                Err(error) => return format!("the browser sent a message that FRANZ cannot read: {error}"),
            }
        }
    }

    fn heed(&self, message: Message) {
        let mut state = self.state();
        let mut commands = Vec::new();
        if let Some(number) = message.id {
            state.input.remove(&number);
            if let Some(answer) = state.asked.get_mut(&number) {
                *answer = Some(match message.error {
                    Some(refusal) => Err(refusal.message),
                    None => Ok(message.result.unwrap_or_default()),
                });
            }
        } else if let Some(method) = message.method {
            let event = Event {
                session: message.session_id,
                method,
                params: message.params,
            };
            commands = state.tabs.hear(&event);
            let State { input, tabs, .. } = &mut *state;
            input.retain(|_, session| tabs.has(session));
        }
        drop(state);
        if !commands.is_empty() {
            for command in commands {
                // If the browser is gone, the next wait for it reports that.
                let _ = self.tell(&command);
            }
            self.state().tabs.said();
        }
        self.0.heard.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }
}

/// Writes messages until no more can come.
fn write_all(messages: Receiver<Vec<u8>>, mut output: impl Write) -> std::io::Result<()> {
    for message in messages {
        output.write_all(&message)?;
        output.flush()?;
    }
    Ok(())
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
