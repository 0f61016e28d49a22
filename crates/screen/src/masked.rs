//! Withholds parts of a screen that a person has masked: wraps any screen, and never lets the masked pixels out.

mod cover;
mod glob;
mod mask;
mod paint;
mod recent;
mod sight;

use std::time::Instant;

use franz_action::{Action, Button, Held, Holding, Outcome, Point};
use franz_frame::{Area, Frame};

use crate::elements::ScreenElements;
use crate::interrupt::Interrupt;
use crate::screen::{ActionId, ActionJournal, CaptureError, Change, Pointer, Screen, ScreenError};
use crate::stacking::Stacking;
use crate::window::ScreenWindow;
use crate::window::WindowId;
use paint::Painter;
use recent::Recent;
use sight::Sight;

pub use glob::Glob;
pub use mask::{Mask, MaskTarget};

/// The name of a masked window.
pub const MASKED: &str = "(masked)";

/// Why an action at a masked place is refused.
const PLACE: &str = "the person has masked that place, so you may not act there; act elsewhere";

/// Why typing is refused.
const FRONT: &str = "the person has masked a window in front, which would receive the keys; click another window first";

/// Why reading the clipboard is refused.
const CLIPBOARD: &str = "the person has masked the clipboard, so you may not read it";

/// Why bringing a window to the front is refused.
const WINDOW: &str = "the person has masked that window, so you may not use it; use another one";

/// The furthest that rounding to thousandths can move the edges of a change, as a share of the screen and in pixels.
const ROUNDED: (u32, u32) = (1000, 1);

/// A screen with masks. Without masks, it passes everything on.
pub struct Masked {
    inner: Box<dyn Screen>,
    masks: Vec<Mask>,
    /// `None` if there are no masks.
    picture: Option<MaskedPicture>,
    recent: Recent,
    painter: Painter,
    /// The buttons that are down, so that the pointer drags.
    down: Vec<Button>,
}

/// The last picture, masked.
struct MaskedPicture {
    frame: Frame,
    sight: Sight,
    change: Change,
    /// Whether the next picture can be compared with this one.
    is_compared: bool,
}

/// How to capture.
#[derive(Clone, Copy)]
enum Take {
    Capture,
    Look,
}

impl Masked {
    /// Wraps a screen in masks.
    pub fn new(inner: Box<dyn Screen>, masks: Vec<Mask>) -> Masked {
        let mut masked = Masked {
            inner,
            masks: Vec::new(),
            picture: None,
            recent: Recent::default(),
            painter: Painter::default(),
            down: Vec::new(),
        };
        masked.set_masks(masks);
        masked
    }

    /// Replaces the masks, and applies them to the last picture immediately. Returns whether they differ from those
    /// before.
    pub fn set_masks(&mut self, masks: Vec<Mask>) -> bool {
        if masks == self.masks {
            return false;
        }
        self.masks = masks;
        let before = self.picture.take().map(|picture| picture.sight).unwrap_or_default();
        self.recent = Recent::default();
        if self.masks.is_empty() {
            return true;
        }
        self.note_sight();
        // The last picture shows windows where they were when it was taken.
        let sight = before.and(&self.recent.all());
        let mut frame = self.inner.frame().clone();
        self.painter.paint(&mut frame, &sight.cover);
        self.picture = Some(MaskedPicture {
            frame,
            sight,
            change: Change::Unknown,
            is_compared: false,
        });
        true
    }

    /// Returns the screen without its masks, for the person to see and act on.
    pub fn unmasked(&mut self) -> &mut dyn Screen {
        self.forget();
        &mut *self.inner
    }

    /// Returns whether the whole screen has one colour, apart from masks.
    pub fn is_plain(&self) -> bool {
        self.inner.frame().is_plain()
    }

