//! Tests that faulty directories are refused, with one test for each possible fault.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;

use rustix::process::geteuid;

use super::ClaimError;
use crate::Home;

/// The ID of a user who owns nothing here.
const NOBODY: u32 = 65534;

/// Plants an entry at a path.
type Plant = fn(&Path);

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Creates a parent directory with a run in it that can be claimed.
fn run() -> (tempfile::TempDir, Home) {
    let parent = tempfile::tempdir().unwrap();
    let home = Home::create(&parent.path().join("run")).unwrap();
    (parent, home)
}

fn refused(path: &Path) -> String {
    Home::claim(path).expect_err("it is refused").to_string()
}

/// Makes another user the owner of `path`, or reports that this cannot be tested here.
fn give_away(path: &Path) -> bool {
    let given = std::os::unix::fs::lchown(path, Some(NOBODY), None).is_ok();
    if !given {
        eprintln!("skipped: only root can give {} to another user", path.display());
    }
    given
}

#[test]
fn a_created_directory_and_its_parents_are_private() {
    let parent = tempfile::tempdir().unwrap();
    let home = Home::create(&parent.path().join("a/b/run")).unwrap();
    home.replace("state.json", b"{}", true).unwrap();
    assert_eq!(mode(home.path()), 0o700);
    assert_eq!(mode(&home.path_of("state.json")), 0o600);
    assert_eq!(mode(&parent.path().join("a")) & 0o022, 0);
    assert!(Home::create(home.path()).unwrap_err().already_exists());
    assert_eq!(home.notices(), [""; 0]);
}

#[test]
fn a_link_to_the_directory_is_refused_with_the_real_path() {
    let (parent, home) = run();
    let link = parent.path().join("latest");
    symlink(home.path(), &link).unwrap();
    let told = refused(&link);
    let real = fs::canonicalize(home.path()).unwrap();
    assert!(
        told.ends_with(&format!(
            "is a link; give the path of the directory itself: {}",
            real.display()
        )),
        "{told}"
    );
}

#[test]
fn our_own_link_to_the_parent_directory_is_accepted() {
    let (parent, home) = run();
    let link = parent.path().join("runs");
    symlink(parent.path(), &link).unwrap();
    let through = Home::claim(&link.join("run")).unwrap();
    through.replace("state.json", b"{}", false).unwrap();
    assert_eq!(home.read("state.json", 9).unwrap(), b"{}");
    // Once the directory is claimed, its path no longer matters.
    fs::remove_file(&link).unwrap();
    symlink("/nowhere", &link).unwrap();
    through.replace("state.json", b"{1}", false).unwrap();
    assert_eq!(home.read("state.json", 9).unwrap(), b"{1}");
}

#[test]
fn links_pipes_and_sockets_are_refused_at_any_depth() {
    let make: [(&str, Plant); 3] = [
        ("a link", |path| symlink("state.json", path).unwrap()),
        ("a pipe, a socket or a device", |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }),
        ("a pipe, a socket or a device", |path| {
            std::os::unix::net::UnixListener::bind(path).unwrap();
        }),
    ];
    for (what, make) in make {
        for name in ["state.json", "anything", "agent/turn_0001.png"] {
            let (_parent, home) = run();
            home.create_directory("agent").unwrap();
            make(&home.path_of(name));
            let told = refused(home.path());
            assert!(told.contains(&format!("{name} is {what}")), "{told}");
            assert!(told.contains("move it out of the run: mv "), "{told}");
        }
    }
}

#[test]
fn directories_nested_too_deeply_to_check_are_refused_with_the_fix() {
    let (_parent, home) = run();
    let deep = home.path_of("1/2/3/4/5/6/7/8");
    fs::create_dir_all(&deep).unwrap();
    Home::claim(home.path()).unwrap();
    fs::create_dir(deep.join("9")).unwrap();
    let told = refused(home.path());
    assert!(told.contains("7/8/9 is more than 8 directories deep"), "{told}");
    let (_, command) = told.rsplit_once(": ").unwrap();
    let mended = std::process::Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(mended.success());
    Home::claim(home.path()).unwrap();
}

