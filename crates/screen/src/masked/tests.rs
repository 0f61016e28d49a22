use std::sync::{Arc, Mutex};

use franz_action::{Button, Keys};
use franz_frame::PixelFormat;

use super::*;
use crate::elements::{DesktopLayer, Elements, ScreenElement};
use crate::interrupt::tests::Fake;
use crate::window::Window;

/// The contents of a test screen.
#[derive(Default)]
struct Shown {
    /// The shades of the pixels outside the window and of those inside.
    shades: (u8, u8),
    /// The area of the window that holds the secret.
    window: Option<Area>,
    /// Whether the window is in front.
    is_active: bool,
    /// Where the window moves while the next pictures are taken.
    moves: Vec<Area>,
    /// Whether the screen knows no windows.
    is_blind: bool,
    change: Option<Change>,
    owner: Option<Vec<String>>,
    done: Vec<String>,
    fails: bool,
}

/// A screen that shows what a test dictates.
struct Scripted {
    shown: Arc<Mutex<Shown>>,
    frame: Frame,
    pointer: Pointer,
}

const SIDE: u32 = 101;

fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
    Area { x, y, width, height }
}

fn window(place: Option<Area>, is_active: bool) -> Window {
    Window {
        id: WindowId(1),
        title: "Vault".to_owned(),
        class: "vault".to_owned(),
        place,
        is_active,
        dialog_of: None,
    }
}

