//! Programs that people put between a client and a server today. Where possible, they are configured to pass bodies on
//! as they arrive.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::started::{Started, free_port};
use crate::process::{output, run, succeeds};

/// Installs a program's package with apt if the program is missing and this user may do so.
fn ensure_installed(program: &str, package: &str) -> Result<()> {
    if succeeds(Command::new(program).arg("-v")) {
        return Ok(());
    }
    run(Command::new("apt-get").args(["install", "--yes", "--no-install-recommends", package]))
        .with_context(|| format!("{program} is missing and cannot be installed: apt-get install {package}"))
}

/// Starts nginx without buffering. Installs it with apt if that is permitted.
pub(crate) fn nginx(directory: &Path, origin: u16) -> Result<Started> {
    ensure_installed("nginx", "nginx-light")?;
    let directory = directory.join("nginx");
    fs::create_dir_all(&directory)?;
    let port = free_port()?;
    let folder = directory.display();
    let configuration = format!(
        "daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; client_max_body_size 0; tcp_nodelay on;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    upstream origin {{ server 127.0.0.1:{origin}; keepalive 32; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection \"\";
            proxy_request_buffering off; proxy_buffering off;
        }}
    }}
}}
"
    );
    let file = directory.join("nginx.conf");
    fs::write(&file, configuration)?;
    let mut command = Command::new("nginx");
    command
        .arg("-e")
        .arg(directory.join("error.log"))
        .arg("-p")
        .arg(&directory)
        .arg("-c")
        .arg(&file);
    Started::at(port, &mut command).context("nginx cannot be started")
}

/// Starts mitmdump from its own virtual environment. With `streaming`, it passes bodies on as they arrive, which it
/// does not do by default.
pub(crate) fn mitmdump(directory: &Path, origin: u16, streaming: bool) -> Result<Started> {
    let environment = directory.join("venv");
    let program = environment.join("bin/mitmdump");
    if !program.is_file() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment))
            .context("python3 has no venv: apt-get install python3-venv")?;
        run(Command::new(environment.join("bin/pip")).args(["install", "--quiet", "mitmproxy"]))
            .context("pip cannot install mitmproxy")?;
    }
    let port = free_port()?;
    let mut command = Command::new(program);
    command.args([
        "--quiet",
        "--listen-host",
        "127.0.0.1",
        "--listen-port",
        &port.to_string(),
    ]);
    command.args(["--mode", &format!("reverse:http://127.0.0.1:{origin}")]);
    command
        .arg("--set")
        .arg(format!("confdir={}", directory.join("mitmproxy").display()));
    if streaming {
        command.args(["--set", "stream_large_bodies=1"]);
    }
    Started::at(port, &mut command).context("mitmdump cannot be started")
}

/// The packages with which Python programs capture screens and create pictures.
const PICTURES: [&str; 3] = ["mss", "pillow", "pyautogui"];

/// Returns a Python interpreter with these packages, from its own virtual environment, and the packages' versions.
pub(crate) fn pictures(directory: &Path) -> Result<(PathBuf, Vec<String>)> {
    let environment = directory.join("venv-turn");
    let python = environment.join("bin/python");
    let has_them = |python: &Path| {
        succeeds(
            Command::new(python)
                .args(["-m", "pip", "show", "--quiet"])
                .args(PICTURES),
        )
    };
    if !has_them(&python) {
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment))
            .context("python3 has no venv: apt-get install python3-venv")?;
        run(Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet"])
            .args(PICTURES))
        .context("pip cannot install mss, Pillow and PyAutoGUI")?;
    }
    // PyAutoGUI captures the screen with this program.
    ensure_installed("scrot", "scrot")?;
    let frozen = output(Command::new(&python).args(["-m", "pip", "freeze"]))?;
    let frozen = String::from_utf8_lossy(&frozen).into_owned();
    let is_ours = |line: &&str| PICTURES.contains(&line.to_lowercase().split('=').next().unwrap_or_default());
    Ok((python, frozen.lines().filter(is_ours).map(str::to_owned).collect()))
}