    /// Explains why a window cannot be brought to the front; returns `None` if it is not masked.
    pub fn refuses_window(&mut self, window: WindowId) -> Option<&'static str> {
        let is_masked = !self.masks.is_empty() && self.full_sight().withholds(window);
        is_masked.then_some(WINDOW)
    }

    /// Returns whether masks name windows although this screen knows no windows, so that all of it is masked.
    pub fn is_blind(&mut self) -> bool {
        self.masks.iter().any(Mask::is_for_windows) && self.stacking().is_none()
    }

    fn whole(&self) -> Area {
        let (width, height) = self.inner.size();
        Area::whole(width, height)
    }

    fn stacking(&mut self) -> Option<Stacking> {
        // A failure is treated like a screen that does not know its windows.
        self.inner.stacking().ok().flatten()
    }

    /// Returns the parts and windows to withhold from a picture taken now.
    fn sight(&mut self) -> Sight {
        let needs_windows = self.masks.iter().any(Mask::is_for_windows);
        let stacking = needs_windows.then(|| self.stacking()).flatten();
        Sight::of(&self.masks, self.whole(), stacking.as_ref())
    }

    /// Returns the parts and windows withheld now, including the windows under masked areas, and those withheld when
    /// the last picture was taken.
    fn full_sight(&mut self) -> Sight {
        let stacking = self.stacking();
        let now = Sight::of(&self.masks, self.whole(), stacking.as_ref());
        let is_in_front = now.is_in_front;
        let before = self
            .picture
            .as_ref()
            .map(|picture| picture.sight.clone())
            .unwrap_or_default();
        Sight {
            is_in_front,
            ..before.and(&now)
        }
    }

    fn take(&mut self, how: Take) -> Result<&Frame, CaptureError> {
        if self.masks.is_empty() {
            return how.of(&mut *self.inner);
        }
        // A window can move while the picture is being taken.
        self.note_sight();
        if let Err(error) = how.of(&mut *self.inner) {
            self.forget();
            return Err(error);
        }
        self.note_sight();
        Ok(self.cover())
    }

    /// Records the parts and windows to withhold from a picture taken now.
    fn note_sight(&mut self) {
        let sight = self.sight();
        self.recent.note(Instant::now(), sight);
    }

    /// Records that the next picture cannot be compared with the last one.
    fn forget(&mut self) {
        if let Some(picture) = &mut self.picture {
            (picture.change, picture.is_compared) = (Change::Unknown, false);
        }
    }

    /// Masks the captured picture, and determines what has changed in it.
    fn cover(&mut self) -> &Frame {
        let (frame, change, sight) = (self.inner.frame(), self.inner.change(), self.recent.all());
        let picture = self.picture.get_or_insert_with(|| MaskedPicture {
            frame: frame.clone(),
            sight: Sight::default(),
            change: Change::Unknown,
            is_compared: false,
        });
        let is_same = sight == picture.sight;
        if is_same && picture.is_compared && change == Change::Nothing {
            picture.change = Change::Nothing;
            return &picture.frame;
        }
        let mut next = frame.clone();
        self.painter.paint(&mut next, &sight.cover);
        picture.sight = sight;
        picture.change = if picture.is_compared && is_alike(&picture.frame, &next) {
            adopt(
                &mut picture.frame,
                &next,
                if is_same { change } else { Change::Unknown },
            )
        } else {
            picture.frame = next;
            Change::Unknown
        };
        picture.is_compared = true;
        &picture.frame
    }

    /// Explains why an action is refused; returns `None` if it is allowed.
    pub fn refuses(&mut self, action: &Action) -> Option<&'static str> {
        let is_to_be_asked = !matches!(
            action,
            Action::Wait(_) | Action::Screenshot | Action::Observe | Action::WriteClipboard(_)
        );
        if self.masks.is_empty() || !is_to_be_asked {
            return None;
        }
        let sight = self.full_sight();
        if *action == Action::ReadClipboard {
            return self.withholds_clipboard(&sight).then_some(CLIPBOARD);
        }
        if self.touches(action, &sight) {
            return Some(PLACE);
        }
        (sight.is_in_front && sends_keys(action)).then_some(FRONT)
    }

    /// Returns whether an action reaches a masked place.
    fn touches(&self, action: &Action, sight: &Sight) -> bool {
        let whole = self.whole();
        let places: Vec<_> = action.places().iter().map(|at| whole.pixel(*at)).collect();
        let pointer = self.inner.pointer().current.map(|at| whole.pixel(at));
        let is_hidden = |at: &(i32, i32)| sight.cover.hides(*at);
        let drags = !self.down.is_empty();
        let is_pulled = drags || matches!(action, Action::Drag(_));
        let from = pointer.filter(|_| drags);
        let way: Vec<_> = from.into_iter().chain(places.iter().copied()).collect();
        let crosses = |ends: &[(i32, i32)]| sight.cover.crosses(ends[0], ends[1]);
        places.iter().any(is_hidden)
            || (places.is_empty() && acts_at_pointer(action) && pointer.as_ref().is_some_and(is_hidden))
            || (is_pulled && way.windows(2).any(crosses))
    }

    fn withholds_clipboard(&mut self, sight: &Sight) -> bool {
        let is_masked = |names: Vec<String>| self.masks.iter().any(|mask| mask.is_of(names.iter()));
        sight.is_in_front
            || match self.inner.clipboard_owner() {
                Ok(owner) => owner.is_some_and(is_masked),
                Err(_) => self.masks.iter().any(Mask::is_for_windows),
            }
    }
}

