//! Runs the processes of a private desktop. They end with this process, however it ends.

use std::ffi::CString;
use std::io::{self, BufRead, BufReader, Read, Seek as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

use super::cookie::Cookie;
use super::reaper::{self, LeftFolder};
use crate::child::{self, Environment};
use crate::desktop::{DisplayError, IsOver, wait_for};
use crate::private_desktop::program_log::last_words;
use crate::private_desktop::{PrivateDesktopOptions, ProgramFailure, ProgramLog};

/// How long programs may take to end when asked, before they are killed.
const FAREWELL: Duration = Duration::from_millis(500);

/// How long to wait for the X server to start, which takes a fraction of a second, or several seconds on a busy
/// machine.
const START: Duration = Duration::from_secs(20);

/// How often a wait for a program checks whether the run is over.
const LOOK: Duration = Duration::from_millis(10);

/// How many bytes of a server's output to report if it does not start.
const LAST_WORDS: u64 = 2000;

/// From how many programs on to forget the last words of those that have ended.
const MOST_READERS: usize = 64;

/// The longest first line of a program to read.
const LONGEST_LINE: u64 = 1000;

/// Starts programs from a separate thread that lives as long as the desktop, because the kernel notifies the programs'
/// reapers when the thread that started them ends.
pub(crate) struct ProcessSpawner {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    log: ProgramLog,
    /// The threads that read what programs print, with the programs' IDs. Each returns the last bytes of its program.
    readers: Vec<(u32, JoinHandle<Vec<u8>>)>,
}

enum Order {
    Start(Box<Start>),
    /// Checks whether a started program, or anything that it started, is running.
    Look(u32, Sender<bool>),
    /// Asks for the exit code of a program that has failed.
    Judge(u32, Sender<Option<i32>>),
    /// Ends a started program and everything that it started.
    End(u32, Sender<()>),
}

/// The order to start a program.
struct Start {
    program: Command,
    /// Whether the caller reads the program's output.
    heard: bool,
    left: Option<LeftFolder>,
    started: Sender<io::Result<Started>>,
}

/// A started program.
struct Started {
    /// The process ID of its reaper.
    id: u32,
    says: Option<ChildStdout>,
    complains: Option<ChildStderr>,
}

impl ProcessSpawner {
    pub(crate) fn new() -> io::Result<ProcessSpawner> {
        let (orders, received) = channel();
        let thread = Builder::new()
            .name("desktop".to_owned())
            .spawn(move || keep(&received))?;
        Ok(ProcessSpawner {
            orders: Some(orders),
            thread: Some(thread),
            log: ProgramLog::default(),
            readers: Vec::new(),
        })
    }

    /// Returns what programs have printed as errors.
    pub(in crate::private_desktop) fn log(&self) -> &ProgramLog {
        &self.log
    }

    /// Starts a program; returns the ID of a process that ends when the program and everything that it started have
    /// ended. What comes from a piped stderr goes to the log.
    pub(in crate::private_desktop) fn run(&mut self, mut program: Command) -> io::Result<u32> {
        program.stdin(Stdio::null());
        let Started { id, complains, .. } = self.start(program, false, None)?;
        if let Some(complains) = complains {
            let are_many = self.readers.len() >= MOST_READERS;
            self.readers.retain(|(program, reader)| {
                // The system uses the IDs of ended processes again.
                let is_over = *program == id || are_many && reader.is_finished();
                !is_over
            });
            self.readers.push((id, self.log.hear(complains)?));
        }
        Ok(id)
    }

    /// Returns how a program failed that [`run`](ProcessSpawner::run) started, if it has, and nothing of it is left.
    pub(in crate::private_desktop) fn failure(&mut self, id: u32) -> io::Result<Option<ProgramFailure>> {
        let Some(code) = self.order(|answer| Order::Judge(id, answer))? else {
            return Ok(None);
        };
        let reader = self.readers.iter().position(|(program, _)| *program == id);
        let printed = reader.and_then(|place| self.readers.remove(place).1.join().ok());
        Ok(Some(ProgramFailure {
            code,
            last_words: last_words(&printed.unwrap_or_default()),
        }))
    }

    /// Starts a program like [`run`](ProcessSpawner::run). Removes a directory that the program uses once the program
    /// and everything that it started have ended, even if this process is killed.
    pub(crate) fn run_in(&mut self, mut program: Command, folder: &Path) -> io::Result<u32> {
        program.stdin(Stdio::null());
        Ok(self.start(program, false, Some(left(folder)?))?.id)
    }

    /// Starts a program and returns its first line of output, or nothing if none comes in time or before the run is
    /// over.
    pub(super) fn hear(&mut self, program: Command, is_over: &IsOver) -> io::Result<Option<String>> {
        let started = self.start(program, true, None)?;
        Ok(started.says.and_then(|says| first_line(says, is_over)))
    }

    /// Starts a program and returns its first line of output like [`hear`](ProcessSpawner::hear), and removes the
    /// directory like [`run_in`](ProcessSpawner::run_in).
    pub(in crate::private_desktop) fn hear_in(
        &mut self,
        program: Command,
        folder: &Path,
        is_over: &IsOver,
    ) -> io::Result<Option<String>> {
        let started = self.start(program, true, Some(left(folder)?))?;
        Ok(started.says.and_then(|says| first_line(says, is_over)))
    }

    /// Returns whether a program that [`run`](ProcessSpawner::run) started, or anything that it started, is running.
    pub(super) fn is_running(&mut self, id: u32) -> io::Result<bool> {
        self.order(|answer| Order::Look(id, answer))
    }

    /// Ends a program that [`run`](ProcessSpawner::run) started, and everything that it started.
    pub(super) fn end(&mut self, id: u32) -> io::Result<()> {
        self.order(|ended| Order::End(id, ended))
    }

    fn start(&mut self, program: Command, heard: bool, left: Option<LeftFolder>) -> io::Result<Started> {
        let start = |started| Start {
            program,
            heard,
            left,
            started,
        };
        self.order(|started| Order::Start(Box::new(start(started))))?
    }

    /// Gives the thread an order, and waits for the answer.
    fn order<T>(&mut self, order: impl FnOnce(Sender<T>) -> Order) -> io::Result<T> {
        let (tell, answer) = channel();
        let gone = || io::Error::other("the thread that starts programs is gone");
        let orders = self.orders.as_ref().ok_or_else(gone)?;
        orders.send(order(tell)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())
    }
}

/// Ends all programs before returning.
impl Drop for ProcessSpawner {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(orders: &Receiver<Order>) {
    let mut children: Vec<Child> = Vec::new();
    let mut failed: Vec<(u32, i32)> = Vec::new();
    for order in orders {
        children.retain_mut(|child| {
            let Ok(Some(status)) = child.try_wait() else {
                return true;
            };
            failed.extend(status.code().filter(|code| *code != 0).map(|code| (child.id(), code)));
            false
        });
        let place = |id: u32| children.iter().position(|child| child.id() == id);
        match order {
            Order::Start(mut order) => {
                let started = start(&mut order.program, order.left.take()).map(|mut child| {
                    let says = child.stdout.take().filter(|_| order.heard);
                    let complains = child.stderr.take();
                    let id = child.id();
                    // The system uses the IDs of ended processes again.
                    failed.retain(|(program, _)| *program != id);
                    children.push(child);
                    Started { id, says, complains }
                });
                let _ = order.started.send(started);
            }
            Order::Look(id, answer) => {
                let _ = answer.send(place(id).is_some());
            }
            Order::Judge(id, answer) => {
                let code = failed.iter().find(|(program, _)| *program == id);
                let _ = answer.send(code.map(|(_, code)| *code));
            }
            Order::End(id, ended) => {
                let child = place(id).map(|place| children.remove(place));
                end(child.into_iter().collect());
                let _ = ended.send(());
            }
        }
    }
    // The X server was started first and ends last, so that programs can disconnect cleanly.
    let mut newest_first = children.into_iter().rev().collect::<Vec<_>>();
    let server = newest_first.pop();
    end(newest_first);
    end(server.into_iter().collect());
}

#[expect(unsafe_code)]
fn start(program: &mut Command, left: Option<LeftFolder>) -> io::Result<Child> {
    let own = getpid();
    program.process_group(0);
    // SAFETY: Between fork and exec, only system calls are made; nothing is allocated and no lock is taken.
    unsafe {
        program.pre_exec(move || reaper::attach(own, left.as_ref()));
    }
    program.spawn()
}

fn left(folder: &Path) -> io::Result<LeftFolder> {
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
    Ok(LeftFolder {
        remover: text(&remover())?,
        folder: text(folder)?,
    })
}

/// Returns the path of the `rm` program.
fn remover() -> PathBuf {
    const USUAL: &str = "/bin/rm";
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join("rm"));
    found
        .into_iter()
        .find(|file| file.is_absolute() && file.is_file())
        .unwrap_or_else(|| USUAL.into())
}

/// Asks programs and everything that they started to end, then kills them.
fn end(mut children: Vec<Child>) {
    for group in children.iter().filter_map(process) {
        let _ = kill_process_group(group, Signal::TERM);
    }
    let deadline = Instant::now() + FAREWELL;
    while !children.is_empty() && Instant::now() < deadline {
        children.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_)) | Err(_)));
        std::thread::sleep(Duration::from_millis(if children.is_empty() { 0 } else { 5 }));
    }
    for reaper in children.iter().filter_map(process) {
        let _ = kill_process(reaper, reaper::END);
    }
    for mut child in children {
        let _ = child.wait();
    }
}

