//! The mouse for the page in front.

use std::time::{Duration, Instant};

use franz_action::Button;
use serde_json::{Value, json};

use super::{LOOK, PageDisplay, Told};
use crate::desktop::{DisplayError, Hold};

/// Two clicks within this time are a double click. A short time is enough, because each event tells the page the number
/// of clicks.
pub(super) const DOUBLE_CLICK: Duration = Duration::from_millis(60);

/// Clicks closer together than this, in pixels, count as one sequence.
const NEAR: u32 = 8;

/// The last click: its button, position and time, and how many clicks came in a row.
pub(super) struct Click {
    button: Button,
    at: (i32, i32),
    when: Instant,
    count: u32,
}

impl PageDisplay {
    pub(super) fn mouse(&self, session: &str, kind: &str, more: Value) -> Result<(), DisplayError> {
        let (x, y) = self.pointer.unwrap_or_default();
        let on_page = |pixel: i32| f64::from(pixel) / self.viewport.scale;
        let buttons: u32 = self.held.iter().map(|(hold, _)| button_bit(*hold)).sum();
        let mut event = json!({
            "type": kind,
            "x": on_page(x),
            "y": on_page(y),
            "modifiers": self.modifiers.bits(),
            "buttons": buttons,
        });
        if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
            event.extend(more);
        }
        self.send(session, "Input.dispatchMouseEvent", event)
    }

    pub(super) fn press_button(&mut self, button: Button) -> Result<(), DisplayError> {
        let at = self.pointer.unwrap_or_default();
        let hold = Hold::Button(button);
        let Some(session) = self.listening("pressing a button")? else {
            self.choice = self.choice_at(at)?;
            self.held.push((hold, Told::Nobody));
            return Ok(());
        };
        let now = Instant::now();
        let before = self.click.take().filter(|click| {
            let is_near = click.at.0.abs_diff(at.0) <= NEAR && click.at.1.abs_diff(at.1) <= NEAR;
            click.button == button && is_near && now - click.when < DOUBLE_CLICK
        });
        let count = before.map_or(1, |click| click.count + 1);
        self.click = Some(Click {
            button,
            at,
            when: now,
            count,
        });
        self.held.push((hold, Told::Page(session.clone())));
        self.mouse(
            &session,
            "mousePressed",
            json!({ "button": button_name(button), "clickCount": count }),
        )?;
        self.connection.rest(&session, 0, LOOK, &mut || true);
        Ok(())
    }

    pub(super) fn release_button(&mut self, button: Button) -> Result<(), DisplayError> {
        let Some(told) = self.let_go_of(Hold::Button(button)) else {
            return Ok(());
        };
        let Told::Page(session) = told else {
            let pressed = self.choice.take();
            let at = self.pointer.unwrap_or_default();
            return match pressed.filter(|_| button == Button::Left) {
                Some(choice) if self.choice_at(at)? == Some(choice) => self.answer(choice),
                _ => Ok(()),
            };
        };
        let count = self.click.as_ref().map_or(1, |click| click.count);
        self.mouse(
            &session,
            "mouseReleased",
            json!({ "button": button_name(button), "clickCount": count }),
        )?;
        self.connection.rest(&session, 0, LOOK, &mut || true);
        if let Some(click) = &mut self.click {
            click.when = Instant::now();
        }
        Ok(())
    }

    /// Removes a hold. Returns who received its press.
    pub(super) fn let_go_of(&mut self, hold: Hold) -> Option<Told> {
        let place = self.held.iter().position(|(held, _)| *held == hold)?;
        Some(self.held.remove(place).1)
    }
}

pub(super) fn button_name(button: Button) -> &'static str {
    match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
    }
}

fn button_bit(hold: Hold) -> u32 {
    match hold {
        Hold::Button(Button::Left) => 1,
        Hold::Button(Button::Right) => 2,
        Hold::Button(Button::Middle) => 4,
        Hold::Key(_) | Hold::Place(..) => 0,
    }
}
