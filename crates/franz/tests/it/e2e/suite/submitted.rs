//! Plans handed over to stand-ins for `sbatch` and `kubectl`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::bench::{Bench, DRAWN, drawer};
use crate::harness::{Finished, spawn};

/// Writes down what it is called with and what it is told, and ends with the code in the file `code`.
const ENGINE: &str = "#!/bin/sh\nhere=$(dirname \"$0\")\necho \"$(basename \"$0\") $*\" > \"$here/words\"\n\
                      cat > \"$here/told\"\nread -r code < \"$here/code\"\nexit \"$code\"\n";

struct Cluster {
    bench: Bench,
    engines: PathBuf,
}

impl Cluster {
    /// Plans four attempts, and installs stand-ins for these engines, which end with this code.
    fn new(engines: &[&str], code: &str) -> Cluster {
        let bench = Bench::new(&[("one", DRAWN), ("two", DRAWN)]);
        bench.plan(&drawer(), &["--repeat", "2"]);
        let folder = bench.place.path("engines");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("code"), format!("{code}\n")).unwrap();
        for name in engines {
            let file = folder.join(name);
            fs::write(&file, ENGINE).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Cluster { bench, engines: folder }
    }

    /// Submits the plan. Only the stand-ins and the programs that they need are installed.
    fn submit(&self, words: &[&str]) -> Finished {
        let mut command = self
            .bench
            .place
            .program(&[&["suite", "submit", "results"], words].concat());
        for name in ["sh", "cat", "dirname", "basename"] {
            let there = ["/usr/bin", "/bin"]
                .iter()
                .map(|folder| PathBuf::from(folder).join(name));
            let own = self.engines.join(name);
            if !own.exists() {
                std::os::unix::fs::symlink(there.clone().find(|path| path.exists()).unwrap(), own).unwrap();
            }
        }
        command.env("PATH", &self.engines);
        spawn(command).finish()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.engines.join(name)).unwrap_or_default()
    }
}

#[test]
fn sbatch_gets_the_script_on_standard_input() {
    let cluster = Cluster::new(&["sbatch"], "0");
    let words = ["--engine", "slurm", "--shards", "3", "--jobs", "2", "--keep", "all"];
    let submitted = cluster.submit(&words);
    assert_eq!(submitted.code, Some(0), "{}", submitted.stderr);
    assert!(
        submitted.stdout.contains("franz suite missing lists"),
        "{}",
        submitted.stdout
    );
    assert_eq!(cluster.read("words"), "sbatch \n");
    let script = cluster.read("told");
    for part in [
        "#SBATCH --array=0-2\n",
        "#SBATCH --cpus-per-task=2\n",
        " --of 3 --jobs 2 --keep all --digest ",
    ] {
        assert!(script.contains(part), "{part}: {script}");
    }
    let dry = cluster.submit(&[&words[..], &["--dry-run"]].concat());
    assert_eq!(dry.stdout, script, "what --dry-run prints is what is handed over");
}

#[test]
fn kubectl_gets_the_manifest_on_standard_input() {
    let cluster = Cluster::new(&["kubectl"], "0");
    let words = ["--engine", "kubernetes", "--image", "franz:1", "--claim", "results"];
    let submitted = cluster.submit(&[&words[..], &["--keep", "none"]].concat());
    assert_eq!(submitted.code, Some(0), "{}", submitted.stderr);
    assert_eq!(cluster.read("words"), "kubectl create -f -\n");
    let job: serde_json::Value = serde_json::from_str(&cluster.read("told")).unwrap();
    assert_eq!(job["spec"]["completions"], 4, "no more parts than attempts");
    let command = &job["spec"]["template"]["spec"]["containers"][0]["command"];
    let command: Vec<&str> = command
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|word| word.as_str())
        .collect();
    assert!(
        command.windows(2).any(|words| words == ["--keep", "none"]),
        "{command:?}"
    );
}

#[test]
fn an_engine_that_is_missing_or_refuses_the_job_is_told() {
    let cluster = Cluster::new(&[], "0");
    let missing = cluster.submit(&["--engine", "slurm"]);
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("sbatch cannot be started") && missing.stderr.contains("--dry-run prints the job"),
        "{}",
        missing.stderr
    );
    let cluster = Cluster::new(&["sbatch"], "7");
    let refused = cluster.submit(&["--engine", "slurm"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("sbatch rejected the job (exit status: 7)"),
        "{}",
        refused.stderr
    );
    for word in ["X; touch /tmp/pwn; Y=/k", "=/k", "A B=/x", "OUR_KEY=/k", "OUR_KEY="] {
        let wrong = cluster.submit(&["--engine", "slurm", "--dry-run", "--key-file", word]);
        assert_eq!(wrong.code, Some(2), "{word}: {}", wrong.stdout);
        assert!(
            wrong.stderr.contains("no model of this plan has a key_env"),
            "{}",
            wrong.stderr
        );
        assert_eq!(wrong.stdout, "");
    }
    let bare = cluster.submit(&["--engine", "kubernetes", "--image", "franz:1"]);
    assert_eq!(bare.code, Some(2));
    assert!(bare.stderr.contains("Kubernetes also needs --claim"), "{}", bare.stderr);
}

#[test]
fn what_an_engine_would_not_use_or_would_lack_is_refused() {
    let cluster = Cluster::new(&[], "0");
    let slurm = ["--engine", "slurm", "--dry-run"];
    let kubernetes = [
        "--engine",
        "kubernetes",
        "--image",
        "franz:1",
        "--claim",
        "results",
        "--dry-run",
    ];
    let refused = |words: &[&str], told: &str| {
        let refused = cluster.submit(words);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    };
    for option in ["--image", "--claim", "--store-secret", "--secret"] {
        let words = [&slurm[..], &[option, "x"]].concat();
        refused(&words, &format!("{option} is for Kubernetes; for Slurm, leave it out"));
    }
    let words = [&kubernetes[..], &["--key-file", "OUR_KEY=/k"]].concat();
    refused(
        &words,
        "--key-file is for Slurm; for Kubernetes, put the keys into a secret",
    );
    let models = "[[model]]\nname = \"m\"\nupstream = \"http://127.0.0.1:1\"\nkey_env = \"OUR_KEY\"\n";
    let place = &cluster.bench.place;
    fs::write(place.path("models.toml"), models).unwrap();
    fs::remove_dir_all(place.path("results")).unwrap();
    let plan = ["plan", "suite", "--models-from", "models.toml", "-o", "results"];
    assert_eq!(cluster.bench.franz(&plan).code, Some(0));
    refused(
        &kubernetes,
        "Kubernetes also needs --secret, the secret with the key for OUR_KEY",
    );
    let whole = cluster.submit(&[&kubernetes[..], &["--secret", "keys"]].concat());
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
}
