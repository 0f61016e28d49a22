//! What the model is shown: the captured frame, scaled, marked and encoded.

use std::thread::JoinHandle;
use std::time::Instant;

use franz_action::{Action, Norm, Point};
use franz_chat::Bytes;
use franz_dialect::Space;
use franz_frame::png::encode;
use franz_frame::{Frame, MarkData, Marker, Marks, PngError, Scaler};
use franz_record::digest::sha256_hex;
use franz_record::{Acted, Event};
use franz_screen::{Change, Pointer};
use jiff::Zoned;

use super::lost_screen::is_lost;
use super::notices::{self, NO_PICTURE, UNCHANGED};
use super::{Agent, Turn};
use crate::config::settings::Settings;
use crate::idiom::Idiom;
use crate::stop::Ending;

/// What turns frames into pictures. Its buffers are kept from turn to turn.
#[derive(Default)]
pub(super) struct Eye {
    scaler: Scaler,
    marker: Marker,
    shown: Option<Shown>,
    /// Whether the screen has been captured.
    has_looked: bool,
}

impl Eye {
    /// Forces the next picture to be made anew, because the screen was captured without being shown.
    pub(super) fn forget(&mut self) {
        self.shown = None;
        self.has_looked = true;
    }

    /// Checks whether the screen has been captured by this process.
    pub(super) fn has_looked(&self) -> bool {
        self.has_looked
    }

    /// Returns a fingerprint of this frame, scaled to a picture of that size.
    pub(super) fn fingerprint(&mut self, frame: &Frame, width: u32, height: u32) -> u32 {
        fingerprint(&self.scaler.scale(frame, width, height))
    }
}

fn fingerprint(unmarked: &Frame) -> u32 {
    crc32fast::hash(unmarked.data())
}

/// The picture of one turn.
pub(super) struct View {
    pub(super) png: Bytes,
    pub(super) sha256: String,
    /// Equal for equal pictures, marks aside.
    pub(super) fingerprint: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// The earlier turn whose picture this repeats.
    pub(super) like: Option<u64>,
    /// `None` once it has been written.
    pub(super) unmarked: Option<Unmarked>,
}

/// The same picture without marks.
pub(super) enum Unmarked {
    /// The picture has no marks.
    Same,
    /// Being encoded while the model thinks.
    Encoding(JoinHandle<Result<Vec<u8>, PngError>>),
}

impl Agent {
    /// Takes the picture for this turn, once the screen is there. Without one, the turn goes on and the model is told.
    pub(super) fn capture(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let looked = loop {
            match self.look(turn) {
                Err(error) if is_lost(&error) => self.reopen_screen(&error)?,
                looked => break looked,
            }
        };
        match looked {
            Ok(view) => {
                self.tell(&Event::Captured {
                    turn: turn.line.turn,
                    width: view.width,
                    height: view.height,
                });
                turn.view = Some(view);
                self.tell_of_change(turn);
            }
            Err(error) => {
                turn.line.feedback = notices::below(&turn.line.feedback, &[NO_PICTURE.to_owned()]);
                turn.line.errors.push(error.to_string());
                self.notice(&format!("no picture: {error}"));
            }
        }
        Ok(())
    }

    /// Takes this turn's picture again, for a model that sees another size.
    pub(super) fn capture_again(&mut self, turn: &mut Turn) {
        match self.look(turn) {
            Ok(view) => turn.view = Some(view),
            Err(error) => {
                turn.view = None;
                turn.line.errors.push(error.to_string());
                self.notice(&format!("no picture: {error}"));
            }
        }
    }

    /// Notes what has changed since the model last looked, and tells the model if its actions changed nothing.
    fn tell_of_change(&mut self, turn: &mut Turn) {
        self.trail.change = self.trail.change.and(self.screen.change());
        let shown_before = self.state.seen == turn.view.as_ref().map(|view| view.fingerprint);
        // An earlier process showed this picture, and the last reply was given for it.
        if self.trail.change == Change::Unknown && shown_before {
            self.trail.change = Change::Nothing;
        }
        turn.line.change = match self.trail.change {
            Change::Unknown => None,
            Change::Nothing | Change::Cursor => Some(franz_record::ScreenChange { area: None }),
            Change::Within(first, last) => Some(franz_record::ScreenChange {
                area: Some([first.x, first.y, last.x, last.y].map(Norm::whole)),
            }),
        };
        let unchanged = turn.line.change.is_some_and(|change| change.area.is_none());
        let acted = performed(&turn.unseen).iter().any(changes_screen);
        if unchanged && acted {
            turn.line.feedback = notices::below(&turn.line.feedback, &[UNCHANGED.to_owned()]);
        }
    }

