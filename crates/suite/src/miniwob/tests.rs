//! Imports a made-up package with the layout of MiniWoB++.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write as _};

use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::Suite;

/// The files of the made-up package, with what surrounds the pages in a wheel.
const FILES: [(&str, &str); 10] = [
    ("miniwob/__init__.py", "raise SystemExit"),
    ("miniwob/html/core/core.js", "var core = {};"),
    ("miniwob/html/core/fonts/small.css", "body {}"),
    ("miniwob/html/common/words.js", "var words = [];"),
    ("miniwob/html/miniwob/press-one.html", "<button>ONE"),
    ("miniwob/html/miniwob/press-two.html", "<button>TWO"),
    (
        "miniwob/html/miniwob/$(touch x).html",
        "a page whose name would be a command",
    ),
    ("miniwob/html/flight/Swift/wrapper.html", "<iframe>"),
    ("miniwob/html/flight/Swift/index.html", "<form>"),
    ("made_up-1.0.dist-info/WHEEL", "Wheel-Version: 1.0"),
];

const ALL: MiniwobImport = MiniwobImport {
    tasks: Vec::new(),
    seeds: 1,
    time_limit: None,
    oracle: None,
};

fn only(names: &[&str]) -> MiniwobImport {
    MiniwobImport {
        tasks: names.iter().map(ToString::to_string).collect(),
        ..ALL
    }
}

/// Returns a folder with the unpacked package in `unpacked` and its wheel in `made_up.whl`.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        put(&place.path().join("unpacked").join(name), text.as_bytes()).unwrap();
    }
    let wheel = wheel(&FILES);
    fs::write(place.path().join("made_up.whl"), wheel).unwrap();
    place
}

