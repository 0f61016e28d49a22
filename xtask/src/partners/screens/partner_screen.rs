//! VNC servers, started as people start them. A program on each server's screen records the input that arrives.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::boot_sector;
use super::witness::{Teller, Witness};
use crate::packages;
use crate::partners::guarded::Guarded;
use crate::process::{output, run, succeeds};

/// How long a server and the program on its screen may take to start.
const START: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

/// The user ID of `nobody`. sway refuses to run as root.
const NOBODY: &str = "65534";

/// The characters that a server can type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Any character.
    Any,
    /// The characters of a US keyboard.
    Us,
}

/// A VNC server.
pub(crate) struct PartnerScreen {
    pub(super) name: &'static str,
    /// The command that prints the server's version.
    version: &'static [&'static str],
    /// Each program with the Debian package that contains it.
    needs: &'static [(&'static str, &'static str)],
    takes: Takes,
    /// The size of the screen, in pixels.
    size: (f64, f64),
    open: fn(&Opening<'_>) -> Result<Vec<Guarded>>,
    teller: Teller,
}

pub(super) const PARTNERS: [PartnerScreen; 3] = [
    PartnerScreen {
        name: "x11vnc",
        version: &["x11vnc", "-version"],
        needs: &[("x11vnc", "x11vnc"), ("Xvfb", "xvfb"), ("xterm", "xterm")],
        takes: Takes::Any,
        size: (1280.0, 800.0),
        open: x11vnc,
        teller: Teller::Terminal,
    },
    PartnerScreen {
        name: "qemu",
        version: &["qemu-system-x86_64", "--version"],
        needs: &[("qemu-system-x86_64", "qemu-system-x86")],
        takes: Takes::Us,
        size: (640.0, 400.0),
        open: qemu,
        teller: Teller::Guest,
    },
    PartnerScreen {
        name: "wayvnc",
        version: &["wayvnc", "--version"],
        needs: &[("wayvnc", "wayvnc"), ("sway", "sway"), ("foot", "foot")],
        takes: Takes::Us,
        size: (1280.0, 720.0),
        open: wayvnc,
        teller: Teller::Terminal,
    },
];

/// The directories that a server needs to start.
struct Opening<'a> {
    franz: &'a Path,
    /// The directory for the server's logs.
    logs: &'a Path,
    /// The directory for the files that programs on the screen write.
    place: &'a Path,
    port: u16,
    witness: &'a Witness,
}

/// A running server, which ends when this value is dropped.
pub(super) struct Started {
    programs: Vec<Guarded>,
    pub(super) port: u16,
    pub(super) takes: Takes,
    pub(super) size: (f64, f64),
    pub(super) witness: Witness,
    place: PathBuf,
}

impl PartnerScreen {
    /// Starts the server, and waits until the program on its screen is ready.
    pub(super) fn start(&self, franz: &Path, logs: &Path) -> Result<Started> {
        let there = |program: &str| succeeds(Command::new("which").arg(program));
        let missing = self.needs.iter().filter(|(program, _)| !there(program));
        let missing: Vec<_> = missing.map(|(_, package)| *package).collect();
        packages::install(
            &format!("{} or a program on its screen is missing", self.name),
            &missing,
        )?;
        // Use the directory for temporary files, which the user `nobody` can reach.
        let place = std::env::temp_dir().join(format!("franz-{}-{}", self.name, std::process::id()));
        fs::create_dir(&place).with_context(|| format!("cannot create {}", place.display()))?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut started = Started {
            programs: Vec::new(),
            port,
            takes: self.takes,
            size: self.size,
            witness: Witness {
                teller: self.teller,
                file: place.join("arrived"),
            },
            place,
        };
        let opening = Opening {
            franz,
            logs,
            place: &started.place,
            port,
            witness: &started.witness,
        };
        started.programs = (self.open)(&opening)?;
        until("the program on the screen is not ready", || {
            started.witness.arrived().is_ready && TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        })?;
        Ok(started)
    }

    pub(super) fn version(&self) -> Result<String> {
        let (program, arguments) = self.version.split_first().context("no program")?;
        let told = String::from_utf8(output(Command::new(program).args(arguments))?)?;
        let version = |word: &&str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
        let found = told.split_whitespace().find(version);
        Ok(found
            .context("it does not report a version")?
            .trim_end_matches(',')
            .to_owned())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.programs.clear();
        let _ = fs::remove_dir_all(&self.place);
    }
}