    fn look(&mut self, turn: &mut Turn) -> anyhow::Result<View> {
        let ms = &mut turn.line.ms;
        let settings = &self.live.settings;
        let mut clock = Instant::now();
        self.screen.capture()?;
        self.trail.eye.has_looked = true;
        if let Some(grounder) = &mut self.grounder {
            grounder.look_away();
        }
        ms.capture = lap(&mut clock);
        let wanted = Wanted::by(settings, &self.idiom, performed(&turn.unseen), self.screen.pointer());
        if self.screen.change() == Change::Nothing
            && let Some(same) = self.trail.eye.shown.as_ref().filter(|shown| shown.wanted == wanted)
        {
            return Ok(same.again());
        }
        // The last shown picture is unknown until this one has been made.
        self.trail.eye.shown = None;
        let mut picture = self
            .trail
            .eye
            .scaler
            .scale(self.screen.frame(), wanted.width, wanted.height);
        ms.scale = lap(&mut clock);

        let fingerprint = fingerprint(&picture);
        let mut unmarked = Unmarked::Same;
        if wanted.marks != Marks::default() {
            let plain = picture.clone();
            self.trail.eye.marker.draw(&mut picture, &wanted.marks, &wanted.scene());
            if picture != plain {
                unmarked = Unmarked::Encoding(spawn_encoder(plain));
            }
        }
        ms.mark = lap(&mut clock);

        let png = Bytes::from(encode(&picture)?);
        ms.encode = lap(&mut clock);
        let view = View {
            sha256: sha256_hex(&png),
            fingerprint,
            png,
            width: picture.width(),
            height: picture.height(),
            like: None,
            unmarked: Some(unmarked),
        };
        if matches!(view.unmarked, Some(Unmarked::Same)) {
            self.trail.eye.shown = Some(Shown::new(turn.line.turn, wanted, &view));
        }
        Ok(view)
    }
}

/// What a picture is to show besides the screen itself.
#[derive(PartialEq)]
struct Wanted {
    width: u32,
    height: u32,
    marks: Marks,
    actions: Vec<Action>,
    pointer: Pointer,
    /// The coordinates of the pointer, and of its previous position, as the model counts them.
    coordinates: [String; 2],
    /// Empty if it is not shown.
    time: String,
}

impl Wanted {
    fn by(settings: &Settings, idiom: &Idiom, actions: Vec<Action>, pointer: Pointer) -> Wanted {
        let (width, height) = idiom.picture(settings);
        let geometry = idiom.geometry(settings);
        let counts = geometry.space != Space::Unknown;
        let coordinates = |at: Option<Point>| {
            at.filter(|_| counts)
                .map(|at| format!("({})", geometry.pair(at).join(",")))
        };
        let marks = settings.mark_styles();
        let now = || Zoned::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
        Wanted {
            width,
            height,
            time: if marks.timestamp { now() } else { String::new() },
            marks,
            actions,
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
        }
    }
}

/// The last picture, if it has no marks; it is shown again as long as the screen stays as it is.
struct Shown {
    turn: u64,
    wanted: Wanted,
    width: u32,
    height: u32,
    png: Bytes,
    sha256: String,
    fingerprint: u32,
}

impl Shown {
    fn new(turn: u64, wanted: Wanted, view: &View) -> Shown {
        Shown {
            turn,
            wanted,
            width: view.width,
            height: view.height,
            png: view.png.clone(),
            sha256: view.sha256.clone(),
            fingerprint: view.fingerprint,
        }
    }

    fn again(&self) -> View {
        View {
            png: self.png.clone(),
            sha256: self.sha256.clone(),
            fingerprint: self.fingerprint,
            width: self.width,
            height: self.height,
            like: Some(self.turn),
            unmarked: Some(Unmarked::Same),
        }
    }
}

fn spawn_encoder(frame: Frame) -> JoinHandle<Result<Vec<u8>, PngError>> {
    std::thread::spawn(move || encode(&frame))
}

/// Returns the actions to draw marks for: those that were performed.
fn performed(acted: &[Acted]) -> Vec<Action> {
    acted.iter().filter_map(Acted::performed).collect()
}

/// Checks whether an action is meant to change what is seen.
fn changes_screen(action: &Action) -> bool {
    !matches!(
        action,
        Action::Move(_)
            | Action::ReadClipboard
            | Action::WriteClipboard(_)
            | Action::Wait(_)
            | Action::Screenshot
            | Action::Observe
    )
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
            let wanted = Wanted::by(&settings, &idiom, Vec::new(), pointer);
            assert_eq!(wanted.coordinates, [shown, ""]);
        }
    }
}
