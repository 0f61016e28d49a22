//! Uses a real desktop as a screen: captures it, and turns actions into mouse and keyboard events.

pub(crate) mod agent_lock;
mod cursor;
mod display;
#[cfg(all(fuzzing, unix, not(target_os = "macos")))]
pub mod fuzzing;
mod gesture;
mod hands;
mod hold;
mod pace;
mod part;
pub(crate) mod pasting;
#[cfg(all(unix, not(target_os = "macos")))]
mod portal;
mod reach;
mod target;
mod travel;
#[cfg(all(unix, not(target_os = "macos")))]
mod wayland;
#[cfg(windows)]
mod windows;
#[cfg(all(unix, not(target_os = "macos")))]
mod x11;

use std::io;
use std::time::{Duration, Instant};

use franz_action::{Action, Held, Holding, Outcome, Point, Typing};
use franz_frame::{Area, Frame, look};

pub use cursor::CursorImage;
pub use display::{Display, DisplayError, GestureWatch, IsOver, Monitor, Press};
pub use franz_action::Button;
pub use gesture::{Gesture, Input};
pub use hold::{Hold, NoHold, release, release_known};
pub use pace::Pace;
pub use target::{Target, open, open_until};

#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) use wayland::count_windows;
#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) use x11::{Address, managed, open_at, wait_for, windows};

use crate::elements::{ElementSource, ScreenElements};
use crate::interrupt::{Interrupt, wait};
use crate::screen::{ActionId, CaptureError, Change, NOT_FOUND, NOT_MINE, Pointer, Screen, ScreenError};
use crate::stacking::Stacking;
use crate::window::{ScreenWindow, Window, WindowId};
use cursor::DrawnCursor;
use gesture::{Corners, Gestures};
use hands::Hands;
use part::{black, part};
use reach::{Reach, Unfinished};
use travel::Travel;

/// Which part of a desktop to use, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct DesktopOptions {
    /// The monitor, by its number from 1 or its name; `None` means all of them together.
    pub monitor: Option<String>,
    /// The part of the monitor or desktop to use, in pixels.
    pub region: Option<Area>,
    /// Whether the picture includes the mouse cursor.
    pub cursor: bool,
    /// How fast to send input.
    pub pace: Pace,
}

/// Which mouse cursor a captured picture shows.
#[derive(Clone, Copy)]
enum DrawnPointer {
    /// The current one.
    Now,
    /// The one in the previous picture.
    AsBefore,
}

const POINTER_OUTSIDE: &str = "the pointer is outside the part of the screen that you see; give a place";
const KEYS_ANYWHERE: &str = "it is not known which window would get the keys; try again";
const KEYS_OUTSIDE: &str =
    "the keys would go to a window outside the part of the screen that you see; click a window in the picture first";

/// A desktop used as a screen.
pub struct Desktop {
    display: Box<dyn Display>,
    options: DesktopOptions,
    /// The part of the desktop in use.
    seen: Area,
    frame: Frame,
    cursor: DrawnCursor,
    change: Change,
    /// Whether the frame holds a picture to compare the next one with.
    compared: bool,
    hands: Hands,
    pointer: Pointer,
    /// Where the pointer was last moved to, for a display that cannot report it.
    moved_to: Option<(i32, i32)>,
    /// The movement that an approach has begun.
    under_way: Option<Travel>,
    elements: Option<Box<dyn ElementSource>>,
    corners: Corners,
}

impl Desktop {
    /// Creates a screen from an open desktop, or from one made by a test.
    pub fn new(mut display: Box<dyn Display>, options: DesktopOptions) -> Result<Desktop, ScreenError> {
        let seen = part(&display.monitors()?, &options)?;
        Ok(Desktop {
            frame: black(seen)?,
            cursor: DrawnCursor::default(),
            change: Change::Unknown,
            compared: false,
            hands: Hands::new(),
            pointer: Pointer::default(),
            moved_to: None,
            under_way: None,
            elements: None,
            corners: Corners::default(),
            display,
            options,
            seen,
        })
    }

    /// Describes the part in use, in words for people.
    pub fn name(&self) -> String {
        format!("{}, {}", self.display.name(), self.seen)
    }

    /// Reports the user's gestures until the watch is dropped. Returns `None` if this desktop cannot tell the user's
    /// input from that of programs.
    pub fn watch(
        &mut self,
        mut tell: impl FnMut(Gesture) + Send + 'static,
    ) -> Result<Option<GestureWatch>, ScreenError> {
        self.monitors()?;
        let mut gestures = Gestures::on(self.corners.clone());
        let see = move |input| {
            if let Some(gesture) = gestures.see(input, Instant::now()) {
                tell(gesture);
            }
        };
        Ok(self.display.watch(Box::new(see))?)
    }

