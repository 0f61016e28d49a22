//! `config.toml` is read again before every turn.

use crate::harness::{Workplace, scripted};

#[test]
fn an_edit_applies_on_the_next_turn_and_a_broken_file_is_ignored() {
    let (place, server) = (Workplace::new(), scripted(&[r#"{"text": "I look.", "delay_s": 0.02}"#]));
    let running = place.start(
        &server,
        &["--json", "--set", "image.width=64", "--set", "image.height=36"],
    );
    place.wait_for_turn(2);
    let config = std::fs::read_to_string(place.file("config.toml")).unwrap();
    let edited = config
        .replace("width = 64", "width = 80")
        .replace("temperature = 0.7", "temperature = 0.25");
    std::fs::write(place.file("config.toml"), &edited).unwrap();
    let at = place.wait_for_turn(3).len() as u64;
    place.wait_for_turn(at + 2);
    std::fs::write(place.file("config.toml"), "[image]\nwidth = ").unwrap();
    let at = place.wait_for_turn(at + 6).len() as u64;
    // If the file is cut off after a whole line, it is still TOML.
    let cut = edited.find("[loop]").unwrap();
    std::fs::write(place.file("config.toml"), &edited[..cut]).unwrap();
    let at = place.wait_for_turn(at + 3).len() as u64;
    std::fs::write(place.file("config.toml"), edited.replace("height = 36", "height = 40")).unwrap();
    let last = place.wait_for_turn(at + 3).pop().unwrap();
    let image = last.image.as_ref().unwrap();
    assert_eq!((image.width, image.height), (80, 40));
    assert!(last.sampling.as_ref().unwrap().get().contains("0.25"));

    running.signal("TERM");
    let finished = running.finish();
    assert_eq!(finished.code, Some(143), "{}", finished.stderr);
    let notices: Vec<&str> = finished
        .stdout
        .lines()
        .filter(|line| line.contains("\"event\":\"notice\""))
        .collect();
    let said = |text: &str| notices.iter().filter(|line| line.contains(text)).count();
    assert_eq!(said("image.width = 80: from this turn on"), 1, "{notices:?}");
    assert_eq!(said("config.toml:2:"), 1, "{notices:?}");
    assert_eq!(said("ends here without loop.look"), 1, "{notices:?}");
    assert_eq!(said("image.height = 40: from this turn on"), 1, "{notices:?}");
}
