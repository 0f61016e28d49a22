//! The clipboard: the portal's, or on a desktop whose portal has none, that of the X server inside the compositor,
//! which shares it. On KDE, it is the compositor's own.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use zbus::{Connection, Message, OwnedObjectPath, OwnedVariant, Variant};

use super::bus::{ANSWER, Bus, NoAnswer, signals};
use super::session::{CLIPBOARD, Options, Session};
use crate::desktop::display::{Display, DisplayError, IsOver};
use crate::desktop::wayland::clipboard::{self as own, Offered};
use crate::desktop::x11;

/// The names of text, the most exact first.
const TEXTS: [&str; 4] = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT"];

/// How long the desktop may take to ask a program for its text.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the compositor needs to pass on text before it is told that this was all.
const PASSED_ON: Duration = Duration::from_millis(100);

const NONE: &str = "FRANZ has no access to the clipboard, or the desktop offers none; copy and paste with the keyboard";

pub(super) enum Clipboard {
    Portal {
        session: OwnedObjectPath,
        told: Arc<Mutex<Told>>,
    },
    /// The compositor's, for which a program needs no consent.
    Compositor {
        socket: PathBuf,
        is_over: IsOver,
        /// What this display has put there.
        offered: Option<Offered>,
    },
    X11(Box<dyn Display>),
    Missing,
}

/// What is known of the clipboard.
#[derive(Default)]
pub(super) struct Told {
    /// The types in which the current text is offered.
    types: Vec<String>,
    /// The text that this session offers.
    own: Arc<str>,
    /// Whether the current text is this session's own.
    is_own: bool,
    /// How often a program has fetched it.
    fetched: u64,
}

fn lock(told: &Mutex<Told>) -> MutexGuard<'_, Told> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(doing: &'static str) -> impl Fn(NoAnswer) -> DisplayError {
    move |error| DisplayError::failed(doing, error)
}

/// Hands our text to the programs that paste it.
#[derive(Clone)]
struct Giver {
    bus: Connection,
    session: OwnedObjectPath,
    told: Arc<Mutex<Told>>,
    is_over: IsOver,
}

impl Giver {
    async fn hand_over(self, signal: Message) {
        let is_written = self.write(&signal).await.unwrap_or_default();
        lock(&self.told).fetched += u64::from(is_written);
    }

    /// Writes the text for one program; returns `false` if the program does not take it.
    async fn write(&self, signal: &Message) -> zbus::Result<bool> {
        let (_session, _form, serial): (OwnedObjectPath, String, u32) = signal.body().deserialize()?;
        let text = Arc::clone(&lock(&self.told).own);
        let asked = (&self.session, serial);
        let file: zbus::OwnedFd = CLIPBOARD.call(&self.bus, "SelectionWrite", &asked).await?;
        let is_over = Arc::clone(&self.is_over);
        let writing = spawn_blocking(move || own::hand_over(OwnedFd::from(file), text.as_bytes(), &is_over));
        let is_written = matches!(writing.await, Ok(Ok(())));
        sleep(PASSED_ON).await;
        let done = (&self.session, serial, is_written);
        CLIPBOARD.call::<()>(&self.bus, "SelectionWriteDone", &done).await?;
        Ok(is_written)
    }
}

impl Clipboard {
    /// Returns KWin's own clipboard. That of its X server would not do: KWin shares it only with the windows of X
    /// programs.
    pub(super) fn of_kwin(socket: &Path, is_over: &IsOver) -> Clipboard {
        if !own::is_there(socket, is_over) {
            return Clipboard::Missing;
        }
        Clipboard::Compositor {
            socket: socket.to_owned(),
            is_over: Arc::clone(is_over),
            offered: None,
        }
    }

