//! Tests of what browsers are told about an exchange.

use franz_panel::Hub;
use franz_relay::Ended;
use serde_json::Value;

use crate::observer::{observe, options};
use crate::wire::Ask;

/// Returns everything that has been reported since event `last`, in order.
fn told(hub: &Hub, last: &str) -> Vec<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut listener = hub.listen(Some(last));
    let told = runtime.block_on(listener.next());
    told.iter()
        .map(|told| serde_json::from_str(&told.json).unwrap())
        .collect()
}

#[test]
fn turns_verdicts_and_server_changes_are_announced() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = options(directory.path());
    options.record_turns = Some(franz_record::RunOptions::default());
    let hub = options.hub.clone();
    let before = hub.listen(None).id();
    let asks = vec![
        Ask::new("\"\"").reply("\"one\""),
        Ask::new("\"onE\"").unanswered(Ended::Unreachable("refused".to_owned())),
        Ask::new("\"onE\"").reply("\"two\""),
    ];
    observe(options, asks);
    let told = told(&hub, &before);
    let part = |told: &Value| {
        let parts = [("turns", "turn"), ("fresh", "verdict"), ("upstream", "upstream")];
        let named = parts.into_iter().find(|(part, _)| told.get(part).is_some());
        named.expect("one of these parts changed").1
    };
    let types: Vec<_> = told.iter().map(part).collect();
    assert_eq!(
        types,
        [
            "turn", "verdict", "upstream", "turn", "verdict", "upstream", "turn", "verdict"
        ]
    );
    let (snapshot, _) = hub.snapshot();
    assert_eq!(snapshot.verdicts.0, [1, 0, 1, 1, 0, 0]);
    assert_eq!(snapshot.violations, [2]);
    let up = |told: &Value| told["upstream"]["up"].as_bool();
    assert_eq!((up(&told[2]), up(&told[5])), (Some(false), Some(true)));
}