fn wheel(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Returns the names in a folder, also those of hidden files.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_wheel_and_its_unpacked_folders_give_the_same_suite() {
    let place = place();
    let imported = |from: &str| {
        let to = place.path().join(from.replace('/', "-") + ".suite");
        let package = MiniwobPackage::read(&place.path().join(from)).unwrap();
        let counts = ALL.write(&package, &to, "id").unwrap();
        (counts, folder::digest(&to, &[]).unwrap())
    };
    let of_wheel = imported("made_up.whl");
    assert_eq!(of_wheel.0, Imported { pages: 3, tasks: 3 });
    for from in ["unpacked", "unpacked/miniwob", "unpacked/miniwob/html"] {
        assert_eq!(imported(from), of_wheel, "{from}");
    }
}

#[test]
fn each_page_and_seed_is_a_task() {
    let place = place();
    let package = MiniwobPackage::read(&place.path().join("made_up.whl")).unwrap();
    let to = place.path().join("suite");
    let import = MiniwobImport {
        seeds: 2,
        time_limit: Some(12.5),
        oracle: Some("http://127.0.0.1:8090".to_owned()),
        ..ALL
    };
    import.write(&package, &to, "id").unwrap();
    let suite = Suite::load(&to, &crate::SuiteRules::NONE).unwrap();
    let names: Vec<&str> = suite.tasks.iter().map(|task| task.name.as_str()).collect();
    let expected = [
        "flight.swift.1",
        "flight.swift.2",
        "press-one.1",
        "press-one.2",
        "press-two.1",
        "press-two.2",
    ];
    assert_eq!(names, expected);
    let task = suite.task(&suite.tasks[3].name).unwrap();
    assert_eq!(
        task.start,
        ["python3 serve.py miniwob/press-one 2 --time-limit 12.5 --oracle http://127.0.0.1:8090"]
    );
    assert_eq!(task.tags[0].as_str(), "press-one");
    assert!(task.goal.ends_with(" [press-one.2]"), "{}", task.goal);
    ALL.write(&package, &place.path().join("plain"), "id").unwrap();
    let plain = Suite::load(&place.path().join("plain"), &crate::SuiteRules::NONE).unwrap();
    assert_eq!(plain.tasks[1].start, ["python3 serve.py miniwob/press-one 1"]);
    assert!(plain.tasks[1].goal.ends_with("finish."), "{}", plain.tasks[1].goal);
}

#[test]
fn only_the_chosen_pages_and_what_they_share_are_written() {
    let place = place();
    let package = MiniwobPackage::read(&place.path().join("made_up.whl")).unwrap();
    let html = |to: &str| place.path().join(to).join("files/html");
    only(&["press-two"])
        .write(&package, &place.path().join("two"), "id")
        .unwrap();
    assert_eq!(
        names(&html("two")),
        BTreeSet::from(["common", "core", "miniwob"].map(str::to_owned))
    );
    assert_eq!(
        names(&html("two").join("miniwob")),
        BTreeSet::from(["press-two.html".to_owned()])
    );
    assert_eq!(
        fs::read_to_string(html("two").join("core/fonts/small.css")).unwrap(),
        "body {}"
    );
    only(&["flight.swift"])
        .write(&package, &place.path().join("swift"), "id")
        .unwrap();
    assert!(html("swift").join("flight/Swift/index.html").exists());
    assert!(!html("swift").join("miniwob").exists());
}

#[test]
fn what_is_no_package_of_miniwob_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::write(path("text.whl"), "no archive").unwrap();
    fs::write(path("other.whl"), wheel(&[("other/__init__.py", "")])).unwrap();
    let without_tasks = [
        ("miniwob/html/core/core.js", ""),
        ("miniwob/html/miniwob/readme.txt", ""),
    ];
    fs::write(path("empty.whl"), wheel(&without_tasks)).unwrap();
    let outside = [
        ("miniwob/html/core/core.js", ""),
        ("miniwob/html/../../miniwob/x.html", ""),
    ];
    fs::write(path("outside.whl"), wheel(&outside)).unwrap();
    let mut broken = wheel(&FILES);
    let middle = broken.len() / 4;
    broken[middle..middle + 40].fill(0xff);
    fs::write(path("broken.whl"), broken).unwrap();
    fs::create_dir(path("folder")).unwrap();
    for (name, told) in [
        ("missing", "missing: "),
        ("text.whl", "text.whl is not a wheel ("),
        ("broken.whl", "broken.whl is not a wheel ("),
        ("other.whl", "there are no pages of MiniWoB++ in"),
        ("empty.whl", "there are no pages of MiniWoB++ in"),
        ("outside.whl", "there are no pages of MiniWoB++ in"),
        ("folder", "get them with: pip download --no-deps miniwob"),
    ] {
        let error = MiniwobPackage::read(&path(name)).map(drop).unwrap_err().to_string();
        assert!(error.contains(told), "{name}: {error}");
    }
}

#[test]
fn wrong_options_leave_nothing_behind() {
    let place = place();
    let package = MiniwobPackage::read(&place.path().join("made_up.whl")).unwrap();
    fs::create_dir(place.path().join("there")).unwrap();
    let before = names(place.path());
    let oracle = |url: &str| MiniwobImport {
        oracle: Some(url.to_owned()),
        ..ALL
    };
    let limit = |seconds| MiniwobImport {
        time_limit: Some(seconds),
        ..ALL
    };
    for (import, to, told) in [
        (
            only(&["pres-one"]),
            "new",
            "the package has no task pres-one; do you mean press-one?",
        ),
        (
            only(&["zebra"]),
            "new",
            "no task zebra; it has flight.swift, press-one, press-two",
        ),
        (
            MiniwobImport { seeds: 0, ..ALL },
            "new",
            "cannot make 0 tasks from a page",
        ),
        (limit(0.0), "new", "0 seconds is not a valid time limit"),
        (limit(f64::NAN), "new", "NaN seconds is not a valid time limit"),
        (oracle("http://example.com:80"), "new", "give http://127.0.0.1:PORT"),
        (oracle("http://127.0.0.1:80;ls"), "new", "give http://127.0.0.1:PORT"),
        (ALL, "there", "there exists; remove it, or give another folder with -o"),
        (ALL, "missing/..", "cannot be the suite's folder"),
        (ALL, "made_up.whl/suite", "made_up.whl"),
    ] {
        let error = import
            .write(&package, &place.path().join(to), "id")
            .unwrap_err()
            .to_string();
        assert!(error.contains(told), "{error}");
        assert_eq!(names(place.path()), before, "{told}");
    }
}
