//! Tests of several runs below a panel. Each run has its own state, turns, pictures, search, events, metrics and
//! exports.

use serde_json::Value;

use crate::web::site::{Recorder, Site, line};

/// Records a panel's directory with two runs below it. They have this many turns each, and their feedback says which
/// run they belong to.
fn panel() -> Recorder {
    let recorder = Recorder::new();
    for (name, turns) in [("0001-run_a", 1), ("0002", 2)] {
        let directory = recorder.directory().join("runs").join(name);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("state.json"), "{}").unwrap();
        let mut lines = Vec::new();
        for turn in 1..=turns {
            let mut line = line(turn, "\"said\"");
            line.feedback = format!("told in {name}");
            serde_json::to_writer(&mut lines, &line).unwrap();
            lines.push(b'\n');
        }
        std::fs::write(directory.join("turns_0001_1000.jsonl"), lines).unwrap();
    }
    recorder
}

#[tokio::test]
async fn each_run_has_its_own_address() {
    let recorder = panel();
    let site = Site::over(&recorder.directory()).await;
    for (name, turns) in [("0001-run_a", 1), ("0002", 2)] {
        let at = |path: &str| format!("/run/{name}{path}");
        let state = site.json(&at("/api/state")).await;
        assert_eq!(
            (&state["turns"]["count"], &state["shown"]),
            (&Value::from(turns), &Value::from(name))
        );
        let turn = site.json(&at("/api/turns/1")).await;
        assert_eq!(turn["line"]["feedback"], format!("told in {name}"));
        let hits = site.json(&at("/api/search?q=told")).await;
        assert_eq!(hits["hits"].as_array().unwrap().len(), turns as usize);
        let metrics = site.get(&at("/metrics")).await;
        assert!(String::from_utf8_lossy(&metrics.body).contains(&format!("franz_turns_total {turns}\n")));
        let exported = site.get(&at("/export/turns.jsonl")).await;
        assert_eq!(String::from_utf8_lossy(&exported.body).lines().count(), turns as usize);
        assert!(String::from_utf8_lossy(&site.get(&at("/export/history.html")).await.body).contains(name));
        assert_eq!(site.get(&at("/")).await.body, site.get("/").await.body);
    }
    // If no run is named, the newest is used.
    assert_eq!(site.json("/api/state").await["shown"], "0002");
    let listed = site.json("/api/runs").await;
    let names: Vec<_> = listed["below"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["0002", "0001-run_a"]);
}

#[tokio::test]
async fn no_address_leads_out_of_the_panels_directory() {
    let recorder = panel();
    let site = Site::over(&recorder.directory()).await;
    for name in [
        "0003",
        "..",
        ".",
        "%2e%2e",
        "0001-run_a%2f..",
        "runs",
        "0001-run_a/..",
        "/",
    ] {
        let path = format!("/run/{name}/api/state");
        assert_eq!(site.get(&path).await.status, 404, "{path}");
    }
    assert_eq!(site.stranger("GET", "/run/0002/api/state", &[], b"").await.status, 401);
    assert_eq!(site.stranger("GET", "/run/0002/", &[], b"").await.status, 401);
}
