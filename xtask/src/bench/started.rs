//! A program that runs only during a measurement.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long a program may take to start listening.
const START: Duration = Duration::from_secs(30);

/// A running server and its port.
pub(crate) struct Started {
    child: Child,
    pub(crate) port: u16,
}

impl Started {
    /// Starts a program that prints its port.
    pub(crate) fn telling(command: &mut Command) -> Result<Started> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("stdout is piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let port = line
            .trim()
            .parse()
            .with_context(|| format!("expected a port, got {line:?}"))?;
        Ok(Started { child, port })
    }

    /// Starts a program that will listen on `port`.
    pub(crate) fn at(port: u16, command: &mut Command) -> Result<Started> {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut started = Started { child, port };
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = started.child.try_wait()? {
                bail!("the program ended with {status}");
            }
            if begun.elapsed() > START {
                bail!("the program is not listening after {START:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(started)
    }

    /// Returns the peak resident memory of the program and its direct children in MB; `None` if the system does not
    /// report it.
    pub(crate) fn most_resident_mb(&self) -> Option<f64> {
        let id = self.child.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let ids = children.split_whitespace().filter_map(|id| id.parse().ok()).chain([id]);
        ids.map(most_resident_mb).sum()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // nginx ends its workers only if it gets a request to end, not if it is killed.
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Returns a port that is currently free.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Returns the current resident memory of a process in MB, or `None` if the system does not report it.
pub(crate) fn resident_mb(id: u32) -> Option<f64> {
    megabytes(id, "VmRSS:")
}

/// Returns the peak resident memory of a process in MB, or `None` if the system does not report it.
pub(super) fn most_resident_mb(id: u32) -> Option<f64> {
    megabytes(id, "VmHWM:")
}

fn megabytes(id: u32, name: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
