//! Settings files: their bytes, their text, and the hashes that identify them.

use std::io;
use std::path::{Path, PathBuf};

use franz_home::{View, file};
use franz_record::digest::sha256_hex;
use franz_record::resume::CONFIG_FILE;

use super::ConfigError;
use super::layer::{Layer, LayerError};
use super::origin::{FileKind, Origin};

/// The maximum size of a file in bytes. The longest text in a settings file is a prompt of a few kilobytes.
const MOST_BYTES: u64 = 8 << 20;

/// A settings file. It is read only once, so that FRANZ applies exactly the file that was trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRead {
    pub(crate) path: PathBuf,
    /// The SHA-256 of its bytes.
    pub(crate) digest: String,
}

/// The keys without which a resumed run would become a different run, because the defaults would replace its profile.
/// They are spread over all tables of a `config.toml`, from the first to the last, so that any truncated file lacks at
/// least one.
const WHAT_A_RUN_IS: [&str; 6] = [
    "model.upstream",
    "protocol.kind",
    "memory.kind",
    "screen.kind",
    "prompt.system",
    "record.dir",
];

/// Reads a settings file and identifies it by its hash; `None` if there is no file.
pub(crate) fn read(path: &Path, kind: FileKind) -> Result<Option<(Layer, FileRead)>, LayerError> {
    bytes(path)?.map(|bytes| parsed(bytes, path, kind)).transpose()
}

/// Reads the usable part of a settings file, identifies the file by its hash and returns every mistake; `None` if there
/// is no file.
pub(crate) fn read_leniently(
    path: &Path,
    kind: FileKind,
) -> Result<Option<(Layer, FileRead, Vec<LayerError>)>, LayerError> {
    let Some(bytes) = bytes(path)? else {
        return Ok(None);
    };
    let file = identified(path, &bytes);
    let (layer, mistakes) = Layer::parse_leniently(&decoded(path, bytes)?, &Origin::file(kind, path))?;
    Ok(Some((layer, file, mistakes)))
}

/// Reads a run's `config.toml` and identifies it by its hash.
pub(crate) fn read_run(run: &View) -> Result<(Layer, FileRead), ConfigError> {
    let path = run.path_of(CONFIG_FILE);
    let shown = || path.display().to_string();
    let bytes = found(run.read(CONFIG_FILE, MOST_BYTES), &path)?;
    let bytes = bytes.ok_or_else(|| ConfigError::NoSettings(shown()))?;
    let (layer, file) = parsed(bytes, &path, FileKind::Run)?;
    match WHAT_A_RUN_IS.iter().find(|key| layer.get(key).is_none()) {
        Some(key) => Err(ConfigError::Incomplete { path: shown(), key }),
        None => Ok((layer, file)),
    }
}

fn parsed(bytes: Vec<u8>, path: &Path, kind: FileKind) -> Result<(Layer, FileRead), LayerError> {
    let file = identified(path, &bytes);
    let text = decoded(path, bytes)?;
    Ok((Layer::parse(&text, &Origin::file(kind, path))?, file))
}

fn identified(path: &Path, bytes: &[u8]) -> FileRead {
    FileRead {
        path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        digest: sha256_hex(bytes),
    }
}

/// Returns the SHA-256 of a settings file, if it can be read.
pub(crate) fn digest(path: &Path) -> Option<String> {
    bytes(path).ok().flatten().map(|bytes| sha256_hex(&bytes))
}

/// Returns the bytes of a settings file; `None` if there is no file.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, LayerError> {
    found(file::read(path, MOST_BYTES), path)
}

fn found(read: io::Result<Vec<u8>>, path: &Path) -> Result<Option<Vec<u8>>, LayerError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Decodes a settings file's bytes into text.
pub(crate) fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String, LayerError> {
    decode(bytes).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> LayerError {
    LayerError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

/// Returns the text of a run's `config.toml`.
pub(crate) fn text_of_run(run: &View) -> io::Result<String> {
    decode(run.read(CONFIG_FILE, MOST_BYTES)?)
}

/// Parses the text of a run's `config.toml`.
pub(crate) fn layer_of_run(run: &View, text: &str) -> Result<Layer, LayerError> {
    Layer::parse(text, &Origin::file(FileKind::Run, run.path_of(CONFIG_FILE)))
}

/// Decodes a file that a person wrote: UTF-8, or the UTF-16 of Windows PowerShell.
pub(crate) fn decode(bytes: Vec<u8>) -> io::Result<String> {
    // Windows PowerShell writes such files when `>` redirects output.
    let text = match &bytes[..] {
        [0xff, 0xfe, units @ ..] => utf16(units),
        _ => String::from_utf8(bytes).ok(),
    };
    text.ok_or_else(|| io::Error::other("it is not valid UTF-8; save it as UTF-8"))
}

/// Decodes little-endian UTF-16.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}
