//! The difference between two snapshots, as JSON merge patches (RFC 7396). Each patch fits into one event.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Hub;
use super::listener::RESYNC;
use super::snapshot::{Snapshot, keys};

/// Returns the events that turn `before` into `after`, or none if nothing has changed. If a part is too large for an
/// event, pages have to fetch the whole state again.
pub(super) fn events(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let mut events = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    let mut is_too_large = false;
    for (name, change) in changes(before, after) {
        let part = format!("\"{name}\":{change}");
        if part.len() + 2 > Hub::EVENT_BYTES {
            is_too_large = true;
            continue;
        }
        let taken: usize = parts.iter().map(|part| part.len() + 1).sum();
        if taken + part.len() + 2 > Hub::EVENT_BYTES {
            events.push(std::mem::take(&mut parts));
        }
        parts.push(part);
    }
    events.extend(Some(parts).filter(|parts| !parts.is_empty()));
    let events = events.into_iter().map(|parts| format!("{{{}}}", parts.join(",")));
    events.chain(is_too_large.then(|| RESYNC.to_owned())).collect()
}

/// Returns each part that has changed, with its patch.
fn changes(before: &Snapshot, after: &Snapshot) -> Vec<(&'static str, Value)> {
    let mut changes = Changes::default();
    changes.of("run", &before.run, &after.run);
    changes.of("agent", &before.agent, &after.agent);
    changes.of("waiting", &before.waiting, &after.waiting);
    changes.of("acting", &before.acting, &after.acting);
    changes.of("taken_over", &before.taken_over, &after.taken_over);
    changes.of("question", &before.question, &after.question);
    let pending = |snapshot: &Snapshot| snapshot.pending.as_ref().map(|line| line.turn);
    changes.of("pending", &pending(before), &pending(after));
    changes.of("fresh", &before.fresh, &after.fresh);
    changes.of("answer", &before.answer, &after.answer);
    changes.of("upstream", &before.upstream, &after.upstream);
    changes.of("turns", &before.turns, &after.turns);
    changes.of("tokens", &before.tokens, &after.tokens);
    changes.of("verdicts", &before.verdicts, &after.verdicts);
    changes.of("violations", &Keys(&before.violations), &Keys(&after.violations));
    changes.of("mode", &before.mode, &after.mode);
    changes.of("goal", &before.goal, &after.goal);
    changes.of("config", &before.config, &after.config);
    changes.of("runs", &before.runs, &after.runs);
    changes.of("newest", &before.newest, &after.newest);
    changes.of("held", &before.held, &after.held);
    changes.of("others", &before.others, &after.others);
    if before.notices.count() != after.notices.count() {
        changes.of("notices", &before.notices, &after.notices);
    }
    changes.0
}

#[derive(PartialEq, Serialize)]
struct Keys<'a>(#[serde(serialize_with = "keys")] &'a [u64]);

#[derive(Default)]
struct Changes(Vec<(&'static str, Value)>);

impl Changes {
    fn of<T: PartialEq + Serialize>(&mut self, name: &'static str, before: &T, after: &T) {
        if before == after {
            return;
        }
        let values = serde_json::to_value(before).and_then(|before| Ok((before, serde_json::to_value(after)?)));
        let values = values.expect("everything in a snapshot can be written as JSON");
        self.0
            .extend(merge_patch(&values.0, values.1).map(|patch| (name, patch)));
    }
}

/// Returns the merge patch that turns `before` into `after`; `None` if they are equal.
fn merge_patch(before: &Value, after: Value) -> Option<Value> {
    if *before == after {
        return None;
    }
    let (Value::Object(before), Value::Object(after)) = (before, &after) else {
        return Some(after);
    };
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let mut patch: Map<String, Value> = gone.map(|name| (name.clone(), Value::Null)).collect();
    for (name, value) in after {
        let changed = merge_patch(before.get(name).unwrap_or(&Value::Null), value.clone());
        patch.extend(changed.map(|changed| (name.clone(), changed)));
    }
    Some(Value::Object(patch))
}

#[cfg(test)]
mod tests;
