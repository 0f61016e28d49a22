//! `franz open`: prints the link of a live run's page, and opens the page in a browser.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use franz_home::{View, shell};
use franz_record::Lock;

use crate::config::flags::Flags;
use crate::exit::Unusable;
use crate::known_runs;
use crate::run_location;
use crate::watch::{self, LivePage};

pub(super) fn run(named: Option<&Path>, opens: bool) -> Result<u8> {
    let page = match named {
        Some(named) => of_run(named)?,
        None => newest()?,
    };
    watch::within_runtime(async {
        let once = page.link_once().await?;
        writeln!(std::io::stdout(), "{}", page.link())?;
        if opens {
            watch::open_browser(&once);
        }
        Ok(0)
    })
}

/// Returns the page of the run that the person named.
fn of_run(named: &Path) -> Result<LivePage> {
    let directory = run_location::find(named, &Flags::default())?;
    let view = View::open(&directory).map_err(Unusable::usage)?;
    let shown = directory.display();
    if !Lock::is_held(&view) {
        let word = shell::path(&directory);
        let ended = format!("{shown} is not running; to look at it: franz replay {word}");
        return Err(Unusable::usage(ended).into());
    }
    let none = || Unusable::usage(format!("{shown} has no page; it was started with --no-panel"));
    Ok(LivePage::of_run(&view).ok_or_else(none)?)
}

/// Returns the page of the panel that shows all runs or, if none is running, of the newest live run.
fn newest() -> Result<LivePage> {
    if let Some(page) = LivePage::of_panel() {
        return Ok(page);
    }
    let settings = run_location::shown(&Flags::default())?;
    let live = known_runs::all(Path::new(&settings.record.dir))
        .into_iter()
        .filter(known_runs::KnownRun::is_live);
    let mut pages = live.filter_map(|run| LivePage::of_run(&View::open(&run.path).ok()?));
    let none = "no run is live; start one with: franz run (or look at the last one: franz replay)";
    Ok(pages.next().ok_or_else(|| Unusable::usage(none))?)
}
