//! The gestures with which the person takes the mouse and keyboard back.

use std::time::Duration;

use anyhow::Result;
use franz_screen::desktop::GestureWatch;
use franz_screen::{Desktop, Gesture};

use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::stop::{Ending, Stop};

/// The reminder that gestures have no effect where FRANZ cannot watch the person's input.
const UNWATCHED: &str = "your mouse and keyboard do not stop the agent on this desktop: stay in front of it, and press \
                         Ctrl+C or use the dashboard";

/// The reminder that Windows shows FRANZ no input for programs with higher privileges.
const PARTLY_WATCHED: &str = "while a program that runs as administrator is in front, your mouse and keyboard do not stop \
                              the agent: press Ctrl+C or use the dashboard";

/// How long it can take to push the pointer into a corner.
const PUSH: Duration = Duration::from_millis(500);

/// Watches the person's own input if the settings ask for it. If that is impossible, the person must confirm that they
/// stay in front of the desktop.
pub(crate) fn watch(
    settings: &Settings,
    desktop: &mut Desktop,
    tell: impl FnMut(Gesture) + Send + 'static,
) -> Result<Option<GestureWatch>> {
    let of = &settings.screen;
    if !of.kind.is_in_front() || !of.yields {
        return Ok(None);
    }
    let watch = desktop.watch(tell).map_err(Unusable::screen)?;
    refuse_unwatched(settings, watch.is_some(), &desktop.name())?;
    Ok(watch)
}

/// Refuses a desktop on which FRANZ would not notice the person's input, unless they promise to stay in front of it.
pub(super) fn refuse_unwatched(settings: &Settings, is_watched: bool, name: &str) -> Result<()> {
    let of = &settings.screen;
    if is_watched || of.i_watch || !of.kind.is_in_front() || !of.yields {
        return Ok(());
    }
    Err(Unusable::screen(format!(
        "{name}: this desktop cannot tell your mouse and keyboard from the agent's, so they would not stop it; add \
         --i-watch if you stay in front of it and stop the agent with Ctrl+C, or use --screen virtual"
    ))
    .into())
}

/// Makes the agent release all keys and buttons immediately. If nobody could end the pause, the run stops instead.
pub(super) fn heed(gesture: Gesture, stop: &Stop, resumable: bool) {
    match gesture {
        Gesture::Corner => stop.end(Ending::Cornered),
        Gesture::TookMouse if stop.waits_for_hands_off() => {}
        Gesture::TookMouse | Gesture::EscapeTwice if resumable => {
            stop.person_takes_mouse();
        }
        // Until the movement ends, it is not clear whether it is a push into a corner.
        Gesture::TookMouse => {
            if stop.person_takes_mouse() {
                let stop = stop.clone();
                std::thread::spawn(move || stop.end_after(PUSH, Ending::Taken));
            }
        }
        Gesture::EscapeTwice => stop.end(Ending::Taken),
    }
}

/// Returns what the person must know about gestures on a desktop.
pub(super) fn limit_of_watch(is_watched: bool, is_windows: bool) -> Option<&'static str> {
    match (is_watched, is_windows) {
        (false, _) => Some(UNWATCHED),
        (true, true) => Some(PARTLY_WATCHED),
        (true, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_is_told_where_gestures_do_not_reach_the_agent() {
        for (is_watched, is_windows, told) in [
            (false, false, Some("use the dashboard")),
            (false, true, Some("on this desktop: stay in front of it")),
            (
                true,
                true,
                Some("while a program that runs as administrator is in front"),
            ),
            (true, false, None),
        ] {
            let limit = limit_of_watch(is_watched, is_windows);
            assert_eq!(limit.is_some(), told.is_some(), "{limit:?}");
            assert!(
                limit.unwrap_or_default().contains(told.unwrap_or_default()),
                "{limit:?}"
            );
        }
    }
}
