//! Finds the file of a program by its bare name, as the shells of Windows do.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The extensions of the files that Windows can start, in the order in which its shells try them.
const EXTENSIONS: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

/// Returns the first file on `path` that is called `program` with one of these extensions. Returns `None` for a name
/// that already has an extension or a folder.
pub(super) fn find(program: &OsStr, path: &OsStr) -> Option<PathBuf> {
    let bytes = program.as_encoded_bytes();
    if bytes.iter().any(|byte| br"./\:".contains(byte)) {
        return None;
    }
    let files = |folder: PathBuf| {
        EXTENSIONS.map(|extension| {
            let mut name = program.to_owned();
            name.push(extension);
            folder.join(name)
        })
    };
    // A program in the working directory might be anybody's.
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.flat_map(files).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_bare_name_finds_the_first_file_that_can_be_started() {
        let place = tempfile::tempdir().unwrap();
        let folders = ["first", "second"].map(|name| place.path().join(name));
        for folder in &folders {
            fs::create_dir(folder).unwrap();
        }
        for (folder, file) in [
            (0, "npm"),
            (0, "npm.cmd"),
            (1, "npm.exe"),
            (1, "node.exe"),
            (1, "node.cmd"),
            (1, "page.js"),
        ] {
            fs::write(folders[folder].join(file), "").unwrap();
        }
        let path = env::join_paths(&folders).unwrap();
        for (program, expected) in [
            ("npm", Some(folders[0].join("npm.cmd"))),
            ("node", Some(folders[1].join("node.exe"))),
            ("page", None),
            ("npm.cmd", None),
            (r"second\npm", None),
            ("second/npm", None),
            ("nothing", None),
        ] {
            assert_eq!(find(program.as_ref(), &path), expected, "{program}");
        }
    }
}
