//! A display without a desktop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};

use crate::desktop::{CursorImage, Display, DisplayError, GestureWatch, Input, Monitor, Press};
use crate::elements::DesktopLayer;
use crate::window::{Window, WindowId};

/// A display that reports as little as the trait allows, like a remote desktop. It records the calls that it gets.
#[derive(Clone, Default)]
pub(super) struct Silent {
    done: Arc<Mutex<Vec<String>>>,
    /// Whether it refuses to release anything.
    pub(super) stuck: Arc<AtomicBool>,
    /// Whether a press reaches the programs, but fails nevertheless.
    pub(super) fails: Arc<AtomicBool>,
    /// Where the pointer, the active window and a menu are, if it reports them.
    pub(super) pointer: Arc<Mutex<Option<(i32, i32)>>>,
    pub(super) active: Arc<Mutex<Option<Area>>>,
    pub(super) menu: Arc<Mutex<Option<Area>>>,
}

impl Silent {
    pub(super) fn note(&self, what: String) {
        self.done.lock().unwrap().push(what);
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.done.lock().unwrap())
    }
}

impl Display for Silent {
    fn name(&self) -> String {
        "a test".to_owned()
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        Ok(vec![Monitor {
            name: "only".to_owned(),
            area: Area::whole(101, 101),
        }])
    }

    fn capture(&mut self, _: Area, _: &mut Frame) -> Result<Option<Area>, DisplayError> {
        Ok(None)
    }

    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        Ok(None)
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        Ok(*self.pointer.lock().unwrap())
    }

    fn windows(&mut self) -> Result<Option<Vec<Window>>, DisplayError> {
        let window = |place| Window {
            id: WindowId(1),
            title: String::new(),
            class: String::new(),
            place: Some(place),
            is_active: true,
            dialog_of: None,
        };
        Ok(self.active.lock().unwrap().map(|place| vec![window(place)]))
    }

    fn layers(&mut self, windows: &[Window]) -> Result<Option<Vec<DesktopLayer>>, DisplayError> {
        let layer = |area, window| DesktopLayer {
            area,
            path: area,
            process: None,
            window,
            maker: None,
            names: Vec::new(),
        };
        let menu = self.menu.lock().unwrap().map(|area| layer(area, None));
        let windows = windows
            .iter()
            .filter_map(|window| Some(layer(window.place?, Some(window.id))));
        Ok(Some(menu.into_iter().chain(windows).collect()))
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        self.note(format!("at {x} {y}"));
        Ok(())
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        if press == Press::Up && self.stuck.load(Ordering::Relaxed) {
            return Err(DisplayError::Refused("it is stuck".to_owned()));
        }
        self.note(format!("{button:?} {press:?}"));
        if press == Press::Down && self.fails.load(Ordering::Relaxed) {
            return Err(DisplayError::Refused("it was not understood".to_owned()));
        }
        Ok(())
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        self.note(format!("wheel {dx} {dy}"));
        Ok(())
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        self.note(format!("{key} {press:?}"));
        Ok(())
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        for character in text.chars() {
            self.note(format!("types {character}"));
            if !goes_on(Some(character)) {
                break;
            }
        }
        Ok(())
    }

    fn double_click_time(&mut self) -> Duration {
        Duration::from_millis(500)
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        Ok(None)
    }

    fn set_clipboard(&mut self, _: &str) -> Result<(), DisplayError> {
        Ok(())
    }

    fn claim(&mut self) -> Result<(), DisplayError> {
        Ok(())
    }

    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        Ok(None)
    }

    fn watch(&mut self, _: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        Ok(None)
    }
}