    /// From now on, reports the keys and buttons that might be down: before each press, and again once all are
    /// released. If a report fails, nothing that it announces is pressed.
    pub fn tell_holds(&mut self, tell: impl FnMut(&[Hold]) -> io::Result<()> + Send + 'static) {
        self.hands.tell = Some(Box::new(tell));
    }

    /// From now on, reports the elements of programs that this source reads.
    pub fn tell_elements(&mut self, source: impl ElementSource + 'static) {
        self.elements = Some(Box::new(source));
    }

    /// Looks up again which part of the desktop to use, since resolutions change and monitors come and go. Returns
    /// whether it changed.
    fn look_up_part(&mut self) -> Result<bool, DisplayError> {
        let seen = part(&self.monitors()?, &self.options)?;
        let other = seen != self.seen;
        if other {
            self.frame = black(seen)?;
            self.cursor = DrawnCursor::default();
            self.seen = seen;
        }
        Ok(other)
    }

    /// Returns the monitors, whose corners then stop a run.
    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        let monitors = self.display.monitors()?;
        self.corners.set(monitors.iter().map(|monitor| monitor.area));
        Ok(monitors)
    }

    fn update(&mut self, pointer: DrawnPointer) -> Result<(), DisplayError> {
        let fresh = self.look_up_part()? || !self.compared;
        self.compared = false;
        self.cursor.lift(&mut self.frame);
        let changed = self.display.capture(self.seen, &mut self.frame);
        if changed.is_err() {
            self.change = Change::Unknown;
        }
        let changed = changed?;
        let moved = match pointer {
            DrawnPointer::AsBefore => {
                self.cursor.draw_again(self.seen, &mut self.frame);
                false
            }
            DrawnPointer::Now => self.draw_cursor()?,
        };
        self.change = match changed {
            _ if fresh => Change::Unknown,
            Some(part) => Change::within(Area::whole(self.seen.width, self.seen.height), part),
            None if moved => Change::Cursor,
            None => Change::Nothing,
        };
        self.compared = true;
        Ok(())
    }

    /// Draws the mouse cursor at its current position; returns whether it has changed or moved.
    fn draw_cursor(&mut self) -> Result<bool, DisplayError> {
        let cursor = if self.options.cursor {
            self.display.cursor()?
        } else {
            None
        };
        if let Some((x, y)) = self.display.pointer()?.or(self.moved_to) {
            // It can be outside the part that the model sees.
            self.pointer.current = self.seen.contains(x, y).then(|| self.seen.point(x, y));
        }
        Ok(self.cursor.draw(cursor, self.seen, &mut self.frame))
    }

    fn capture_with(&mut self, pointer: DrawnPointer) -> Result<&Frame, CaptureError> {
        // The resolution can change between the lookup and the capture.
        match self.update(pointer).or_else(|_| self.update(pointer)) {
            Ok(()) => Ok(&self.frame),
            Err(error) => Err(CaptureError { source: error.into() }),
        }
    }

    /// Performs an action. A refusal by the display is an outcome like any other, because the model might find another
    /// way.
    fn perform_at(&mut self, pace: Option<Pace>, action: &Action, interrupt: &dyn Interrupt) -> Outcome {
        if interrupt.is_set() {
            return Outcome::Interrupted;
        }
        let acted = self.act(action, pace, interrupt);
        let in_the_way = matches!(acted, Err(Unfinished::InTheWay(_)));
        // After an error or an interruption, also release the keys and buttons that earlier actions keep down.
        let released = if acted.is_ok() || in_the_way {
            self.hands.let_go(&mut *self.display)
        } else {
            self.hands.let_go_of_all(&mut *self.display).map(drop)
        };
        let outcome = match (acted, released) {
            (Ok(outcome), _) => outcome,
            (Err(Unfinished::Interrupted), _) => Outcome::Interrupted,
            (Err(Unfinished::InTheWay(why)), _) => Outcome::NotApplied(why),
            // Once the run is over, FRANZ stops waiting for the display, so a lost display means an interruption.
            (Err(Unfinished::Failed(error)), _) if error.is_lost() && interrupt.is_set() => Outcome::Interrupted,
            (Err(Unfinished::Failed(error)), _) => Outcome::NotApplied(error.to_string()),
        };
        if let Some(at) = action.pointer().filter(|_| outcome.is_done()) {
            self.pointer.move_to(at);
        }
        outcome
    }

    /// Checks whether the person chose a monitor or a region.
    fn is_narrowed(&self) -> bool {
        self.options.monitor.is_some() || self.options.region.is_some()
    }

    /// Returns why an action without a place would act outside the part of the desktop that the person chose, if it
    /// would.
    fn refuses_outside(&mut self, action: &Action) -> Result<Option<&'static str>, DisplayError> {
        match action {
            Action::MouseDown(_, None)
            | Action::Scroll { at: None, .. }
            | Action::Hold(Holding {
                what: Held::Button(_),
                at: None,
                ..
            }) => {
                let pointer = self.display.pointer()?;
                let is_outside = pointer.is_some_and(|(x, y)| !self.seen.contains(x, y));
                Ok(is_outside.then_some(POINTER_OUTSIDE))
            }
            Action::Press(_)
            | Action::Hold(Holding {
                what: Held::Keys(_), ..
            })
            | Action::Type(Typing { at: None, .. }) => {
                let windows = match self.display.windows() {
                    Ok(windows) => windows.unwrap_or_default(),
                    Err(error) if error.is_lost() => return Err(error),
                    Err(_) => return Ok(Some(KEYS_ANYWHERE)),
                };
                let is_outside = |place: Area| place.intersection(&self.seen).is_none();
                let mut active = windows.iter().filter(|window| window.is_active);
                let is_outside = active.any(|window| window.place.is_some_and(is_outside));
                Ok((is_outside && !self.shows_menu(&windows)).then_some(KEYS_OUTSIDE))
            }
            _ => Ok(None),
        }
    }

    /// Checks whether a menu, a launcher or the like is on top in the chosen part. It then has the keyboard, although it
    /// is no window.
    fn shows_menu(&mut self, windows: &[Window]) -> bool {
        let layers = self.display.layers(windows).ok().flatten().unwrap_or_default();
        let mut above = layers.iter().take_while(|layer| layer.window.is_none());
        above.any(|layer| layer.area.intersection(&self.seen).is_some())
    }

    fn act(&mut self, action: &Action, pace: Option<Pace>, interrupt: &dyn Interrupt) -> Result<Outcome, Unfinished> {
        if pace.is_some()
            && self.is_narrowed()
            && let Some(why) = self.refuses_outside(action)?
        {
            return Ok(Outcome::NotApplied(why.to_owned()));
        }
        let seen = self.seen;
        let reach = &mut Reach {
            display: &mut *self.display,
            pace,
            interrupt,
            moved_to: &mut self.moved_to,
            under_way: &mut self.under_way,
        };
        let hands = &mut self.hands;
        match action {
            Action::Click(click) => {
                let at = seen.pixel(click.at);
                hands.click(reach, at, (click.button, click.count), &click.modifiers)?;
            }
            Action::Drag(path) => {
                let way: Vec<_> = path.points().iter().map(|at| seen.pixel(*at)).collect();
                hands.drag(reach, &way)?;
            }
            Action::Move(at) => hands.move_to(reach, seen.pixel(*at))?,
            Action::MouseDown(button, at) => hands.press_button(reach, *button, at.map(|at| seen.pixel(at)))?,
            Action::MouseUp(button, at) => hands.release_button(reach, *button, at.map(|at| seen.pixel(at)))?,
            Action::Scroll { dy, dx, at } => {
                if let Some(at) = at {
                    hands.move_to(reach, seen.pixel(*at))?;
                }
                reach.scroll(*dx, *dy)?;
            }
            Action::Press(keys) => hands.press(reach, keys)?,
            Action::Hold(Holding { what, seconds, at }) => {
                let seconds = Duration::try_from_secs_f64(*seconds).unwrap_or_default();
                hands.hold_for(reach, what, seconds, at.map(|at| seen.pixel(at)))?;
            }
            Action::Type(typing) => {
                let lacking = reach.display.lacks(&typing.text)?;
                if !lacking.is_empty() {
                    return Ok(Outcome::NotApplied(cannot_type(&lacking)));
                }
                let (typed, done) = hands.type_into(reach, typing, typing.at.map(|at| seen.pixel(at)));
                match done {
                    Err(Unfinished::Failed(error)) if !error.is_lost() || !interrupt.is_set() => {
                        return Ok(Outcome::NotApplied(format!("{typed} characters were typed; {error}")));
                    }
                    done => done?,
                }
            }
            Action::ReadClipboard => return Ok(read(reach.display.clipboard()?)),
            Action::WriteClipboard(text) => reach.display.set_clipboard(text)?,
            Action::Wait(seconds) => return Ok(wait(*seconds, interrupt)),
            Action::Screenshot => return Ok(Outcome::IGNORED),
            Action::Observe => {}
            Action::Aimed(..) => return Ok(Outcome::NotApplied(NOT_FOUND.to_owned())),
            Action::Watch(_)
            | Action::Zoom(..)
            | Action::Windows
            | Action::Focus(_)
            | Action::Open(_)
            | Action::Ask(_) => {
                return Ok(Outcome::NotApplied(NOT_MINE.to_owned()));
            }
        }
        Ok(Outcome::DONE)
    }
}

