//! The picture for the model: the captured frame, scaled, marked and encoded.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use franz_action::{Action, Point};
use franz_chat::Bytes;
use franz_dialect::Space;
use franz_frame::look;
use franz_frame::png::encode;
use franz_frame::{Frame, MarkData, Marker, Marks, PngError, Scaler};
use franz_record::Event;
use franz_record::digest::sha256_hex;
use franz_screen::{Change, Pointer, Screen as _, ScreenElements, ScreenWindow};

use super::beside::BesideView;
use super::lost_screen::{Violations, is_lost, is_withheld};
use super::notices::{self, NO_PICTURE};
use super::{Agent, Turn, elements};
use crate::config::settings::Settings;
use crate::idiom::Idiom;
use crate::stop::Ending;

/// Turns frames into pictures. Reuses its buffers from turn to turn.
#[derive(Default)]
pub(super) struct Eye {
    scaler: Scaler,
    marker: Marker,
    shown: Option<Shown>,
}

impl Eye {
    /// Notes that the screen was captured but not shown to the model, and how it has changed.
    pub(super) fn looked(&mut self, change: Change) {
        if change != Change::Nothing {
            self.shown = None;
        }
    }

    /// Scales a frame to this size.
    pub(super) fn scale(&mut self, frame: &Frame, width: u32, height: u32) -> Frame {
        self.scaler.scale(frame, width, height)
    }
}

fn fingerprint(unmarked: &Frame) -> u32 {
    crc32fast::hash(unmarked.data())
}

/// A picture as the model gets it.
#[derive(Clone)]
pub(super) struct TakenPicture {
    pub(super) png: Bytes,
    pub(super) sha256: String,
    /// A value that is the same for equal pictures, whatever their marks.
    pub(super) fingerprint: u32,
    /// The picture without marks.
    pub(super) plain: Arc<Frame>,
}

impl TakenPicture {
    pub(super) fn size(&self) -> (u32, u32) {
        (self.plain.width(), self.plain.height())
    }
}

/// The picture of one turn.
pub(super) struct TurnPicture {
    pub(super) taken: TakenPicture,
    /// The earlier turn that showed the same picture.
    pub(super) like: Option<u64>,
    /// The windows, topmost first; `None` if they are unknown.
    pub(super) windows: Option<Vec<ScreenWindow>>,
    /// The elements in the picture, if the model gets a list of them.
    pub(super) elements: Option<ScreenElements>,
    /// The picture for the record, without marks; `None` once it has been written.
    pub(super) unmarked: Option<Unmarked>,
    /// The pictures that are shown before this one.
    pub(super) beside: Vec<BesideView>,
}

/// The turn's picture without marks.
pub(super) enum Unmarked {
    /// The picture has no marks.
    Same,
    /// The picture is being encoded while the model thinks.
    Encoding(JoinHandle<Result<Vec<u8>, PngError>>),
}

impl Agent {
    /// Takes this turn's picture, once the screen is ready. If there is no picture, tells the model, and the turn
    /// continues without one.
    pub(super) fn capture(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        self.follow_record();
        let effect = self.effect(turn);
        let mut violations = Violations::default();
        let mut told = false;
        let looked = loop {
            match self.look(turn) {
                Err(error) if is_lost(&error) => {
                    violations.count(&error)?;
                    self.reopen_screen(&error)?;
                }
                Err(error) if is_withheld(&error) => self.await_withheld(&error, &mut told)?,
                looked => break looked,
            }
        };
        match looked {
            Ok(view) => {
                let (width, height) = view.taken.size();
                self.tell(&Event::Captured {
                    turn: turn.line.turn,
                    width,
                    height,
                });
                turn.view = Some(view);
                self.look_beside(turn);
                if !self.tells_as_recorded(turn) {
                    self.tell_of_change(turn, effect);
                    self.tell_of_windows(turn);
                }
            }
            Err(error) => {
                turn.line.feedback = notices::below(&turn.line.feedback, &[NO_PICTURE.to_owned()]);
                turn.line.errors.push(error.to_string());
                self.notice(&format!("no picture: {error}"));
            }
        }
        Ok(())
    }

    /// Keeps the picture that the model saw when it gave this turn's reply.
    pub(super) fn saw(&mut self, turn: &Turn) {
        let screen = (self.screen.frame().width(), self.screen.frame().height());
        let seen = turn.view.as_ref().filter(|_| self.screen.changes_by_itself());
        let seen = seen.map(|view| match look::size(screen, view.taken.size()) {
            None => Arc::clone(&view.taken.plain),
            Some((width, height)) => Arc::new(self.trail.eye.scale(self.screen.frame(), width, height)),
        });
        let windows = turn.view.as_ref().and_then(|view| view.windows.clone());
        self.trail.lookout.saw(seen, windows);
        if let Some(grounder) = &mut self.grounder {
            grounder.see(self.screen.frame());
        }
    }

    /// Takes this turn's picture again, for a model that gets another size.
    pub(super) fn capture_again(&mut self, turn: &mut Turn) {
        match self.look(turn) {
            Ok(view) => {
                turn.view = Some(view);
                self.tell_of_later_windows(turn);
                self.look_beside(turn);
                self.tell_of_elements(turn);
            }
            Err(error) => {
                turn.view = None;
                turn.line.errors.push(error.to_string());
                self.notice(&format!("no picture: {error}"));
            }
        }
    }

