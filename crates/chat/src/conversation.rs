//! The memory of `conversation`: what the model was shown and what it answered, as far back as configured.
//!
//! Older content is dropped: pictures first, then think blocks, then whole turns. That happens when a reply is added,
//! so that memory stays bounded however many turns there are.

use std::collections::VecDeque;

use franz_json::Story;

use crate::picture::Picture;
use crate::think;
use crate::tool_call::{self, ToolCall};

/// The most bytes that the model wrote in the remembered turns; more than fits into any model's context.
const MOST_BYTES: usize = 1 << 20;

/// How much of the past the model keeps seeing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// How many pictures, including the latest.
    pub screenshots: usize,
    /// How many think blocks.
    pub thinks: usize,
    /// How many turns, each a reply and what was shown after it; 0 counts as 1.
    pub turns: usize,
}

/// The content of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// As the model wrote it, sent back byte for byte.
    Verbatim(Story),
    /// A text in its place, or the reply without some of its think blocks. A lone surrogate becomes U+FFFD.
    Text(String),
}

/// A first message to the model, which is never dropped, and the latest turns.
///
/// ```
/// use franz_chat::{Content, Conversation, Keep, Request, Sampling};
/// use franz_json::Story;
///
/// let mut conversation = Conversation::new(Keep { screenshots: 2, thinks: 2, turns: 100 });
/// conversation.show(vec![], String::new(), None);
/// conversation.reply(1, Content::Verbatim(Story::empty()), vec![]);
/// conversation.show(vec![], "Go on.".to_owned(), None);
/// let request = Request::conversation("Be kind.", "Draw a cat.", &conversation, "[]", None, &Sampling::default());
/// assert!(request.body().ends_with(br#"{"role":"user","content":[{"type":"text","text":"Go on."}]}],"stream":false}"#));
/// ```
#[derive(Debug, Clone)]
pub struct Conversation {
    keep: Keep,
    first: Shown,
    turns: VecDeque<RememberedTurn>,
}

/// A reply and what was shown after it.
#[derive(Debug, Clone)]
pub(crate) struct RememberedTurn {
    pub(crate) content: Content,
    /// How many think blocks the content holds.
    thinks: usize,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) shown: Shown,
}

/// What the model is shown at one time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// One for each call of the previous reply; those at the end may be missing.
    pub(crate) results: Vec<String>,
    pub(crate) text: String,
    pub(crate) sight: Screenshot,
}

/// A picture, or why there is none.
#[derive(Debug, Clone, Default)]
pub enum Screenshot {
    /// There was none.
    #[default]
    Nothing,
    /// There was one, but it is no longer shown.
    Removed,
    /// This picture.
    Picture(Picture),
}

impl From<Option<Picture>> for Screenshot {
    fn from(picture: Option<Picture>) -> Self {
        picture.map_or(Self::Nothing, Self::Picture)
    }
}

impl Conversation {
    /// Creates a conversation in which nothing has been said.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            first: Shown::default(),
            turns: VecDeque::new(),
        }
    }

    /// Adds what the model is shown next: a result for each call of its last reply in order, a text, which may be
    /// empty, and a picture. It replaces what was shown since the last reply, which the model has not answered.
    pub fn show(&mut self, mut results: Vec<String>, text: String, sight: impl Into<Screenshot>) {
        let (shown, calls) = match self.turns.back_mut() {
            Some(turn) => (&mut turn.shown, turn.calls.len()),
            None => (&mut self.first, 0),
        };
        results.truncate(calls);
        *shown = Shown {
            results,
            text,
            sight: sight.into(),
        };
    }

    /// Adds the model's answer in a turn. A turn answers only once.
    ///
    /// The ids of the calls are replaced by ones made from the turn and the position of each call, so that a
    /// conversation rebuilt from fewer turns is sent exactly as before.
    pub fn reply(&mut self, turn: u64, content: Content, mut calls: Vec<ToolCall>) {
        self.forget_pictures();
        tool_call::name(&mut calls, turn);
        self.turns.push_back(RememberedTurn {
            thinks: content.thinks(),
            content,
            calls,
            shown: Shown::default(),
        });
        self.forget_turns();
        self.forget_thinks();
    }

    /// Returns what was shown before the first reply.
    pub(crate) fn first(&self) -> &Shown {
        &self.first
    }

    /// Returns the remembered turns.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &RememberedTurn> {
        self.turns.iter()
    }

    /// Returns how many of the pictures, from the oldest on, are no longer to be sent.
    pub(crate) fn pictures_too_many(&self) -> usize {
        let shown = self.turns().map(|turn| &turn.shown);
        let pictures = shown.chain([&self.first]).filter(|shown| shown.has_picture());
        pictures.count().saturating_sub(self.keep.screenshots)
    }

    /// Forgets turns beyond the limits on number and total length: a request has to fit into what servers accept.
    fn forget_turns(&mut self) {
        let mut bytes: usize = self.turns.iter().map(RememberedTurn::bytes).sum();
        while self.turns.len() > self.keep.turns.max(1) || (bytes > MOST_BYTES && self.turns.len() > 1) {
            bytes -= self.turns.pop_front().map_or(0, |turn| turn.bytes());
            // It is older than any picture of the turn just dropped.
            self.first.forget_picture();
        }
    }

    fn forget_pictures(&mut self) {
        let too_many = self.pictures_too_many();
        let later = self.turns.iter_mut().map(|turn| &mut turn.shown);
        let oldest_first = [&mut self.first].into_iter().chain(later);
        let pictures = oldest_first.filter(|shown| shown.has_picture());
        pictures
            .take(too_many)
            .for_each(|shown| shown.sight = Screenshot::Removed);
    }

    fn forget_thinks(&mut self) {
        let mut left = self.keep.thinks;
        for turn in self.turns.iter_mut().rev() {
            turn.keep_thinks(left);
            left -= turn.thinks;
        }
    }
}

impl Content {
    fn thinks(&self) -> usize {
        match self {
            Self::Verbatim(story) => think::count(&story.text()),
            Self::Text(text) => think::count(text),
        }
    }

    /// Returns the text without its first `count` think blocks.
    fn without_thinks(&self, count: usize) -> String {
        match self {
            Self::Verbatim(story) => think::without_first(&story.text(), count),
            Self::Text(text) => think::without_first(text, count),
        }
    }
}

impl RememberedTurn {
    /// Returns how much the model wrote in it.
    fn bytes(&self) -> usize {
        let content = match &self.content {
            Content::Verbatim(story) => story.raw().len(),
            Content::Text(text) => text.len(),
        };
        let calls = self.calls.iter().map(|call| call.name.len() + call.arguments.len());
        content + calls.sum::<usize>()
    }

    /// Cuts the oldest think blocks from the content until at most `most` are left.
    fn keep_thinks(&mut self, most: usize) {
        // Repeats if the remains of a block's opening now read as a block that was cut off.
        while self.thinks > most {
            self.content = Content::Text(self.content.without_thinks(self.thinks - most));
            self.thinks = self.content.thinks();
        }
    }
}

impl Shown {
    fn has_picture(&self) -> bool {
        matches!(self.sight, Screenshot::Picture(_))
    }

    fn forget_picture(&mut self) {
        if self.has_picture() {
            self.sight = Screenshot::Removed;
        }
    }
}
