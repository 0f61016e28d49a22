//! The report as a page. The pages stay in the target directory, to be looked at.
#![allow(clippy::disallowed_methods, reason = "the pages belong to no run")]

use franz_suite::report::{ReportInput, SuiteReport};

use crate::made_up::{by_chance, infrastructure, results, skipped, task_fault};

fn page(name: &str, input: &ReportInput) -> String {
    let html = SuiteReport::of(input).html();
    let file = format!("{}/{name}.html", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(file, &html).unwrap();
    html
}

/// Returns all tags, each with its attributes, and checks that they are nested.
fn tags(html: &str) -> Vec<&str> {
    let mut open = Vec::new();
    let mut tags = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("every tag ends");
        let name = tag.split_whitespace().next().unwrap();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
        } else if !["!doctype", "meta"].contains(&name) {
            open.push(name);
        }
        tags.push(tag);
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    tags
}

fn links(html: &str) -> Vec<&str> {
    html.split("href=\"")
        .skip(1)
        .map(|part| part.split('"').next().unwrap())
        .collect()
}

#[test]
fn every_attempt_leads_to_its_player() {
    let input = by_chance(24, &["qwen3-vl-8b-q4", "ui-tars-1.5-7b", "blind"], 5);
    let html = page("report", &input);
    tags(&html);
    let links = links(&html);
    assert_eq!(links.len(), 360);
    for attempt in &input.attempts {
        assert!(links.contains(&attempt.player.as_deref().unwrap()));
    }
}

#[test]
fn limits_and_errors_are_on_the_page() {
    let names = [
        "qwen3-vl-8b-q4",
        "a-model-with-a-very-long-name-that-has-no-end-2026-11-28-Q4_K_M.gguf",
        "blind",
    ];
    let mut input = by_chance(24, &names, 5);
    input.facts.isolated = false;
    input.facts.jobs = Some(4);
    input.attempts[3].outcome = infrastructure("the model server at 127.0.0.1:8080 does not answer");
    input.attempts[9].outcome = infrastructure("the model server at 127.0.0.1:8080 does not answer");
    input.attempts[40].outcome = task_fault("check.sh ended with 7: sqlite3 is missing");
    input.attempts[50].score = Some(0.25);
    input.attempts[60].player = None;
    input.attempts[70].outcome = skipped("chromium is not installed");
    input.attempts[70].player = None;
    input.attempts.truncate(312);
    let html = page("limits", &input);
    tags(&html);
    for words in [
        "Not isolated",
        "309 of 360 attempts have results.",
        "<dt>Attempts with results</dt><dd dir=\"auto\">309 of 360</dd>",
        "2 attempts failed for reasons that are neither",
        "Infrastructure errors",
        "Task faults",
        "does not answer",
        "no result yet",
        "1 attempt was skipped, because chromium is not installed: dialog.",
        ">Skipped</th>",
        "repeat 1: skipped: chromium is not installed",
        "Seconds are not compared",
        "<caption>",
        "scope=\"row\"",
    ] {
        assert!(html.contains(words), "no {words:?}");
    }
    assert_eq!(links(&html).len(), 310);
}

#[test]
fn many_models_fit() {
    let names: Vec<String> = (0..20)
        .map(|model| format!("model-{model}-q{}", 4 + model % 5))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let html = page("many", &by_chance(50, &names, 5));
    tags(&html);
    assert_eq!(links(&html).len(), 5_000);
}

#[test]
fn nothing_from_a_suite_becomes_markup() {
    let evil = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'&";
    let mut input = results(3, &["a", evil], 2, |task, _, _| task == 0);
    input.facts.suite = evil.to_owned();
    input.facts.digest = evil.to_owned();
    input.facts.versions[0].name = evil.to_owned();
    input.facts.versions[0].version = evil.to_owned();
    for attempt in &mut input.attempts {
        attempt.task.push_str(evil);
        attempt.player = Some(format!("javascript:alert(1)//{evil}"));
    }
    input.attempts[0].outcome = infrastructure(evil);
    input.attempts[1].outcome = task_fault(evil);
    input.attempts[2].player = Some("../../other/player.html".to_owned());
    input.attempts[3].player = Some(format!("try {evil}/player.html"));
    let html = page("evil", &input);
    let allowed = [
        "!doctype", "html", "head", "meta", "title", "style", "body", "header", "main", "section", "h1", "h2", "dl",
        "div", "dt", "dd", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "a", "b", "i", "small",
        "span",
    ];
    for tag in tags(&html) {
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap();
        assert!(allowed.contains(&name), "{tag}");
        assert!(
            !tag.contains("onerror") || tag.contains("&lt;img") || tag.contains("%3Cimg"),
            "{tag}"
        );
    }
    // Only the fourth attempt's player has a path of parts that are not empty and lead nowhere else.
    assert_eq!(
        links(&html),
        [
            "try%20%22%3E%3Cscript%3Ealert%281%29%3C/script%3E%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E%27%26/player.html"
        ]
    );
}

#[test]
fn the_page_loads_nothing() {
    let html = page("small", &results(1, &["alone"], 1, |_, _, _| true));
    for word in ["http:", "https:", "src=", "url(", "@import", "<script", "<link"] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.contains("default-src 'none'"));
}
