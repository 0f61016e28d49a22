//! A private directory to run FRANZ in, and model servers with scripted replies.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franz_demo::{Demo, DemoHandle, DemoSettings, Script, ThinkingPace};
use franz_record::{TurnLine, TurnLines, View};

/// Far longer than any test needs. A process that takes longer has hung.
pub(crate) const PATIENCE: Duration = Duration::from_mins(4);

/// A directory without any configuration, in which FRANZ runs.
pub(crate) struct Workplace {
    directory: tempfile::TempDir,
    /// Whether runs continue however often a model repeats itself.
    is_patient: bool,
}

/// A process that has ended.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A running process, which is killed when this value is dropped.
pub(crate) struct Running {
    child: Child,
    stdout: Option<Drain>,
    stderr: Option<Drain>,
}

/// Constantly reads a process's output, so that the process never waits for a reader.
struct Drain {
    read: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Workplace {
    pub(crate) fn new() -> Workplace {
        Workplace {
            directory: tempfile::tempdir().unwrap(),
            is_patient: true,
        }
    }

    /// Creates a workplace with the usual limits.
    pub(crate) fn usual() -> Workplace {
        Workplace {
            is_patient: false,
            ..Workplace::new()
        }
    }

    /// Makes a folder with every program that can be found, except bubblewrap. Returns its path.
    #[cfg(target_os = "linux")]
    pub(crate) fn without_bubblewrap(&self) -> PathBuf {
        let programs = self.path("programs");
        std::fs::create_dir(&programs).unwrap();
        for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap()) {
            for program in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = program.file_name();
                if name != "bwrap" {
                    // The first program of a name is there already.
                    let _ = std::os::unix::fs::symlink(program.path(), programs.join(name));
                }
            }
        }
        programs
    }

    /// Returns a command for `franz` with these arguments. Runs have no panel.
    pub(crate) fn franz(&self, arguments: &[&str]) -> Command {
        match arguments.split_first() {
            Some((&"run", more)) => self.program(&[&["run", "--no-panel"], more].concat()),
            _ => self.program(arguments),
        }
    }

    /// Returns a command for `franz` with these arguments, and without anything in the tester's environment that could
    /// change its behaviour.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_franz"));
        let prefixes = ["FRANZ_", "LMSTUDIO_", "AGENT_"];
        let foreign = |name: &str| {
            prefixes.iter().any(|prefix| name.starts_with(prefix))
                || name.ends_with("_API_KEY")
                || [
                    "OPENAI_BASE_URL",
                    "RUST_LOG",
                    "DBUS_SESSION_BUS_ADDRESS",
                    "XDG_RUNTIME_DIR",
                ]
                .contains(&name)
        };
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(foreign) {
                command.env_remove(name);
            }
        }
        let (config, state) = (
            self.directory.path().join("config"),
            self.directory.path().join("state"),
        );
        command.args(arguments).current_dir(self.directory.path());
        if self.is_patient {
            command.env("FRANZ_LOOP__PATIENCE", "0").env("FRANZ_LOOP__REST_S", "0");
        }
        command
            .env("XDG_CONFIG_HOME", &config)
            .env("APPDATA", &config)
            .env("XDG_STATE_HOME", &state)
            .env("LOCALAPPDATA", &state)
            .env("HOME", &config);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `franz run --run-dir run --upstream URL` with more arguments and without delays, and waits for its end.
    pub(crate) fn run(&self, server: &DemoHandle, more: &[&str]) -> Finished {
        self.start(server, more).finish()
    }

    /// Starts the same run as [`Workplace::run`], but does not wait for its end.
    pub(crate) fn start(&self, server: &DemoHandle, more: &[&str]) -> Running {
        let url = url(server);
        let mut arguments = vec![
            "run",
            "--run-dir",
            "run",
            "--upstream",
            &url,
            "--set",
            "loop.executing_delay_s=0",
        ];
        arguments.extend(more);
        spawn(self.franz(&arguments))
    }

    /// Continues the run.
    pub(crate) fn resume(&self, server: &DemoHandle, more: &[&str]) -> Finished {
        let url = url(server);
        let mut arguments = vec!["run", "--resume", "run", "--upstream", &url];
        arguments.extend(more);
        spawn(self.franz(&arguments)).finish()
    }

    /// Returns a path in the run's directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join("run").join(name)
    }

    /// Returns a path next to the run's directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Keeps the directory with everything in it, and returns its path.
    #[cfg(target_os = "linux")]
    pub(crate) fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    /// Returns the recorded turns.
    pub(crate) fn turns(&self) -> Vec<TurnLine> {
        let lines = TurnLines::open(&View::open(&self.file("")).unwrap()).unwrap();
        lines
            .map(|line| line.unwrap_or_else(|error| panic!("{error}")))
            .collect()
    }

    /// Waits until this turn's picture exists, which costs less than reading the turns.
    pub(crate) fn wait_for_picture(&self, turn: u64) {
        let path = self.file(&format!("turn_{turn:04}.png"));
        wait_until(&format!("{}", path.display()), || path.exists().then_some(()));
    }

    /// Waits until this turn is recorded, and returns all recorded turns.
    pub(crate) fn wait_for_turn(&self, number: u64) -> Vec<TurnLine> {
        wait_until(&format!("turn {number}"), || {
            let lines = TurnLines::open(&View::open(&self.file("")).ok()?).ok()?;
            let turns: Vec<TurnLine> = lines.filter_map(Result::ok).collect();
            turns.last().is_some_and(|line| line.turn >= number).then_some(turns)
        })
    }
}

