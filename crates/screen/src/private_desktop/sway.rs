//! A Wayland compositor without a monitor: sway.

use std::fs::{File, Permissions};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::{PrivateDesktop, PrivateDesktopOptions, ProcessSpawner, ProgramFailure, ProgramLog};
use crate::child::{self, Environment};
use crate::desktop::{Display, DisplayError, IsOver, Target, count_windows, open_until};

/// The directory of mouse cursors.
const CURSORS: &str = "cursors";

/// The names of the mouse cursors that programs ask for most.
const POINTERS: [&str; 14] = [
    "default",
    "left_ptr",
    "text",
    "xterm",
    "ibeam",
    "pointer",
    "hand",
    "hand1",
    "hand2",
    "crosshair",
    "grab",
    "grabbing",
    "fleur",
    "watch",
];

/// How many bytes of sway's output to report if it does not start.
const LAST_WORDS: u64 = 2000;

/// A private desktop on a Wayland compositor of its own.
pub(super) struct Sway {
    /// Declared first, so that it ends before the directory is removed.
    spawner: ProcessSpawner,
    /// The path of the compositor's socket.
    name: String,
    /// Once this returns `true`, waits for programs end early.
    is_over: IsOver,
    _folder: TempDir,
}

impl Sway {
    /// Starts the compositor.
    pub(super) fn start(options: PrivateDesktopOptions, is_over: &IsOver) -> Result<Sway, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("starting sway", error);
        if rustix::process::geteuid().is_root() {
            return Err(DisplayError::Unavailable(
                "screen.compositor = \"sway\" needs an ordinary user, because sway refuses to run as root; start FRANZ \
                 as another user, or leave screen.compositor out to use Xvfb"
                    .to_owned(),
            ));
        }
        let folder = tempfile::Builder::new()
            .prefix("franz-desktop-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(failed)?;
        let config = folder.path().join("config");
        let mut said = prepare(folder.path(), &config, &options).map_err(failed)?;
        let mut spawner = ProcessSpawner::new().map_err(failed)?;
        let environment = Environment::helper()
            .with("XDG_RUNTIME_DIR", folder.path())
            .with("WLR_BACKENDS", "headless")
            .with("WLR_LIBINPUT_NO_DEVICES", "1")
            .with("WLR_RENDERER", "pixman")
            .with("XCURSOR_PATH", folder.path().join(CURSORS));
        let mut program = child::command("sway", &environment);
        program
            .arg("-c")
            .arg(&config)
            .stdout(Stdio::piped())
            .stderr(said.try_clone().map_err(failed)?);
        let line =
            spawner.hear_in(program, folder.path(), is_over).map_err(|error| {
                match error.kind() {
            io::ErrorKind::NotFound => DisplayError::Unavailable(
                "screen.compositor = \"sway\" needs sway, which is not installed; install the sway package, or leave \
                 screen.compositor out to use Xvfb"
                    .to_owned(),
            ),
            _ => failed(error),
        }
            })?;
        let socket = line.as_deref().map(str::trim).filter(|line| !line.is_empty());
        let Some(socket) = socket else {
            return Err(DisplayError::Unavailable(format!(
                "cannot start a private desktop: sway said \"{}\"; leave screen.compositor out to use Xvfb",
                last_words(&mut said)
            )));
        };
        Ok(Sway {
            name: folder.path().join(socket).to_string_lossy().into_owned(),
            is_over: is_over.clone(),
            spawner,
            _folder: folder,
        })
    }
}

impl PrivateDesktop for Sway {
    fn name(&self) -> &str {
        &self.name
    }

    fn window_manager(&self) -> Option<&'static str> {
        Some("sway")
    }

    fn session_bus(&self) -> Option<String> {
        None
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        environment(&self.name)
    }

    fn run(&mut self, mut program: Command) -> io::Result<u32> {
        program.envs(self.environment()).env_remove("DISPLAY");
        self.spawner.run(program)
    }

    fn log(&self) -> &ProgramLog {
        self.spawner.log()
    }

    fn failure(&mut self, id: u32) -> Result<Option<ProgramFailure>, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("looking at a program", error);
        self.spawner.failure(id).map_err(failed)
    }

    fn wait_for_windows(&self, least: u32, time: Duration) -> Result<bool, DisplayError> {
        count_windows(&self.name, &self.is_over, least, time)
    }

    fn open_until(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        open_until(&Target::Wayland(self.name.clone()), is_over)
    }
}

