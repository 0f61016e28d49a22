//! Suites on private desktops: the built-in tasks, and what their programs can see.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use franz_suite::{RecordedOutcome, ResultAddress, ResultStore};

use crate::harness::{Finished, Workplace, python, reply, scripted, spawn, url};

/// Plans one attempt at each task of the suite in `suite`, with these arguments.
fn plan(place: &Workplace, more: &[&str]) {
    let arguments = [&["suite", "plan", "suite", "--repeat", "1"], more].concat();
    let planned = spawn(place.program(&arguments)).finish();
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
}

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
            "[[task]]\nname = {name:?}\ngoal = \"Do it\"\nscreen = \"virtual\"\nstart = [\"xmessage hello 2>/dev/null & echo no such file >&2; wait\"]\ncheck = \"{name}.check\"\nsolve = \"{name}.solve\"")
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
        "the task's programs printed: no such file",
        "after doing nothing, the check says: fault of the task (the check ended with 9)",
        "fine: solved by its script",
    ] {
        assert!(tested.stdout.contains(told), "{told}: {}", tested.stdout);
    }
}

#[test]
fn programs_of_a_task_see_neither_its_check_nor_the_persons_files_and_write_only_at_home() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite/files")).unwrap();
    let person = place.path("persons-file");
    fs::write(&person, "private").unwrap();
    let probe = format!(
        "for path in {:?} {:?} {:?}; do test -e \"$path\" && echo \"$path\" >> seen; done\n\
         tr '\\0' '\\n' < /proc/1/environ > environment 2>/dev/null; env >> environment\n\
         cut -d' ' -f5 /proc/self/mountinfo | grep -v -e ^/proc -e ^/sys > places; dirname \"$HOME\" >> places\n\
         while read -r place; do\n\
         for file in run/turns_0001_1000.jsonl run/state.json run/forged live.json answer.txt; do\n\
         cat \"$place/$file\" >> copied 2>/dev/null && echo \"$place/$file\" >> seen\n\
         truncate -c -s 0 \"$place/$file\" 2>/dev/null\n\
         mkdir -p \"$place/run\" 2>/dev/null; (echo forged > \"$place/$file\") 2>/dev/null && echo \"$place\" >> written\n\
         done; done < places\n\
         touch probed; exec xmessage hello",
        place.path("suite/check.sh"),
        place.path("results/suite/check.sh"),
        person,
    );
    fs::write(place.path("suite/files/probe.sh"), probe).unwrap();
    let check = "test -e probed || exit 7; test -e seen && { cat seen; exit 8; }\n\
                 grep -q secret-key environment && exit 9; test -n \"$SUITE_SEED\" || exit 10\n\
                 grep -qx /franz-run places || exit 11; grep -qx /tmp written || exit 12\n\
                 grep -v -e ^/tmp -e ^/var/tmp -e ^/dev written && exit 13\n\
                 grep -rq forged \"$SUITE_RUN\" \"$SUITE_ANSWER\" && exit 14; test ! -e \"$SUITE_RUN\"/forged\n";
    fs::write(place.path("suite/check.sh"), check).unwrap();
    fs::write(place.path("suite/live.sh"), "echo '{\"why\": \"not forged\"}'\n").unwrap();
    let toml = "[[task]]\nname = \"probe\"\ngoal = \"Wait\"\nscreen = \"virtual\"\nstart = [\"sh probe.sh\"]\n\
                files = \"files\"\ncheck = \"check.sh\"\ncheck_live = \"live.sh\"\nmax_turns = 1\n";
    fs::write(place.path("suite/suite.toml"), toml).unwrap();
    trust(&place);
    let server = python(&["wait(0)"]);
    let model = format!(
        "[[model]]\nname = \"m\"\nupstream = {:?}\nkey_env = \"OUR_KEY\"\n",
        url(&server)
    );
    fs::write(place.path("models.toml"), model).unwrap();
    plan(&place, &["--models-from", "models.toml", "-o", "results"]);
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
    let (store, _) = ResultStore::open(&ResultAddress::of(&place.path("results"))).unwrap();
    let result = store.results().unwrap().remove(0);
    for program in ["franz", "bwrap", "Xvfb", "openbox", "server m"] {
        let versions = &result.versions;
        assert!(versions.contains_key(program), "{program}: {versions:?}");
    }
    assert!(result.isolated);
    let kept = place.path("kept");
    store.unpack(1, &result.r#try, &kept).unwrap();
    let live = fs::read_to_string(kept.join("live.json")).unwrap();
    assert!(live.contains("not forged"), "{live}");
}