impl Take {
    fn of(self, screen: &mut dyn Screen) -> Result<&Frame, CaptureError> {
        match self {
            Take::Capture => screen.capture(),
            Take::Look => screen.look(),
        }
    }
}

impl Screen for Masked {
    fn size(&self) -> (u32, u32) {
        self.inner.size()
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        self.take(Take::Capture)
    }

    fn look(&mut self) -> Result<&Frame, CaptureError> {
        self.take(Take::Look)
    }

    fn changes_by_itself(&self) -> bool {
        self.inner.changes_by_itself()
    }

    fn frame(&self) -> &Frame {
        match &self.picture {
            Some(picture) => &picture.frame,
            None => self.inner.frame(),
        }
    }

    /// Returns the change. A change entirely under a mask is reported as none.
    fn change(&self) -> Change {
        match &self.picture {
            Some(picture) => picture.change,
            None => self.inner.change(),
        }
    }

    fn approach(&mut self, action: &Action, interrupt: &dyn Interrupt) -> Option<Point> {
        if self.refuses(action).is_some() {
            return None;
        }
        self.inner.approach(action, interrupt)
    }

    fn perform(&mut self, at: ActionId, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        if let Some(why) = self.refuses(action) {
            return Ok(Outcome::Blocked(Some(why.to_owned())));
        }
        let outcome = self.inner.perform(at, action, interrupt)?;
        // The clipboard's owner might have changed in the meantime.
        if let Some(why) = self.refuses(action).filter(|_| *action == Action::ReadClipboard) {
            return Ok(Outcome::Blocked(Some(why.to_owned())));
        }
        match action {
            _ if outcome == Outcome::Interrupted => self.down.clear(),
            Action::MouseDown(button, _) if outcome.is_done() => self.down.push(*button),
            // The screen has released all buttons if it says that this one is not down.
            Action::MouseUp(button, _) => self.down.retain(|down| down != button),
            _ => {}
        }
        Ok(outcome)
    }

    fn let_go(&mut self) -> Result<Vec<String>, ScreenError> {
        self.down.clear();
        self.inner.let_go()
    }

    fn pointer(&self) -> Pointer {
        self.inner.pointer()
    }

    fn windows(&mut self) -> Result<Option<Vec<ScreenWindow>>, ScreenError> {
        let mut windows = self.inner.windows()?;
        if !self.masks.is_empty() {
            let sight = self.full_sight();
            for window in windows.iter_mut().flatten().filter(|window| sight.withholds(window.id)) {
                MASKED.clone_into(&mut window.title);
                window.class.clear();
            }
        }
        Ok(windows)
    }

    fn stacking(&mut self) -> Result<Option<Stacking>, ScreenError> {
        self.inner.stacking()
    }

