//! The table for people: the findings, how certain they are, and what to do.

use std::fmt::Write as _;

use franz_dialect::calibration::{Decision, Estimate, Ruling, Undecided};
use franz_dialect::{Family, PointedForm};

use super::cost::Cost;
use super::session::{AnswerForms, Eyesight, Findings, Pointing, Thoughts, Writing};
use crate::quantity::counted;
use crate::terminal::one_line;

/// The width of a plain terminal.
const WIDTH: usize = 80;
/// The column in which a row's text begins.
const TEXT: usize = 11;
/// How many characters of a model's words to quote.
const QUOTED: usize = 60;

/// The rows of a table, each wrapped to the width of a plain terminal.
#[derive(Debug, Default)]
pub(crate) struct FindingsTable(String);

impl FindingsTable {
    /// Adds a row.
    pub(crate) fn row(&mut self, name: &str, text: &str) {
        let mut label = name;
        let mut line = String::new();
        for word in one_line(text).split(' ') {
            let width = line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && TEXT + width > WIDTH {
                self.line(label, &line);
                label = "";
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.line(label, &line);
    }

    fn line(&mut self, label: &str, text: &str) {
        let line = format!("{label:<TEXT$}{text}");
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl Findings {
    /// Adds the findings to a table.
    pub(crate) fn report(&self, family: &Family, picture: (u32, u32), table: &mut FindingsTable) {
        table.row("sees", &sight(&self.sight, picture));
        if let Some(speech) = &self.speech {
            table.row("speaks", &spoken(speech, family));
        }
        if let Some(pointing) = &self.pointing {
            table.row("space", &space(pointing, family));
            if let Ruling::Decided(decision) = &pointing.ruling {
                if let Some(rule) = decision.resize {
                    table.row("resizing", &format!("the server resizes pictures: {rule}"));
                }
                table.row("precision", &precision(decision));
            }
            table.row("cost", &cost(&self.cost));
            for (number, line) in targets(pointing).into_iter().enumerate() {
                table.line(if number == 0 { "targets" } else { "" }, &line);
            }
        }
        table.row("asked", &counted(self.asked, "question"));
    }
}

fn sight(sight: &Eyesight, (width, height): (u32, u32)) -> String {
    let Eyesight { shown, said, .. } = sight;
    let quoted = quoted(said);
    match sight {
        Eyesight { sees: true, .. } => {
            format!("yes: it read {quoted} in a picture of {width}x{height} that shows {shown}")
        }
        Eyesight { trouble: Some(why), .. } => format!("unknown: {why}"),
        Eyesight { cut: true, .. } => "unknown: the token limit cut its answer off; raise model.max_tokens".to_owned(),
        _ => format!(
            "no: it read {quoted} where the picture shows {shown}; load a model that accepts images, with its vision part (the \
             mmproj file in llama.cpp), or choose another one with --model"
        ),
    }
}

fn spoken(speech: &AnswerForms, family: &Family) -> String {
    let mut text = format!(
        "in the text: {}; as a tool call: {}",
        in_text(&speech.text, family),
        natively(&speech.native)
    );
    let thoughts = [speech.text.thoughts, speech.native.thoughts];
    if thoughts.contains(&Thoughts::Tagged) {
        text += "; thinks in tags within its text";
    } else if thoughts.contains(&Thoughts::Apart) {
        text += "; thinks outside its text";
    }
    text
}

fn in_text(manner: &Writing, family: &Family) -> String {
    match manner.form {
        Some(PointedForm::Call(dialect)) if dialect == family.dialect.name => format!("as {} does", family.name),
        Some(PointedForm::Call(dialect)) => format!("in another dialect, {dialect}"),
        Some(PointedForm::Bare) => format!("coordinates without a call, {}", quoted(&manner.said)),
        Some(PointedForm::Native) => "no, it called a tool".to_owned(),
        None => nothing(manner),
    }
}

fn natively(manner: &Writing) -> String {
    match manner.form {
        Some(PointedForm::Native) => "yes".to_owned(),
        Some(PointedForm::Call(_) | PointedForm::Bare) => "no, it answers in the text".to_owned(),
        None => nothing(manner),
    }
}

/// Describes an answer that is not a click.
fn nothing(manner: &Writing) -> String {
    match manner {
        Writing { cut: true, .. } => "cut off by the token limit; raise model.max_tokens".to_owned(),
        Writing { trouble: Some(why), .. } => format!("refused ({why})"),
        Writing { said, .. } => format!("no coordinates in {}", quoted(said)),
    }
}

fn space(pointing: &Pointing, family: &Family) -> String {
    let after = format!("after {} targets", pointing.shots.len());
    match &pointing.ruling {
        Ruling::Decided(decision) => {
            let coordinates = decision.coordinates;
            let own = match () {
                () if decision.family => ", as expected",
                () if family.space == franz_dialect::Space::Unknown => "",
                () if (family.space, family.axes) == (coordinates.space, coordinates.axes) => {
                    ", not of the size that was sent"
                }
                () => ", unlike its family's",
            };
            format!("{coordinates}{own}, {after}")
        }
        Ruling::Undecided(Undecided { why, family_fits }) => {
            let fits = if *family_fits {
                "; but its family's coordinates fit"
            } else {
                ""
            };
            format!("not decided, {after}: {why}{fits}")
        }
        Ruling::Open => format!("not decided, {after}"),
    }
}

fn precision(decision: &Decision) -> String {
    let precision = decision.precision;
    let said = |Estimate { value, low, high }: Estimate| format!("{value:.0} px ({low:.0} to {high:.0})");
    format!(
        "half within {}, nine of ten within {}, from {} hits",
        said(precision.median),
        said(precision.ninety),
        precision.hits
    )
}

fn cost(cost: &Cost) -> String {
    let tokens = cost
        .picture
        .map_or("the server reports no token counts".to_owned(), |tokens| {
            format!("about {tokens} tokens per picture")
        });
    let mut text = tokens;
    if let Some(read) = cost.read_per_s {
        let _ = write!(text, "; reads {read:.0} tokens a second");
    }
    if let Some(written) = cost.written_per_s {
        let least = if cost.measured { "" } else { "at least " };
        let _ = write!(text, "; writes {least}{written:.0} a second");
    }
    text += match cost.reuses {
        Some(true) => "; a picture is read once",
        Some(false) => "; a picture is read again each time (no prompt cache)",
        None => "; the server does not report whether it has a prompt cache",
    };
    text
}

/// Returns a line for each target.
fn targets(pointing: &Pointing) -> Vec<String> {
    let coordinates = match &pointing.ruling {
        Ruling::Decided(decision) => Some(decision.coordinates),
        _ => None,
    };
    let line = |shot: &super::session::Shot| {
        let (x, y) = shot.target.middle;
        let look = shot.target.look.to_string();
        let answer = shot.answer.map_or("no place".to_owned(), |(first, second)| {
            format!("({}, {})", plain(first), plain(second))
        });
        let off = shot.answer.zip(coordinates).map(|(answer, coordinates)| {
            let (right, down) = coordinates.place(answer, pointing.chart.size);
            format!("{:.0} px off", (right - x).hypot(down - y))
        });
        let line = format!(
            "{look:<19} at {x:>4.0},{y:>4.0}  {answer:<15} {}",
            off.unwrap_or_default()
        );
        line.trim_end().to_owned()
    };
    pointing.shots.iter().map(line).collect()
}

/// Writes a number with no more digits than needed.
fn plain(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Quotes the beginning of a model's words on one line.
fn quoted(words: &str) -> String {
    let line = one_line(words.trim());
    let short: String = line.chars().take(QUOTED).collect();
    match short.len() < line.len() {
        true => format!("\"{short}...\""),
        false if line.is_empty() => "nothing".to_owned(),
        false => format!("\"{line}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_a_terminal_and_contain_no_escape_sequences() {
        let mut table = FindingsTable::default();
        table.row("sees", &"many words and more of them ".repeat(9));
        table.row("model", "\u{1b}[2Jqwen\nsees       no");
        for line in table.text().lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert!(!line.contains('\u{1b}'), "{line}");
        }
        assert_eq!(table.text().matches("\nsees").count(), 0, "{}", table.text());
    }

    #[test]
    fn long_answers_are_quoted_in_short() {
        assert_eq!(quoted(" 4731\n"), "\"4731\"");
        assert_eq!(quoted(""), "nothing");
        assert!(quoted(&"word ".repeat(99)).ends_with("...\""));
    }
}
