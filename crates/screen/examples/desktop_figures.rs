//! Measures how long it takes to look at an X11 desktop and to act on it: `cargo run --example desktop_figures`. Starts
//! its own desktop, and needs Xvfb, a window manager, mtpaint and xterm.

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn main() {}

#[cfg(all(unix, not(target_os = "macos")))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    figures::all()
}

#[cfg(all(unix, not(target_os = "macos")))]
mod figures {
    use std::error::Error;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use franz_action::{Action, Point};
    use franz_frame::{Area, Frame, PixelFormat};
    use franz_screen::child::Environment;
    use franz_screen::desktop::{DesktopOptions, Display, Pace};
    use franz_screen::{ActionId, Desktop, Interrupt, PrivateDesktop, Screen, private_desktop};
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{
        ChangeGCAux, ConnectionExt, CreateGCAux, Gcontext, Rectangle, SubwindowMode, Window,
    };
    use x11rb::rust_connection::RustConnection;

    type Done = Result<(), Box<dyn Error>>;

    const WHOLE: Area = Area {
        x: 0,
        y: 0,
        width: 1920,
        height: 1080,
    };

    pub(super) fn all() -> Done {
        let mut desktop = private_desktop::start(&private_desktop::PrivateDesktopOptions {
            width: WHOLE.width,
            height: WHOLE.height,
            elements: false,
        })?;
        let mut display = desktop.open()?;
        looks(&*desktop, &mut *display)?;
        gestures(&mut *desktop)?;
        texts(&mut *desktop, &mut *display)
    }

    /// Prints the median of the measured times.
    fn figure(name: &str, times: usize, mut once: impl FnMut() -> Result<Duration, Box<dyn Error>>) -> Done {
        let mut took = (0..times).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
        took.sort_unstable();
        println!("{name}: {:?}", took.get(times / 2).copied().unwrap_or_default());
        Ok(())
    }

    fn looks(desktop: &dyn PrivateDesktop, display: &mut dyn Display) -> Done {
        let mut painter = Painter::on(desktop)?;
        let mut frame = Frame::black(WHOLE.width, WHOLE.height, PixelFormat::Bgrx8)?;
        display.capture(WHOLE, &mut frame)?;
        for (name, size) in [
            ("nothing changed", (0, 0)),
            ("400x60 changed", (400, 60)),
            ("1820x980 changed", (1820, 980)),
        ] {
            figure(name, 200, || {
                painter.paint(size)?;
                let began = Instant::now();
                display.capture(WHOLE, &mut frame)?;
                Ok(began.elapsed())
            })?;
        }
        let mut height = WHOLE.height;
        figure("a new picture", 60, || {
            // The area changes every time, so that the display fetches all of it.
            height -= 1;
            let area = Area { height, ..WHOLE };
            let mut frame = Frame::black(area.width, area.height, PixelFormat::Bgrx8)?;
            let began = Instant::now();
            display.capture(area, &mut frame)?;
            Ok(began.elapsed())
        })?;
        figure("the cursor", 200, || {
            let began = Instant::now();
            display.cursor()?;
            Ok(began.elapsed())
        })
    }

    fn gestures(desktop: &mut dyn PrivateDesktop) -> Done {
        desktop.spawn("exec mtpaint", &Environment::guest(&[]))?;
        sleep(Duration::from_secs(3));
        let options = DesktopOptions {
            monitor: None,
            region: None,
            cursor: true,
            pace: Pace::FAST,
        };
        let mut screen = Desktop::new(desktop.open()?, options)?;
        for (name, action) in [
            ("a click", Action::left_click(Point::clamped(200, 200))),
            (
                "a drag",
                Action::drag(Point::clamped(150, 250), Point::clamped(250, 300)),
            ),
        ] {
            figure(name, 9, || {
                // Wait longer than the double-click time. Otherwise the measured click would include that wait.
                sleep(Duration::from_millis(700));
                let began = Instant::now();
                screen.perform(ActionId { turn: 1, index: 0 }, &action, &Never)?;
                Ok(began.elapsed())
            })?;
        }
        Ok(())
    }

    fn texts(desktop: &mut dyn PrivateDesktop, display: &mut dyn Display) -> Done {
        desktop.spawn("exec xterm -e 'cat > /dev/null'", &Environment::guest(&[]))?;
        sleep(Duration::from_secs(3));
        let chinese = (0x4e00..0x4e78).filter_map(char::from_u32).collect();
        for (name, text) in [
            (
                "of the layout",
                "The quick brown fox jumps over the lazy dog. ".repeat(40),
            ),
            ("with 17 others", "äöüÄÖÜß€éèàçñøåæœ ".repeat(20)),
            ("all different", chinese),
        ] {
            let began = Instant::now();
            display.type_text(&text, &mut |_| true)?;
            let (took, count) = (began.elapsed(), text.chars().count());
            println!(
                "{count} characters {name}: {took:?}, {:.0}/s",
                count as f64 / took.as_secs_f64()
            );
        }
        Ok(())
    }

    struct Never;

    impl Interrupt for Never {
        fn is_set(&self) -> bool {
            false
        }

        fn sleep(&self, duration: Duration) -> bool {
            sleep(duration);
            false
        }
    }

    /// Draws on the desktop.
    struct Painter {
        connection: RustConnection,
        root: Window,
        context: Gcontext,
        color: u32,
    }

    impl Painter {
        fn on(desktop: &dyn PrivateDesktop) -> Result<Painter, Box<dyn Error>> {
            for (name, value) in desktop.environment() {
                // SAFETY: no other thread of this example touches the environment.
                #[expect(unsafe_code)]
                unsafe {
                    std::env::set_var(name, value);
                }
            }
            let (connection, screen) = x11rb::connect(None)?;
            let root = connection.setup().roots.get(screen).ok_or("there is no screen")?.root;
            let context = connection.generate_id()?;
            let aux = CreateGCAux::new().subwindow_mode(SubwindowMode::INCLUDE_INFERIORS);
            connection.create_gc(context, root, &aux)?;
            Ok(Painter {
                connection,
                root,
                context,
                color: 0,
            })
        }

        /// Fills a part of this size with a new colour.
        fn paint(&mut self, (width, height): (u16, u16)) -> Done {
            self.color = (self.color + 0x0010_2030) & 0x00ff_ffff;
            let aux = ChangeGCAux::new().foreground(self.color);
            self.connection.change_gc(self.context, &aux)?;
            let (x, y) = (100, 100);
            let rectangle = Rectangle { x, y, width, height };
            let filled = self
                .connection
                .poly_fill_rectangle(self.root, self.context, &[rectangle])?;
            Ok(filled.check()?)
        }
    }
}
