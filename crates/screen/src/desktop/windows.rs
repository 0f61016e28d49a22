//! Windows: pictures through GDI, input through `SendInput`, and hooks that see the user's input.

mod barrier;
mod bitmap;
mod capture;
mod claim;
mod clipboard;
mod cursor;
mod events;
mod held;
mod keyboard;
mod keys;
mod monitors;
mod mouse;
mod text;
mod top_level;
mod watch;

use std::time::Duration;

use franz_action::Button;
use franz_action::keys::Key;
use franz_frame::{Area, Frame};

use super::cursor::CursorImage;
use super::display::{Display, DisplayError, GestureWatch, IsOver, Monitor, Press};
use super::gesture::Input;
use crate::window::{Window, WindowId};
use barrier::Barrier;
use capture::Picture;
use claim::Claim;
use keyboard::Keyboard;

/// Opens the desktop that this program was started on. Windows itself always responds immediately; waits for other
/// programs end once `is_over` returns `true`.
pub(super) fn open(is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
    monitors::count_real_pixels();
    monitors::list()?;
    Ok(Box::new(WindowsDesktop {
        picture: Picture::default(),
        keyboard: Keyboard::default(),
        barrier: Barrier::new(),
        claim: None,
        is_over,
    }))
}

/// Creates the error for a wait that ended with the run.
fn over(doing: &'static str) -> DisplayError {
    DisplayError::Lost {
        doing,
        source: "the run is over".into(),
    }
}

/// The desktop of the logged-in user.
struct WindowsDesktop {
    picture: Picture,
    keyboard: Keyboard,
    barrier: Barrier,
    claim: Option<Claim>,
    is_over: IsOver,
}

impl Display for WindowsDesktop {
    fn name(&self) -> String {
        "Windows desktop".to_owned()
    }

    fn monitors(&mut self) -> Result<Vec<Monitor>, DisplayError> {
        monitors::list()
    }

    fn capture(&mut self, area: Area, frame: &mut Frame) -> Result<Option<Area>, DisplayError> {
        self.picture.bring_up_to_date(area, frame)
    }

    fn cursor(&mut self) -> Result<Option<CursorImage>, DisplayError> {
        cursor::shown()
    }

    fn pointer(&mut self) -> Result<Option<(i32, i32)>, DisplayError> {
        mouse::position().map(Some)
    }

    fn windows(&mut self) -> Result<Option<Vec<Window>>, DisplayError> {
        Ok(Some(top_level::list()))
    }

    fn focus(&mut self, window: WindowId) -> Result<bool, DisplayError> {
        top_level::focus(window, &self.is_over).ok_or_else(|| {
            if (self.is_over)() {
                return over("bringing a window to the front");
            }
            DisplayError::Refused("Windows did not bring the window to the front; click on it".to_owned())
        })
    }

    fn move_to(&mut self, x: i32, y: i32) -> Result<(), DisplayError> {
        mouse::move_to(x, y)
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DisplayError> {
        let passes = self.barrier.under_the_pointer();
        if press == Press::Down {
            passes?;
            return mouse::button(button, press);
        }
        // Windows drops the release over a program with higher privileges, and reports no error. It is tried anyway,
        // because it might still reach the window that got the press.
        mouse::button(button, press)?;
        passes
    }

    fn notch(&mut self, dx: i32, dy: i32) -> Result<(), DisplayError> {
        self.barrier.under_the_pointer()?;
        mouse::notch(dx, dy)
    }

    fn key(&mut self, key: &Key, press: Press) -> Result<(), DisplayError> {
        // Such a program might have come to the front since the press: Windows would drop the release, too.
        self.barrier.at_the_keyboard()?;
        match press {
            Press::Down => self.keyboard.press(*key),
            Press::Up => self.keyboard.release(*key),
        }
    }

    fn type_text(&mut self, text: &str, goes_on: &mut dyn FnMut(Option<char>) -> bool) -> Result<(), DisplayError> {
        for character in text.chars() {
            self.barrier.at_the_keyboard()?;
            keyboard::type_character(character)?;
            if !goes_on(Some(character)) {
                break;
            }
        }
        Ok(())
    }

    fn double_click_time(&mut self) -> Duration {
        mouse::double_click_time()
    }

    fn clipboard(&mut self) -> Result<Option<String>, DisplayError> {
        clipboard::text(&self.is_over)
    }

    fn set_clipboard(&mut self, text: &str) -> Result<(), DisplayError> {
        clipboard::set_text(text, &self.is_over)
    }

    fn claim(&mut self) -> Result<(), DisplayError> {
        self.claim = Some(Claim::take()?);
        Ok(())
    }

    // Windows reports every key and button as up, whether it is or not, while a program with higher privileges is in
    // front, and while another desktop has the input, such as that of the locked screen.
    fn held(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        self.barrier.at_the_keyboard()?;
        held::look()?;
        Ok(Some(held::held()))
    }

    fn release(&mut self) -> Result<Option<Vec<String>>, DisplayError> {
        self.barrier.at_the_keyboard()?;
        held::reach()?;
        self.keyboard = Keyboard::default();
        held::release().map(Some)
    }

    fn watch(&mut self, tell: Box<dyn FnMut(Input) + Send>) -> Result<Option<GestureWatch>, DisplayError> {
        watch::start(tell).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;
    use std::sync::Arc;

    use franz_action::keys::Modifier;
    use windows_sys::Win32::Foundation::HWND;
    use windows_sys::Win32::UI::WindowsAndMessaging::{
        CreateWindowExW, DestroyWindow, SetForegroundWindow, WS_POPUP, WS_VISIBLE,
    };
    use windows_sys::core::w;

    use super::*;

    /// A window that covers the desktop until dropped.
    struct Cover(HWND);

    impl Cover {
        #[expect(unsafe_code)]
        fn new() -> Cover {
            let style = WS_POPUP | WS_VISIBLE;
            let (class, none) = (w!("BUTTON"), null_mut());
            // SAFETY: The class is a constant that every Windows has; all other values are plain or null.
            let window = unsafe { CreateWindowExW(0, class, class, style, 0, 0, 9999, 9999, none, none, none, none) };
            assert!(!window.is_null());
            // SAFETY: The call takes a handle that was checked.
            unsafe { SetForegroundWindow(window) };
            Cover(window)
        }
    }

    impl Drop for Cover {
        #[expect(unsafe_code)]
        fn drop(&mut self) {
            // SAFETY: This value owns the window, which this thread has created.
            unsafe { DestroyWindow(self.0) };
        }
    }

    #[test]
    fn a_release_that_windows_drops_is_no_success() {
        let _cover = Cover::new();
        let mut display = WindowsDesktop {
            picture: Picture::default(),
            keyboard: Keyboard::default(),
            barrier: Barrier::below_all(),
            claim: None,
            is_over: Arc::new(|| false),
        };
        for press in [Press::Down, Press::Up] {
            let refused = display.button(Button::Left, press);
            assert!(
                matches!(refused, Err(DisplayError::Refused(_))),
                "{press:?}: {refused:?}"
            );
        }
        // A Windows on which somebody works might not let the window come to the front.
        let is_in_front = display.barrier.at_the_keyboard().is_err();
        let shift = Key::Modifier(Modifier::Shift);
        assert_eq!(display.key(&shift, Press::Up).is_err(), is_in_front);
        // Windows would also report every key as up.
        assert_eq!(display.held().is_err(), is_in_front);
        assert_eq!(display.release().is_err(), is_in_front);
    }
}
