//! Lets shards of a suite race in an object store: a local server of the protocol of Amazon S3. Also lints and tests the
//! feature `cloud`, which no other task builds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::file;
use crate::process::{cargo, run, target};
use crate::python;
use crate::simulated::SimulatedModel;

/// Its name on the command line.
pub(super) const NAME: &str = "store";

/// Where the results are, and how many attempts there are.
const RESULTS: &str = "s3://suites/race";
const ATTEMPTS: usize = 24;

/// How many results there are when a shard is killed, and how long they may take.
const BEFORE_THE_KILL: usize = 4;
const PATIENCE: Duration = Duration::from_mins(3);

const SUITE: &str = "[[task]]\nname = \"never\"\ngoal = \"Draw a cat\"\nscreen = \"canvas\"\ncheck = \"check.sh\"\n\
                     max_turns = 3\n";

/// A check that must not see who asks the store.
const CHECK: &str = "env | grep -q ^AWS_ && exit 9; exit 1\n";

/// Returns whether one of these words names the object store, or there are none.
pub(super) fn is_named(words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| NAME.contains(word.as_str()))
}

/// Returns 1 if anything was lost, counted twice or could not be read.
pub(super) fn check(place: &Path) -> usize {
    match race(place) {
        Ok(told) => {
            println!("object store: {told}");
            0
        }
        Err(why) => {
            eprintln!("object store: {why:#}");
            1
        }
    }
}

fn race(place: &Path) -> Result<String> {
    let built = target()?.join("partners/cloud");
    let with = ["--features", "cloud", "--target-dir"];
    let lints = ["clippy", "--package", "franz-suite", "--all-targets", "--quiet"];
    run(cargo(&lints).args(with).arg(&built).args(["--", "-D", "warnings"]))?;
    let tests = ["test", "--package", "franz-suite", "--lib", "--quiet"];
    run(cargo(&tests).args(with).arg(&built).arg("results::"))?;
    run(cargo(&["build", "--package", "franz-agent"]).args(with).arg(&built))?;
    let folder = place.join("runs/store");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("suite"))?;
    let franz = built.join("debug/franz");
    let mut demo = Command::new(&franz);
    demo.args(["demo-model", "--port", "0", "--delay", "0"])
        .stdin(Stdio::null());
    let model = SimulatedModel::of(demo)?;
    let bench = Bench {
        store: ObjectStore::start()?,
        franz,
        folder,
    };
    let digest = bench.plan(&model.address)?;
    let mut killed = bench.shard(&digest, "killed")?;
    let other = bench.shard(&digest, "other")?;
    let began = Instant::now();
    while bench.store.results()?.len() < BEFORE_THE_KILL {
        ensure!(began.elapsed() < PATIENCE, "there are no results after {PATIENCE:?}");
        ensure!(killed.try_wait()?.is_none(), "a shard ended too early");
        std::thread::sleep(Duration::from_millis(20));
    }
    killed.kill()?;
    killed.wait()?;
    let late = bench.shard(&digest, "late")?;
    for mut shard in [other, late] {
        let status = shard.wait()?;
        ensure!(
            status.success(),
            "a shard ended with {status}; its output is in {}",
            bench.folder.display()
        );
    }
    let duplicates = bench.count()?;
    bench.read()?;
    Ok(format!(
        "{ATTEMPTS} attempts by three shards, one of them killed: one result each, {duplicates} duplicates kept"
    ))
}

struct Bench {
    store: ObjectStore,
    franz: PathBuf,
    folder: PathBuf,
}

impl Bench {
    fn franz(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.franz);
        command.args(arguments).current_dir(&self.folder);
        command.env("XDG_STATE_HOME", self.folder.join("state"));
        command.envs([
            ("AWS_ENDPOINT_URL", self.store.address.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "somebody"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
        ]);
        command.stdin(Stdio::null());
        command
    }

    /// Runs a command to its end, and returns what it prints.
    fn said(&self, arguments: &[&str]) -> Result<String> {
        let Output { status, stdout, stderr } = self.franz(arguments).output()?;
        let errors = String::from_utf8_lossy(&stderr);
        ensure!(
            status.success(),
            "franz {} ended with {status}: {errors}",
            arguments.join(" ")
        );
        Ok(String::from_utf8(stdout)?)
    }

    /// Plans the same attempts in the store and in a folder. Returns the digest of the plan.
    fn plan(&self, model: &str) -> Result<String> {
        fs::write(self.folder.join("suite/suite.toml"), SUITE)?;
        fs::write(self.folder.join("suite/check.sh"), CHECK)?;
        let (repeat, model) = (ATTEMPTS.to_string(), format!("demo={model}"));
        let mut said = String::new();
        for output in [RESULTS, "here"] {
            let plan = ["suite", "plan", "suite", "--upstream", &model, "--profiles", "draw"];
            said = self.said(&[&plan[..], &["--repeat", &repeat, "-o", output]].concat())?;
        }
        let digest = said.lines().find_map(|line| line.strip_prefix("digest of the plan: "));
        Ok(digest.context("the plan has no digest")?.to_owned())
    }

