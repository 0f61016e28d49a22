//! GNOME Shell in a private session, which runs any script: it reports where windows are, and clicks like a person.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};
use zbus::{Connection, DynamicType, OwnedObjectPath, OwnedVariant, Type, Variant};

use crate::stage::until;

const REMOTE_DESKTOP: &str = "org.gnome.Mutter.RemoteDesktop";
const SCREEN_CAST: &str = "org.gnome.Mutter.ScreenCast";

/// The forms in which Mutter describes monitors and accepts changes.
type Config<'a> = HashMap<&'static str, Variant<'a>>;
type Mode = (String, i32, i32, f64, f64, Vec<f64>, HashMap<String, OwnedVariant>);
type Monitor = (
    (String, String, String, String),
    Vec<Mode>,
    HashMap<String, OwnedVariant>,
);
type Logical = (
    i32,
    i32,
    f64,
    u32,
    bool,
    Vec<(String, String, String, String)>,
    HashMap<String, OwnedVariant>,
);
type State = (u32, Vec<Monitor>, Vec<Logical>, HashMap<String, OwnedVariant>);

/// The connection to GNOME Shell, with a mouse of the person.
pub(crate) struct Shell {
    runtime: Runtime,
    bus: Connection,
    session: OwnedObjectPath,
    stream: OwnedObjectPath,
    scale: f64,
}

/// The places that the person clicks in GNOME 43, from the top left corner of the question.
const INTERACTION: (f64, f64) = (450.0, 222.0);
const SHARE: (f64, f64) = (472.0, 23.0);
const CANCEL: (f64, f64) = (50.0, 23.0);
/// The part of the first that is blue once interaction is allowed.
const IS_ON: (f64, f64) = (436.0, 222.0);

/// How long a window gets to heed a click.
const HEARD: Duration = Duration::from_secs(2);

impl Shell {
    pub(crate) fn connect() -> Shell {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let bus = runtime.block_on(Connection::session()).unwrap();
        let none = OwnedObjectPath::try_from("/").unwrap();
        let mut shell = Shell {
            runtime,
            bus,
            session: none.clone(),
            stream: none,
            scale: 1.0,
        };
        // Otherwise windows are still on their way where their place is already known.
        until("the shell has started", || {
            shell
                .eval("Main.layoutManager._startingUp")
                .filter(|said| said == "false")
        });
        shell
            .eval("imports.gi.St.Settings.get().inhibit_animations(); 1")
            .unwrap();
        until("the overview is closed", || {
            let script = "Main.overview.hide(); Main.overview.visible || Main.overview.animationInProgress";
            shell.eval(script).filter(|said| said == "false")
        });
        shell.take_mouse();
        shell
    }

    fn call<T: DeserializeOwned + Type>(
        &self,
        path: &str,
        (name, interface): (&str, &str),
        method: &str,
        body: &(impl Serialize + DynamicType),
    ) -> zbus::Result<T> {
        self.runtime.block_on(async {
            let called = self.bus.call_method(Some(name), path, Some(interface), method, body);
            called.await?.body().deserialize()
        })
    }

    /// Runs a script; returns its value as JSON, or `None` while the shell is not ready.
    pub(crate) fn eval(&self, script: &str) -> Option<String> {
        let shell = ("org.gnome.Shell", "org.gnome.Shell");
        let done: zbus::Result<(bool, String)> = self.call("/org/gnome/Shell", shell, "Eval", &(script,));
        done.ok().filter(|(is_done, _)| *is_done).map(|(_, said)| said)
    }

    fn take_mouse(&mut self) {
        let remote = (REMOTE_DESKTOP, REMOTE_DESKTOP);
        let path = "/org/gnome/Mutter/RemoteDesktop";
        self.session = self.call(path, remote, "CreateSession", &()).unwrap();
        let properties = (REMOTE_DESKTOP, "org.freedesktop.DBus.Properties");
        let of = (format!("{REMOTE_DESKTOP}.Session"), "SessionId");
        let id: OwnedVariant = self.call(self.session.as_str(), properties, "Get", &of).unwrap();
        let id = String::try_from(id).unwrap();
        let cast = (SCREEN_CAST, SCREEN_CAST);
        let options = Config::from([("remote-desktop-session-id", id.into())]);
        let path = "/org/gnome/Mutter/ScreenCast";
        let recording: OwnedObjectPath = self.call(path, cast, "CreateSession", &(options,)).unwrap();
        let session = format!("{SCREEN_CAST}.Session");
        let monitor = ("Meta-0", Config::new());
        let record = (SCREEN_CAST, &*session);
        self.stream = self
            .call(recording.as_str(), record, "RecordMonitor", &monitor)
            .unwrap();
        self.press("Start", &());
    }

