//! A folder as one file: a zip archive, which any system can open.
//!
//! An archive may come from another machine. Unpacking it writes only plain files and folders, only below the folder
//! given, and no more than a home and a record may hold.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use zip::result::{ZipError, ZipResult};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::folder::{self, FolderError};

/// The most files and bytes in an archive: those of a record and a home.
const MOST_FILES: usize = 200_000;
const MOST_BYTES: u64 = 4 << 30;

/// How deep folders may be nested.
const DEEPEST: usize = 80;

/// The ends of the names of files that compression does not make smaller.
const COMPRESSED: [&str; 7] = ["png", "jpg", "jpeg", "gz", "zip", "xz", "zst"];

/// The bits of a mode that say what kind of file it is, and those of plain files and folders.
const KIND: u32 = 0o170_000;
const PLAIN: [u32; 3] = [0, 0o100_000, 0o040_000];

/// Why an archive cannot be made or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// It cannot be written.
    #[error("{} cannot be written: {source}", archive.display())]
    Unwritten {
        /// The archive.
        archive: PathBuf,
        /// The error that the system returned.
        source: ZipError,
    },
    /// The file is not a zip archive, or it is damaged.
    #[error("{} is not a complete zip archive: {source}", archive.display())]
    Damaged {
        /// The archive.
        archive: PathBuf,
        /// What is wrong with it.
        source: ZipError,
    },
    /// An entry would be written elsewhere, or is neither a file nor a folder.
    #[error("{} is not unpacked, because its entry {name:?} {why}; FRANZ never writes such an archive, so check where it came from", archive.display())]
    Unsafe {
        /// The archive.
        archive: PathBuf,
        /// The entry.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It holds too much.
    #[error("{} holds more than {MOST_FILES} files, {} GB or {DEEPEST} nested folders", path.display(), MOST_BYTES >> 30)]
    TooLarge {
        /// The archive, or the folder.
        path: PathBuf,
    },
}

/// Writes all files and folders below `folder` to a new archive, on the disk when this returns. Times are left out, so
/// the same files give the same archive.
pub fn pack(folder: &Path, archive: &Path) -> Result<(), ArchiveError> {
    let mut buffer = pack_into(folder, &[], BufWriter::new(create(archive)?), archive)?;
    let flushed = buffer.flush().and_then(|()| buffer.get_ref().sync_all());
    Ok(flushed.map_err(FolderError::at(archive))?)
}

/// Checks that a folder can be packed: not everything that programs leave can.
pub fn check(folder: &Path) -> Result<(), ArchiveError> {
    collect(folder, "", 0, &mut Vec::new())
}

/// Writes an archive to `to`, without the files whose paths below `folder` are in `without`. `archive` names it in
/// errors.
pub(crate) fn pack_into<W: Write + Seek>(
    folder: &Path,
    without: &[PathBuf],
    to: W,
    archive: &Path,
) -> Result<W, ArchiveError> {
    let mut entries = Vec::new();
    collect(folder, "", 0, &mut entries)?;
    entries.retain(|name| !without.iter().any(|other| other == Path::new(name)));
    entries.sort();
    let failed = |source| ArchiveError::Unwritten {
        archive: archive.to_owned(),
        source,
    };
    let mut writer = ZipWriter::new(GivenUp::new(to));
    for name in &entries {
        add(&mut writer, folder, name).map_err(failed)?;
    }
    Ok(writer.finish().map_err(failed)?.inner)
}

/// Adds a file, or a folder if the name ends with a slash.
#[expect(clippy::disallowed_methods, reason = "files of attempts belong to no run")]
fn add<W: Write + Seek>(writer: &mut ZipWriter<W>, folder: &Path, name: &str) -> ZipResult<()> {
    let path = folder.join(name);
    if name.ends_with('/') {
        return writer.add_directory(name, SimpleFileOptions::default());
    }
    let mut file = File::open(&path)?;
    let is_compressed = path.extension().is_some_and(|end| {
        COMPRESSED
            .iter()
            .any(|known| end.to_str().is_some_and(|end| end.eq_ignore_ascii_case(known)))
    });
    let options = SimpleFileOptions::default()
        .compression_method(if is_compressed {
            CompressionMethod::Stored
        } else {
            CompressionMethod::Deflated
        })
        .unix_permissions(permissions(&file.metadata()?));
    writer.start_file(name, options)?;
    io::copy(&mut file, writer)?;
    Ok(())
}

/// Unpacks an archive into `to`, which is created. Nothing there is replaced.
pub fn unpack(archive: &Path, to: &Path) -> Result<(), ArchiveError> {
    unpack_from(BufReader::new(open(archive)?), archive, to)
}

/// Unpacks the copy of an archive, which errors name instead of its copy.
pub(crate) fn unpack_copy(copy: &Path, archive: &Path, to: &Path) -> Result<(), ArchiveError> {
    unpack_from(BufReader::new(open(copy)?), archive, to)
}

/// Unpacks an archive that is read from `from`; `archive` names it in errors.
pub(crate) fn unpack_from(from: impl Read + Seek, archive: &Path, to: &Path) -> Result<(), ArchiveError> {
    unpack_at_most(MOST_BYTES, from, archive, to)
}