fn process(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().cast_signed())
}

/// The X server, before it is started.
pub(super) struct Server<'a> {
    pub(super) options: PrivateDesktopOptions,
    pub(super) cookie: &'a Cookie,
    pub(super) is_over: &'a IsOver,
}

impl Server<'_> {
    /// Starts the server; returns the free display name that it chose.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is in the directory of the cookie, which was made at random"
    )]
    pub(super) fn start(&self, spawner: &mut ProcessSpawner) -> Result<String, DisplayError> {
        let PrivateDesktopOptions { width, height, .. } = self.options;
        let failed = |error: io::Error| DisplayError::failed("starting Xvfb", error);
        let folder = self.cookie.directory();
        // Keep this file open: it stays readable even if the server fails right away and its directory is removed.
        let said = std::fs::File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(folder.join("said"));
        let mut said = said.map_err(failed)?;
        let log = said.try_clone().map_err(failed)?;
        let mut program = child::command("Xvfb", &Environment::helper());
        program
            .args(["-displayfd", "1", "-screen", "0"])
            .arg(format!("{width}x{height}x24"))
            .args(["-nolisten", "tcp", "-noreset", "-auth"])
            .arg(self.cookie.path())
            .stdout(Stdio::piped())
            .stderr(log);
        let heard = spawner.hear_in(program, folder, self.is_over);
        let said_number = heard.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DisplayError::Unavailable(
                "a private desktop needs Xvfb, which is not installed; install the xvfb package \
                 (xorg-x11-server-Xvfb on Fedora, xorg-server-xvfb on Arch)"
                    .to_owned(),
            ),
            _ => failed(error),
        })?;
        let number = said_number.and_then(|line| line.trim().parse::<u32>().ok());
        number.map(|number| format!(":{number}")).ok_or_else(|| {
            let mut words = String::new();
            if said.rewind().is_ok() {
                let _ = said.take(LAST_WORDS).read_to_string(&mut words);
            }
            let words = words.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("; ");
            DisplayError::Unavailable(format!(
                "cannot start a private desktop: Xvfb said \"{words}\"; choose a size that it supports, such as 1280x800"
            ))
        })
    }
}