    fn look(&mut self, turn: &mut Turn) -> anyhow::Result<TurnPicture> {
        self.put_masks();
        let performed = turn.performed();
        let ms = &mut turn.line.ms;
        let settings = &self.live.settings;
        let mut clock = Instant::now();
        self.screen.capture()?;
        let elements = elements::seen(&mut self.screen, settings);
        ms.capture = lap(&mut clock);
        let pointer = Pointer {
            previous: turn.pointer,
            ..self.screen.pointer()
        };
        let mut wanted = Wanted::by(settings, &self.idiom, performed, pointer, || self.facts.clock());
        turn.line.clock = Some(&wanted.time).filter(|time| !time.is_empty()).cloned();
        if wanted.marks.elements {
            let places = elements.iter().flat_map(|elements| &elements.list);
            wanted.elements = places.map(|element| element.place).collect();
        }
        if self.screen.change() == Change::Nothing
            && let Some(same) = self.trail.eye.shown.as_ref().filter(|shown| shown.wanted == wanted)
        {
            let (taken, like) = (same.taken.clone(), Some(same.turn));
            return Ok(TurnPicture {
                taken,
                like,
                windows: self.known_windows(),
                elements,
                unmarked: Some(Unmarked::Same),
                beside: Vec::new(),
            });
        }
        // The last shown picture is unknown until this one has been made.
        self.trail.eye.shown = None;
        let plain = self.trail.eye.scale(self.screen.frame(), wanted.width, wanted.height);
        let plain = Arc::new(plain);
        ms.scale = lap(&mut clock);

        let fingerprint = fingerprint(&plain);
        let mut unmarked = Unmarked::Same;
        let mut marked = None;
        if wanted.marks != Marks::default() {
            let mut picture = Frame::clone(&plain);
            self.trail.eye.marker.draw(&mut picture, &wanted.marks, &wanted.scene());
            if picture != *plain {
                unmarked = Unmarked::Encoding(spawn_encoder(Arc::clone(&plain)));
                marked = Some(picture);
            }
        }
        ms.mark = lap(&mut clock);

        let png = Bytes::from(encode(marked.as_ref().unwrap_or(&plain))?);
        ms.encode = lap(&mut clock);
        let taken = TakenPicture {
            sha256: sha256_hex(&png),
            fingerprint,
            png,
            plain,
        };
        if matches!(unmarked, Unmarked::Same) {
            self.trail.eye.shown = Some(Shown {
                turn: turn.line.turn,
                wanted,
                taken: taken.clone(),
            });
        }
        Ok(TurnPicture {
            taken,
            like: None,
            windows: self.known_windows(),
            elements,
            unmarked: Some(unmarked),
            beside: Vec::new(),
        })
    }
}

/// The marks that a picture shows in addition to the screen.
#[derive(PartialEq)]
struct Wanted {
    width: u32,
    height: u32,
    marks: Marks,
    actions: Vec<Action>,
    pointer: Pointer,
    /// The coordinates of the pointer and of its previous position, in the model's units.
    coordinates: [String; 2],
    /// Empty if the time is not shown.
    time: String,
    /// The corners of the elements that are shown with numbers.
    elements: Vec<(Point, Point)>,
}

impl Wanted {
    fn by(
        settings: &Settings,
        idiom: &Idiom,
        actions: Vec<Action>,
        pointer: Pointer,
        now: impl FnOnce() -> String,
    ) -> Wanted {
        let (width, height) = idiom.picture(settings);
        let geometry = idiom.geometry(settings);
        let counts = geometry.space != Space::Unknown;
        let coordinates = |at: Option<Point>| {
            at.filter(|_| counts)
                .map(|at| format!("({})", geometry.pair(at).join(",")))
        };
        let marks = settings.mark_styles();
        Wanted {
            width,
            height,
            time: if marks.timestamp { now() } else { String::new() },
            marks,
            actions,
            elements: Vec::new(),
            coordinates: [pointer.current, pointer.previous].map(|at| coordinates(at).unwrap_or_default()),
            pointer,
        }
    }

    fn scene(&self) -> MarkData<'_> {
        MarkData {
            actions: &self.actions,
            pointer: self.pointer.current,
            previous: self.pointer.previous,
            coordinates: [&self.coordinates[0], &self.coordinates[1]],
            time: &self.time,
            elements: &self.elements,
        }
    }
}

/// The last picture, if it has no marks. It is shown again as long as the screen does not change.
struct Shown {
    turn: u64,
    wanted: Wanted,
    taken: TakenPicture,
}

fn spawn_encoder(frame: Arc<Frame>) -> JoinHandle<Result<Vec<u8>, PngError>> {
    std::thread::spawn(move || encode(&frame))
}

fn lap(clock: &mut Instant) -> franz_record::Millis {
    let passed = clock.elapsed();
    *clock = Instant::now();
    passed.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::Flags;
    use crate::run_location;
    use franz_dialect::Family;

    #[test]
    fn marked_coordinates_are_in_the_models_own_numbers() {
        let settings = run_location::shown(&Flags::of_profile(Some("operator".to_owned()))).unwrap();
        let pointer = Pointer {
            current: Some(Point::clamped(500, 250)),
            previous: None,
        };
        for (family, shown) in [("franz", "(500,250)"), ("showui", "(0.5,0.25)"), ("holo4", "")] {
            let idiom = Idiom {
                family: Family::named(family).unwrap(),
                measured: None,
                screen: (1920, 1080),
                pointer: None,
            };
            let wanted = Wanted::by(&settings, &idiom, Vec::new(), pointer, String::new);
            assert_eq!(wanted.coordinates, [shown, ""]);
        }
    }
}
