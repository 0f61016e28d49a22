//! Draws the dashboard's pictures for the documents: one for the dashboard's page, those in `safety.md`, one of each
//! state for `states.md`, and an animation for the README.

mod animation;

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::browser;
use crate::process::{root, run, target};

/// The maximum size of the animation in bytes.
const MOST: usize = 1_000_000;

/// Draws all of the pictures, using runs with the built-in model.
pub(crate) fn draw() -> Result<()> {
    let docs = root().join("docs");
    let program = browser::build()?;
    run(browser::node("screenshot.mjs", &program)?.arg(docs.join("dashboard.png")))?;
    run(browser::node("safety.mjs", &program)?.arg(&docs))?;
    run(browser::suite(&program)?
        .arg("looks")
        .env("BROWSER_SHEETS", docs.join("states")))?;
    let frames = target()?.join("animation");
    if frames.is_dir() {
        fs::remove_dir_all(&frames).with_context(|| format!("cannot remove {}", frames.display()))?;
    }
    fs::create_dir_all(&frames)?;
    run(browser::node("animation.mjs", &program)?.arg(&frames))?;
    let mut files: Vec<_> = fs::read_dir(&frames)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let pictures: Vec<Vec<u8>> = files
        .iter()
        .map(|file| fs::read(file).with_context(|| format!("cannot read {}", file.display())))
        .collect::<Result<_>>()?;
    let animated = animation::of(&pictures)?;
    ensure!(
        animated.len() < MOST,
        "the animated picture is {} bytes long; use fewer turns or a smaller page in animation.mjs",
        animated.len()
    );
    let file = docs.join("run.png");
    fs::write(&file, &animated)?;
    eprintln!(
        "{}, {} bytes, {} frames",
        file.display(),
        animated.len(),
        pictures.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_of_a_run_moves_and_stays_small() {
        let bytes = fs::read(root().join("docs/run.png")).unwrap();
        assert!(bytes.len() < MOST, "{} bytes", bytes.len());
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let reader = decoder.read_info().unwrap();
        let frames = reader.info().animation_control().map(|control| control.num_frames);
        assert!(frames.is_some_and(|frames| frames > 10), "{frames:?}");
    }
}
