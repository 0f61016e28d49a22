//! Plays a suite on a real Slurm with four nodes, and disturbs it: a part is queued again, another is killed, a third is
//! told to end, and a node is lost. Each attempt must have exactly one result, from a whole run on a whole desktop.

mod cluster;
mod processes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::desktop;
use crate::packages;
use crate::process::{agree, output, root, run, succeeds};
use crate::simulated::SimulatedModel;
use cluster::Cluster;
use processes::{Process, end};

const NAME: &str = "slurm";

/// The programs, with Debian's packages.
const NEEDED: [(&str, &str); 4] = [
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("sbatch", "slurm-client"),
    ("munged", "munge"),
];

const NODES: usize = 4;
const PARTS: &str = "8";
const ATTEMPTS: usize = 24;
/// The turns of an attempt, as `suite.toml` says.
const TURNS: u64 = 6;

/// The parts that are disturbed.
const REQUEUED: u32 = 1;
const KILLED: u32 = 2;
const TOLD_TO_END: u32 = 3;
const LOST: u32 = 4;

/// How long a job may take.
const JOB: Duration = Duration::from_mins(4);
/// How long an attempt of a part may take to begin.
const BEGIN: Duration = Duration::from_mins(1);
/// How long processes may take to end after their job.
const END: Duration = Duration::from_secs(20);
/// How long to wait between checks.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns whether one of these words names it, or there are none.
pub(super) fn is_named(words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| NAME.contains(word.as_str()))
}