#[test]
fn a_live_check_sees_the_programs_and_decides_before_the_check() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite")).unwrap();
    let live = "env | grep -q secret-key && exit 9\n\
                xdotool search --name '^Greeting$' > /dev/null && exit 0; echo '{\"why\": \"no greeting\"}'; exit 1\n";
    fs::write(place.path("suite/live.sh"), live).unwrap();
    fs::write(place.path("suite/check.sh"), "test -e greeted\n").unwrap();
    let task = |name: &str, start: &str| {
        format!(
            "[[task]]\nname = {name:?}\ngoal = \"Wait\"\nscreen = \"virtual\"\nstart = [{start:?}]\n\
             check = \"check.sh\"\ncheck_live = \"live.sh\"\nsolve = \"solve.sh\"\nmax_turns = 1\n"
        )
    };
    let toml = [
        task("shown", "touch greeted; exec xmessage -title Greeting hello"),
        task("other", "touch greeted; exec xmessage -title Other hello"),
        task("unsaved", "exec xmessage -title Greeting hello"),
    ];
    fs::write(place.path("suite/suite.toml"), toml.concat()).unwrap();
    fs::write(place.path("suite/solve.sh"), "true\n").unwrap();
    trust(&place);
    let server = python(&["wait(0)"]);
    let model = format!(
        "[[model]]\nname = \"m\"\nupstream = {:?}\nkey_env = \"OUR_KEY\"\n",
        url(&server)
    );
    fs::write(place.path("models.toml"), model).unwrap();
    plan(&place, &["--models-from", "models.toml", "-o", "results"]);
    let mut run = place.program(&["suite", "run", "results", "--keep", "all"]);
    run.env("OUR_KEY", "secret-key-secret-key");
    let ran = spawn(run).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let (store, _) = ResultStore::open(&ResultAddress::of(&place.path("results"))).unwrap();
    let results = store.results().unwrap();
    let of = |task: &str| {
        let result = results
            .iter()
            .find(|result| result.attempt.task.as_str() == task)
            .unwrap();
        (result.outcome, result.why.as_str())
    };
    assert_eq!(of("shown"), (RecordedOutcome::Solved, ""));
    assert_eq!(of("other"), (RecordedOutcome::Unsolved, "no greeting"));
    assert_eq!(of("unsaved").0, RecordedOutcome::Unsolved);
    // Without a sandbox, the same script is asked.
    let model = format!("m={}", url(&server));
    plan(&place, &["--upstream", &model, "-o", "open"]);
    let mut run = place.program(&["suite", "run", "open"]);
    run.env("PATH", place.without_bubblewrap());
    let ran = spawn(run).finish();
    assert!(
        ran.stdout.contains("1 solved, 2 not solved") && ran.stdout.contains("(no greeting)"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let again = spawn(place.program(&["suite", "rescore", "results"])).finish();
    assert!(
        again.stdout.contains("3 judged as before"),
        "{}{}",
        again.stdout,
        again.stderr
    );
    let tested = spawn(place.program(&["suite", "test", "suite", "--task", "other"])).finish();
    assert!(
        tested
            .stdout
            .contains("after solve.sh, the check says: not solved (no greeting)"),
        "{}",
        tested.stdout
    );
}

#[test]
fn whoever_ends_the_desktop_each_time_is_to_blame() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite")).unwrap();
    fs::write(place.path("suite/check.sh"), "exit 0\n").unwrap();
    let task = |name: &str, start: &str| {
        format!(
            "[[task]]\nname = {name:?}\ngoal = \"Wait\"\nscreen = \"virtual\"\nstart = [{start:?}]\n\
             check = \"check.sh\"\nmax_turns = 3\n"
        )
    };
    let toml = [task("program", "kill -9 -1"), task("terminal", "exec xterm -e sh")];
    fs::write(place.path("suite/suite.toml"), toml.concat()).unwrap();
    trust(&place);
    let server = python(&["type(\"kill -9 -1\\n\")"; 12]);
    let model = format!("m={}", url(&server));
    plan(&place, &["--upstream", &model, "--profiles", "draw", "-o", "results"]);
    let ran = spawn(place.program(&["suite", "run", "results"])).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stderr.matches("starts over").count(), 4, "{}", ran.stderr);
    let (store, _) = ResultStore::open(&ResultAddress::of(&place.path("results"))).unwrap();
    for result in store.results().unwrap() {
        let expected = match result.attempt.task.as_str() {
            "program" => RecordedOutcome::Fault,
            _ => RecordedOutcome::Unsolved,
        };
        assert_eq!(result.outcome, expected, "{}", result.why);
        assert!(result.why.starts_with("the screen was lost 3 times"), "{}", result.why);
    }
}

