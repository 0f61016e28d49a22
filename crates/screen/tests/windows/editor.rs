//! Notepad, which every Windows has.

use std::process::{Child, Command};

use windows_sys::Win32::UI::Controls::{EM_GETFIRSTVISIBLELINE, EM_GETSEL, EM_POSFROMCHAR, EM_SETSEL};

use crate::stage::{Stage, becomes, eventually};
use crate::window::Window;

/// A running editor in front of everything, which ends when this is dropped.
pub(crate) struct Editor {
    program: Child,
    /// The control that holds the text.
    pub(crate) edit: Window,
}

impl Editor {
    /// Starts with some text, ready for typing.
    pub(crate) fn with(text: &str, stage: &mut Stage) -> Editor {
        let program = Command::new("notepad.exe").spawn().unwrap();
        let mut found = None;
        eventually("a window of the editor", || {
            let mut windows = Window::all(None, "Notepad").into_iter();
            let own = windows.find(|window| window.process() == program.id() && window.is_visible());
            found = own.and_then(|window| Some((window, *Window::all(Some(window), "Edit").first()?)));
            found.is_some()
        });
        let (window, edit) = found.unwrap();
        window.show_at(80, 60, 900, 500);
        let editor = Editor { program, edit };
        editor.set_text(text);
        stage.act(&franz_action::Action::left_click(
            stage.point(edit.on_desktop(600, 300)),
        ));
        editor
    }

    /// Returns the text, with our line endings.
    pub(crate) fn text(&self) -> String {
        self.edit.text().replace("\r\n", "\n")
    }

    pub(crate) fn set_text(&self, text: &str) {
        self.edit.set_text(&text.replace('\n', "\r\n"));
        assert_eq!(self.text(), text);
    }

    #[track_caller]
    pub(crate) fn shows(&self, expected: &str) {
        becomes(&expected.to_owned(), || self.text());
    }

    /// Returns the selection: the first selected character and the one after the last.
    pub(crate) fn selection(&self) -> (usize, usize) {
        let packed = self.edit.send(EM_GETSEL, 0, 0).cast_unsigned();
        (packed & 0xffff, packed >> 16 & 0xffff)
    }

    pub(crate) fn select(&self, from: usize, to: usize) {
        self.edit.send(EM_SETSEL, from, to.cast_signed());
    }

    pub(crate) fn first_line(&self) -> isize {
        self.edit.send(EM_GETFIRSTVISIBLELINE, 0, 0)
    }

    /// Returns the position on the desktop where a character begins, at half its height.
    pub(crate) fn place_of(&self, character: usize) -> (i32, i32) {
        let packed = self.edit.send(EM_POSFROMCHAR, character, 0);
        let (x, y) = (packed as u16 as i16, (packed >> 16) as u16 as i16);
        self.edit.on_desktop(i32::from(x), i32::from(y) + 8)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
