//! The desktops to measure.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use franz_screen::PrivateDesktop;

use super::curtain::Curtain;
use super::observer::Observer;
use super::test_pattern::TestPattern;
use super::wallpaper;
use crate::Failure;

const CODE: &str = include_str!("stages.rs");
const PROSE: &str = include_str!("../../../../../ARCHITECTURE.md");
const PAGE: &str = include_str!("page.html");

/// If a program paints nothing for this long, it has started.
const STARTED: Duration = Duration::from_millis(1500);
/// If programs paint nothing for this long, they have painted everything that the curtain hid.
const PAINTED: Duration = Duration::from_millis(200);

/// The contents of a desktop.
pub(crate) trait Scene {
    /// Hides all windows, so that every pixel is new when they are shown again.
    fn hide(&mut self) -> Result<(), Failure>;

    /// Shows all windows, and returns when they are visible.
    fn show(&mut self) -> Result<(), Failure>;
}

/// Returns the size of the desktop with this name.
pub(crate) fn size(name: &str) -> (u32, u32) {
    if name == "pattern" { (1920, 1080) } else { (1568, 896) }
}

/// Sets up the scene with this name, and returns when it is completely visible. Files for its programs go into `home`.
pub(crate) fn set(name: &str, desktop: &mut dyn PrivateDesktop, home: &Path) -> Result<Box<dyn Scene>, Failure> {
    if name == "pattern" {
        return Ok(Box::new(TestPattern::on(desktop, home)?));
    }
    let curtain = Curtain::on(desktop)?;
    if name == "wallpaper" {
        let (width, height) = size(name);
        curtain.hang(width, &wallpaper::photo(width, height))?;
    }
    let mut observer = Observer::of(desktop, size(name))?;
    for mut program in programs(name, home)? {
        program.env("HOME", home).env("XDG_RUNTIME_DIR", home);
        program.env("LC_ALL", "C.UTF-8").env("NO_AT_BRIDGE", "1");
        program.stdout(Stdio::null()).stderr(Stdio::null());
        desktop.run(program)?;
        observer.wait_for_news(STARTED)?;
    }
    Ok(Box::new(Curtained { curtain, observer }))
}

/// Programs behind a curtain.
struct Curtained {
    curtain: Curtain,
    observer: Observer,
}

impl Scene for Curtained {
    fn hide(&mut self) -> Result<(), Failure> {
        self.observer.wait_for_dark(|| self.curtain.close())
    }

    fn show(&mut self) -> Result<(), Failure> {
        self.curtain.open()?;
        self.observer.wait_for_news(PAINTED)
    }
}

fn programs(name: &str, home: &Path) -> Result<Vec<Command>, Failure> {
    let file = |name: &str, text: &str| -> Result<OsString, Failure> {
        let path = home.join(name);
        fs::write(&path, text)?;
        Ok(path.into())
    };
    let terminal = |place: &[&str], file: OsString| {
        let mut xterm = Command::new("xterm");
        xterm.args(["-fa", "monospace", "-fs", "10", "-bg", "#1d1f21", "-fg", "#c5c8c6"]);
        xterm.args(place);
        xterm
            .args(["-e", "sh", "-c", "sleep 1; cat \"$0\"; exec sleep infinity"])
            .arg(file);
        xterm
    };
    Ok(match name {
        "terminal" => vec![terminal(&["-fullscreen"], file("code", &side_by_side(PROSE, CODE))?)],
        "windows" => {
            let mut editor = Command::new("dbus-run-session");
            editor
                .args(["mousepad", "--disable-server"])
                .arg(file("architecture.md", PROSE)?);
            vec![
                Command::new("mtpaint"),
                editor,
                terminal(&["-geometry", "100x26+20+420"], file("code", &numbered(CODE))?),
                terminal(&["-geometry", "80x30+880+20"], file("prose", &numbered(PROSE))?),
            ]
        }
        "page" => {
            let mut browser = Command::new(std::env::var_os("CHROMIUM").unwrap_or("/usr/bin/chromium".into()));
            browser.args(["--no-sandbox", "--no-first-run", "--disable-gpu", "--start-maximized"]);
            browser.arg("--disable-background-networking");
            let mut folder = OsString::from("--user-data-dir=");
            folder.push(home.join("chromium"));
            browser.arg(folder).arg(file("page.html", PAGE)?);
            vec![browser]
        }
        "wallpaper" => vec![terminal(&["-geometry", "70x18+60+60"], file("code", &numbered(CODE))?)],
        _ => return Err(format!("there is no scene {name:?}").into()),
    })
}

/// Formats lines with coloured numbers, as editors do.
fn numbered(text: &str) -> String {
    let lines = (1..).zip(text.lines());
    let lines: Vec<_> = lines
        .map(|(number, line)| format!("\x1b[33m{number:4}\x1b[m {line}\r\n"))
        .collect();
    lines.concat()
}

/// Puts two documents next to each other, as editors split a terminal.
fn side_by_side(left: &str, right: &str) -> String {
    let lines = (1..).zip(left.lines().skip(20).zip(right.lines())).take(52);
    let lines: Vec<_> = lines
        .map(|(number, (left, right))| {
            format!("\x1b[33m{number:4}\x1b[m {left:.108}\x1b[116G\x1b[36m{number:4}\x1b[m {right:.74}\r\n")
        })
        .collect();
    lines.concat()
}