/// Reads a line as soon as it arrives.
fn first_line(says: ChildStdout, is_over: &IsOver) -> Option<String> {
    if !speaks(&says, is_over).ok()? {
        return None;
    }
    let mut line = String::new();
    BufReader::new(says.take(LONGEST_LINE)).read_line(&mut line).ok()?;
    Some(line)
}

/// Waits for output or its end. Returns `false` if neither comes in time, or if the run is over first.
fn speaks(says: &ChildStdout, is_over: &IsOver) -> io::Result<bool> {
    let deadline = Instant::now() + START;
    while !is_over() && Instant::now() < deadline {
        let mut output = PollFd::new(says, PollFlags::IN);
        wait_for(std::slice::from_mut(&mut output), Some(LOOK))?;
        if !output.revents().is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_program_that_says_nothing_is_not_waited_for_once_the_run_is_over() {
        let mut spawner = ProcessSpawner::new().unwrap();
        let mut program = child::command("sleep", &Environment::helper());
        program.arg("1000").stdout(Stdio::piped());
        let is_over: IsOver = Arc::new(|| true);
        let began = Instant::now();
        assert_eq!(spawner.hear(program, &is_over).unwrap(), None);
        drop(spawner);
        assert!(began.elapsed() < START, "{:?}", began.elapsed());
    }

    #[test]
    fn each_failed_program_has_its_own_last_words() {
        let mut spawner = ProcessSpawner::new().unwrap();
        let failing = ["echo one >&2; exit 3", "echo two >&2; exit 4"].map(|line| {
            let mut program = child::command("sh", &Environment::helper());
            program.args(["-c", line]).stderr(Stdio::piped());
            let id = spawner.run(program).unwrap();
            while spawner.is_running(id).unwrap() {
                std::thread::yield_now();
            }
            id
        });
        for (id, code, words) in [(failing[0], 3, "one"), (failing[1], 4, "two")] {
            let expected = ProgramFailure {
                code,
                last_words: words.to_owned(),
            };
            assert_eq!(spawner.failure(id).unwrap(), Some(expected));
        }
    }

    #[test]
    fn a_program_is_ended_alone_and_known_to_have_ended() {
        let mut spawner = ProcessSpawner::new().unwrap();
        let mut run = |arguments: &[&str]| {
            let mut program = child::command("sh", &Environment::helper());
            program.args(arguments);
            spawner.run(program).unwrap()
        };
        // The second program leaves its parent.
        let (first, second) = (run(&["-c", "exec sleep 1000"]), run(&["-c", "setsid sleep 1000 &"]));
        let brief = run(&["-c", "exit 3"]);
        while spawner.is_running(brief).unwrap() {
            std::thread::yield_now();
        }
        let mut code = |id| spawner.failure(id).unwrap().map(|failure| failure.code);
        assert_eq!([code(first), code(brief)], [None, Some(3)]);
        assert!(spawner.is_running(first).unwrap() && spawner.is_running(second).unwrap());
        spawner.end(second).unwrap();
        spawner.end(brief).unwrap();
        assert!(spawner.is_running(first).unwrap() && !spawner.is_running(second).unwrap());
    }
}
