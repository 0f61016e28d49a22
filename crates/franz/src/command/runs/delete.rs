//! `franz runs delete`: deletes runs, after asking.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use franz_home::View;
use franz_record::resume::is_recorded;
use franz_record::{DeletionError, delete_run};
use jiff::Zoned;

use crate::cli::runs::DeleteArgs;
use crate::config::flags::Flags;
use crate::config::settings_file;
use crate::exit::Unusable;
use crate::known_runs::{self, KnownRun};
use crate::own_settings::{self, OwnSettings};
use crate::quantity::size;
use crate::run_location;
use crate::terminal::{complain, one_line, say};

pub(super) fn run(arguments: &DeleteArgs) -> Result<u8> {
    let runs = chosen(arguments)?;
    if runs.is_empty() {
        say("no run is that old; nothing was deleted");
        return Ok(0);
    }
    if !arguments.yes && !asked(&runs)? {
        say("nothing was deleted");
        return Ok(1);
    }
    let mut all_gone = true;
    for run in &runs {
        all_gone &= delete(run);
    }
    Ok(u8::from(!all_gone))
}

/// Returns the runs to delete. Fails if a run named on the command line is live; otherwise leaves out live runs.
fn chosen(arguments: &DeleteArgs) -> Result<Vec<KnownRun>> {
    let flags = Flags::default();
    if !arguments.runs.is_empty() {
        return arguments.runs.iter().map(|run| named(run, &flags)).collect();
    }
    let settings = run_location::shown(&flags)?;
    let mut runs = known_runs::all(Path::new(&settings.record.dir));
    runs.retain(|run| run.seen.is_ok() && View::open(&run.path).is_ok_and(|view| is_of_franz(&view)));
    runs.drain(..arguments.keep_last.unwrap_or_default().min(runs.len()));
    if let Some(age) = arguments.older {
        let before = Zoned::now()
            .checked_sub(age)
            .context("that is too long ago")?
            .timestamp();
        runs.retain(|run| run.touched().is_some_and(|touched| touched < before));
    }
    runs.retain(|run| !run.is_live());
    Ok(runs)
}

/// Returns the run with this name. Refuses a live run, and a directory that only looks like a run.
fn named(run: &Path, flags: &Flags) -> Result<KnownRun> {
    let (view, _) = run_location::recorded(run, flags)?;
    let path = view.path().display();
    if !is_of_franz(&view) {
        let refused = format!(
            "{path} has no settings, state or turns of a run, so FRANZ may not have written it; nothing was deleted"
        );
        return Err(Unusable::usage(refused).into());
    }
    let run = KnownRun::at(view.path().to_owned());
    if run.is_live() {
        return Err(Unusable::usage(format!("{path} is live, so nothing was deleted; stop it first")).into());
    }
    Ok(run)
}

/// Returns whether FRANZ wrote this directory. Many programs keep a `config.toml` in their directories, also in
/// directories called `runs`. A run that is deleted in part still has its settings.
fn is_of_franz(view: &View) -> bool {
    settings_file::read_run(view).is_ok() || is_recorded(view) || OwnSettings::of(view.path()).is_some()
}

/// Asks the person in the terminal whether to delete the runs.
fn asked(runs: &[KnownRun]) -> Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let why = "cannot ask for confirmation without a terminal; add --yes to delete without asking";
        return Err(Unusable::usage(why).into());
    }
    Ok(ask(runs, &mut io::stdin().lock(), &mut io::stderr().lock())?)
}

/// Lists the runs that would be deleted, and reads the answer. Anything but a yes means no.
fn ask(runs: &[KnownRun], input: &mut impl BufRead, output: &mut impl Write) -> io::Result<bool> {
    for run in runs {
        writeln!(output, "  {}", one_line(&told(run)))?;
    }
    let bytes = runs.iter().filter_map(|run| Some(run.seen.as_ref().ok()?.bytes)).sum();
    let what = match runs.len() {
        1 => "this run".to_owned(),
        count => format!("these {count} runs"),
    };
    write!(output, "Delete {what}, {}? [y/N] ", size(bytes))?;
    output.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn told(run: &KnownRun) -> String {
    let path = run.path.display();
    match &run.seen {
        Ok(seen) => {
            let goal = seen.goal.as_deref().unwrap_or_default();
            format!("{path}  {} turns, {}  {goal}", seen.turns, size(seen.bytes))
        }
        Err(error) => format!("{path}  {error}"),
    }
}

/// Deletes a run and reports the result. Returns whether the run is gone.
fn delete(run: &KnownRun) -> bool {
    let path = run.path.display();
    let deleted = own_settings::forget_around(&run.path, || delete_run(&run.path));
    match deleted {
        Ok(foreign) if foreign.is_empty() => {
            say(&format!("deleted {path}"));
            true
        }
        Ok(foreign) => {
            let foreign: Vec<String> = foreign.iter().map(|file| file.display().to_string()).collect();
            let foreign = foreign.join(", ");
            say(&format!(
                "deleted {path}, except for files that FRANZ did not write: {foreign}"
            ));
            true
        }
        Err(DeletionError::Lock(error)) => {
            complain(&format!("{path} was left untouched: {error}"));
            false
        }
        Err(error) => {
            complain(&format!("{path} was not deleted, or only in part: {error}"));
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_deletes() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("config.toml"), "").unwrap();
        let runs = [KnownRun::at(path), KnownRun::at(parent.path().join("none"))];
        for (answer, is_yes) in [
            ("y\n", true),
            ("YES\n", true),
            ("n\n", false),
            ("\n", false),
            ("", false),
            ("yellow\n", false),
        ] {
            let mut shown = Vec::new();
            assert_eq!(
                ask(&runs, &mut answer.as_bytes(), &mut shown).unwrap(),
                is_yes,
                "{answer:?}"
            );
            let shown = String::from_utf8(shown).unwrap();
            assert!(
                shown.contains("run  0 turns, 0 kB") && shown.contains("Delete these 2 runs, 0 kB? [y/N]"),
                "{shown}"
            );
        }
    }
}
