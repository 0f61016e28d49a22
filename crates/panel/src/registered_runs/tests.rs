use super::*;

fn registration(name: &str, directory: &str) -> Registration {
    Registration {
        protocol: PROTOCOL,
        version: "9.9.9".to_owned(),
        name: name.to_owned(),
        directory: directory.into(),
        dashboard: ([127, 0, 0, 1], 7000).into(),
        token: "t".to_owned(),
        code: None,
        status: RunStatus::default(),
    }
}

fn counts(hub: &Hub) -> (u64, u64) {
    let others = hub.look(|snapshot| snapshot.others);
    (others.live, others.waiting)
}

#[test]
fn every_run_has_a_name_of_its_own_and_keeps_it() {
    let runs = RegisteredRuns::new(Hub::default());
    let name = |named: &str, directory: &str| runs.register(registration(named, directory)).unwrap().0;
    assert_eq!(name("draw", "/a/draw"), "draw");
    assert_eq!(name("draw", "/b/draw"), "draw-2");
    assert_eq!(name("0007-x", "/c"), "run-0007-x");
    assert_eq!(name("../ü", "/d"), "run-");
    assert_eq!(name("draw", "/b/draw"), "draw-2");
    assert_eq!(runs.list().len(), 4);
}

#[test]
fn a_late_farewell_does_not_end_a_run_that_came_back() {
    let hub = Hub::default();
    let runs = RegisteredRuns::new(hub.clone());
    let (name, first) = runs.register(registration("a", "/a")).unwrap();
    let (_, second) = runs.register(registration("a", "/a")).unwrap();
    runs.leave(&name, first);
    assert_eq!(counts(&hub), (1, 0));
    assert!(runs.dashboard(&name).is_some());
    runs.leave(&name, second);
    assert_eq!(counts(&hub), (0, 0));
    assert!(runs.dashboard(&name).is_none());
    assert!(!runs.report(&name, RunStatus::default()));
    assert_eq!(runs.list()[0].status.detail, "its process is gone");
}

#[test]
fn those_that_wait_for_the_person_come_first() {
    let hub = Hub::default();
    let runs = RegisteredRuns::new(hub.clone());
    for name in ["a", "b", "c"] {
        runs.register(registration(name, &format!("/{name}"))).unwrap();
    }
    let waits = RunStatus {
        waits: true,
        ..RunStatus::default()
    };
    assert!(runs.report("b", waits));
    runs.leave("c", 3);
    let order: Vec<(String, bool)> = runs.list().into_iter().map(|run| (run.name, run.live)).collect();
    assert_eq!(
        order,
        [("b".to_owned(), true), ("a".to_owned(), true), ("c".to_owned(), false)]
    );
    assert_eq!(counts(&hub), (2, 1));
}

#[test]
fn another_protocol_is_refused_and_reported_once_per_version() {
    let hub = Hub::default();
    let runs = RegisteredRuns::new(hub.clone());
    let ours = env!("CARGO_PKG_VERSION");
    let offer = |protocol, version: &str| ProtocolOffer {
        protocol,
        version: version.to_owned(),
    };
    let notices = || serde_json::to_value(hub.look(|snapshot| snapshot.notices.clone())).unwrap();
    assert_eq!(runs.check(&offer(PROTOCOL, "9.9.9")), Ok(()));
    assert_eq!(notices(), serde_json::json!({}));
    for _ in 0..2 {
        let newer = runs.check(&offer(PROTOCOL + 1, "9.9.9")).unwrap_err();
        assert_eq!(
            newer,
            format!("it is FRANZ {ours} and the run FRANZ 9.9.9; restart the panel with FRANZ 9.9.9")
        );
    }
    let older = runs.check(&offer(0, "0.0.1")).unwrap_err();
    assert!(older.ends_with(&format!("start the run with FRANZ {ours}")), "{older}");
    let texts: Vec<_> = (1..4)
        .map(|number| notices()[number.to_string()]["text"].clone())
        .collect();
    assert_eq!(
        texts,
        [
            format!("refused a run of FRANZ 9.9.9: this panel is FRANZ {ours}; restart the panel with FRANZ 9.9.9")
                .into(),
            format!("refused a run of FRANZ 0.0.1: this panel is FRANZ {ours}; start the run with FRANZ {ours}").into(),
            serde_json::Value::Null,
        ]
    );
}

