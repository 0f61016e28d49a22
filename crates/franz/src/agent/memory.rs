//! How much of the past a request repeats: only the last reply, or the conversation so far.

use std::collections::VecDeque;

use anyhow::anyhow;
use franz_chat::{
    ApartReasoning, Beside, Content, Conversation, Keep, MemoryWindow, Picture, Prompt, Request, Room, Sampling,
    Screenshot, ToolCall, estimated_tokens,
};
use franz_dialect::family::Reasoning;
use franz_dialect::plan::Spoken;
use franz_json::{Raw, Story};
use franz_record::{GivenTask, Run, Status, TurnLine, TurnLines};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Recorder, notices};
use crate::config::settings::{MemoryKind, MemorySettings, Settings};
use crate::idiom::Idiom;
use crate::reading::{Reader, RecordedReply};

/// The past of a run as requests repeat it, and the length of these requests.
pub(crate) struct Memory {
    past: Past,
    /// The ratio of the server's token count to the estimate.
    scale: f64,
    /// The estimated tokens of the last request, and how many of them are text.
    estimated: u64,
    texts: u64,
    /// The count for the last answered request; `None` after another model has answered.
    before: Option<Counted>,
    /// Whether the last request had room for no step but the last, and whether any request had.
    is_crowded: bool,
    was_crowded: bool,
}

/// The tokens that the server counted for a request.
struct Counted {
    window: MemoryWindow,
    texts: u64,
    tokens: u64,
}

/// The part of the past that a request repeats.
enum Past {
    /// The last reply, verbatim, from the run's state.
    Story,
    /// The turns that were shown and answered, starting with the task.
    Conversation(Box<ConversationMemory>),
}

/// A conversation, and how many of its last reply's calls have no result yet.
struct ConversationMemory {
    conversation: Conversation,
    unanswered: usize,
}

/// The part of the past that a request repeated, in the form in which it is recorded.
#[derive(Serialize, Deserialize)]
struct RecordedWindow {
    #[serde(flatten)]
    window: MemoryWindow,
    scale: f64,
}

/// How many pictures beyond those that pruning keeps can accumulate in a request.
const SPARE_SCREENSHOTS: usize = 6;

/// The factor by which to correct the estimate when a server refuses a request as too long without saying how long it
/// is.
const UNDERESTIMATED: f64 = 1.25;

/// The plausible range for the ratio of a server's count to the estimate. Outside this range, the server counts
/// something else.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.2..=5.0;

/// The number of estimated tokens by which a text must grow so that a server that reads all of it counts more tokens.
const CLEARLY_LONGER: u64 = 64;

/// The parts of a request.
pub(super) struct Asked<'a> {
    pub(super) system: &'a str,
    /// The tasks that the person has given, from the first one on.
    pub(super) tasks: &'a [GivenTask],
    /// The messages that the person has sent since.
    pub(super) messages: &'a [GivenTask],
    /// The array of tools, for protocols with function calls.
    pub(super) tools: &'a str,
    pub(super) story: &'a Story,
    pub(super) feedback: &'a str,
    /// The extra pictures, which come before the picture of the screen.
    pub(super) beside: Vec<Beside>,
    pub(super) picture: Option<Picture>,
    pub(super) sampling: &'a Sampling,
    /// The maximum number of tokens in the request.
    pub(super) budget: u64,
    /// The estimated tokens of the picture.
    pub(super) picture_tokens: u64,
}

impl Asked<'_> {
    /// Returns how much room there is for a conversation, in estimated tokens.
    fn room(&self, scale: f64) -> Room {
        let task = self.tasks.iter().map(|task| estimated_tokens(&task.text)).max();
        let said: u64 = self.messages.iter().map(|said| estimated_tokens(&said.text)).sum();
        Room {
            tokens: (self.budget as f64 / scale) as u64,
            picture: self.picture_tokens,
            fixed: estimated_tokens(self.system) + estimated_tokens(self.tools) + task.unwrap_or(0) + said,
        }
    }
}

