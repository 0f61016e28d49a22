//! Measures suites: how long attempts take with a model that answers at once, and how long planning and reporting take.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::build;
use super::goal::Row;
use crate::process::{agree, root};
use crate::simulated::SimulatedModel;

const COMMAND: &str = "cargo xtask bench suite";

/// How many attempts of ten turns to run on the canvas, and how long they may take on two cores.
const ATTEMPTS: u32 = 200;
const ATTEMPTS_S: f64 = 60.0;

/// How many attempts to run one after the other, and how long each may take longer than its run.
const ALONE: u32 = 40;
const OVERHEAD_S: f64 = 1.5;

/// How many short attempts to run on private desktops, their turns, and how many longer ones with how many more turns.
const DESKTOPS: u32 = 40;
const TURNS: u32 = 3;
const LONG: u32 = 10;
const MORE_TURNS: u32 = 20;

/// How many private desktops to have at the same time, for their memory.
const AT_ONCE: u32 = 8;

/// The tasks and models of a large plan, and how long it may take to plan 50 repeats and to report 5.
const TASKS: usize = 100;
const MODELS: usize = 10;
const PLAN_S: f64 = 2.0;
const REPORT_S: f64 = 3.0;

/// Measures all of it.
pub(super) fn bench() -> Result<Vec<Row>> {
    let bench = Bench::new()?;
    bench.suite(
        "canvas",
        "screen = \"canvas\"\nmax_turns = 10",
        "test -s \"$SUITE_RUN\"/canvas.jsonl",
    )?;
    bench.suite("desktop", &on_desktop(TURNS), "exit 1")?;
    bench.suite("long", &on_desktop(TURNS + MORE_TURNS), "exit 1")?;
    let artist = bench.model(&[])?;
    let mut rows = vec![bench.many(&artist)?, bench.alone(&artist)?];
    rows.extend(bench.desktops(&artist)?);
    drop(artist);
    rows.push(bench.memory()?);
    rows.extend(bench.large()?);
    Ok(rows)
}

/// Returns the lines of a task on a private desktop. The built-in model does the same again and again, and must not be
/// stopped for it.
fn on_desktop(turns: u32) -> String {
    format!("screen = \"virtual\"\nstart = [\"xterm\"]\nmax_turns = {turns}\nset = {{ \"loop.patience\" = {turns} }}")
}

struct Bench {
    program: PathBuf,
    folder: PathBuf,
}

/// The duration of a suite, in seconds.
struct Took {
    wall: f64,
    /// The processor time of the runner and of everything that it started.
    processor: f64,
    runs: Runs,
}

/// The recorded totals over all runs of a suite.
#[derive(Default)]
struct Runs {
    seconds: f64,
    turns: u64,
}

