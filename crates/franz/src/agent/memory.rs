//! What a request holds of the past: the last reply alone, or the conversation so far.

use std::collections::VecDeque;

use anyhow::anyhow;
use franz_chat::{Content, Conversation, Keep, Picture, Prompt, Request, Sampling, Screenshot, ToolCall};
use franz_dialect::plan::Spoken;
use franz_json::Story;
use franz_record::{Run, Status, TurnLine, TurnLines};

use super::Recorder;
use crate::config::settings::{MemoryKind, Settings};
use crate::idiom::Idiom;
use crate::reading::{Reader, RecordedReply};

/// The past of a run, as requests present it.
pub(crate) enum Memory {
    /// The last reply, verbatim, from the run's state.
    Story,
    /// What was shown and answered, from the task on.
    Conversation(ConversationMemory),
}

/// A conversation, and how many calls of its last reply are still to be answered.
pub(crate) struct ConversationMemory {
    conversation: Conversation,
    unanswered: usize,
}

/// The parts of a request.
pub(super) struct Asked<'a> {
    pub(super) system: &'a str,
    pub(super) goal: &'a str,
    /// The array of tools, in protocols with function calls.
    pub(super) tools: &'a str,
    pub(super) story: &'a Story,
    pub(super) feedback: &'a str,
    pub(super) picture: Option<Picture>,
    pub(super) sampling: &'a Sampling,
}

impl Memory {
    /// Returns the memory of a run so far; rebuilds a conversation from the records.
    pub(crate) fn of(
        recorder: &mut Recorder,
        settings: &Settings,
        idiom: &Idiom,
        unreadable: &[String],
    ) -> anyhow::Result<Memory> {
        if settings.memory.kind == MemoryKind::Story {
            return Ok(Memory::Story);
        }
        let mut history = ConversationMemory::new(settings);
        let reader = Reader::new(settings, idiom, unreadable);
        let kept = settings.memory.keep_turns;
        let mut shown = answered(recorder.run(), kept + 1)?;
        // Older exchanges came before those that are kept; they are over.
        if shown.len() > kept
            && let Some(first) = shown.pop_front()
        {
            history.show("", Screenshot::Removed);
            history.replied(recorder, &reader, &first)?;
        }
        let old = shown.len().saturating_sub(settings.memory.keep_screenshots);
        for (index, line) in shown.iter().enumerate() {
            history.show(&line.feedback, sight(recorder.run(), line, index >= old));
            history.replied(recorder, &reader, line)?;
        }
        Ok(Memory::Conversation(history))
    }

    /// Builds the next request.
    pub(super) fn request(&mut self, settings: &Settings, asked: &Asked<'_>) -> Request {
        match self {
            Memory::Story => {
                let prompt = Prompt {
                    system: asked.system,
                    story: asked.story,
                    feedback: asked.feedback,
                    picture: asked.picture.as_ref().map(Into::into),
                };
                Request::new(&prompt, &settings.form(), asked.sampling)
            }
            Memory::Conversation(history) => {
                history.show(asked.feedback, asked.picture.clone());
                Request::conversation(
                    asked.system,
                    asked.goal,
                    &history.conversation,
                    asked.tools,
                    settings.memory.empty_story.as_deref(),
                    asked.sampling,
                )
            }
        }
    }

    /// Takes in the answer of a turn.
    pub(super) fn answered(&mut self, turn: u64, story: Option<&Story>, spoken: Option<&Spoken>) {
        if let Memory::Conversation(history) = self {
            history.answered(turn, story, spoken);
        }
    }
}

impl ConversationMemory {
    fn new(settings: &Settings) -> ConversationMemory {
        let memory = &settings.memory;
        ConversationMemory {
            conversation: Conversation::new(Keep {
                screenshots: memory.keep_screenshots,
                thinks: memory.keep_thinks,
                turns: memory.keep_turns,
            }),
            unanswered: 0,
        }
    }

    /// Shows the feedback: its first lines are the results of the calls, one each; the rest is addressed to the model.
    fn show(&mut self, feedback: &str, sight: impl Into<Screenshot>) {
        let mut lines = feedback.lines();
        let results = lines.by_ref().take(self.unanswered).map(str::to_owned).collect();
        let text = lines.collect::<Vec<_>>().join("\n");
        self.conversation.show(results, text.trim().to_owned(), sight);
    }

    fn answered(&mut self, turn: u64, story: Option<&Story>, spoken: Option<&Spoken>) {
        let verbatim = || Content::Verbatim(story.cloned().unwrap_or_default());
        let left = spoken.and_then(|spoken| spoken.text.clone());
        let calls = spoken.into_iter().flat_map(|spoken| &spoken.calls);
        let calls: Vec<ToolCall> = calls.map(call).collect();
        self.unanswered = calls.len();
        let content = left.map_or_else(verbatim, Content::Text);
        self.conversation.reply(turn, content, calls);
    }

    /// Takes in the answer of a recorded turn.
    fn replied(&mut self, recorder: &mut Recorder, reader: &Reader<'_>, line: &TurnLine) -> anyhow::Result<()> {
        let plan = reader.read(RecordedReply::in_turn(line), |hash, over| recorder.reading(hash, over));
        let plan = plan.map_err(|ending| anyhow!("{ending}"))?;
        self.answered(line.turn, line.reply.as_ref(), plan.spoken.as_ref());
        Ok(())
    }
}

/// Returns at most `most` of the newest answered turns; failed ones may lie between them.
fn answered(run: &Run, most: usize) -> anyhow::Result<VecDeque<TurnLine>> {
    let mut wanted = most;
    loop {
        let (lines, _unreadable) = TurnLines::newest(run.home(), wanted)?;
        let all = lines.len() < wanted;
        let mut answered: VecDeque<TurnLine> = lines.into_iter().filter(|line| line.status == Status::Ok).collect();
        if all || answered.len() >= most {
            answered.drain(..answered.len().saturating_sub(most));
            return Ok(answered);
        }
        wanted = wanted.saturating_mul(2);
    }
}

/// Returns what a recorded turn showed, as far as it can still be seen.
fn sight(run: &Run, line: &TurnLine, wanted: bool) -> Screenshot {
    let Some(image) = &line.image else {
        return Screenshot::Nothing;
    };
    let png = wanted.then(|| run.picture(image));
    png.flatten().map_or(Screenshot::Removed, |png| {
        Screenshot::Picture(Picture {
            png: png.into(),
            sha256: image.sha256.clone(),
        })
    })
}

fn call(call: &franz_dialect::plan::FunctionCall) -> ToolCall {
    ToolCall::new(call.name.as_str(), call.arguments.as_str())
}

#[cfg(test)]
mod tests;
