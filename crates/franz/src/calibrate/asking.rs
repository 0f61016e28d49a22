//! Asks one question after another: whom to ask, how often, and what else each answer reveals.

use std::time::Duration;

use anyhow::Result;
use franz_chat::{Answer, Failed, Next, Picture, Question, Request, Sampling, ServerPace, Trials, Trouble, Usage};
use franz_dialect::calibration::MOST;
use franz_screen::Interrupt as _;

use crate::agent::ModelServers;
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::terminal::complain;

/// The maximum number of questions in one calibration: one shows whether the model sees pictures, two show how it
/// writes calls, and the rest are about targets.
pub(crate) const MOST_QUESTIONS: usize = 3 + MOST;

/// Something that answers questions.
pub(crate) trait Respondent {
    /// Sends a request without retries. Returns `None` if the person stopped it.
    fn ask(&mut self, request: &Request) -> Result<Option<Reaction>>;
}

/// The result of a request, and how long it took.
#[derive(Debug)]
pub(crate) struct Reaction {
    pub(crate) answer: Result<Answer, Failed>,
    pub(crate) took: Duration,
}

/// Reports how far a calibration has got.
pub(crate) trait CalibrationProgress {
    /// Reports the current question's number and topic.
    fn asks(&mut self, number: usize, about: &str);
}

/// The person stopped the calibration, so none of it is kept.
#[derive(Debug, thiserror::Error)]
#[error("stopped; nothing was stored")]
pub(crate) struct Stopped;

/// A model server that gets requests until the person stops the calibration.
pub(crate) struct ServerAsked<'a> {
    pub(crate) servers: &'a ModelServers,
    pub(crate) stop: &'a Stop,
}

impl Respondent for ServerAsked<'_> {
    fn ask(&mut self, request: &Request) -> Result<Option<Reaction>> {
        let mut trials: Trials = self.servers.turn();
        loop {
            let (answer, took) = self.servers.ask(request, &[], self.stop, || false);
            let Some(answer) = answer else { return Ok(None) };
            let waits = |failed: &Failed| matches!(failed.failure.trouble(), Trouble::Busy | Trouble::Absent);
            let failed = match answer {
                // Use even an odd answer, because asking again would cost another question.
                Err(failed) if waits(&failed) => failed,
                answer => return Ok(Some(Reaction { answer, took })),
            };
            match trials.after(&failed.failure, took, fastrand::f64()) {
                Next::Again(wait) | Next::Elsewhere(wait) => {
                    let seconds = wait.as_secs_f64();
                    complain(&format!("{failed}; next try in {seconds:.1} s"));
                    self.stop.sleep(wait);
                    if self.stop.ending().is_some() {
                        return Ok(None);
                    }
                }
                Next::Fail | Next::End => return Err(Unusable::server(failed.failure).into()),
            }
        }
    }
}

/// An answer in the form that a calibration uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    /// The answer's words, including thoughts.
    pub(super) text: String,
    /// The array of tool calls that the server reported.
    pub(super) calls: Option<String>,
    /// Whether the server returns thoughts separately from the words.
    pub(super) reasons: bool,
    /// Whether the answer was cut off at the token limit.
    pub(super) cut: bool,
    /// The reason why there is no answer, in the server's words or ours.
    pub(super) trouble: Option<String>,
    pub(super) usage: Usage,
    pub(super) pace: ServerPace,
    pub(super) took: Duration,
}

/// Asks one question after another.
pub(super) struct Asking<'a> {
    pub(super) asked: &'a mut dyn Respondent,
    pub(super) progress: &'a mut dyn CalibrationProgress,
    pub(super) sampling: &'a Sampling,
    pub(super) count: usize,
}

impl Asking<'_> {
    /// Asks a question about a picture. Fails if the person stops the calibration, or if the server cannot answer.
    pub(super) fn ask(
        &mut self,
        about: &str,
        picture: &Picture,
        system: &str,
        words: &str,
        tools: &str,
    ) -> Result<Heard> {
        self.count += 1;
        self.progress.asks(self.count, about);
        let question = Question {
            system,
            picture: picture.into(),
            words,
            tools,
        };
        let request = Request::question(&question, self.sampling);
        let reaction = self.asked.ask(&request)?.ok_or(Stopped)?;
        self.heard(reaction)
    }

    fn heard(&self, Reaction { answer, took }: Reaction) -> Result<Heard> {
        match answer {
            Ok(Answer { reply, .. }) => Ok(Heard {
                text: reply.story().map(franz_json::Story::text).unwrap_or_default(),
                calls: reply.tool_calls().map(|calls| calls.get().to_owned()),
                reasons: reply.reasoning().is_some(),
                cut: reply.cut(self.sampling.max_tokens),
                trouble: None,
                usage: reply.usage(),
                pace: reply.pace(),
                took,
            }),
            Err(Failed { failure, usage, .. }) => match failure.trouble() {
                Trouble::Useless | Trouble::Spent | Trouble::Lasting => Ok(Heard {
                    cut: failure.trouble() == Trouble::Spent,
                    trouble: Some(failure.to_string()),
                    usage,
                    took,
                    ..Heard::default()
                }),
                Trouble::Absent | Trouble::Busy | Trouble::Slow => Err(Unusable::server(failure).into()),
            },
        }
    }
}
