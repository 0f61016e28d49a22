//! The guardian: a child process that releases the agent's keys and buttons if the agent is killed.

use std::io::{self, BufRead, ErrorKind, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use franz_screen::child::{self, Environment};
use franz_screen::desktop::{self, Display, Hold};
use franz_screen::{DisplayError, Target, VncServer};
use serde::{Deserialize, Serialize};

use crate::closed;
use crate::exit::Unusable;
use crate::keys::{self, HeldPassword};
#[cfg(windows)]
use crate::stop::Stop;

/// The line that tells the guardian that all keys and buttons have been released for good. Any other line lists those
/// that might still be down.
const RELEASED: &str = "released";

/// The pause before trying again to open a display that did not respond.
const AGAIN: Duration = Duration::from_millis(100);

/// The longest pause before trying again to reach a VNC server or a Windows desktop. A resumed run does not try more
/// often, so the guardian has usually released everything before the run acts.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// How long to keep trying to reach a VNC server or a Windows desktop on which something might be held down.
const LASTING: Duration = Duration::from_hours(12);

/// How many other failures to open a VNC screen to accept before giving up.
const REFUSALS: u32 = 100;

/// How long to wait for an agent to end after it has closed the guardian's stdin.
#[cfg(unix)]
const DYING: Duration = Duration::from_secs(10);

/// The guardian of a display. It runs until this value is dropped.
pub(crate) struct Guardian {
    child: Child,
    line: Arc<Mutex<Line>>,
}

/// The connection to the guardian.
struct Line {
    /// `None` once the guardian has been left to work on its own.
    stdin: Option<ChildStdin>,
    /// Whether the last line sent says that keys or buttons might be down.
    holds: bool,
}

impl Guardian {
    /// Starts a guardian for this desktop.
    pub(crate) fn of(target: &Target) -> Result<Guardian> {
        let program = std::env::current_exe().context("cannot find the FRANZ executable to start the guardian")?;
        // A process group of its own protects the guardian from a signal that ends the agent's group.
        let mut command = child::command(program, &Environment::session());
        command.args(["release", "--when-closed"]);
        match target {
            Target::Session { .. } => {}
            Target::X11(name) | Target::Wayland(name) => drop(command.args(["--display", name])),
            Target::Vnc(server) => drop(command.args(["--display", &server.address.to_string()])),
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .context("cannot start the guardian, which releases held keys and buttons")?;
        let mut stdin = child.stdin.take();
        if let (Target::Vnc(server), Some(stdin)) = (target, &mut stdin) {
            stdin
                .write_all(entrance(server).as_bytes())
                .context("cannot give the guardian access to the VNC server")?;
        }
        let line = Arc::new(Mutex::new(Line { stdin, holds: false }));
        Ok(Guardian { child, line })
    }

    /// Returns a function that reports to the guardian which buttons and keys might be down.
    pub(crate) fn teller(&self) -> impl FnMut(&[Hold]) -> io::Result<()> + Send + 'static {
        let line = Arc::clone(&self.line);
        move |holds| lock(&line).tell(holds)
    }
}

impl Line {
    fn tell(&mut self, holds: &[Hold]) -> io::Result<()> {
        self.holds = !holds.is_empty();
        let stdin = self.stdin.as_mut().ok_or(ErrorKind::BrokenPipe)?;
        stdin.write_all(written(holds).as_bytes())
    }
}

fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the line that lists these holds.
fn written(holds: &[Hold]) -> String {
    let names: Vec<String> = holds.iter().map(ToString::to_string).collect();
    names.join(", ") + "\n"
}

/// Before this process ends, tells the guardian whether all keys and buttons have been released. If some have not, the
/// guardian continues on its own.
impl Drop for Guardian {
    fn drop(&mut self) {
        let Line { stdin, holds } = &mut *lock(&self.line);
        let farewell = stdin.take().filter(|_| !*holds);
        if let Some(mut stdin) = farewell {
            let _ = writeln!(stdin, "{RELEASED}");
            drop(stdin);
            let _ = self.child.wait();
        }
    }
}

/// `franz release`: releases every key and button that is held down on a desktop. With `when_closed`, it waits until
/// stdin closes, and releases nothing if the last line said that no key or button was still held.
pub(crate) fn release(mut target: Target, when_closed: bool) -> Result<u8> {
    // Closing the console would end this process along with the agent.
    #[cfg(windows)]
    if when_closed {
        Stop::default().listen().context("cannot listen for signals")?;
    }
    let agent = parent();
    let mut known = Vec::new();
    if let Target::Vnc(server) = &mut target {
        enter(server, when_closed)?;
    }
    let target = &target;
    if when_closed {
        match left_behind(io::stdin().lock()) {
            Some(holds) => known = holds,
            None => return Ok(0),
        }
    }
    let mut attempts = Attempts::on(target, &known);
    let began = Instant::now();
    let (name, freed) = loop {
        let is_late = attempts.is_late();
        let released = desktop::open(target).and_then(|mut display| {
            let mut freed = free(&mut *display, &known, is_late)?;
            // A dying agent has lent symbols to keys. These keys look like ordinary ones until the agent has closed all
            // its connections. An agent that lives on has reopened the display, and keeps the keys and buttons that it
            // needs held down.
            if when_closed && goes_away(agent) {
                if display.held()?.is_none() {
                    // A display that cannot report what is held might not have known that the agent is gone. A Wayland
                    // compositor then still counts the agent's keys.
                    // While a button is down, TigerVNC ignores the mouse of every client but the one that pressed it.
                    // Once it has accepted a new client, it knows that the agent is gone.
                    drop(display);
                    display = desktop::open(target)?;
                    desktop::release(&mut *display, &known)?;
                }
                let later = display.release()?;
                freed = freed
                    .into_iter()
                    .chain(later)
                    .reduce(|first, later| [first, later].concat());
            }
            Ok((display.name(), freed))
        });
        let failed = released.as_ref().err().filter(|_| when_closed);
        match failed.and_then(|error| attempts.pause(error, began.elapsed())) {
            Some(pause) => std::thread::sleep(pause),
            None => break released.map_err(Unusable::screen)?,
        }
    };
    match freed {
        None => println!("{name} cannot report what is held down: press and release it there by hand"),
        Some(freed) if freed.is_empty() => println!("nothing is held down on {name}"),
        Some(freed) => println!("released on {name}: {}", freed.join(", ")),
    }
    Ok(0)
}

/// Releases everything that is held on the display or, if it `is_late`, only what is known to be.
fn free(display: &mut dyn Display, known: &[Hold], is_late: bool) -> Result<Option<Vec<String>>, DisplayError> {
    if !is_late {
        return desktop::release(display, known);
    }
    // This fails as long as nothing can be released.
    display.held()?;
    desktop::release_known(display, known).map(Some)
}

/// The guardian's attempts to release what is held on a display.
struct Attempts {
    /// Whether the display is a VNC server's, and something might be held down there.
    awaits_server: bool,
    /// Whether the display is a Windows desktop, and something might be held down there.
    awaits_unlock: bool,
    /// Whether an attempt has failed.
    has_failed: bool,
    /// How many more failures to accept.
    refusals: u32,
}

impl Attempts {
    fn on(target: &Target, known: &[Hold]) -> Attempts {
        let is_vnc = matches!(target, Target::Vnc(_));
        Attempts {
            awaits_server: is_vnc && !known.is_empty(),
            awaits_unlock: cfg!(windows) && !is_vnc && !known.is_empty(),
            has_failed: false,
            // A VNC server that is busy might refuse a connection.
            refusals: if is_vnc { REFUSALS } else { 0 },
        }
    }

    /// Returns whether the person or a new run might hold something else on the Windows desktop by now.
    fn is_late(&self) -> bool {
        self.awaits_unlock && self.has_failed
    }

    /// Returns the pause before the next attempt, or `None` if there is none. `waited` is the time since the first one.
    fn pause(&mut self, error: &DisplayError, waited: Duration) -> Option<Duration> {
        self.has_failed = true;
        // A display that is not responding now will still have its keys held down when it responds again.
        if error.is_lost() {
            return Some(AGAIN);
        }
        let lasts = match error {
            // So will a VNC server that cannot be reached, because its tunnel is down, for instance.
            DisplayError::Unavailable(_) => self.awaits_server || self.awaits_unlock,
            // And so will a Windows desktop that is locked, or where a program with higher privileges is in front.
            DisplayError::Refused(_) => self.awaits_unlock,
            _ => false,
        };
        if lasts {
            return (waited < LASTING).then(|| (waited / 10).clamp(AGAIN, LONGEST_PAUSE));
        }
        self.refusals = self.refusals.checked_sub(1)?;
        Some(AGAIN)
    }
}

/// The login data for a VNC server, sent to the guardian as its first line.
#[derive(Serialize, Deserialize)]
struct Entrance {
    password: Option<HeldPassword>,
    unencrypted: bool,
}

fn entrance(server: &VncServer) -> String {
    let entrance = Entrance {
        password: server.password.as_ref().map(HeldPassword::of),
        unencrypted: server.unencrypted,
    };
    serde_json::to_string(&entrance).expect("texts always fit into JSON") + "\n"
}

/// Finds out how to log in to a VNC server: with `when_closed`, the agent sends it on stdin; otherwise, the password
/// comes from the environment.
fn enter(server: &mut VncServer, when_closed: bool) -> Result<()> {
    if !when_closed {
        server.password = keys::vnc_password()?;
        return Ok(());
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let entrance: Entrance =
        serde_json::from_str(&line).map_err(|_| Unusable::usage("only an agent starts its guardian"))?;
    server.password = entrance.password.as_ref().and_then(HeldPassword::password);
    server.unencrypted = entrance.unencrypted;
    if server.password.is_some() {
        closed::close();
    }
    Ok(())
}

/// Waits until the agent sends no more lines. Returns the keys and buttons that might be down, or `None` if the last
/// line says that all are released.
fn left_behind(lines: impl BufRead) -> Option<Vec<Hold>> {
    let mut last = String::new();
    for line in lines.lines().map_while(Result::ok) {
        if line == RELEASED {
            return None;
        }
        last = line;
    }
    Some(last.split(", ").filter_map(|hold| hold.parse().ok()).collect())
}

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

/// Waits for a limited time for the parent to end, which gives this process a new parent. Returns whether that
/// happened.
#[cfg(unix)]
fn goes_away(process: u32) -> bool {
    let began = Instant::now();
    while parent() == process && began.elapsed() < DYING {
        std::thread::sleep(Duration::from_millis(1));
    }
    parent() != process
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// Returns `false`, because only X servers lend symbols to keys.
#[cfg(not(unix))]
fn goes_away(_: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_screen::desktop::Button;

    #[test]
    fn the_guardian_knows_what_was_told_last() {
        let (left, comma) = (Hold::Button(Button::Left), "character 2c".parse::<Hold>().unwrap());
        let (one, both, none) = (written(&[left]), written(&[left, comma]), written(&[]));
        for (told, known) in [
            (String::new(), Some(vec![])),
            (one.clone(), Some(vec![left])),
            (format!("{one}{both}"), Some(vec![left, comma])),
            (format!("{both}{none}"), Some(vec![])),
            (format!("{both}{none}{RELEASED}\n"), None),
        ] {
            assert_eq!(left_behind(told.as_bytes()), known, "{told:?}");
        }
    }

    #[test]
    fn the_guardian_waits_for_a_locked_windows_desktop_on_which_something_is_held() {
        let locked = DisplayError::Refused("the screen is locked".to_owned());
        for (awaits_unlock, waited, expected) in [
            (true, Duration::ZERO, Some(AGAIN)),
            (true, Duration::from_secs(3), Some(Duration::from_millis(300))),
            (true, Duration::from_hours(11), Some(LONGEST_PAUSE)),
            (true, Duration::from_hours(13), None),
            (false, Duration::ZERO, None),
        ] {
            let mut attempts = Attempts {
                awaits_server: false,
                awaits_unlock,
                has_failed: false,
                refusals: 0,
            };
            assert!(!attempts.is_late());
            assert_eq!(attempts.pause(&locked, waited), expected, "{awaits_unlock} {waited:?}");
            assert_eq!(attempts.is_late(), awaits_unlock, "only what is known is released");
        }
    }

    #[test]
    fn the_guardian_waits_for_hours_for_a_server_on_which_something_is_held() {
        let vnc = Target::Vnc(Box::new(VncServer::at("vnc://localhost".parse().unwrap())));
        let x11 = Target::X11(":0".to_owned());
        let held = [Hold::Button(Button::Left)];
        let refused = || DisplayError::Refused("wrong password".to_owned());
        let unavailable = || DisplayError::Unavailable("nothing is listening".to_owned());
        let lost = || DisplayError::Lost {
            doing: "pressing a key",
            source: "the server is not responding".into(),
        };
        // How many attempts follow at this time, up to a thousand, and the pause before each.
        for (target, known, error, waited, expected) in [
            (&vnc, &held[..], unavailable(), Duration::ZERO, (1000, AGAIN)),
            (
                &vnc,
                &held,
                unavailable(),
                Duration::from_secs(3),
                (1000, Duration::from_millis(300)),
            ),
            (
                &vnc,
                &held,
                unavailable(),
                Duration::from_hours(11),
                (1000, LONGEST_PAUSE),
            ),
            (&vnc, &held, unavailable(), Duration::from_hours(13), (0, AGAIN)),
            (&vnc, &held, refused(), Duration::ZERO, (100, AGAIN)),
            (&vnc, &[], unavailable(), Duration::ZERO, (100, AGAIN)),
            (&vnc, &held, lost(), Duration::from_hours(13), (1000, AGAIN)),
            (&x11, &held, lost(), Duration::from_hours(13), (1000, AGAIN)),
            (&x11, &held, unavailable(), Duration::ZERO, (0, AGAIN)),
        ] {
            let mut attempts = Attempts::on(target, known);
            let pauses: Vec<_> = (0..1000).map_while(|_| attempts.pause(&error, waited)).collect();
            assert_eq!(pauses, vec![expected.1; expected.0], "{error} {known:?} {waited:?}");
        }
    }
}
