//! `franz export --html`. A browser test, `offline.test.mjs`, checks how the page shows the file.

use std::fs;
use std::io::Read as _;

use base64_simd::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::{drawn, exported};
use crate::harness::{Workplace, reply, scripted, spawn};

/// Returns the data that the file contains under this ID.
fn held(file: &str, id: &str) -> Vec<u8> {
    let begin = format!("<script type=\"text/plain\" id=\"{id}\">");
    let (_, rest) = file.split_once(&begin).unwrap_or_else(|| panic!("there is no {id}"));
    STANDARD.decode_to_vec(rest.split_once("</script>").unwrap().0).unwrap()
}

pub(super) fn unpacked(file: &str, id: &str) -> String {
    let mut json = String::new();
    GzDecoder::new(&held(file, id)[..]).read_to_string(&mut json).unwrap();
    json
}

#[test]
fn the_file_holds_all_that_its_page_asks_for() {
    let place = drawn();
    exported(&place, &["--html", "run.html"]);
    let file = fs::read_to_string(place.path("run.html")).unwrap();
    assert!(file.starts_with("<!doctype html>") && file.ends_with("</html>\n"));
    let index: Value = serde_json::from_str(&unpacked(&file, "index")).unwrap();
    assert_eq!(index["groups"], json!([[1, 3]]));
    assert_eq!(
        index["run"]["state"]["turns"],
        json!({ "first": 1, "last": 3, "count": 3 })
    );
    let turns: Value = serde_json::from_str(&unpacked(&file, "turns-0")).unwrap();
    for turn in place.turns() {
        let answer = &turns[turn.turn.to_string()];
        assert_eq!(answer["detail"]["line"]["feedback"], turn.feedback);
        assert_eq!(answer["exchanges"].as_array().unwrap().len(), 1);
        let picture = &index["pictures"][&turn.image.unwrap().sha256];
        for part in picture["parts"].as_array().unwrap() {
            let png = held(&file, &format!("picture-{}", part[2]));
            franz_frame::png::decode(&png).unwrap();
        }
    }
}

#[test]
fn no_key_leaves_in_what_is_packed() {
    let key = "sk-secret-0123456789";
    let place = Workplace::new();
    let server = scripted(&[&reply(&format!("it is {key}")), &reply("two")]);
    let finished = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut command = place.program(&["export", "run", "--html", "run.html"]);
    command.env("FRANZ_API_KEY", key);
    assert_eq!(spawn(command).finish().code, Some(0));
    let file = fs::read_to_string(place.path("run.html")).unwrap();
    let turns = unpacked(&file, "turns-0");
    assert!(
        !turns.contains(key) && turns.contains("[the API key, 20 bytes]"),
        "{turns}"
    );
}
