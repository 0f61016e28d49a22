//! Measures how long it takes to look at a VNC screen and to act on it: `cargo run --release --example vnc_figures`.
//! Starts its own server, and needs `Xtigervnc` and xterm.
#![allow(
    clippy::disallowed_methods,
    reason = "it starts programs and writes files as anybody would"
)]

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn main() {}

#[cfg(all(unix, not(target_os = "macos")))]
#[path = "../tests/desktop/client.rs"]
#[allow(dead_code, reason = "shared with the tests, and not all of it is used here")]
mod client;
#[cfg(all(unix, not(target_os = "macos")))]
#[path = "../tests/desktop/stage.rs"]
#[allow(dead_code, reason = "shared with the tests, and not all of it is used here")]
mod stage;
#[cfg(all(unix, not(target_os = "macos")))]
#[path = "../tests/desktop/vnc_host.rs"]
#[allow(dead_code, reason = "shared with the tests, and not all of it is used here")]
mod vnc_host;

#[cfg(all(unix, not(target_os = "macos")))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    figures::all()
}

#[cfg(all(unix, not(target_os = "macos")))]
mod figures {
    use std::error::Error;
    use std::time::{Duration, Instant};

    use franz_action::{Action, Point};
    use franz_frame::{Area, Frame, PixelFormat};
    use franz_screen::desktop::{self, DesktopOptions, Display, Pace};
    use franz_screen::{Desktop, Target};

    use crate::stage::{drawn, perform};
    use crate::vnc_host::{Security, VncHost};

    type Done = Result<(), Box<dyn Error>>;

    const WHOLE: Area = Area {
        x: 0,
        y: 0,
        width: 1920,
        height: 1080,
    };

    pub(super) fn all() -> Done {
        let mut host = VncHost::start(Security::Open);
        host.resize(1920, 1080);
        host.run(
            "xterm",
            &[
                "-geometry",
                "120x40+200+100",
                "-e",
                "ls -lR /usr/lib | head -n 400; cat",
            ],
        );
        let options = DesktopOptions {
            monitor: None,
            region: None,
            cursor: true,
            pace: Pace::FAST,
        };
        let mut screen = Desktop::new(open(&host)?, options)?;
        drawn(&mut screen);
        perform(&mut screen, &Action::left_click(Point::clamped(300, 400)));
        drawn(&mut screen);
        drop(screen);

        let mut frame = Frame::black(WHOLE.width, WHOLE.height, PixelFormat::Bgrx8)?;
        figure("connecting", 20, || {
            let began = Instant::now();
            open(&host)?;
            Ok(began.elapsed())
        })?;
        figure("a whole new picture", 20, || {
            let mut display = open(&host)?;
            let began = Instant::now();
            display.capture(WHOLE, &mut frame)?;
            Ok(began.elapsed())
        })?;
        let mut display = open(&host)?;
        display.capture(WHOLE, &mut frame)?;
        figure("nothing changed", 100, || {
            let began = Instant::now();
            display.capture(WHOLE, &mut frame)?;
            Ok(began.elapsed())
        })?;
        figure("from a key to its pixels", 50, || {
            // First capture everything that the previous key changed.
            let mut since = Instant::now();
            while since.elapsed() < Duration::from_millis(60) {
                if display.capture(WHOLE, &mut frame)?.is_some() {
                    since = Instant::now();
                }
            }
            let began = Instant::now();
            display.type_text("x", &mut |_| true)?;
            while display.capture(WHOLE, &mut frame)?.is_none() {}
            Ok(began.elapsed())
        })
    }

    fn open(host: &VncHost) -> Result<Box<dyn Display>, Box<dyn Error>> {
        Ok(desktop::open(&Target::Vnc(Box::new(host.server())))?)
    }

    /// Prints the median and the maximum of the measured times.
    fn figure(name: &str, times: usize, mut once: impl FnMut() -> Result<Duration, Box<dyn Error>>) -> Done {
        let mut took = (0..times).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
        took.sort_unstable();
        println!(
            "{name}: {:?}, at most {:?}",
            took.get(times / 2).copied().unwrap_or_default(),
            took.last().copied().unwrap_or_default()
        );
        Ok(())
    }
}
