//! Tests directories in which somebody has planted entries: FRANZ must either refuse the directory or write only inside
//! it.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::path::Path;

use franz_home::{Home, names};
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// An entry that can be planted under a name.
#[derive(Debug, Clone, Copy)]
enum Planted {
    File,
    LinkToFile,
    LinkToDirectory,
    LinkToNothing,
    HardLink,
    Pipe,
    Directory,
    LinkInDirectory,
}

/// The index of a name, the entry planted there, its permissions, and whether another user owns it.
type Entry = (usize, Planted, u32, bool);

const ALL: [Planted; 8] = [
    Planted::File,
    Planted::LinkToFile,
    Planted::LinkToDirectory,
    Planted::LinkToNothing,
    Planted::HardLink,
    Planted::Pipe,
    Planted::Directory,
    Planted::LinkInDirectory,
];

/// Returns a name by its index: first every name that a run writes, then one that no run writes, then an
/// unfinished version of each.
fn name(index: usize) -> String {
    let known = names::ALL.map(names::Pattern::example);
    match index.checked_sub(known.len()) {
        None => known[index].clone(),
        Some(0) => "notes".to_owned(),
        Some(next) => format!("{}.tmp", known[next - 1]),
    }
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let mode = prop::sample::select(vec![0o600, 0o644, 0o664, 0o700, 0o755, 0o666, 0o444]);
    let planted = prop::sample::select(ALL.to_vec());
    let entry = (0..=2 * names::ALL.len(), planted, mode, prop::bool::weighted(0.05));
    prop::collection::vec(entry, 0..5)
}

fn plant(path: &Path, outside: &Path, planted: Planted, mode: u32) -> std::io::Result<()> {
    let victim = outside.join("victim");
    // Do not write through an entry that was planted earlier.
    if fs::symlink_metadata(path).is_ok() {
        return Err(std::io::ErrorKind::AlreadyExists.into());
    }
    match planted {
        Planted::File => fs::write(path, "planted")?,
        Planted::LinkToFile => symlink(&victim, path)?,
        Planted::LinkToDirectory => symlink(outside, path)?,
        Planted::LinkToNothing => symlink(outside.join("new"), path)?,
        Planted::HardLink => fs::hard_link(&victim, path)?,
        Planted::Pipe => mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0)?,
        Planted::Directory => fs::create_dir(path)?,
        Planted::LinkInDirectory => {
            fs::create_dir(path)?;
            symlink(&victim, path.join("state.json"))?;
        }
    }
    // A link and a hard link have the permissions of the victim.
    match planted {
        Planted::File | Planted::Pipe | Planted::Directory => fs::set_permissions(path, Permissions::from_mode(mode)),
        _ => Ok(()),
    }
}

/// Returns the state of everything in a tree, without following links.
fn told(tree: &Path) -> BTreeMap<String, (u32, u64, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(tree).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let bytes = if metadata.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let facts = (
            metadata.mode(),
            metadata.len(),
            metadata.mtime(),
            metadata.mtime_nsec(),
            bytes,
        );
        all.insert(path.display().to_string(), facts);
        if metadata.is_dir() {
            all.extend(told(&path));
        }
    }
    all
}

/// Calls every function that writes to a name, and ignores errors.
fn write_all(home: &Home, name: &str) {
    for opened in [home.append(name), home.edit(name), home.hold(name)] {
        let _ = opened.and_then(|mut file| file.write_all(b"written").and_then(|()| file.set_len(3)));
    }
    let _ = home.link(name, "another");
    let _ = home.replace(name, b"replaced", false);
    let _ = home.rename(name, "renamed");
    let _ = home.open_directory(name).map(|inner| write_all(&inner, "state.json"));
    let _ = home.remove("another");
    let _ = home.replace(name, b"again", false);
    let _ = home.remove(name);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_claimed_directory_is_written_and_nothing_else(
        before in entries(),
        after in entries(),
        above in prop::sample::select(vec![0o755, 0o700, 0o777, 0o1777]),
    ) {
        let place = tempfile::tempdir().unwrap();
        let (outside, parent) = (place.path().join("outside"), place.path().join("parent"));
        fs::create_dir_all(outside.join("deep")).unwrap();
        for file in ["victim", "deep/state.json", "state.json", "renamed"] {
            fs::write(outside.join(file), "not yours").unwrap();
        }
        let run = parent.join("run");
        drop(Home::create(&run).unwrap());
        fs::set_permissions(&parent, Permissions::from_mode(above)).unwrap();
        let witness = told(&outside);

        let mut given_away = false;
        for &(index, planted, mode, foreign) in &before {
            let path = run.join(name(index));
            let stands = plant(&path, &outside, planted, mode).is_ok();
            let own = !matches!(planted, Planted::HardLink);
            given_away |= stands && foreign && own && lchown(&path, Some(65534), None).is_ok();
        }
        let claimed = Home::claim(&run);
        prop_assert_eq!(&told(&outside), &witness, "claiming changes nothing outside");
        prop_assert!(!(given_away && claimed.is_ok()), "another user's entry was taken");
        prop_assert!(!(above == 0o777 && claimed.is_ok()), "anybody can rename the directory");
        if let Ok(home) = claimed {
            // During the run, only this user could plant these entries.
            for &(index, planted, mode, _) in &after {
                let _ = plant(&run.join(name(index)), &outside, planted, mode);
            }
            for index in 0..=2 * names::ALL.len() {
                write_all(&home, &name(index));
            }
            let _ = home.remove_unfinished();
        }
        prop_assert_eq!(&told(&outside), &witness);
    }
}