    /// Starts a shard that plays all attempts.
    fn shard(&self, digest: &str, name: &str) -> Result<Child> {
        let arguments = [
            "suite", "shard", RESULTS, "--index", "0", "--of", "1", "--digest", digest,
        ];
        let output = |end: &str| fs::File::create(self.folder.join(format!("{name}.{end}")));
        let mut command = self.franz(&arguments);
        command.stdout(output("out.txt")?).stderr(output("errors.txt")?);
        Ok(command.spawn()?)
    }

    /// Checks that each attempt has exactly one result, which is that of one of its tries, and that all its other tries
    /// are marked. Returns how many these are.
    fn count(&self) -> Result<usize> {
        let results = self.store.results()?;
        ensure!(
            results.len() == ATTEMPTS,
            "{} of {ATTEMPTS} attempts have results",
            results.len()
        );
        let mut tries: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for key in self.store.keys()? {
            let parts: Vec<&str> = key.splitn(4, '/').collect();
            if let [_, attempt, one, name] = parts[..] {
                tries
                    .entry((attempt.to_owned(), one.to_owned()))
                    .or_default()
                    .insert(name.to_owned());
            }
        }
        let mut duplicates = 0;
        for attempt in results {
            let result = self.store.get(&format!("race/{attempt}/result.json"))?;
            let result: serde_json::Value = serde_json::from_slice(&result)?;
            ensure!(result["outcome"] == "unsolved", "{attempt}: {}", result["why"]);
            let winner = format!("try_{}", result["try"].as_str().context("no try")?);
            let own = tries.iter().filter(|((of, _), _)| *of == attempt);
            for ((_, one), names) in own.filter(|(_, names)| names.contains("result.json")) {
                let is_marked = names.contains("duplicate");
                ensure!(is_marked != (*one == winner), "{attempt}/{one} is marked wrongly");
                ensure!(
                    names.contains("kept.zip") && names.contains("player.html"),
                    "{attempt}/{one} is not whole"
                );
                duplicates += usize::from(is_marked);
            }
        }
        ensure!(duplicates > 0, "the shards did not race");
        Ok(duplicates)
    }

    /// Reads the results as a person would.
    fn read(&self) -> Result<()> {
        ensure!(
            self.said(&["suite", "missing", RESULTS])?.is_empty(),
            "something is missing"
        );
        let all = format!("{ATTEMPTS} of {ATTEMPTS} attempts have results");
        ensure!(
            self.said(&["suite", "gather", RESULTS])?.contains(&all),
            "gather finds less"
        );
        let attempts = format!("{ATTEMPTS} attempts");
        ensure!(
            self.said(&["suite", "report", RESULTS])?.contains(&attempts),
            "the report has less"
        );
        self.said(&["suite", "unpack", RESULTS, "7"])?;
        self.said(&["runs", "show", "attempt_0007/run"])?;
        let gathered = self.said(&["suite", "gather", "here", RESULTS])?;
        ensure!(gathered.contains(&all), "the folder has less: {gathered}");
        let lines = self.said(&["suite", "report", "here", "--csv"])?;
        ensure!(
            lines.matches("/player.html").count() == ATTEMPTS,
            "an attempt has no player: {lines}"
        );
        Ok(())
    }
}

/// A server, which ends when this value is dropped.
struct ObjectStore {
    process: Child,
    /// The server ends when this does.
    _input: ChildStdin,
    address: String,
}

impl ObjectStore {
    fn start() -> Result<ObjectStore> {
        let python = python::environment("partners/object-store", &file("object_store.txt"))?;
        let mut process = Command::new(python)
            .arg("-B")
            .arg(file("object_store.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = process.stdin.take().context("no stdin")?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let address = line.trim().to_owned();
        ensure!(address.starts_with("http://"), "the object store did not start");
        Ok(ObjectStore {
            process,
            _input: input,
            address,
        })
    }

    /// Returns the attempts that have a result.
    fn results(&self) -> Result<BTreeSet<String>> {
        let name = |key: &String| {
            let attempt = key.strip_prefix("race/")?.strip_suffix("/result.json")?;
            (!attempt.contains('/')).then(|| attempt.to_owned())
        };
        Ok(self.keys()?.iter().filter_map(name).collect())
    }

    /// Returns the names of all objects.
    fn keys(&self) -> Result<Vec<String>> {
        let text = String::from_utf8(self.get("?list-type=2&max-keys=1000")?)?;
        ensure!(
            text.contains("<IsTruncated>false</IsTruncated>"),
            "there are too many objects to list"
        );
        let keys = text
            .split("<Key>")
            .skip(1)
            .filter_map(|rest| rest.split("</Key>").next());
        Ok(keys.map(str::to_owned).collect())
    }

    /// Asks for an object, or for a list.
    fn get(&self, what: &str) -> Result<Vec<u8>> {
        let host = self.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host)?;
        // The server wants to know who asks, and believes it.
        let who = "Authorization: AWS somebody:secret";
        let head = format!("GET /suites/{what} HTTP/1.0\r\nHost: {host}\r\n{who}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let (head, body) = answer.split_at(end.context("no answer")? + 4);
        ensure!(
            head.starts_with(b"HTTP/1.") && head[8..].starts_with(b" 200"),
            "GET {what} failed"
        );
        Ok(body.to_vec())
    }
}

impl Drop for ObjectStore {
    fn drop(&mut self) {
        // Neither of these is needed if the server has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