impl Bench {
    fn new() -> Result<Bench> {
        let program = build::release(&["--package", "franz-agent"], "franz")?;
        let folder = root().join("target/bench/suite");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Bench { program, folder })
    }

    /// Starts the built-in model as a server.
    fn model(&self, more: &[&str]) -> Result<SimulatedModel> {
        let mut command = self.franz(&["demo-model", "--port", "0", "--delay", "0"]);
        command.args(more);
        SimulatedModel::of(command)
    }

    fn franz(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(&self.folder);
        command.env("XDG_STATE_HOME", self.folder.join("state"));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Writes a suite with one task, and allows it.
    fn suite(&self, name: &str, lines: &str, check: &str) -> Result<()> {
        let toml = format!("[[task]]\nname = \"task\"\ngoal = \"Draw a large cat\"\ncheck = \"check.sh\"\n{lines}\n");
        self.files(name, &toml, check)?;
        agree(&mut self.franz(&["trust", name]))
    }

    fn files(&self, name: &str, toml: &str, check: &str) -> Result<()> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("check.sh"), check)?;
        Ok(fs::write(folder.join("suite.toml"), toml)?)
    }

    /// Plans and runs a suite.
    fn run(&self, suite: &str, server: &SimulatedModel, repeat: u32, jobs: u32) -> Result<Took> {
        let (results, model) = (format!("{suite}-{repeat}-{jobs}"), format!("demo={}", server.address));
        let repeat = repeat.to_string();
        let plan = ["suite", "plan", suite, "--profiles", "draw", "--upstream", &model];
        ensure!(
            self.franz(&plan)
                .args(["--repeat", &repeat, "-o", &results])
                .status()?
                .success()
        );
        let (began, cpu) = (Instant::now(), children_s()?);
        let jobs = jobs.to_string();
        let status = self.franz(&["suite", "run", &results, "--jobs", &jobs]).status()?;
        ensure!(status.success(), "the suite ended with {status}");
        let took = (began.elapsed().as_secs_f64(), children_s()? - cpu);
        Ok(Took {
            wall: took.0,
            processor: took.1,
            runs: Runs::of(&self.folder.join(results))?,
        })
    }

    fn many(&self, server: &SimulatedModel) -> Result<Row> {
        let took = self.run("canvas", server, ATTEMPTS, 2)?;
        Ok(Row {
            what: format!("{ATTEMPTS} attempts of 10 turns on the canvas, two at a time"),
            goal: "60 s on 2 cores",
            measured: format!(
                "{:.1} s; {:.2} s of processor time an attempt",
                took.wall,
                took.processor / f64::from(ATTEMPTS)
            ),
            met: took.wall <= ATTEMPTS_S,
            ..Row::of(COMMAND)
        })
    }

    fn alone(&self, server: &SimulatedModel) -> Result<Row> {
        let took = self.run("canvas", server, ALONE, 1)?;
        let overhead = (took.wall - took.runs.seconds) / f64::from(ALONE);
        Ok(Row {
            what: format!("overhead of an attempt besides its run, mean of {ALONE} in sequence"),
            goal: "1.5 s",
            measured: format!("{overhead:.2} s"),
            met: overhead <= OVERHEAD_S,
            ..Row::of(COMMAND)
        })
    }

    /// Measures short attempts on desktops, the cost of each additional turn, and the size of a kept attempt. None is
    /// solved, so all are kept whole.
    fn desktops(&self, server: &SimulatedModel) -> Result<[Row; 3]> {
        let took = self.run("desktop", server, DESKTOPS, 2)?;
        let short = took.processor / f64::from(DESKTOPS);
        let long = self.run("long", server, LONG, 2)?;
        let turns = LONG * (TURNS + MORE_TURNS);
        ensure!(
            long.runs.turns == u64::from(turns),
            "the longer attempts took {} turns, not {turns}",
            long.runs.turns
        );
        let long = long.processor / f64::from(LONG);
        let kept = size_of(&self.folder.join(format!("long-{LONG}-2")))?;
        let row = |what, measured| Row {
            what,
            goal: "-",
            measured,
            met: true,
            ..Row::of(COMMAND)
        };
        Ok([
            row(
                format!("{DESKTOPS} attempts of {TURNS} turns on private desktops with a terminal, two at a time"),
                format!(
                    "{:.0} attempts an hour; {short:.2} s of processor time an attempt",
                    3600.0 * f64::from(DESKTOPS) / took.wall
                ),
            ),
            row(
                format!("a further turn of {LONG} longer attempts on private desktops"),
                format!("{:.3} s of processor time", (long - short) / f64::from(MORE_TURNS)),
            ),
            row(
                format!("what is kept of an unsolved attempt of {} turns", TURNS + MORE_TURNS),
                format!("{:.2} MB", kept / f64::from(LONG) / 1e6),
            ),
        ])
    }

    /// Measures the memory that private desktops take while all of them wait.
    fn memory(&self) -> Result<Row> {
        let script = self.folder.join("wait.jsonl");
        fs::write(&script, "{\"text\": \"wait\", \"delay_s\": 15}\n")?;
        let path = script.to_str().context("the path is not UTF-8")?;
        let server = self.model(&["--script", path])?;
        let before = available_mb()?;
        let (suite, model) = ("desktop", format!("demo={}", server.address));
        let repeat = AT_ONCE.to_string();
        let plan = [
            "suite",
            "plan",
            suite,
            "--profiles",
            "draw",
            "--upstream",
            &model,
            "--repeat",
            &repeat,
        ];
        ensure!(self.franz(&plan).args(["-o", "memory"]).status()?.success());
        let mut runner = self.franz(&["suite", "run", "memory", "--jobs", &repeat]).spawn()?;
        let mut least = before;
        while runner.try_wait()?.is_none() {
            least = least.min(available_mb()?);
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(Row {
            what: format!("memory of an attempt on a private desktop with a terminal, {AT_ONCE} at once"),
            goal: "-",
            measured: format!("{:.0} MB", (before - least) / f64::from(AT_ONCE)),
            met: true,
            ..Row::of(COMMAND)
        })
    }

    /// Measures a large plan, and a report on as many results as its first repeats have.
    fn large(&self) -> Result<Vec<Row>> {
        let task = |i| format!("[[task]]\nname = \"t{i}\"\ngoal = \"x\"\nscreen = \"canvas\"\ncheck = \"check.sh\"\n");
        let model = |i| format!("[[model]]\nname = \"m{i}\"\nupstream = \"http://127.0.0.1:1\"\n");
        let tasks = (0..TASKS).map(task);
        let toml: String = tasks.chain((0..MODELS).map(model)).collect();
        self.files("large", &toml, "exit 1")?;
        let plan = |repeat: &str, results: &str| -> Result<f64> {
            let began = Instant::now();
            let status = self
                .franz(&["suite", "plan", "large", "--repeat", repeat, "-o", results])
                .status()?;
            ensure!(status.success(), "planning ended with {status}");
            Ok(began.elapsed().as_secs_f64())
        };
        let planned = plan("50", "large-50")?;
        plan("5", "large-5")?;
        self.pretend("large-5")?;
        let began = Instant::now();
        ensure!(self.franz(&["suite", "report", "large-5"]).status()?.success());
        let reported = began.elapsed().as_secs_f64();
        Ok(vec![
            Row {
                what: format!("planning {} attempts", TASKS * MODELS * 50),
                goal: "2 s",
                measured: format!("{planned:.2} s"),
                met: planned <= PLAN_S,
                ..Row::of(COMMAND)
            },
            Row {
                what: format!("a report on {} attempts", TASKS * MODELS * 5),
                goal: "3 s",
                measured: format!("{reported:.2} s"),
                met: reported <= REPORT_S,
                ..Row::of(COMMAND)
            },
        ])
    }

    /// Writes a made-up result for every attempt of a plan.
    fn pretend(&self, results: &str) -> Result<()> {
        let folder = self.folder.join(results);
        let real = self.folder.join(format!("canvas-{ALONE}-1/attempt_0001/result.json"));
        let real: Value = serde_json::from_slice(&fs::read(real)?)?;
        let plan = fs::read_to_string(folder.join("plan.jsonl"))?;
        let digest = digest(&folder.join("plan.jsonl"))?;
        for (number, line) in plan.lines().skip(1).enumerate() {
            let planned: Value = serde_json::from_str(line)?;
            let mut result = real.clone();
            for (key, value) in planned.as_object().context("a line of the plan is no object")? {
                result[key] = value.clone();
            }
            let is_solved = number % 3 != 0;
            result["plan"] = digest.clone().into();
            result["outcome"] = if is_solved { "solved" } else { "unsolved" }.into();
            result["score"] = f64::from(u8::from(is_solved)).into();
            let attempt = folder.join(format!("attempt_{:04}", number + 1));
            fs::create_dir_all(attempt.join("try_made-up"))?;
            fs::write(attempt.join("try_made-up/result.json"), result.to_string())?;
            fs::hard_link(attempt.join("try_made-up/result.json"), attempt.join("result.json"))?;
        }
        Ok(())
    }
}

