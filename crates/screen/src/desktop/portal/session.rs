//! A session of the desktop portal: the person allows it once, and it then gives pictures and takes input.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use zbus::{Connection, OwnedObjectPath, OwnedVariant, Variant};

use super::bus::{ANSWER, Bus, NoAnswer, Place, signals};

pub(super) const NAME: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";

pub(super) const REMOTE_DESKTOP: Place = at("org.freedesktop.portal.RemoteDesktop");
pub(super) const SCREEN_CAST: Place = at("org.freedesktop.portal.ScreenCast");
pub(super) const CLIPBOARD: Place = at("org.freedesktop.portal.Clipboard");
const PROPERTIES: Place = at("org.freedesktop.DBus.Properties");
const SESSION: &str = "org.freedesktop.portal.Session";
const REQUEST: &str = "org.freedesktop.portal.Request";

/// How long the person has to allow the session.
const CONSENT: Duration = Duration::from_mins(5);

/// The devices to use: keyboard and pointer.
const DEVICES: u32 = 1 | 2;

/// The sources to show: monitors.
const MONITORS: u32 = 1;

/// A picture without the cursor.
const HIDDEN: u32 = 1;

/// Consent that lasts until the person withdraws it.
const UNTIL_WITHDRAWN: u32 = 2;

/// The first version that keeps consent.
const KEEPS_CONSENT: u32 = 2;

const fn at(interface: &'static str) -> Place {
    Place {
        name: NAME,
        path: PATH,
        interface,
    }
}

/// Named values, as the portal takes and returns them.
pub(super) type Options<'a> = HashMap<&'static str, Variant<'a>>;
type Results = HashMap<String, OwnedVariant>;

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoSession {
    #[error("the person did not allow it")]
    Denied,
    #[error("the portal ended the request")]
    Ended,
    #[error("the person did not answer")]
    Unanswered,
    #[error("the portal cannot begin a session; its log says why")]
    NotBegun,
    #[error("the portal gave access to {0}")]
    Incomplete(&'static str),
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
}

/// One stream of pictures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    /// Its node in PipeWire.
    pub(super) node: u32,
    /// Its place and size in the compositor's own units, where they are reported.
    pub(super) place: Option<(i32, i32)>,
    pub(super) size: Option<(i32, i32)>,
}

/// A session that has begun.
pub(super) struct Session {
    pub(super) path: OwnedObjectPath,
    pub(super) sources: Vec<Source>,
    /// Whether the session may use the portal's clipboard, or `None` where it has not asked.
    pub(super) clipboard: Option<bool>,
    /// With which the next session needs no consent.
    pub(super) token: Option<String>,
    is_closed: Arc<AtomicBool>,
    _close: CloseOnDrop,
}

/// Closes a session when dropped, so that the compositor releases what it holds and stops sharing the screen.
struct CloseOnDrop {
    path: OwnedObjectPath,
    bus: Connection,
    runtime: Handle,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        let (path, bus) = (self.path.clone(), self.bus.clone());
        self.runtime.spawn(async move {
            // A session that has ended needs no closing.
            let _ = bus.call_method(Some(NAME), path, Some(SESSION), "Close", &()).await;
        });
    }
}

