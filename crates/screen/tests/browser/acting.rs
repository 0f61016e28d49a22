//! Clicks, drags, the wheel, keys and typed text arrive as intended.

use franz_action::{Action, Typing};
use franz_screen::desktop::Pace;
use franz_screen::{ActionId, Screen};

use crate::stage::{Never, Stage, outcome, perform, says, until};

/// Reports each mouse event: its kind, button, number of clicks, keys and position.
const MOUSE: &str = "<style>html{height:100%}</style><script>\
    let heard = [];\
    for (const kind of ['mousedown', 'mouseup', 'dblclick', 'contextmenu']) addEventListener(kind, e => {\
        const keys = [e.ctrlKey && 'c', e.shiftKey && 's', e.altKey && 'a'].filter(k => k).join('');\
        heard.push(`${kind.slice(0, 6)}${e.button}x${e.detail}${keys}@${e.clientX},${e.clientY}`);\
        say(heard.join(' '));\
    });\
    addEventListener('keydown', e => { if (e.key == 'Escape') { heard = []; say('') } });\
    </script>";

#[test]
fn clicks_hit_and_are_counted_with_their_buttons_and_keys() {
    let stage = Stage::new(MOUSE);
    for pace in [Pace::FAST, Pace::HUMAN] {
        let mut screen = stage.screen_at(pace);
        for (call, heard) in [
            ("left_click(500, 500)", "moused0x1@500,350 mouseu0x1@500,350"),
            (
                "double_left_click(0, 0)",
                "moused0x1@0,0 mouseu0x1@0,0 moused0x2@0,0 mouseu0x2@0,0 dblcli0x2@0,0",
            ),
            ("middle_click(1000, 1000)", "moused1x1@999,699 mouseu1x1@999,699"),
            (
                "right_click(500, 500)",
                "moused2x1@500,350 contex2x0@500,350 mouseu2x1@500,350",
            ),
            (
                "left_click(500, 500, modifiers=\"ctrl+shift\")",
                "moused0x1cs@500,350 mouseu0x1cs@500,350",
            ),
        ] {
            perform(&mut screen, call);
            says(&mut screen, heard);
            perform(&mut screen, "press(\"esc\")");
            says(&mut screen, "");
        }
    }
}

#[test]
fn text_arrives_exactly() {
    const TEXT: &str = "Grüße 日本語 привет €😀\tAbc-Z_{}~ \"x\" ß\u{301}";
    let stage = Stage::new(
        "<textarea autofocus style='width:100%;height:600px' oninput='say(this.value)' \
         onkeydown=\"if (event.key == 'Tab') { event.preventDefault(); setRangeText('\\t', selectionStart, selectionEnd, 'end') }\">\
         </textarea>",
    );
    let mut screen = stage.screen();
    let text = format!("{TEXT}\n{TEXT}.");
    let typing = Action::Type(Typing {
        text: text.clone(),
        at: None,
        replace: false,
    });
    let typed = screen.perform(ActionId { turn: 1, index: 0 }, &typing, &Never).unwrap();
    assert!(typed.is_done(), "{typed:?}");
    says(&mut screen, &text);
    perform(&mut screen, "type(\"neu\", 500, 400, replace=True)");
    says(&mut screen, "neu");
    perform(&mut screen, "press(\"ctrl+a\")");
    perform(&mut screen, "press(\"delete\")");
    says(&mut screen, "");
}

#[test]
fn keys_are_held_and_nothing_stays_down() {
    let stage = Stage::new(
        "<script>const down = new Set, log = [];\
         const tell = e => say([...down].join('+') + '|' + log.join(' '));\
         onkeydown = e => { e.preventDefault(); down.add(e.code); log.push(e.key); tell() };\
         onkeyup = e => { down.delete(e.code); tell() };\
         onmousedown = e => { down.add('b' + e.button); tell() };\
         onmouseup = e => { down.delete('b' + e.button); tell() }</script>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "press(\"ctrl+shift+k f2 enter\")");
    says(&mut screen, "|Control Shift k F2 Enter");
    perform(&mut screen, "hold(\"a\", 0.05)");
    says(&mut screen, "|Control Shift k F2 Enter a");
    perform(&mut screen, "mouse_down(500, 500)");
    says(&mut screen, "b0|Control Shift k F2 Enter a");
    assert_eq!(screen.let_go().unwrap(), ["the left button"]);
    says(&mut screen, "|Control Shift k F2 Enter a");
    perform(&mut screen, "mouse_down(500, 500)");
    says(&mut screen, "b0|Control Shift k F2 Enter a");
    screen.close().unwrap();
    says(&mut screen, "|Control Shift k F2 Enter a");
}

#[test]
fn a_drag_and_the_wheel_move_what_they_are_over() {
    let stage = Stage::new(
        "<div style='height:3000px'><div id=a draggable=true style='position:absolute;left:100px;top:100px;width:80px;height:80px;background:red'></div>\
         <div id=b style='position:absolute;left:500px;top:300px;width:200px;height:200px;background:blue'></div></div><script>\
         a.ondragstart = e => e.dataTransfer.setData('text/plain', 'carried');\
         b.ondragover = e => e.preventDefault();\
         b.ondrop = e => { e.preventDefault(); say(e.dataTransfer.getData('text/plain')) };\
         onscroll = e => say('scrolled ' + (scrollY > 100))</script>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "drag(140, 200, 600, 570)");
    says(&mut screen, "carried");
    perform(&mut screen, "scroll(3, 500, 500)");
    says(&mut screen, "scrolled true");
}

#[test]
fn pages_copy_and_paste_among_themselves() {
    let stage = Stage::new(
        "<textarea autofocus style='width:90%;height:300px'>Grüße €</textarea>\
         <input style='position:absolute;top:400px;left:0;width:500px;height:100px' oninput='say(value)'>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "press(\"ctrl+a ctrl+c\")");
    perform(&mut screen, "left_click(200, 640)");
    perform(&mut screen, "press(\"ctrl+v\")");
    says(&mut screen, "Grüße €");
    let read = outcome(&mut screen, "read_clipboard()");
    assert!(format!("{read:?}").contains("paste with ctrl+v"), "{read:?}");
}

#[test]
fn a_list_is_seen_and_chosen_from_by_keys() {
    let stage = Stage::new(
        "<select style='position:absolute;left:0;top:0;width:500px;height:100px' onchange='say(value)'>\
         <option>One<option style='background:#00ff00'>Two<option>Three</select>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "left_click(100, 70)");
    let green = franz_frame::Color::rgb(0, 255, 0);
    until("the list is seen", || {
        let frame = screen.capture().unwrap();
        (100..frame.height()).find(|y| frame.color(400, *y) == Some(green))
    });
    perform(&mut screen, "press(\"down enter\")");
    says(&mut screen, "Two");
}