    fn elements(&mut self) -> Result<Option<ScreenElements>, ScreenError> {
        if self.masks.is_empty() {
            return self.inner.elements();
        }
        let before = self.full_sight();
        let mut elements = self.inner.elements()?;
        let sight = before.and(&self.full_sight());
        let whole = self.whole();
        if let Some(elements) = &mut elements {
            elements
                .list
                .retain(|element| !sight.cover.touches(between(whole, element.place)));
            elements.silent.retain(|window| !sight.withholds(*window));
        }
        Ok(elements)
    }

    fn clipboard_length(&mut self) -> Option<usize> {
        if !self.masks.is_empty() {
            let sight = self.full_sight();
            if self.withholds_clipboard(&sight) {
                return None;
            }
        }
        self.inner.clipboard_length()
    }

    fn clipboard_owner(&mut self) -> Result<Option<Vec<String>>, ScreenError> {
        self.inner.clipboard_owner()
    }

    fn focus(&mut self, window: WindowId) -> Result<bool, ScreenError> {
        match self.refuses_window(window) {
            Some(why) => Err(ScreenError(why.into())),
            None => self.inner.focus(window),
        }
    }

    fn journal(&mut self) -> Option<&mut dyn ActionJournal> {
        self.inner.journal()
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        self.inner.close()
    }
}

/// Returns whether two pictures can be compared.
fn is_alike(one: &Frame, other: &Frame) -> bool {
    let kind = |frame: &Frame| (frame.width(), frame.height(), frame.format());
    kind(one) == kind(other)
}

/// Makes `shown` equal to `next`, and returns how that changes `shown`. `change` is how the screen has changed; pass
/// `Unknown` if that does not matter.
fn adopt(shown: &mut Frame, next: &Frame, change: Change) -> Change {
    let whole = Area::whole(next.width(), next.height());
    let mut update = |part: Area| {
        let step = next.format().bytes();
        let stride = whole.width as usize * step;
        let start = part.y as usize * stride + part.x as usize * step;
        shown.update(part, &next.data()[start..], stride)
    };
    let within = match change {
        Change::Within(first, last) => update(rounded(whole, between(whole, (first, last)))),
        Change::Unknown => update(whole),
        Change::Nothing | Change::Cursor => None,
    };
    match (within, update(whole)) {
        (Some(part), _) => Change::within(whole, part),
        (None, Some(_)) => Change::Cursor,
        (None, None) => Change::Nothing,
    }
}

/// Returns the pixels between two corners, both included.
fn between(whole: Area, (first, last): (Point, Point)) -> Area {
    let ((left, top), (right, bottom)) = (whole.pixel(first), whole.pixel(last));
    Area {
        x: left,
        y: top,
        width: (right - left).max(0) as u32 + 1,
        height: (bottom - top).max(0) as u32 + 1,
    }
}

/// Returns a part extended by the margin that rounding might have cut off.
fn rounded(whole: Area, part: Area) -> Area {
    let more = whole.width.max(whole.height) / ROUNDED.0 + ROUNDED.1;
    let larger = Area {
        x: part.x.saturating_sub_unsigned(more),
        y: part.y.saturating_sub_unsigned(more),
        width: part.width + 2 * more,
        height: part.height + 2 * more,
    };
    larger.intersection(&whole).unwrap_or(part)
}

/// Returns whether an action presses keys.
fn sends_keys(action: &Action) -> bool {
    match action {
        Action::Type(_) | Action::Press(_) => true,
        Action::Hold(Holding { what, .. }) => matches!(what, Held::Keys(_)),
        Action::Click(click) => !click.modifiers.is_empty(),
        _ => false,
    }
}

/// Returns whether an action without coordinates acts at the pointer.
fn acts_at_pointer(action: &Action) -> bool {
    match action {
        Action::Scroll { .. } | Action::MouseDown(..) | Action::MouseUp(..) => true,
        Action::Hold(Holding { what, .. }) => matches!(what, Held::Button(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
