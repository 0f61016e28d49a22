//! Records turns and pictures for agents that do not record them. Each chat request becomes a turn.

use std::borrow::Cow;

use franz_chat::Reply;
use franz_home::Home;
use franz_json::{Raw, members};
use franz_record::digest::sha256_hex;
use franz_record::state::STATE_FILE;
use franz_record::{
    Image, PictureFile, PictureName, ResumeError, Run, RunError, RunOptions, RunState, Status, StoredStory, TurnLine,
    TurnLines,
};

use super::recorded_request::RecordedRequest;
use super::redaction::picture;
use super::{Judged, Output, png};
use crate::verify::request;
use franz_secret::Secret;

pub(super) struct ForeignTurns {
    home: Home,
    how: RunOptions,
    secret: Secret,
    /// The run, opened at the first turn and again after a failure.
    open: Option<(Run, RunState)>,
}

impl ForeignTurns {
    pub(super) fn new(home: &Home, how: RunOptions, secret: Secret) -> Self {
        Self {
            home: home.clone(),
            how,
            secret,
            open: None,
        }
    }

    /// Returns the last recorded turn; 0 if there is none.
    pub(super) fn last_turn(&self) -> u64 {
        let newest = TurnLines::newest(&self.home, 1);
        newest.map_or(0, |(lines, _)| lines.last().map_or(0, |line| line.turn))
    }

    fn record(&self, run: &mut Run, state: &mut RunState, judged: &Judged<'_>) -> Result<(), RunError> {
        let body = judged.exchange.request.payload().unwrap_or_default();
        let text = str::from_utf8(&body).unwrap_or_default();
        let asked = RecordedRequest::read(text);
        let mut line = self.hidden(Self::line(judged, &asked, &body));
        if let Some(bytes) = asked
            .pictures
            .last()
            .and_then(|place| picture(text.get(place.clone())?.as_bytes()))
        {
            let seen = PictureName::seen(line.turn);
            line.image = image(seen, &bytes);
            if line.image.is_some() {
                run.write_picture(seen, PictureFile::Png(&bytes))?;
                // It is not known which marks the agent drew, so this also serves as the picture without marks.
                run.write_picture(PictureName::plain(line.turn), PictureFile::SameAs(seen))?;
            } else {
                line.errors
                    .push("the picture was not saved because it is not a PNG".to_owned());
            }
        }
        let mut next = state.clone();
        next.completed(&line);
        run.commit(None, &line, &next)?;
        *state = next;
        Ok(())
    }

    /// Returns the line in a form that can be stored, with all API keys removed.
    fn hidden(&self, line: TurnLine) -> TurnLine {
        let json = serde_json::to_vec(&line).unwrap_or_default();
        match self.secret.bytes(&json) {
            Cow::Borrowed(_) => line,
            // If the line can no longer be parsed without the keys, keep only its turn and start time.
            Cow::Owned(hidden) => {
                serde_json::from_slice(&hidden).unwrap_or_else(|_| TurnLine::new(line.turn, &line.started))
            }
        }
    }

    fn line(judged: &Judged<'_>, asked: &RecordedRequest, body: &[u8]) -> TurnLine {
        let verdict = &judged.verdict;
        let mut line = TurnLine::new(verdict.turn.unwrap_or_default(), &verdict.started);
        line.ms.model = judged.exchange.whole.into();
        line.feedback.clone_from(&asked.feedback);
        line.sampling = Raw::parse(&asked.sampling).ok();
        line.model.clone_from(&asked.model);
        line.attempts = 1;
        if let Ok(story) = request::story(body) {
            line.story = StoredStory::Full(story);
        }
        if let Some(reply) = &judged.received.reply {
            take_reply(&mut line, reply);
        }
        if let Some(why) = judged.received.missing() {
            line.status = Status::Failed;
            line.errors.push(why.to_owned());
        }
        line
    }
}

impl Output for ForeignTurns {
    fn take(&mut self, judged: &Judged<'_>) -> Result<(), String> {
        let (mut run, mut state) = match self.open.take() {
            Some(open) => open,
            None => open(&self.home, self.how).map_err(|error| error.to_string())?,
        };
        let recorded = self.record(&mut run, &mut state, judged);
        self.open = Some((run, state));
        recorded.map_err(|error| error.to_string())
    }
}

/// Continues the run or begins it. Its directory exists, but is empty if the agent does not know about it.
fn open(home: &Home, how: RunOptions) -> Result<(Run, RunState), RunError> {
    let opened = Run::open(home.clone(), how);
    let (run, resumed) = match opened {
        Err(RunError::Resume(ResumeError::NotARun { .. })) => {
            home.replace(STATE_FILE, &first_state(home), false)?;
            Run::open(home.clone(), how)?
        }
        opened => opened?,
    };
    for notice in resumed.notices {
        tracing::warn!("{notice}");
    }
    Ok((run, resumed.state))
}

/// Marks a directory as a run, unless it is already one.
pub(super) fn begin(home: &Home) {
    if franz_record::resume::check_is_run(home).is_err()
        && let Err(error) = home.replace(STATE_FILE, &first_state(home), false)
    {
        tracing::warn!("{error}");
    }
}

fn first_state(home: &Home) -> Vec<u8> {
    serde_json::to_vec(&RunState::new(home.name())).unwrap_or_default()
}

fn take_reply(line: &mut TurnLine, reply: &Reply) {
    line.reply = reply.story().cloned();
    line.reasoning = reply.reasoning().map(|reasoning| reasoning.text().to_owned());
    line.reasoning_name = reply.reasoning().map(|reasoning| reasoning.name().to_owned());
    line.tool_calls = reply.tool_calls().cloned();
    line.finish = reply.finish().map(str::to_owned);
    line.cut = reply.cut(None);
    let usage = || {
        let [usage] = members(str::from_utf8(reply.raw()).ok()?, ["usage"])?;
        usage.map(Raw::from)
    };
    line.usage = usage().filter(|usage| usage.get().starts_with('{'));
    if let Some(model) = reply.model() {
        line.model = Some(model.to_owned());
    }
}

fn image(name: PictureName, bytes: &[u8]) -> Option<Image> {
    let (width, height) = png::size(bytes)?;
    Some(Image {
        file: name.to_string(),
        sha256: sha256_hex(bytes),
        width,
        height,
        bytes: bytes.len() as u64,
    })
}
