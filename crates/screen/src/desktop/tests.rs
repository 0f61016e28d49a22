use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use franz_action::keys::Key;
use franz_action::{Action, Click, Outcome, Point};
use franz_frame::{Area, Frame};

use super::*;
use crate::elements::DesktopLayer;
use crate::interrupt::tests::Fake;

/// A display that reports as little as the trait allows, like a remote desktop. It records the calls that it gets.
#[derive(Clone, Default)]
struct Silent {
    done: Arc<Mutex<Vec<String>>>,
    /// Whether it refuses to release anything.
    stuck: Arc<AtomicBool>,
    /// Whether a press reaches the programs, but fails nevertheless.
    fails: Arc<AtomicBool>,
    /// Where the pointer, the active window and a menu are, if it reports them.
    pointer: Arc<Mutex<Option<(i32, i32)>>>,
    active: Arc<Mutex<Option<Area>>>,
    menu: Arc<Mutex<Option<Area>>>,
}

impl Silent {
    fn note(&self, what: String) {
        self.done.lock().unwrap().push(what);
    }

    fn take(&self) -> Vec<String> {
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

/// Returns a screen of this display whose pointer moves in four steps.
fn screen(display: &Silent) -> Desktop {
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: true,
        pace: Pace::FAST,
    };
    Desktop::new(Box::new(display.clone()), options).unwrap()
}

#[test]
fn on_a_part_of_the_desktop_nothing_is_pressed_outside_it() {
    let display = Silent::default();
    let area = |x, width| Area {
        x,
        y: 0,
        width,
        height: 101,
    };
    let options = DesktopOptions {
        monitor: None,
        region: Some(area(50, 51)),
        cursor: true,
        pace: Pace::FAST,
    };
    let mut screen = Desktop::new(Box::new(display.clone()), options).unwrap();
    let (outside, inside, menu) = (area(0, 40), area(60, 40), Some(area(70, 20)));
    for (pointer, active, menu, action, is_done) in [
        (10, outside, None, "press(\"ctrl+w\")", false),
        (10, outside, None, "type(\"a\")", false),
        (10, outside, None, "hold(\"a\", 0.01)", false),
        // The menu has the keyboard.
        (10, outside, menu, "press(\"ctrl+w\")", true),
        (10, outside, Some(area(0, 20)), "press(\"ctrl+w\")", false),
        (10, inside, None, "press(\"ctrl+w\")", true),
        (10, inside, None, "mouse_down()", false),
        (10, inside, None, "scroll(3)", false),
        (60, inside, None, "scroll(3)", true),
        (10, outside, None, "left_click(500, 500)", true),
    ] {
        *display.pointer.lock().unwrap() = Some((pointer, 10));
        *display.active.lock().unwrap() = Some(active);
        *display.menu.lock().unwrap() = menu;
        let outcome = perform(&mut screen, &action.parse().unwrap());
        assert_eq!(outcome.is_done(), is_done, "{action}: {outcome:?}");
    }
}

fn perform(screen: &mut Desktop, action: &Action) -> Outcome {
    let at = ActionId { turn: 1, index: 0 };
    screen.perform(at, action, &Fake::default()).unwrap()
}

#[test]
fn a_pointer_that_is_not_told_is_where_it_was_put() {
    let display = Silent::default();
    let mut screen = screen(&display);
    screen.capture().unwrap();
    assert_eq!(screen.pointer(), Pointer::default());

    perform(&mut screen, &Action::Move(Point::clamped(100, 100)));
    assert_eq!(display.take().last().unwrap(), "at 10 10");
    perform(&mut screen, &Action::Move(Point::clamped(500, 900)));
    assert_eq!(display.take(), ["at 16 23", "at 30 50", "at 44 78", "at 50 90"]);
    screen.capture().unwrap();
    let pointer = screen.pointer();
    assert_eq!(pointer.current, Some(Point::clamped(500, 900)));
    assert_eq!(pointer.previous, Some(Point::clamped(100, 100)));

    // A drag in a single leap would count as a click.
    perform(
        &mut screen,
        &Action::drag(Point::clamped(500, 900), Point::clamped(500, 100)),
    );
    // A person may have moved the pointer, so it goes to the start again.
    let steps = [
        "at 50 90",
        "Left Down",
        "at 50 78",
        "at 50 50",
        "at 50 23",
        "at 50 10",
        "Left Up",
    ];
    assert_eq!(display.take(), steps);
}

#[test]
fn each_line_end_is_one_press_of_enter() {
    let display = Silent::default();
    let outcome = perform(&mut screen(&display), &Action::typing("a\r\nb\rc\n"));
    assert_eq!(outcome, Outcome::DONE);
    let typed: String = display
        .take()
        .iter()
        .filter_map(|what| what.strip_prefix("types "))
        .collect();
    assert_eq!(typed, "a\nb\rc\n");
}

/// Returns a screen of this display whose pointer moves in eight slow steps.
fn slow_screen(display: &Silent) -> Desktop {
    let pace = Pace {
        move_steps: 8,
        ..Pace::HUMAN
    };
    let mut screen = screen(display);
    screen.options.pace = pace;
    screen
}

#[test]
fn an_approach_ends_at_the_border_and_the_action_goes_on_from_there() {
    let display = Silent::default();
    let mut screen = slow_screen(&display);
    let (from, at) = (Point::clamped(0, 500), Point::clamped(1000, 500));
    let click = |at| {
        Action::Click(Click {
            at,
            button: Button::Left,
            count: 1,
            modifiers: Vec::new(),
        })
    };
    assert_eq!(
        screen.approach(&click(from), &Fake::default()),
        None,
        "its place is unknown"
    );
    perform(&mut screen, &Action::Move(from));
    display.take();
    // The neighbourhood of 100 50 is 20 pixels wide.
    let border = screen.approach(&click(at), &Fake::default());
    assert_eq!(border, Some(Point::clamped(840, 500)));
    let way: Vec<String> = [4, 16, 32, 50, 68, 84].map(|x| format!("at {x} 50")).into();
    assert_eq!(display.take(), way, "nothing is pressed");
    assert_eq!(perform(&mut screen, &click(at)), Outcome::DONE);
    assert_eq!(display.take(), ["at 96 50", "at 100 50", "Left Down", "Left Up"]);
    assert_eq!(screen.approach(&click(at), &Fake::default()), None, "it is there");

    // An action elsewhere does not go on with the movement, and a button that is down is not moved.
    let border = screen.approach(&click(from), &Fake::default());
    assert_eq!(border, Some(Point::clamped(160, 500)));
    display.take();
    perform(&mut screen, &Action::MouseDown(Button::Left, Some(at)));
    let done = display.take();
    assert_eq!((done.len(), done[7].as_str()), (9, "at 100 50"), "{done:?}");
    assert_eq!(screen.approach(&click(from), &Fake::default()), None);
    assert_eq!(display.take(), Vec::<String>::new());
}

#[test]
fn nothing_is_held_after_a_mouse_down_that_failed() {
    let display = Silent::default();
    let mut screen = screen(&display);
    let told = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&told);
    screen.tell_holds(move |holds| {
        noted.lock().unwrap().push(holds.iter().map(Hold::to_string).collect());
        Ok(())
    });
    let down = Action::MouseDown(Button::Left, None);
    display.fails.store(true, Ordering::Relaxed);
    let outcome = perform(&mut screen, &down);
    assert_eq!(outcome, Outcome::NotApplied("it was not understood".to_owned()));
    assert_eq!(display.take(), ["Left Down", "Left Up"]);
    assert_eq!(*told.lock().unwrap(), ["left button", ""]);
    assert_eq!(screen.let_go().unwrap(), Vec::<String>::new());

