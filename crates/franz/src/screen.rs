//! The screen of a run: the canvas, this desktop, a private desktop or browser, or a VNC server's screen.

mod check;
mod gestures;
mod private;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_action::{Action, Outcome};
use franz_chat::Keyring;
use franz_frame::Area;
use franz_home::Home;
use franz_rfb::VncPassword;
use franz_screen::child::Environment;
use franz_screen::desktop::{self, DesktopOptions, Display, GestureWatch, IsOver};
#[cfg(all(unix, not(target_os = "macos")))]
use franz_screen::elements::{ElementReader, ElementsError};
#[cfg(all(unix, not(target_os = "macos")))]
use franz_screen::private_desktop;
use franz_screen::private_desktop::ProgramLog;
use franz_screen::{Browser, Canvas, Desktop, DisplayError, Masked, Pace, PrivateDesktop, Screen, Target, VncServer};
use serde::{Deserialize, Serialize};

use crate::config::screen_kind::ScreenKind;
use crate::config::settings::{InputPace, Settings};
use crate::exit::Unusable;
use crate::guardian::Guardian;
use crate::state_folder;
use crate::stop::Stop;
pub(crate) use check::check;
pub(crate) use gestures::watch;
use gestures::{heed, limit_of_watch};
pub(crate) use private::{
    UNMANAGED, cannot_find, is_about_a_command, may_open_page, private, start_bare, start_browser, start_programs,
};

/// An opened screen, and everything that comes with it.
pub(crate) struct OpenScreen {
    pub(crate) screen: Masked,
    /// A description of the screen.
    pub(crate) name: String,
    /// Messages to the person after the screen was opened.
    pub(crate) notices: Vec<String>,
    /// The last turn whose actions the screen has drawn, according to its own record; 0 if it keeps none.
    pub(crate) last_turn: u64,
    /// How long the person has to let go of the mouse.
    pub(crate) countdown: Duration,
    pub(crate) company: Company,
}

/// The processes and values that accompany a screen while it is in use.
#[derive(Default)]
pub(crate) struct Company {
    watch: Option<GestureWatch>,
    _guardian: Option<Guardian>,
    /// `None` for a screen that is not a desktop.
    site: Option<Site>,
    /// The programs that this process has opened on the panel's private desktop.
    #[cfg(all(unix, not(target_os = "macos")))]
    programs: Option<private_desktop::Programs>,
    /// The run's directory, which keeps what those programs print as errors.
    #[cfg(all(unix, not(target_os = "macos")))]
    run: Option<Home>,
}

/// The location of a desktop, with which it can be opened, and reopened if it is lost.
struct Site {
    place: Place,
    person: Person,
}

enum Place {
    /// The person's own desktop.
    Session,
    /// A private desktop that the panel started, which outlives this process.
    Panels(PanelsDesktop),
    /// A private desktop that ends with this process.
    Own(Box<dyn PrivateDesktop>),
    /// A private browser, which ends with this process.
    Browser(Browser),
    /// The screen of a VNC server.
    Vnc(VncServer),
}

impl Place {
    fn open(&self, stop: &Stop) -> Result<Box<dyn Display>, DisplayError> {
        let is_over = until(stop);
        match self {
            Place::Session => desktop::open_until(&session(), is_over),
            Place::Panels(panels) => desktop::open_until(&panels.target(), is_over),
            Place::Own(private) => private.open_until(is_over),
            Place::Browser(browser) => browser.open_until(is_over),
            Place::Vnc(server) => desktop::open_until(&Target::Vnc(Box::new(server.clone())), is_over),
        }
    }

    /// Returns the address of the session bus over which the desktop's programs report their elements, if they do.
    fn session_bus(&self) -> Option<String> {
        match self {
            Place::Session | Place::Browser(_) | Place::Vnc(_) => None,
            Place::Panels(panels) => panels.session_bus.clone(),
            Place::Own(private) => private.session_bus(),
        }
    }

    /// Starts the process that releases pressed keys and buttons if this one is killed.
    fn guardian(&self) -> Result<Option<Guardian>> {
        match self {
            Place::Session => Guardian::of(&session()).map(Some),
            Place::Panels(panels) => Guardian::of(&panels.target()).map(Some),
            Place::Vnc(server) => Guardian::of(&Target::Vnc(Box::new(server.clone()))).map(Some),
            Place::Own(_) | Place::Browser(_) => Ok(None),
        }
    }
}

