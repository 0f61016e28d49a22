//! Answers survive a cut, and are never mixed.

use super::*;
use crate::grounding::answer::GroundingOutcome;
use crate::grounding::set::PictureFacts;

fn set(folder: &Path, instruction: &str) -> GroundingSet {
    let file = folder.join("a.json");
    let item = format!(
        r#"[{{"img_filename": "a.png", "bbox": [1, 2, 3, 4], "instruction": "{instruction}", "data_type": "text"}}]"#
    );
    fs::write(&file, item).unwrap();
    let look = |_: &str| {
        Ok(PictureFacts {
            size: (20, 20),
            bytes: 7,
        })
    };
    GroundingSet::read(&[file], look).unwrap()
}

fn model(temperature: f64) -> MeasuredModel {
    MeasuredModel {
        name: Name::try_from("q4".to_owned()).unwrap(),
        model: "qwen3-vl-4b".to_owned(),
        asked: "turn".to_owned(),
        family: "qwen3-vl".to_owned(),
        coordinates: "thousandths (x, y)".to_owned(),
        settings: BTreeMap::from([("temperature".to_owned(), temperature.into())]),
    }
}

fn answer(item: &str, outcome: GroundingOutcome) -> GroundingAnswer {
    GroundingAnswer {
        item: item.to_owned(),
        outcome,
        at: None,
        why: None,
        said: None,
        seconds: 1.5,
        prompt_tokens: Some(7),
        completion_tokens: None,
    }
}

#[test]
fn answers_are_read_again_and_failures_are_replaced() {
    let place = tempfile::tempdir().unwrap();
    let (set, folder) = (set(place.path(), "x"), place.path().join("answers"));
    let store = AnswerStore::open(&folder, &set).unwrap();
    let mut answers = store.model(&model(0.4)).unwrap();
    for (item, outcome) in [
        ("a/1", GroundingOutcome::Failed),
        ("a/2", GroundingOutcome::Hit),
        ("a/1", GroundingOutcome::Miss),
        ("a/2", GroundingOutcome::NoClick),
    ] {
        answers.add(answer(item, outcome)).unwrap();
    }
    assert!(answers.has("a/1") && !answers.has("a/3"));
    drop(store);
    let again = AnswerStore::open(&folder, &set).unwrap();
    let read = again.model(&model(0.4)).unwrap();
    let outcomes: Vec<GroundingOutcome> = read.answers.values().map(|answer| answer.outcome).collect();
    // A failure is replaced; after that, the first answer stays.
    assert_eq!(outcomes, [GroundingOutcome::Miss, GroundingOutcome::Hit]);
    assert_eq!(read.answers["a/2"], answer("a/2", GroundingOutcome::Hit));
}

#[test]
fn a_line_that_was_cut_off_is_dropped_and_its_item_asked_again() {
    let place = tempfile::tempdir().unwrap();
    let (set, folder) = (set(place.path(), "x"), place.path().join("answers"));
    let store = AnswerStore::open(&folder, &set).unwrap();
    let mut answers = store.model(&model(0.4)).unwrap();
    answers.add(answer("a/1", GroundingOutcome::Hit)).unwrap();
    answers.add(answer("a/2", GroundingOutcome::Hit)).unwrap();
    let path = folder.join("q4.jsonl");
    let whole = fs::read(&path).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // The header is written at once, so a few cuts of it are enough.
    for cut in (0..header).step_by(20).chain(header..whole.len()) {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut read = store.model(&model(0.4)).unwrap();
        let lines = whole[..cut].split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(read.answers.len(), lines.saturating_sub(1), "{cut}");
        for item in ["a/1", "a/2"] {
            if !read.has(item) {
                read.add(answer(item, GroundingOutcome::Hit)).unwrap();
            }
        }
        assert_eq!(
            fs::read(&path).unwrap(),
            whole,
            "{cut} of {}, header {header}",
            whole.len()
        );
    }
}

#[test]
fn nothing_stays_of_a_line_that_does_not_fit_on_the_disk() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("lines");
    fs::write(&path, "one\n").unwrap();
    let file = File::options().append(true).open(&path).unwrap();
    let error = append(&file, |mut file| {
        file.write_all(b"tw")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::StorageFull);
    append(&file, |mut file| file.write_all(b"three\n")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\nthree\n");
}

#[test]
fn answers_measured_differently_are_not_mixed() {
    let place = tempfile::tempdir().unwrap();
    let (set, folder) = (set(place.path(), "x"), place.path().join("answers"));
    let store = AnswerStore::open(&folder, &set).unwrap();
    store.model(&model(0.4)).unwrap();
    let told = store.model(&model(0.0)).unwrap_err().to_string();
    assert!(
        told.contains("measured differently (temperature 0.4, now 0.0)"),
        "{told}"
    );
    let other = MeasuredModel {
        family: "ui-tars".to_owned(),
        ..model(0.4)
    };
    let told = store.model(&other).unwrap_err().to_string();
    assert!(told.contains("(family qwen3-vl, now ui-tars)"), "{told}");
}

#[test]
fn another_set_another_process_and_a_foreign_folder_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("answers");
    let first = set(place.path(), "x");
    let store = AnswerStore::open(&folder, &first).unwrap();
    let busy = AnswerStore::open(&folder, &first).unwrap_err().to_string();
    assert!(busy.contains("another FRANZ process is using"), "{busy}");
    // Reading needs no lock.
    AnswerStore::read(&folder, &first).unwrap();
    drop(store);
    let told = AnswerStore::open(&folder, &set(place.path(), "y"))
        .unwrap_err()
        .to_string();
    assert!(told.contains("answers to another set, a with 1 items"), "{told}");
    // What an interrupted start leaves does not count as foreign.
    let left = place.path().join("left");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("lock"), "").unwrap();
    fs::write(left.join(".set.json.set"), "{").unwrap();
    AnswerStore::open(&left, &first).unwrap();
    let foreign = AnswerStore::open(place.path(), &first).unwrap_err().to_string();
    assert!(foreign.contains("is not a folder of answers"), "{foreign}");
}

#[test]
fn a_line_that_cannot_be_read_is_named() {
    let place = tempfile::tempdir().unwrap();
    let (set, folder) = (set(place.path(), "x"), place.path().join("answers"));
    let store = AnswerStore::open(&folder, &set).unwrap();
    let mut answers = store.model(&model(0.4)).unwrap();
    answers.add(answer("a/1", GroundingOutcome::Hit)).unwrap();
    let path = folder.join("q4.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"hit\"", "\"won\"")).unwrap();
    let told = store.models().unwrap_err().to_string();
    assert!(
        told.contains("q4.jsonl, line 2: ") && told.contains("remove the line"),
        "{told}"
    );
    fs::write(&path, text.replace("{\"v\":1", "{\"v\":9")).unwrap();
    let told = store.models().unwrap_err().to_string();
    assert!(told.contains("line 1: version 9"), "{told}");
}
