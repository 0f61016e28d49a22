//! Measures what the relay costs compared with nginx and mitmdump: for requests of 1.5 MB, for chunks of a stream, and
//! in memory with many clients.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Serialize;

use super::build;
use super::competitors;
use super::figures::{Samples, Spread};
use super::goal::Row;
use super::started::Started;
use crate::process::{output, root};

/// The number of rounds of requests. In each round, every target gets ten of each kind.
const ROUNDS: u32 = 30;
/// The number of streams from each target, and the number of chunks in each stream.
const STREAMS: u32 = 5;
const CHUNKS: u32 = 200;
/// The number of clients in a crowd, and the number of megabytes that each sends.
const CROWD: (u32, u32) = (16, 10);
/// The number of crowds that each target gets, one after the other.
const CROWDS: u32 = 3;

const COMMAND: &str = "cargo xtask bench relay";

/// The relay's name in the table.
const OURS: &str = "relay";

const KINDS: [(&str, &str); 5] = [
    ("short", "2 bytes on a fresh connection"),
    ("keyed", "2 bytes with the run's key"),
    ("fresh", "1.5 MB on a fresh connection"),
    ("kept", "1.5 MB on a kept connection"),
    ("stream", "a chunk of a stream"),
];

#[derive(Default, Serialize)]
struct Report {
    /// The time that each kind takes without any target in between, in milliseconds.
    direct: BTreeMap<&'static str, Spread>,
    /// The delay that each target adds to that time.
    added: BTreeMap<&'static str, BTreeMap<&'static str, Spread>>,
    /// The peak resident memory of each target while it handles a crowd, in MB.
    resident_mb: BTreeMap<&'static str, f64>,
    /// Targets that could not be measured, with the reason.
    left_out: BTreeMap<&'static str, String>,
}

/// Everything that the measurement uses.
struct Bench {
    directory: PathBuf,
    peers: PathBuf,
    origin: Started,
    report: Report,
}