#[test]
fn a_directory_with_the_name_of_a_file_is_refused() {
    let (_parent, home) = run();
    fs::create_dir(home.path_of("turns_0001_1000.jsonl")).unwrap();
    let told = refused(home.path());
    assert!(told.contains("turns_0001_1000.jsonl is a directory"), "{told}");
}

#[test]
fn only_growing_files_must_have_a_single_name() {
    let (_parent, home) = run();
    for name in ["turn_0001.png", "state.json", "config.toml"] {
        fs::write(home.path_of(name), name).unwrap();
        fs::hard_link(home.path_of(name), home.path_of(&format!("{name}.backup"))).unwrap();
    }
    Home::claim(home.path()).unwrap();
    fs::write(home.path_of("acting.jsonl"), "").unwrap();
    fs::hard_link(home.path_of("acting.jsonl"), home.path_of("other")).unwrap();
    let told = refused(home.path());
    assert!(told.contains("acting.jsonl has a second name"), "{told}");
    let (_, command) = told.rsplit_once(": ").unwrap();
    let mended = std::process::Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(mended.success());
    Home::claim(home.path()).unwrap();
}

#[test]
fn group_write_permission_is_removed_and_reported() {
    let (_parent, home) = run();
    home.replace("state.json", b"{}", false).unwrap();
    set_mode(&home.path_of("state.json"), 0o664);
    set_mode(home.path(), 0o770);
    let claimed = Home::claim(home.path()).unwrap();
    assert_eq!((mode(home.path()), mode(&home.path_of("state.json"))), (0o750, 0o644));
    assert!(
        claimed.notices()[0].contains("could write to 2 files and directories"),
        "{:?}",
        claimed.notices()
    );
    assert_eq!(Home::claim(home.path()).unwrap().notices(), [""; 0]);
}

#[test]
fn a_file_that_others_could_have_written_is_not_read_as_our_own() {
    let (_parent, home) = run();
    home.replace("entry", b"ours", false).unwrap();
    let path = home.path_of("entry");
    let read = || home.read_own("entry", 100).map_err(|error| error.kind());
    assert_eq!(read().unwrap(), b"ours");
    for open in [0o660, 0o606] {
        set_mode(&path, open);
        assert_eq!(read(), Err(std::io::ErrorKind::PermissionDenied), "{open:o}");
    }
    set_mode(&path, 0o600);
    if give_away(&path) {
        assert_eq!(read(), Err(std::io::ErrorKind::PermissionDenied));
    }
    fs::remove_file(&path).unwrap();
    fs::write(home.path_of("other"), "").unwrap();
    symlink(home.path_of("other"), &path).unwrap();
    assert!(read().is_err());
}

#[test]
fn a_hard_link_never_changes_another_files_permissions() {
    let (parent, home) = run();
    let victim = parent.path().join("victim");
    fs::write(&victim, "").unwrap();
    set_mode(&victim, 0o660);
    fs::hard_link(&victim, home.path_of("notes")).unwrap();
    assert!(refused(home.path()).contains("has a second name"));
    assert_eq!(mode(&victim), 0o660);
}

#[test]
fn world_writable_paths_are_refused_with_the_fix() {
    let (parent, home) = run();
    fs::write(home.path_of("state.json"), "").unwrap();
    for path in [
        home.path_of("state.json"),
        home.path().to_owned(),
        parent.path().to_owned(),
    ] {
        let before = mode(&path);
        set_mode(&path, before | 0o002);
        let told = refused(home.path());
        assert!(told.starts_with("everybody can write to "), "{told}");
        let (_, command) = told.rsplit_once(": ").unwrap();
        assert!(command.starts_with("chmod ") && command.contains("go-w"), "{command}");
        let mended = std::process::Command::new("sh").args(["-c", command]).status().unwrap();
        assert!(mended.success());
        Home::claim(home.path()).unwrap();
    }
    // As in /tmp, only the owner can rename an entry.
    set_mode(parent.path(), 0o1777);
    Home::claim(home.path()).unwrap();
}

