//! The memory of `conversation`: the model's input and replies, as far back as the memory window reaches.

use std::collections::VecDeque;

use franz_json::Story;

use crate::picture::{Beside, Picture};
use crate::reasoning::ApartReasoning;
use crate::think;
use crate::tool_call::{self, ToolCall};
use crate::window::{Keep, MemoryWindow, Room, brought_down, tokens_of_bytes};

/// The largest number of bytes that the model may have written in the remembered turns. No model's context has room for
/// more.
const MOST_BYTES: usize = 1 << 20;

/// The tokens that a message uses apart from its content: its role, and its start and end markers.
const TOKENS_OF_A_MESSAGE: u64 = 4;

/// The content of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The content as the model wrote it, which is sent back byte for byte.
    Verbatim(Story),
    /// Replacement text, or the reply without some of its think blocks. A lone surrogate becomes U+FFFD.
    Text(String),
}

/// The first message to the model, which is never dropped, and the latest turns.
///
/// ```
/// use franz_chat::{CallForm, Content, Conversation, Keep, Request, Sampling};
/// use franz_json::Story;
///
/// let keep = Keep { screenshots: 1, most_screenshots: 7, thinks: 2, turns: 100 };
/// let mut conversation = Conversation::new(keep);
/// conversation.show(vec![], String::new(), None);
/// conversation.reply(1, Content::Verbatim(Story::empty()), vec![]);
/// conversation.show(vec![], "Go on.".to_owned(), None);
/// let (calls, sampling) = (CallForm::Native, Sampling::default());
/// let request = Request::conversation("Be kind.", "Draw a cat.", &conversation, "[]", None, calls, &sampling);
/// assert!(request.body().ends_with(br#"{"role":"user","content":[{"type":"text","text":"Go on."}]}],"stream":false}"#));
/// ```
#[derive(Debug, Clone)]
pub struct Conversation {
    keep: Keep,
    window: MemoryWindow,
    first: Shown,
    turns: VecDeque<RememberedTurn>,
}

/// A reply and everything that the model was shown after it.
#[derive(Debug, Clone)]
pub(crate) struct RememberedTurn {
    turn: u64,
    pub(crate) content: Content,
    /// The reasoning that the server reported separately from the content.
    pub(crate) reasoning: Option<ApartReasoning>,
    /// Whether the reply contains thoughts, in the content or separately.
    thinks: bool,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) shown: Shown,
}

/// Everything that the model is shown at one time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// One result for each call in the previous reply; the last ones can be missing.
    pub(crate) results: Vec<String>,
    pub(crate) text: String,
    /// Pictures shown before the latest picture; empty if there are none.
    pub(crate) beside: Vec<Beside>,
    pub(crate) sight: Screenshot,
}

/// A picture, or the reason why there is none.
#[derive(Debug, Clone, Default)]
pub enum Screenshot {
    /// No picture was taken.
    #[default]
    Nothing,
    /// There was a picture, but it is no longer sent.
    Removed,
    /// The picture to send.
    Picture(Picture),
}

impl From<Option<Picture>> for Screenshot {
    fn from(picture: Option<Picture>) -> Self {
        picture.map_or(Self::Nothing, Self::Picture)
    }
}