impl Runs {
    /// Adds up all results in a folder.
    fn of(results: &Path) -> Result<Runs> {
        let mut runs = Runs::default();
        for entry in fs::read_dir(results)? {
            let file = entry?.path().join("result.json");
            if file.exists() {
                let result: Value = serde_json::from_slice(&fs::read(file)?)?;
                runs.seconds += result["run"]["seconds"].as_f64().unwrap_or(0.0);
                runs.turns += result["run"]["turns"].as_u64().unwrap_or(0);
            }
        }
        Ok(runs)
    }
}

/// Returns the bytes of all files in a folder.
fn size_of(folder: &Path) -> Result<f64> {
    let mut bytes = 0.0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()? {
            kind if kind.is_dir() => size_of(&entry.path())?,
            _ => entry.metadata()?.len() as f64,
        };
    }
    Ok(bytes)
}

/// Returns the processor time of this process's ended children and of theirs.
fn children_s() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, rest) = stat
        .rsplit_once(')')
        .context("a process's statistics have an unknown format")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // Fields 16 and 17 of proc(5), in ticks of 10 ms.
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    let (user, system) = ticks(13)
        .zip(ticks(14))
        .context("a process's statistics are truncated")?;
    Ok((user + system) / 100.0)
}

/// Returns the memory that is available, in MB.
fn available_mb() -> Result<f64> {
    let info = fs::read_to_string("/proc/meminfo")?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    Ok(kilobytes.context("the system does not say what memory is available")? / 1e3)
}

fn digest(file: &Path) -> Result<String> {
    let output = Command::new("sha256sum").arg(file).output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.split_whitespace().next().context("no digest")?.to_owned())
}
