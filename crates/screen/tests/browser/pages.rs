//! New pages come to the front, and the list of windows is the list of pages.

use franz_screen::{Desktop, Glob, Mask, MaskTarget, Masked, Screen};

use crate::stage::{Stage, drawn, outcome, perform, says, until, windows};

const OPENER: &str = "<style>html{height:100%}</style><script>say('first');\
    onclick = () => open('second.html', '', 'width=300,height=200');\
    onkeydown = e => { if (e.key == 'x') say('key') }</script>";

const SECOND: &str = "<style>html{height:100%;background:#0000ff}</style><input autofocus oninput='say(value)'>\
    <script>say('second')</script>";

fn titles(screen: &mut Desktop) -> Vec<String> {
    let list = windows(screen).into_iter();
    list.map(|window| {
        window
            .title
            .split(' ')
            .map(|code| char::from_u32(u32::from_str_radix(code, 16).unwrap_or(63)).unwrap())
            .collect()
    })
    .collect()
}

#[test]
fn a_popup_comes_to_the_front_and_is_as_large_as_the_screen() {
    let stage = Stage::new(OPENER);
    stage.add("second.html", SECOND);
    let mut screen = stage.screen();
    perform(&mut screen, "left_click(500, 500)");
    says(&mut screen, "second");
    drawn(&mut screen);
    let blue = franz_frame::Color::rgb(0, 0, 255);
    until("the new page is on the screen", || {
        screen.capture().unwrap();
        (screen.frame().color(999, 699) == Some(blue)).then_some(())
    });
    perform(&mut screen, "type(\"typed\")");
    says(&mut screen, "typed");
    assert_eq!(titles(&mut screen), ["typed", "first"]);
    let first = windows(&mut screen)[1].id;
    assert!(screen.focus(first).unwrap());
    says(&mut screen, "first");
    drawn(&mut screen);
    until("the first page is on the screen", || {
        screen.capture().unwrap();
        (screen.frame().color(999, 699) != Some(blue)).then_some(())
    });
    perform(&mut screen, "press(\"x\")");
    says(&mut screen, "key");
    perform(&mut screen, "press(\"ctrl+tab\")");
    says(&mut screen, "typed");
    perform(&mut screen, "press(\"ctrl+w\")");
    says(&mut screen, "key");
    assert!(!screen.focus(franz_screen::WindowId(999)).unwrap());
    perform(&mut screen, "press(\"ctrl+w\")");
    until("an empty page takes its place", || {
        (windows(&mut screen)[0].title == "about:blank").then_some(())
    });
}

#[test]
fn keys_go_back_and_forward_and_reload() {
    let stage = Stage::new(
        "<style>html{height:100%}</style><script>say('first'); onclick = () => location = 'second.html'</script>",
    );
    stage.add("second.html", SECOND);
    let mut screen = stage.screen();
    perform(&mut screen, "left_click(500, 500)");
    says(&mut screen, "second");
    perform(&mut screen, "press(\"alt+left\")");
    says(&mut screen, "first");
    perform(&mut screen, "press(\"alt+left\")");
    perform(&mut screen, "press(\"alt+right\")");
    says(&mut screen, "second");
    drawn(&mut screen);
    perform(&mut screen, "left_click(500, 5)");
    perform(&mut screen, "press(\"f5\")");
    says(&mut screen, "second");
    stage.browser.open_page("about:blank#new").unwrap();
    until("the new page is in front", || {
        (windows(&mut screen)[0].title == "about:blank#new").then_some(())
    });
}

#[test]
fn a_page_gets_no_files_and_downloads_nothing() {
    let stage = Stage::new(
        "<input type=file style='position:absolute;width:1000px;height:300px' oncancel='say(\"cancelled\")' onchange='say(\"chosen\")'>\
         <a href='data:application/octet-stream,x' download=x.bin style='position:absolute;top:350px;width:1000px;height:300px' onclick='say(\"clicked\")'>load</a>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "left_click(100, 20)");
    says(&mut screen, "cancelled");
    perform(&mut screen, "left_click(500, 700)");
    says(&mut screen, "clicked");
    drawn(&mut screen);
    assert_eq!(windows(&mut screen).len(), 1);
    let folders: Vec<_> = std::fs::read_dir(stage.path(""))
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(folders, ["page.html"]);
}

#[test]
fn masks_hide_areas_and_pages_by_title() {
    let stage =
        Stage::new("<style>html{background:#ff0000}</style><script>onclick = () => say('hit'); say('first')</script>");
    let screen = stage.screen();
    let mask = |target| Mask { target, name: None };
    let red = Some(franz_frame::Color::rgb(255, 0, 0));
    let mut masked = Masked::new(Box::new(screen), vec![mask(MaskTarget::Area([0, 0, 100, 100]))]);
    masked.capture().unwrap();
    assert_ne!(masked.frame().color(50, 30), red);
    assert_eq!(masked.frame().color(500, 500), red);
    drop(masked);
    let mut screen = stage.screen();
    let title = windows(&mut screen)[0].title.clone();
    let mut masked = Masked::new(Box::new(screen), vec![mask(MaskTarget::Window(Glob::new(&title)))]);
    masked.capture().unwrap();
    assert_ne!(masked.frame().color(500, 500), red);
    let at = franz_screen::ActionId { turn: 1, index: 0 };
    let click = "left_click(500, 500)".parse().unwrap();
    let outcome_ = masked.perform(at, &click, &crate::stage::Never).unwrap();
    assert!(!outcome_.is_done(), "{outcome_:?}");
    drop(masked);
    let mut screen = stage.screen();
    says(&mut screen, "first");
    assert!(outcome(&mut screen, "left_click(500, 500)").is_done());
    says(&mut screen, "hit");
}

#[test]
fn keys_of_the_browsers_own_window_open_nothing() {
    let stage =
        Stage::new("<style>html{height:100%}</style><script>let n = 0; onmousedown = () => say('' + ++n)</script>");
    let mut screen = stage.screen();
    let keys = [
        "ctrl+o",
        "ctrl+p",
        "ctrl+s",
        "f12",
        "ctrl+u",
        "ctrl+j",
        "ctrl+n",
        "ctrl+shift+n",
        "f11",
        "ctrl+l",
        "alt+f4",
        "ctrl+shift+w",
        "f1",
    ];
    for (count, key) in (1..).zip(keys) {
        perform(&mut screen, &format!("press(\"{key}\")"));
        perform(&mut screen, "left_click(500, 500)");
        says(&mut screen, &format!("{count}"));
        assert_eq!(windows(&mut screen).len(), 1, "{key}");
    }
}
