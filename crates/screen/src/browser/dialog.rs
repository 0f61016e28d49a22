//! A dialog that blocks a page: its text, how to paint it over the last picture, and how to answer it.
//!
//! A page with an open dialog delivers no pictures, and a browser without a window shows no dialog.

use franz_action::keys::Key;
use franz_frame::draw::{Bar, fill};
use franz_frame::{Area, Color, Frame, Lettering};
use serde_json::Value;

use super::message::text;
use crate::window::WindowId;

/// The maximum number of lines of a message to paint.
const MOST_LINES: usize = 12;

/// The maximum number of characters of a message to keep.
const LONGEST: usize = 2000;

/// The longest end of a prompt's text that is drawn, in characters: more than the widest field shows.
const MOST_SHOWN: usize = 400;

const PLATE: Color = Color::rgb(0xf4, 0xf4, 0xf4);
const EDGE: Color = Color::rgb(0x30, 0x30, 0x30);
const INK: Color = Color::rgb(0x10, 0x10, 0x10);
const BUTTON: Color = Color::rgb(0x1a, 0x5f, 0xb4);
const FIELD: Color = Color::rgb(0xff, 0xff, 0xff);

/// What a dialog is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialogKind {
    Alert,
    Confirm,
    Prompt,
    /// A page asks for confirmation before the user leaves it.
    Leave,
    /// A page's process has crashed.
    Crash,
}

/// An answer to a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Accept,
    Dismiss,
}

/// A dialog.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dialog {
    pub(super) id: WindowId,
    pub(super) kind: DialogKind,
    message: String,
    /// The text in a prompt's field.
    pub(super) field: String,
    /// Whether the next character replaces that text.
    is_selected: bool,
}

/// A button of a dialog.
pub(super) struct DialogButton {
    pub(super) area: Area,
    pub(super) name: &'static str,
    pub(super) choice: Choice,
}

/// The positions of a dialog's parts.
pub(super) struct DialogLayout {
    plate: Area,
    lines: Vec<(String, f32)>,
    left: f32,
    size: f32,
    pub(super) field: Option<Area>,
    pub(super) buttons: Vec<DialogButton>,
}

impl Dialog {
    /// Reads the event that reports a page's dialog.
    pub(super) fn of_page(id: WindowId, params: &Value) -> Dialog {
        let kind = match params["type"].as_str() {
            Some("confirm") => DialogKind::Confirm,
            Some("prompt") => DialogKind::Prompt,
            Some("beforeunload") => DialogKind::Leave,
            _ => DialogKind::Alert,
        };
        let message = match kind {
            DialogKind::Leave => "Leave this page? Changes that you made may not be saved.".to_owned(),
            _ => text(&params["message"]).chars().take(LONGEST).collect(),
        };
        Dialog {
            id,
            kind,
            message,
            field: text(&params["defaultPrompt"]),
            is_selected: true,
        }
    }

    pub(super) fn of_crash(id: WindowId) -> Dialog {
        Dialog {
            id,
            kind: DialogKind::Crash,
            message: "This page has crashed.".to_owned(),
            field: String::new(),
            is_selected: true,
        }
    }

    /// Returns the dialog's window title: its kind and its text.
    pub(super) fn title(&self) -> String {
        match self.kind {
            DialogKind::Alert => format!("alert: {}", self.message),
            DialogKind::Confirm => format!("confirm: {}", self.message),
            DialogKind::Prompt => format!("prompt: {}", self.message),
            DialogKind::Leave | DialogKind::Crash => self.message.clone(),
        }
    }

    /// Handles a key press. Returns the answer that the key gives to the dialog, if any.
    pub(super) fn take(&mut self, key: Key, ctrl: bool) -> Option<Choice> {
        match key {
            Key::Named("enter") => return Some(Choice::Accept),
            Key::Named("esc") => return Some(Choice::Dismiss),
            Key::Char('a' | 'A') if ctrl => self.is_selected = true,
            Key::Named("backspace" | "delete") if std::mem::take(&mut self.is_selected) => self.field.clear(),
            Key::Named("backspace") => drop(self.field.pop()),
            Key::Named("space") => self.write(' '),
            Key::Char(character) if !ctrl => self.write(character),
            Key::Named("end" | "home" | "left" | "right") => self.is_selected = false,
            _ => {}
        }
        None
    }

    fn write(&mut self, character: char) {
        if self.kind == DialogKind::Prompt {
            if std::mem::take(&mut self.is_selected) {
                self.field.clear();
            }
            self.field.push(character);
        }
    }

