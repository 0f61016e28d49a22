use std::path::Path;
use std::{fs, io};

use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::index::ExchangeIndex;
use super::read::{ExchangeError, ReadBody, Wanted, exchanges};
use super::*;

const AT: Timestamp = Timestamp::UNIX_EPOCH;

/// Reads a file, compressed or not.
fn read(directory: &Path, name: &str) -> String {
    let bytes = fs::read(directory.join(name)).unwrap();
    if !name.ends_with(COMPRESSED) {
        return String::from_utf8(bytes).unwrap();
    }
    io::read_to_string(GzDecoder::new(bytes.as_slice())).unwrap()
}

fn lines(directory: &Path, name: &str) -> Vec<Value> {
    let log = read(directory, name);
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn open(directory: &Path, options: ExchangeOptions) -> ExchangeLog {
    ExchangeLog::open(&Home::claim(directory).unwrap(), options).unwrap().0
}

/// Logs an exchange of this turn with these bodies, and returns its ID.
fn log_one(log: &mut ExchangeLog, turn: u64, request: &[u8], response: &[u8]) -> String {
    let id = log.request(AT, Some(turn), LoggedBody::Bytes(request)).unwrap();
    let response = LoggedBody::Bytes(response);
    log.response(&id, AT, Some(turn), Some(200), response).unwrap();
    id
}

fn shown(directory: &Path, wanted: &Wanted) -> Result<Vec<read::LoggedExchange>, ExchangeError> {
    exchanges(&franz_home::View::open(directory).unwrap(), wanted)
}

#[test]
fn an_index_finds_the_exchanges_of_each_turn_in_all_logs() {
    let directory = tempfile::tempdir().unwrap();
    let options = ExchangeOptions {
        max_bytes: 200,
        files: 9,
        ..ExchangeOptions::default()
    };
    let mut log = open(directory.path(), options);
    for turn in [1, 2, 2, 3] {
        log_one(&mut log, turn, b"{\"ask\":1.50}", b"no JSON");
    }
    drop(log);
    let view = franz_home::View::open(directory.path()).unwrap();
    let index = ExchangeIndex::of(&view).unwrap();
    for (turn, count) in [(1, 1), (2, 2), (3, 1)] {
        let found = index.exchanges(turn).unwrap();
        assert_eq!(found.len(), count, "turn {turn}");
        assert_eq!(found, exchanges(&view, &Wanted::Turn(turn)).unwrap());
    }
    assert!(index.exchanges(4).unwrap().is_empty());
    let damaged = directory.path().join("exchange.1.log.gz");
    fs::write(&damaged, &fs::read(&damaged).unwrap()[..30]).unwrap();
    let index = ExchangeIndex::of(&view).unwrap();
    assert_eq!(index.exchanges(1).unwrap().len(), 1, "the other logs are read");
    assert_eq!(
        exchanges(&view, &Wanted::Turn(1)).unwrap().len(),
        1,
        "without the index, too"
    );
    let empty = franz_home::View::open(tempfile::tempdir().unwrap().path()).unwrap();
    assert!(ExchangeIndex::of(&empty).unwrap().exchanges(1).unwrap().is_empty());
}

#[test]
fn a_request_and_its_response_share_an_id() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = open(directory.path(), ExchangeOptions::default());
    let id = log
        .request(AT, Some(3), LoggedBody::Bytes(b"{\n \"a\": 1.50 }"))
        .unwrap();
    let request = format!(
        r#"{{"v":1,"id":"{id}","at":"1970-01-01T00:00:00Z","turn":3,"request":{{  "a": 1.50 }},"as_sent":"{{\n \"a\": 1.50 }}"}}"#
    ) + "\n";
    // The request is on disk before the response arrives.
    assert_eq!(read(directory.path(), LOG_FILE), request);
    drop(log);
    let mut log = open(directory.path(), ExchangeOptions::default());
    let text = LoggedBody::Bytes(b"<html>no JSON</html>");
    log.response(&id, AT, Some(3), Some(502), text).unwrap();
    let response = format!(
        r#"{{"v":1,"id":"{id}","at":"1970-01-01T00:00:00Z","turn":3,"status":502,"response":null,"text":"<html>no JSON</html>"}}"#
    );
    assert_eq!(read(directory.path(), LOG_FILE), request + &response + "\n");
}

