//! What one agent last received, and whether it sends that back unchanged.

use franz_json::Story;
use serde::{Deserialize, Serialize};

use super::difference::{difference, same};
use super::reply::ReplyStory;
use crate::verdict::{StoryDifference, VerdictKind};

/// How many replies to keep: the last one, and the one before it in case a turn is repeated.
const REPLIES: usize = 2;

/// The maximum length in bytes of a placeholder that is accepted in place of an empty story.
const STAND_IN: usize = 4096;

/// Explains a match if nothing but the agent's own record shows what it received.
const RECORDED: &str = "the previous reply is known only from the record: no panel was watching when it arrived";

/// An agent's memory, as far as it can be observed from outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentMemory {
    /// The last replies that might have become its story, oldest first. If the agent names turns, each reply is from a
    /// different turn.
    #[serde(default)]
    replies: Vec<Known>,
    /// The story in its last request.
    #[serde(default)]
    asked: Option<Known>,
    /// The placeholder that it sends for an empty story.
    #[serde(default)]
    stand_in: EmptyStory,
}

/// A story and the turn it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    /// The turn, if the agent names turns.
    #[serde(default)]
    turn: Option<u64>,
    /// The story; `None` if it could not be observed.
    #[serde(default)]
    story: Option<Story>,
    /// Why it could not be observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Whether the story is known only from the agent's own record, and was not seen in transit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recorded: bool,
}

/// What an agent sends for an empty story. Some servers refuse empty content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EmptyStory {
    /// It has not sent an empty story yet.
    #[default]
    Unknown,
    /// The empty story.
    Nothing,
    /// This text.
    Text(Story),
}

/// The result of judging a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) kind: VerdictKind,
    pub(crate) why: Option<String>,
    pub(crate) difference: Option<StoryDifference>,
}

