//! Reproducible archives. The same files always give the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use anyhow::Result;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

/// The contents of files by their paths in the archive.
pub(super) type Files = BTreeMap<String, Content>;

/// A file in an archive.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// Whether the file is executable.
    pub(super) program: bool,
}

/// An archive's format.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    TarGz,
    Zip,
}

/// The first day that a zip can represent, in seconds since 1970.
const DAY: u64 = 315_532_800;

impl Kind {
    /// Returns the file extension of archives of this kind.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Kind::TarGz => "tar.gz",
            Kind::Zip => "zip",
        }
    }
}

impl Content {
    fn mode(&self) -> u32 {
        if self.program { 0o755 } else { 0o644 }
    }
}

/// Packs files into a directory with this name.
pub(super) fn pack(kind: Kind, folder: &str, files: &Files) -> Result<Vec<u8>> {
    match kind {
        Kind::TarGz => tar_gz(folder, files),
        Kind::Zip => zip(folder, files),
    }
}

/// Unpacks everything into a directory.
pub(super) fn unpack(kind: Kind, bytes: &[u8], folder: &Path) -> Result<()> {
    match kind {
        Kind::TarGz => tar::Archive::new(GzDecoder::new(bytes)).unpack(folder)?,
        Kind::Zip => zip::ZipArchive::new(Cursor::new(bytes))?.extract(folder)?,
    }
    Ok(())
}

/// Returns a line in the format that `sha256sum --check` reads.
pub(super) fn sum_line(bytes: &[u8], path: &Path) -> String {
    let mut line = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(line, "{byte:02x}");
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let _ = writeln!(line, "  {name}");
    line
}

fn tar_gz(folder: &str, files: &Files) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.bytes.len() as u64);
        header.set_mode(content.mode());
        header.set_mtime(DAY);
        archive.append_data(&mut header, format!("{folder}/{path}"), content.bytes.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

fn zip(folder: &str, files: &Files) -> Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .compression_method(zip::CompressionMethod::Deflated)
            .unix_permissions(content.mode());
        archive.start_file(format!("{folder}/{path}"), options)?;
        archive.write_all(&content.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_unpack_unchanged() {
        let content = |text: &str, program| Content {
            bytes: text.as_bytes().to_vec(),
            program,
        };
        let files = Files::from([
            ("README.md".to_owned(), content("read me", false)),
            ("man/franz.1".to_owned(), content(".TH franz", false)),
            ("franz".to_owned(), content("#!/bin/sh", true)),
        ]);
        for kind in [Kind::TarGz, Kind::Zip] {
            let place = std::env::temp_dir().join(format!("franz-archive-{}-{kind:?}", std::process::id()));
            let bytes = pack(kind, "franz-1", &files).unwrap();
            assert_eq!(bytes, pack(kind, "franz-1", &files).unwrap(), "{kind:?}");
            unpack(kind, &bytes, &place).unwrap();
            for (path, content) in &files {
                let file = place.join("franz-1").join(path);
                assert_eq!(std::fs::read(&file).unwrap(), content.bytes, "{kind:?} {path}");
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    let mode = file.metadata().unwrap().permissions().mode();
                    assert_eq!(mode & 0o100 != 0, content.program, "{kind:?} {path}");
                }
            }
            std::fs::remove_dir_all(place).unwrap();
        }
    }

    #[test]
    fn sums_match_the_format_of_sha256sum() {
        assert_eq!(
            sum_line(b"", Path::new("dist/empty.zip")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty.zip\n"
        );
    }
}