#[test]
fn hostile_tokens_and_bytes_are_preserved() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = open(directory.path(), ExchangeOptions::default());
    let tokens = r#""\ud800\/\u0000""#;
    log_one(&mut log, 1, tokens.as_bytes(), b"\xff\xfe{\n\xed");
    log_one(&mut log, 2, b"", b"null");
    let log = read(directory.path(), LOG_FILE);
    let log: Vec<&str> = log.lines().collect();
    assert!(log[0].ends_with(&format!(r#""request":{tokens}}}"#)), "{log:?}");
    assert!(
        log[1].ends_with(r#""response":null,"text":"\udcff\udcfe{\u000a\udced"}"#),
        "{log:?}"
    );
    assert!(log[2].ends_with(r#""request":null,"text":""}"#), "{log:?}");
    assert!(log[3].ends_with(r#""response":null}"#), "{log:?}");
}

#[test]
fn the_key_never_appears() {
    let directory = tempfile::tempdir().unwrap();
    let options = ExchangeOptions {
        secret: Secret::new(["sk-0123456789"]),
        ..ExchangeOptions::default()
    };
    let mut log = open(directory.path(), options);
    let json = r#"{"echo":"sk-0123456789, sk-0123456789!","other":"sk-012345678","escaped":"\u0073k-0123456789"}"#;
    let id = log_one(
        &mut log,
        1,
        json.as_bytes(),
        b"plain sk-0123456789 and c2stMDEyMzQ1Njc4OQ==",
    );
    let error = LoggedBody::Missing("it said sk-0123456789");
    log.response(&id, AT, None, None, error).unwrap();
    let log = read(directory.path(), LOG_FILE);
    assert!(!log.contains("k-0123456789") && !log.contains("c2stMDEy"), "{log}");
    assert!(
        log.contains(r#""[the API key, 13 bytes], [the API key, 13 bytes]!""#)
            && log.contains(r#""sk-012345678""#)
            && log.contains(r#""error":"it said [the API key, 13 bytes]""#),
        "{log}"
    );
    assert_eq!(lines(directory.path(), LOG_FILE).len(), 3);
}

/// Creates a log of nine responses, each consisting of a number, with two lines per file.
fn rotated(files: u32) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut log = open(directory.path(), ExchangeOptions::default());
    log.response("id", AT, None, None, LoggedBody::Bytes(b"0")).unwrap();
    let length = fs::metadata(directory.path().join(LOG_FILE)).unwrap().len();
    let options = ExchangeOptions {
        max_bytes: length * 2,
        files,
        secret: Secret::default(),
    };
    let mut log = open(directory.path(), options);
    for number in 1..9 {
        let body = number.to_string();
        log.response("id", AT, None, None, LoggedBody::Bytes(body.as_bytes()))
            .unwrap();
    }
    directory
}

fn numbers(directory: &Path, name: &str) -> Vec<Value> {
    let lines = lines(directory, name).into_iter();
    lines.map(|line| line["response"].clone()).collect()
}

#[test]
fn old_logs_are_rotated_and_dropped() {
    let directory = rotated(3);
    assert_eq!(numbers(directory.path(), "exchange.log"), [json!(8)]);
    assert_eq!(numbers(directory.path(), "exchange.1.log.gz"), [json!(6), json!(7)]);
    assert_eq!(numbers(directory.path(), "exchange.2.log.gz"), [json!(4), json!(5)]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
}

#[test]
fn every_log_is_kept_where_all_are() {
    let directory = rotated(u32::MAX);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 5);
    assert_eq!(numbers(directory.path(), "exchange.4.log.gz"), [json!(0), json!(1)]);
}

#[test]
fn a_lowered_limit_also_drops_what_was_kept_before() {
    let directory = rotated(u32::MAX);
    let options = ExchangeOptions {
        max_bytes: 1,
        files: 2,
        ..ExchangeOptions::default()
    };
    let mut log = open(directory.path(), options);
    log.response("id", AT, None, None, LoggedBody::Bytes(b"9")).unwrap();
    drop(log);
    assert_eq!(numbers(directory.path(), "exchange.log"), [json!(9)]);
    assert_eq!(numbers(directory.path(), "exchange.1.log.gz"), [json!(8)]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn a_log_that_was_never_compressed_is_rotated_and_read_with_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let options = ExchangeOptions {
        max_bytes: 1,
        files: 9,
        secret: Secret::default(),
    };
    let log = |turn| log_one(&mut open(directory.path(), options.clone()), turn, b"1", b"2");
    log(1);
    // The program was killed before it compressed the first file.
    let plain = read(directory.path(), "exchange.1.log.gz");
    fs::remove_file(directory.path().join("exchange.1.log.gz")).unwrap();
    fs::write(directory.path().join("exchange.1.log"), &plain).unwrap();
    log(2);
    assert_eq!(read(directory.path(), "exchange.3.log"), plain);
    for turn in [1, 2] {
        let [exchange] = &shown(directory.path(), &Wanted::Turn(turn)).unwrap()[..] else {
            panic!("{turn}")
        };
        assert!(
            exchange.request.is_some() && exchange.response.is_some(),
            "{exchange:?}"
        );
    }
}

#[test]
fn a_size_is_kept_in_at_least_four_files() {
    for (bytes, max_bytes, files) in [
        (u64::MAX, 64_000_000, u32::MAX),
        (1_000_000_000, 64_000_000, 15),
        (256_000_000, 64_000_000, 4),
        (1_000, 250, 4),
        (1, 1, 1),
    ] {
        let options = ExchangeOptions::keeping(bytes, Secret::default());
        assert_eq!((options.max_bytes, options.files), (max_bytes, files), "{bytes}");
    }
}

#[test]
fn a_single_log_file_is_restarted_when_full() {
    let directory = tempfile::tempdir().unwrap();
    let options = ExchangeOptions {
        max_bytes: 1,
        files: 1,
        secret: Secret::default(),
    };
    log_one(&mut open(directory.path(), options), 1, b"1", b"2");
    assert_eq!(numbers(directory.path(), LOG_FILE), [json!(2)]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn switched_off_it_still_gives_each_request_an_id() {
    let mut log = ExchangeLog::off();
    let ids = [1, 2].map(|turn| log_one(&mut log, turn, b"{}", b"{}"));
    assert!(
        ids.iter().all(|id| id.starts_with("req_")) && ids[0] != ids[1],
        "{ids:?}"
    );
}

#[test]
fn a_log_of_an_older_version_is_renamed_and_none_is_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let old =
        |name: &str| format!("====\nREQUEST TO MODEL:\n====\n{name}\n\n{{\"id\":\"x\",\"turn\":1,\"request\":1}}\n");
    let names = ["exchange.log", "exchange.1.log", "exchange.2.log", "exchange.3.log"];
    for name in names {
        fs::write(directory.path().join(name), old(name)).unwrap();
    }
    assert!(matches!(
        shown(directory.path(), &Wanted::Turn(1)),
        Err(ExchangeError::OnlyText { .. })
    ));
    let mut log = open(directory.path(), ExchangeOptions::default());
    log_one(&mut log, 7, b"1", b"2");
    drop(log);
    let renamed = [
        "exchange.1.log.gz",
        "exchange.2.log",
        "exchange.3.log",
        "exchange.4.log",
    ];
    for (before, after) in names.iter().zip(renamed) {
        assert_eq!(read(directory.path(), after), old(before));
    }
    assert_eq!(lines(directory.path(), LOG_FILE).len(), 2);
    assert_eq!(shown(directory.path(), &Wanted::Turn(7)).unwrap().len(), 1);
    // After reopening, the log continues.
    log_one(&mut open(directory.path(), ExchangeOptions::default()), 8, b"1", b"2");
    assert_eq!(lines(directory.path(), LOG_FILE).len(), 4);
}

#[test]
fn an_unterminated_line_is_moved_aside() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join(LOG_FILE),
        "{\"id\":\"a\",\"request\":1}\n{\"id\":\"b\",\"requ",
    )
    .unwrap();
    let home = Home::claim(directory.path()).unwrap();
    let (mut log, cut) = ExchangeLog::open(&home, ExchangeOptions::default()).unwrap();
    log_one(&mut log, 1, b"1", b"2");
    assert_eq!(lines(directory.path(), LOG_FILE).len(), 3);
    assert_eq!(fs::read_to_string(cut.unwrap()).unwrap(), "{\"id\":\"b\",\"requ\n");
}

#[test]
fn each_attempt_of_a_turn_is_read_back_with_its_response() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = open(directory.path(), ExchangeOptions::default());
    log_one(&mut log, 1, b"{}", b"{}");
    let first = log_one(&mut log, 2, br#"{"try":"\ud800"}"#, b"busy");
    let second = log.request(AT, Some(2), LoggedBody::Missing("too long")).unwrap();
    // The turn becomes known only when the response arrives.
    let third = log.request(AT, None, LoggedBody::Bytes(b"3")).unwrap();
    log.response(&third, AT, Some(3), None, LoggedBody::Missing("gone"))
        .unwrap();
    let found = shown(directory.path(), &Wanted::Turn(2)).unwrap();
    let ids: Vec<&str> = found.iter().map(|exchange| exchange.id.as_str()).collect();
    assert_eq!(ids, [&first, &second]);
    let bodies = |at: usize| {
        let exchange = &found[at];
        [&exchange.request, &exchange.response].map(|side| side.as_ref().map(|side| side.body.clone()))
    };
    let json = ReadBody::Json(franz_json::Raw::parse(r#"{"try":"\ud800"}"#).unwrap());
    assert_eq!(bodies(0), [Some(json), Some(ReadBody::Text("busy".to_owned()))]);
    assert_eq!(bodies(1), [Some(ReadBody::Missing("too long".to_owned())), None]);
    for wanted in [Wanted::Turn(3), Wanted::Id(third)] {
        let found = shown(directory.path(), &wanted).unwrap();
        assert!(
            found.len() == 1 && found[0].turn == Some(3) && found[0].request.is_some(),
            "{found:?}"
        );
    }
}

#[test]
fn a_missing_exchange_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let said = |turn| shown(directory.path(), &Wanted::Turn(turn)).unwrap_err().to_string();
    assert!(said(1).contains("has no exchange.log"), "{}", said(1));
    let mut log = open(directory.path(), ExchangeOptions::default());
    let waiting = log.request(AT, None, LoggedBody::Bytes(b"{}")).unwrap();
    assert_eq!(
        said(1),
        format!(
            "no exchange of turn 1 in the log; it holds no answered turn, and request {waiting}, which has no answer yet"
        )
    );
    log.response(&waiting, AT, Some(5), None, LoggedBody::Bytes(b"{}"))
        .unwrap();
    log_one(&mut log, 6, b"{}", b"{}");
    assert_eq!(said(1), "no exchange of turn 1 in the log; it holds turns 5 to 6");
    assert_eq!(said(9), "no exchange of turn 9 in the log; it holds turns 5 to 6");
    drop(log);
    let small = ExchangeOptions {
        max_bytes: 1,
        files: 2,
        secret: Secret::default(),
    };
    log_one(&mut open(directory.path(), small), 7, b"{}", b"{}");
    assert!(
        said(5).contains("no longer in the log, which begins at turn 7"),
        "{}",
        said(5)
    );
}

proptest! {
    #[test]
    fn any_body_is_one_line_and_reads_back_byte_for_byte(body in prop::collection::vec(any::<u8>(), 0..80), json in "[\\[\\]{}\", \n\r0-9:\\\\u]{0,20}") {
        for body in [body, json.into_bytes()] {
            let directory = tempfile::tempdir().unwrap();
            log_one(&mut open(directory.path(), ExchangeOptions::default()), 1, &body, &body);
            let log = read(directory.path(), LOG_FILE);
            prop_assert_eq!(log.matches('\n').count(), 2);
            let found = shown(directory.path(), &Wanted::Turn(1)).unwrap().remove(0);
            prop_assert_eq!(found.request.as_ref().map(|side| &side.body), found.response.as_ref().map(|side| &side.body));
            let line = log.lines().next().unwrap();
            let [request, text] = franz_json::members(line, ["request", "text"]).unwrap();
            let back: Vec<u8> = match text {
                None => request.unwrap().get().bytes().collect(),
                Some(text) => char::decode_utf16(franz_json::literal::units(text.get())).flat_map(|unit| match unit {
                    Ok(plain) => plain.to_string().into_bytes(),
                    Err(lone) => vec![(lone.unpaired_surrogate() - 0xdc00) as u8],
                }).collect(),
            };
            // Line breaks between tokens become spaces, and whitespace around the JSON is removed.
            let blanks = |bytes: &[u8]| -> Vec<u8> {
                let bytes = if text.is_none() { bytes.trim_ascii() } else { bytes };
                bytes.iter().map(|byte| if text.is_none() && matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
            };
            prop_assert_eq!(back, blanks(&body));
        }
    }
}