    pub(super) fn of(bus: &Bus, session: &Session, is_over: &IsOver) -> Result<Clipboard, DisplayError> {
        if session.clipboard == Some(false) {
            return Ok(Clipboard::Missing);
        }
        if session.clipboard.is_none() {
            let name = std::env::var("DISPLAY").ok().filter(|name| !name.is_empty());
            let server = name.and_then(|name| x11::open(Some(&name), Arc::clone(is_over)).ok());
            return Ok(server.map_or(Clipboard::Missing, Clipboard::X11));
        }
        let told = Arc::new(Mutex::new(Told::default()));
        let session = session.path.clone();
        let interface = CLIPBOARD.interface;
        let listening = async {
            let changed = signals(&bus.connection, interface, "SelectionOwnerChanged").await?;
            let wanted = signals(&bus.connection, interface, "SelectionTransfer").await?;
            Ok((changed, wanted))
        };
        let (mut changed, mut wanted) = bus.wait(ANSWER, listening).map_err(failed("watching the clipboard"))?;
        let heard = Arc::clone(&told);
        bus.spawn(async move {
            while let Some(Ok(signal)) = changed.next().await {
                // A signal that is none changes nothing.
                let _ = lock(&heard).hear(&signal);
            }
        });
        let giver = Giver {
            bus: bus.connection.clone(),
            session: session.clone(),
            told: Arc::clone(&told),
            is_over: Arc::clone(&bus.is_over),
        };
        bus.spawn(async move {
            while let Some(Ok(signal)) = wanted.next().await {
                // Programs do not wait for each other, and one that does not take the text gets none.
                tokio::spawn(giver.clone().hand_over(signal));
            }
        });
        Ok(Clipboard::Portal { session, told })
    }

    pub(super) fn is_there(&self) -> bool {
        !matches!(self, Clipboard::Missing)
    }

    /// Returns how often a program has fetched our text, where that is reported.
    pub(super) fn fetched(&self) -> Option<u64> {
        match self {
            Clipboard::Portal { told, .. } => Some(lock(told).fetched),
            Clipboard::Compositor { .. } | Clipboard::X11(_) | Clipboard::Missing => None,
        }
    }

    pub(super) fn read(&mut self, bus: &Bus) -> Result<Option<String>, DisplayError> {
        const DOING: &str = "reading the clipboard";
        let (session, told) = match self {
            Clipboard::Portal { session, told } => (session, told),
            Clipboard::Compositor { socket, is_over, .. } => return own::read(socket, is_over),
            Clipboard::X11(server) => return server.clipboard(),
            Clipboard::Missing => return Err(DisplayError::Refused(NONE.to_owned())),
        };
        let form = {
            let told = lock(told);
            if told.is_own {
                return Ok(Some(told.own.to_string()));
            }
            TEXTS.into_iter().find(|text| told.types.iter().any(|one| one == text))
        };
        let Some(form) = form else { return Ok(None) };
        let asked = (&*session, form);
        let asking = CLIPBOARD.call::<zbus::OwnedFd>(&bus.connection, "SelectionRead", &asked);
        let file = bus.wait(PATIENCE, asking).map_err(failed(DOING))?;
        own::text_from(File::from(OwnedFd::from(file)), &bus.is_over).map(Some)
    }

    pub(super) fn write(&mut self, bus: &Bus, text: &str) -> Result<(), DisplayError> {
        const DOING: &str = "writing to the clipboard";
        let (session, told) = match self {
            Clipboard::Portal { session, told } => (session, told),
            Clipboard::Compositor {
                socket,
                offered,
                is_over,
            } => {
                // The previous text stays until the new one is there.
                *offered = Some(own::offer(socket, text, is_over)?);
                return Ok(());
            }
            Clipboard::X11(server) => return server.set_clipboard(text),
            Clipboard::Missing => return Err(DisplayError::Refused(NONE.to_owned())),
        };
        {
            let mut told = lock(told);
            told.own = text.into();
            told.is_own = true;
        }
        let types: Vec<&str> = TEXTS.to_vec();
        let asked = (&*session, Options::from([("mime_types", Variant::from(types))]));
        bus.wait(ANSWER, CLIPBOARD.call::<()>(&bus.connection, "SetSelection", &asked))
            .map_err(failed(DOING))
    }
}

impl Told {
    fn hear(&mut self, signal: &Message) -> zbus::Result<()> {
        type About = std::collections::HashMap<String, OwnedVariant>;
        let (_session, mut about): (OwnedObjectPath, About) = signal.body().deserialize()?;
        let is_own = about.remove("session_is_owner").map(bool::try_from).transpose()?;
        self.is_own = is_own.unwrap_or_default();
        // The types are a structure with one field.
        let types = about.remove("mime_types").map(Variant::from);
        self.types = match types {
            Some(Variant::Structure(types)) => <(Vec<String>,)>::try_from(types)?.0,
            Some(other) => other.downcast()?,
            None => Vec::new(),
        };
        Ok(())
    }
}