/// The preparations for the screen from before the run was created.
pub(crate) enum Prepared {
    /// A private desktop that ends with this process.
    Own(Box<dyn PrivateDesktop>),
    /// A private desktop that the panel started.
    Panels(PanelsDesktop),
    /// The password of a VNC server.
    Password(VncPassword),
    /// The record of a screen, on which nothing is performed.
    Recorded(Box<dyn Screen>),
}

/// The private desktop that a panel has started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PanelsDesktop {
    pub(crate) name: String,
    /// The address of the session bus of the desktop's programs, if they report their elements.
    #[serde(default)]
    pub(crate) session_bus: Option<String>,
}

/// The ways in which the person in front of the screen can affect the run.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) stop: Stop,
    /// Whether there is a way to resume a paused run.
    pub(crate) resumable: bool,
}

impl Company {
    /// Returns whether the person's own mouse and keyboard are watched.
    pub(crate) fn is_watching(&self) -> bool {
        self.watch.is_some()
    }

    /// Starts a command on the private desktop. Keeps these keys out of its environment.
    pub(crate) fn open(&mut self, command: &str, keys: &[String]) -> Result<()> {
        let guest = Environment::guest(keys);
        match self.site.as_mut().map(|site| &mut site.place) {
            Some(Place::Own(private)) => private.spawn(command, &guest).map(drop).map_err(Into::into),
            #[cfg(all(unix, not(target_os = "macos")))]
            Some(Place::Panels(panels)) => {
                let programs = match &mut self.programs {
                    Some(programs) => programs,
                    none => {
                        let programs = none.insert(private_desktop::Programs::new()?);
                        if let Some(run) = &self.run {
                            keep_errors(programs.log(), run);
                        }
                        programs
                    }
                };
                programs.spawn(command, &panels.name, panels.session_bus.as_deref(), &guest)?;
                Ok(())
            }
            _ => anyhow::bail!("programs can be opened only on private desktops"),
        }
    }

    /// Opens an address in a new page of the private browser.
    pub(crate) fn open_page(&self, url: &str) -> Result<()> {
        match self.site.as_ref().map(|site| &site.place) {
            Some(Place::Browser(browser)) => Ok(browser.open_page(url)?),
            _ => anyhow::bail!("addresses can be opened only in private browsers"),
        }
    }

    /// Reopens a lost desktop, with everything that comes with it.
    pub(crate) fn reopen(&mut self, settings: &Settings) -> Result<OpenScreen> {
        let site = self.site.as_ref().context("this screen cannot be reopened")?;
        let mut opened = on_desktop(settings, &site.place, &site.person)?;
        opened.company.site = self.site.take();
        #[cfg(all(unix, not(target_os = "macos")))]
        {
            opened.company.programs = self.programs.take();
            opened.company.run = self.run.take();
        }
        Ok(opened)
    }
}

impl OpenScreen {
    /// Opens the screen that the settings name. Uses the private desktop that was started for the run, or starts one
    /// now.
    pub(crate) fn open(
        settings: &Settings,
        run: &Home,
        prepared: Option<Prepared>,
        keyring: &Keyring,
        person: &Person,
    ) -> Result<OpenScreen> {
        let place = match (settings.screen.kind, prepared) {
            (ScreenKind::Canvas, _) => return canvas(settings, run),
            (_, Some(Prepared::Recorded(screen))) => return Ok(recorded(settings, screen)),
            (ScreenKind::Desktop, _) => Place::Session,
            (ScreenKind::Virtual, Some(Prepared::Panels(panels))) => Place::Panels(panels),
            (ScreenKind::Virtual, Some(Prepared::Own(private))) => Place::Own(private),
            (ScreenKind::Virtual, _) => Place::Own(private::start_private(settings, keyring, &until(&person.stop))?),
            (ScreenKind::Browser, _) => Place::Browser(start_browser(settings, &until(&person.stop))?),
            (ScreenKind::Vnc, Some(Prepared::Password(password))) => Place::Vnc(vnc_server(settings, Some(password))?),
            (ScreenKind::Vnc, _) => Place::Vnc(vnc_server(settings, None)?),
        };
        if let Place::Own(private) = &place {
            keep_errors(private.log(), run);
        }
        let mut opened = on_desktop(settings, &place, person)?;
        #[cfg(all(unix, not(target_os = "macos")))]
        {
            opened.company.run = Some(run.clone());
        }
        opened.company.site = Some(Site {
            place,
            person: person.clone(),
        });
        Ok(opened)
    }
}