impl Running {
    /// Watches over a process. Reads its pipes unless the caller has taken them.
    pub(crate) fn of(mut child: Child) -> Running {
        let stdout = child.stdout.take().map(Drain::new);
        let stderr = child.stderr.take().map(Drain::new);
        Running { child, stdout, stderr }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the process ends.
    pub(crate) fn finish(mut self) -> Finished {
        let status = wait_until("the end of the process", || self.child.try_wait().unwrap());
        Finished {
            code: status.code(),
            stdout: self.stdout.take().map(Drain::finish).unwrap_or_default(),
            stderr: self.stderr.take().map(Drain::finish).unwrap_or_default(),
        }
    }

    /// Returns what the process has printed so far.
    #[cfg(target_os = "linux")]
    pub(crate) fn printed(&self) -> String {
        self.stdout.as_ref().map(Drain::so_far).unwrap_or_default()
    }

    /// Returns whether the process has printed this text so far.
    #[cfg(target_os = "linux")]
    pub(crate) fn has_printed(&self, text: &str) -> bool {
        self.stdout
            .as_ref()
            .is_some_and(|stdout| stdout.so_far().contains(text))
    }

    /// Returns whether the process has written this text to stderr so far.
    pub(crate) fn has_complained(&self, text: &str) -> bool {
        self.stderr
            .as_ref()
            .is_some_and(|stderr| stderr.so_far().contains(text))
    }

    /// Returns whether the process has ended on its own.
    #[cfg(target_os = "linux")]
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Sends a signal by name.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Kills the process with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drain {
    fn new(pipe: impl Read + Send + 'static) -> Drain {
        let read = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let (read, mut pipe, mut line) = (read.clone(), BufReader::new(pipe), Vec::new());
            move || {
                while pipe.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                    read.lock().unwrap().append(&mut line);
                }
            }
        });
        Drain { read, reader }
    }

    /// Returns the whole lines that have been read so far.
    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.read.lock().unwrap()).into_owned()
    }

    /// Reads to the end, and returns all of the output.
    fn finish(self) -> String {
        self.reader.join().unwrap();
        String::from_utf8_lossy(&self.read.lock().unwrap()).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether nothing started here ends at SIGHUP, because the tests were started with nohup.
#[cfg(unix)]
pub(crate) fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    let is_ignored = mask & 1 == 1;
    if is_ignored {
        eprintln!("skipped: nohup makes the program ignore SIGHUP");
    }
    is_ignored
}

/// Starts a prepared process.
pub(crate) fn spawn(mut command: Command) -> Running {
    Running::of(command.spawn().unwrap())
}

/// Looks repeatedly for an effect of another process. The time limit only ends tests that hang, and says nothing about
/// how long the other process should take.
pub(crate) fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts the built-in model, which does not pretend to think.
pub(crate) fn artist() -> DemoHandle {
    Demo::spawn(DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        keep_requests: true,
        ..DemoSettings::default()
    })
    .unwrap()
}

/// Starts a server that gives the answers in a script, one JSON object per line.
pub(crate) fn scripted(lines: &[&str]) -> DemoHandle {
    let script = Script::parse(&lines.join("\n")).unwrap();
    let options = DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        keep_requests: true,
        script: Some(script),
        ..DemoSettings::default()
    };
    Demo::spawn(options).unwrap()
}

/// Starts a server whose replies are these blocks of Python, in order. The last one repeats.
pub(crate) fn python(blocks: &[&str]) -> DemoHandle {
    let lines: Vec<String> = blocks
        .iter()
        .map(|block| reply(&format!("```python\n{block}\n```")))
        .collect();
    scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the script line for a reply with this text.
pub(crate) fn reply(text: &str) -> String {
    serde_json::json!({ "text": text }).to_string()
}

/// Returns a server's address.
pub(crate) fn url(server: &DemoHandle) -> String {
    format!("http://{}", server.addr())
}