    // A failed call also releases what an earlier one holds.
    display.fails.store(false, Ordering::Relaxed);
    assert_eq!(perform(&mut screen, &down), Outcome::DONE);
    display.fails.store(true, Ordering::Relaxed);
    perform(&mut screen, &Action::MouseDown(Button::Right, None));
    assert_eq!(display.take(), ["Left Down", "Right Down", "Right Up", "Left Up"]);
    assert_eq!(told.lock().unwrap().last().unwrap(), "");
    assert_eq!(screen.let_go().unwrap(), Vec::<String>::new());
}

#[test]
fn only_a_slow_pointer_is_stopped_on_its_way() {
    let display = Silent::default();
    let mut screen = screen(&display);
    perform(&mut screen, &Action::Move(Point::clamped(0, 500)));
    display.take();
    let down = Action::MouseDown(Button::Left, Some(Point::clamped(1000, 500)));
    assert_eq!(screen.approach(&down, &Fake::default()), None);
    screen.options.pace = Pace::HUMAN;
    assert_eq!(
        screen.approach(&Action::Move(Point::clamped(1000, 500)), &Fake::default()),
        None
    );
    let interrupted = Fake {
        set: true,
        ..Fake::default()
    };
    assert_eq!(screen.approach(&down, &interrupted), None);
    assert!(screen.approach(&down, &Fake::default()).is_some());
}

