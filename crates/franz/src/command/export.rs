//! `franz export`: a recorded run made into files to give away.

use anyhow::Result;

use crate::cli::export::ExportArgs;
use crate::config::flags::Flags;
use crate::exit::Unusable;
use crate::export::{self, Recording, Unfinished};
use crate::keys;
use crate::run_location;
use crate::terminal::{complain, say};

pub(super) fn run(arguments: &ExportArgs) -> Result<u8> {
    let (view, _) = run_location::recorded(&arguments.run, &Flags::default())?;
    let secret = keys::keyring(&[])?.secret().clone();
    let target = |path| Unfinished::beside(path, arguments.force, &view).map_err(Unusable::usage);
    // All targets are looked at before anything is written.
    let jsonl = arguments.jsonl.as_deref().map(target).transpose()?;
    let gif = arguments.gif.as_deref().map(target).transpose()?;
    let html = arguments.html.as_deref().map(target).transpose()?;
    let recording = Recording::of(&view, arguments.turns, secret)?;
    if recording.turns().is_empty() {
        let path = view.path().display();
        return Err(Unusable::usage(format!(
            "{path} has none of these turns yet; franz runs show lists them"
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
    write(gif, &|target| export::gif(&recording, arguments.width, target))?;
    for line in recording.missing() {
        complain(&line);
    }
    Ok(0)
}
