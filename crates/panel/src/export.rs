//! The history to keep: one HTML file that opens offline, and JSON lines.

mod ink;
mod section;

use std::io::{self, Write};

use jiff::Timestamp;

use crate::history::{History, Tally};
use crate::update::RunFacts;
use crate::verdict::Kind;
use franz_secret::Secret;
use ink::Ink;

const STYLE: &str = include_str!("export/style.css");

/// What may be loaded by the file: nothing but what it holds.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Writes the whole history as one HTML file, a turn at a time.
pub fn page(history: &History, facts: Option<&RunFacts>, secret: &Secret, out: &mut dyn Write) -> io::Result<()> {
    let mut ink = Ink::new(out, secret);
    head(&mut ink, history, facts)?;
    for_each_turn(history, |turn| section::write(&mut ink, history, turn))?;
    ink.markup("</main>\n</body>\n</html>\n")
}

/// Writes the turn lines as they were recorded, in the order of the turns.
pub fn lines(history: &History, secret: &Secret, out: &mut dyn Write) -> io::Result<()> {
    for_each_turn(history, |turn| {
        let line = history.recorded(turn).map_err(io::Error::other)?;
        out.write_all(&secret.bytes(&line.unwrap_or_default()))?;
        out.write_all(b"\n")
    })
}

/// The turns that are there now; those that are added meanwhile could go on for ever.
fn for_each_turn(history: &History, mut each: impl FnMut(u64) -> io::Result<()>) -> io::Result<()> {
    let extent = history.extent();
    let mut next = (extent.count > 0).then_some(extent.first);
    while let Some(turn) = next.filter(|&turn| turn <= extent.last) {
        each(turn)?;
        next = history.above(turn);
    }
    Ok(())
}

fn head(ink: &mut Ink<'_>, history: &History, facts: Option<&RunFacts>) -> io::Result<()> {
    let directory = history.directory();
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (extent, totals) = (history.extent(), history.totals());

    ink.markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
    ink.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"")?;
    ink.markup(POLICY)?;
    ink.markup("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>")?;
    ink.text(&name)?;
    ink.markup("</title>\n<style>\n")?;
    ink.markup(STYLE)?;
    ink.markup("</style>\n</head>\n<body>\n<header>\n<h1>")?;
    ink.text(&name)?;
    ink.markup("</h1>\n<dl>\n")?;
    ink.own_fact(
        "Turns",
        &format!("{} ({} to {})", extent.count, extent.first, extent.last),
    )?;
    ink.own_fact("Stories", &stories(&history.verdicts(([0; 5], &[]))))?;
    let tokens = totals.tokens;
    ink.own_fact(
        "Tokens",
        &format!(
            "{} ({} read, {} written)",
            tokens.total, tokens.prompt, tokens.completion
        ),
    )?;
    if let Some(facts) = facts {
        ink.fact("Profile", &facts.profile)?;
        ink.fact("Model server", &facts.upstream)?;
        ink.fact("Model", &facts.model)?;
        ink.fact("Screen", &facts.screen)?;
    }
    ink.own_fact("Saved", &Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC").to_string())?;
    ink.markup("</dl>\n</header>\n<main>\n")
}

/// The verdicts in one line.
fn stories(tally: &Tally) -> String {
    let counted = Kind::ALL.iter().zip(tally.counts).filter(|&(_, count)| count > 0);
    let words: Vec<String> = counted
        .map(|(&(kind, _), count)| format!("{count} {}", words(kind)))
        .collect();
    if words.is_empty() {
        "not verified".to_owned()
    } else {
        words.join(", ")
    }
}

/// A verdict in words.
fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::First => "first, nothing to compare with",
        Kind::Match => "unchanged",
        Kind::Retry => "sent again",
        Kind::Violation => "changed on the way",
        Kind::Unverifiable => "not verifiable",
    }
}
