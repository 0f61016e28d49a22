//! A calibration: finds out whether a model sees, how it writes calls, and what its coordinates mean.

use anyhow::Result;
use franz_chat::{Picture, Sampling};
use franz_dialect::calibration::{Calibration, Chart, Coordinates, Decision, Ruling, Target};
use franz_dialect::{Family, Pointed, PointedForm, ReplyText};

use super::asking::{Asking, CalibrationProgress, Heard, Respondent};
use super::cost::{self, Cost};
use super::{picture, words};
use crate::exit::Unusable;

/// The subject of a calibration, and its options.
pub(crate) struct Subject<'a> {
    pub(crate) family: &'a Family,
    /// The presumed meaning of the model's numbers, according to the family or an earlier calibration.
    pub(crate) believed: Option<Coordinates>,
    /// The size of the pictures to send.
    pub(crate) picture: (u32, u32),
    pub(crate) sampling: &'a Sampling,
    /// Determines which number to show.
    pub(crate) seed: u64,
}

/// The findings of a calibration.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) sight: Eyesight,
    /// The way in which the model answers a request to click; `None` if it does not see.
    pub(crate) speech: Option<AnswerForms>,
    pub(crate) pointing: Option<Pointing>,
    pub(crate) cost: Cost,
    /// How many questions were asked.
    pub(crate) asked: usize,
}

/// The number that a model read in a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Eyesight {
    /// The number in the picture.
    pub(crate) shown: String,
    /// The model's answer.
    pub(crate) said: String,
    pub(crate) sees: bool,
    /// Whether the token limit cut the answer.
    pub(crate) cut: bool,
    pub(crate) trouble: Option<String>,
}

/// The way in which a model answers a request to click.
#[derive(Debug)]
pub(crate) struct AnswerForms {
    pub(crate) text: Writing,
    pub(crate) native: Writing,
}

/// The model's answer to one request to click.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    /// The form in which the answer gave the coordinates; `None` if it gave none.
    pub(crate) form: Option<PointedForm>,
    pub(crate) thoughts: Thoughts,
    pub(crate) cut: bool,
    pub(crate) trouble: Option<String>,
    /// The words of the answer.
    pub(crate) said: String,
}

/// The place where a model puts its thoughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thoughts {
    /// The model does not think.
    None,
    /// In a separate field of the response.
    Apart,
    /// In tags within the text.
    Tagged,
}

/// A model's answers about the targets.
#[derive(Debug)]
pub(crate) struct Pointing {
    pub(crate) chart: Chart,
    pub(crate) ruling: Ruling,
    pub(crate) shots: Vec<Shot>,
}

/// One target and the answer to it.
#[derive(Clone, Debug)]
pub(crate) struct Shot {
    pub(crate) target: Target,
    /// The two numbers, in the model's own order.
    pub(crate) answer: Option<(f64, f64)>,
}

impl Findings {
    /// Returns the decision about the numbers, if there was one.
    pub(crate) fn decision(&self) -> Option<&Decision> {
        match &self.pointing.as_ref()?.ruling {
            Ruling::Decided(decision) => Some(decision),
            Ruling::Open | Ruling::Undecided(_) => None,
        }
    }
}

/// Calibrates a model. Nothing is stored.
pub(crate) fn run(
    asked: &mut dyn Respondent,
    subject: &Subject<'_>,
    progress: &mut dyn CalibrationProgress,
) -> Result<Findings> {
    let chart = Chart::new(subject.picture).map_err(Unusable::usage)?;
    let mut asking = Asking {
        asked,
        progress,
        sampling: subject.sampling,
        count: 0,
    };
    let sight = look(&mut asking, subject)?;
    let mut findings = Findings {
        sight,
        speech: None,
        pointing: None,
        cost: Cost::default(),
        asked: 0,
    };
    if findings.sight.sees {
        let picture = picture::of_chart(&chart)?;
        let mut session = Session {
            asking: &mut asking,
            subject,
            picture,
            heard: Vec::new(),
        };
        let speech = session.speak(&chart)?;
        findings.pointing = Some(session.point(chart, &speech)?);
        findings.speech = Some(speech);
        findings.cost = cost::of(&session.heard);
    }
    findings.asked = asking.count;
    Ok(findings)
}