/// Starts an X server without a monitor, with a terminal on it, and x11vnc.
fn x11vnc(opening: &Opening<'_>) -> Result<Vec<Guarded>> {
    let number = opening.place.join("number");
    let log = |name: &str| opening.logs.join(format!("{name}.log"));
    let script = format!(
        "exec Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset 3> '{}'",
        number.display()
    );
    let server = Guarded::start(opening.franz, &["sh", "-c", &script], &[], &log("Xvfb"))?;
    let read = || fs::read_to_string(&number).unwrap_or_default();
    until("Xvfb has not started", || read().ends_with('\n'))?;
    let display = format!(":{}", read().trim());
    let environment = [("DISPLAY", &display[..]), ("LC_ALL", "C.UTF-8")];
    let start = |command: &[&str], log: &Path| Guarded::start(opening.franz, command, &environment, log);
    let shell = opening.witness.command();
    let terminal = [
        "xterm",
        "-u8",
        "-b",
        "0",
        "-geometry",
        "400x100+0+0",
        "-e",
        "sh",
        "-c",
        &shell,
    ];
    let port = opening.port.to_string();
    let shares = [
        "x11vnc",
        "-display",
        &display,
        "-rfbport",
        &port,
        "-localhost",
        "-nopw",
        "-forever",
        "-shared",
    ];
    Ok(vec![
        start(&terminal, &log("xterm"))?,
        start(&shares, &log("x11vnc"))?,
        // Programs end in this order, so put their X server last.
        server,
    ])
}

/// Starts a virtual machine with a disk of one sector.
fn qemu(opening: &Opening<'_>) -> Result<Vec<Guarded>> {
    let disk = opening.place.join("disk");
    fs::write(&disk, boot_sector::image())?;
    let display = opening
        .port
        .checked_sub(5900)
        .context("QEMU needs a port of at least 5900")?;
    let (disk, serial) = (
        format!("file={},format=raw,if=ide", disk.display()),
        format!("file:{}", opening.witness.file.display()),
    );
    let vnc = format!("127.0.0.1:{display}");
    let mut command = vec![
        "qemu-system-x86_64",
        "-nodefaults",
        "-vga",
        "std",
        "-m",
        "64",
        "-usb",
        "-device",
        "usb-tablet",
    ];
    command.extend(["-drive", &disk, "-serial", &serial, "-vnc", &vnc]);
    Ok(vec![Guarded::start(
        opening.franz,
        &command,
        &[],
        &opening.logs.join("qemu.log"),
    )?])
}

/// Starts a Wayland compositor without a monitor. The compositor starts a terminal and the VNC server.
fn wayvnc(opening: &Opening<'_>) -> Result<Vec<Guarded>> {
    let (config, port) = (opening.place.join("config"), opening.port);
    // sway does not pass quoted text to the shell as one word, so put the shell command in a file.
    let script = opening.place.join("terminal.sh");
    fs::write(&script, opening.witness.command())?;
    let lines = format!(
        "output * resolution 1280x720\ndefault_border none\nexec foot --override=pad=0x0 sh '{}'\nexec wayvnc 127.0.0.1 {port}\n",
        script.display()
    );
    fs::write(&config, lines)?;
    let place = opening.place.to_str().context("the folder's name is not valid UTF-8")?;
    let config = config.to_str().context("the folder's name is not valid UTF-8")?;
    let mut command = vec!["sway", "--config", config];
    if packages::is_root() {
        run(Command::new("chown").args(["-R", NOBODY, place]))?;
        run(Command::new("chmod").args(["700", place]))?;
        command.splice(
            0..0,
            ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"],
        );
    }
    let environment = [
        ("XDG_RUNTIME_DIR", place),
        ("HOME", place),
        ("LC_ALL", "C.UTF-8"),
        ("WLR_BACKENDS", "headless"),
        ("WLR_RENDERER", "pixman"),
        ("WLR_LIBINPUT_NO_DEVICES", "1"),
    ];
    let log = opening.logs.join("sway.log");
    Ok(vec![Guarded::start(opening.franz, &command, &environment, &log)?])
}

/// Waits until `is_so` returns true. Fails with `trouble` if that takes too long.
pub(super) fn until(trouble: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > START {
            bail!("{trouble} after {START:?}");
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
