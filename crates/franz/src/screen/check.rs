//! Checks a screen before a run on it is created.

use std::io::Write as _;

use anyhow::Result;
use franz_rfb::VncPassword;
use franz_screen::desktop::{self, Display};
use franz_screen::{Browser, Desktop, DisplayError, Target};

use super::gestures::{refuse_unwatched, watch};
use super::{options, session, vnc_server};
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::keys;

/// Fails, before anything is created, if a screen cannot be used here or another agent is using it. Returns the
/// password of a VNC server.
pub(crate) fn check(settings: &Settings) -> Result<Option<VncPassword>> {
    let (display, password) = match settings.screen.kind {
        ScreenKind::Desktop => (desktop::open(&session()).map_err(Unusable::screen)?, None),
        ScreenKind::Vnc => enter(settings)?,
        ScreenKind::Browser => {
            Browser::find(settings.screen.browser.as_deref()).map_err(Unusable::screen)?;
            return Ok(None);
        }
        ScreenKind::Canvas | ScreenKind::Virtual => return Ok(None),
    };
    check_display(settings, display)?;
    Ok(password)
}

fn check_display(settings: &Settings, mut display: Box<dyn Display>) -> Result<()> {
    display.claim().map_err(Unusable::screen)?;
    if let Some(question) = display.consent() {
        // The person is asked only once, by the agent.
        let watch = display.watch(Box::new(drop)).map_err(Unusable::screen)?;
        refuse_unwatched(settings, watch.is_some(), &display.name())?;
        let _ = writeln!(std::io::stderr(), "{question}");
        return Ok(());
    }
    let mut desktop = Desktop::new(display, options(settings)).map_err(Unusable::screen)?;
    watch(settings, &mut desktop, drop)?;
    Ok(())
}

/// Opens the VNC screen that the settings name. Asks the person for its password if it is not available otherwise.
fn enter(settings: &Settings) -> Result<(Box<dyn Display>, Option<VncPassword>)> {
    let mut server = vnc_server(settings, keys::vnc_password()?)?;
    let mut opened = desktop::open(&Target::Vnc(Box::new(server.clone())));
    if matches!(opened, Err(DisplayError::PasswordWanted(_))) && server.password.is_none() {
        server.password = keys::ask_for_vnc_password(&server.address)?;
        if server.password.is_some() {
            opened = desktop::open(&Target::Vnc(Box::new(server.clone())));
        }
    }
    Ok((opened.map_err(Unusable::screen)?, server.password))
}
