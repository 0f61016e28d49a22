//! A private display.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// An X server without a monitor, which ends when this value is dropped.
pub(super) struct Display {
    server: Child,
    /// The name for `DISPLAY`.
    pub(super) name: String,
    /// A file with the current contents of the screen in `xwd` format.
    pub(super) picture: PathBuf,
}

impl Display {
    /// Starts a display with an unused number.
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
            // Pictures taken under Wine never include the cursor, so the display's picture must not include it either.
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
