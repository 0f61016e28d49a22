//! Tests tasks without a model: a task's `solve` must solve it, and doing nothing must not.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use franz_demo::{Demo, DemoSettings, Script, ThinkingPace};
use franz_frame::{Area, Frame, PixelFormat, png};
use franz_screen::PrivateDesktop;
use franz_screen::child::{self, Environment};
use franz_screen::desktop::{Display, IsOver};
use franz_screen::private_desktop::{self, PrivateDesktopOptions};
use franz_suite::suite::TaskScreen;
use franz_suite::{RecordedOutcome, SuiteModel, SuiteTask};

use super::check::Check;
use super::checked::Checked;
use super::confinement;
use super::live_check::{self, LiveCheck};
use super::play::{ERRORS, Play, Printed, RECORD, TaskProgram, environment};
use super::process::{self, HowEnded};
use super::sandbox::{Allowed, SuiteSandbox};
use super::scratch::{Scratch, make, print_to};
use super::shell::limited;
use super::{attempt, scratch};
use crate::cli::suite::RehearseArgs;
use crate::exit::Unusable;
use crate::screen;
use crate::stop::Stop;
use crate::terminal::complain;

/// The size of the private desktop: that of the profile `operator`.
const SIZE: (u32, u32) = (1568, 896);

/// How long programs may take to show their windows and come to rest.
const OPENING: Duration = Duration::from_secs(10);

/// How long the screen must not change before it is at rest.
const REST: Duration = Duration::from_millis(300);

/// How often to look at the screen meanwhile.
const LOOK: Duration = Duration::from_millis(50);

/// The last picture of a desktop.
const PICTURE: &str = "picture.png";

/// How long a script may take to solve a task.
const SOLVING: Duration = Duration::from_mins(2);

/// The environment in which tasks are tested.
pub(crate) struct Rehearsal<'a> {
    pub(crate) sandbox: &'a SuiteSandbox,
    pub(crate) scratch: &'a Scratch,
    pub(crate) stop: &'a Stop,
    /// The FRANZ executable.
    pub(crate) executable: &'a Path,
    /// The suite's folder.
    pub(crate) suite: &'a Path,
    pub(crate) seed: u32,
    /// The folder for pictures of each task's start and end.
    pub(crate) pictures: Option<&'a Path>,
}

/// The result of testing a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tested {
    /// It is solved by its script, and not by doing nothing.
    Fine,
    /// It is wrong, for this reason.
    Wrong(String),
    /// It was not tested, for this reason.
    Skipped(String),
    /// The person stops the test.
    Stopped,
}