/// The file of a run that has what the programs on its private desktop print as errors.
const PROGRAMS: &str = "programs.log";

/// Keeps what programs print as errors in the run's directory. A run does not need the file, so it goes on without.
pub(crate) fn keep_errors(log: &ProgramLog, run: &Home) {
    if let Ok(file) = run.append(PROGRAMS) {
        log.keep_in(file);
    }
}

/// Returns the check with which a screen's waits end early once the run is over.
fn until(stop: &Stop) -> IsOver {
    let stop = stop.clone();
    Arc::new(move || stop.ending().is_some())
}

/// Opens the canvas of a run.
pub(crate) fn canvas(settings: &Settings, run: &Home) -> Result<OpenScreen> {
    let (width, height) = settings.screen_size(settings.image.size());
    let (mut canvas, notices) = Canvas::open(run, width, height).map_err(Unusable::screen)?;
    if settings.is_durable() {
        canvas.make_durable();
    }
    draw_first(&mut canvas, &settings.screen.drawing)?;
    Ok(OpenScreen {
        name: format!("canvas {width}x{height}"),
        notices,
        last_turn: canvas.last_turn(),
        countdown: Duration::ZERO,
        company: Company::default(),
        screen: Masked::new(Box::new(canvas), settings.masks()),
    })
}

/// Draws what the canvas shows at the first turn. On a canvas that has it already, this changes nothing.
fn draw_first(canvas: &mut Canvas, drawing: &[String]) -> Result<()> {
    for (index, text) in drawing.iter().enumerate() {
        let action = drawn(text).map_err(Unusable::usage)?;
        if let Outcome::NotApplied(why) = canvas.draw_before(index, &action).map_err(Unusable::screen)? {
            return Err(Unusable::usage(not_drawn(text, &why)).into());
        }
    }
    Ok(())
}

/// Reads one entry of `screen.drawing`.
pub(crate) fn drawn(text: &str) -> Result<Action, String> {
    let action = text.parse::<Action>();
    let action =
        action.map_err(|error| not_drawn(text, &format_args!("{error}; write it like drag(100, 500, 900, 500)")))?;
    if matches!(action, Action::Click(_) | Action::Drag(_) | Action::Type(_)) {
        Ok(action)
    } else {
        Err(not_drawn(text, &"only clicks, drag and type can draw"))
    }
}

fn not_drawn(text: &str, why: &dyn fmt::Display) -> String {
    format!("screen.drawing: {text:?}: {why}")
}

fn recorded(settings: &Settings, screen: Box<dyn Screen>) -> OpenScreen {
    OpenScreen {
        name: format!("the record of {}", called(settings.screen.kind)),
        notices: Vec::new(),
        last_turn: 0,
        countdown: Duration::ZERO,
        company: Company::default(),
        screen: Masked::new(screen, settings.masks()),
    }
}

fn on_desktop(settings: &Settings, place: &Place, person: &Person) -> Result<OpenScreen> {
    let mut display = place.open(&person.stop).map_err(Unusable::screen)?;
    let guardian = place.guardian()?;
    display.claim().map_err(Unusable::screen)?;
    // Asks the person for their consent, where the desktop wants it. The error says whether they gave it.
    display.monitors().map_err(Unusable::screen)?;
    let of = &settings.screen;
    let mut desktop = Desktop::new(display, options(settings)).map_err(Unusable::screen)?;
    if let Some(guardian) = &guardian {
        desktop.tell_holds(guardian.teller());
    }
    let mut notices: Vec<String> = tell_elements(&mut desktop, place, &person.stop)
        .err()
        .into_iter()
        .collect();
    if let Place::Browser(browser) = place {
        notices.extend_from_slice(browser.notices());
        if settings.eyes.elements {
            desktop.tell_elements(browser.elements());
        }
    }
    // On any other screen, no person is moving the mouse.
    let countdown = if of.kind.is_in_front() {
        Duration::from_secs_f64(of.countdown_s)
    } else {
        Duration::ZERO
    };
    person.stop.wait_for_hands_off(countdown);
    let (stop, resumable) = (person.stop.clone(), person.resumable);
    let watch = watch(settings, &mut desktop, move |gesture| heed(gesture, &stop, resumable))?;
    if of.kind.is_in_front() && of.yields {
        notices.extend(limit_of_watch(watch.is_some(), cfg!(windows)).map(str::to_owned));
    }
    let name = desktop.name();
    let mut screen = Masked::new(Box::new(desktop), settings.masks());
    if screen.is_blind() {
        notices.push(BLIND.to_owned());
    }
    Ok(OpenScreen {
        name: format!("{}, {name}", called(of.kind)),
        notices,
        last_turn: 0,
        countdown,
        company: Company {
            watch,
            _guardian: guardian,
            ..Company::default()
        },
        screen,
    })
}