impl Screen for Scripted {
    fn size(&self) -> (u32, u32) {
        (SIDE, SIDE)
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        let mut shown = self.shown.lock().unwrap();
        if shown.fails {
            return Err(CaptureError { source: "gone".into() });
        }
        if let Some(next) = shown.moves.pop() {
            shown.window = Some(next);
        }
        self.frame.data_mut().fill(shown.shades.0);
        if let Some(window) = shown.window {
            let row = vec![shown.shades.1; window.width as usize * window.height as usize];
            self.frame.update(window, &row, window.width as usize);
        }
        Ok(&self.frame)
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn change(&self) -> Change {
        self.shown.lock().unwrap().change.unwrap_or_default()
    }

    fn perform(&mut self, _: ActionId, action: &Action, _: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        self.shown.lock().unwrap().done.push(action.to_string());
        if let Some(at) = action.pointer() {
            self.pointer.move_to(at);
        }
        Ok(Outcome::DONE)
    }

    fn pointer(&self) -> Pointer {
        self.pointer
    }

    fn windows(&mut self) -> Result<Option<Vec<ScreenWindow>>, ScreenError> {
        let shown = self.shown.lock().unwrap();
        let window = window(shown.window, shown.is_active).seen_in(Area::whole(SIDE, SIDE));
        Ok((!shown.is_blind).then(|| vec![window]))
    }

    fn stacking(&mut self) -> Result<Option<Stacking>, ScreenError> {
        let shown = self.shown.lock().unwrap();
        let layer = shown.window.map(|area| DesktopLayer {
            area,
            path: area,
            process: None,
            window: Some(WindowId(1)),
            maker: None,
            names: Vec::new(),
        });
        let stacking = Stacking {
            windows: vec![window(shown.window, shown.is_active)],
            layers: Some(layer.into_iter().collect()),
        };
        Ok((!shown.is_blind).then_some(stacking))
    }

    fn elements(&mut self) -> Result<Option<ScreenElements>, ScreenError> {
        let element = |name: &str, x: i64| ScreenElement {
            role: "button",
            name: name.to_owned(),
            place: (Point::clamped(x, 0), Point::clamped(x + 50, 50)),
            is_enabled: true,
            is_checked: false,
        };
        Ok(Some(Elements {
            list: vec![element("under", 0), element("beside", 600)],
            left_out: 0,
            is_complete: true,
            silent: vec![WindowId(1), WindowId(2)],
        }))
    }

    fn clipboard_length(&mut self) -> Option<usize> {
        Some(6)
    }

    fn clipboard_owner(&mut self) -> Result<Option<Vec<String>>, ScreenError> {
        Ok(self.shown.lock().unwrap().owner.clone())
    }

    fn focus(&mut self, _: WindowId) -> Result<bool, ScreenError> {
        Ok(true)
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        Ok(())
    }
}

fn of_window() -> Vec<Mask> {
    vec![Mask {
        target: MaskTarget::Window(Glob::new("vault")),
        name: None,
    }]
}

fn of_area(area: [u16; 4]) -> Vec<Mask> {
    vec![Mask {
        target: MaskTarget::Area(area),
        name: None,
    }]
}

fn screen(masks: Vec<Mask>, shown: Shown) -> (Masked, Arc<Mutex<Shown>>) {
    let shown = Arc::new(Mutex::new(shown));
    let inner = Scripted {
        shown: Arc::clone(&shown),
        frame: Frame::black(SIDE, SIDE, PixelFormat::Gray8).unwrap(),
        pointer: Pointer::default(),
    };
    (Masked::new(Box::new(inner), masks), shown)
}

/// A shade that masks never use.
const SECRET: u8 = 250;

fn vault(place: Area) -> Shown {
    Shown {
        shades: (10, SECRET),
        window: Some(place),
        ..Shown::default()
    }
}

/// Returns whether any pixel of the secret is visible.
fn leaks(screen: &Masked) -> bool {
    screen.frame().data().contains(&SECRET)
}

fn perform(screen: &mut Masked, action: &Action) -> Outcome {
    let at = ActionId { turn: 1, index: 0 };
    screen.perform(at, action, &Fake::default()).unwrap()
}

fn blocked(why: &str) -> Outcome {
    Outcome::Blocked(Some(why.to_owned()))
}

#[test]
fn a_secret_is_seen_without_a_mask_and_not_with_one() {
    let place = area(20, 20, 30, 30);
    let (mut bare, _) = screen(Vec::new(), vault(place));
    bare.capture().unwrap();
    assert!(leaks(&bare));
    for masks in [of_window(), of_area([200, 200, 500, 500])] {
        let (mut masked, _) = screen(masks, vault(place));
        masked.capture().unwrap();
        assert!(!leaks(&masked));
        assert_eq!(masked.frame().color(90, 90), bare.frame().color(90, 90));
        masked.look().unwrap();
        assert!(!leaks(&masked));
        masked.set_masks(Vec::new());
        masked.capture().unwrap();
        assert!(leaks(&masked), "it was only masked");
    }
    bare.set_masks(of_window());
    assert!(!leaks(&bare), "the last picture is masked as soon as there is a mask");
}

#[test]
fn other_masks_count_from_the_next_picture_on_and_uncover_nothing_before() {
    let (mut masked, shown) = screen(of_window(), vault(area(20, 20, 30, 30)));
    masked.capture().unwrap();
    shown.lock().unwrap().window = Some(area(60, 60, 30, 30));
    masked.set_masks([of_window(), of_area([0, 0, 50, 50])].concat());
    assert!(!leaks(&masked), "the last picture shows it where it was");
    masked.capture().unwrap();
    assert!(!leaks(&masked));
    masked.set_masks(of_area([0, 0, 50, 50]));
    assert!(!leaks(&masked));
    masked.capture().unwrap();
    assert!(leaks(&masked), "it is not masked any more");
}

#[test]
fn a_window_that_moves_meanwhile_is_masked() {
    // In each picture, the window is at a different position from the one in the preceding list.
    let moves = |count: i32| (0..count).map(|at| area(5 + 9 * at, 30, 20, 20)).collect();
    for count in 1..=6 {
        let (mut masked, _) = screen(
            of_window(),
            Shown {
                moves: moves(count),
                ..vault(area(80, 80, 20, 20))
            },
        );
        for _ in 0..4 {
            masked.capture().unwrap();
            assert!(!leaks(&masked), "{count}");
        }
    }
}

#[test]
fn all_is_masked_where_windows_are_not_known() {
    let (mut masked, shown) = screen(of_window(), vault(area(20, 20, 30, 30)));
    shown.lock().unwrap().is_blind = true;
    masked.capture().unwrap();
    assert!(masked.is_blind() && !masked.frame().data().contains(&10));
    assert_eq!(perform(&mut masked, &Action::typing("a")), blocked(FRONT));
    assert_eq!(
        perform(&mut masked, &Action::left_click(Point::clamped(999, 999))),
        blocked(PLACE)
    );
}

#[test]
fn what_changes_under_a_mask_does_not_change() {
    let everywhere = Change::Within(Point::clamped(0, 0), Point::clamped(1000, 1000));
    let (mut masked, shown) = screen(of_window(), vault(area(20, 20, 30, 30)));
    masked.capture().unwrap();
    assert_eq!(masked.change(), Change::Unknown);
    masked.capture().unwrap();
    assert_eq!(masked.change(), Change::Nothing);
    let mut next = |shades: (u8, u8), change: Change| {
        {
            let mut shown = shown.lock().unwrap();
            (shown.shades, shown.change) = (shades, Some(change));
        }
        masked.capture().unwrap();
        masked.change()
    };
    assert_eq!(next((10, 251), everywhere), Change::Nothing);
    assert_eq!(next((11, 251), everywhere), everywhere);
    assert_eq!(next((11, 251), Change::Cursor), Change::Nothing, "it is under the mask");
    assert_eq!(next((12, 251), Change::Cursor), Change::Cursor);
    assert_eq!(next((13, 251), Change::Unknown), everywhere);
    let corner = Change::Within(Point::clamped(0, 0), Point::clamped(100, 100));
    assert_eq!(
        next((14, 251), corner),
        Change::Within(Point::clamped(0, 0), Point::clamped(110, 110))
    );
    shown.lock().unwrap().window = Some(area(60, 60, 30, 30));
    masked.capture().unwrap();
    assert!(matches!(masked.change(), Change::Within(..)), "the mask has moved");
    shown.lock().unwrap().fails = true;
    masked.capture().unwrap_err();
    assert_eq!(masked.change(), Change::Unknown);
    assert!(!leaks(&masked));
}

#[test]
fn nothing_is_done_at_a_masked_place() {
    let at = |x, y| Point::clamped(x, y);
    let (inside, outside) = (at(300, 300), at(900, 900));
    let keys = |text: &str| text.parse::<Keys>().unwrap();
    let typing = |at: Point| Action::typing("a").placed(at);
    let scroll = |at: Option<Point>| Action::Scroll { dy: 1, dx: 0, at };
    for (action, refused) in [
        (Action::left_click(inside), true),
        (Action::double_click(inside), true),
        (Action::left_click(outside), false),
        // The mask extends 8 pixels beyond its window.
        (Action::left_click(at(130, 300)), true),
        (Action::left_click(at(110, 300)), false),
        (Action::Move(inside), true),
        (Action::Move(outside), false),
        (Action::drag(at(0, 0), inside), true),
        (Action::drag(inside, at(0, 0)), true),
        (Action::drag(at(0, 0), at(1000, 1000)), true),
        (Action::drag(at(0, 1000), at(1000, 1000)), false),
        (scroll(Some(inside)), true),
        (scroll(Some(outside)), false),
        (scroll(None), false),
        (typing(inside), true),
        (typing(outside), false),
        (Action::MouseDown(Button::Left, Some(inside)), true),
        (Action::MouseUp(Button::Left, Some(inside)), true),
        (Action::Press(keys("a")), false),
        (Action::ReadClipboard, false),
        (Action::Wait(1.0), false),
    ] {
        for masks in [of_window(), of_area([120, 120, 580, 580])] {
            let (mut masked, shown) = screen(masks, vault(area(20, 20, 30, 30)));
            masked.capture().unwrap();
            let expected = if refused { blocked(PLACE) } else { Outcome::DONE };
            assert_eq!(perform(&mut masked, &action), expected, "{action}");
            assert_eq!(shown.lock().unwrap().done.is_empty(), refused, "{action}");
        }
        let (mut bare, _) = screen(Vec::new(), vault(area(20, 20, 30, 30)));
        assert_eq!(perform(&mut bare, &action), Outcome::DONE, "{action}");
    }
}

#[test]
fn a_pointer_that_is_where_a_mask_comes_does_nothing_there() {
    let inside = Point::clamped(300, 300);
    let (mut masked, shown) = screen(of_window(), vault(area(80, 80, 10, 10)));
    perform(&mut masked, &Action::Move(inside));
    shown.lock().unwrap().window = Some(area(20, 20, 30, 30));
    for action in [
        Action::Scroll { dy: 1, dx: 0, at: None },
        Action::MouseDown(Button::Left, None),
        Action::MouseUp(Button::Left, None),
    ] {
        assert_eq!(perform(&mut masked, &action), blocked(PLACE), "{action}");
    }
    assert_eq!(perform(&mut masked, &Action::typing("a")), Outcome::DONE);
}

#[test]
fn nothing_is_dragged_across_a_mask_by_hand() {
    let (left, right) = (Point::clamped(0, 300), Point::clamped(1000, 300));
    let (mut masked, _) = screen(of_window(), vault(area(20, 20, 30, 30)));
    perform(&mut masked, &Action::Move(left));
    assert_eq!(perform(&mut masked, &Action::Move(right)), Outcome::DONE);
    perform(&mut masked, &Action::MouseDown(Button::Left, Some(left)));
    assert_eq!(perform(&mut masked, &Action::Move(right)), blocked(PLACE));
    assert_eq!(
        perform(&mut masked, &Action::MouseUp(Button::Left, Some(right))),
        blocked(PLACE)
    );
    masked.let_go().unwrap();
    assert_eq!(perform(&mut masked, &Action::Move(right)), Outcome::DONE);
    // Another button that is pressed and released meanwhile changes nothing.
    for action in [
        Action::MouseDown(Button::Left, Some(left)),
        Action::MouseDown(Button::Right, None),
        Action::MouseUp(Button::Right, None),
    ] {
        assert_eq!(perform(&mut masked, &action), Outcome::DONE, "{action}");
    }
    assert_eq!(perform(&mut masked, &Action::Move(right)), blocked(PLACE));
}

#[test]
fn no_key_is_pressed_while_a_masked_window_is_in_front() {
    let outside = Point::clamped(900, 900);
    let keys: Keys = "ctrl+v".parse().unwrap();
    for (action, refused) in [
        (Action::typing("a"), true),
        (Action::typing("a").placed(outside), true),
        (Action::Press(keys), true),
        (Action::left_click(outside), false),
        (Action::Wait(1.0), false),
        (Action::WriteClipboard("a".to_owned()), false),
    ] {
        let (mut masked, shown) = screen(of_window(), vault(area(20, 20, 30, 30)));
        shown.lock().unwrap().is_active = true;
        let expected = if refused { blocked(FRONT) } else { Outcome::DONE };
        assert_eq!(perform(&mut masked, &action), expected, "{action}");
    }
}

#[test]
fn the_clipboard_of_a_masked_program_is_not_read() {
    let owned = |name: &str| Some(vec!["x".to_owned(), name.to_owned()]);
    for (owner, is_active, masks, refused) in [
        (owned("Vault"), false, of_window(), true),
        (owned("Mail"), false, of_window(), false),
        (None, false, of_window(), false),
        (None, true, of_window(), true),
        (owned("Vault"), true, Vec::new(), false),
        (owned("Vault"), false, of_area([900, 900, 1000, 1000]), false),
    ] {
        let (mut masked, shown) = screen(masks, vault(area(20, 20, 30, 30)));
        {
            let mut shown = shown.lock().unwrap();
            (shown.owner, shown.is_active) = (owner, is_active);
        }
        let expected = if refused { blocked(CLIPBOARD) } else { Outcome::DONE };
        assert_eq!(perform(&mut masked, &Action::ReadClipboard), expected);
        assert_eq!(masked.clipboard_length().is_none(), refused);
    }
}

#[test]
fn titles_and_elements_of_what_is_masked_are_withheld() {
    for masks in [of_window(), of_area([0, 0, 400, 400])] {
        let (mut masked, _) = screen(masks, vault(area(0, 0, 30, 30)));
        masked.capture().unwrap();
        let windows = masked.windows().unwrap().unwrap();
        assert_eq!((windows[0].title.as_str(), windows[0].class.as_str()), (MASKED, ""));
        let elements = masked.elements().unwrap().unwrap();
        let names: Vec<_> = elements.list.iter().map(|element| element.name.as_str()).collect();
        assert_eq!(names, ["beside"]);
        assert_eq!(elements.silent, [WindowId(2)]);
        assert_eq!(masked.refuses_window(WindowId(1)), Some(WINDOW));
        assert_eq!(masked.focus(WindowId(1)).unwrap_err().to_string(), WINDOW);
        assert!(masked.focus(WindowId(2)).unwrap());
    }
    let (mut bare, _) = screen(Vec::new(), vault(area(0, 0, 30, 30)));
    assert_eq!(bare.windows().unwrap().unwrap()[0].title, "Vault");
    assert_eq!(bare.elements().unwrap().unwrap().list.len(), 2);
    assert!(bare.focus(WindowId(1)).unwrap());
}
