//! Finds an installed browser.

use std::path::{Path, PathBuf};

use crate::desktop::DisplayError;

/// The browsers' names on the search path.
#[cfg(not(windows))]
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
];
#[cfg(windows)]
const NAMES: &[&str] = &["chrome.exe", "msedge.exe", "chromium.exe"];

/// The usual locations: directories that environment variables name, and fixed ones.
#[cfg(target_os = "macos")]
const PLACES: &[(&str, &str)] = &[
    ("", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    ("", "/Applications/Chromium.app/Contents/MacOS/Chromium"),
    ("", "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"),
    ("HOME", "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    ("HOME", "Applications/Chromium.app/Contents/MacOS/Chromium"),
];
#[cfg(windows)]
const PLACES: &[(&str, &str)] = &[
    ("PROGRAMFILES", r"Google\Chrome\Application\chrome.exe"),
    ("PROGRAMFILES(X86)", r"Google\Chrome\Application\chrome.exe"),
    ("LOCALAPPDATA", r"Google\Chrome\Application\chrome.exe"),
    ("LOCALAPPDATA", r"Chromium\Application\chrome.exe"),
    ("PROGRAMFILES(X86)", r"Microsoft\Edge\Application\msedge.exe"),
    ("PROGRAMFILES", r"Microsoft\Edge\Application\msedge.exe"),
];
#[cfg(all(unix, not(target_os = "macos")))]
const PLACES: &[(&str, &str)] = &[
    ("", "/opt/google/chrome/chrome"),
    ("", "/opt/microsoft/msedge/msedge"),
    ("", "/usr/lib/chromium/chromium"),
    ("", "/usr/lib64/chromium-browser/chromium-browser"),
    ("", "/snap/bin/chromium"),
];

/// Returns the browser with this name or path, or else the first one that is installed.
pub(super) fn find(wanted: Option<&str>) -> Result<PathBuf, DisplayError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let usual = PLACES.iter().filter_map(|(variable, place)| match *variable {
        "" => Some(PathBuf::from(place)),
        name => Some(PathBuf::from(std::env::var_os(name)?).join(place)),
    });
    found(wanted, &folders, usual).ok_or_else(|| DisplayError::Unavailable(missing(wanted)))
}

fn found(wanted: Option<&str>, folders: &[PathBuf], usual: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let on_path = |name: &str| {
        folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|file| is_program(file))
    };
    match wanted {
        Some(name) if Path::new(name).components().count() > 1 => {
            Some(PathBuf::from(name)).filter(|file| is_program(file))
        }
        Some(name) => on_path(name),
        None => {
            let mut usual = usual;
            NAMES
                .iter()
                .find_map(|name| on_path(name))
                .or_else(|| usual.find(|file| is_program(file)))
        }
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

fn missing(wanted: Option<&str>) -> String {
    match wanted {
        Some(name) => format!(
            "screen.browser names {name}, but there is no such program; leave it out to use an installed Chromium, Chrome or Edge"
        ),
        None => format!(
            "FRANZ found no browser it can use; {}, or name one with screen.browser",
            if cfg!(any(windows, target_os = "macos")) {
                "install Google Chrome, Chromium or Microsoft Edge"
            } else {
                "install the chromium package (chromium-browser on some systems), Google Chrome or Microsoft Edge"
            }
        ),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_browser_is_found_by_name_by_path_and_in_the_usual_places() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, mode: u32| {
            let file = folder.path().join(name);
            fs::write(&file, "").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            file
        };
        let folders = [folder.path().join("missing"), folder.path().to_owned()];
        let usual = program("usual", 0o755);
        let find = |wanted: Option<&str>| found(wanted, &folders, [usual.clone()].into_iter());
        assert_eq!(find(None), Some(usual.clone()));
        program("chromium", 0o644);
        assert_eq!(find(None), Some(usual.clone()), "it cannot be run");
        let chrome = program("google-chrome", 0o755);
        assert_eq!(find(None), Some(chrome.clone()));
        assert_eq!(find(Some("usual")).as_ref(), Some(&usual));
        assert_eq!(find(Some(&chrome.display().to_string())), Some(chrome));
        assert_eq!(find(Some("/missing/chrome")), None);
        assert_eq!(find(Some("missing")), None);
        assert!(missing(None).contains("install") && missing(Some("x")).contains("screen.browser"));
    }
}
