use super::*;

fn load(text: &str) -> Result<Suite, String> {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("shop");
    std::fs::create_dir_all(suite.join("files")).unwrap();
    std::fs::write(suite.join("check.sh"), "exit 0").unwrap();
    std::fs::write(suite.join("long.sh"), "#".repeat(100_001)).unwrap();
    std::fs::write(suite.join(SUITE_FILE), text).unwrap();
    Suite::load(&suite, &RULES).map_err(|error| error.to_string())
}

/// Stand-ins for the rules of the program that plays suites.
const RULES: SuiteRules = SuiteRules {
    settings: |set| {
        let unknown = set.keys().find(|key| *key == "unknown.key");
        unknown.map_or(Ok(()), |_| Err("it is unknown".to_owned()))
    },
    model: |model| match model.upstream.as_deref() {
        Some("moon") => Err("no such server".to_owned()),
        _ => Ok(()),
    },
};

#[cfg(unix)]
#[test]
fn a_pipe_in_a_files_place_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = |name: &str| {
        let path = folder.path().join(name);
        assert!(
            std::process::Command::new("mkfifo")
                .arg(path)
                .status()
                .unwrap()
                .success()
        );
    };
    pipe(SUITE_FILE);
    let error = Suite::load(folder.path(), &RULES).unwrap_err().to_string();
    assert!(error.contains("it is not a file"), "{error}");
    std::fs::remove_file(folder.path().join(SUITE_FILE)).unwrap();
    std::fs::write(folder.path().join(SUITE_FILE), format!("name = \"s\"\n{TASK}")).unwrap();
    pipe("check.sh");
    let error = Suite::load(folder.path(), &RULES).unwrap_err().to_string();
    assert!(error.contains("line 6: check.sh is not a file"), "{error}");
}

const TASK: &str = "[[task]]\nname = \"a\"\ngoal = \"g\"\nscreen = \"canvas\"\ncheck = \"check.sh\"\n";

#[test]
fn a_whole_suite_is_read() {
    let suite = load(
        r#"
        [[task]]
        name = "invoice-total"
        goal = "Add it up"
        screen = "virtual"
        start = ["mousepad notes.txt"]
        files = "files"
        check = "check.sh"
        max_turns = 12
        tags = ["files", "typing"]
        needs = ["mousepad"]
        set = { "image.width" = 1024 }

        [[model]]
        name = "q4"
        upstream = "http://127.0.0.1:8080"
        key_env = "MY_KEY"
        set = { "model.temperature" = 0 }

        [[model]]
        name = "q8"
        upstream_file = "server.txt"
        "#,
    )
    .unwrap();
    assert_eq!(suite.name.as_str(), "shop");
    let task = &suite.tasks[0];
    assert_eq!((task.screen, task.max_turns), (TaskScreen::Virtual, 12));
    assert_eq!((task.run_s, task.check_s), (1800.0, 60.0));
    assert!(suite.models[0].is_greedy() && !suite.models[1].is_greedy());
    let greedy = SuiteTask {
        set: toml::from_str("\"model.temperature\" = 0.0").unwrap(),
        ..task.clone()
    };
    let greedy_at = |task| {
        suite
            .models
            .iter()
            .map(|model| model.is_greedy_at(task))
            .collect::<Vec<_>>()
    };
    assert_eq!(greedy_at(task), [false, false]);
    assert_eq!(greedy_at(&greedy), [false, true], "a model's own value wins");
    let own = own_files_of_servers(&suite.models, Path::new("/s"));
    assert_eq!(own, [PathBuf::from("server.txt")]);
}

#[test]
fn every_mistake_has_its_line() {
    let model = |rest: &str| format!("{TASK}[[model]]\nname = \"m\"\n{rest}");
    for (text, line, told) in [
        (String::new(), 1, "there is no [[task]]"),
        ("[[task]\n".to_owned(), 1, ""),
        (format!("{TASK}colour = 1\n"), 6, "unknown field `colour`"),
        (format!("{TASK}{TASK}"), 7, "two tasks called a"),
        (TASK.replace("\"a\"", "\"A b\""), 2, "is not a name"),
        (TASK.replace("\"g\"", "\" \""), 3, "the goal is empty"),
        (TASK.replace("canvas", "moon"), 4, "unknown variant `moon`"),
        (
            TASK.replace("check.sh", "../check.sh"),
            5,
            "is not a path below the suite's folder",
        ),
        (TASK.replace("check.sh", "none.sh"), 5, "there is no none.sh"),
        (TASK.replace("check.sh", "files"), 5, "files is not a file"),
        (format!("{TASK}files = \"check.sh\"\n"), 6, "check.sh is not a folder"),
        (format!("{TASK}solve = \"files\"\n"), 6, "files is not a file"),
        (
            format!("{}check_live = \"files\"\n", TASK.replace("canvas", "virtual")),
            6,
            "files is not a file",
        ),
        (
            format!("{}check_live = \"long.sh\"\n", TASK.replace("canvas", "virtual")),
            6,
            "long.sh has more than 100000 bytes",
        ),
        (TASK.replace("\"g\"", "\"a\\u0000\""), 3, "NUL character"),
        (
            TASK.replace("\"g\"", &format!("\"{}\"", "g".repeat(100_001))),
            3,
            "more than 100000 bytes",
        ),
        (
            format!("{TASK}start = [\n\"a\",\n\"{}\"]\n", "b".repeat(20_000)),
            8,
            "move them to a script",
        ),
        (format!("{TASK}start = [\"a\\u0000\"]\n"), 6, "NUL character"),
        (
            format!("{TASK}set = {{ \"prompt.system\" = \"{}\" }}\n", "s".repeat(50_000)),
            2,
            "more than 50000 bytes",
        ),
        (format!("{TASK}set = {{ \"unknown.key\" = 1 }}\n"), 2, "it is unknown"),
        (
            format!("{TASK}set = {{ \"screen.drawing\" = [] }}\n"),
            2,
            "set by the suite",
        ),
        (
            format!("{TASK}check_live = \"check.sh\"\n"),
            6,
            "for screen = \"virtual\"",
        ),
        (format!("{TASK}max_turns = 0\n"), 6, "from 1 to 100000"),
        (format!("{TASK}check_s = 1e9\n"), 6, "0.1 to 86400"),
        (format!("{TASK}tags = [\"B\"]\n"), 6, "is not a name"),
        (format!("{TASK}needs = [\"/bin/sh\"]\n"), 6, "names of programs"),
        (format!("{TASK}set = {{ width = 1 }}\n"), 2, "is not a setting"),
        (
            format!("{TASK}set = {{ \"screen.kind\" = \"desktop\" }}\n"),
            2,
            "set by the suite",
        ),
        (
            model("upstream = \"a\"\nset = { \"unknown.key\" = 1 }\n"),
            7,
            "it is unknown",
        ),
        (model("upstream = \"moon\"\n"), 7, "no such server"),
        (
            model("upstream = \"a\"\nserved_as = \"a\\u0000\"\n"),
            7,
            "NUL character",
        ),
        (model(""), 7, "where is the model's server"),
        (model("upstream = \"a\"\nupstream_file = \"b\"\n"), 7, "not both"),
        (
            model("upstream = \"a\"\nkey_env = \"sk-123\"\n"),
            7,
            "never write the key itself",
        ),
    ] {
        let error = load(&text).unwrap_err();
        assert!(error.contains(&format!("suite.toml, line {line}: ")), "{text}: {error}");
        assert!(error.contains(told), "{text}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