#[test]
fn a_command_of_a_task_that_fails_is_a_fault_at_once() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite")).unwrap();
    fs::write(place.path("suite/check.sh"), "exit 0\n").unwrap();
    let toml = "[[task]]\nname = \"failing\"\ngoal = \"Wait\"\nscreen = \"virtual\"\n\
                start = [\"exit 3\"]\ncheck = \"check.sh\"\nmax_turns = 3\n";
    fs::write(place.path("suite/suite.toml"), toml).unwrap();
    trust(&place);
    let server = python(&["wait(0)"]);
    let model = format!("m={}", url(&server));
    plan(&place, &["--upstream", &model, "--profiles", "draw", "-o", "results"]);
    let ran = spawn(place.program(&["suite", "run", "results"])).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stderr.contains("starts over"), "{}", ran.stderr);
    let (store, _) = ResultStore::open(&ResultAddress::of(&place.path("results"))).unwrap();
    let result = store.results().unwrap().remove(0);
    assert_eq!(result.outcome, RecordedOutcome::Fault, "{}", result.why);
    let says = "cannot start \"exit 3\" on the private desktop: it ended with exit code 3";
    assert!(result.why.starts_with(says), "{}", result.why);
}

#[test]
fn a_model_that_ends_its_run_each_time_has_not_solved_the_task() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite")).unwrap();
    fs::write(place.path("suite/check.sh"), "exit 0\n").unwrap();
    let toml = "[[task]]\nname = \"terminal\"\ngoal = \"Wait\"\nscreen = \"virtual\"\n\
                start = [\"exec xterm -e sh\"]\ncheck = \"check.sh\"\nmax_turns = 3\n";
    fs::write(place.path("suite/suite.toml"), toml).unwrap();
    trust(&place);
    // In the sandbox, the run is the first process.
    let server = python(&["type(\"kill 1\\n\")"; 12]);
    let model = format!("m={}", url(&server));
    plan(&place, &["--upstream", &model, "--profiles", "draw", "-o", "results"]);
    let ran = spawn(place.program(&["suite", "run", "results"])).finish();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stderr.matches("starts over").count(), 2, "{}", ran.stderr);
    let (store, _) = ResultStore::open(&ResultAddress::of(&place.path("results"))).unwrap();
    let result = store.results().unwrap().remove(0);
    assert_eq!(result.outcome, RecordedOutcome::Unsolved, "{}", result.why);
    assert!(
        result
            .why
            .starts_with("the run was killed 3 times: the run ended with 143"),
        "{}",
        result.why
    );
}

/// Plays a task with this live check and these further settings, and returns what the suite printed.
fn with_live_check(live: &str, more: &str) -> Finished {
    let place = Workplace::new();
    fs::create_dir_all(place.path("suite")).unwrap();
    fs::write(place.path("suite/live.sh"), live).unwrap();
    fs::write(place.path("suite/check.sh"), "exit 0\n").unwrap();
    let toml = format!(
        "[[task]]\nname = \"live\"\ngoal = \"Wait\"\nscreen = \"virtual\"\ncheck = \"check.sh\"\n\
         check_live = \"live.sh\"\nmax_turns = 1\n{more}\n"
    );
    fs::write(place.path("suite/suite.toml"), toml).unwrap();
    trust(&place);
    let server = python(&["wait(0)"]);
    let model = format!("m={}", url(&server));
    plan(&place, &["--upstream", &model, "-o", "results"]);
    spawn(place.program(&["suite", "run", "results"])).finish()
}