impl Memory {
    /// Returns the memory of the run so far. Rebuilds a conversation from the records.
    pub(crate) fn of(
        recorder: &mut Recorder,
        settings: &Settings,
        idiom: &Idiom,
        unreadable: &[String],
    ) -> anyhow::Result<Memory> {
        if settings.memory.kind == MemoryKind::Story {
            return Ok(Memory::new(Past::Story, 1.0));
        }
        let mut history = ConversationMemory::new(settings);
        let reader = Reader::new(settings, idiom, unreadable);
        let memory = &settings.memory;
        // A request repeats at most `keep_turns` turns, and the last reply came after the last request.
        let lines = answered(recorder.run(), memory.keep_turns + 1)?;
        let noted = lines.back().and_then(|line| line.window.as_ref());
        let RecordedWindow { window, scale } = noted
            .and_then(|window| serde_json::from_str(window.get()).ok())
            .unwrap_or_else(|| RecordedWindow {
                window: newest(&lines, memory),
                scale: 1.0,
            });
        let scale = plausible(scale).unwrap_or(1.0);
        for line in lines.iter().filter(|line| line.turn >= window.turns) {
            if line.turn == window.turns {
                history.show("", Screenshot::Removed);
            } else {
                history.show(
                    &line.feedback,
                    sight(recorder.run(), line, line.turn >= window.pictures),
                );
                if line.turn >= window.beside.max(window.pictures) {
                    history.conversation.show_beside(beside(recorder.run(), line));
                }
            }
            history.replied(recorder, &reader, line, idiom)?;
        }
        history.conversation.forget(window);
        Ok(Memory::new(Past::Conversation(Box::new(history)), scale))
    }

    /// Returns the memory of a run that has not begun.
    pub(super) fn empty(settings: &Settings) -> Memory {
        let past = match settings.memory.kind {
            MemoryKind::Story => Past::Story,
            MemoryKind::Conversation => Past::Conversation(Box::new(ConversationMemory::new(settings))),
        };
        Memory::new(past, 1.0)
    }

    fn new(past: Past, scale: f64) -> Memory {
        Memory {
            past,
            scale,
            estimated: 0,
            texts: 0,
            before: None,
            is_crowded: false,
            was_crowded: false,
        }
    }

    /// Builds the next request.
    pub(super) fn request(&mut self, settings: &Settings, asked: &Asked<'_>) -> Request {
        let pictures = asked.picture.iter().len() + asked.beside.len();
        match &mut self.past {
            Past::Story => {
                let told = [asked.system, asked.feedback].map(estimated_tokens);
                self.texts = told.iter().sum::<u64>() + estimated_tokens(asked.story.raw());
                self.estimated = self.texts + pictures as u64 * asked.picture_tokens;
                let prompt = Prompt {
                    system: asked.system,
                    story: asked.story,
                    feedback: asked.feedback,
                    beside: &asked.beside,
                    picture: asked.picture.as_ref().map(Into::into),
                };
                Request::new(&prompt, &settings.form(), asked.sampling)
            }
            Past::Conversation(history) => {
                history.show(asked.feedback, asked.picture.clone());
                history.conversation.show_beside(asked.beside.clone());
                let room = asked.room(self.scale);
                history.conversation.keep(settings.memory.keep());
                self.is_crowded = history.conversation.fit(&room);
                self.estimated = history.conversation.tokens(&room);
                self.texts = history.conversation.tokens(&Room { picture: 0, ..room });
                Request::conversation(
                    asked.system,
                    &history.task(asked.tasks, asked.messages),
                    &history.conversation,
                    asked.tools,
                    settings.memory.empty_story.as_deref(),
                    settings.call_form(),
                    asked.sampling,
                )
            }
        }
    }

