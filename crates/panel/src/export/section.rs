//! One turn in the file.

use std::io;

use franz_record::{Acted, Outcome, Status, TurnLine};

use super::ink::Ink;
use super::words;
use crate::history::{History, Recorded};
use crate::verdict::{Kind, Verdict};

/// Writes one turn, or why it cannot be shown.
pub(super) fn write(ink: &mut Ink<'_>, history: &History, turn: u64) -> io::Result<()> {
    ink.markup("<details open>\n<summary><h2>Turn ")?;
    ink.number(turn)?;
    ink.markup("</h2>")?;
    match history.recorded_turn(turn) {
        Ok(Some(recorded)) => {
            badge(ink, recorded.verdicts.last())?;
            whole(ink, history, &recorded)?;
        }
        Ok(None) => ink.markup("</summary>\n")?,
        Err(error) => {
            ink.markup("</summary>\n<p>")?;
            ink.text(&error.to_string())?;
            ink.markup("</p>\n")?;
        }
    }
    ink.markup("</details>\n")
}

/// The verdict in words, with a sign, so that it does not depend on colours.
fn badge(ink: &mut Ink<'_>, verdict: Option<&Verdict>) -> io::Result<()> {
    let (class, sign, words) = match verdict.map(|verdict| verdict.verdict) {
        Some(kind @ Kind::Violation) => ("bad", "✗", words(kind)),
        Some(kind @ Kind::Unverifiable) => ("unknown", "?", words(kind)),
        Some(kind) => ("good", "✓", words(kind)),
        None => ("unknown", "?", "not verified"),
    };
    ink.markup(" <span class=\"badge ")?;
    ink.markup(class)?;
    ink.markup("\">")?;
    ink.markup(sign)?;
    ink.markup(" story ")?;
    ink.markup(words)?;
    ink.markup("</span>")
}

fn whole(ink: &mut Ink<'_>, history: &History, recorded: &Recorded) -> io::Result<()> {
    let line = &recorded.line;
    if line.status == Status::Failed {
        ink.markup(" <span class=\"badge bad\">✗ failed</span>")?;
    }
    ink.markup(" <time>")?;
    ink.text(&line.started)?;
    ink.markup("</time></summary>\n")?;

    facts(ink, line)?;
    for verdict in &recorded.verdicts {
        difference(ink, verdict)?;
    }
    ink.markup("<div class=\"parts\">\n")?;
    match &recorded.story {
        Some(story) => ink.block("story", "Story", &story.text().unwrap_or_default())?,
        None => ink.block("story", "Story", "It is not on record any more.")?,
    }
    feedback(ink, line)?;
    reply(ink, line)?;
    picture(ink, history, line)?;
    ink.markup("</div>\n")
}

fn facts(ink: &mut Ink<'_>, line: &TurnLine) -> io::Result<()> {
    let optional = [
        ("Mode", line.mode.as_deref()),
        ("Goal", line.goal.as_deref()),
        ("Model", line.model.as_deref()),
        ("Ended by", line.finish.as_deref()),
    ];
    let json = [("Sampling", &line.sampling), ("Tokens", &line.usage)];
    ink.markup("<dl>\n")?;
    ink.own_fact("Milliseconds", &timings(line))?;
    for (term, text) in optional {
        if let Some(text) = text {
            ink.fact(term, text)?;
        }
    }
    for (term, raw) in json {
        if let Some(raw) = raw {
            ink.json_fact(term, raw.get())?;
        }
    }
    if line.attempts > 1 {
        ink.own_fact("Attempts", &line.attempts.to_string())?;
    }
    for error in &line.errors {
        ink.fact("Error", error)?;
    }
    ink.markup("</dl>\n")
}

fn timings(line: &TurnLine) -> String {
    let ms = &line.ms;
    let steps = [
        ("act", ms.act),
        ("settle", ms.settle),
        ("capture", ms.capture),
        ("mark", ms.mark),
        ("scale", ms.scale),
        ("encode", ms.encode),
        ("request", ms.request),
        ("model", ms.model),
        ("record", ms.record),
    ];
    let steps = steps.map(|(name, ms)| format!("{name} {:.1}", ms.get()));
    steps.join(", ")
}

/// Where the story was changed, and what became of it.
fn difference(ink: &mut Ink<'_>, verdict: &Verdict) -> io::Result<()> {
    let Some(difference) = &verdict.difference else {
        return Ok(());
    };
    ink.markup("<section class=\"difference\"><h3>The story was changed at character ")?;
    ink.number(difference.position)?;
    ink.markup("</h3>\n<dl>\n")?;
    ink.fact("Received", &difference.received.text().unwrap_or_default())?;
    ink.fact("Sent", &difference.sent.text().unwrap_or_default())?;
    ink.markup("</dl>\n")?;
    ink.close()
}

fn feedback(ink: &mut Ink<'_>, line: &TurnLine) -> io::Result<()> {
    ink.block("feedback", "Feedback", &line.feedback)?;
    if line.acted.is_empty() {
        return Ok(());
    }
    ink.open("actions", "Actions")?;
    ink.markup("<ol>\n")?;
    for acted in &line.acted {
        action(ink, acted)?;
    }
    ink.markup("</ol>\n")?;
    ink.close()
}

fn action(ink: &mut Ink<'_>, acted: &Acted) -> io::Result<()> {
    ink.markup("<li><code dir=\"auto\">")?;
    ink.text(&acted.action)?;
    ink.markup("</code> ")?;
    ink.markup(if acted.outcome == Outcome::Done { "✓ " } else { "✗ " })?;
    ink.markup(acted.outcome.words())?;
    if let Some(why) = &acted.why {
        ink.markup(": <span dir=\"auto\">")?;
        ink.text(why)?;
        ink.markup("</span>")?;
    }
    ink.markup("</li>\n")
}

fn reply(ink: &mut Ink<'_>, line: &TurnLine) -> io::Result<()> {
    let text = line.reply.as_ref().and_then(franz_record::Raw::text);
    ink.block("reply", "Reply", &text.unwrap_or_default())?;
    match &line.tool_calls {
        Some(calls) => ink.json_block("calls", "Tool calls", calls.get()),
        None => Ok(()),
    }
}

fn picture(ink: &mut Ink<'_>, history: &History, line: &TurnLine) -> io::Result<()> {
    let Some(image) = &line.image else { return Ok(()) };
    ink.open("picture", "Screenshot")?;
    match history.picture(&image.sha256) {
        Some(png) => {
            ink.markup("<img decoding=\"async\" alt=\"What the model saw\" width=\"")?;
            ink.number(image.width.into())?;
            ink.markup("\" height=\"")?;
            ink.number(image.height.into())?;
            ink.markup("\" src=\"")?;
            ink.data_url(&png)?;
            ink.markup("\">")?;
        }
        None => ink.markup("<p class=\"none\">dropped to make room</p>")?,
    }
    ink.close()
}