    fn choices(&self) -> &'static [(&'static str, Choice)] {
        const OK: (&str, Choice) = ("OK", Choice::Accept);
        const CANCEL: (&str, Choice) = ("Cancel", Choice::Dismiss);
        match self.kind {
            DialogKind::Alert => &[OK],
            DialogKind::Confirm | DialogKind::Prompt => &[CANCEL, OK],
            DialogKind::Leave => &[CANCEL, ("Leave", Choice::Accept)],
            DialogKind::Crash => &[("Reload", Choice::Accept)],
        }
    }

    /// Lays out the dialog in a picture of this size.
    pub(super) fn layout(&self, whole: Area, lettering: &mut Lettering) -> DialogLayout {
        let size = (whole.height as f32 / 40.0).clamp(10.0, 40.0);
        let (space, width) = (size.ceil() as u32, (whole.width * 3 / 5).max(whole.width.min(300)));
        let lines = wrapped(&self.message, width.saturating_sub(2 * space) as f32, |line| {
            lettering.measure(line, size).0
        });
        let row = (size * 1.5).ceil() as u32;
        let field_rows = u32::from(self.kind == DialogKind::Prompt) * 2;
        let height = (lines.len() as u32 + field_rows + 2) * row + 3 * space;
        let plate = Area {
            x: (whole.width.saturating_sub(width) / 2) as i32,
            y: (whole.height.saturating_sub(height) / 3) as i32,
            width,
            height,
        };
        let left = plate.x + space as i32;
        let mut top = plate.y + space as i32;
        let lines = lines.into_iter().map(|line| {
            let at = top as f32;
            top += row as i32;
            (line, at)
        });
        let lines: Vec<_> = lines.collect();
        let field = (field_rows > 0).then_some(Area {
            x: left,
            y: top,
            width: width.saturating_sub(2 * space),
            height: row + space / 2,
        });
        let bottom = plate.y + height as i32 - space as i32;
        let mut right = plate.x + width as i32 - space as i32;
        let buttons = self.choices().iter().rev().map(|&(name, choice)| {
            let wide = lettering.measure(name, size).0.ceil() as u32 + 3 * space;
            right -= wide as i32;
            let area = Area {
                x: right,
                y: bottom - (row + space / 2) as i32,
                width: wide,
                height: row + space / 2,
            };
            right -= space as i32;
            DialogButton { area, name, choice }
        });
        DialogLayout {
            buttons: buttons.collect(),
            plate,
            lines,
            left: left as f32,
            size,
            field,
        }
    }

    /// Paints the dialog.
    pub(super) fn paint(&self, frame: &mut Frame, lettering: &mut Lettering) {
        let layout = self.layout(Area::whole(frame.width(), frame.height()), lettering);
        let size = layout.size;
        let edge = Area {
            x: layout.plate.x - 2,
            y: layout.plate.y - 2,
            width: layout.plate.width + 4,
            height: layout.plate.height + 4,
        };
        fill_area(frame, edge, EDGE);
        fill_area(frame, layout.plate, PLATE);
        for (line, top) in &layout.lines {
            let _missing = lettering.draw_text(frame, line, (layout.left, *top), size, INK);
        }
        if let Some(field) = layout.field {
            fill_area(frame, field, EDGE);
            let inside = Area {
                x: field.x + 1,
                y: field.y + 1,
                width: field.width.saturating_sub(2),
                height: field.height.saturating_sub(2),
            };
            fill_area(frame, inside, FIELD);
            let room = field.width as f32 - size;
            let start = self.field.char_indices().rev().nth(MOST_SHOWN - 1);
            let mut shown = format!("{}|", &self.field[start.map_or(0, |(at, _)| at)..]);
            while lettering.measure(&shown, size).0 > room && !shown.is_empty() {
                shown.remove(0);
            }
            let at = (field.x as f32 + size / 2.0, field.y as f32 + size / 2.0);
            let _missing = lettering.draw_text(frame, &shown, at, size, INK);
        }
        for DialogButton { area, name, .. } in &layout.buttons {
            fill_area(frame, *area, BUTTON);
            let (wide, _) = lettering.measure(name, size);
            let at = (
                area.x as f32 + (area.width as f32 - wide) / 2.0,
                area.y as f32 + size / 2.0,
            );
            let _missing = lettering.draw_text(frame, name, at, size, FIELD);
        }
    }
}

impl DialogLayout {
    /// Returns the choice whose button is at this position.
    pub(super) fn choice(&self, (x, y): (i32, i32)) -> Option<Choice> {
        let there = self.buttons.iter().find(|button| button.area.contains(x, y));
        there.map(|button| button.choice)
    }
}

fn fill_area(frame: &mut Frame, area: Area, color: Color) {
    let (left, top) = (area.x as f32, area.y as f32);
    let corner = (left + area.width as f32, top + area.height as f32);
    fill(frame, &Bar::new((left, top), corner), color);
}

/// Breaks text into lines no wider than this.
fn wrapped(text: &str, width: f32, mut measure: impl FnMut(&str) -> f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_inclusive(' ') {
            for piece in pieces(word) {
                let longer = format!("{line}{piece}");
                if !line.is_empty() && measure(longer.trim_end()) > width {
                    lines.push(std::mem::take(&mut line));
                    line.push_str(piece);
                } else {
                    line = longer;
                }
            }
        }
        lines.push(line);
        if lines.len() >= MOST_LINES {
            break;
        }
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines
}

/// Cuts a word that is too long for a line into pieces.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(20).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use franz_frame::PixelFormat;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_end_of_a_long_default_text_is_drawn() {
        let draw = |text: String| {
            let prompt = json!({ "type": "prompt", "message": "?", "defaultPrompt": text });
            let mut frame = Frame::black(400, 300, PixelFormat::Bgrx8).unwrap();
            Dialog::of_page(WindowId(1), &prompt).paint(&mut frame, &mut Lettering::new());
            frame.data().to_vec()
        };
        // Drawing a million characters one by one would take hours.
        assert!(draw(format!("{}end", "ü".repeat(1_000_000))) == draw(format!("{}end", "ü".repeat(1000))));
        assert!(draw("end".to_owned()) != draw("and".to_owned()));
    }
}
