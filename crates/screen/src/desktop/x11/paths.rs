//! Remembers where the windows on the background have recently been, from the steps that the server reports.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use franz_frame::Area;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConfigureNotifyEvent, ConnectionExt as _, EventMask, Window as Id,
};

use super::server::{Answer, Server};

/// How long to remember a position, because compositors show a window with a delay.
const REMEMBERED: Duration = Duration::from_millis(500);

/// The recent positions of windows. The server reports them only after the first request to watch.
#[derive(Default)]
pub(super) struct Paths {
    is_watching: bool,
    steps: HashMap<Id, Vec<Step>>,
}

/// All positions of a window that were reported at the same moment.
struct Step {
    reported: Instant,
    places: Area,
}

impl Paths {
    /// Asks the server to report every step from now on.
    pub(super) fn watch(&mut self, server: &Server) -> Answer<()> {
        if !self.is_watching {
            let mask = EventMask::STRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_NOTIFY;
            let aux = ChangeWindowAttributesAux::new().event_mask(mask);
            server.connection.change_window_attributes(server.root, &aux)?;
            self.is_watching = true;
        }
        Ok(())
    }

    /// Records a step that was just reported.
    pub(super) fn note(&mut self, now: Instant, step: &ConfigureNotifyEvent) {
        let border = 2 * u32::from(step.border_width);
        let place = Area {
            x: step.x.into(),
            y: step.y.into(),
            width: u32::from(step.width) + border,
            height: u32::from(step.height) + border,
        };
        let steps = self.steps.entry(step.window).or_default();
        match steps.last_mut().filter(|step| step.reported == now) {
            Some(step) => step.places = step.places.union(&place),
            None => steps.push(Step {
                reported: now,
                places: place,
            }),
        }
    }

    /// Forgets steps that are too old.
    pub(super) fn forget_old(&mut self, now: Instant) {
        self.steps.retain(|_, steps| {
            steps.retain(|step| now.saturating_duration_since(step.reported) < REMEMBERED);
            !steps.is_empty()
        });
    }

    /// Returns the bounds of the recent path of a window that is now at this place.
    pub(super) fn of(&self, window: Id, place: Area) -> Area {
        let steps = self.steps.get(&window).into_iter().flatten();
        steps.fold(place, |path, step| path.union(&step.places))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_holds_every_place_until_it_is_old() {
        let began = Instant::now();
        let mut paths = Paths::default();
        let step = |window: Id, x: i16| ConfigureNotifyEvent {
            window,
            x,
            width: 10,
            height: 10,
            border_width: 1,
            ..ConfigureNotifyEvent::default()
        };
        let place = |x: i32, width: u32| Area {
            x,
            y: 0,
            width,
            height: 12,
        };
        paths.note(began, &step(1, 90));
        paths.note(began, &step(2, 900));
        paths.note(began, &step(1, 40));
        let later = began + Duration::from_millis(300);
        paths.note(later, &step(1, -5));
        assert_eq!(paths.of(1, place(20, 12)), place(-5, 107));
        assert_eq!(paths.of(3, place(20, 12)), place(20, 12), "it has not moved");
        paths.forget_old(began + REMEMBERED);
        assert_eq!(paths.of(1, place(20, 12)), place(-5, 37));
        paths.forget_old(later + REMEMBERED);
        assert_eq!(paths.of(1, place(20, 12)), place(20, 12));
        assert!(paths.steps.is_empty());
    }
}
