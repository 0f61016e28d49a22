//! Suites on private desktops: the built-in tasks, and what their programs can see.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::harness::{Workplace, python, spawn, url};

#[test]
fn every_built_in_task_is_solved_by_its_script_and_not_by_doing_nothing() {
    let place = Workplace::new();
    let tested = spawn(place.program(&["suite", "test", "basics", "--jobs", "4", "--seed", "3"])).finish();
    assert_eq!(tested.code, Some(0), "{}{}", tested.stdout, tested.stderr);
    let fine = tested.stdout.lines().filter(|line| line.contains("  fine: "));
    assert_eq!(fine.count(), 24, "{}", tested.stdout);
}

#[test]
fn a_task_that_its_script_does_not_solve_or_that_is_solved_already_is_wrong() {
    let place = Workplace::new();
    let mut toml = String::new();
    for (name, check, solve) in [
        ("unsolved", "test -e done", "true"),
        ("solved", "exit 0", "true"),
        ("broken", "test -e done", "exit 5"),
        ("strange", "exit 9", "true"),
        ("fine", "test -e done", "touch done"),
    ] {
        writeln!(
            toml,
            "[[task]]\nname = {name:?}\ngoal = \"Do it\"\nscreen = \"virtual\"\nstart = [\"xmessage hello\"]\ncheck = \"{name}.check\"\nsolve = \"{name}.solve\"")
        .unwrap();
        fs::create_dir_all(place.path("suite")).unwrap();
        fs::write(place.path(&format!("suite/{name}.check")), check).unwrap();
        fs::write(place.path(&format!("suite/{name}.solve")), solve).unwrap();
    }
    fs::write(place.path("suite/suite.toml"), toml).unwrap();
    trust(&place);
    let tested = spawn(place.program(&["suite", "test", "suite", "--jobs", "2"])).finish();
    assert_eq!(tested.code, Some(1), "{}", tested.stderr);
    for told in [
        "after unsolved.solve, the check says: not solved",
        "after doing nothing, the check says: solved",
        "broken: ended with 5",
        "after doing nothing, the check says: fault of the task (the check ended with 9)",
        "fine: solved by its script",
    ] {
        assert!(tested.stdout.contains(told), "{told}: {}", tested.stdout);
    }
}

#[test]
fn programs_of_a_task_see_neither_its_check_nor_the_persons_files() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite/files")).unwrap();
    let person = place.path("persons-file");
    fs::write(&person, "private").unwrap();
    let probe = format!(
        "for path in {:?} {:?} {:?}; do test -e \"$path\" && echo \"$path\" >> seen; done\n\
         tr '\\0' '\\n' < /proc/1/environ > environment 2>/dev/null; env >> environment; touch probed; exec xmessage hello",
        place.path("suite/check.sh"),
        place.path("results/suite/check.sh"),
        person,
    );
    fs::write(place.path("suite/files/probe.sh"), probe).unwrap();
    let check = "test -e probed || exit 7; test -e seen && { cat seen; exit 8; }\n\
                 grep -q secret-key environment && exit 9; test -n \"$SUITE_SEED\"\n";
    fs::write(place.path("suite/check.sh"), check).unwrap();
    let toml = "[[task]]\nname = \"probe\"\ngoal = \"Wait\"\nscreen = \"virtual\"\nstart = [\"sh probe.sh\"]\n\
                files = \"files\"\ncheck = \"check.sh\"\nmax_turns = 1\n";
    fs::write(place.path("suite/suite.toml"), toml).unwrap();
    trust(&place);
    let server = python(&["wait(0)"]);
    let model = format!(
        "[[model]]\nname = \"m\"\nupstream = {:?}\nkey_env = \"OUR_KEY\"\n",
        url(&server)
    );
    fs::write(place.path("models.toml"), model).unwrap();
    let plan = [
        "suite",
        "plan",
        "suite",
        "--models-from",
        "models.toml",
        "--repeat",
        "1",
        "-o",
        "results",
    ];
    assert_eq!(spawn(place.program(&plan)).finish().code, Some(0));
    let mut run = place.program(&["suite", "run", "results", "--keep", "all"]);
    run.env("OUR_KEY", "secret-key-secret-key");
    let ran = spawn(run).finish();
    assert!(
        ran.stdout.contains("1 solved, 0 not solved"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(!ran.stderr.contains("not isolated"), "{}", ran.stderr);
}

/// Trusts the suite in `suite`.
fn trust(place: &Workplace) {
    let mut command = place.program(&["trust", "suite"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    assert!(child.wait().unwrap().success());
}
