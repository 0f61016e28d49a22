//! The arguments of `franz demo-model`.

use std::path::PathBuf;

use clap::Args;
use franz_dialect::calibration::Resize;
use franz_dialect::{Axes, Space};

#[derive(Args, Clone, Debug)]
pub(crate) struct DemoModelArgs {
    /// The port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 1235)]
    pub(crate) port: u16,
    /// Answer with the replies in this file instead, one JSON object per line
    #[arg(long, value_name = "FILE", conflicts_with = "family")]
    pub(crate) script: Option<PathBuf>,
    /// Speak like a model of this family: a built-in one, or a TOML file
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) family: Option<String>,
    /// The unit of its coordinates: thousandths, 1024ths, fractions, percent, letterboxed or pixels [default: the family's]
    #[arg(long, requires = "family", value_parser = read_space)]
    pub(crate) space: Option<Space>,
    /// The order of its coordinates, xy or yx [default: the family's]
    #[arg(long, requires = "family", value_parser = read_axes)]
    pub(crate) axes: Option<Axes>,
    /// Resize pictures as a server would: none, smart-28, smart-32, smart-28-1280 (at most that many tiles), long-1024,
    /// short-768
    #[arg(long, value_name = "RULE", requires = "family", value_parser = read_resize)]
    pub(crate) resize: Option<Resize>,
    /// Miss by about this many pixels of the picture
    #[arg(long, value_name = "N", requires = "family", value_parser = number::<1000>)]
    pub(crate) noise: Option<f64>,
    /// Ignore all pictures
    #[arg(long, requires = "family")]
    pub(crate) blind: bool,
    /// Share of wrong answers, from 0 to 1
    #[arg(long, value_name = "RATE", requires = "family", value_parser = number::<1>)]
    pub(crate) wrong: Option<f64>,
    /// Seed for the misses and the wrong answers
    #[arg(long, value_name = "N", requires = "family")]
    pub(crate) seed: Option<u64>,
    /// Wait this long before each answer, except a script's; 0 answers immediately
    #[arg(long, value_name = "SECONDS", value_parser = number::<3600>)]
    pub(crate) delay: Option<f64>,
}

fn read_space(text: &str) -> Result<Space, String> {
    let known = Space::NAMES.iter().filter(|(_, space)| *space != Space::Unknown);
    let found = known.clone().find(|(name, _)| *name == text).map(|(_, space)| *space);
    found.ok_or_else(|| {
        format!(
            "use one of {}",
            known.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
        )
    })
}

fn read_axes(text: &str) -> Result<Axes, String> {
    let found = Axes::NAMES.iter().find(|(name, _)| *name == text);
    found.map(|(_, axes)| *axes).ok_or_else(|| "use xy or yx".to_owned())
}

fn read_resize(text: &str) -> Result<Resize, String> {
    let known = "use none, smart-28, smart-32, smart-28-1280, long-1024 or short-768; other numbers work too";
    franz_demo::Player::resize(text).ok_or_else(|| known.to_owned())
}

/// Parses a number from 0 to `MOST`.
fn number<const MOST: u16>(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (0.0..=f64::from(MOST)).contains(number));
    number.ok_or_else(|| format!("use a number from 0 to {MOST}"))
}
