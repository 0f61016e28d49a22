//! Tests the runs below a panel's directory.

use super::*;
use crate::verdict::VerdictKind;

#[test]
fn nobody_waits_while_a_run_is_read_and_all_share_one_view() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let runs = Runs::below(&home, Hub::default(), Secret::default());
    let name = runs.make(&home, None).unwrap();
    std::fs::write(directory.path().join(FOLDER).join(&name).join("state.json"), "{}").unwrap();
    runs.recorded(&name, 7);
    let mut earlier = None;
    let view = runs.view_or(&name, || {
        assert!(runs.open.try_lock().is_ok(), "the relay would have to wait");
        earlier = runs.view(&name);
        runs.read_view(&name)
    });
    let (earlier, view) = (earlier.unwrap(), view.unwrap());
    assert!(Arc::ptr_eq(&earlier.history, &view.history));
    runs.asked(7, 1);
    assert!(view.hub.look(|snapshot| snapshot.waiting.is_some()));
}

#[test]
fn a_wait_ends_only_where_it_is_shown() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let panel = Hub::default();
    let runs = Runs::below(&home, panel.clone(), Secret::default());
    let begin = |connection| {
        let name = runs.make(&home, None).unwrap();
        std::fs::write(directory.path().join(FOLDER).join(&name).join("state.json"), "{}").unwrap();
        runs.recorded(&name, connection);
        let hub = runs.view(&name).unwrap().hub;
        (name, hub)
    };
    let ((_, slow), (name, quick)) = (begin(1), begin(2));
    let over = |connection| {
        runs.recorded(&name, connection);
        runs.answered(connection, connection);
    };
    let waits = |hub: &Hub| hub.look(|snapshot| snapshot.waiting.is_some());
    // Nobody knows yet who uses connection 9.
    for connection in [1, 2, 9] {
        runs.asked(connection, connection);
    }
    over(2);
    assert_eq!((waits(&slow), waits(&quick), waits(&panel)), (true, false, true));
    over(9);
    assert_eq!((waits(&slow), waits(&quick), waits(&panel)), (true, false, false));
    // The request was shown as one of the slow run, but belongs to the quick one.
    over(1);
    assert_eq!((waits(&slow), waits(&quick), waits(&panel)), (false, false, false));
}

#[test]
fn a_wait_is_not_ended_by_the_answer_to_an_earlier_request() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let panel = Hub::default();
    let runs = Runs::below(&home, panel.clone(), Secret::default());
    // A program is quick: each of its requests arrives before the exchange before it has been recorded.
    runs.asked(7, 1);
    let name = runs.make(&home, None).unwrap();
    std::fs::write(directory.path().join(FOLDER).join(&name).join("state.json"), "{}").unwrap();
    runs.recorded(&name, 7);
    let hub = runs.view(&name).unwrap().hub;
    let waits = || [&panel, &hub].map(|hub| hub.look(|snapshot| snapshot.waiting.is_some()));
    runs.asked(7, 2);
    assert_eq!(waits(), [false, true], "the run is known now");
    runs.answered(7, 1);
    assert_eq!(waits(), [false, true]);
    runs.asked(7, 3);
    hub.change(|snapshot| snapshot.judged(Some(2), VerdictKind::First));
    runs.answered(7, 2);
    assert_eq!(waits(), [false, true]);
    // The copy of exchange 3 is lost.
    runs.asked(7, 4);
    runs.answered(7, 4);
    assert_eq!(waits(), [false, false]);
}

#[test]
fn only_the_panels_own_directories_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let runs = || Runs::below(&home, Hub::default(), Secret::default());
    let making = runs();
    let first = making.make(&home, Some("../../run")).unwrap();
    let second = making.make(&home, None).unwrap();
    assert_eq!((first.as_str(), second.as_str()), ("0001-run", "0002"));
    std::fs::create_dir_all(directory.path().join("runs/other")).unwrap();
    std::fs::write(directory.path().join("runs/0003"), "").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/", directory.path().join("runs/0004")).unwrap();
    assert_eq!((runs().count(), runs().newest()), (2, Some("0002".to_owned())));
    for name in [
        "",
        ".",
        "..",
        "other",
        "0003",
        "0004",
        "0001-run/..",
        "../runs/0001-run",
        "0005",
    ] {
        assert!(
            runs().directory(name).is_none() && runs().view(name).is_none(),
            "{name}"
        );
    }
    // Directories that already exist are skipped, so nothing is overwritten.
    assert_eq!(
        making.make(&home, None).unwrap(),
        if cfg!(unix) { "0005" } else { "0004" }
    );
}