#[test]
fn what_a_person_does_is_passed_on_at_once() {
    let display = Silent::default();
    let mut screen = screen(&display);
    let waits = Fake::default();
    let (at, to) = (Point::clamped(100, 100), Point::clamped(500, 900));
    let twice = [
        Action::MouseDown(Button::Left, Some(at)),
        Action::MouseUp(Button::Left, Some(at)),
    ];
    let rest = [
        Action::Move(to),
        Action::Press("ctrl+c".parse().unwrap()),
        Action::typing("a b".to_owned()),
    ];
    let drag = [
        Action::MouseDown(Button::Left, None),
        Action::Move(at),
        Action::MouseUp(Button::Left, None),
    ];
    for action in twice.iter().chain(&twice).chain(&rest).chain(&drag) {
        assert_eq!(screen.pass_on(action, &waits).unwrap(), Outcome::DONE);
    }
    assert_eq!(waits.slept.get(), Duration::ZERO, "a double click stays one");
    let done = display.take();
    let click = ["at 10 10", "Left Down", "at 10 10", "Left Up"];
    assert_eq!(done[..8], [click, click].concat()[..], "{done:?}");
    assert_eq!(done[8], "at 50 90");
    assert_eq!(done[done.len() - 3..], ["Left Down", "at 10 10", "Left Up"]);
}

#[test]
fn a_display_without_a_watch_says_so() {
    let mut screen = screen(&Silent::default());
    assert!(screen.watch(|_| ()).unwrap().is_none());
}

/// Interrupts the action after being asked this many times.
struct After(std::cell::Cell<u32>);

impl Interrupt for After {
    fn is_set(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }

    fn sleep(&self, _: Duration) -> bool {
        self.is_set()
    }
}

fn call(text: &str) -> Action {
    text.parse().unwrap()
}

/// Returns the two entries that a hold adds to the record: when it is reported and when it begins.
fn names(hold: Hold) -> [String; 2] {
    match hold {
        Hold::Button(button) => [format!("{button:?} Down"), String::new()],
        Hold::Place(x, y) => [format!("{x} {y}"), String::new()],
        Hold::Key(Key::Named("enter")) => ["enter Down".to_owned(), "types \n".to_owned()],
        Hold::Key(key) => [format!("{key} Down"), format!("types {key}")],
    }
}

#[test]
fn everything_is_told_before_it_is_held_and_after_it_is_released() {
    let actions = [
        Action::left_click(Point::clamped(1, 2)),
        Action::triple_click(Point::clamped(1, 2)),
        Action::drag(Point::clamped(100, 100), Point::clamped(900, 900)),
        Action::Press("ctrl+shift+f9".parse().unwrap()),
        Action::typing("Grü\nße".to_owned()),
        Action::Move(Point::clamped(7, 7)),
        call("left_click(1, 2, count=4, modifiers=\"ctrl+shift\")"),
        call("drag(points=[[100, 100], [900, 100], [500, 900]])"),
        call("type(\"ab\", 1, 2, replace=True)"),
        call("type(\"\", 1, 2, replace=True)"),
        call("press(\"ctrl+a delete\", count=2)"),
        call("hold(\"ctrl+w\", 2)"),
        call("hold(\"right button\", 2, 7, 7)"),
    ];
    let told = Arc::new(Mutex::new(Vec::<Hold>::new()));
    let display = Silent::default();
    let mut screen = screen(&display);
    let (now, notes) = (Arc::clone(&told), display.clone());
    screen.tell_holds(move |holds| {
        let known: Vec<_> = holds.iter().flat_map(|hold| names(*hold)).collect();
        notes.note(format!("told {}", known.join(";")));
        *now.lock().unwrap() = holds.to_vec();
        Ok(())
    });
    let mut tellings = 0;
    for action in &actions {
        for asked in 1.. {
            let at = ActionId { turn: 1, index: 0 };
            let outcome = screen.perform(at, action, &After(asked.into())).unwrap();
            assert_eq!(*told.lock().unwrap(), [], "{action:?}, broken off at {asked}");
            let mut known = Vec::new();
            for note in display.take() {
                if let Some(names) = note.strip_prefix("told ") {
                    known = names.split(';').map(str::to_owned).collect();
                    tellings += 1;
                } else if note.ends_with("Down") || note.starts_with("types") {
                    assert!(
                        known.contains(&note),
                        "{action:?}, broken off at {asked}: {note} is not in {known:?}"
                    );
                }
            }
            if outcome == Outcome::DONE {
                break;
            }
        }
    }
    assert!(tellings > 20, "{tellings}");
}