impl Conversation {
    /// Creates an empty conversation.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            window: MemoryWindow::default(),
            first: Shown::default(),
            turns: VecDeque::new(),
        }
    }

    /// Adds the next input for the model: a result for each call in its last reply, in order; some text, which can be
    /// empty; and a picture. Replaces anything shown since the last reply, because the model has not answered it.
    pub fn show(&mut self, mut results: Vec<String>, text: String, sight: impl Into<Screenshot>) {
        let (shown, calls) = match self.turns.back_mut() {
            Some(turn) => (&mut turn.shown, turn.calls.len()),
            None => (&mut self.first, 0),
        };
        results.truncate(calls);
        *shown = Shown {
            results,
            text,
            beside: Vec::new(),
            sight: sight.into(),
        };
    }

    /// Adds pictures to show before the latest picture until they are forgotten.
    pub fn show_beside(&mut self, beside: Vec<Beside>) {
        let shown = self.turns.back_mut().map_or(&mut self.first, |turn| &mut turn.shown);
        shown.beside = beside;
    }

    /// Adds the model's answer in a turn. There is only one per turn.
    ///
    /// The calls get new IDs, made from the turn and each call's position, so that a conversation rebuilt from fewer
    /// turns is sent exactly as before.
    pub fn reply(&mut self, turn: u64, content: Content, mut calls: Vec<ToolCall>) {
        tool_call::name(&mut calls, turn);
        self.turns.push_back(RememberedTurn {
            turn,
            thinks: content.thinks(),
            content,
            reasoning: None,
            calls,
            shown: Shown::default(),
        });
    }

    /// Adds the model's thoughts before its last answer. They are sent back with that answer until thoughts are
    /// forgotten.
    pub fn reasoned(&mut self, reasoning: ApartReasoning) {
        if let Some(turn) = self.turns.back_mut() {
            turn.reasoning = Some(reasoning);
            turn.thinks = true;
        }
    }

    /// Changes how much to keep, starting with the next request.
    pub fn keep(&mut self, keep: Keep) {
        self.keep = keep;
    }

    /// Returns the window of turns that are still remembered.
    pub fn window(&self) -> MemoryWindow {
        self.window
    }

    /// Forgets everything outside this window.
    pub fn forget(&mut self, window: MemoryWindow) {
        while self.turns.front().is_some_and(|turn| turn.turn < window.turns) {
            self.forget_turn();
        }
        self.window = window;
        let later = self
            .turns
            .iter_mut()
            .map(|turn| (turn.turn.saturating_add(1), &mut turn.shown));
        let outside = [(0, &mut self.first)].into_iter().chain(later);
        for (since, shown) in outside {
            if since < window.pictures {
                shown.forget_picture();
            }
            if since < window.beside {
                shown.beside.clear();
            }
        }
        for turn in self.turns.iter_mut().filter(|turn| turn.turn < window.thinks) {
            turn.forget_thoughts();
        }
    }

    /// Prunes the conversation if the request would be too long or contain too many pictures: first old pictures and
    /// thoughts, and then whole turns, until seven tenths of the limit are left. Returns whether its length leaves room
    /// for no turn but the last.
    pub fn fit(&mut self, room: &Room) -> bool {
        let too_many = self.turns.len() > self.keep.turns.max(1);
        let too_large = self.bytes() > MOST_BYTES;
        let too_long = self.tokens(room) > room.tokens;
        if !(too_many || too_large || too_long || self.picture_count() > self.keep.most_screenshots) {
            return false;
        }
        self.forget(self.newest());
        let mut tokens = self.tokens(room);
        let mut bytes = self.bytes();
        while self.turns.len() > 1
            && (too_many && self.turns.len() as u64 > brought_down(self.keep.turns as u64)
                || too_large && bytes as u64 > brought_down(MOST_BYTES as u64)
                || too_long && tokens > brought_down(room.tokens))
        {
            bytes -= self.turns[0].bytes();
            tokens -= self.turns[0].tokens(room);
            self.forget_turn();
        }
        too_long && self.turns.len() == 1
    }

    /// Returns the estimated number of tokens in a request that contains the whole conversation.
    pub fn tokens(&self, room: &Room) -> u64 {
        let turns: u64 = self.turns.iter().map(|turn| turn.tokens(room)).sum();
        room.fixed + self.first.tokens(room) + turns
    }

    /// Returns everything that was shown before the first reply.
    pub(crate) fn first(&self) -> &Shown {
        &self.first
    }

    /// Returns the remembered turns.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &RememberedTurn> {
        self.turns.iter()
    }

    fn picture_count(&self) -> usize {
        let beside = self.turns.iter().map(|turn| turn.shown.beside.len()).sum::<usize>();
        self.pictures().count() + beside + self.first.beside.len()
    }

    /// Returns, for each remembered picture, the first turn that it can belong to. The newest comes first.
    fn pictures(&self) -> impl Iterator<Item = u64> {
        let later = self
            .turns
            .iter()
            .rev()
            .map(|turn| (turn.turn.saturating_add(1), &turn.shown));
        let shown = later.chain([(0, &self.first)]);
        shown.filter(|(_, shown)| shown.has_picture()).map(|(since, _)| since)
    }

    /// Returns the window that contains only the newest pictures and thoughts, and the pictures shown with the last
    /// one.
    fn newest(&self) -> MemoryWindow {
        let latest = self.turns.back().map_or(&self.first, |turn| &turn.shown);
        let room = self.keep.most_screenshots.saturating_sub(latest.beside.len()).max(1);
        let picture = self.pictures().nth(self.keep.screenshots.min(room));
        let thinking = self.turns.iter().rev().filter(|turn| turn.thinks);
        let thought = thinking.map(|turn| turn.turn).nth(self.keep.thinks);
        let behind = |oldest: Option<u64>, before: u64| oldest.map_or(before, |turn| turn.saturating_add(1));
        MemoryWindow {
            pictures: behind(picture, self.window.pictures),
            beside: self.pictures().next().unwrap_or(self.window.beside),
            thinks: behind(thought, self.window.thinks),
            ..self.window
        }
    }

    fn bytes(&self) -> usize {
        self.turns.iter().map(RememberedTurn::bytes).sum()
    }

    /// Forgets the oldest turn, along with everything shown before it. The window then begins with the next turn that
    /// has a reply, because there can be failed turns in between.
    fn forget_turn(&mut self) {
        let Some(turn) = self.turns.pop_front() else { return };
        let next = self.turns.front().map(|next| next.turn);
        self.window.turns = next.unwrap_or_else(|| turn.turn.saturating_add(1));
        self.first = Shown {
            sight: Screenshot::Removed,
            ..Shown::default()
        };
    }
}