/// Returns the environment of programs on the compositor whose socket has this path.
pub(super) fn environment(socket: &str) -> Vec<(&'static str, String)> {
    let path = PathBuf::from(socket);
    let text = |part: Option<&Path>| part.map(|part| part.to_string_lossy().into_owned());
    let name = text(path.file_name().map(Path::new)).unwrap_or_else(|| socket.to_owned());
    let folder = text(path.parent()).unwrap_or_default();
    let cursors = format!("{folder}/{CURSORS}");
    [
        ("WAYLAND_DISPLAY", name),
        ("XDG_RUNTIME_DIR", folder),
        ("XCURSOR_PATH", cursors),
    ]
    .into_iter()
    .chain(WAYLAND_ONLY.map(|(name, value)| (name, value.to_owned())))
    .collect()
}

/// Keeps toolkits from looking for an X server.
const WAYLAND_ONLY: [(&str, &str); 5] = [
    ("XCURSOR_THEME", "default"),
    ("GDK_BACKEND", "wayland"),
    ("QT_QPA_PLATFORM", "wayland"),
    ("MOZ_ENABLE_WAYLAND", "1"),
    ("XDG_SESSION_TYPE", "wayland"),
];

/// Writes the configuration, and opens the file for sway's messages. That file stays readable even if sway fails right
/// away and its directory is removed.
#[expect(
    clippy::disallowed_methods,
    reason = "they are in a directory that was made at random"
)]
fn prepare(folder: &Path, config: &Path, options: &PrivateDesktopOptions) -> io::Result<File> {
    std::fs::write(config, configuration(options))?;
    let cursors = folder.join(CURSORS).join("default").join("cursors");
    std::fs::create_dir_all(&cursors)?;
    for name in POINTERS {
        std::fs::write(cursors.join(name), invisible())?;
    }
    File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(folder.join("said"))
}

/// Returns a mouse cursor of one transparent pixel, in the format of Xcursor. Sway paints its cursor into the picture,
/// so the pointer's movement would be a change like any other. FRANZ draws one itself.
fn invisible() -> Vec<u8> {
    const SIZE: u32 = 24;
    const IMAGE: u32 = 0xfffd_0002;
    let head = [16, 0x0001_0000, 1];
    let contents = [IMAGE, SIZE, 28];
    let image = [36, IMAGE, SIZE, 1, 1, 1, 0, 0, 0, 0];
    let numbers = head.into_iter().chain(contents).chain(image);
    b"Xcur"
        .iter()
        .copied()
        .chain(numbers.flat_map(u32::to_le_bytes))
        .collect()
}

/// Returns a configuration that takes nothing from the person's own. It reports its socket once everything is set up.
fn configuration(options: &PrivateDesktopOptions) -> String {
    let PrivateDesktopOptions { width, height, .. } = options;
    format!(
        "output HEADLESS-1 resolution {width}x{height} position 0,0 scale 1\n\
         xwayland disable\n\
         focus_follows_mouse no\n\
         mouse_warping none\n\
         default_border normal\n\
         bindsym Mod1+F4 kill\n\
         bindsym Mod1+Tab focus next\n\
         exec echo \"$WAYLAND_DISPLAY\"\n"
    )
}

fn last_words(said: &mut File) -> String {
    let mut words = String::new();
    if said.rewind().is_ok() {
        let _ = said.take(LAST_WORDS).read_to_string(&mut words);
    }
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_find_the_compositor_by_its_socket() {
        let environment = environment("/tmp/franz-desktop-x/wayland-1");
        for known in [
            ("WAYLAND_DISPLAY", "wayland-1"),
            ("XDG_RUNTIME_DIR", "/tmp/franz-desktop-x"),
        ] {
            assert!(environment.contains(&(known.0, known.1.to_owned())), "{environment:?}");
        }
        assert!(environment.iter().all(|(name, _)| *name != "DISPLAY"));
    }
}
