//! Tests that words are found wherever a person would see them.

use franz_json::Raw;
use franz_panel::history::{Field, History};
use franz_record::{Acted, Outcome, StoredStory, TurnLine};
use franz_secret::Secret;
use serde_json::json;

use crate::web::site::{Recorder, Site, line};

fn fields(history: &History, query: &str) -> Vec<(u64, Field)> {
    let found = history.search(query, 500, &Secret::default()).unwrap();
    found.hits.iter().map(|hit| (hit.turn, hit.field)).collect()
}

#[test]
fn every_text_of_a_turn_is_searched() {
    let mut recorder = Recorder::new();
    recorder.line(&TurnLine {
        goal: Some("a GOAL to reach".to_owned()),
        feedback: "some feedback".to_owned(),
        acted: vec![Acted::new(
            "left_click(5, 5)",
            Outcome::Held("while watching".to_owned()),
        )],
        story: StoredStory::Full(Raw::string("what was told").try_into().unwrap()),
        errors: vec!["first".to_owned(), "then 429 Too Many".to_owned()],
        model: Some("some model".to_owned()),
        ..line(1, "\"what I reply\"")
    });
    let history = History::open(&recorder.directory()).unwrap();
    let cases: [(&str, &[Field]); 12] = [
        ("goal TO", &[Field::Goal]),
        ("SOME", &[Field::Feedback]),
        ("left_click", &[Field::Actions]),
        ("watching", &[Field::Actions]),
        ("was told", &[Field::Story]),
        ("i reply", &[Field::Reply]),
        ("too many", &[Field::Errors]),
        ("what", &[Field::Story, Field::Reply]),
        // Names of fields, fields that are not searched, and JSON punctuation are not text.
        ("model", &[]),
        ("sha256", &[]),
        ("\",\"", &[]),
        ("blocked", &[]),
    ];
    for (query, expected) in cases {
        let found: Vec<Field> = fields(&history, query).into_iter().map(|(_, field)| field).collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn text_is_found_in_every_escaped_form() {
    let literals = [
        r#""Über den Größen""#,
        r#""\u00dcber den Gr\u00F6\u00dfen""#,
        r#""the cat said \"miau\" and\\or\/and left""#,
        r#""t\u0068e c\u0061t said \u0022miau\u0022 and\u005cor\u002fand left""#,
        r#""黒い猫が line one\nline two \ud83d\ude00""#,
        r#""\u9ed2\u3044\u732b\u304C line one\u000aline two 😀""#,
        r#""lone \ud800 surrogate \udc00\ud83d!""#,
    ];
    let mut recorder = Recorder::new();
    for (turn, literal) in (1..).zip(literals) {
        recorder.turn(turn, literal);
    }
    let history = History::open(&recorder.directory()).unwrap();
    let cases: [(&str, &[u64]); 19] = [
        ("über", &[2, 1]),
        ("ÜBER DEN", &[2, 1]),
        ("grössen", &[]),
        ("größen", &[2, 1]),
        ("GRÖßEN", &[2, 1]),
        ("the cat", &[4, 3]),
        ("\"Miau\"", &[4, 3]),
        ("and\\or/and", &[4, 3]),
        ("/", &[4, 3]),
        ("\\", &[4, 3]),
        ("\"", &[4, 3]),
        ("黒い猫", &[6, 5]),
        ("猫が line", &[6, 5]),
        ("one\nline", &[6, 5]),
        ("😀", &[6, 5]),
        ("two 😀", &[6, 5]),
        ("LONE \u{fffd} sur", &[7]),
        ("u0061", &[]),
        ("n/a", &[]),
    ];
    for (query, expected) in cases {
        let found: Vec<u64> = fields(&history, query).into_iter().map(|(turn, _)| turn).collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn a_story_is_found_only_in_the_turn_that_wrote_it() {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"needle\"");
    recorder.line(&TurnLine {
        story: StoredStory::Full(Raw::string("needle").try_into().unwrap()),
        ..line(2, "\"other\"")
    });
    let history = History::open(&recorder.directory()).unwrap();
    assert_eq!(fields(&history, "needle"), [(1, Field::Reply)]);
}

#[test]
fn a_turn_recorded_twice_is_searched_in_its_last_line_only() {
    let mut recorder = Recorder::new();
    recorder
        .turn(1, "\"old words\"")
        .turn(2, "\"more words\"")
        .turn(1, "\"new words\"");
    let history = History::open(&recorder.directory()).unwrap();
    assert_eq!(fields(&history, "words"), [(2, Field::Reply), (1, Field::Reply)]);
    assert_eq!(fields(&history, "old"), []);
}

#[test]
fn a_line_longer_than_a_block_is_found() {
    let mut recorder = Recorder::new();
    recorder.turn(1, "\"first\"");
    recorder.turn(2, &format!("\"{} the needle\"", "x".repeat(9 << 20)));
    recorder.turn(3, "\"last needle\"");
    let history = History::open(&recorder.directory()).unwrap();
    assert_eq!(fields(&history, "needle"), [(3, Field::Reply), (2, Field::Reply)]);
    assert_eq!(fields(&history, "first"), [(1, Field::Reply)]);
}

#[tokio::test]
async fn hits_are_newest_first_and_show_their_position() {
    let mut recorder = Recorder::new();
    for turn in 1..=120 {
        recorder.turn(turn, &format!("\"😀 turn {turn}.\\nThe cat\""));
    }
    let site = Site::over(&recorder.directory()).await;
    let found = site.json("/api/search?q=turn+7.%0Athe&limit=5").await;
    let hit = json!({"turn": 7, "field": "reply", "excerpt": "😀 turn 7. The cat", "at": 3, "length": 11});
    assert_eq!(found, json!({"hits": [hit], "more": false}));

    let found = site.json("/api/search?q=cat").await;
    let turns: Vec<u64> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["turn"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, (21..=120).rev().collect::<Vec<_>>());
    assert_eq!(found["more"], true);
    assert_eq!(site.json("/api/search?q=cat&limit=120").await["more"], false);
    assert_eq!(
        site.json("/api/search?q=cat&limit=9999").await["hits"]
            .as_array()
            .unwrap()
            .len(),
        120
    );
    for nothing in ["", "?q=", "?q=%20%0A", "?limit=3"] {
        assert_eq!(
            site.json(&format!("/api/search{nothing}")).await,
            json!({"hits": [], "more": false})
        );
    }
    let long = "x".repeat(501);
    for bad in ["?q=a&limit=x", &format!("?q={long}")] {
        assert_eq!(site.get(&format!("/api/search{bad}")).await.status, 400);
    }
}
