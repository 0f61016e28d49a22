//! Counts, bounds, pairs and words.

use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::grounding::set::PictureFacts;
use crate::grounding::store::AnswerStore;
use crate::suite::Name;

/// A set of ten items on two pictures: icons and texts, from small to large.
fn set(folder: &std::path::Path) -> GroundingSet {
    let item = |at: usize| {
        format!(
            r#"{{"img_filename": "{}.png", "bbox": [0, 0, {}, 10], "instruction": "=i{at}", "data_type": "{}", "data_source": "web"}}"#,
            at % 2,
            at * 10 + 5,
            if at < 4 { "icon" } else { "text" }
        )
    };
    let file = folder.join("a.jsonl");
    fs::write(&file, (0..10).map(item).collect::<Vec<_>>().join("\n")).unwrap();
    let look = |_: &str| {
        Ok(PictureFacts {
            size: (400, 250),
            bytes: 7,
        })
    };
    GroundingSet::read(&[file], look).unwrap()
}

/// Stores one answer for each letter: hit, miss, no click, failed; a dot for an item that was not asked.
fn answers(store: &AnswerStore, name: &str, letters: &str) {
    let model = MeasuredModel {
        name: Name::try_from(name.to_owned()).unwrap(),
        model: "m".to_owned(),
        asked: "grounder".to_owned(),
        family: "f".to_owned(),
        coordinates: "thousandths (x, y)".to_owned(),
        settings: BTreeMap::new(),
    };
    let mut answers = store.model(&model).unwrap();
    for (letter, number) in letters.chars().zip(1..) {
        let outcome = match letter {
            'h' => GroundingOutcome::Hit,
            'm' => GroundingOutcome::Miss,
            'n' => GroundingOutcome::NoClick,
            'f' => GroundingOutcome::Failed,
            _ => continue,
        };
        let answer = GroundingAnswer {
            item: format!("a/{number}"),
            outcome,
            at: outcome.is_answer().then_some((3, 4)),
            why: (outcome == GroundingOutcome::NoClick).then(|| "it has no call".to_owned()),
            said: None,
            seconds: f64::from(number),
            prompt_tokens: None,
            completion_tokens: Some(10),
        };
        answers.add(answer).unwrap();
    }
}

fn with_report<T>(models: &[(&str, &str)], look: impl FnOnce(&GroundingSet, &[ModelAnswers]) -> T) -> T {
    let place = tempfile::tempdir().unwrap();
    let set = set(place.path());
    let store = AnswerStore::open(&place.path().join("answers"), &set).unwrap();
    for (name, letters) in models {
        answers(&store, name, letters);
    }
    look(&set, &store.models().unwrap())
}

#[test]
fn answers_without_a_click_are_no_hits_and_failures_are_not_counted() {
    with_report(&[("a", "hhhmnnff..")], |set, models| {
        let report = GroundingReport::of(set, &set.choose(None, 1), 1, models);
        let model = &report.models[0];
        assert_eq!((model.hit.hits, model.hit.answers), (3, 6));
        assert_eq!((model.of_clicks.hits, model.of_clicks.answers), (3, 4));
        assert_eq!((model.no_click, model.failed, model.not_asked), (2, 2, 2));
        let bound = model.bound.unwrap();
        assert!((bound.low - 0.3).abs() < 1e-12 && (bound.high - 0.7).abs() < 1e-12);
        // Wilson's interval of 3 of 6, as statsmodels gives it.
        let interval = model.hit.interval;
        assert!(
            (interval.low - 0.187_616_19).abs() < 1e-6 && (interval.high - 0.812_383_8).abs() < 1e-6,
            "{interval:?}"
        );
        assert_eq!(model.median.seconds, Some(3.5));
        assert_eq!(
            (model.median.prompt_tokens, model.median.completion_tokens),
            (None, Some(10.0))
        );
        let text = report.text();
        assert!(
            text.contains("a: the server gave no answer to 2 items, and 2 items were not asked yet"),
            "{text}"
        );
        let because = "a: 2 answers without a click, for example because it has no call.";
        assert!(text.contains(because), "{text}");
        assert!(
            text.contains("If all of them were misses, it would hit 30 %; if all were hits, 70 %"),
            "{text}"
        );
        assert!(
            text.contains("75 %") && text.contains("All 10 items in 2 pictures."),
            "{text}"
        );
    });
}