/// What a request must contain.
enum Expected<'a> {
    /// This reply.
    Reply(&'a Story),
    /// The story that was sent before, because there has been no reply yet.
    Asked(&'a Story),
    /// A story that could not be observed, for this reason.
    Unseen(String),
    /// Any story, because nothing is known about this agent. The string explains why, if there is more to say.
    Anything(Option<String>),
}

impl AgentMemory {
    /// Judges the story of a request.
    pub(crate) fn judge(&mut self, turn: Option<u64>, sent: &Story) -> Judgement {
        let mut finding = self.find(turn, sent);
        if finding.kind == VerdictKind::Match && self.lower(turn).last().is_some_and(|reply| reply.recorded) {
            finding.why.get_or_insert_with(|| RECORDED.to_owned());
        }
        self.learn_stand_in(turn, sent, finding.kind);
        finding
    }

    /// Records the story in a request. `sent` is `None` if the story could not be read.
    pub(crate) fn ask(&mut self, turn: Option<u64>, sent: Option<Story>) {
        self.asked = Some(Known {
            turn,
            story: sent,
            why: None,
            recorded: false,
        });
    }

    /// Adds a reply that the agent recorded while no panel was watching.
    pub(crate) fn catch_up(&mut self, turn: u64, story: Story, unwatched: bool) {
        let asked = self.asked.as_ref().and_then(|asked| asked.turn);
        let seen = asked >= Some(turn) && self.replies.last().is_some_and(|reply| reply.turn >= Some(turn));
        if seen && !unwatched {
            return;
        }
        self.ask(Some(turn), None);
        self.receive(Some(turn), &ReplyStory::Story(story));
        if let Some(reply) = self.replies.last_mut() {
            reply.recorded = true;
        }
    }

    /// Records the reply.
    pub(crate) fn receive(&mut self, turn: Option<u64>, reply: &ReplyStory) {
        let (story, why) = match reply {
            ReplyStory::Story(story) => (Some(story.clone()), None),
            ReplyStory::Unseen(why) => (None, Some(why.clone())),
            ReplyStory::Nothing(_) => return,
        };
        // If a turn is repeated, it gets a new reply. If a run continues from an earlier turn, later replies no longer
        // count. In both cases, drop the replies from this turn on.
        self.replies.retain(|reply| turn.is_none() || reply.turn < turn);
        if self.replies.len() >= REPLIES {
            self.replies.remove(0);
        }
        self.replies.push(Known {
            turn,
            story,
            why,
            recorded: false,
        });
    }

    /// Checks whether this story is the agent's last reply.
    pub(crate) fn received(&self, story: &Story) -> bool {
        let last = self.replies.last().and_then(|reply| reply.story.as_ref());
        last.is_some_and(|last| same(last.raw(), story.raw()))
    }

    /// Returns whether the agent has received a reply that might have become its story.
    pub(crate) fn was_answered(&self) -> bool {
        !self.replies.is_empty()
    }

    /// Checks whether the agent's last request contained this story. Once the agent has received a reply, an empty
    /// story does not count, because every newcomer's story is empty.
    pub(crate) fn sent(&self, story: &Story) -> bool {
        let telling = !story.is_empty() || self.replies.is_empty();
        telling && self.asked_story().is_some_and(|asked| same(asked.raw(), story.raw()))
    }

    /// Returns how many bytes at the beginning and at the end of the story match the last reply.
    pub(crate) fn likeness(&self, story: &Story) -> usize {
        let last = self.replies.last().and_then(|reply| reply.story.as_ref());
        let Some(last) = last.or_else(|| self.asked_story()) else {
            return 0;
        };
        let (one, other) = (last.raw().as_bytes(), story.raw().as_bytes());
        let alike = |(one, other): &(&u8, &u8)| one == other;
        let start = one.iter().zip(other).take_while(alike).count();
        let end = one.iter().rev().zip(other.iter().rev()).take_while(alike).count();
        start + end
    }

    /// Returns the size of the stored stories in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let known = self.replies.iter().chain(&self.asked);
        known
            .filter_map(|known| known.story.as_ref())
            .map(|story| story.raw().len())
            .sum()
    }

    fn asked_story(&self) -> Option<&Story> {
        self.asked.as_ref()?.story.as_ref()
    }

    fn find(&self, turn: Option<u64>, sent: &Story) -> Judgement {
        let is_sent = |story: &Story| same(story.raw(), sent.raw());
        match self.expected(turn) {
            Expected::Reply(story) if is_sent(story) => plain(VerdictKind::Match),
            Expected::Reply(story)
                if story.is_empty() && matches!(&self.stand_in, EmptyStory::Text(text) if is_sent(text)) =>
            {
                with(
                    VerdictKind::Match,
                    "a placeholder replaces the empty story that was received",
                )
            }
            Expected::Unseen(_) if self.lower(turn).filter_map(|reply| reply.story.as_ref()).any(is_sent) => with(
                VerdictKind::Retry,
                "this is an older reply; the replies after it were not seen",
            ),
            Expected::Anything(Some(why)) => with(VerdictKind::First, &why),
            Expected::Anything(None) if sent.is_empty() => plain(VerdictKind::First),
            Expected::Anything(None) => with(VerdictKind::First, "nothing was received before this story"),
            _ if self.asked_story().is_some_and(is_sent) => {
                with(VerdictKind::Retry, "the previous request's story was sent again")
            }
            Expected::Reply(story) if story.is_empty() && self.stand_in == EmptyStory::Unknown => with(
                VerdictKind::Unverifiable,
                "the received story is empty; this text might be its placeholder, and counts as one from now on",
            ),
            Expected::Reply(story) | Expected::Asked(story) => Judgement {
                difference: difference(story.raw(), sent.raw()),
                ..plain(VerdictKind::Violation)
            },
            Expected::Unseen(why) => with(VerdictKind::Unverifiable, &why),
        }
    }

    fn expected(&self, turn: Option<u64>) -> Expected<'_> {
        if let (Some(turn), Some(seen)) = (turn, self.asked.as_ref().and_then(|asked| asked.turn)) {
            if turn > seen.saturating_add(1) {
                return Expected::Unseen(format!("nothing between turn {seen} and turn {turn} was seen"));
            }
            if turn <= seen && self.lower(Some(turn)).next().is_none() && !self.replies.is_empty() && turn > 1 {
                return Expected::Unseen(format!(
                    "turn {turn} was requested after turn {seen}, and the reply before turn {turn} was not kept"
                ));
            }
            if turn == 1 && seen > 1 {
                return Expected::Anything(Some("the run started over".to_owned()));
            }
        }
        match self.lower(turn).last() {
            Some(Known { story: Some(story), .. }) => Expected::Reply(story),
            Some(Known { why, .. }) => {
                Expected::Unseen(why.clone().unwrap_or_else(|| "the last reply was not seen".to_owned()))
            }
            None => match &self.asked {
                None => Expected::Anything(None),
                Some(Known { story: Some(story), .. }) => Expected::Asked(story),
                Some(_) => Expected::Unseen("the previous request could not be read, and it had no reply".to_owned()),
            },
        }
    }

    /// Returns the replies that a request for this turn can be based on, oldest first.
    fn lower(&self, turn: Option<u64>) -> impl Iterator<Item = &Known> {
        let known = move |reply: &&Known| match (reply.turn, turn) {
            (Some(reply), Some(turn)) => reply < turn,
            _ => true,
        };
        self.replies.iter().filter(known)
    }

    /// Learns what the agent sends for an empty story, if this request shows it.
    fn learn_stand_in(&mut self, turn: Option<u64>, sent: &Story, kind: VerdictKind) {
        let expects_nothing = match self.expected(turn) {
            Expected::Reply(story) => story.is_empty() && kind == VerdictKind::Unverifiable,
            _ => turn == Some(1) && kind == VerdictKind::First,
        };
        if sent.is_empty() {
            self.stand_in = EmptyStory::Nothing;
        } else if expects_nothing && self.stand_in == EmptyStory::Unknown && sent.raw().len() <= STAND_IN {
            self.stand_in = EmptyStory::Text(sent.clone());
        }
    }
}

fn plain(kind: VerdictKind) -> Judgement {
    Judgement {
        kind,
        why: None,
        difference: None,
    }
}

fn with(kind: VerdictKind, why: &str) -> Judgement {
    Judgement {
        why: Some(why.to_owned()),
        ..plain(kind)
    }
}