type Targets = Vec<(&'static str, Started)>;

/// Measures everything in one run, prints the results and writes them to a file.
pub(super) fn bench() -> Result<Vec<Row>> {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    let peers = build::release(&["--package", "franz-relay", "--example", "peers"], "examples/peers")?;
    let origin = Started::telling(Command::new(&peers).arg("origin"))?;
    let mut bench = Bench {
        directory,
        peers,
        origin,
        report: Report::default(),
    };
    let targets = bench.targets();
    bench.delays(&targets?)?;
    // Memory is measured in new processes that have done nothing else.
    let targets = bench.targets();
    bench.memory(&targets?)?;
    print!("{}", bench.report);
    let file = bench.directory.join("relay.json");
    fs::write(&file, serde_json::to_vec_pretty(&bench.report)?)?;
    println!("written to {}", file.display());
    Ok(bench.report.rows())
}

impl Bench {
    /// Starts the relay and its rivals again. Leaves out rivals that cannot be started.
    fn targets(&mut self) -> Result<Targets> {
        let mut targets = vec![(OURS, self.relay("reading")?)];
        let (directory, origin) = (&self.directory, self.origin.port);
        let rivals = [
            ("nginx", competitors::nginx(directory, origin)),
            ("mitmdump", competitors::mitmdump(directory, origin, false)),
            ("mitmdump-streaming", competitors::mitmdump(directory, origin, true)),
        ];
        for (name, rival) in rivals {
            match rival {
                Ok(rival) => targets.push((name, rival)),
                Err(error) => {
                    self.report.left_out.insert(name, format!("{error:#}"));
                }
            }
        }
        Ok(targets)
    }

    fn relay(&self, observer: &str) -> Result<Started> {
        let mut command = Command::new(&self.peers);
        Started::telling(command.args(["relay", &self.origin.port.to_string(), observer]))
    }

    /// Measures requests and streams, alternating between targets.
    fn delays(&mut self, targets: &Targets) -> Result<()> {
        let ports = targets.iter().map(|(name, started)| format!("{name}={}", started.port));
        let ports: Vec<String> = ports.chain([format!("direct={}", self.origin.port)]).collect();
        let mut samples = Samples::default();
        // A warm-up round.
        self.client(&["requests", "1"], &ports)?;
        samples.read(&self.client(&["requests", &ROUNDS.to_string()], &ports)?);
        for _ in 0..STREAMS {
            samples.read(&self.client(&["stream", &CHUNKS.to_string()], &ports)?);
        }
        for (kind, _) in KINDS {
            let direct = samples.spread("direct", kind).context("nothing was measured")?;
            self.report.direct.insert(kind, direct);
            for (name, _) in targets {
                let spread = samples.spread(name, kind).context("nothing was measured")?;
                self.report
                    .added
                    .entry(name)
                    .or_default()
                    .insert(kind, spread.over(direct));
            }
        }
        Ok(())
    }

    /// Measures the memory of each target in turn with a crowd of clients, and the memory of a relay whose observer is
    /// stuck.
    fn memory(&mut self, targets: &Targets) -> Result<()> {
        let stuck = self.relay("stuck")?;
        let stuck = ("relay, observer stuck", &stuck);
        for (name, started) in targets.iter().map(|(name, started)| (*name, started)).chain([stuck]) {
            let (clients, megabytes) = CROWD;
            // Repeat the crowd: memory that was freed after one crowd might still be resident for the next, or be
            // allocated again.
            for _ in 0..CROWDS {
                let words = ["crowd", &clients.to_string(), &megabytes.to_string()];
                self.client(&words, &[started.port.to_string()])?;
            }
            if let Some(mb) = started.most_resident_mb() {
                self.report.resident_mb.insert(name, mb);
            }
        }
        Ok(())
    }

    fn client(&self, words: &[&str], targets: &[String]) -> Result<String> {
        let printed = output(Command::new(&self.peers).args(words).args(targets))?;
        Ok(String::from_utf8(printed)?)
    }
}

impl Report {
    fn rows(&self) -> Vec<Row> {
        let goals = [
            ("fresh", "1 / 5 ms; faster than nginx", 1.0, 5.0, true),
            ("stream", "0.1 / 1 ms", 0.1, 1.0, false),
        ];
        let added = goals.into_iter().filter_map(|(kind, goal, p50, p99, is_race)| {
            let of = |name| self.added.get(name)?.get(kind);
            let ours = of(OURS)?;
            let others = self.added.keys().filter(|name| **name != OURS);
            let others: Vec<_> = others
                .filter_map(|name| of(name).map(|spread| format!("{name} {:.2} / {:.2}", spread.p50, spread.p99)))
                .collect();
            let beaten = of("nginx").is_some_and(|nginx| ours.p50 < nginx.p50);
            let what = KINDS.iter().find(|(name, _)| *name == kind)?.1;
            Some(Row {
                what: format!("added by the relay, p50 / p99: {what}"),
                goal,
                measured: format!("{:.2} / {:.2} ms", ours.p50, ours.p99),
                peers: others.join(", "),
                met: ours.p50 <= p50 && ours.p99 <= p99 && (beaten || !is_race),
                ..Row::of(COMMAND)
            })
        });
        let short = |kind| self.added.get(OURS)?.get(kind);
        let look_up = short("short").zip(short("keyed")).map(|(looked_up, keyed)| Row {
            what: "finding the user of a connection, p50 / p99".to_owned(),
            goal: "0.2 / 2 ms",
            measured: format!("{:.3} / {:.3} ms", looked_up.p50 - keyed.p50, looked_up.p99 - keyed.p99),
            met: looked_up.p50 - keyed.p50 <= 0.2 && looked_up.p99 - keyed.p99 <= 2.0,
            ..Row::of(COMMAND)
        });
        let resident = self.resident_mb.get(OURS).map(|mb| Row {
            what: "16 clients with 10 MB each at once, the relay's resident memory".to_owned(),
            goal: "128 MB",
            measured: format!("{mb:.0} MB"),
            peers: ["mitmdump", "nginx"]
                .iter()
                .filter_map(|name| Some(format!("{name} {:.0} MB", self.resident_mb.get(name)?)))
                .collect::<Vec<_>>()
                .join(", "),
            met: *mb <= 128.0,
            ..Row::of(COMMAND)
        });
        added.chain(look_up).chain(resident).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{:<32}{:>24}{:>24}", "milliseconds", "p50", "p99")?;
        for (kind, what) in KINDS {
            if let Some(direct) = self.direct.get(kind) {
                writeln!(
                    formatter,
                    "{what}, direct{:>w$.3}{:>24.3}",
                    direct.p50,
                    direct.p99,
                    w = 48 - what.len()
                )?;
            }
            for (name, added) in &self.added {
                if let Some(added) = added.get(kind) {
                    writeln!(formatter, "  added by {name:<22}{:>23.3}{:>24.3}", added.p50, added.p99)?;
                }
            }
        }
        let (clients, megabytes) = CROWD;
        writeln!(
            formatter,
            "peak resident MB with {clients} clients of {megabytes} MB each"
        )?;
        for (name, mb) in &self.resident_mb {
            writeln!(formatter, "  {name:<31}{mb:>23.1}")?;
        }
        for (name, why) in &self.left_out {
            writeln!(formatter, "left out: {name}: {why}")?;
        }
        Ok(())
    }
}