/// Describes a kind of desktop.
fn called(kind: ScreenKind) -> &'static str {
    match kind {
        ScreenKind::Desktop => "this desktop",
        ScreenKind::Browser => "a private browser",
        ScreenKind::Vnc => "a VNC screen",
        ScreenKind::Virtual | ScreenKind::Canvas => "a private desktop",
    }
}

/// Makes a desktop report elements if its programs do. The error is for the person; the run continues without elements.
#[cfg(all(unix, not(target_os = "macos")))]
fn tell_elements(desktop: &mut Desktop, place: &Place, stop: &Stop) -> Result<(), String> {
    if let Some(bus) = place.session_bus() {
        let is_over = || stop.ending().is_some();
        match ElementReader::on_until(&bus, is_over) {
            Ok(reader) => desktop.tell_elements(reader),
            Err(ElementsError::Over) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

#[cfg(any(not(unix), target_os = "macos"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on the other systems")]
fn tell_elements(_: &mut Desktop, place: &Place, _: &Stop) -> Result<(), String> {
    debug_assert!(place.session_bus().is_none(), "there are no private desktops here");
    Ok(())
}

impl PanelsDesktop {
    /// Describes a private desktop to the agent.
    pub(crate) fn of(private: &dyn PrivateDesktop) -> PanelsDesktop {
        PanelsDesktop {
            name: private.name().to_owned(),
            session_bus: private.session_bus(),
        }
    }

    fn target(&self) -> Target {
        Target::named(self.name.clone())
    }
}

/// Returns which part of a desktop to use, and how to use it.
pub(crate) fn options(settings: &Settings) -> DesktopOptions {
    let of = &settings.screen;
    DesktopOptions {
        monitor: of.monitor.clone(),
        region: of.region.map(|[x, y, width, height]| Area {
            x: x as i32,
            y: y as i32,
            width,
            height,
        }),
        cursor: of.cursor,
        pace: pace(settings),
    }
}

fn pace(settings: &Settings) -> Pace {
    let of = &settings.screen;
    match of.pace {
        InputPace::Fast => Pace::FAST,
        // On other screens, no person watches the pointer.
        InputPace::Auto if !of.kind.is_in_front() => Pace::FAST,
        InputPace::Auto | InputPace::Human => Pace {
            move_steps: of.move_steps,
            move_step: Duration::from_secs_f64(of.move_step_s),
            settle: Duration::from_secs_f64(of.settle_s),
            character: Duration::from_secs_f64(of.type_char_s),
            word: Duration::from_secs_f64(of.type_word_s),
            ..Pace::HUMAN
        },
    }
}

/// The warning that window masks have no effect where no program lists the windows.
const BLIND: &str = "screen.mask masks windows, but no window manager lists them here, so the model sees nothing of this \
                     screen; start one, such as openbox, or mask areas";

/// The folder in the state folder that holds the locks of remote screens, and the person's consent to use this desktop.
const LOCKS: &str = "screens";

/// Returns the desktop of this session, with the person's consent where it asks for that.
pub(crate) fn session() -> Target {
    // Without a folder, the person is asked each time.
    let consent = state_folder::make(LOCKS).ok().map(|folder| folder.path().to_owned());
    Target::Session { consent }
}

/// Returns the VNC server of the settings.
pub(crate) fn vnc_server(settings: &Settings, password: Option<VncPassword>) -> Result<VncServer> {
    let address = settings.vnc_address().map_err(Unusable::usage)?;
    let address = address.context("no VNC server is set")?;
    let locks = state_folder::make(LOCKS).map_err(|error| {
        Unusable::screen(format!(
            "cannot make the lock that keeps a second agent from {address}: {error}"
        ))
    })?;
    Ok(VncServer {
        address,
        password,
        unencrypted: settings.screen.unencrypted,
        keyboard: settings.screen.keyboard,
        locks: locks.path().to_owned(),
    })
}
