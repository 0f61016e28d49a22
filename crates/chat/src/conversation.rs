//! The memory of `conversation`: what the model was shown and what it answered, as far back as it is to remember.
//!
//! What is older goes: pictures first, then think blocks, then whole turns. It goes when a reply is added, so that
//! memory stays as it is however many turns there are.

use std::collections::VecDeque;

use franz_json::Story;

use crate::picture::Picture;
use crate::think;
use crate::tool_call::{self, ToolCall};

/// What the model wrote in the turns that are remembered, in bytes; more than fits into any model's context.
const MOST_BYTES: usize = 1 << 20;

/// How much of the past the model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Pictures, the latest included.
    pub screenshots: usize,
    /// Think blocks.
    pub thinks: usize,
    /// Turns, each a reply and what was shown after it; 0 is taken as 1.
    pub turns: usize,
}

/// The content of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// As the model wrote it: sent back to the byte.
    Verbatim(Story),
    /// A text in its place, or what is left of it without some of its think blocks; a lone surrogate is U+FFFD there.
    Text(String),
}

/// A first message to the model, which never goes, and the latest turns.
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
    /// The think blocks in the content.
    thinks: usize,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) shown: Shown,
}

/// What the model is shown at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// One for each call of the reply before; those at the end may be missing.
    pub(crate) results: Vec<String>,
    pub(crate) text: String,
    pub(crate) sight: Screenshot,
}

/// A picture, or what has become of it.
#[derive(Debug, Clone, Default)]
pub enum Screenshot {
    /// There was none.
    #[default]
    Nothing,
    /// There was one, which is not shown any more.
    Removed,
    /// This one.
    Picture(Picture),
}

impl From<Option<Picture>> for Screenshot {
    fn from(picture: Option<Picture>) -> Self {
        picture.map_or(Self::Nothing, Self::Picture)
    }
}

impl Conversation {
    /// A conversation in which nothing has been said.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            first: Shown::default(),
            turns: VecDeque::new(),
        }
    }

    /// Adds what the model is shown next: a result for each call of its last reply, in their order, a text, which may be
    /// empty, and a picture. What was shown since the last reply is replaced, for the model has not answered it.
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

    /// Adds what the model answered in a turn, which answers once.
    ///
    /// The ids of the calls are replaced by others, made of the turn and the place of each call in the reply: a
    /// conversation that is rebuilt from fewer turns than it has had is sent as it was before.
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

    /// What was shown before the first reply.
    pub(crate) fn first(&self) -> &Shown {
        &self.first
    }

    /// What followed, as far as it is remembered.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &RememberedTurn> {
        self.turns.iter()
    }

    /// How many of the pictures, from the oldest on, are not to be sent any more.
    pub(crate) fn pictures_too_many(&self) -> usize {
        let shown = self.turns().map(|turn| &turn.shown);
        let pictures = shown.chain([&self.first]).filter(|shown| shown.has_picture());
        pictures.count().saturating_sub(self.keep.screenshots)
    }

    /// Forgets turns that are too many, or that are too long together: a request has to fit into what servers take.
    fn forget_turns(&mut self) {
        let mut bytes: usize = self.turns.iter().map(RememberedTurn::bytes).sum();
        while self.turns.len() > self.keep.turns.max(1) || (bytes > MOST_BYTES && self.turns.len() > 1) {
            bytes -= self.turns.pop_front().map_or(0, |turn| turn.bytes());
            // It is older than any picture of the turn that has just gone.
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

    /// What is left without that many think blocks.
    fn without_thinks(&self, count: usize) -> String {
        match self {
            Self::Verbatim(story) => think::without_first(&story.text(), count),
            Self::Text(text) => think::without_first(text, count),
        }
    }
}

impl RememberedTurn {
    /// How much the model wrote in it.
    fn bytes(&self) -> usize {
        let content = match &self.content {
            Content::Verbatim(story) => story.raw().len(),
            Content::Text(text) => text.len(),
        };
        let calls = self.calls.iter().map(|call| call.name.len() + call.arguments.len());
        content + calls.sum::<usize>()
    }

    /// Cuts the older think blocks out of the content until no more than `most` are left.
    fn keep_thinks(&mut self, most: usize) {
        // Once more, should what is left of a block's opening now read as one that was cut off.
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
