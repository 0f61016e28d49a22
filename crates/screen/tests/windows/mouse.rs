//! What clicks, drags and the wheel do in a program.

use franz_action::Action;

use crate::editor::Editor;
use crate::stage::{Stage, display, eventually};
use crate::window::Window;

const TEXT: &str = "alpha beta gamma\ndelta epsilon zeta";

#[test]
fn the_pointer_hits_every_pixel() {
    let stage = Stage::new();
    let mut display = display();
    let (width, height) = franz_screen::Screen::size(&stage.desktop);
    let (right, bottom) = (width as i32 - 1, height as i32 - 1);
    let across = (0..=right).map(|x| (x, 300));
    let down = (0..=bottom).map(|y| (400, y));
    let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)];
    for (x, y) in across.chain(down).chain(corners) {
        display.move_to(x, y).unwrap();
        assert_eq!(display.pointer().unwrap(), Some((x, y)));
    }
}

#[test]
fn a_click_puts_the_caret_where_it_is() {
    let mut stage = Stage::new();
    let editor = Editor::with(TEXT, &mut stage);
    for character in [0, 6, 11, 18, 24] {
        let click = Action::left_click(stage.point(editor.place_of(character)));
        stage.act_for(&click, &(character, character), || editor.selection());
    }
}

#[test]
fn a_double_click_selects_a_word() {
    let mut stage = Stage::new();
    let editor = Editor::with(TEXT, &mut stage);
    let click = Action::double_click(stage.point(editor.place_of(8)));
    stage.act_for(&click, &(6, 11), || editor.selection());
}

#[test]
fn a_drag_selects() {
    let mut stage = Stage::new();
    let editor = Editor::with(TEXT, &mut stage);
    let (from, to) = (stage.point(editor.place_of(2)), stage.point(editor.place_of(26)));
    stage.act_for(&Action::drag(from, to), &(2, 26), || editor.selection());
}

#[test]
fn a_right_click_opens_a_menu() {
    let mut stage = Stage::new();
    let editor = Editor::with(TEXT, &mut stage);
    let menus = || {
        Window::all(None, "#32768")
            .into_iter()
            .filter(|menu| menu.is_visible())
            .count()
    };
    assert_eq!(menus(), 0);
    let click = Action::right_click(stage.point(editor.place_of(8)));
    stage.act_for(&click, &1, menus);
    stage.press("esc");
    eventually("the end of the menu", || menus() == 0);
}

#[test]
fn the_wheel_scrolls() {
    let mut stage = Stage::new();
    let editor = Editor::with(&"line\n".repeat(200), &mut stage);
    editor.select(0, 0);
    let at = Some(stage.point(editor.edit.on_desktop(200, 200)));
    stage.act(&Action::Scroll { dy: 5, dx: 0, at });
    eventually("other lines", || editor.first_line() > 0);
    stage.act(&Action::Scroll { dy: -9, dx: 0, at });
    eventually("the first line", || editor.first_line() == 0);
}
