//! The windows of programs.

use franz_screen::{Screen, WindowId};

use crate::editor::Editor;
use crate::recorder::Recorder;
use crate::stage::{Stage, eventually};

#[test]
fn the_windows_of_programs_are_listed_and_vanish() {
    let mut stage = Stage::new();
    let recorder = Recorder::at(200, 150, 600, 400);
    let editor = Editor::with("", &mut stage);
    let mut display = crate::stage::display();
    let windows = display.windows().unwrap().unwrap();
    let editors = windows.iter().find(|window| window.class == "Notepad").unwrap();
    assert!(editors.title.contains("Notepad"), "{editors:?}");
    let area = editors.place.unwrap();
    let (x, y) = editor.edit.on_desktop(0, 0);
    assert!(area.contains(x, y) && y - area.y > 10, "{area} {x} {y}");

    let own = WindowId(recorder.window.0 as u64);
    assert!(windows.iter().any(|window| window.id == own));
    // Wine reports which window is in front only to the program that owns it.
    assert!(display.focus(own).unwrap());
    assert!(
        stage
            .desktop
            .windows()
            .unwrap()
            .unwrap()
            .iter()
            .any(|window| window.id == own)
    );

    let gone = editors.id;
    drop(editor);
    eventually("the editor's window is gone", || {
        display
            .windows()
            .unwrap()
            .unwrap()
            .iter()
            .all(|window| window.id != gone)
    });
    assert!(!display.focus(gone).unwrap());
    assert!(!display.focus(WindowId(0xffff_fff0)).unwrap());
}
