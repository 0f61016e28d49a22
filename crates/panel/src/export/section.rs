//! One turn in the exported file.

use std::io;

use franz_json::Story;
use franz_record::{Acted, Image, Status, TurnLine};

use super::html_writer::HtmlWriter;
use super::words;
use crate::history::{History, RecordedTurn};
use crate::verdict::{Verdict, VerdictKind};

/// Writes one turn, or the reason why it cannot be shown.
pub(super) fn write(html: &mut HtmlWriter<'_>, history: &History, turn: u64) -> io::Result<()> {
    html.markup("<details open>\n<summary><h2>Turn ")?;
    html.number(turn)?;
    html.markup("</h2>")?;
    match history.recorded_turn(turn) {
        Ok(Some(recorded)) => {
            badge(html, recorded.verdicts.last())?;
            whole(html, history, &recorded)?;
        }
        Ok(None) => html.markup("</summary>\n")?,
        Err(error) => {
            html.markup("</summary>\n<p>")?;
            html.text(&error.to_string())?;
            html.markup("</p>\n")?;
        }
    }
    html.markup("</details>\n")
}

/// Writes the verdict as a sign and words, so that it can be recognised without colours.
fn badge(html: &mut HtmlWriter<'_>, verdict: Option<&Verdict>) -> io::Result<()> {
    let (class, sign, words) = match verdict.map(|verdict| verdict.verdict) {
        Some(kind @ VerdictKind::Violation) => ("bad", "✗", words(kind)),
        Some(kind @ VerdictKind::Unverifiable) => ("unknown", "?", words(kind)),
        Some(kind) => ("good", "✓", words(kind)),
        None => ("unknown", "?", "not verified"),
    };
    html.markup(" <span class=\"badge ")?;
    html.markup(class)?;
    html.markup("\">")?;
    html.markup(sign)?;
    html.markup(" story ")?;
    html.markup(words)?;
    html.markup("</span>")
}

fn whole(html: &mut HtmlWriter<'_>, history: &History, recorded: &RecordedTurn) -> io::Result<()> {
    let line = &recorded.line;
    if line.status == Status::Failed {
        html.markup(" <span class=\"badge bad\">✗ failed</span>")?;
    }
    html.markup(" <time>")?;
    html.text(&line.started)?;
    html.markup("</time></summary>\n")?;

    facts(html, line)?;
    for verdict in &recorded.verdicts {
        difference(html, verdict)?;
    }
    html.markup("<div class=\"parts\">\n")?;
    match &recorded.story {
        Some(story) => html.block("story", "Story", &story.text())?,
        None => html.block("story", "Story", "It is no longer stored.")?,
    }
    feedback(html, line)?;
    reply(html, line)?;
    picture(html, history, line)?;
    html.markup("</div>\n")
}

fn facts(html: &mut HtmlWriter<'_>, line: &TurnLine) -> io::Result<()> {
    let optional = [
        ("Mode", line.mode.as_deref()),
        ("Goal", line.goal.as_deref()),
        ("Model", line.model.as_deref()),
        ("Finish", line.finish.as_deref()),
    ];
    let json = [("Sampling", &line.sampling), ("Tokens", &line.usage)];
    html.markup("<dl>\n")?;
    html.own_fact("Milliseconds", &timings(line))?;
    for (term, text) in optional {
        if let Some(text) = text {
            html.fact(term, text)?;
        }
    }
    for (term, raw) in json {
        if let Some(raw) = raw {
            html.json_fact(term, raw.get())?;
        }
    }
    if line.attempts > 1 {
        html.own_fact("Attempts", &line.attempts.to_string())?;
    }
    for error in &line.errors {
        html.fact("Error", error)?;
    }
    html.markup("</dl>\n")
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

/// Writes where the story was changed, and the text of both versions around that position.
fn difference(html: &mut HtmlWriter<'_>, verdict: &Verdict) -> io::Result<()> {
    let Some(difference) = &verdict.difference else {
        return Ok(());
    };
    html.markup("<section class=\"difference\"><h3>The story was changed at character ")?;
    html.number(difference.position)?;
    html.markup("</h3>\n<dl>\n")?;
    html.fact("Received", &difference.received.text().unwrap_or_default())?;
    html.fact("Sent", &difference.sent.text().unwrap_or_default())?;
    html.markup("</dl>\n")?;
    html.close()
}

fn feedback(html: &mut HtmlWriter<'_>, line: &TurnLine) -> io::Result<()> {
    html.block("feedback", "Feedback", &line.feedback)?;
    if line.acted.is_empty() {
        return Ok(());
    }
    html.open("actions", "Actions")?;
    html.markup("<ol>\n")?;
    for acted in &line.acted {
        action(html, acted)?;
    }
    html.markup("</ol>\n")?;
    html.close()
}

fn action(html: &mut HtmlWriter<'_>, acted: &Acted) -> io::Result<()> {
    html.markup("<li><code dir=\"auto\">")?;
    html.text(&acted.action)?;
    html.markup("</code> ")?;
    html.markup(if acted.outcome.is_done() { "✓ " } else { "✗ " })?;
    html.markup(acted.outcome.words())?;
    if let Some(why) = acted.outcome.why() {
        html.markup(": <span dir=\"auto\">")?;
        html.text(why)?;
        html.markup("</span>")?;
    }
    if let Some(decided) = &acted.decided {
        html.markup(" (")?;
        html.text(&decided.words())?;
        if let Some(action) = &decided.action {
            html.markup(": <code dir=\"auto\">")?;
            html.text(action)?;
            html.markup("</code>")?;
        }
        html.markup(")")?;
    }
    html.markup("</li>\n")
}

fn reply(html: &mut HtmlWriter<'_>, line: &TurnLine) -> io::Result<()> {
    if let Some(reasoning) = &line.reasoning {
        html.block("reasoning", "Reasoning", reasoning)?;
    }
    let text = line.reply.as_ref().map(Story::text);
    html.block("reply", "Reply", &text.unwrap_or_default())?;
    match &line.tool_calls {
        Some(calls) => html.json_block("calls", "Tool calls", calls.get()),
        None => Ok(()),
    }
}

fn picture(html: &mut HtmlWriter<'_>, history: &History, line: &TurnLine) -> io::Result<()> {
    let Some(image) = &line.image else { return Ok(()) };
    html.open("picture", "Screenshot")?;
    for beside in &line.beside {
        html.markup("<p dir=\"auto\">")?;
        html.text(&beside.words)?;
        html.markup("</p>\n")?;
        embedded(html, history, &beside.image)?;
    }
    embedded(html, history, image)?;
    html.close()
}

fn embedded(html: &mut HtmlWriter<'_>, history: &History, image: &Image) -> io::Result<()> {
    match history.picture(&image.sha256) {
        Some(png) => {
            html.markup("<img decoding=\"async\" alt=\"What the model saw\" width=\"")?;
            html.number(image.width.into())?;
            html.markup("\" height=\"")?;
            html.number(image.height.into())?;
            html.markup("\" src=\"")?;
            html.data_url(&png)?;
            html.markup("\">")
        }
        None => html.markup("<p class=\"none\">dropped to make room</p>"),
    }
}