#[test]
fn a_live_check_that_starts_processes_without_end_is_ended() {
    // Each process loses its parent.
    let live = "i=0; while [ $i -lt 600 ]; do (sleep 600 &); i=$((i+1)); done; wait; sleep 600\n";
    let ran = with_live_check(live, "check_s = 600");
    assert!(ran.stdout.contains("1 fault of a task"), "{}{}", ran.stdout, ran.stderr);
}

/// The live check of a run whose time is over takes longer than any other shutdown may. The run has enough time to start
/// on a busy machine.
#[test]
fn a_live_check_gets_its_time_even_if_the_run_has_none_left() {
    let ran = with_live_check("sleep 26\n", "run_s = 20");
    assert!(ran.stdout.contains("1 solved"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_page_of_miniwob_is_played_to_its_end_and_its_first_reward_counts() {
    let place = Workplace::new();
    // A page with the layout of MiniWoB++: its episode begins with its core.js, and ends with a click on the button.
    for (name, text) in [
        ("core/core.js", MADE_UP_CORE),
        (
            "miniwob/press.html",
            "<!DOCTYPE html><head><script src=\"../core/core.js\"></script></head><body>\
             <div id=query></div><button style=\"width: 200px; height: 200px\" onclick=\"core.endEpisode(1)\">Press",
        ),
    ] {
        let file = place.path("package/html").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let imported = spawn(place.program(&["suite", "import", "miniwob", "package", "-o", "suite"])).finish();
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    trust(&place);
    let call = |name: &str, arguments: &str| {
        let function = serde_json::json!({ "name": name, "arguments": arguments });
        let call = serde_json::json!({ "id": name, "type": "function", "function": function });
        serde_json::json!({ "tool_calls": [call] }).to_string()
    };
    let click = call("click_element", r#"{"label": "Press", "box": [150, 300]}"#);
    let finish = call("finish", r#"{"answer": "done"}"#);
    // The first request asks only whether the model is loaded.
    let ready = reply("Yes.");
    let servers = [scripted(&[&ready, &click, &finish]), scripted(&[&ready, &finish])];
    let models = [
        format!("clicks={}", url(&servers[0])),
        format!("idle={}", url(&servers[1])),
    ];
    let plan = ["suite", "plan", "suite", "--repeat", "1", "-o", "results"];
    let mut plan = place.program(&plan);
    plan.args(models.iter().flat_map(|model| ["--upstream", model]));
    assert_eq!(spawn(plan).finish().code, Some(0));
    let ran = spawn(place.program(&["suite", "run", "results"])).finish();
    let told = |words: [&str; 2]| {
        ran.stdout
            .lines()
            .any(|line| words.iter().all(|word| line.contains(word)))
    };
    for words in [
        ["clicks", " solved "],
        ["idle", "(the episode was not ended)"],
        ["1 solved", "1 not solved"],
    ] {
        assert!(told(words), "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
    assert!(!told(["clicks", "not solved"]), "{}", ran.stdout);
}

/// What our scripts need of MiniWoB++'s core.js. The page asks for a second, worse reward after the first one.
const MADE_UP_CORE: &str = "
var core = { cover_div: null, ept0: null }, WOB_TASK_READY = true, WOB_DONE_GLOBAL = false;
var WOB_RAW_REWARD_GLOBAL = 0, WOB_REWARD_REASON = null;
Math.seedrandom = (seed) => { core.seed = seed; };
core.startEpisode = () => {
  core.cover_div = core.cover_div || document.body.appendChild(document.createElement('div'));
};
core.startEpisodeReal = () => { document.getElementById('query').textContent = 'Press the button.'; };
core.endEpisode = (reward) => {
  WOB_RAW_REWARD_GLOBAL = reward;
  core.startEpisode();
  WOB_RAW_REWARD_GLOBAL = -1;
  core.startEpisode();
};
window.onload = () => core.startEpisode();
";

/// Trusts the suite in `suite`.
fn trust(place: &Workplace) {
    let mut command = place.program(&["trust", "suite"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    assert!(child.wait().unwrap().success());
}
