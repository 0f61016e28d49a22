use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;

fn job(results: &Path, program: &str) -> SuiteJob {
    SuiteJob {
        suite: Name::try_from("basics".to_owned()).unwrap(),
        results: results.to_owned(),
        digest: SuiteDigest::of_bytes(b"suite"),
        shards: 4,
        jobs: 2,
        keep: "all".to_owned(),
        program: program.to_owned(),
        key_files: vec![("OUR_KEY".to_owned(), "/keys/it's here".into())],
    }
}

#[test]
fn no_array_is_longer_than_slurm_allows_and_no_key_is_in_a_job() {
    let job = job(Path::new("/shared/my results"), "franz");
    let script = job.slurm();
    assert!(
        script.contains("#SBATCH --output=\"/shared/my results/slurm-%A_%a.txt\"\n"),
        "{script}"
    );
    assert!(
        script.contains("#SBATCH --array=0-3\n#SBATCH --cpus-per-task=2\n")
            && script.contains("#SBATCH --export=NIL\n"),
        "{script}"
    );
    assert!(
        script.contains("export OUR_KEY_FILE='/keys/it'\\''s here'\n"),
        "{script}"
    );
    let command = format!(
        "franz suite shard '/shared/my results' --of 4 --jobs 2 --keep all --digest {} &\n",
        job.digest
    );
    assert!(script.contains(&command), "{script}");
}

#[test]
fn a_manifest_ignores_lost_nodes_and_gives_up_on_wrong_usage() {
    let options = KubernetesOptions {
        image: "franz:1".to_owned(),
        place: KubernetesPlace::Claim("results".to_owned()),
        secret: Some("keys".to_owned()),
        parallel: 2,
        variables: vec!["OUR_KEY".to_owned()],
    };
    let manifest = job(Path::new("/results"), "franz").kubernetes(&options);
    let spec = &manifest["spec"];
    assert_eq!(
        (&spec["completions"], &spec["completionMode"]),
        (&4.into(), &"Indexed".into())
    );
    let rule = &spec["podFailurePolicy"]["rules"][1];
    assert_eq!(rule["onExitCodes"]["values"], serde_json::json!([2]));
    assert_eq!(rule["action"], "FailIndex", "other parts go on");
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["command"][2], "shard");
    assert_eq!(container["env"][0]["value"], "/var/run/franz-keys/OUR_KEY");
    let keys = &spec["template"]["spec"]["volumes"][2];
    assert_eq!(keys["secret"]["defaultMode"], 0o444, "any user may read root's files");
    let without = KubernetesOptions {
        secret: None,
        ..options
    };
    let manifest = job(Path::new("/results"), "franz").kubernetes(&without);
    assert!(!manifest.to_string().contains("keys"), "{manifest}");
}

#[test]
fn an_object_store_needs_no_volume_but_a_secret_with_its_variables() {
    let options = KubernetesOptions {
        image: "franz:1".to_owned(),
        place: KubernetesPlace::StoreSecret("store".to_owned()),
        secret: None,
        parallel: 2,
        variables: Vec::new(),
    };
    let manifest = job(Path::new("s3://bucket/july"), "franz").kubernetes(&options);
    let pod = &manifest["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(
        container["envFrom"],
        serde_json::json!([{ "secretRef": { "name": "store" } }])
    );
    assert_eq!(container["command"][3], "s3://bucket/july");
    let names = |list: &serde_json::Value| list.as_array().unwrap().len();
    assert_eq!((names(&pod["volumes"]), names(&container["volumeMounts"])), (1, 1));
}

#[test]
fn the_folder_of_the_results_is_written_as_slurm_reads_it() {
    let script = job(Path::new("/shared/5% \"new\""), "franz").slurm();
    let directive = r#"#SBATCH --output="/shared/5%% \"new\"/slurm-%A_%a.txt""#;
    assert!(script.lines().any(|line| line == directive), "{script}");
}

/// What a part's end leads to.
struct Part {
    code: i32,
    restarts: &'static str,
}

/// Runs the script for Slurm with stand-ins for `scontrol` and for FRANZ. Returns its exit code, and what it asked of
/// `scontrol`.
#[cfg(unix)]
fn run(part: &Part, franz: &str) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("franz", franz.to_owned()),
        ("scontrol", "#!/bin/sh\necho \"$@\" >> \"$ASKED\"\n".to_owned()),
        ("job.sh", job(folder.path(), "franz").slurm()),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command
        .arg(folder.path().join("job.sh"))
        .env("PATH", path)
        .stdout(Stdio::null());
    command
        .env("ASKED", folder.path().join("asked"))
        .env("CODE", part.code.to_string());
    command.env("SLURM_RESTART_COUNT", part.restarts);
    command.env("SLURM_ARRAY_JOB_ID", "17").env("SLURM_ARRAY_TASK_ID", "3");
    let status = command.status().unwrap();
    (
        status.code(),
        fs::read_to_string(folder.path().join("asked")).unwrap_or_default(),
    )
}

#[cfg(unix)]
#[test]
fn a_part_that_lacks_results_or_was_killed_is_queued_again_three_times() {
    let franz = "#!/bin/sh\nexit \"$CODE\"\n";
    for (code, restarts, ends, asked) in [
        (0, "0", 0, ""),
        (75, "0", 0, "requeue 17_3\n"),
        (75, "", 0, "requeue 17_3\n"),
        (75, "2", 0, "requeue 17_3\n"),
        (75, "3", 75, ""),
        (2, "0", 2, ""),
        (137, "0", 0, "requeue 17_3\n"),
        (143, "3", 143, ""),
    ] {
        let told = run(&Part { code, restarts }, franz);
        assert_eq!(told, (Some(ends), asked.to_owned()), "{code} after {restarts}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_reaches_the_part_and_its_end_is_waited_for() {
    // The part itself asks the script to end, as Slurm does shortly before the time is over.
    let franz = "#!/bin/sh\ntrap 'exit 143' TERM\nkill -TERM $PPID\nwhile :; do sleep 0.05; done\n";
    let part = Part { code: 0, restarts: "0" };
    assert_eq!(run(&part, franz), (Some(143), String::new()));
}
