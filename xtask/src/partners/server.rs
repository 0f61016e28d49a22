//! Starts and ends a model server.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// How long a server may take to respond.
const START: Duration = Duration::from_mins(10);
/// How long to wait between checks.
const PAUSE: Duration = Duration::from_millis(200);

/// A server. When this value is dropped, the server ends along with everything it has started. If this task is killed,
/// `franz guard` ends them.
pub(super) struct Server {
    guard: Child,
    port: u16,
}

impl Server {
    /// Starts a server with this model, and waits until it lists its models.
    pub(super) fn start(franz: &Path, programs: &Path, command: &[&str], model: &Path, place: &Path) -> Result<Server> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let (program, arguments) = command.split_first().context("no command")?;
        let log = place.join("server.log");
        let output = File::create(&log).with_context(|| format!("cannot create {}", log.display()))?;
        let mut guard = Command::new(franz);
        guard.args(["guard", "--"]).arg(programs.join(program));
        for argument in arguments {
            match *argument {
                "MODEL" => guard.arg(model),
                "PORT" => guard.arg(port.to_string()),
                other => guard.arg(other),
            };
        }
        // Without a directory for the model hub, every request to list the models would fail.
        let hub = place.join("huggingface");
        fs::create_dir_all(hub.join("hub"))?;
        guard.env("HF_HOME", hub).env("HF_HUB_OFFLINE", "1");
        guard.env("VLLM_NO_USAGE_STATS", "1").env("VLLM_CPU_KVCACHE_SPACE", "1");
        guard.stdin(Stdio::piped()).stdout(output.try_clone()?).stderr(output);
        let guard = guard.current_dir(place).spawn().context("cannot start franz guard")?;
        let mut server = Server { guard, port };
        let begun = Instant::now();
        while !server.lists_models() {
            if let Some(status) = server.guard.try_wait()? {
                bail!("the server ended with {status}: {}", last_error(&log));
            }
            if begun.elapsed() > START {
                bail!("the server is not responding after {START:?}: {}", last_error(&log));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(server)
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn lists_models(&self) -> bool {
        let ask = || {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
            stream.set_read_timeout(Some(Duration::from_secs(10)))?;
            stream.write_all(b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
            let mut answer = [0; 12];
            stream.read_exact(&mut answer)?;
            std::io::Result::Ok(answer)
        };
        ask().is_ok_and(|answer| &answer == b"HTTP/1.1 200")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Returns the last line with an error in a log. If there is none, returns the last line.
fn last_error(log: &Path) -> String {
    let log = fs::read_to_string(log).unwrap_or_default();
    let lines = || log.lines().rev().filter(|line| !line.trim().is_empty());
    let line = lines().find(|line| line.contains("Error")).or_else(|| lines().next());
    line.unwrap_or("the log is empty").to_owned()
}
