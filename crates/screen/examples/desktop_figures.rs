//! What a look at an X11 desktop costs, and how fast it is typed: `cargo run --example desktop_figures`. It starts a desktop of its own.

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn main() {}

#[cfg(all(unix, not(target_os = "macos")))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::time::{Duration, Instant};

    use franz_action::{Action, Point};
    use franz_frame::{Area, Frame, PixelFormat};
    use franz_screen::{Interrupt, Screen, Step};
    use franz_screen::{PrivateDesktop, private_desktop::Options};
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{ChangeGCAux, ConnectionExt, CreateGCAux, Rectangle};

    struct Never;
    impl Interrupt for Never {
        fn is_set(&self) -> bool {
            false
        }

        fn sleep(&self, duration: Duration) -> bool {
            std::thread::sleep(duration);
            false
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    let mut desktop = PrivateDesktop::start(&Options {
        width: 1920,
        height: 1080,
    })?;
    let mut display = desktop.open()?;
    let whole = Area::whole(1920, 1080);
    let mut frame = Frame::black(1920, 1080, PixelFormat::Bgrx8)?;

    for (name, value) in desktop.environment() {
        // SAFETY: no other thread of this example reads the environment.
        #[expect(unsafe_code, reason = "x11rb reads where the display is from the environment")]
        unsafe {
            std::env::set_var(name, value);
        }
    }
    let (painter, screen) = x11rb::connect(None)?;
    let root = painter.setup().roots.get(screen).ok_or("no screen")?.root;
    let gc = painter.generate_id()?;
    painter.create_gc(
        gc,
        root,
        &CreateGCAux::new().subwindow_mode(x11rb::protocol::xproto::SubwindowMode::INCLUDE_INFERIORS),
    )?;
    let mut color = 0;
    let mut paint = |width, height| -> Result<(), Box<dyn std::error::Error>> {
        color += 0x0010_2030;
        painter.change_gc(gc, &ChangeGCAux::new().foreground(color & 0x00ff_ffff))?;
        let rectangle = Rectangle {
            x: 100,
            y: 100,
            width,
            height,
        };
        painter.poly_fill_rectangle(root, gc, &[rectangle])?;
        painter.get_input_focus()?.reply()?;
        Ok(())
    };
    display.capture(whole, &mut frame)?;
    for (name, size) in [
        ("nothing changed", (0, 0)),
        ("400x60 changed", (400, 60)),
        ("all of 1820x980 changed", (1820, 980)),
    ] {
        let mut times = Vec::new();
        for _ in 0..200 {
            if size.0 > 0 {
                paint(size.0, size.1)?;
            }
            let began = Instant::now();
            display.capture(whole, &mut frame)?;
            times.push(began.elapsed());
        }
        println!("{name}: {:?}", median(times));
    }
    let mut times = Vec::new();
    for turn in 0..60 {
        // Another area each time is fetched as a whole.
        let area = Area::whole(1920, 1080 - turn % 2);
        let mut frame = Frame::black(area.width, area.height, PixelFormat::Bgrx8)?;
        let began = Instant::now();
        display.capture(area, &mut frame)?;
        times.push(began.elapsed());
    }
    println!("a whole new picture: {:?}", median(times));
    let mut times = Vec::new();
    for _ in 0..200 {
        let began = Instant::now();
        display.cursor()?;
        times.push(began.elapsed());
    }
    println!("the cursor: {:?}", median(times));

    let options = franz_screen::desktop::Options {
        monitor: None,
        region: None,
        cursor: true,
        pace: franz_screen::desktop::Pace::FAST,
    };
    desktop.spawn("exec mtpaint")?;
    std::thread::sleep(Duration::from_secs(3));
    let mut screen = franz_screen::Desktop::new(desktop.open()?, options)?;
    for (name, action) in [
        ("a click", Action::LeftClick(Point::clamped(200, 200))),
        (
            "a drag",
            Action::Drag(Point::clamped(150, 250), Point::clamped(250, 300)),
        ),
    ] {
        let mut times = Vec::new();
        for turn in 0..9 {
            std::thread::sleep(Duration::from_millis(700));
            let began = Instant::now();
            screen.perform(Step { turn, index: 0 }, &action, &Never)?;
            times.push(began.elapsed());
        }
        println!("{name}: {:?}", median(times));
    }

    desktop.spawn("exec xterm -e 'cat > /dev/null'")?;
    std::thread::sleep(Duration::from_secs(2));
    for (name, text) in [
        ("of the layout", "The quick brown fox jumps over the lazy dog. ".repeat(40)),
        ("18 others", "äöüÄÖÜß€éèàçñøåæœ ".repeat(20)),
        ("Chinese", "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回".to_owned()),
    ] {
        let began = Instant::now();
        display.type_text(&text, &mut |_| true)?;
        let took = began.elapsed();
        let count = text.chars().count();
        println!("{count} characters {name}: {took:?}, {:.0}/s", count as f64 / took.as_secs_f64());
    }
    Ok(())
}