    /// Compares the tokens that the server counted for the last request with the estimate. Returns the part of the past
    /// that the request repeated, for the record.
    pub(super) fn counted(&mut self, tokens: Option<u64>) -> Option<Raw> {
        let scale = tokens.map(|tokens| tokens as f64 / self.estimated.max(1) as f64);
        self.scale = scale.and_then(plausible).unwrap_or(self.scale);
        let Past::Conversation(history) = &self.past else {
            return None;
        };
        Some(Raw::from(json!(RecordedWindow {
            window: history.conversation.window(),
            scale: self.scale,
        })))
    }

    /// Returns whether the last request, for the first time, had room for no step but the last.
    pub(super) fn is_newly_crowded(&mut self) -> bool {
        let is_new = self.is_crowded && !self.was_crowded;
        self.was_crowded |= self.is_crowded;
        is_new
    }

    /// Returns the estimated tokens of the last request, corrected by the server's earlier counts.
    pub(super) fn needed(&self) -> u64 {
        (self.estimated as f64 * self.scale) as u64
    }

    /// Corrects the estimate upwards for the next request, because the server refused this one as too long. Returns
    /// whether the higher estimate is still plausible.
    pub(super) fn underestimated(&mut self) -> bool {
        let higher = plausible(self.scale * UNDERESTIMATED);
        self.scale = higher.unwrap_or(self.scale);
        higher.is_some()
    }

    /// Notes how many tokens the server counted for an answered request. Returns whether the server must have cut the
    /// request: it counted fewer than half the tokens of the request's text, fewer than for a request that this one
    /// extends, or exactly as many as for a story with clearly shorter text, which shows that this count is its limit.
    pub(super) fn is_cut(&mut self, tokens: u64) -> bool {
        let (texts, window) = (self.texts, self.window());
        let is_too_little = |before: &Counted| match self.past {
            Past::Story => tokens == before.tokens && texts >= before.texts + CLEARLY_LONGER,
            Past::Conversation(_) => before.window == window && before.texts <= texts && tokens < before.tokens,
        };
        let is_cut = tokens < texts / 2 || self.before.as_ref().is_some_and(is_too_little);
        if !is_cut {
            self.before = Some(Counted { window, texts, tokens });
        }
        is_cut
    }

    /// Returns the turns that a conversation still remembers; empty for a story.
    fn window(&self) -> MemoryWindow {
        match &self.past {
            Past::Story => MemoryWindow::default(),
            Past::Conversation(history) => history.conversation.window(),
        }
    }

    /// Forgets the counts so far, because another model's counts apply from now on.
    pub(super) fn read_by_another(&mut self) {
        self.before = None;
    }

    /// Adds a turn's answer, which was read in the idiom of that turn's model.
    pub(super) fn answered(&mut self, line: &TurnLine, spoken: Option<&Spoken>, idiom: &Idiom) {
        if let Past::Conversation(history) = &mut self.past {
            history.answered(line, spoken, idiom);
        }
    }
}

/// Returns the ratio if it is plausible.
fn plausible(scale: f64) -> Option<f64> {
    PLAUSIBLE.contains(&scale).then_some(scale)
}

impl MemorySettings {
    /// Returns how much of the past a conversation keeps.
    pub(super) fn keep(&self) -> Keep {
        Keep {
            screenshots: self.keep_screenshots,
            most_screenshots: self
                .most_screenshots
                .unwrap_or(self.keep_screenshots + SPARE_SCREENSHOTS),
            thinks: self.keep_thinks,
            turns: self.keep_turns,
        }
    }
}

impl ConversationMemory {
    fn new(settings: &Settings) -> ConversationMemory {
        ConversationMemory {
            conversation: Conversation::new(settings.memory.keep()),
            unanswered: 0,
        }
    }

