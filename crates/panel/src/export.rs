//! Exports the history as a file: either one HTML file that opens offline, or JSON lines.

mod html_writer;
mod offline;
mod section;

use std::io::{self, Write};

use jiff::Timestamp;

use crate::history::{History, Tally};
use crate::hub::{RunFacts, VerdictCounts};
use crate::verdict::VerdictKind;
use franz_secret::Secret;
use html_writer::HtmlWriter;

pub use offline::{OfflinePage, OfflineRun, OfflineTurn};

const STYLE: &str = include_str!("export/style.css");

/// A policy that lets the file load nothing but what it contains.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Writes the whole history as one HTML file, one turn at a time.
pub fn html(history: &History, facts: Option<&RunFacts>, secret: &Secret, out: &mut dyn Write) -> io::Result<()> {
    let mut html = HtmlWriter::new(out, secret);
    head(&mut html, history, facts)?;
    for_each_turn(history, |turn| section::write(&mut html, history, turn))?;
    html.markup("</main>\n</body>\n</html>\n")
}

/// Writes the turn lines as they were recorded, in the order of the turns.
pub(crate) fn json_lines(history: &History, secret: &Secret, out: &mut dyn Write) -> io::Result<()> {
    for_each_turn(history, |turn| {
        let line = history.recorded(turn).map_err(io::Error::other)?;
        out.write_all(&secret.bytes(&line.unwrap_or_default()))?;
        out.write_all(b"\n")
    })
}

/// Visits the turns that exist now. Turns that are added in the meantime are left out, because visiting them as well
/// might never end.
fn for_each_turn(history: &History, mut each: impl FnMut(u64) -> io::Result<()>) -> io::Result<()> {
    let extent = history.extent();
    let mut next = (extent.count > 0).then_some(extent.first);
    while let Some(turn) = next.filter(|&turn| turn <= extent.last) {
        each(turn)?;
        next = history.above(turn);
    }
    Ok(())
}

fn head(html: &mut HtmlWriter<'_>, history: &History, facts: Option<&RunFacts>) -> io::Result<()> {
    let name = history.name();
    let (extent, totals) = (history.extent(), history.totals());

    html.markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
    html.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"")?;
    html.markup(POLICY)?;
    html.markup("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>")?;
    html.text(&name)?;
    html.markup("</title>\n<style>\n")?;
    html.markup(STYLE)?;
    html.markup("</style>\n</head>\n<body>\n<header>\n<h1>")?;
    html.text(&name)?;
    html.markup("</h1>\n<dl>\n")?;
    html.own_fact(
        "Turns",
        &format!("{} ({} to {})", extent.count, extent.first, extent.last),
    )?;
    html.own_fact(
        "Stories",
        &stories(history.overview().verdicts_or(&Tally::default()).counts),
    )?;
    let tokens = totals.tokens;
    html.own_fact("Tokens", &format!("{} ({})", tokens.total, tokens.words()))?;
    if let Some(facts) = facts {
        html.fact("Profile", &facts.profile)?;
        html.fact("Model server", &facts.upstream)?;
        html.fact("Model", &facts.model)?;
        html.fact("Screen", &facts.screen)?;
    }
    html.own_fact("Saved", &Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC").to_string())?;
    html.markup("</dl>\n</header>\n<main>\n")
}

/// Formats the verdicts in one line.
fn stories(counts: VerdictCounts) -> String {
    let counted = VerdictKind::ALL.iter().zip(counts.0).filter(|&(_, count)| count > 0);
    let words: Vec<String> = counted
        .map(|(&(kind, _), count)| format!("{count} {}", words(kind)))
        .collect();
    if words.is_empty() {
        "not verified".to_owned()
    } else {
        words.join(", ")
    }
}

/// Describes a kind of verdict in words.
fn words(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::First => "first, nothing to compare with",
        VerdictKind::Match => "unchanged",
        VerdictKind::Retry => "sent again",
        VerdictKind::Violation => "changed on the way",
        VerdictKind::Unverifiable => "not verifiable",
        VerdictKind::ByPerson => "written by a person",
    }
}