impl Content {
    fn thinks(&self) -> bool {
        match self {
            Self::Verbatim(story) => think::is_in(&story.text()),
            Self::Text(text) => think::is_in(text),
        }
    }

    fn without_thoughts(&self) -> String {
        match self {
            Self::Verbatim(story) => think::without(&story.text()),
            Self::Text(text) => think::without(text),
        }
    }
}

impl RememberedTurn {
    /// Returns the number of bytes that the model wrote in this turn.
    fn bytes(&self) -> usize {
        let content = match &self.content {
            Content::Verbatim(story) => story.raw().len(),
            Content::Text(text) => text.len(),
        };
        let reasoning = self.reasoning.as_ref().map_or(0, |reasoning| reasoning.text().len());
        let calls = self.calls.iter().map(|call| call.name.len() + call.arguments.len());
        content + reasoning + calls.sum::<usize>()
    }

    /// Returns the estimated number of tokens that this turn takes in a request.
    fn tokens(&self, room: &Room) -> u64 {
        let messages = 1 + self.calls.len() as u64;
        messages * TOKENS_OF_A_MESSAGE + tokens_of_bytes(self.bytes()) + self.shown.tokens(room)
    }

    fn forget_thoughts(&mut self) {
        if self.reasoning.take().is_some() {
            self.thinks = self.content.thinks();
        }
        // Repeat this, because the text around a removed block might now look like a block that was cut off.
        while self.thinks {
            self.content = Content::Text(self.content.without_thoughts());
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
        self.beside.clear();
    }

    fn tokens(&self, room: &Room) -> u64 {
        let texts = self.results.iter().chain([&self.text]).map(String::len).sum();
        let pictures = u64::from(self.has_picture()) + self.beside.len() as u64;
        TOKENS_OF_A_MESSAGE + tokens_of_bytes(texts) + pictures * room.picture
    }
}