impl Session {
    /// Begins a session, once the person allows it. Asks for the clipboard, too, if that is wanted and the portal has
    /// one.
    pub(super) fn begin(bus: &Bus, token: Option<&str>, wants_clipboard: bool) -> Result<Session, NoSession> {
        let keeps = version(bus, REMOTE_DESKTOP)? >= KEEPS_CONSENT;
        let has_clipboard = wants_clipboard && version(bus, CLIPBOARD).is_ok();
        let created = request(bus, ANSWER, REMOTE_DESKTOP, "CreateSession", |token| {
            (Options::from([
                ("handle_token", token.into()),
                ("session_handle_token", token.into()),
            ]),)
        })
        .map_err(|error| match error {
            NoSession::Ended => NoSession::NotBegun,
            other => other,
        })?;
        let path = text(&created, "session_handle").and_then(|path| OwnedObjectPath::try_from(path).ok());
        let path = path.ok_or(NoSession::Incomplete("nothing"))?;
        let close = CloseOnDrop {
            path: path.clone(),
            bus: bus.connection.clone(),
            runtime: bus.runtime.clone(),
        };
        let is_closed = watch(bus, path.clone())?;
        request(bus, ANSWER, REMOTE_DESKTOP, "SelectDevices", |handle| {
            let mut options = Options::from([("handle_token", handle.into()), ("types", DEVICES.into())]);
            if keeps {
                options.insert("persist_mode", UNTIL_WITHDRAWN.into());
                if let Some(token) = token {
                    options.insert("restore_token", token.into());
                }
            }
            (&path, options)
        })?;
        request(bus, ANSWER, SCREEN_CAST, "SelectSources", |handle| {
            let options = Options::from([
                ("handle_token", handle.into()),
                ("types", MONITORS.into()),
                ("multiple", true.into()),
                ("cursor_mode", HIDDEN.into()),
            ]);
            (&path, options)
        })?;
        if has_clipboard {
            let asked = (&path, Options::new());
            bus.wait(
                ANSWER,
                CLIPBOARD.call::<()>(&bus.connection, "RequestClipboard", &asked),
            )?;
        }
        let mut begun = request(bus, CONSENT, REMOTE_DESKTOP, "Start", |handle| {
            (&path, "", Options::from([("handle_token", handle.into())]))
        })
        .map_err(|error| match error {
            NoSession::NoAnswer(NoAnswer::Late) => NoSession::Unanswered,
            other => other,
        })?;
        if number(&begun, "devices").is_none_or(|devices| devices & DEVICES != DEVICES) {
            return Err(NoSession::Incomplete("the screen, but not to mouse and keyboard"));
        }
        let sources = sources(&mut begun);
        if sources.is_empty() {
            return Err(NoSession::Incomplete("mouse and keyboard, but not to a monitor"));
        }
        Ok(Session {
            path,
            sources,
            clipboard: has_clipboard.then(|| flag(&begun, "clipboard_enabled")),
            token: text(&begun, "restore_token"),
            is_closed,
            _close: close,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Returns a connection to PipeWire that may receive the session's streams.
    pub(super) fn pipewire(&self, bus: &Bus) -> Result<OwnedFd, NoAnswer> {
        let asked = (&self.path, Options::new());
        let opened = SCREEN_CAST.call::<zbus::OwnedFd>(&bus.connection, "OpenPipeWireRemote", &asked);
        bus.wait(ANSWER, opened).map(OwnedFd::from)
    }
}

/// Returns the version of a part of the portal.
pub(super) fn version(bus: &Bus, place: Place) -> Result<u32, NoAnswer> {
    let asked = (place.interface, "version");
    bus.wait(ANSWER, async {
        let version: OwnedVariant = PROPERTIES.call(&bus.connection, "Get", &asked).await?;
        u32::try_from(version)
    })
}

/// Notes when a session is closed. The signals of the bus end when the bus does.
fn watch(bus: &Bus, session: OwnedObjectPath) -> Result<Arc<AtomicBool>, NoAnswer> {
    let is_closed = Arc::new(AtomicBool::new(false));
    let mut closed = bus.wait(ANSWER, signals(&bus.connection, SESSION, "Closed"))?;
    let note = Arc::clone(&is_closed);
    bus.spawn(async move {
        while let Some(Ok(signal)) = closed.next().await {
            if signal
                .header()
                .path()
                .is_some_and(|path| path.as_str() == session.as_str())
            {
                break;
            }
        }
        note.store(true, Ordering::Relaxed);
    });
    Ok(is_closed)
}

/// Makes a request that the portal answers with a signal.
fn request<'a, B>(
    bus: &Bus,
    within: Duration,
    place: Place,
    method: &str,
    body: impl FnOnce(&'static str) -> B,
) -> Result<Results, NoSession>
where
    B: serde::Serialize + zbus::DynamicType + 'a,
{
    let body = body("franz");
    let answered = bus.wait(within, answer(&bus.connection, place, method, &body))?;
    match answered {
        Some((0, results)) => Ok(results),
        Some((1, _)) => Err(NoSession::Denied),
        _ => Err(NoSession::Ended),
    }
}

/// Calls a method and waits for its answer.
async fn answer(
    bus: &Connection,
    place: Place,
    method: &str,
    body: &(impl serde::Serialize + zbus::DynamicType),
) -> zbus::Result<Option<(u32, Results)>> {
    // The answer can come before the path to which it belongs.
    let mut answers = signals(bus, REQUEST, "Response").await?;
    let path: OwnedObjectPath = place.call(bus, method, body).await?;
    while let Some(answer) = answers.next().await {
        let answer = answer?;
        if answer.header().path().is_some_and(|of| of.as_str() == path.as_str()) {
            return answer.body().deserialize().map(Some);
        }
    }
    Ok(None)
}

fn value<T: TryFrom<OwnedVariant>>(results: &Results, name: &str) -> Option<T> {
    T::try_from(results.get(name)?.try_clone().ok()?).ok()
}

fn text(results: &Results, name: &str) -> Option<String> {
    value(results, name)
}

fn number(results: &Results, name: &str) -> Option<u32> {
    value(results, name)
}

fn flag(results: &Results, name: &str) -> bool {
    value(results, name).unwrap_or_default()
}

fn sources(results: &mut Results) -> Vec<Source> {
    type Streams = Vec<(u32, Results)>;
    let Some(streams) = results.remove("streams") else {
        return Vec::new();
    };
    let streams = Streams::try_from(streams).unwrap_or_default();
    streams
        .into_iter()
        .map(|(node, about)| Source {
            node,
            place: value(&about, "position"),
            size: value(&about, "size"),
        })
        .collect()
}
