//! The lines that a panel prints about the runs on its page.

use std::collections::BTreeMap;
use std::sync::Arc;

use franz_panel::registered_runs::{ListedRun, RegisteredRuns, RunStatus};
use franz_panel::runs::Runs;
use franz_panel::turn_news::TurnNews;
use franz_panel::{Hub, VerdictKind};

use crate::terminal::{Printer, one_line};

/// Prints a line for each turn of another agent, for each change of a registered run that a person should know, and for
/// each of the panel's notices. Ends only when it is aborted.
pub(super) async fn print(printer: Printer, hub: Hub, others: Arc<Runs>, registered: Arc<RegisteredRuns>) {
    let say = |line: &str| printer.say(&one_line(line));
    let mut changes = hub.listen(None);
    let mut known: BTreeMap<String, ListedRun> = BTreeMap::new();
    let mut last_notice = 0;
    loop {
        changes.next().await;
        let notices = hub.look(|snapshot| snapshot.notices.clone());
        for (_, notice) in notices.numbered().filter(|(number, _)| *number > last_notice) {
            say(&notice.text);
        }
        last_notice = notices.count();
        for turn in others.take_news() {
            say(&format!("{}  {}", turn.run, turn_line(&turn)));
        }
        for run in registered.list() {
            for line in lines(known.get(&run.name), &run) {
                say(&format!("{}  {line}", run.name));
            }
            known.insert(run.name.clone(), run);
        }
    }
}

/// Returns what to say about a run, given what was known about it before.
fn lines(before: Option<&ListedRun>, now: &ListedRun) -> Vec<String> {
    let status = &now.status;
    let before = before.filter(|before| before.live);
    match (before, now.live) {
        (None, false) => Vec::new(),
        (None, true) => vec![format!("is on this page, from turn {}", status.turn + 1)],
        (Some(_), false) if status.detail.is_empty() => vec!["ended".to_owned()],
        (Some(_), false) => vec![format!("ended: {}", status.detail)],
        (Some(before), true) => news(&before.status, status),
    }
}

/// Returns what has happened in a live run.
fn news(before: &RunStatus, now: &RunStatus) -> Vec<String> {
    let trouble = now.trouble.as_ref().filter(|_| now.trouble != before.trouble);
    let violation = now.violation.filter(|_| now.violation != before.violation);
    let turn = (now.turn > before.turn).then_some(now.turn);
    [
        trouble.map(|trouble| format!("turn {}  no reply: {}", trouble.turn, trouble.error)),
        turn.map(|turn| format!("turn {turn}")),
        violation.map(|turn| format!("turn {turn}  the story was changed")),
        (now.waits && !before.waits).then(|| "is waiting for you".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns what to say about a turn of another agent.
fn turn_line(turn: &TurnNews) -> String {
    let place = turn.differs_at.map(|unit| format!(" at character {}", unit + 1));
    let what = match (&turn.error, turn.verdict) {
        (_, VerdictKind::Violation) => format!("the story was changed{}", place.unwrap_or_default()),
        (Some(error), _) => format!("no reply: {error}"),
        (None, VerdictKind::Retry) => "answered; the same story was sent again".to_owned(),
        (None, _) => "answered".to_owned(),
    };
    format!("turn {}  {what}  {:.1} s", turn.turn, turn.ms / 1e3)
}

#[cfg(test)]
mod tests {
    use franz_panel::registered_runs::TurnTrouble;

    use super::*;

    fn run(live: bool, waits: bool, turn: u64, detail: &str) -> ListedRun {
        let mut run = ListedRun {
            name: "a".to_owned(),
            live,
            since: 0,
            status: RunStatus::default(),
            problem: None,
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
            assert_eq!(lines(before.as_ref(), &now), Vec::from_iter(wanted));
            before = Some(now);
        }
    }

    #[test]
    fn each_error_and_each_changed_story_is_told_once() {
        let with = |turn, trouble: Option<(u64, &str)>, violation| {
            let mut run = run(true, false, turn, "");
            run.status.trouble = trouble.map(|(turn, error)| TurnTrouble {
                turn,
                error: error.to_owned(),
            });
            run.status.violation = violation;
            run
        };
        let busy = Some((3, "status 503: busy"));
        let steps = [
            (with(2, None, None), vec!["is on this page, from turn 3"]),
            (with(2, busy, None), vec!["turn 3  no reply: status 503: busy"]),
            (with(2, busy, None), vec![]),
            (with(3, busy, None), vec!["turn 3"]),
            (with(4, busy, Some(4)), vec!["turn 4", "turn 4  the story was changed"]),
            (with(4, busy, Some(4)), vec![]),
        ];
        let mut before = None;
        for (now, wanted) in steps {
            assert_eq!(lines(before.as_ref(), &now), wanted);
            before = Some(now);
        }
    }

    #[test]
    fn a_turn_says_how_it_went() {
        let ordinary = TurnNews {
            run: "0001".to_owned(),
            turn: 7,
            ms: 812.0,
            verdict: VerdictKind::Match,
            differs_at: None,
            error: None,
        };
        assert_eq!(turn_line(&ordinary), "turn 7  answered  0.8 s");
        let error = Some("status 500: out of memory".to_owned());
        let failed = TurnNews {
            error: error.clone(),
            ..ordinary.clone()
        };
        assert_eq!(turn_line(&failed), "turn 7  no reply: status 500: out of memory  0.8 s");
        let changed = TurnNews {
            verdict: VerdictKind::Violation,
            differs_at: Some(2),
            error,
            ..ordinary
        };
        assert_eq!(
            turn_line(&changed),
            "turn 7  the story was changed at character 3  0.8 s"
        );
    }
}
