//! The lines that a standing panel prints about the runs on its page.

use std::collections::BTreeMap;
use std::sync::Arc;

use franz_panel::Hub;
use franz_panel::registered_runs::{ListedRun, RegisteredRuns};

use crate::terminal::say;

/// Prints a line for each change of a run that a person should know, and the panel's notices. Ends only when it is
/// aborted.
pub(super) async fn print(hub: Hub, runs: Arc<RegisteredRuns>) {
    let mut changes = hub.listen(None);
    let mut known: BTreeMap<String, ListedRun> = BTreeMap::new();
    let mut last_notice = 0;
    loop {
        changes.next().await;
        let notices = hub.snapshot().0.notices;
        for (_, notice) in notices.numbered().filter(|(number, _)| *number > last_notice) {
            say(&notice.text);
        }
        last_notice = notices.count();
        for run in runs.list() {
            if let Some(line) = line(known.get(&run.name), &run) {
                say(&format!("{}  {line}", run.name));
            }
            known.insert(run.name.clone(), run);
        }
    }
}

/// Returns what to say about a run, given what was known about it before.
fn line(before: Option<&ListedRun>, now: &ListedRun) -> Option<String> {
    let status = &now.status;
    let was_live = before.is_some_and(|before| before.live);
    if !now.live {
        let detail = Some(&status.detail).filter(|detail| !detail.is_empty());
        return was_live.then(|| detail.map_or_else(|| "ended".to_owned(), |detail| format!("ended: {detail}")));
    }
    if !was_live {
        return Some(format!("is on this page, from turn {}", status.turn + 1));
    }
    let before = &before?.status;
    if status.waits && !before.waits {
        return Some("is waiting for you".to_owned());
    }
    (status.turn > before.turn).then(|| format!("turn {}", status.turn))
}

#[cfg(test)]
mod tests {
    use franz_panel::registered_runs::RunStatus;

    use super::*;

    fn run(live: bool, waits: bool, turn: u64, detail: &str) -> ListedRun {
        let mut run = ListedRun {
            name: "a".to_owned(),
            live,
            since: 0,
            status: RunStatus::default(),
        };
        (run.status.waits, run.status.turn, run.status.detail) = (waits, turn, detail.to_owned());
        run
    }

    #[test]
    fn a_run_is_told_from_its_beginning_to_its_end() {
        let steps = [
            (run(true, false, 0, ""), Some("is on this page, from turn 1")),
            (run(true, false, 0, "x"), None),
            (run(true, false, 1, ""), Some("turn 1")),
            (run(true, true, 1, ""), Some("is waiting for you")),
            (run(true, true, 1, ""), None),
            (run(true, false, 2, ""), Some("turn 2")),
            (run(false, false, 2, "stopped"), Some("ended: stopped")),
            (run(false, false, 2, "stopped"), None),
            (run(true, false, 2, ""), Some("is on this page, from turn 3")),
        ];
        let mut before = None;
        for (now, wanted) in steps {
            assert_eq!(line(before.as_ref(), &now).as_deref(), wanted);
            before = Some(now);
        }
    }
}
