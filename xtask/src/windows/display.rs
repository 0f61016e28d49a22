//! A display of our own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// An X server without a monitor; ends when it is dropped.
pub(super) struct Display {
    server: Child,
    /// As `DISPLAY` names it.
    pub(super) name: String,
    /// What it shows, as a file in the format of `xwd` that is always up to date.
    pub(super) picture: PathBuf,
}

impl Display {
    /// Starts one, under a number that is free.
    pub(super) fn start(cache: &Path) -> Result<Display> {
        let folder = cache.join("display");
        std::fs::create_dir_all(&folder)?;
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x800x24",
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            // No picture that is taken under Wine holds the cursor; so this one must not.
            .arg("-nocursor")
            .arg("-fbdir")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start Xvfb")?;
        let output = server.stdout.take().context("Xvfb has no output")?;
        let mut display = Display {
            server,
            name: String::new(),
            picture: folder.join("Xvfb_screen0"),
        };
        let mut number = String::new();
        BufReader::new(output).read_line(&mut number)?;
        ensure!(!number.trim().is_empty(), "Xvfb ended before it had a display");
        display.name = format!(":{}", number.trim());
        Ok(display)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
