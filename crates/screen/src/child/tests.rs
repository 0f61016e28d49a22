//! Tests what a child really gets, by inspecting it from outside.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Child;

use super::*;

/// A child that runs until it is dropped.
struct Sleeper(Child);

impl Sleeper {
    /// Starts a shell and waits for its first byte: before that, the loader can still have libraries open.
    fn start(environment: &Environment) -> Sleeper {
        let mut command = command("sh", environment);
        command.args(["-c", "echo; kill -STOP $$"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = child.stdout.as_mut().unwrap();
        output.read_exact(&mut [0]).unwrap();
        Sleeper(child)
    }

    fn proc(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.0.id()).into()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_child_has_the_standard_streams_and_no_other_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(directory.path().join("secret")).unwrap();
    // A duplicate is inherited, unlike files that the standard library opens.
    let inherited = rustix::io::dup(&file).unwrap();
    let child = Sleeper::start(&Environment::helper());
    let files = std::fs::read_dir(child.proc("fd")).unwrap();
    let mut files: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["0", "1", "2"]);
    assert_eq!(
        std::fs::read_link(child.proc("fd/0")).unwrap(),
        PathBuf::from("/dev/null")
    );
    drop(inherited);
}

#[test]
fn a_child_has_a_group_of_its_own() {
    let child = Sleeper::start(&Environment::helper());
    let stat = std::fs::read_to_string(child.proc("stat")).unwrap();
    let behind_name = stat.rsplit_once(')').unwrap().1;
    let group = behind_name.split_whitespace().nth(2).unwrap();
    assert_eq!(group, child.0.id().to_string());
}

#[test]
fn a_child_has_the_variables_that_it_is_given() {
    let environment = Environment::helper().with("LAST", "one two");
    let child = Sleeper::start(&environment);
    let found = std::fs::read(child.proc("environ")).unwrap();
    let mut found: Vec<&[u8]> = found
        .split(|byte| *byte == 0)
        .filter(|entry| !entry.is_empty())
        .collect();
    let given: Vec<Vec<u8>> = environment
        .iter()
        .map(|(name, value)| [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat())
        .collect();
    let mut given: Vec<&[u8]> = given.iter().map(Vec::as_slice).collect();
    found.sort_unstable();
    given.sort_unstable();
    assert_eq!(found, given);
    assert!(found.contains(&b"LAST=one two".as_slice()));
}
