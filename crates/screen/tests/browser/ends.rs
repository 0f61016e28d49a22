//! However a browser ends, it leaves nothing behind.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use franz_screen::desktop::{Desktop, DesktopOptions, IsOver, Pace};
use franz_screen::{Browser, BrowserOptions, CaptureError, Screen};

use crate::stage::{Stage, perform, says, title, until};

/// Returns the processes that name this directory on their command lines.
fn processes_of(folder: &Path) -> Vec<i32> {
    let name = folder.to_string_lossy().into_owned();
    let all = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ours = all.filter_map(|entry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let words = std::fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&words).contains(&name).then_some(id)
    });
    ours.collect()
}

/// Returns the directory of the browser that this process started.
fn folder_of(parent: u32) -> PathBuf {
    until("the browser runs", || {
        let folders = std::fs::read_dir(std::env::temp_dir()).unwrap().filter_map(Result::ok);
        folders
            .map(|entry| entry.path())
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with("franz-browser-")
            })
            .find(|path| processes_of(path).iter().any(|id| descends(*id, parent)))
    })
}

fn descends(mut id: i32, from: u32) -> bool {
    while id > 1 {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) else {
            return false;
        };
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        id = parent.unwrap_or(0);
        if id == from as i32 {
            return true;
        }
    }
    false
}

fn is_gone(folder: &Path) {
    until("all processes and the folder are gone", || {
        (processes_of(folder).is_empty() && !folder.exists()).then_some(())
    });
}

fn options() -> BrowserOptions {
    BrowserOptions {
        program: None,
        url: None,
        width: 800,
        height: 600,
        scale: 1.0,
    }
}

fn desktop(browser: &Browser) -> Desktop {
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: true,
        pace: Pace::FAST,
    };
    Desktop::new(browser.open().unwrap(), options).unwrap()
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim() {
    let browser = Browser::start(&options()).unwrap();
    desktop(&browser).capture().unwrap();
    println!("ready");
    loop {
        std::thread::park();
    }
}

#[test]
fn a_killed_agent_leaves_no_process_and_no_folder() {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "ends::victim"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("ready")));
    let folder = folder_of(victim.id());
    assert!(!processes_of(&folder).is_empty());
    victim.kill().unwrap();
    victim.wait().unwrap();
    is_gone(&folder);
}

#[test]
fn a_browser_that_is_dropped_is_gone_at_once() {
    let browser = Browser::start(&options()).unwrap();
    let folder = folder_of(std::process::id());
    let began = Instant::now();
    drop(browser);
    assert!(processes_of(&folder).is_empty() && !folder.exists());
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn a_browser_that_is_killed_is_a_lost_screen() {
    let browser = Browser::start(&options()).unwrap();
    let mut screen = desktop(&browser);
    screen.capture().unwrap();
    let folder = folder_of(std::process::id());
    for id in processes_of(&folder) {
        let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
    }
    let lost = until("the loss is noticed", || screen.capture().err());
    assert!(CaptureError::is_lost(&lost), "{lost}");
    assert!(lost.to_string().contains("the browser has ended"), "{lost}");
    let again = browser.open().err().unwrap();
    assert!(!again.is_lost() && again.to_string().contains("has ended"), "{again}");
}

#[test]
fn a_page_that_crashes_can_be_loaded_again() {
    let stage =
        Stage::new("<style>html{height:100%}</style><script>say('alive'); onclick = () => say('clicked')</script>");
    let mut screen = stage.screen();
    let folder = folder_of(std::process::id());
    let renderers = processes_of(&folder).into_iter().chain(
        std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()),
    );
    for id in renderers {
        let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&words).contains("--type=renderer") && descends(id, std::process::id()) {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    }
    until("the crash is told", || {
        (title(&mut screen) == "This page has crashed.").then_some(())
    });
    screen.capture().unwrap();
    perform(&mut screen, "press(\"enter\")");
    says(&mut screen, "alive");
    crate::stage::drawn(&mut screen);
    perform(&mut screen, "left_click(500, 500)");
    says(&mut screen, "clicked");
}

#[test]
fn what_cannot_be_started_is_said() {
    let start = |program: &str| {
        let options = BrowserOptions {
            program: Some(program.to_owned()),
            ..options()
        };
        Browser::start(&options).err().unwrap().to_string()
    };
    let missing = start("/no/such/browser");
    assert!(missing.contains("screen.browser names /no/such/browser"), "{missing}");
    let other = start("false");
    assert!(
        other.contains("cannot be started") && other.contains("screen.browser"),
        "{other}"
    );
}

#[test]
fn a_first_page_that_cannot_be_opened_is_said() {
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options = BrowserOptions {
        url: Some(nowhere.to_string()),
        ..options()
    };
    let error = Browser::start(&options).err().unwrap().to_string();
    let said = format!("the browser cannot open http://{nowhere} (net::ERR_CONNECTION_REFUSED); check the address");
    assert!(error.contains(&said), "{error}");
}

/// Starts a server that gives this answer to every request, and returns its address.
fn answering(answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        // A browser also opens connections on which it asks for nothing.
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let lines = BufReader::new(&stream).lines().map_while(Result::ok);
                if lines.take_while(|line| !line.is_empty()).count() > 0 {
                    (&stream).write_all(answer.as_bytes()).unwrap();
                }
            });
        }
    });
    address
}

#[test]
fn a_first_page_that_a_server_answers_without_a_page_is_only_noted() {
    for answer in [
        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Disposition: attachment\r\nContent-Length: 1\r\nConnection: close\r\n\r\na",
    ] {
        let address = answering(answer);
        let options = BrowserOptions {
            url: Some(address.to_string()),
            ..options()
        };
        let started = Browser::start(&options);
        assert!(
            started.is_ok(),
            "{answer}: {:?}",
            started.err().map(|error| error.to_string())
        );
    }
}

/// Returns options to start a script in place of a browser.
fn instead(program: &Path, script: &str) -> BrowserOptions {
    std::fs::write(program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    BrowserOptions {
        program: Some(program.display().to_string()),
        ..options()
    }
}

#[test]
fn a_browser_that_crashes_as_it_starts_is_started_once_more() {
    let directory = tempfile::tempdir().unwrap();
    let (program, crashed) = (directory.path().join("browser"), directory.path().join("crashed"));
    let script = format!(
        "[ -e '{0}' ] || {{ : > '{0}'; kill -SEGV $$; }}\nexec chromium \"$@\"",
        crashed.display()
    );
    Browser::start(&instead(&program, &script)).unwrap();
    assert!(crashed.exists());
}

#[test]
fn a_stop_ends_the_wait_for_a_browser_that_does_not_start() {
    let directory = tempfile::tempdir().unwrap();
    let options = instead(&directory.path().join("browser"), "exec sleep 1000");
    let is_over: IsOver = Arc::new(|| true);
    let began = Instant::now();
    assert!(Browser::start_until(&options, &is_over).is_err());
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}
