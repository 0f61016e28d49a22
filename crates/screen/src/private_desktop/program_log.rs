//! What the programs on a private desktop print as errors.

use std::fs::File;
use std::io::Write as _;
#[cfg(all(unix, not(target_os = "macos")))]
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError};
#[cfg(all(unix, not(target_os = "macos")))]
use std::thread::{Builder, JoinHandle};

/// How many bytes a file may grow by before it takes nothing more.
const MOST: u64 = 1_000_000;

/// The most bytes to keep before there is a file.
const MOST_EARLY: usize = 16_000;

/// The most bytes to keep of a program for its last words.
#[cfg(all(unix, not(target_os = "macos")))]
const MOST_OF_ONE: usize = 4000;

/// How many lines and characters of the last words to report.
const LAST_WORDS: (usize, usize) = (3, 300);

/// What programs have printed as errors: the last of it, or all of it in a file once there is one. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ProgramLog(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    file: Option<File>,
    /// The size in bytes from which on the file takes nothing more.
    most: u64,
    early: Vec<u8>,
}

impl ProgramLog {
    /// Appends what programs have printed so far to this file, and everything that they print from now on.
    pub fn keep_in(&self, file: File) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A run that continues keeps what it has, and has room for more.
        kept.most = file.metadata().map_or(0, |about| about.len()).saturating_add(MOST);
        kept.file = Some(file);
        let early = std::mem::take(&mut kept.early);
        kept.push(&early);
    }

    /// Returns the last lines that programs printed before there was a file, as one line.
    pub fn last_words(&self) -> String {
        last_words(&self.0.lock().unwrap_or_else(PoisonError::into_inner).early)
    }

    /// Reads what a program prints, on a thread that ends with the program and returns its last bytes.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub(super) fn hear(&self, mut said: impl Read + Send + 'static) -> io::Result<JoinHandle<Vec<u8>>> {
        let log = self.clone();
        Builder::new().name("programs".to_owned()).spawn(move || {
            let mut piece = [0; 4096];
            let mut last = Vec::new();
            loop {
                match said.read(&mut piece) {
                    Ok(0) => return last,
                    Ok(count) => {
                        let piece = piece.get(..count).unwrap_or_default();
                        log.push(piece);
                        push_last(&mut last, piece, MOST_OF_ONE);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return last,
                }
            }
        })
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    fn push(&self, piece: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(piece);
    }
}

impl Kept {
    fn push(&mut self, piece: &[u8]) {
        let Some(file) = &mut self.file else {
            push_last(&mut self.early, piece, MOST_EARLY);
            return;
        };
        // Another process of the run may append to the same file. What cannot be written is lost: a program must not
        // have to wait for it.
        let has_room = file.metadata().is_ok_and(|about| about.len() < self.most);
        if has_room && !piece.is_empty() {
            let _ = file.write_all(piece);
        }
    }
}

/// Returns the last lines of what was printed, as one line.
pub(super) fn last_words(printed: &[u8]) -> String {
    let text = String::from_utf8_lossy(printed);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (most_lines, most) = LAST_WORDS;
    let last = lines.iter().skip(lines.len().saturating_sub(most_lines)).copied();
    let words = last.collect::<Vec<_>>().join("; ");
    words.chars().take(most).collect()
}

/// Appends to bytes of which only the last are kept.
fn push_last(kept: &mut Vec<u8>, piece: &[u8], most: usize) {
    kept.extend_from_slice(piece);
    let more = kept.len().saturating_sub(most);
    kept.drain(..more);
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    fn heard(log: &ProgramLog, said: Vec<u8>) {
        log.hear(io::Cursor::new(said)).unwrap().join().unwrap();
    }

    #[test]
    fn the_last_lines_are_known_until_a_file_has_everything() {
        let log = ProgramLog::default();
        heard(&log, b"one\n\n two\nthree\nfour\n".to_vec());
        assert_eq!(log.last_words(), "two; three; four");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        log.keep_in(File::options().append(true).create(true).open(&path).unwrap());
        heard(&log, b"five\n".to_vec());
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n\n two\nthree\nfour\nfive\n");
        assert_eq!(log.last_words(), "");
    }

    #[test]
    fn neither_memory_nor_the_file_grows_without_end() {
        let log = ProgramLog::default();
        heard(&log, vec![b'x'; 3 * MOST_EARLY]);
        assert_eq!(log.0.lock().unwrap().early.len(), MOST_EARLY);
        assert_eq!(log.last_words().len(), LAST_WORDS.1);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        log.keep_in(File::options().append(true).create(true).open(&path).unwrap());
        heard(&log, vec![b'x'; 2_000_000]);
        let length = std::fs::metadata(&path).unwrap().len();
        assert!((MOST..MOST + 4096).contains(&length), "{length}");
    }

    #[test]
    fn a_full_file_has_room_again_once_it_is_opened_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (said, length) in [(vec![b'x'; 2_000_000], MOST), (b"again\n".to_vec(), MOST + 6)] {
            let log = ProgramLog::default();
            log.keep_in(File::options().append(true).create(true).open(&path).unwrap());
            heard(&log, said);
            let kept = std::fs::metadata(&path).unwrap().len();
            assert!((length..length + 4096).contains(&kept), "{kept}");
        }
        assert!(std::fs::read(&path).unwrap().ends_with(b"again\n"));
    }
}
