//! `franz export`: turns a recorded run into files to share.

use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_home::View;
use franz_record::RunEnd;
use franz_record::resume::CONFIG_FILE;
use franz_screen::{Mask, MaskTarget};

use crate::cli::export::ExportArgs;
use crate::config::flags::Flags;
use crate::config::resolve;
use crate::exit::Unusable;
use crate::export::{self, Leftover, Recording, Redaction, Unfinished};
use crate::keys;
use crate::own_settings::OwnSettings;
use crate::run_location;
use crate::stop::Stop;
use crate::terminal::{complain, say};

pub(super) fn run(arguments: &ExportArgs) -> Result<u8> {
    let (view, _) = run_location::recorded(&arguments.run, &Flags::default())?;
    let secret = keys::keyring(&[])?.secret().clone();
    let target = |path| Unfinished::beside(path, arguments.force, &view).map_err(Unusable::usage);
    // Check all targets before writing anything.
    let jsonl = arguments.jsonl.as_deref().map(target).transpose()?;
    let gif = arguments.gif.as_deref().map(target).transpose()?;
    let html = arguments.html.as_deref().map(target).transpose()?;
    let inspect = arguments.inspect.as_deref().map(target).transpose()?;
    let redaction = redaction(arguments, &view)?;
    let targets = [&jsonl, &gif, &html, &inspect];
    remove_when_stopped(targets.into_iter().flatten().map(Unfinished::leftover).collect())?;
    let recording = Recording::of(&view, arguments.turns, secret, redaction)?;
    if recording.turns().is_empty() {
        let path = view.path().display();
        return Err(Unusable::usage(format!(
            "{path} has none of these turns yet; franz runs show lists its turns"
        ))
        .into());
    }
    let write = |target: Option<Unfinished>, form: &dyn Fn(Unfinished) -> Result<()>| {
        let Some(target) = target else { return Ok(()) };
        let shown = target.target().display().to_string();
        form(target)?;
        say(&format!("wrote {shown}"));
        anyhow::Ok(())
    };
    write(jsonl, &|target| export::jsonl(&recording, target))?;
    write(html, &|target| export::html(&recording, target))?;
    write(inspect, &|target| {
        export::inspect(&recording, RunEnd::of(&view).as_ref(), target)
    })?;
    write(gif, &|target| export::gif(&recording, arguments.width, target))?;
    for line in recording.missing() {
        complain(&line);
    }
    Ok(0)
}

/// Leaves nothing behind if Ctrl+C or another signal ends the process.
fn remove_when_stopped(leftovers: Vec<Leftover>) -> Result<()> {
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let watch = move || loop {
        stop.sleep_until_over(Duration::from_hours(1));
        if let Some(ending) = stop.ending() {
            let _removed: Vec<_> = leftovers.iter().map(Leftover::remove).collect();
            std::process::exit(i32::from(ending.exit_code()));
        }
    };
    std::thread::Builder::new().name("removal".to_owned()).spawn(watch)?;
    Ok(())
}

/// The maximum size, in bytes, of a file that lists words.
const MOST_WORDS: u64 = 1 << 20;

/// Returns the data to remove: the words, and the areas that the run's settings mask. Reports masks that cannot be
/// applied.
fn redaction(arguments: &ExportArgs, view: &View) -> Result<Redaction> {
    if arguments.redact.is_empty() && arguments.redact_from.is_none() {
        return Ok(Redaction::default());
    }
    let mut words = arguments.redact.clone();
    if let Some(file) = &arguments.redact_from {
        let read = franz_home::file::read(file, MOST_WORDS).map_err(|error| error.to_string());
        let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
        let text = text.map_err(|why| Unusable::usage(format!("cannot read {}: {why}", file.display())))?;
        words.extend(text.lines().map(|line| line.trim().to_owned()));
    }
    words.retain(|word| !word.is_empty());
    let mut areas = Vec::new();
    for mask in masks(view)? {
        match mask.target {
            MaskTarget::Area(area) => areas.push(area),
            MaskTarget::Window(_) => {
                complain(
                    "window masks cover only the areas that they covered during the run, because the record does not say where windows were",
                );
            }
        }
    }
    if !words.is_empty() {
        complain("words are removed from text, not from pictures: check the pictures before you share them");
    }
    Ok(Redaction::new(words, areas))
}

/// Returns the masks in a run's settings. A foreign agent's run has none.
fn masks(view: &View) -> Result<Vec<Mask>> {
    if !view.has_file(CONFIG_FILE) {
        return Ok(Vec::new());
    }
    let kept = OwnSettings::of(view.path()).unwrap_or_default();
    let resolved = resolve::of_agent(view, kept, None).map_err(Unusable::usage)?;
    Ok(resolved.settings.masks())
}