#[test]
fn models_are_compared_on_the_items_that_both_answered() {
    with_report(&[("bad", "mmmmmmmmmm"), ("good", "hhhhhhhhf.")], |set, models| {
        let report = GroundingReport::of(set, &set.choose(None, 1), 1, models);
        let names: Vec<&str> = report.models.iter().map(|model| model.model.name.as_str()).collect();
        assert_eq!(names, ["good", "bad"]);
        let [pair] = &report.pairs[..] else { panic!() };
        assert_eq!((pair.first, pair.second, pair.difference.tasks), ("good", "bad", 8));
        assert!(
            pair.told_apart && (pair.difference.p - 2.0 / 256.0).abs() < 1e-12,
            "{pair:?}"
        );
        assert_eq!(
            pair.sentence,
            "good is better than bad: 100 % against 0 %, difference 100 points (the same on every item), 8 items"
        );
    });
    with_report(&[("a", "hhhhhmmmmm"), ("b", "hhhhmmmmmm")], |set, models| {
        let report = GroundingReport::of(set, &set.choose(None, 1), 1, models);
        assert!(
            report.pairs[0]
                .sentence
                .starts_with("a and b cannot be told apart: 50 % against 40 %")
        );
    });
}

#[test]
fn splits_add_up_and_name_their_parts() {
    with_report(&[("a", "hhmmhhhmmf")], |set, models| {
        let report = GroundingReport::of(set, &set.choose(None, 1), 1, models);
        let ways: Vec<SplitBy> = report.splits.iter().map(|split| split.by).collect();
        // There is only one file and one source, and no group.
        assert_eq!(ways, [SplitBy::Kind, SplitBy::Size]);
        let parts = |split: &Split| -> Vec<(String, u64, u64, u64)> {
            let of = |part: &SplitPart| {
                (
                    part.value.clone(),
                    part.items,
                    part.models[0].hits,
                    part.models[0].answers,
                )
            };
            split.parts.iter().map(of).collect()
        };
        assert_eq!(
            parts(&report.splits[0]),
            [("icon".to_owned(), 4, 2, 4), ("text".to_owned(), 6, 3, 5)]
        );
        assert_eq!(
            parts(&report.splits[1]),
            [
                ("tiny (below 0.1 %)".to_owned(), 1, 1, 1),
                ("small (0.1 to 0.5 %)".to_owned(), 4, 2, 4),
                ("medium (0.5 to 2 %)".to_owned(), 5, 2, 4)
            ]
        );
    });
}

#[test]
fn a_choice_counts_only_its_items() {
    with_report(&[("a", "hhhhhhhhhh")], |set, models| {
        let chosen = set.choose(Some(3), 7);
        let report = GroundingReport::of(set, &chosen, 7, models);
        assert_eq!(
            (report.items, report.models[0].hit.answers, report.seed),
            (3, 3, Some(7))
        );
        assert!(report.text().contains("3 of 10 items"), "{}", report.text());
        assert!(
            report.text().contains("chosen at random with seed 7"),
            "{}",
            report.text()
        );
    });
}

#[test]
fn csv_has_a_line_for_each_answer_and_no_formulas() {
    with_report(&[("a", "hm"), ("b", "h.n")], |set, models| {
        let mut csv = Vec::new();
        write_csv(set, &set.choose(None, 1), models, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 5, "{csv}");
        assert_eq!(
            lines[1],
            "a/1,0.png,'=i0,icon,web,,0.0005,tiny,0,0,5,10,a,hit,,3,4,1,,10"
        );
        assert!(lines[4].contains(",b,no_click,it has no call,"), "{csv}");
    });
}

#[test]
fn json_has_fractions() {
    with_report(&[("a", "hhhhhmmmmm")], |set, models| {
        let report = GroundingReport::of(set, &set.choose(None, 1), 1, models);
        let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
        assert_eq!(json["models"][0]["hit"]["rate"], 0.5);
        assert_eq!(json["splits"][0]["by"], "kind");
        assert_eq!(json["files"][0]["format"], "ScreenSpot");
    });
}