impl Screen for Desktop {
    fn size(&self) -> (u32, u32) {
        (self.seen.width, self.seen.height)
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        self.capture_with(DrawnPointer::Now)
    }

    fn look(&mut self) -> Result<&Frame, CaptureError> {
        self.capture_with(DrawnPointer::AsBefore)
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn change(&self) -> Change {
        self.change
    }

    fn approach(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Option<Point> {
        let target = action.targets().first().filter(|_| !self.hands.hold_something())?;
        let at = self.seen.pixel(*target);
        let reach = &mut Reach {
            display: &mut *self.display,
            pace: Some(self.options.pace),
            interrupt,
            moved_to: &mut self.moved_to,
            under_way: &mut self.under_way,
        };
        // An error or an interruption ends the action itself, too.
        let (x, y) = reach.approach(at, look::neighbourhood(at, self.seen.height)).ok()??;
        Some(self.seen.point(x, y))
    }

    fn perform(&mut self, _: ActionId, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        Ok(self.perform_at(Some(self.options.pace), action, interrupt))
    }

    fn pass_on(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        Ok(self.perform_at(None, action, interrupt))
    }

    fn pointer(&self) -> Pointer {
        self.pointer
    }

    fn windows(&mut self) -> Result<Option<Vec<ScreenWindow>>, ScreenError> {
        let windows = self.display.windows()?;
        let is_narrowed = self.is_narrowed();
        // The titles of windows outside the part that the person chose stay private.
        let is_told = |window: &ScreenWindow| !is_narrowed || window.place.is_some();
        let seen = |window: Window| window.seen_in(self.seen);
        Ok(windows.map(|windows| windows.into_iter().map(seen).filter(is_told).collect()))
    }

    fn stacking(&mut self) -> Result<Option<Stacking>, ScreenError> {
        let Some(windows) = self.display.windows()? else {
            return Ok(None);
        };
        let layers = self.display.layers(&windows)?;
        Ok(Some(Stacking { windows, layers }.seen_from(self.seen)))
    }

    fn elements(&mut self) -> Result<Option<ScreenElements>, ScreenError> {
        let Some(source) = &mut self.elements else {
            return Ok(None);
        };
        let windows = self.display.windows()?.unwrap_or_default();
        let Some(layers) = self.display.layers(&windows)? else {
            return Ok(None);
        };
        Ok(Some(source.read(&layers, self.seen).seen_in(self.seen)))
    }

    fn let_go(&mut self) -> Result<Vec<String>, ScreenError> {
        if !self.hands.hold_something() {
            return Ok(Vec::new());
        }
        self.hands.ends_drag();
        let kept = self.hands.let_go_of_all(&mut *self.display)?;
        Ok(kept.iter().map(|button| format!("the {button} button")).collect())
    }

    fn clipboard_length(&mut self) -> Option<usize> {
        let text = self.display.clipboard().ok()??;
        Some(text.chars().count())
    }

    fn clipboard_owner(&mut self) -> Result<Option<Vec<String>>, ScreenError> {
        Ok(self.display.clipboard_owner()?)
    }

    fn focus(&mut self, window: WindowId) -> Result<bool, ScreenError> {
        Ok(self.display.focus(window)?)
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        Ok(self.hands.let_go_of_all(&mut *self.display).map(drop)?)
    }
}

impl From<DisplayError> for ScreenError {
    fn from(error: DisplayError) -> ScreenError {
        ScreenError(Box::new(error))
    }
}

/// Releases everything, even after a panic during an action.
impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = self.hands.let_go_of_all(&mut *self.display);
    }
}

/// Returns the outcome of reading the clipboard.
fn read(clipboard: Option<String>) -> Outcome {
    match clipboard {
        Some(text) => Outcome::read(&text),
        None => Outcome::Done(Some("there is no text on the clipboard".to_owned())),
    }
}

/// Explains why text cannot be typed, naming the first ten missing characters.
fn cannot_type(lacking: &[char]) -> String {
    let name = |character: &char| {
        if character.is_control() {
            format!("U+{:04X}", u32::from(*character))
        } else {
            character.to_string()
        }
    };
    let names: Vec<_> = lacking.iter().take(10).map(name).collect();
    let more = if lacking.len() > names.len() { " and more" } else { "" };
    format!(
        "nothing was typed: the keyboard cannot type {}{more}; leave that out",
        names.join(" ")
    )
}

#[cfg(test)]
mod tests;
