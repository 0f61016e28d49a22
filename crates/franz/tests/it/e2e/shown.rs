//! Each turn is reported while the model is still thinking, with its pictures already on disk.

use franz_record::digest::sha256_hex;
use franz_record::{Event, StoredStory, TurnLine};

use crate::harness::{Workplace, scripted};

#[test]
fn each_turn_is_shown_between_the_question_and_its_end() {
    let script = [
        r#"{"text": "One.\n```python\ndrag(1, 2, 3, 4)\n```"}"#,
        r#"{"status": 503, "text": "not yet"}"#,
        r#"{"text": "Two.\n```python\ndrag(5, 6, 7, 8)\n```"}"#,
        r#"{"text": "Three."}"#,
    ];
    let (place, server) = (Workplace::new(), scripted(&script));
    let finished = place.run(&server, &["--json", "--max-turns", "3"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);

    let recorded = place.turns();
    assert_eq!(recorded.len(), 3);
    let (mut asked, mut shown, mut done) = (0, Vec::<TurnLine>::new(), 0);
    for line in finished.stdout.lines() {
        match Event::from_line(line).unwrap() {
            Event::Asking { turn, .. } => asked = turn,
            Event::Shown(line) => {
                assert_eq!((asked, done), (line.turn, line.turn - 1));
                shown.push(*line);
            }
            Event::TurnDone(line) => done = line.turn,
            _ => {}
        }
    }
    assert_eq!((shown.len(), done), (3, 3));
    let mut story = "\"\"".to_owned();
    for (shown, recorded) in shown.iter().zip(&recorded) {
        let StoredStory::Full(sent) = &shown.story else {
            panic!("{:?}", shown.story)
        };
        assert_eq!(sent.raw(), story);
        assert_eq!(shown.reply, None);
        assert_eq!(shown.acted, recorded.acted);
        assert_eq!(shown.feedback, recorded.feedback);
        assert_eq!(shown.image, recorded.image);
        let image = shown.image.as_ref().unwrap();
        assert_eq!(
            sha256_hex(&std::fs::read(place.file(&image.file)).unwrap()),
            image.sha256
        );
        recorded.reply.as_ref().unwrap().raw().clone_into(&mut story);
    }
}
