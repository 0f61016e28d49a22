//! A Slurm cluster on this machine.

use std::fs::{self, File};
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::processes::{Process, end};
use super::wait_until;
use crate::partners::guarded::Guarded;
use crate::process::{output, run};

const SETTINGS: &str = include_str!("slurm.conf");

/// The length of the key with which Slurm's parts trust one another.
const KEY: u64 = 128;
/// How long the cluster may take to start.
const START: Duration = Duration::from_secs(30);
/// The processors of a node. An attempt mostly waits for its model, so there are more than this machine has.
const PROCESSORS: u32 = 2;

/// A controller and its nodes. They end when this value is dropped.
pub(super) struct Cluster {
    settings: PathBuf,
    /// Each node has its own process namespace, so that it can be lost like a machine: with all that runs on it.
    nodes: Vec<Guarded>,
    _controller: Guarded,
    _munge: Guarded,
}

impl Cluster {
    /// Starts a cluster with this many nodes in an empty folder, and waits until all of them are idle.
    pub(super) fn start(franz: &Path, place: &Path, nodes: usize) -> Result<Cluster> {
        for folder in ["state", "spool", "log"] {
            fs::create_dir_all(place.join(folder))?;
        }
        let settings = place.join("slurm.conf");
        fs::write(&settings, written(place, nodes)?)?;
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let log = |name: &str| place.join("log").join(name);
        let munge = {
            let key = place.join("munge.key");
            let mut random = Vec::new();
            File::open("/dev/urandom")?.take(KEY).read_to_end(&mut random)?;
            fs::write(&key, random)?;
            run(Command::new("chmod").arg("400").arg(&key))?;
            let own = |name: &str| text(place.join(name));
            let mut words = vec!["munged".to_owned(), "--foreground".to_owned(), "--force".to_owned()];
            words.push(format!("--key-file={}", own("munge.key")));
            words.push(format!("--socket={}", own("munge.socket")));
            words.push(format!("--pid-file={}", own("munge.pid")));
            words.push(format!("--log-file={}", own("log/munge.log")));
            words.push(format!("--seed-file={}", own("munge.seed")));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            Guarded::start(franz, &words, &[], &log("munged"))?
        };
        let file = text(settings.clone());
        let controller = Guarded::start(franz, &["slurmctld", "-D", "-f", &file], &[], &log("controller"))?;
        let mut cluster = Cluster {
            settings,
            nodes: Vec::new(),
            _controller: controller,
            _munge: munge,
        };
        for node in 1..=nodes {
            let name = format!("n{node}");
            let mut words = vec!["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
            words.extend(["slurmd", "-D", "-f", &file, "-N", &name]);
            cluster.nodes.push(Guarded::start(franz, &words, &[], &log(&name))?);
        }
        let all = format!("idle {nodes}");
        wait_until("every node is idle", START, || {
            Ok(cluster
                .ask(&["sinfo", "--noheader", "--format=%T %D"])
                .is_ok_and(|idle| idle == all))
        })?;
        Ok(cluster)
    }

    /// Returns a command that finds this cluster.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", &self.settings);
        command
    }

    /// Runs a command of Slurm, and returns what it prints.
    pub(super) fn ask(&self, words: &[&str]) -> Result<String> {
        let (program, words) = words.split_first().context("no command")?;
        let printed = output(self.command(program).args(words))?;
        Ok(String::from_utf8(printed)?.trim().to_owned())
    }

    /// Waits until no job waits or runs.
    pub(super) fn wait_for_jobs(&self, limit: Duration) -> Result<()> {
        wait_until("all jobs have ended", limit, || {
            Ok(self.ask(&["squeue", "--noheader"])?.is_empty())
        })
    }

    /// Returns whether nothing but Slurm runs on the nodes.
    pub(super) fn is_quiet(&self) -> Result<bool> {
        let all = Process::all()?;
        let on_nodes = |process: &&Process| {
            let mut guards = self.nodes.iter().map(Guarded::id);
            guards.any(|guard| process.parent != guard && process.descends_from(guard, &all))
        };
        Ok(all.iter().filter(on_nodes).all(Process::is_of_slurm))
    }

    /// Loses this node without a word, like a machine whose power fails. Returns the parts of the job that ran on it.
    pub(super) fn lose_node_of(&mut self, job: &str, part: u32) -> Result<String> {
        let task = format!("{job}_{part}");
        let node = self.ask(&["squeue", "--noheader", "--format=%N", "--job", &task])?;
        let number: usize = node.strip_prefix('n').context("the part runs on no node")?.parse()?;
        let guard = self.nodes.get(number - 1).context("no such node")?.id();
        let guarded: Vec<Process> = Process::all()?
            .into_iter()
            .filter(|process| process.parent == guard)
            .collect();
        ensure!(!guarded.is_empty(), "the node {node} has ended already");
        for process in guarded {
            end(process.id, "KILL")?;
        }
        Ok(node)
    }
}

/// Writes the settings.
fn written(place: &Path, nodes: usize) -> Result<String> {
    // The ports are free as long as nobody else takes them before Slurm does.
    let held: Vec<TcpListener> = (0..=nodes)
        .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
        .collect::<Result<_, _>>()?;
    let ports: Vec<u16> = held
        .iter()
        .map(|held| Ok(held.local_addr()?.port()))
        .collect::<Result<_, std::io::Error>>()?;
    let host = String::from_utf8(output(Command::new("hostname").arg("-s"))?)?;
    let (host, place) = (host.trim(), place.display());
    let mut lines = vec![
        "ClusterName=franz".to_owned(),
        format!("SlurmctldHost={host}(127.0.0.1)"),
        format!("SlurmctldPort={}", ports[0]),
        // A part that is queued again waits until its credential has expired; Slurm takes no less than 5 seconds.
        format!("AuthInfo=socket={place}/munge.socket,cred_expire=5"),
        format!("StateSaveLocation={place}/state"),
        format!("SlurmdSpoolDir={place}/spool/%n"),
        format!("SlurmctldPidFile={place}/controller.pid"),
        format!("SlurmdPidFile={place}/%n.pid"),
        format!("SlurmctldLogFile={place}/log/slurmctld.log"),
        format!("SlurmdLogFile={place}/log/slurmd.%n.log"),
    ];
    for (node, port) in ports.iter().enumerate().skip(1) {
        lines.push(format!(
            "NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={PROCESSORS} RealMemory=2000"
        ));
    }
    Ok(lines.join("\n") + "\n" + SETTINGS)
}
