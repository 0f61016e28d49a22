//! Asks a model about all items, several at once. Each answer is stored at once.

use std::collections::VecDeque;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use franz_record::Exit;
use franz_suite::grounding::{GroundingAnswer, GroundingOutcome, GroundingSet, ModelAnswers, PicturedItem};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::asker::{AskedModel, Asker};
use super::pictures::PictureFolder;
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::terminal::{self, complain, progress};

/// The measurement stops after this many items in a row without an answer: the server is down, or refuses requests.
const MOST_FAILURES: u32 = 6;

/// A measurement of one model after another.
pub(crate) struct Measurement<'a> {
    pub(crate) set: &'a GroundingSet,
    /// The items to ask about, as indices into the set.
    pub(crate) chosen: &'a [usize],
    pub(crate) pictures: &'a PictureFolder,
    pub(crate) jobs: u32,
    pub(crate) stop: &'a Stop,
}

/// How the measurement of one model ended.
pub(crate) enum MeasurementEnd {
    /// The model was asked about every item; so many have no answer.
    All(usize),
    /// It was not asked about all: its server does not answer.
    GaveUp,
    /// It was not asked about all: the person stopped the measurement.
    Stopped,
}

/// The state shared by all askers of a model.
struct Work<'a> {
    waiting: VecDeque<&'a PicturedItem>,
    answers: ModelAnswers,
    failures: u32,
    failed: usize,
    /// Why the measurement stopped.
    over: Option<anyhow::Error>,
    gave_up: bool,
    progress: Progress,
}

impl Measurement<'_> {
    /// Asks a model about the items to which it has no answer yet. The first asker is already connected.
    pub(crate) fn run(&self, model: &AskedModel, first: Asker<'_>, answers: ModelAnswers) -> Result<MeasurementEnd> {
        let items = self.chosen.iter().map(|&at| &self.set.items[at]);
        let waiting: VecDeque<&PicturedItem> = items.filter(|item| !answers.has(&item.item.key)).collect();
        let before = self.chosen.len() - waiting.len();
        if before > 0 {
            progress(&format!(
                "{}: {before} of {} items already have answers",
                model.name,
                self.chosen.len()
            ));
        }
        if waiting.is_empty() {
            return Ok(MeasurementEnd::All(0));
        }
        let more = (self.jobs as usize).min(waiting.len()).saturating_sub(1);
        let work = Mutex::new(Work {
            waiting,
            answers,
            failures: 0,
            failed: 0,
            over: None,
            gave_up: false,
            progress: Progress::new(self.chosen.len(), before, model.name.as_str()),
        });
        std::thread::scope(|scope| {
            for _ in 0..more {
                scope.spawn(|| match model.connect(self.stop) {
                    Ok(Some(asker)) => self.ask_all(asker, &work),
                    Ok(None) => {}
                    Err(error) => locked(&work).end(error),
                });
            }
            self.ask_all(first, &work);
        });
        let work = work.into_inner().unwrap_or_else(PoisonError::into_inner);
        work.progress.end();
        if self.stop.ending().is_some() {
            return Ok(MeasurementEnd::Stopped);
        }
        match work.over {
            Some(error) => Err(error),
            None if work.gave_up => Ok(MeasurementEnd::GaveUp),
            None => Ok(MeasurementEnd::All(work.failed)),
        }
    }

    fn ask_all(&self, mut asker: Asker<'_>, work: &Mutex<Work<'_>>) {
        while let Some(item) = self.next(work) {
            let answer = self.ask(&mut asker, item);
            let mut work = locked(work);
            let noted = match answer {
                Ok(Some(answer)) => work.note(answer),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            if let Err(error) = noted {
                work.end(error);
            }
        }
    }

    fn ask(&self, asker: &mut Asker<'_>, item: &PicturedItem) -> Result<Option<GroundingAnswer>> {
        let frame = self.pictures.read(&item.item.picture, item.pictured).map_err(|why| {
            let words = format!(
                "{}: {}: {why}; or leave it out with --skip-bad",
                item.item.key, item.item.picture
            );
            Unusable::usage(words)
        })?;
        asker.ask(item, &frame)
    }

    fn next<'a>(&self, work: &Mutex<Work<'a>>) -> Option<&'a PicturedItem> {
        let mut work = locked(work);
        if self.stop.ending().is_some() || work.over.is_some() || work.gave_up {
            return None;
        }
        work.waiting.pop_front()
    }
}

fn locked<'l, 'a>(work: &'l Mutex<Work<'a>>) -> MutexGuard<'l, Work<'a>> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work<'_> {
    /// Stores an answer.
    fn note(&mut self, answer: GroundingAnswer) -> Result<()> {
        if answer.outcome == GroundingOutcome::Failed {
            let why = answer.why.as_deref().unwrap_or("it gave no reason");
            complain(&format!("{}: no answer, not counted: {why}", answer.item));
            self.failed += 1;
            self.failures += 1;
        } else {
            self.failures = 0;
        }
        if self.failures >= MOST_FAILURES && !self.gave_up {
            self.gave_up = true;
            complain(&format!(
                "{MOST_FAILURES} items in a row got no answer, so the measurement stops"
            ));
        }
        self.progress.note();
        Ok(self.answers.add(answer)?)
    }

    /// Ends the measurement with the first error.
    fn end(&mut self, error: anyhow::Error) {
        self.over.get_or_insert(error);
    }
}

impl MeasurementEnd {
    /// Returns the exit code if nothing else is asked.
    pub(crate) fn code(&self, stop: &Stop) -> u8 {
        match self {
            MeasurementEnd::All(0) => Exit::Finished.code(),
            MeasurementEnd::All(_) | MeasurementEnd::GaveUp => Exit::Incomplete.code(),
            MeasurementEnd::Stopped => stop.ending().map_or(Exit::Finished.code(), |ending| ending.exit_code()),
        }
    }
}

/// Shows the progress: a bar in a terminal, otherwise a line for each tenth of the items.
struct Progress {
    bar: Option<ProgressBar>,
    name: String,
    total: usize,
    done: usize,
}

impl Progress {
    fn new(total: usize, before: usize, name: &str) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bars = MultiProgress::new();
            let bar = bars.add(ProgressBar::new(total as u64).with_position(before as u64));
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos} of {len}, {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(name.to_owned());
            bar.reset_eta();
            terminal::set_foot(Some(bars));
            bar
        });
        Progress {
            bar,
            name: name.to_owned(),
            total,
            done: before,
        }
    }

    fn note(&mut self) {
        let tenth = |done: usize| done * 10 / self.total.max(1);
        let before = tenth(self.done);
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if tenth(self.done) > before => progress(&format!("{}: {} of {}", self.name, self.done, self.total)),
            None => {}
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            terminal::set_foot(None);
        }
    }
}
