//! `exchange.log`: what was sent to the model and what came back, for people to read.

use std::io::ErrorKind;

use franz_home::{DiskError, Home};
use franz_json::indent;
use franz_secret::Secret;

use crate::append::AppendFile;

/// The newest log; older ones are `exchange.1.log` and so on.
const LOG_FILE: &str = "exchange.log";

const RULE: &str = "================================================================================";

/// What is logged of the exchange, and what must never be.
#[derive(Debug, Clone)]
pub struct ExchangeOptions {
    /// The size at which a new log is begun. An entry is never split.
    pub max_bytes: u64,
    /// How many logs are kept, the newest included; at least 1.
    pub files: u32,
    /// The API keys, replaced by `[the API key, N bytes]`.
    pub secret: Secret,
}

impl Default for ExchangeOptions {
    /// Defaults to four logs of 64 MB, which editors can still open: thousands of turns, without ever filling a disk.
    fn default() -> Self {
        Self {
            max_bytes: 64_000_000,
            files: 4,
            secret: Secret::default(),
        }
    }
}

/// Writes the exchange, or nothing at all if it is switched off.
pub struct ExchangeLog {
    /// The log; `None` if switched off.
    log: Option<RotatingLog>,
}

impl ExchangeLog {
    /// Continues the log of the run in `home`.
    pub fn open(home: &Home, options: ExchangeOptions) -> Result<Self, DiskError> {
        Ok(Self {
            log: Some(RotatingLog::open(home, options)?),
        })
    }

    /// Creates a log that is switched off and writes nothing.
    pub fn off() -> Self {
        Self { log: None }
    }

    /// Writes the body of a request, in which the caller has replaced the pictures.
    pub fn request(&mut self, body: &[u8]) -> Result<(), DiskError> {
        self.entry("REQUEST TO MODEL:", body)
    }

    /// Writes the body of a response. Text that is not JSON is written unchanged.
    pub fn response(&mut self, body: &[u8]) -> Result<(), DiskError> {
        self.entry("RESPONSE FROM MODEL:", body)
    }

    fn entry(&mut self, title: &str, body: &[u8]) -> Result<(), DiskError> {
        match &mut self.log {
            Some(log) => log.append(&entry(title, body, &log.options.secret)),
            None => Ok(()),
        }
    }
}

fn entry(title: &str, body: &[u8], secret: &Secret) -> Vec<u8> {
    let indented = indent(body);
    let body = indented.as_deref().unwrap_or(body);
    let mut entry = format!("{RULE}\n{title}\n{RULE}\n").into_bytes();
    entry.extend(secret.bytes(body).as_ref());
    entry.extend(b"\n\n");
    entry
}

struct RotatingLog {
    home: Home,
    options: ExchangeOptions,
    file: AppendFile,
}

impl RotatingLog {
    fn open(home: &Home, options: ExchangeOptions) -> Result<Self, DiskError> {
        let file = open_log(home)?;
        Ok(Self {
            home: home.clone(),
            options,
            file,
        })
    }

    fn append(&mut self, entry: &[u8]) -> Result<(), DiskError> {
        let full = self.file.length() + entry.len() as u64 > self.options.max_bytes;
        if full && self.file.length() > 0 {
            self.rotate()?;
        }
        self.file
            .append(entry)
            .map_err(DiskError::when("append to", &self.home.path_of(LOG_FILE)))
    }

    /// Renames each log to the next number, overwriting the oldest, and begins a new one.
    fn rotate(&mut self) -> Result<(), DiskError> {
        for number in (1..self.options.files).rev() {
            let older = name(number - 1);
            match self.home.rename(&older, &name(number)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(DiskError::when("rotate", &self.home.path_of(&older))(error));
                }
                _ => {}
            }
        }
        if self.options.files <= 1 {
            let removed = self.home.remove(LOG_FILE);
            removed.map_err(DiskError::when("rotate", &self.home.path_of(LOG_FILE)))?;
        }
        self.file = open_log(&self.home)?;
        Ok(())
    }
}

fn name(number: u32) -> String {
    match number {
        0 => LOG_FILE.to_owned(),
        _ => format!("exchange.{number}.log"),
    }
}