    /// Returns the task as the person first gave it, followed by their later changes and messages from forgotten turns,
    /// so that an outdated task never appears without its change.
    fn task(&self, tasks: &[GivenTask], messages: &[GivenTask]) -> String {
        let Some((first, changes)) = tasks.split_first() else {
            return String::new();
        };
        let oldest = self.conversation.window().turns;
        let is_forgotten = |given: &&GivenTask| given.turn <= oldest;
        let change = changes.iter().rfind(is_forgotten).map(|change| {
            let words = notices::new_task(&change.text);
            format!("\n\nNOTICE (turn {}): {words}", change.turn)
        });
        // Messages from before the last change of the task belong to the old task.
        let since = changes.iter().rfind(is_forgotten).map_or(0, |change| change.turn);
        let said = messages.iter().filter(|said| said.turn >= since).filter(is_forgotten);
        let said = said.map(|said| notices::message_of(said.turn, &said.text));
        let said = said.map(|words| format!("\n\n{words}"));
        [first.text.clone()].into_iter().chain(change).chain(said).collect()
    }

    /// Shows the feedback. Its first lines are the results of the calls, one line each; the rest is addressed to the
    /// model.
    fn show(&mut self, feedback: &str, sight: impl Into<Screenshot>) {
        let mut lines = feedback.lines();
        let results = lines.by_ref().take(self.unanswered).map(str::to_owned).collect();
        let text = lines.collect::<Vec<_>>().join("\n");
        self.conversation.show(results, text.trim().to_owned(), sight);
    }

    fn answered(&mut self, line: &TurnLine, spoken: Option<&Spoken>, idiom: &Idiom) {
        let verbatim = || Content::Verbatim(line.reply.clone().unwrap_or_default());
        let left = spoken.and_then(|spoken| spoken.text.clone());
        let calls = spoken.into_iter().flat_map(|spoken| &spoken.calls);
        let calls: Vec<ToolCall> = calls.map(call).collect();
        self.unanswered = calls.len();
        let content = left.map_or_else(verbatim, Content::Text);
        self.conversation.reply(line.turn, content, calls);
        if let Some(reasoning) = line
            .reasoning
            .clone()
            .filter(|_| idiom.family.reasoning == Some(Reasoning::Keep))
        {
            let name = line.reasoning_name.as_deref();
            self.conversation.reasoned(ApartReasoning::new(name, reasoning));
        }
    }

    /// Adds a recorded turn's answer.
    fn replied(
        &mut self,
        recorder: &mut Recorder,
        reader: &Reader<'_>,
        line: &TurnLine,
        idiom: &Idiom,
    ) -> anyhow::Result<()> {
        let plan = reader.read(RecordedReply::in_turn(line), |hash, over| recorder.reading(hash, over));
        let plan = plan.map_err(|ending| anyhow!("{ending}"))?;
        self.answered(line, plan.spoken.as_ref(), idiom);
        Ok(())
    }
}

/// Returns the window for records that have none: it contains the newest turns and pictures.
fn newest(lines: &VecDeque<TurnLine>, memory: &MemorySettings) -> MemoryWindow {
    let from = |kept: usize| lines.len().checked_sub(kept).and_then(|index| lines.get(index));
    let turn = |kept| from(kept).map_or(0, |line| line.turn);
    MemoryWindow {
        turns: turn(memory.keep_turns),
        pictures: turn(memory.keep_screenshots),
        beside: turn(1),
        thinks: 0,
    }
}

/// Returns at most `most` of the newest answered turns. Failed turns in between are left out.
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

/// Returns the picture that a recorded turn showed, if it is still stored and `wanted`.
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

/// Returns the extra pictures that a recorded turn showed with the screen, if they are still stored.
fn beside(run: &Run, line: &TurnLine) -> Vec<Beside> {
    let again = line.beside.iter().filter_map(|beside| {
        let png = run.picture(&beside.image)?;
        Some(Beside {
            words: beside.words.clone(),
            picture: Picture {
                png: png.into(),
                sha256: beside.image.sha256.clone(),
            },
        })
    });
    again.collect()
}

fn call(call: &franz_dialect::plan::FunctionCall) -> ToolCall {
    ToolCall::new(call.name.as_str(), call.arguments.as_str())
}

#[cfg(test)]
mod tests;
