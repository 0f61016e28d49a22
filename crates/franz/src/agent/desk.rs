//! Actions that the agent performs without the screen's input devices: it lists windows and brings one to the front,
//! opens programs, enlarges parts of the picture and watches.

use std::time::{Duration, Instant};

use franz_action::{Action, Outcome, Point};
use franz_frame::Area;
use franz_record::Acted;
use franz_screen::{Change, Interrupt, Screen as _};
use franz_screen::{ScreenWindow, WindowId};

use super::Agent;
use super::watching::{Moment, Moments};
use super::windows::quoted;
use crate::config::screen_kind::ScreenKind;
use crate::screen::may_open_page;

/// How often FRANZ captures the screen during a watch.
const LOOK: Duration = Duration::from_millis(25);

/// The maximum number of parts to enlarge in one turn.
pub(super) const MOST_ZOOMS: usize = 2;

/// The smallest part that can be enlarged, in pixels of the screen.
const SMALLEST_PART: u32 = 8;

/// How many windows to list.
const MOST_LISTED: usize = 30;

const NO_WINDOWS: &str = "the windows of this screen are not known; look at the picture";
const NO_ROOM_LEFT: &str = "the next request has no room for another picture; call this again in your next reply";
const ONE_PICTURE: &str = "the model server takes only one picture at a time; look at the whole screen";

/// The windows and moments that the agent has collected since the last reply.
#[derive(Default)]
pub(super) struct Desk {
    /// The windows by number, as last listed.
    listed: Vec<WindowId>,
    /// The moments that a watch has captured, until they are shown to the model.
    pub(super) moments: Vec<Moment>,
    /// Whether moments were dropped that the model was told about.
    pub(super) has_hidden: bool,
}

impl Desk {
    /// Drops the moments, because they might show what a new mask hides.
    pub(super) fn hide_moments(&mut self) {
        self.has_hidden |= !self.moments.is_empty();
        self.moments.clear();
    }
}

impl Agent {
    /// Performs an action that the agent carries out without the screen. Returns `None` for any other action.
    pub(super) fn perform_itself(&mut self, action: &Action, before: &[Acted]) -> Option<Outcome> {
        Some(match action {
            Action::Windows => self.list_windows(),
            Action::Focus(window) => self.focus_window(window),
            Action::Open(program) => self.open_program(program),
            Action::Zoom(from, to) => self.enlarge(*from, *to, before),
            Action::Watch(seconds) => self.watch_for(*seconds, before),
            _ => return None,
        })
    }

    fn list_windows(&mut self) -> Outcome {
        let windows = match self.screen.windows() {
            Ok(Some(windows)) => windows,
            Ok(None) => return Outcome::NotApplied(NO_WINDOWS.to_owned()),
            Err(error) => return self.screen_failed(&error),
        };
        self.trail.desk.listed = windows.iter().map(|window| window.id).collect();
        if windows.is_empty() {
            return Outcome::Done(Some("there is no window".to_owned()));
        }
        let listed = (1..).zip(windows.iter().take(MOST_LISTED));
        let mut lines: Vec<String> = listed.map(|(number, window)| self.described(number, window)).collect();
        if let Some(more @ 1..) = windows.len().checked_sub(MOST_LISTED) {
            lines.push(format!("and {more} more"));
        }
        Outcome::read(&lines.join("; "))
    }

    /// Describes a window, with its position in the model's own coordinates.
    fn described(&self, number: usize, window: &ScreenWindow) -> String {
        let geometry = self.idiom.geometry(&self.live.settings);
        let corner = |at| geometry.pair(at).join(", ");
        let place = match window.place {
            None => "not visible".to_owned(),
            Some((first, last)) => format!("from ({}) to ({})", corner(first), corner(last)),
        };
        let front = if window.is_active { ", in front" } else { "" };
        format!("{number} {} {place}{front}", quoted(&window.title))
    }

    fn focus_window(&mut self, wanted: &str) -> Outcome {
        let windows = match self.screen.windows() {
            Ok(Some(windows)) => windows,
            Ok(None) => return Outcome::NotApplied(NO_WINDOWS.to_owned()),
            Err(error) => return self.screen_failed(&error),
        };
        let id = match meant(wanted, &windows, &self.trail.desk.listed) {
            Ok(id) => id,
            Err(why) => return Outcome::NotApplied(why),
        };
        if let Some(why) = self.screen.refuses_window(id) {
            return Outcome::Blocked(Some(why.to_owned()));
        }
        let title = windows
            .iter()
            .find(|window| window.id == id)
            .map(|window| quoted(&window.title));
        match self.screen.focus(id) {
            Ok(true) => {
                self.trail.lookout.raised(id);
                Outcome::Done(title.map(|title| format!("{title} is in front")))
            }
            Ok(false) => Outcome::NotApplied(GONE.to_owned()),
            // Once the run is over, FRANZ stops waiting for the window.
            Err(error) if error.is_lost() && self.stop.ending().is_some() => Outcome::Interrupted,
            Err(error) => self.screen_failed(&error),
        }
    }