    fn press(&self, method: &str, body: &(impl Serialize + DynamicType)) {
        let session = format!("{REMOTE_DESKTOP}.Session");
        let to = (REMOTE_DESKTOP, &*session);
        self.call::<()>(self.session.as_str(), to, method, body).unwrap();
    }

    /// Clicks like the person.
    pub(crate) fn click(&self, (x, y): (f64, f64)) {
        self.press("NotifyPointerMotionAbsolute", &(self.stream.as_str(), x, y));
        for is_down in [true, false] {
            self.press("NotifyPointerButton", &(0x110, is_down));
        }
    }

    /// Returns the place of the portal's question, if it is there.
    fn question(&self) -> Option<(f64, f64)> {
        let script = "(() => { let w = global.display.focus_window; let r = w.get_frame_rect(); \
                      return w.title.startsWith('Remote') ? [r.x, r.y] : null; })()";
        let said = self.eval(script)?;
        let (x, y) = said.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
        Some((x.parse().unwrap(), y.parse().unwrap()))
    }

    /// Returns whether a pixel is as blue as what is on, which is brighter than the background.
    fn is_blue(&self, (x, y): (f64, f64)) -> bool {
        let script = format!(
            "window.franz = null; \
             new imports.gi.Shell.Screenshot().pick_color({x}, {y}).then(([c]) => {{ window.franz = c.blue > 200 && c.red < 120; }}); 1"
        );
        self.eval(&script).unwrap();
        let said = until("the shell reads a pixel", || {
            self.eval("window.franz").filter(|said| said != "null")
        });
        said == "true"
    }

    /// Waits for the portal's question, and clicks at this place of it until `is_done`. Its window might not take the first
    /// clicks, because it has just opened.
    fn answer(&self, (x, y): (f64, f64), mut is_done: impl FnMut((f64, f64)) -> bool) {
        let question = until("the portal asks", || self.question());
        let mut clicked: Option<Instant> = None;
        until("the click is heard", || {
            if is_done(question) {
                return Some(());
            }
            if clicked.is_none_or(|then| then.elapsed() > HEARD) {
                self.click((question.0 + x * self.scale, question.1 + y * self.scale));
                clicked = Some(Instant::now());
            }
            None
        });
    }

    pub(crate) fn allow(&self) {
        self.answer(INTERACTION, |(x, y)| {
            self.is_blue((x + IS_ON.0 * self.scale, y + IS_ON.1 * self.scale))
        });
        self.answer(SHARE, |_| self.question().is_none());
    }

    pub(crate) fn deny(&self) {
        self.answer(CANCEL, |_| self.question().is_none());
    }

    /// Returns whether the window with this title has the keyboard.
    pub(crate) fn has_focus(&self, title: &str) -> bool {
        let focus = self.eval("global.display.focus_window?.title ?? null");
        focus.is_some_and(|focus| focus.contains(title))
    }

    /// Gives the keyboard these layouts, and uses the one with this number.
    pub(crate) fn use_layout(&self, layouts: &str, layout: u32) {
        let use_it = format!(
            "(() => {{ let b = global.backend ?? imports.gi.Meta.get_backend(); b.set_keymap('{layouts}', '', ''); \
             b.lock_layout_group({layout}); return 1; }})()"
        );
        self.eval(&use_it).unwrap();
    }

    /// Ends the session, as the button in the panel does.
    pub(crate) fn end(&self) {
        let end = "[...Main.panel.statusArea.screenSharing._handles].map(handle => handle.stop()).length";
        let ended = self.eval(end).unwrap();
        assert_ne!(ended, "0");
    }

    /// Shows the monitor at scale 2.
    pub(crate) fn set_scale_2(&mut self) {
        let display = "org.gnome.Mutter.DisplayConfig";
        let path = "/org/gnome/Mutter/DisplayConfig";
        let state: State = self.call(path, (display, display), "GetCurrentState", &()).unwrap();
        let (name, mode) = (state.1[0].0.0.clone(), state.1[0].1[0].0.clone());
        let monitors = vec![(0, 0, 2.0, 0u32, true, vec![(name, mode, Config::new())])];
        let wanted = (state.0, 1u32, monitors, Config::new());
        self.call::<()>(path, (display, display), "ApplyMonitorsConfig", &wanted)
            .unwrap();
        until("the scale is 2", || {
            self.eval("global.display.get_monitor_scale(0)")
                .filter(|said| said == "2")
        });
        self.scale = 2.0;
    }
}