#[test]
fn a_button_stays_down_until_it_is_let_go() {
    let told = Arc::new(Mutex::new(Vec::<Hold>::new()));
    let display = Silent::default();
    let mut screen = screen(&display);
    let now = Arc::clone(&told);
    screen.tell_holds(move |holds| {
        *now.lock().unwrap() = holds.to_vec();
        Ok(())
    });
    let left = [Hold::Button(Button::Left)];
    let down = call("mouse_down(100, 100)");
    let refused = |screen: &mut Desktop, action: &Action| {
        let outcome = perform(screen, action);
        assert!(matches!(outcome, Outcome::NotApplied(_)), "{action}: {outcome:?}");
    };

    assert_eq!(perform(&mut screen, &down), Outcome::DONE);
    assert_eq!(display.take().last().unwrap(), "Left Down");
    for action in [
        "left_click(1, 2)",
        "drag(1, 2, 3, 4)",
        "mouse_down()",
        "hold(\"left button\", 1)",
    ] {
        refused(&mut screen, &call(action));
    }
    refused(&mut screen, &call("mouse_up(button=\"right\")"));
    perform(&mut screen, &call("press(\"x\")"));
    assert_eq!(*told.lock().unwrap(), left, "whatever else is pressed meanwhile");
    display.take();
    perform(&mut screen, &call("mouse_up(500, 100)"));
    let moved = ["at 16 10", "at 30 10", "at 44 10", "at 50 10", "Left Up"];
    assert_eq!(display.take(), moved);
    assert_eq!(*told.lock().unwrap(), []);

    perform(&mut screen, &down);
    display.take();
    assert_eq!(screen.let_go().unwrap(), ["the left button"]);
    assert_eq!(display.take(), ["Left Up"]);
    assert_eq!(screen.let_go().unwrap(), [""; 0]);

    // An interrupted action does not drop what it drags at an arbitrary position.
    perform(&mut screen, &down);
    perform(&mut screen, &call("move(700, 700)"));
    display.take();
    let at = ActionId { turn: 1, index: 0 };
    let stopped = After(2.into());
    let outcome = screen.perform(at, &call("move(100, 700)"), &stopped).unwrap();
    assert_eq!(outcome, Outcome::Interrupted);
    let done = display.take();
    assert!(
        done.ends_with(&["esc Down".to_owned(), "esc Up".to_owned(), "Left Up".to_owned()]),
        "{done:?}"
    );
    assert_eq!(*told.lock().unwrap(), []);

    perform(&mut screen, &down);
    display.take();
    drop(screen);
    assert_eq!(display.take(), ["Left Up"]);
}

#[test]
fn what_could_not_be_released_is_still_known() {
    let told = Arc::new(Mutex::new(Vec::<Hold>::new()));
    let display = Silent::default();
    let mut screen = screen(&display);
    let now = Arc::clone(&told);
    screen.tell_holds(move |holds| {
        *now.lock().unwrap() = holds.to_vec();
        Ok(())
    });
    display.stuck.store(true, Ordering::Relaxed);
    perform(&mut screen, &Action::left_click(Point::clamped(0, 0)));
    screen.close().unwrap_err();
    let left = [Hold::Button(Button::Left)];
    assert_eq!(*told.lock().unwrap(), left);
    perform(&mut screen, &Action::Move(Point::clamped(0, 0)));
    assert_eq!(*told.lock().unwrap(), left, "another action changes nothing about it");
    display.stuck.store(false, Ordering::Relaxed);
    screen.close().unwrap();
    assert_eq!(*told.lock().unwrap(), []);
    assert_eq!(display.take().last().unwrap(), "Left Up");
}

#[test]
fn what_could_not_be_released_is_released_at_the_end_of_the_reply() {
    let display = Silent::default();
    let mut screen = screen(&display);
    display.stuck.store(true, Ordering::Relaxed);
    perform(&mut screen, &Action::left_click(Point::clamped(0, 0)));
    display.stuck.store(false, Ordering::Relaxed);
    display.take();
    screen.let_go().unwrap();
    assert_eq!(display.take(), ["Left Up"]);
}

#[test]
fn nothing_is_pressed_that_cannot_be_told() {
    let display = Silent::default();
    let mut screen = screen(&display);
    screen.tell_holds(|_| Err(io::ErrorKind::BrokenPipe.into()));
    for action in [
        Action::left_click(Point::clamped(0, 0)),
        Action::Press("ctrl+c".parse().unwrap()),
        Action::typing("a".to_owned()),
    ] {
        let outcome = perform(&mut screen, &action);
        assert!(
            matches!(&outcome, Outcome::NotApplied(why) if why.contains("guardian")),
            "{outcome:?}"
        );
        let done = display.take();
        assert!(done.iter().all(|done| done.starts_with("at ")), "{done:?}");
    }
}

#[test]
fn what_a_display_does_not_know_of_is_released_by_those_who_do() {
    let mut display = Silent::default();
    assert_eq!(release(&mut display, &[]).unwrap(), None);
    let known = [
        Hold::Key(Key::Named("esc")),
        Hold::typing('A'),
        Hold::Button(Button::Left),
    ];
    let released = release(&mut display, &known).unwrap().unwrap();
    assert_eq!(released, ["key esc", "character 41", "left button"]);
    assert_eq!(display.take(), ["Left Up", "A Up", "esc Up"]);
}