#[test]
fn earlier_runs_are_listed_after_live_ones_and_replaced_when_they_continue() {
    let runs = RegisteredRuns::new(Hub::default());
    let (name, _) = runs.register(registration("a", "/a")).unwrap();
    let earlier = |name: &str, directory: &str, problem: Option<&str>| EarlierRun {
        name: name.to_owned(),
        directory: directory.into(),
        since: 1,
        status: RunStatus::default(),
        problem: problem.map(str::to_owned),
    };
    runs.recall(vec![
        earlier("a", "/a", Some("it is live, so this is not used")),
        earlier("a", "/b", None),
        earlier("c", "/c", Some("it is damaged")),
    ]);
    let listed = |runs: &RegisteredRuns| -> Vec<(String, bool, Option<String>)> {
        let list = runs.list().into_iter();
        list.map(|run| (run.name, run.live, run.problem)).collect()
    };
    let (b, c) = (
        ("a-2".to_owned(), false, None),
        ("c".to_owned(), false, Some("it is damaged".to_owned())),
    );
    assert_eq!(listed(&runs), [(name, true, None), b, c]);
    assert!(runs.view("c").is_none());
    assert_eq!(runs.register(registration("c", "/c")).unwrap().0, "c");
    assert!(listed(&runs).contains(&("c".to_owned(), true, None)));
}

#[test]
fn the_record_of_an_ended_run_stays_open_for_pages_that_come_back() {
    let runs = RegisteredRuns::new(Hub::default());
    let directory = tempfile::tempdir().unwrap();
    let view = |name: &str| {
        let path = directory.path().join(name);
        if !path.exists() {
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("state.json"), "{}").unwrap();
            let (name, number) = runs.register(registration(name, path.to_str().unwrap())).unwrap();
            runs.leave(&name, number);
        }
        runs.view(name).unwrap().history
    };
    let first = view("first");
    view("second");
    assert!(Arc::ptr_eq(&first, &view("first")));
    for number in 0..=OPEN {
        view(&format!("run-{number}"));
    }
    let open = lock(&runs.runs).values().filter(|run| run.view.is_some()).count();
    assert!(open <= OPEN, "{open} records are open");
}

#[test]
fn other_machines_are_refused() {
    let runs = RegisteredRuns::new(Hub::default());
    let far = Registration {
        dashboard: ([192, 168, 1, 5], 7000).into(),
        ..registration("a", "/a")
    };
    assert!(runs.register(far).unwrap_err().contains("on this machine"));
    assert_eq!(runs.list(), []);
}

#[test]
fn only_so_many_ended_runs_are_listed() {
    let runs = RegisteredRuns::new(Hub::default());
    for number in 0..ENDED + 5 {
        let (name, number) = runs.register(registration("a", &format!("/{number}"))).unwrap();
        runs.leave(&name, number);
    }
    assert!(runs.list().len() <= ENDED + 1);
}

#[test]
fn a_directory_has_one_entry_however_it_is_written() {
    let runs = RegisteredRuns::new(Hub::default());
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("runs/x")).unwrap();
    let path = directory.path().join("runs");
    let earlier = EarlierRun {
        name: "x".to_owned(),
        directory: path.join("../runs/./x"),
        since: 1,
        status: RunStatus::default(),
        problem: None,
    };
    runs.recall(vec![earlier]);
    let resumed = registration("x", path.join("x").to_str().unwrap());
    assert_eq!(runs.register(resumed).unwrap().0, "x");
    let list: Vec<bool> = runs.list().into_iter().map(|run| run.live).collect();
    assert_eq!(list, [true]);
}
