//! The clipboard.

use std::ptr::null_mut;
use std::sync::mpsc;
use std::thread;

use franz_screen::DisplayError;
use windows_sys::Win32::System::DataExchange::{CloseClipboard, OpenClipboard};

use crate::editor::Editor;
use crate::stage::{Stage, alone, display, eventually};

#[test]
fn texts_come_back_as_they_were() {
    let _alone = alone();
    let mut display = display();
    for text in ["one", "", "two\nlines\n", "ÄÖ 你好 😀 𝄞\ttab", &"long ".repeat(100_000)] {
        display.set_clipboard(text).unwrap();
        assert_eq!(display.clipboard().unwrap().as_deref(), Some(text));
    }
    display.set_clipboard("a\0b\r\nc").unwrap();
    assert_eq!(display.clipboard().unwrap().as_deref(), Some("ab\nc"));
}

#[test]
fn programs_read_and_write_the_same() {
    let mut stage = Stage::new();
    let editor = Editor::with("", &mut stage);
    let mut display = display();
    display.set_clipboard("pasted: ÄÖ\n你好 😀").unwrap();
    stage.press("ctrl+v");
    editor.shows("pasted: ÄÖ\n你好 😀");
    editor.set_text("copied\nnow");
    stage.press("ctrl+a");
    stage.press("ctrl+c");
    eventually("a copy", || {
        display.clipboard().unwrap().as_deref() == Some("copied\nnow")
    });
}

#[test]
fn a_clipboard_held_by_another_program_is_awaited_then_refused() {
    let _alone = alone();
    let mut display = display();
    display.set_clipboard("before").unwrap();
    let (taken, is_taken) = mpsc::channel();
    let (give_back, told) = mpsc::channel::<()>();
    let other = thread::spawn(move || {
        // SAFETY: The clipboard is opened the way another program would open it; no memory is passed.
        assert!(unsafe { OpenClipboard(null_mut()) } != 0);
        taken.send(()).unwrap();
        let _ = told.recv();
        // SAFETY: This thread has opened the clipboard.
        unsafe { CloseClipboard() };
    });
    is_taken.recv().unwrap();
    let refused = display.set_clipboard("now");
    assert!(matches!(refused, Err(DisplayError::Refused(_))), "{refused:?}");
    let setting = thread::spawn(move || (display.set_clipboard("then"), display.clipboard()));
    give_back.send(()).unwrap();
    other.join().unwrap();
    let (set, read) = setting.join().unwrap();
    set.unwrap();
    assert_eq!(read.unwrap().as_deref(), Some("then"));
}
