//! A browser with one page, which reports in its title what happened on it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use franz_action::{Action, Outcome};
use franz_screen::ScreenWindow;
use franz_screen::desktop::{Desktop, DesktopOptions, Pace};
use franz_screen::{ActionId, Browser, BrowserOptions, Change, Interrupt, Screen};
use tempfile::TempDir;

pub(crate) const WIDTH: u32 = 1000;
pub(crate) const HEIGHT: u32 = 700;

/// How long to wait for something, because programs are slow on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// The beginning of every page. `say` puts text into the title, as code points, because titles lose white space.
const HEAD: &str = "<!doctype html><meta charset=utf-8><title>-</title><script>\
    const say = text => document.title = Array.from(text, c => c.codePointAt(0).toString(16)).join(' ') || '-';\
    </script><body style='margin:0'>";

pub(crate) struct Stage {
    pub(crate) browser: Browser,
    directory: TempDir,
}

impl Stage {
    /// Opens a page.
    pub(crate) fn new(page: &str) -> Stage {
        Stage::of(page, WIDTH, HEIGHT, 1.0)
    }

    pub(crate) fn of(page: &str, width: u32, height: u32, scale: f64) -> Stage {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("page.html");
        std::fs::write(&file, format!("{HEAD}{page}")).unwrap();
        let options = BrowserOptions {
            program: Some("chromium".to_owned()),
            url: Some(format!("file://{}", file.display())),
            width,
            height,
            scale,
        };
        Stage {
            browser: Browser::start(&options).unwrap(),
            directory,
        }
    }

    /// Adds a page next to the first one.
    pub(crate) fn add(&self, name: &str, page: &str) {
        std::fs::write(self.path(name), format!("{HEAD}{page}")).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn screen(&self) -> Desktop {
        self.screen_at(Pace::FAST)
    }

    /// Returns the screen once its page has been painted: a page loses any input that arrives before that.
    pub(crate) fn screen_at(&self, pace: Pace) -> Desktop {
        let options = DesktopOptions {
            monitor: None,
            region: None,
            cursor: false,
            pace,
        };
        let mut screen = Desktop::new(self.browser.open().unwrap(), options).unwrap();
        drawn(&mut screen);
        screen
    }
}

/// Returns the windows, the one in front first.
pub(crate) fn windows(screen: &mut Desktop) -> Vec<ScreenWindow> {
    screen.windows().unwrap().unwrap()
}

/// Returns the title of the window in front.
pub(crate) fn title(screen: &mut Desktop) -> String {
    windows(screen).remove(0).title
}

/// Returns the last text that the page in front reported.
pub(crate) fn said(screen: &mut Desktop) -> String {
    title(screen)
        .split(' ')
        .filter_map(|word| char::from_u32(u32::from_str_radix(word, 16).ok()?))
        .collect()
}

/// Waits until the page reports this text.
pub(crate) fn says(screen: &mut Desktop, expected: &str) {
    let deadline = Instant::now() + PATIENCE / 2;
    // Compare and assert the same answer: when asked a second time, a reloaded page might not have reported anything
    // yet.
    let mut told = said(screen);
    while told != expected && Instant::now() < deadline {
        std::thread::park_timeout(Duration::from_millis(5));
        told = said(screen);
    }
    assert_eq!(told, expected, "{:?}", windows(screen));
}

/// Polls until there is a result; panics if there is none for a long time.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "it never came about that {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// Waits until the picture stops changing.
pub(crate) fn drawn(screen: &mut Desktop) {
    let mut since = Instant::now();
    until("nothing changes any more", || {
        screen.capture().unwrap();
        if screen.change() != Change::Nothing {
            since = Instant::now();
        }
        (since.elapsed() > Duration::from_millis(300)).then_some(())
    });
}

/// An interrupt that is never set and sleeps for the full time.
pub(crate) struct Never;

impl Interrupt for Never {
    fn is_set(&self) -> bool {
        false
    }

    fn sleep(&self, duration: Duration) -> bool {
        std::thread::sleep(duration);
        false
    }
}

/// Performs a call; returns its outcome.
pub(crate) fn outcome(screen: &mut Desktop, call: &str) -> Outcome {
    let action: Action = call.parse().unwrap();
    screen.perform(ActionId { turn: 1, index: 0 }, &action, &Never).unwrap()
}

/// Performs a call, which must be carried out in full.
pub(crate) fn perform(screen: &mut Desktop, call: &str) {
    assert_eq!(outcome(screen, call), Outcome::DONE, "{call}");
}
