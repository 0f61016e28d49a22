use super::*;

/// Writes an archive with these entries: names, modes and texts.
fn archive(folder: &Path, entries: &[(&str, u32, &str)]) -> PathBuf {
    let path = folder.join("made.zip");
    let mut writer = ZipWriter::new(File::create(&path).unwrap());
    for (name, mode, text) in entries {
        if mode & KIND == 0o120_000 {
            writer.add_symlink(*name, *text, SimpleFileOptions::default()).unwrap();
            continue;
        }
        let options = SimpleFileOptions::default().unix_permissions(*mode);
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn what_is_packed_comes_back_with_empty_folders_and_permissions() {
    let place = tempfile::tempdir().unwrap();
    let from = place.path().join("from");
    fs::create_dir_all(from.join("home/empty")).unwrap();
    fs::write(from.join("home/größe.txt"), "text".repeat(1000)).unwrap();
    fs::write(from.join("picture.png"), [0, 1, 2, 255]).unwrap();
    #[cfg(unix)]
    {
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o750);
        fs::set_permissions(from.join("home/größe.txt"), executable).unwrap();
    }
    let (one, two) = (place.path().join("one.zip"), place.path().join("two.zip"));
    pack(&from, &one).unwrap();
    pack(&from, &two).unwrap();
    assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap());
    let to = place.path().join("to");
    unpack(&one, &to).unwrap();
    assert!(to.join("home/empty").is_dir());
    assert_eq!(folder::digest(&to, &[]).unwrap(), folder::digest(&from, &[]).unwrap());
    let nested = "d/".repeat(64);
    fs::create_dir_all(from.join(&nested)).unwrap();
    fs::write(from.join(&nested).join("f"), "deep").unwrap();
    let deep = place.path().join("deep.zip");
    pack(&from, &deep).unwrap();
    unpack(&deep, &place.path().join("deep")).unwrap();
    assert!(place.path().join("deep").join(nested).join("f").exists());
    let error = unpack(&one, &to).unwrap_err().to_string();
    assert!(error.contains("exists"), "nothing is replaced: {error}");
    assert!(
        pack(&from, &one).unwrap_err().to_string().contains("exists"),
        "nothing is replaced"
    );
}

#[test]
fn archives_that_would_write_elsewhere_are_refused() {
    let outside = "leads out of the folder";
    for (name, mode, why) in [
        ("../evil", 0o100_644, outside),
        ("a/../../evil", 0o100_644, outside),
        ("/tmp/evil", 0o100_644, outside),
        ("a//evil", 0o100_644, outside),
        ("./evil", 0o100_644, outside),
        ("link", 0o120_777, "is neither a file nor a folder"),
    ] {
        let place = tempfile::tempdir().unwrap();
        let made = archive(place.path(), &[(name, mode, "/etc/passwd")]);
        let error = unpack(&made, &place.path().join("in/to")).unwrap_err().to_string();
        assert!(error.contains(why), "{name}: {error}");
        let names: Vec<_> = fs::read_dir(place.path()).unwrap().flatten().collect();
        assert_eq!(names.len(), 2, "{name}: only the archive and the folder are there");
        assert_eq!(fs::read_dir(place.path().join("in/to")).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn an_entry_below_a_file_or_twice_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let made = archive(place.path(), &[("a", 0o644, "1"), ("a/b", 0o644, "2")]);
    unpack(&made, &place.path().join("one")).unwrap_err();
    assert_eq!(fs::read_to_string(place.path().join("one/a")).unwrap(), "1");
}

#[test]
fn a_damaged_or_huge_archive_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let made = archive(place.path(), &[("a", 0o644, &"text".repeat(5000))]);
    let whole = fs::read(&made).unwrap();
    for damaged in [&whole[..whole.len() - 30], &whole[..10], b"not a zip"] {
        fs::write(&made, damaged).unwrap();
        let error = unpack(&made, &place.path().join("to")).unwrap_err().to_string();
        assert!(error.contains("is not a complete zip archive"), "{error}");
    }
    let mut flipped = whole.clone();
    flipped[60] ^= 0xff;
    fs::write(&made, flipped).unwrap();
    let error = unpack(&made, &place.path().join("flipped")).unwrap_err().to_string();
    assert!(error.contains("is not a complete zip archive"), "{error}");

    // However small an archive is, what counts is what it writes.
    fs::write(&made, whole).unwrap();
    let error = unpack_at_most(19_999, open(&made).unwrap(), &made, &place.path().join("large")).unwrap_err();
    assert!(matches!(error, ArchiveError::TooLarge { .. }), "{error}");
    assert_eq!(fs::metadata(place.path().join("large/a")).unwrap().len(), 20_000);
    unpack_at_most(20_000, open(&made).unwrap(), &made, &place.path().join("fits")).unwrap();

    let mut nested = "d/".repeat(DEEPEST);
    nested.push('f');
    let made = archive(place.path(), &[(&nested, 0o644, "")]);
    let error = unpack(&made, &place.path().join("nested")).unwrap_err().to_string();
    assert!(error.contains("is nested too deep"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_and_names_that_are_no_text_are_not_packed() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = tempfile::tempdir().unwrap();
    let from = place.path().join("from");
    fs::create_dir(&from).unwrap();
    let link = from.join("link");
    std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
    let error = pack(&from, &place.path().join("a.zip")).unwrap_err().to_string();
    assert!(error.contains("is neither a file nor a folder"), "{error}");
    fs::remove_file(link).unwrap();
    fs::write(from.join(std::ffi::OsStr::from_bytes(b"\xff")), "").unwrap();
    let error = pack(&from, &place.path().join("b.zip")).unwrap_err().to_string();
    assert!(error.contains("is not valid UTF-8"), "{error}");
}

/// A disk with room for so many bytes.
struct Disk {
    inner: std::io::Cursor<Vec<u8>>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.inner.get_ref().len() + bytes.len() > self.room {
            return Err(ErrorKind::StorageFull.into());
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn a_full_disk_is_told_as_such_and_may_pass() {
    let place = tempfile::tempdir().unwrap();
    let from = place.path().join("from");
    fs::create_dir(&from).unwrap();
    fs::write(from.join("a.png"), [7; 5000]).unwrap();
    for room in [0, 100, 4000, 5060] {
        let disk = Disk {
            inner: std::io::Cursor::default(),
            room,
        };
        let Err(error) = pack_into(&from, &[], disk, Path::new("kept.zip")) else {
            panic!("{room}: it is written")
        };
        assert!(error.to_string().starts_with("kept.zip cannot be written: "), "{error}");
        assert!(crate::StoreError::from(error).may_pass(), "{room}");
    }
}

/// Whatever a failed archive writes at its end is taken, because its error would be printed.
#[test]
fn an_archive_that_is_given_up_fails_once() {
    let mut writer = GivenUp::new(Disk {
        inner: std::io::Cursor::default(),
        room: 10,
    });
    writer.write_all(b"12345").unwrap();
    writer.write_all(b"1234567").unwrap_err();
    writer.write_all(b"1234567").unwrap();
    assert_eq!(writer.seek(SeekFrom::Current(-2)).unwrap(), 10);
    assert_eq!(writer.seek(SeekFrom::End(0)).unwrap(), 12);
    assert_eq!(writer.inner.inner.get_ref(), b"12345");
}
