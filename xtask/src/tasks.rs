//! Desktop tasks for a simulated model on private desktops. The model is a separate server that gets only the bytes of
//! the requests. It finds its targets in the pictures and uses the calls that the functions and the prompt offer.

mod page;
mod picture;
mod player;
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::browser;
use crate::desktop;
use page::{PAGES, Page};
use player::Player;
use server::Server;

/// The maximum number of turns for a task.
const MOST_TURNS: u32 = 40;

/// Plays each task with this `franz` and, if there is one, with the earlier `franz`. Prints how many turns each needed.
pub(crate) fn play(against: Option<&Path>) -> Result<()> {
    desktop::provide()?;
    let browser = browser::provide()?;
    let now = browser::build()?;
    let programs: Vec<&Path> = against.into_iter().chain([now.as_path()]).collect();
    println!("turns for each task, {MOST_TURNS} at most:");
    for page in &PAGES {
        let turns: Vec<String> = programs
            .iter()
            .map(|franz| {
                Ok(turns(franz, &browser, page)?.map_or_else(|| "not solved".to_owned(), |turns| turns.to_string()))
            })
            .collect::<Result<_>>()?;
        println!("{:<44} {}", page.task, turns.join(" -> "));
    }
    Ok(())
}

/// Returns how many turns the task needed; `None` if it was not solved.
fn turns(franz: &Path, browser: &Path, page: &'static Page) -> Result<Option<u32>> {
    let folder = scratch()?;
    let file = folder.join("page.html");
    std::fs::write(&file, page.html())?;
    let server = Server::start(Player::new(page))?;
    let browser = browser.display();
    let start = format!(
        "exec {browser} --no-sandbox --no-first-run --disable-gpu --password-store=basic --disable-sync \
         --disable-background-networking --user-data-dir={} --start-maximized --app=file://{}",
        folder.join("chromium").display(),
        file.display()
    );
    let mut run = Command::new(franz);
    run.args(["run", "--no-panel", "--profile", "operator", "--screen", "virtual"]);
    run.args(["--upstream", &server.url(), "--max-turns", &MOST_TURNS.to_string()]);
    run.arg("--run-dir").arg(folder.join("run"));
    run.arg("--set")
        .arg(format!("screen.start={}", serde_json::json!([start])));
    run.arg(page.task).current_dir(&folder);
    run.env("XDG_STATE_HOME", folder.join("state")).env_remove("DISPLAY");
    run.stdin(Stdio::null());
    let output = run
        .output()
        .with_context(|| format!("cannot start {}", franz.display()))?;
    let player = server.stop();
    std::fs::remove_dir_all(&folder)?;
    ensure!(
        player.asked() > 0,
        "the run did not start:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(player.has_finished().then(|| player.asked()))
}

/// Creates a directory for temporary files.
fn scratch() -> Result<PathBuf> {
    let name = format!("franz-tasks-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
