//! Runs `franz doctor` and reads its findings.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Finished, Workplace, spawn};

/// The findings of `franz doctor`, and its exit code.
pub(crate) struct Report {
    pub(crate) findings: Vec<Value>,
    pub(crate) code: Option<i32>,
}

impl Report {
    pub(crate) fn find(&self, subject: &str) -> &Value {
        let found = self.findings.iter().find(|finding| finding["subject"] == subject);
        found.unwrap_or_else(|| panic!("nothing is said of {subject}: {:?}", self.findings))
    }

    /// Checks that there are no problems, and that these subjects are among the findings.
    pub(crate) fn assert_fine(&self, subjects: &[&str]) {
        for subject in subjects {
            assert_eq!(self.find(subject)["state"], "fine", "{}", self.find(subject));
        }
        assert!(
            self.findings.iter().all(|finding| finding["state"] == "fine"),
            "{:?}",
            self.findings
        );
        assert_eq!(self.code, Some(0));
    }

    /// Checks that a run would fail with this code, for this reason only.
    pub(crate) fn assert_problem(&self, subject: &str, code: i32, says: &str) {
        let found = self.find(subject);
        assert_eq!(found["state"], "problem", "{found}");
        assert_eq!(found["code"], code, "{found}");
        assert!(found["text"].as_str().unwrap().contains(says), "{found}");
        let problems = self.findings.iter().filter(|finding| finding["state"] == "problem");
        assert_eq!(problems.count(), 1, "{:?}", self.findings);
        assert_eq!(self.code, Some(code));
    }
}

/// Returns a command for `franz` in an environment without a desktop. The caller adds the subcommand.
pub(crate) fn bare(place: &Workplace) -> Command {
    let mut command = place.program(&[]);
    command
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("XAUTHORITY");
    command
}

/// Runs `franz doctor` with these arguments besides.
pub(crate) fn examined(mut command: Command, more: &[&str]) -> Report {
    let mut arguments = vec!["doctor", "--json"];
    arguments.extend(more);
    if !more.contains(&"--upstream") {
        arguments.extend(["--upstream", "demo"]);
    }
    command.args(arguments);
    let Finished { code, stdout, .. } = spawn(command).finish();
    let findings = stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    let findings = findings.collect();
    Report { findings, code }
}