/// Plays the suite and prints a row. Fails if a result is missing, or comes from half a desktop.
pub(super) fn check(franz: &Path, place: &Path) -> Result<()> {
    provide()?;
    let place = place.join("runs").join(NAME);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    let mut cluster = Cluster::start(franz, &place.join("cluster"), NODES)?;
    let mut model = Command::new(franz);
    model.args(["demo-model", "--port", "0", "--delay", "0.5"]);
    let job = SuiteOnSlurm {
        franz,
        model: SimulatedModel::of(model)?,
        results: place.join("results"),
        place,
    };
    job.plan()?;
    let begun = Instant::now();
    let array = job.submit(&cluster)?;
    job.disturb(&mut cluster, &array)?;
    cluster.wait_for_jobs(JOB)?;
    let first = begun.elapsed();
    let missing = job.missing()?;
    // Slurm wanted one part to end, so that FRANZ leaves it ended. Submitting again plays what is missing.
    ensure!(
        (1..=ATTEMPTS / 8).contains(&missing),
        "{missing} attempts are missing, not those of the part that was told to end"
    );
    job.submit(&cluster)?;
    cluster.wait_for_jobs(JOB)?;
    let tries = job.judge()?;
    wait_until("nothing runs on the nodes any more", END, || cluster.is_quiet())?;
    println!("| engine | attempts | tries kept | first job | missing after it | all |\n|---|---|---|---|---|---|");
    println!(
        "| {} | {ATTEMPTS} | {tries} | {:.0} s | {missing} | {:.0} s |",
        cluster.ask(&["sinfo", "--version"])?,
        first.as_secs_f64(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Ensures that Slurm and the programs for desktops are installed.
fn provide() -> Result<()> {
    desktop::provide()?;
    ensure!(
        packages::is_root(),
        "Slurm's nodes run as root, because each has its own process namespace; run this task as root"
    );
    let missing = NEEDED
        .iter()
        .filter(|(program, _)| !succeeds(Command::new("which").arg(program)));
    let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
    packages::install("suites are tested on a real Slurm", &missing)
}

/// A suite whose parts Slurm starts.
struct SuiteOnSlurm<'a> {
    franz: &'a Path,
    model: SimulatedModel,
    /// The folder with everything that belongs to this test.
    place: PathBuf,
    results: PathBuf,
}

impl SuiteOnSlurm<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.franz);
        // The person's trusted suites and plans on this machine stay unchanged.
        command
            .current_dir(&self.place)
            .env("XDG_STATE_HOME", self.place.join("state"));
        command.args(words);
        command
    }

    fn plan(&self) -> Result<()> {
        let suite = root().join("xtask/src/partners/slurm/suite");
        agree(self.command(&["trust"]).arg(&suite))?;
        let (model, repeat) = (format!("demo={}", self.model.address), ATTEMPTS.to_string());
        let mut plan = self.command(&["suite", "plan"]);
        plan.arg(suite).args(["--upstream", &model, "--repeat", &repeat, "-o"]);
        run(plan.arg(&self.results))
    }

    /// Submits what is missing, and returns the array's number.
    fn submit(&self, cluster: &Cluster) -> Result<String> {
        let mut submit = cluster.command(self.franz);
        submit
            .current_dir(&self.place)
            .env("XDG_STATE_HOME", self.place.join("state"));
        submit.args(["suite", "submit"]).arg(&self.results);
        submit
            .args(["--engine", "slurm", "--shards", PARTS, "--program"])
            .arg(self.franz);
        let printed = String::from_utf8(output(&mut submit)?)?;
        let number = printed.split_whitespace().find(|word| word.parse::<u32>().is_ok());
        Ok(number
            .with_context(|| format!("sbatch named no job: {printed}"))?
            .to_owned())
    }

    /// Disturbs four parts, each in the middle of an attempt.
    fn disturb(&self, cluster: &mut Cluster, array: &str) -> Result<()> {
        self.wait_for_attempt(REQUEUED)?;
        cluster.ask(&["scontrol", "requeue", &format!("{array}_{REQUEUED}")])?;
        let killed = self.wait_for_attempt(KILLED)?;
        end(killed, "KILL")?;
        self.wait_for_attempt(TOLD_TO_END)?;
        cluster.ask(&["scancel", "--batch", "--signal=TERM", &format!("{array}_{TOLD_TO_END}")])?;
        self.wait_for_attempt(LOST)?;
        let node = cluster.lose_node_of(array, LOST)?;
        eprintln!(
            "queued {array}_{REQUEUED} again, killed {array}_{KILLED}, told {array}_{TOLD_TO_END} to end, lost {node}"
        );
        Ok(())
    }

    /// Waits until a part plays an attempt whose desktop has started. Returns its process.
    fn wait_for_attempt(&self, part: u32) -> Result<u32> {
        let results = self.results.to_string_lossy().into_owned();
        let index = format!("SLURM_ARRAY_TASK_ID={part}");
        let mut found = None;
        wait_until("an attempt begins", BEGIN, || {
            let all = Process::all()?;
            let is_part =
                |process: &&Process| process.has(&["suite", "shard", &results]) && process.has_variable(&index);
            let Some(player) = all.iter().find(is_part) else {
                return Ok(false);
            };
            let has_desktop = all
                .iter()
                .any(|one| one.has(&["xterm", ""]) && one.descends_from(player.id, &all));
            found = has_desktop.then_some(player.id);
            Ok(has_desktop)
        })?;
        found.context("no attempt began")
    }

    /// Returns how many attempts have no result.
    fn missing(&self) -> Result<usize> {
        let printed = output(self.command(&["suite", "missing"]).arg(&self.results))?;
        Ok(String::from_utf8(printed)?
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count())
    }

    /// Checks that each attempt has one result, from a whole run. Returns how many tries it took.
    fn judge(&self) -> Result<usize> {
        run(self.command(&["suite", "gather"]).arg(&self.results))?;
        let gathered = fs::read_to_string(self.results.join("results.jsonl"))?;
        let results: Vec<Value> = gathered.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let mut numbers: Vec<u64> = results.iter().filter_map(|result| result["attempt"].as_u64()).collect();
        numbers.sort_unstable();
        ensure!(
            numbers.iter().copied().eq(1..=ATTEMPTS as u64),
            "these attempts have results: {numbers:?}"
        );
        for result in &results {
            let is_whole = result["outcome"] == "solved" && result["run"]["turns"] == TURNS;
            ensure!(is_whole, "not from a whole run: {result}");
        }
        let mut tries = 0;
        for attempt in numbers {
            for entry in fs::read_dir(self.results.join(format!("attempt_{attempt:04}")))? {
                tries += usize::from(entry?.file_name().to_string_lossy().starts_with("try_"));
            }
        }
        Ok(tries)
    }
}

/// Waits until something is true.
fn wait_until(what: &str, limit: Duration, mut is_true: impl FnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    while !is_true()? {
        if begun.elapsed() > limit {
            bail!("{limit:?} are over before {what}");
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