fn open_log(home: &Home) -> Result<AppendFile, DiskError> {
    AppendFile::open(home, LOG_FILE).map_err(DiskError::when("open", &home.path_of(LOG_FILE)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn read(directory: &Path, name: &str) -> String {
        fs::read_to_string(directory.join(name)).unwrap()
    }

    fn logged(options: ExchangeOptions, bodies: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let mut log = ExchangeLog::open(&Home::claim(directory.path()).unwrap(), options).unwrap();
        for body in bodies {
            log.response(body.as_bytes()).unwrap();
        }
        directory
    }

    #[test]
    fn an_exchange_looks_as_people_know_it() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = ExchangeLog::open(&Home::claim(directory.path()).unwrap(), ExchangeOptions::default()).unwrap();
        log.request(br#"{"url":"data:image/png;base64,[b64 sha=a1b2c3d4e5f6 len=8]"}"#)
            .unwrap();
        drop(log);
        let mut log = ExchangeLog::open(&Home::claim(directory.path()).unwrap(), ExchangeOptions::default()).unwrap();
        log.response(b"<html>no JSON</html>").unwrap();
        let rule = "=".repeat(80);
        let expected = format!(
            "{rule}\nREQUEST TO MODEL:\n{rule}\n{{\n  \"url\": \"data:image/png;base64,[b64 sha=a1b2c3d4e5f6 len=8]\"\n}}\n\n\
             {rule}\nRESPONSE FROM MODEL:\n{rule}\n<html>no JSON</html>\n\n"
        );
        assert_eq!(read(directory.path(), LOG_FILE), expected);
    }

    #[test]
    fn hostile_tokens_and_bytes_stay() {
        let bodies: [&[u8]; 3] = [br#""\ud800\/\u0000""#, b"\xff\xfe{", b""];
        let directory = tempfile::tempdir().unwrap();
        let mut log = ExchangeLog::open(&Home::claim(directory.path()).unwrap(), ExchangeOptions::default()).unwrap();
        for body in bodies {
            log.response(body).unwrap();
        }
        let log = fs::read(directory.path().join(LOG_FILE)).unwrap();
        let head = format!("{RULE}\nRESPONSE FROM MODEL:\n{RULE}\n").into_bytes();
        let expected: Vec<u8> = bodies
            .iter()
            .flat_map(|body| [&head, *body, b"\n\n"].concat())
            .collect();
        assert_eq!(log, expected);
    }

    #[test]
    fn the_key_never_appears() {
        let options = ExchangeOptions {
            secret: Secret::new(["sk-0123456789"]),
            ..ExchangeOptions::default()
        };
        let bodies = [
            r#"{"echo":"sk-0123456789, sk-0123456789!","other":"sk-012345678","escaped":"\u0073k-0123456789"}"#,
            "plain sk-0123456789 and c2stMDEyMzQ1Njc4OQ==",
        ];
        let directory = logged(options, &bodies);
        let log = read(directory.path(), LOG_FILE);
        assert!(!log.contains("k-0123456789") && !log.contains("c2stMDEy"), "{log}");
        assert!(
            log.contains(r#""[the API key, 13 bytes], [the API key, 13 bytes]!""#) && log.contains(r#""sk-012345678""#),
            "{log}"
        );
    }

    #[test]
    fn old_logs_are_rotated_and_dropped() {
        let bodies: Vec<String> = (0..9).map(|number| format!("\"body {number}\"")).collect();
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        let two = entry("RESPONSE FROM MODEL:", bodies[0].as_bytes(), &Secret::default()).len() as u64 * 2;
        let directory = logged(
            ExchangeOptions {
                max_bytes: two,
                files: 3,
                secret: Secret::default(),
            },
            &bodies,
        );

        let numbers = |name: &str| -> String {
            read(directory.path(), name)
                .chars()
                .filter(char::is_ascii_digit)
                .collect()
        };
        assert_eq!(numbers("exchange.log"), "8");
        assert_eq!(numbers("exchange.1.log"), "67");
        assert_eq!(numbers("exchange.2.log"), "45");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }

    #[test]
    fn one_log_is_begun_anew_and_takes_an_entry_of_any_size() {
        let directory = logged(
            ExchangeOptions {
                max_bytes: 1,
                files: 1,
                secret: Secret::default(),
            },
            &["1", "2"],
        );
        assert!(read(directory.path(), LOG_FILE).contains("\n2\n"));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn switched_off_it_writes_nothing() {
        let mut log = ExchangeLog::off();
        log.request(b"{}").unwrap();
        log.response(b"{}").unwrap();
    }
}