    fn open_program(&mut self, wanted: &str) -> Outcome {
        if self.live.settings.screen.kind == ScreenKind::Browser {
            return self.open_page(wanted.trim());
        }
        let programs = self.live.settings.screen.open.clone();
        let Some(command) = programs.iter().find(|command| is_program(command, wanted)) else {
            let names: Vec<&str> = programs.iter().map(|command| program_name(command)).collect();
            return Outcome::NotApplied(match &names[..] {
                [] => "no program may be opened here".to_owned(),
                names => format!("there is no such program; open one of: {}", names.join(", ")),
            });
        };
        let keys = crate::keys::texts(self.server.keyring());
        match self.company.open(command, &keys) {
            Ok(()) => Outcome::Done(Some("started; its window may take a moment".to_owned())),
            Err(error) => {
                self.notice(&format!("{command} could not be started: {error}"));
                Outcome::NotApplied("it could not be started".to_owned())
            }
        }
    }

    fn open_page(&mut self, url: &str) -> Outcome {
        let settings = &self.live.settings;
        if !may_open_page(settings, url) {
            return Outcome::NotApplied(match &settings.screen.open[..] {
                [] => "no address may be opened here".to_owned(),
                allowed => format!("this address may not be opened; these may: {}", allowed.join(", ")),
            });
        }
        match self.company.open_page(url) {
            Ok(()) => Outcome::Done(Some("it is opened in a new page".to_owned())),
            Err(error) => {
                self.notice(&format!("{url} could not be opened: {error}"));
                Outcome::NotApplied("it could not be opened".to_owned())
            }
        }
    }

    fn enlarge(&mut self, from: Point, to: Point, before: &[Acted]) -> Outcome {
        let (width, height) = self.screen.size();
        let part = part(from, to, (width, height));
        if part.width < SMALLEST_PART || part.height < SMALLEST_PART {
            let right = Action::Zoom(Point::clamped(400, 300), Point::clamped(600, 500));
            let right = self.idiom.geometry(&self.live.settings).spoken(&right);
            return Outcome::NotApplied(format!(
                "that is not a part of the screen; name two corners, as in {right}"
            ));
        }
        if zooms(before) >= MOST_ZOOMS {
            return Outcome::NotApplied(format!("you can enlarge at most {MOST_ZOOMS} parts at a time"));
        }
        self.room_left(before)
            .map_or_else(Outcome::NotApplied, |_| Outcome::DONE)
    }

    /// Returns how many more extra pictures the next request can hold; the error explains to the model why there is no
    /// room.
    fn room_left(&self, before: &[Acted]) -> Result<usize, String> {
        let room = self.room_beside();
        let taken = zooms(before) + self.trail.desk.moments.len();
        match (room, room.saturating_sub(taken)) {
            (0, _) => Err(ONE_PICTURE.to_owned()),
            (_, 0) => Err(NO_ROOM_LEFT.to_owned()),
            (_, left) => Ok(left),
        }
    }

    /// Watches the screen until the time is up, and keeps a picture of each change.
    fn watch_for(&mut self, seconds: f64, before: &[Acted]) -> Outcome {
        let room = match self.room_left(before) {
            Ok(room) => room,
            Err(why) => return Outcome::NotApplied(why),
        };
        let (width, height) = self.idiom.picture(&self.live.settings);
        let (began, time) = (Instant::now(), Duration::try_from_secs_f64(seconds).unwrap_or_default());
        let interrupt = self.interrupt();
        let mut moments = Moments::within(room);
        let mut is_first = true;
        loop {
            if self.put_masks() {
                moments = Moments::within(room);
            }
            if let Err(error) = self.glance() {
                return self.screen_failed(&error);
            }
            let change = self.screen.change();
            // Any change in the first picture happened before the watch began.
            if !std::mem::take(&mut is_first) && matches!(change, Change::Within(..)) {
                let (eye, frame) = (&mut self.trail.eye, self.screen.frame());
                moments.note(began.elapsed(), change, || eye.scale(frame, width, height));
            }
            let left = time.saturating_sub(began.elapsed());
            if left.is_zero() {
                break;
            }
            if self.stop.sleep(LOOK.min(left)) || interrupt.is_set() {
                return Outcome::Interrupted;
            }
        }
        let moments = moments.into_inner();
        let note = match moments.len() {
            0 => format!("nothing changed in {seconds} s"),
            1 => "the screen changed; a picture of that moment follows".to_owned(),
            count => format!("the screen changed; pictures of {count} moments follow"),
        };
        self.trail.desk.moments.extend(moments);
        Outcome::Done(Some(note))
    }
}

/// Counts the parts that a reply has enlarged so far.
fn zooms(before: &[Acted]) -> usize {
    let is_zoom = |acted: &&Acted| matches!(acted.performed(), Some(Action::Zoom(..)));
    before.iter().filter(is_zoom).count()
}