impl Rehearsal<'_> {
    /// Tests a task.
    pub(crate) fn test(&self, task: &SuiteTask) -> Result<Tested> {
        let mut needs = task.needs.iter().chain(&task.solve_needs);
        let missing = needs.find(|program| self.sandbox.find(program).is_none());
        if let Some(program) = missing {
            return Ok(Tested::Skipped(format!("{program} is not installed")));
        }
        let Some(solve) = &task.solve else {
            return Ok(Tested::Skipped("it has no solve script".to_owned()));
        };
        let Some(idle) = self.play(task, None)? else {
            return Ok(Tested::Stopped);
        };
        if idle.outcome != RecordedOutcome::Unsolved {
            return Ok(Tested::Wrong(said("after doing nothing", &idle)));
        }
        let Some(solved) = self.play(task, Some(solve))? else {
            return Ok(Tested::Stopped);
        };
        if solved.outcome != RecordedOutcome::Solved {
            return Ok(Tested::Wrong(said(&format!("after {solve}"), &solved)));
        }
        Ok(Tested::Fine)
    }

    /// Plays a task by its script, or does nothing, and checks it.
    fn play(&self, task: &SuiteTask, solve: Option<&str>) -> Result<Option<Checked>> {
        let kind = if solve.is_some() { "solve" } else { "idle" };
        let folder = self.scratch.make(&format!("{}-{kind}", task.name))?;
        let home = folder.join("home");
        attempt::fresh_home(task, self.suite, &home)?;
        let has_replies = solve.is_some_and(has_replies);
        let (how, most) = if task.screen == TaskScreen::Canvas || has_replies {
            let how = self.replies(task, solve, &home, &folder)?;
            (how, Duration::from_secs_f64(task.run_s))
        } else {
            (self.script(task, solve, &home, &folder)?, script_time(task))
        };
        let errors = || process::tail(&folder.join(ERRORS), 4096);
        match how {
            HowEnded::Stopped => return Ok(None),
            HowEnded::TooLate | HowEnded::TooMany | HowEnded::TooMuch => {
                bail!("{}: solving it took longer than {} s", task.name, most.as_secs())
            }
            HowEnded::Exited(0) => {}
            HowEnded::Exited(code) => bail!("{}: ended with {code}: {}", task.name, errors().trim()),
        }
        let check = Check {
            sandbox: self.sandbox,
            stop: self.stop,
            suite: self.suite,
            task,
            seed: self.seed,
        };
        let record = folder.join(RECORD);
        let checked = check.run(&home, record.exists().then_some(record.as_path()), &folder, &folder);
        scratch::remove(&folder);
        checked
    }

    /// Plays the replies in a file as if a model had written them.
    fn replies(&self, task: &SuiteTask, solve: Option<&str>, home: &Path, folder: &Path) -> Result<HowEnded> {
        let (script, turns) = match solve {
            None => (Script::parse("{\"text\": \"I do nothing.\"}\n"), 1),
            Some(solve) => {
                let Some(text) = self.script_of(solve, home, folder)? else {
                    return Ok(HowEnded::Stopped);
                };
                let turns = text.lines().filter(|line| !line.trim().is_empty()).count();
                (Script::parse(&text), turns)
            }
        };
        let settings = DemoSettings {
            pace: ThinkingPace {
                drawing: Duration::ZERO,
                idle: Duration::ZERO,
            },
            script: Some(script.map_err(Unusable::usage)?),
            ..DemoSettings::default()
        };
        let server = Demo::spawn(settings)?;
        let model: SuiteModel = toml::from_str("name = \"script\"")?;
        let play = Play {
            sandbox: self.sandbox,
            stop: self.stop,
            executable: self.executable,
            suite: self.suite,
            task,
            model: &model,
            server: &format!("http://{}", server.addr()),
            profile: "operator",
            // The last reply is acted on at the start of the next turn.
            max_turns: turns as u64 + u64::from(solve.is_some()),
            seed: self.seed,
            folder,
        };
        let start = match play.start(home)? {
            Printed::Text(start) => start,
            Printed::Failed(why) => bail!("{}: {why}", task.name),
            Printed::Stopped => return Ok(HowEnded::Stopped),
        };
        let ended = play.run(home, &start)?;
        self.keep(&folder.join(RECORD).join("canvas.png"), task, solve)?;
        Ok(ended.how)
    }

    /// Returns the replies in a file, or those that a script prints. Returns `None` if the person stops the test.
    fn script_of(&self, solve: &str, home: &Path, folder: &Path) -> Result<Option<String>> {
        let path = self.suite.join(solve);
        if has_replies(solve) {
            let text = franz_suite::folder::read(&path, 1 << 20)?;
            return Ok(Some(String::from_utf8(text)?));
        }
        let program = TaskProgram {
            sandbox: self.sandbox,
            stop: self.stop,
            folder,
            seed: self.seed,
        };
        match program.run(&[path.as_os_str()], &[&path], home)? {
            Printed::Text(text) => Ok(Some(text)),
            Printed::Failed(why) => bail!("{solve} {why}"),
            Printed::Stopped => Ok(None),
        }
    }

    /// Runs a script on a private desktop with the task's programs.
    fn script(&self, task: &SuiteTask, solve: Option<&str>, home: &Path, folder: &Path) -> Result<HowEnded> {
        let mut arguments = limited(self.executable.as_os_str().to_owned(), None);
        arguments.push("rehearse".into());
        for command in &task.start {
            arguments.extend(["--start".into(), OsString::from(command)]);
        }
        let script = solve.map(|solve| self.suite.join(solve));
        if let Some(script) = &script {
            arguments.extend(["--solve".into(), script.clone().into_os_string()]);
        }
        let own = self.sandbox.own(folder);
        if task.check_live.is_some() {
            arguments.extend(LiveCheck::arguments(own, task.check_s).map(OsString::from));
        }
        arguments.extend(self.sandbox.confining().iter().map(OsString::from));
        if self.pictures.is_some() {
            arguments.extend(["--picture".into(), own.join(PICTURE).into_os_string()]);
        }
        let mut read = vec![self.executable];
        read.extend(script.as_deref());
        let allowed = Allowed {
            read: &read,
            write: &[home],
            own: Some(folder),
            network: true,
            directory: home,
        };
        let errors = folder.join(ERRORS);
        let mut command = self.sandbox.command(&arguments, allowed, &environment(home, self.seed));
        print_to(&mut command, &errors)?;
        if let Some(check) = &task.check_live {
            command.stdin(live_check::stdin(&self.suite.join(check))?);
        }
        let ended = process::run(&mut command, script_time(task), None, self.stop)?;
        self.keep(&folder.join(PICTURE), task, solve)?;
        Ok(ended.how)
    }

    /// Saves a picture, if there is one and the person wants it.
    #[expect(clippy::disallowed_methods, reason = "the person names the folder for pictures")]
    fn keep(&self, picture: &Path, task: &SuiteTask, solve: Option<&str>) -> io::Result<()> {
        let when = if solve.is_some() { "end" } else { "start" };
        match self.pictures {
            Some(pictures) if picture.exists() => {
                std::fs::copy(picture, pictures.join(format!("{}.{when}.png", task.name)))?;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Returns how long a script may take to solve a task, including a check while its programs run.
fn script_time(task: &SuiteTask) -> Duration {
    let check = task
        .check_live
        .as_ref()
        .map(|_| Duration::from_secs_f64(task.check_s.ceil()));
    SOLVING + check.unwrap_or_default()
}

/// Returns whether a file holds replies of a model.
fn has_replies(solve: &str) -> bool {
    Path::new(solve).extension().is_some_and(|end| end == "jsonl")
}

fn said(when: &str, checked: &Checked) -> String {
    let printed = checked.report.printed.trim();
    let printed = if printed.is_empty() {
        String::new()
    } else {
        format!("; it printed: {printed}")
    };
    let why = if checked.why.is_empty() {
        String::new()
    } else {
        format!(" ({})", checked.why)
    };
    format!("{when}, the check says: {}{why}{printed}", checked.outcome.words())
}

/// Starts a private desktop with programs, runs a script on it, and ends everything.
pub(crate) fn rehearse(arguments: &RehearseArgs) -> Result<u8> {
    let options = PrivateDesktopOptions {
        width: SIZE.0,
        height: SIZE.1,
        elements: false,
    };
    let hidden = arguments.live.keep_out_of.as_deref();
    let start = || private_desktop::start(&options).map_err(|error| Unusable::screen(error).into());
    let mut desktop = confinement::without(hidden, start)?;
    let guest = Environment::guest(&[]);
    let check = LiveCheck::of(&arguments.live)?;
    let never: IsOver = Arc::new(|| false);
    screen::start_programs(desktop.as_mut(), &arguments.start, &guest, OPENING, &never)?;
    let mut screen = desktop.open().map_err(Unusable::screen)?;
    let mut picture = Frame::black(SIZE.0, SIZE.1, PixelFormat::Bgrx8)?;
    rest(screen.as_mut(), &mut picture)?;
    let mut code = 0;
    if let Some(solve) = &arguments.solve {
        code = solving(desktop.as_ref(), &guest, solve)?;
        if code != 0 {
            tell_what_programs_said(desktop.as_ref());
        }
        rest(screen.as_mut(), &mut picture)?;
    }
    if let Some(check) = check {
        check.run(desktop.as_ref(), &guest)?;
    }
    if let Some(file) = &arguments.picture {
        keep_picture(file, &png::encode(&picture)?)?;
    }
    Ok(code)
}

fn solving(desktop: &dyn PrivateDesktop, guest: &Environment, solve: &PathBuf) -> Result<u8> {
    let mut command = child::command("sh", guest);
    command.arg(solve).envs(desktop.environment());
    let status = command.status().context("cannot run the solve script")?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Prints the last words of a desktop's programs, which may say why a script failed: nothing else of them is kept.
fn tell_what_programs_said(desktop: &dyn PrivateDesktop) {
    let said = desktop.log().last_words();
    if !said.is_empty() {
        complain(&format!("the task's programs printed: {said}"));
    }
}

#[expect(clippy::disallowed_methods, reason = "the test names the file")]
fn keep_picture(file: &Path, png: &[u8]) -> io::Result<()> {
    std::fs::write(file, png)
}

/// Waits until the screen has not changed for a while, at most for [`OPENING`], and brings the picture up to date.
fn rest(screen: &mut dyn Display, picture: &mut Frame) -> Result<()> {
    let area = Area::whole(SIZE.0, SIZE.1);
    let (began, mut changed) = (Instant::now(), Instant::now());
    loop {
        if screen.capture(area, picture).map_err(Unusable::screen)?.is_some() {
            changed = Instant::now();
        }
        if changed.elapsed() >= REST || began.elapsed() >= OPENING {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

/// Makes the folder for pictures.
pub(crate) fn folder_for_pictures(folder: &Path) -> Result<PathBuf> {
    make(folder)?;
    Ok(folder.canonicalize()?)
}