/// Makes the model read a number.
fn look(asking: &mut Asking<'_>, subject: &Subject<'_>) -> Result<Eyesight> {
    let shown = number(subject.seed);
    let picture = picture::of_number(&shown, subject.picture)?;
    let heard = asking.ask("can it see?", &picture, words::LOOK, words::NUMBER, "")?;
    Ok(Eyesight {
        sees: is_read(&heard.text, &shown),
        shown,
        said: heard.text,
        cut: heard.cut,
        trouble: heard.trouble,
    })
}

/// Returns a number of four different digits, so that a model cannot get a digit right just by repeating another.
fn number(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut digits: Vec<char> = ('1'..='9').collect();
    rng.shuffle(&mut digits);
    digits.into_iter().take(4).collect()
}

/// Checks whether an answer contains a number, with at most one wrong digit. Numbers in thoughts do not count.
fn is_read(answer: &str, number: &str) -> bool {
    let last_closed = franz_thought::tags(answer).filter(|tag| tag.closes).last();
    let spoken = last_closed.map_or(answer, |tag| &answer[tag.range.end..]);
    let joined: String = spoken.chars().filter(|c| !matches!(c, ' ' | ',' | '-' | '.')).collect();
    let mut groups = joined.split(|c: char| !c.is_ascii_digit());
    groups.any(|group| {
        let right = group.chars().zip(number.chars()).filter(|(one, other)| one == other);
        group.len() == number.len() && right.count() + 1 >= number.len()
    })
}

/// Asks about the targets.
struct Session<'a, 'b> {
    asking: &'a mut Asking<'b>,
    subject: &'a Subject<'a>,
    picture: Picture,
    /// The answers about the picture with the targets, each with the number of characters of text in its request.
    heard: Vec<(Heard, usize)>,
}

impl Session<'_, '_> {
    /// Makes the model click in both ways: by writing text and by calling a tool.
    fn speak(&mut self, chart: &Chart) -> Result<AnswerForms> {
        let target = chart.targets.last().expect("a chart has targets");
        let text = self.click("how does it click in the text?", target, false)?;
        let native = self.click("how does it click with a tool?", target, true)?;
        Ok(AnswerForms {
            text: manner(text),
            native: manner(native),
        })
    }

    /// Makes the model point at targets until a decision is possible.
    fn point(&mut self, chart: Chart, speech: &AnswerForms) -> Result<Pointing> {
        let native = speech.text.form.is_none() && speech.native.form.is_some();
        let mut calibration = Calibration::new(chart.clone(), self.subject.believed);
        let mut shots = Vec::new();
        while let Some(target) = calibration.next_target().copied() {
            let (_, pointed) = self.click(&format!("where is {}?", target.look), &target, native)?;
            let answer = pointed.map(|pointed| {
                let [first, second] = pointed.spot.unnamed(self.subject.family.axes);
                (first, second)
            });
            calibration.answer(answer);
            shots.push(Shot { target, answer });
        }
        Ok(Pointing {
            chart,
            ruling: calibration.ruling().clone(),
            shots,
        })
    }

    fn click(&mut self, about: &str, target: &Target, native: bool) -> Result<(Heard, Option<Pointed>)> {
        let Subject { family, picture, .. } = *self.subject;
        let (system, tools) = if native {
            (words::natively(family, picture), words::tools(family, picture))
        } else {
            (words::in_text(family, picture), String::new())
        };
        let task = words::task(target);
        let heard = self.asking.ask(about, &self.picture, &system, &task, &tools)?;
        self.heard
            .push((heard.clone(), system.len() + task.len() + tools.len()));
        let reply = ReplyText {
            text: &heard.text,
            tool_calls: heard.calls.as_deref(),
            cut: heard.cut,
        };
        let pointed = family.dialect.pointed(&reply);
        Ok((heard, pointed))
    }
}

fn manner((heard, pointed): (Heard, Option<Pointed>)) -> Writing {
    Writing {
        form: pointed.map(|pointed| pointed.form),
        thoughts: thoughts(&heard),
        cut: heard.cut,
        trouble: heard.trouble,
        said: match heard.calls {
            Some(calls) if heard.text.trim().is_empty() => calls,
            _ => heard.text,
        },
    }
}

fn thoughts(heard: &Heard) -> Thoughts {
    if heard.reasons {
        Thoughts::Apart
    } else if franz_thought::tags(&heard.text).next().is_some() {
        Thoughts::Tagged
    } else {
        Thoughts::None
    }
}

#[cfg(test)]
pub(super) mod tests;