/// Returns the area between two corners, given in either order, in pixels.
pub(super) fn part(from: Point, to: Point, (width, height): (u32, u32)) -> Area {
    let pixel = |at: Point| (at.x.to_pixel(width), at.y.to_pixel(height));
    let ((x1, y1), (x2, y2)) = (pixel(from), pixel(to));
    Area {
        x: x1.min(x2) as i32,
        y: y1.min(y2) as i32,
        width: x1.abs_diff(x2) + u32::from(x1 != x2),
        height: y1.abs_diff(y2) + u32::from(y1 != y2),
    }
}

const GONE: &str = "that window went away; call windows() again, or look at the picture";

/// Returns the window that a title, a part of a title or a number refers to.
fn meant(wanted: &str, windows: &[ScreenWindow], listed: &[WindowId]) -> Result<WindowId, String> {
    let wanted = wanted.trim();
    let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    if let Some(id) = number.and_then(|number| listed.get(number)) {
        let is_there = windows.iter().any(|window| window.id == *id);
        return is_there.then_some(*id).ok_or_else(|| GONE.to_owned());
    }
    let lower = wanted.to_lowercase();
    let having = |fits: &dyn Fn(&str) -> bool| -> Vec<&ScreenWindow> {
        windows
            .iter()
            .filter(|window| fits(&window.title.to_lowercase()))
            .collect()
    };
    let mut found = having(&|title| title == lower);
    if found.is_empty() && !lower.is_empty() {
        found = having(&|title| title.contains(&lower));
    }
    let names = |windows: &[&ScreenWindow]| {
        let titles: Vec<String> = windows.iter().take(10).map(|window| quoted(&window.title)).collect();
        titles.join(", ")
    };
    match &found[..] {
        [one] => Ok(one.id),
        [] if windows.is_empty() => Err("there is no window".to_owned()),
        [] => {
            let all = names(&windows.iter().collect::<Vec<_>>());
            Err(match number {
                Some(_) => {
                    format!("no window has the number {wanted}; call windows() for the numbers, or give a title: {all}")
                }
                None => format!("no window has this title; there are {all}"),
            })
        }
        several => Err(format!(
            "several windows have this title: {}; list the windows and give the number",
            names(several)
        )),
    }
}

/// Returns the name by which the model opens a command: the name of the command's program.
fn program_name(command: &str) -> &str {
    let program = command.split_whitespace().next().unwrap_or_default();
    program.rsplit('/').next().unwrap_or(program)
}

fn is_program(command: &str, wanted: &str) -> bool {
    let wanted = wanted.trim();
    !wanted.is_empty() && (command == wanted || program_name(command).eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(id: u64, title: &str) -> ScreenWindow {
        ScreenWindow {
            id: WindowId(id),
            title: title.to_owned(),
            class: String::new(),
            place: None,
            is_active: false,
            dialog_of: None,
        }
    }

    #[test]
    fn a_window_is_named_by_number_or_title() {
        let windows = [window(7, "Inbox - Mail"), window(8, "Mail"), window(9, "Notes - 2")];
        let listed = [WindowId(9), WindowId(7), WindowId(5)];
        let found = |wanted: &str| meant(wanted, &windows, &listed);
        for (wanted, id) in [("1", 9), (" 2 ", 7), ("mail", 8), ("inbox", 7), ("Notes - 2", 9)] {
            assert_eq!(found(wanted), Ok(WindowId(id)), "{wanted}");
        }
        for (wanted, told) in [
            ("3", "went away"),
            (
                "4",
                "no window has the number 4; call windows() for the numbers, or give a title: \"Inbox - Mail\", \"Mail\"",
            ),
            (
                "zebra",
                "no window has this title; there are \"Inbox - Mail\", \"Mail\"",
            ),
            ("", "no window has this title"),
            ("-", "several windows have this title: \"Inbox - Mail\", \"Notes - 2\""),
        ] {
            let said = found(wanted).unwrap_err();
            assert!(said.contains(told), "{wanted}: {said}");
        }
        assert_eq!(meant("Mail", &[], &listed), Err("there is no window".to_owned()));
    }

    #[test]
    fn a_program_is_opened_by_its_name() {
        for (command, wanted, is_it) in [
            ("xterm", "xterm", true),
            ("/usr/bin/xterm -T a", "XTerm", true),
            ("firefox --private-window", "firefox", true),
            ("firefox --private-window", "firefox --private-window", true),
            ("firefox", "firefox; rm -rf /", false),
            ("xterm", "", false),
            ("", "", false),
        ] {
            assert_eq!(is_program(command, wanted), is_it, "{command} {wanted}");
        }
    }

    #[test]
    fn corners_may_stand_in_any_order() {
        let at = Point::clamped;
        let size = (1001, 1001);
        let expected = Area {
            x: 100,
            y: 200,
            width: 301,
            height: 401,
        };
        assert_eq!(part(at(100, 200), at(400, 600), size), expected);
        assert_eq!(part(at(400, 200), at(100, 600), size), expected);
        assert_eq!(part(at(5, 5), at(5, 5), size).width, 0);
    }
}