#[test]
fn a_parent_writable_by_a_group_is_refused_unless_private_to_us() {
    let (parent, home) = run();
    set_mode(parent.path(), 0o770);
    if chown(parent.path(), None, Some(NOBODY)).is_err() {
        eprintln!(
            "skipped: only root can give {} to another group",
            parent.path().display()
        );
        return;
    }
    let told = refused(home.path());
    assert!(told.starts_with("group 65534 can write to "), "{told}");
    set_mode(parent.path(), 0o1770);
    Home::claim(home.path()).unwrap();
}

#[test]
fn paths_owned_by_another_user_are_refused_with_the_fix() {
    let user = geteuid().as_raw();
    let (parent, home) = run();
    fs::write(home.path_of("state.json"), "").unwrap();
    let link = parent.path().join("link");
    symlink(parent.path(), &link).unwrap();
    let through_link = link.join("run");
    let cases = [
        (home.path_of("state.json"), home.path()),
        (home.path().to_owned(), home.path()),
        (parent.path().to_owned(), home.path()),
        (link.clone(), &through_link),
    ];
    for (path, claimed) in cases {
        if !give_away(&path) {
            return;
        }
        let told = refused(claimed);
        assert!(
            told.contains(&format!("is owned by user {NOBODY}, but FRANZ runs as user {user}")),
            "{told}"
        );
        let (_, command) = told.rsplit_once(": ").unwrap();
        let mended = std::process::Command::new("sh").args(["-c", command]).status().unwrap();
        assert!(mended.success(), "{command}");
        Home::claim(claimed).unwrap();
    }
}

#[test]
fn a_directory_can_be_claimed_without_what_is_in_it() {
    let (parent, home) = run();
    let inner = home.path_of("inner");
    let planted: [Plant; 4] = [
        |path| symlink("state.json", path.join("latest")).unwrap(),
        |path| drop(std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap()),
        |path| {
            fs::write(path.join("open"), "").unwrap();
            set_mode(&path.join("open"), 0o666);
        },
        |path| fs::create_dir_all(path.join("1/2/3/4/5/6/7/8/9")).unwrap(),
    ];
    fs::create_dir(&inner).unwrap();
    for plant in planted {
        plant(&inner);
        Home::claim(home.path()).unwrap_err();
        let itself = Home::claim_itself(home.path()).unwrap();
        let folder = itself.open_directory_itself("inner").unwrap();
        folder.replace("entry.toml", b"mine", false).unwrap();
        assert_eq!(folder.read("entry.toml", 9).unwrap(), b"mine");
        folder.read("latest", 9).unwrap_err();
        home.open_directory("inner").unwrap_err();
        fs::remove_dir_all(&inner).unwrap();
        fs::create_dir(&inner).unwrap();
    }

    // The directory and the path to it are examined as ever.
    symlink(home.path(), parent.path().join("link")).unwrap();
    symlink(&inner, home.path_of("linked")).unwrap();
    Home::claim_itself(&parent.path().join("link")).unwrap_err();
    let itself = Home::claim_itself(home.path()).unwrap();
    itself.open_directory_itself("linked").unwrap_err();
    set_mode(&inner, 0o770);
    let folder = itself.open_directory_itself("inner").unwrap();
    assert!(
        mode(&inner) == 0o750 && folder.notices().len() == 1,
        "{:?}",
        folder.notices()
    );
    for path in [inner.as_path(), home.path(), parent.path()] {
        let before = mode(path);
        set_mode(path, before | 0o002);
        let claimed = Home::claim_itself(home.path()).and_then(|home| home.open_directory_itself("inner"));
        assert!(claimed.is_err(), "{}", path.display());
        set_mode(path, before);
    }
}

#[test]
fn a_cycle_of_links_is_an_error() {
    let parent = tempfile::tempdir().unwrap();
    symlink("b", parent.path().join("a")).unwrap();
    symlink("a", parent.path().join("b")).unwrap();
    let error = Home::claim(&parent.path().join("a/run")).unwrap_err();
    assert!(matches!(error, ClaimError::Disk(_)), "{error}");
}

#[test]
fn a_path_that_is_not_a_directory_is_reported() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(refused(&file).ends_with("file is not a directory"));
    assert!(refused(&file.join("run")).ends_with("file is not a directory"));
    assert!(refused(&parent.path().join("missing")).contains("cannot access"));
}
