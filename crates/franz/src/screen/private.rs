//! Private screens: a desktop or a browser that FRANZ starts for a run and that no one else uses.

use std::time::{Duration, Instant};

use anyhow::Result;
use franz_chat::Keyring;
use franz_screen::child::Environment;
use franz_screen::desktop::IsOver;
use franz_screen::{Browser, BrowserOptions, Desktop, Glob, PrivateDesktop, private_desktop};

use super::{options, until};
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::keys;
use crate::stop::Stop;
use crate::terminal::complain;

/// The warning about a private desktop without a window manager.
pub(crate) const UNMANAGED: &str = "no window manager was found for the private desktop: its windows cannot be moved, \
                                    and keyboard input might not reach them; install openbox";

/// How long to wait before the first turn for programs on a private desktop to open their windows.
const OPENING: Duration = Duration::from_secs(5);

/// How long to wait instead for a command to fail if nobody lists windows. A mistyped command fails at once.
const TRYING: Duration = Duration::from_millis(500);

/// How often to check meanwhile whether one of them has failed.
const LOOK: Duration = Duration::from_millis(100);

/// The exit codes with which a shell reports that a program does not exist, or cannot be executed.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;

/// The highest exit code that a program chooses itself. Higher ones name the signal that ended it.
const LAST_OWN_CODE: i32 = 128;

/// What the error about a command says between the command and the reason.
const ON_DESKTOP: &str = " on the private desktop: ";

/// How that reason begins if the program started.
const WITH_CODE: &str = "it ended with exit code ";

/// Starts a private desktop without any programs. Fails once `is_over` returns `true`.
pub(crate) fn start_bare(settings: &Settings, is_over: &IsOver) -> Result<Box<dyn PrivateDesktop>> {
    let (width, height) = settings.screen_size(settings.image.size());
    let options = private_desktop::PrivateDesktopOptions {
        width,
        height,
        elements: settings.tells_elements(),
    };
    let started = settings.screen.compositor.start_until(&options, is_over);
    Ok(started.map_err(Unusable::screen)?)
}

/// Starts the private browser that the settings describe, with its first page. Once `is_over` returns `true`, its waits
/// end early.
pub(crate) fn start_browser(settings: &Settings, is_over: &IsOver) -> Result<Browser> {
    let (width, height) = settings.screen_size(settings.image.size());
    let of = &settings.screen;
    let options = BrowserOptions {
        program: of.browser.clone(),
        url: of.url.clone(),
        width,
        height,
        scale: of.scale,
    };
    Ok(Browser::start_until(&options, is_over).map_err(Unusable::screen)?)
}

/// Returns whether the settings let the model open this address.
pub(crate) fn may_open_page(settings: &Settings, url: &str) -> bool {
    let patterns = &settings.screen.open;
    patterns.iter().any(|pattern| Glob::new(pattern).fits(url))
}

/// Starts a private desktop and runs the settings' commands on it. Once `is_over` returns `true`, its waits end early.
pub(super) fn start_private(
    settings: &Settings,
    keyring: &Keyring,
    is_over: &IsOver,
) -> Result<Box<dyn PrivateDesktop>> {
    let mut private = start_bare(settings, is_over)?;
    let guest = Environment::guest(&keys::texts(keyring));
    start_programs(private.as_mut(), &settings.screen.start, &guest, OPENING, is_over)?;
    Ok(private)
}

/// Runs commands on a private desktop, and waits until each has opened a window: at most this long, or only a moment
/// without a window manager. Fails if a command ends with an error meanwhile. Stops waiting once `is_over` returns `true`.
pub(crate) fn start_programs(
    desktop: &mut dyn PrivateDesktop,
    commands: &[String],
    environment: &Environment,
    patience: Duration,
    is_over: &IsOver,
) -> Result<()> {
    if commands.is_empty() {
        return Ok(());
    }
    let mut started = Vec::new();
    for command in commands {
        let id = desktop.spawn(command, environment).map_err(Unusable::screen)?;
        started.push((command, id));
    }
    let windows = u32::try_from(commands.len()).unwrap_or(u32::MAX);
    let lists_windows = desktop.window_manager().is_some();
    let patience = if lists_windows { patience } else { patience.min(TRYING) };
    let deadline = Instant::now() + patience;
    loop {
        // Wait for windows, because a first picture without any would waste a turn. Not every command opens a window.
        let are_open = desktop.wait_for_windows(windows, LOOK).map_err(Unusable::screen)?;
        for (command, id) in &started {
            if let Some(failure) = desktop.failure(*id).map_err(Unusable::screen)? {
                let why = cannot_start(command, failure.code, &failure.last_words);
                return Err(Unusable::screen(why).into());
            }
        }
        if are_open || is_over() || Instant::now() >= deadline {
            return Ok(());
        }
        if !lists_windows {
            std::thread::sleep(LOOK);
        }
    }
}

/// Returns whether an error is about a command that failed on a private desktop by itself. A command that was killed can
/// succeed the next time.
pub(crate) fn is_about_a_command(error: &str) -> bool {
    let about = error.strip_prefix("cannot start \"");
    let Some((_, why)) = about.and_then(|about| about.split_once(ON_DESKTOP)) else {
        return false;
    };
    let code = why.strip_prefix(WITH_CODE).and_then(|rest| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<i32>().ok()
    });
    code.is_none_or(|code| code <= LAST_OWN_CODE)
}

/// Describes a command whose program does not exist.
pub(crate) fn cannot_find(command: &str) -> String {
    cannot_start(command, NOT_FOUND, "")
}

/// Describes why a command failed, given its exit code and what it printed as errors.
fn cannot_start(command: &str, code: i32, said: &str) -> String {
    let install = "; correct the command, or install the program";
    let (why, advice) = match code {
        NOT_FOUND => ("it was not found".to_owned(), install),
        NOT_EXECUTABLE => ("it cannot be executed".to_owned(), install),
        code => (
            format!("{WITH_CODE}{code}"),
            "; correct the command, or append \"; true\" if its failure does no harm",
        ),
    };
    let said = if said.is_empty() {
        String::new()
    } else {
        format!(" ({said})")
    };
    format!("cannot start {command:?}{ON_DESKTOP}{why}{said}{advice}")
}

/// Starts the private desktop if the run uses one. This happens before the run is created, so that a failure leaves no
/// run behind. A stop ends the start early.
pub(crate) fn private(settings: &Settings, keyring: &Keyring, stop: &Stop) -> Result<Option<Box<dyn PrivateDesktop>>> {
    match settings.screen.kind {
        ScreenKind::Virtual => {}
        ScreenKind::Canvas | ScreenKind::Desktop | ScreenKind::Browser | ScreenKind::Vnc => return Ok(None),
    }
    let is_over = until(stop);
    let private = start_private(settings, keyring, &is_over)?;
    if private.window_manager().is_none() {
        complain(UNMANAGED);
    }
    let display = private.open_until(is_over).map_err(Unusable::screen)?;
    Desktop::new(display, options(settings)).map_err(Unusable::screen)?;
    Ok(Some(private))
}
