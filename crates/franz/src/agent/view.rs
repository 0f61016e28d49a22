//! What the model is shown: the captured frame, scaled, marked and encoded.

use std::thread::JoinHandle;
use std::time::Instant;

use franz_action::{Action, Norm};
use franz_chat::Bytes;
use franz_frame::png::encode;
use franz_frame::{Frame, Marker, Marks, PngError, Scaler, Scene};
use franz_record::digest::sha256_hex;
use franz_record::{Acted, Event, Outcome};
use franz_screen::Change;
use jiff::Zoned;

use super::notices::{self, NO_PICTURE, UNCHANGED};
use super::{Agent, Turn};

/// What turns frames into pictures; its buffers are kept from turn to turn.
#[derive(Default)]
pub(super) struct Eye {
    scaler: Scaler,
    marker: Marker,
    /// The last picture, when it had no marks: it is the next one, too, while the screen stays the same.
    last: Option<Shot>,
}

/// A picture without marks, encoded.
#[derive(Clone)]
struct Shot {
    /// The size that was asked for.
    asked: (u32, u32),
    /// The size that it has.
    size: (u32, u32),
    png: Bytes,
    sha256: String,
    fingerprint: u32,
}

impl Eye {
    /// What tells this frame, scaled to a picture of that size, from others.
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
    /// `None` once it is written.
    pub(super) unmarked: Option<Unmarked>,
}

/// The same picture without marks.
pub(super) enum Unmarked {
    /// There are no marks on it.
    Same,
    /// Being encoded while the model thinks.
    Encoding(JoinHandle<Result<Vec<u8>, PngError>>),
}

impl Agent {
    /// Takes the picture for this turn. A turn goes on without one, and the model is told.
    pub(super) fn capture(&mut self, turn: &mut Turn) {
        match self.look(turn) {
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
    }

    /// What has changed since the model last looked is kept, and told where nothing has although something was done.
    fn tell_of_change(&mut self, turn: &mut Turn) {
        self.change = self.change.and(self.screen.change());
        let shown_before = self.state.seen == turn.view.as_ref().map(|view| view.fingerprint);
        // An earlier process showed the same picture, for which the last reply was given.
        if self.change == Change::Unknown && shown_before {
            self.change = Change::Nothing;
        }
        turn.line.change = match self.change {
            Change::Unknown => None,
            Change::Nothing | Change::Cursor => Some(franz_record::Change { area: None }),
            Change::Within(first, last) => Some(franz_record::Change {
                area: Some([first.x, first.y, last.x, last.y].map(Norm::get)),
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
        let asked = (settings.image.width, settings.image.height);
        let marks = settings.mark_styles();
        let marked = marks != Marks::default();
        let pointer = self.screen.pointer();
        let last = self.eye.last.take();

        let mut clock = Instant::now();
        self.screen.capture()?;
        ms.capture = lap(&mut clock);
        let is_same = self.change.and(self.screen.change()) == Change::Nothing;
        if let Some(shot) = last.filter(|shot| is_same && !marked && shot.asked == asked) {
            self.eye.last = Some(shot.clone());
            return Ok(shot.into());
        }
        let mut picture = self.eye.scaler.scale(self.screen.frame(), asked.0, asked.1);
        ms.scale = lap(&mut clock);

        let fingerprint = fingerprint(&picture);
        let actions = performed(&turn.unseen);
        let time = Zoned::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
        let plain = marked.then(|| picture.clone());
        if marked {
            let scene = Scene {
                actions: &actions,
                pointer: pointer.current,
                previous: pointer.previous,
                time: &time,
            };
            self.eye.marker.draw(&mut picture, &marks, &scene);
        }
        ms.mark = lap(&mut clock);

        let png = Bytes::from(encode(&picture)?);
        ms.encode = lap(&mut clock);
        let shot = Shot {
            asked,
            size: (picture.width(), picture.height()),
            sha256: sha256_hex(&png),
            fingerprint,
            png,
        };
        self.eye.last = (!marked).then(|| shot.clone());
        let mut view = View::from(shot);
        if let Some(plain) = plain {
            view.unmarked = Some(Unmarked::Encoding(spawn_encoder(plain)));
        }
        Ok(view)
    }
}

impl From<Shot> for View {
    fn from(shot: Shot) -> View {
        View {
            png: shot.png,
            sha256: shot.sha256,
            fingerprint: shot.fingerprint,
            width: shot.size.0,
            height: shot.size.1,
            unmarked: Some(Unmarked::Same),
        }
    }
}

fn spawn_encoder(frame: Frame) -> JoinHandle<Result<Vec<u8>, PngError>> {
    std::thread::spawn(move || encode(&frame))
}

/// The actions that marks are drawn for: those that were performed.
fn performed(acted: &[Acted]) -> Vec<Action> {
    let done = acted.iter().filter(|acted| acted.outcome == Outcome::Done);
    done.filter_map(|acted| acted.action.parse().ok()).collect()
}

/// Whether an action is meant to change what is seen.
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
