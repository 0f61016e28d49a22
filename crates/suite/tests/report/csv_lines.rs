//! The attempts as CSV.

use csv::{ReaderBuilder, StringRecord};
use franz_suite::report::{ReportInput, write_csv};

use crate::made_up::{infrastructure, results, skipped};

fn records(input: &ReportInput) -> Vec<StringRecord> {
    let mut lines = Vec::new();
    write_csv(input, &mut lines).unwrap();
    let mut reader = ReaderBuilder::new().from_reader(&lines[..]);
    let header = reader.headers().unwrap().clone();
    std::iter::once(header)
        .chain(reader.records().map(Result::unwrap))
        .collect()
}

#[test]
fn each_attempt_is_a_line() {
    let mut input = results(3, &["a"], 2, |task, _, _| task == 0);
    input.attempts[5].outcome = infrastructure("said \"no\",\nand left");
    input.attempts[4].outcome = skipped("wish is not installed");
    let records = records(&input);
    assert_eq!(records.len(), 7);
    let column = |name| records[0].iter().position(|header| header == name).unwrap();
    let (outcome, why, score, task) = (column("outcome"), column("why"), column("score"), column("task"));
    assert_eq!(
        (&records[1][outcome], &records[1][score], &records[1][task]),
        ("solved", "1", "invoice-total")
    );
    assert_eq!((&records[6][outcome], &records[6][score]), ("infrastructure", ""));
    assert_eq!(
        (&records[5][outcome], &records[5][why], &records[5][score]),
        ("skipped", "wish is not installed", "")
    );
    assert_eq!(&records[6][why], "said \"no\",\nand left");
    assert_eq!(&records[1][column("seconds")], "31.5");
}

#[test]
fn no_cell_is_a_formula() {
    let starts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"];
    let mut input = results(8, &["a"], 1, |_, _, _| true);
    for (attempt, start) in input.attempts.iter_mut().zip(starts) {
        attempt.task = start.to_owned();
        attempt.model = start.to_owned();
        attempt.outcome = infrastructure(start);
        attempt.player = Some(start.to_owned());
    }
    input.facts.suite = "=cmd|'/c calc'!A1".to_owned();
    let records = records(&input);
    let guarded = records[1..].iter().flatten().filter(|cell| cell.starts_with('\''));
    assert_eq!(guarded.count(), 8 * 5);
    for cell in records.iter().flatten() {
        assert!(
            !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝']),
            "{cell:?}"
        );
    }
}

#[test]
fn no_cell_acts_on_a_terminal() {
    let mut input = results(1, &["a"], 1, |_, _, _| true);
    input.attempts[0].outcome = infrastructure("a\u{1b}[2J\u{202e}b\tc\nd");
    let records = records(&input);
    let column = records[0].iter().position(|header| header == "why").unwrap();
    assert_eq!(&records[1][column], "a\u{fffd}[2J\u{fffd}b\tc\nd");
}