fn unpack_at_most(mut left: u64, from: impl Read + Seek, archive: &Path, to: &Path) -> Result<(), ArchiveError> {
    let damaged = |source: ZipError| ArchiveError::Damaged {
        archive: archive.to_owned(),
        source,
    };
    let mut zip = ZipArchive::new(from).map_err(damaged)?;
    let too_large = || ArchiveError::TooLarge {
        path: archive.to_owned(),
    };
    if zip.len() > MOST_FILES {
        return Err(too_large());
    }
    folder::make(to)?;
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        let mode = entry.unix_mode().unwrap_or_default();
        if let Some(why) = objection(&name, mode) {
            let archive = archive.to_owned();
            return Err(ArchiveError::Unsafe { archive, name, why });
        }
        let path = to.join(&name);
        if name.ends_with('/') {
            folder::make(&path)?;
            continue;
        }
        if let Some(parent) = path.parent() {
            folder::make(parent)?;
        }
        let mut file = create(&path)?;
        let mut source = EntryReader {
            inner: entry.take(left + 1),
            has_failed: false,
        };
        let written = io::copy(&mut source, &mut file);
        // Damage shows up only while reading; a write error means something else, such as a full disk.
        let written = written.map_err(|error| {
            if source.has_failed {
                damaged(error.into())
            } else {
                FolderError::at(&path)(error).into()
            }
        })?;
        left = left.checked_sub(written).ok_or_else(too_large)?;
        allow(&file, mode).map_err(FolderError::at(&path))?;
    }
    Ok(())
}

/// A reader that knows whether an error is its own.
struct EntryReader<R> {
    inner: R,
    has_failed: bool,
}

impl<R: Read> Read for EntryReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        self.has_failed |= read.as_ref().is_err_and(|error| error.kind() != ErrorKind::Interrupted);
        read
    }
}

/// After its first failure, this writer discards everything. `ZipWriter` writes the end of the archive even when it is
/// abandoned, and would print a second error.
struct GivenUp<W> {
    inner: W,
    has_failed: bool,
    /// Where it writes, and where the file would end.
    at: u64,
    end: u64,
}

impl<W> GivenUp<W> {
    fn new(inner: W) -> GivenUp<W> {
        GivenUp {
            inner,
            has_failed: false,
            at: 0,
            end: 0,
        }
    }

    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.has_failed |= done.as_ref().is_err_and(|error| error.kind() != ErrorKind::Interrupted);
        done
    }
}

impl<W: Write> Write for GivenUp<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.has_failed {
            bytes.len()
        } else {
            let written = self.inner.write(bytes);
            self.note(written)?
        };
        self.at += written as u64;
        self.end = self.end.max(self.at);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        let flushed = self.inner.flush();
        self.note(flushed)
    }
}

impl<W: Seek> Seek for GivenUp<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = if self.has_failed {
            match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.at.saturating_add_signed(by),
                SeekFrom::End(by) => self.end.saturating_add_signed(by),
            }
        } else {
            let sought = self.inner.seek(to);
            self.note(sought)?
        };
        Ok(self.at)
    }
}

/// Returns why an entry must not be unpacked; `None` if it may.
fn objection(name: &str, mode: u32) -> Option<&'static str> {
    let inner = name.strip_suffix('/').unwrap_or(name);
    if !PLAIN.contains(&(mode & KIND)) {
        return Some("is neither a file nor a folder");
    }
    let leaves = !folder::is_inside(inner) || inner.split('/').any(str::is_empty);
    // Only Windows takes these for a drive, a stream or a folder.
    let is_foreign = cfg!(windows) && inner.contains([':', '\\']);
    if leaves || is_foreign || inner.contains('\0') {
        return Some("leads out of the folder");
    }
    (inner.split('/').count() > DEEPEST).then_some("is nested too deep")
}

/// Collects the paths of all files and folders below a folder. Those of folders end with a slash.
fn collect(folder: &Path, below: &str, depth: usize, found: &mut Vec<String>) -> Result<(), ArchiveError> {
    let here = folder.join(below);
    for entry in fs::read_dir(&here).map_err(FolderError::at(&here))? {
        let entry = entry.map_err(FolderError::at(&here))?;
        let name = entry.file_name();
        let no_text = || FolderError::at(&entry.path())(io::Error::other("its name is not valid UTF-8"));
        let path = format!("{below}{}", name.to_str().ok_or_else(no_text)?);
        let kind = entry.file_type().map_err(FolderError::at(&entry.path()))?;
        if kind.is_dir() {
            let path = format!("{path}/");
            found.push(path.clone());
            if depth + 1 < DEEPEST {
                collect(folder, &path, depth + 1, found)?;
            } else {
                return Err(ArchiveError::TooLarge { path: here });
            }
        } else if kind.is_file() {
            found.push(path);
        } else {
            return Err(FolderError::NoFile { path: entry.path() }.into());
        }
        if found.len() > MOST_FILES {
            return Err(ArchiveError::TooLarge {
                path: folder.to_owned(),
            });
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "archives belong to no run")]
fn open(path: &Path) -> Result<File, FolderError> {
    File::open(path).map_err(FolderError::at(path))
}

/// Creates a file, which must not exist.
#[expect(clippy::disallowed_methods, reason = "archives and what they hold belong to no run")]
fn create(path: &Path) -> Result<File, FolderError> {
    File::create_new(path).map_err(FolderError::at(path))
}

#[cfg(unix)]
fn permissions(status: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&status.permissions()) & 0o777
}

/// Windows has no such permissions.
#[cfg(not(unix))]
fn permissions(_: &fs::Metadata) -> u32 {
    0o644
}

/// Gives a file the permissions that it had. Its owner can always read it, and remove it later.
#[cfg(unix)]
fn allow(file: &File, mode: u32) -> io::Result<()> {
    let mode = match mode & 0o777 {
        // The archive does not say.
        0 => 0o644,
        told => told | 0o600,
    };
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn allow(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
