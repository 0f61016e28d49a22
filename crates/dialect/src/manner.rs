//! A manner: how a family writes, and what it means, wherever its dialect leaves that open.

/// How a dialect with two envelopes is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnvelopeForm {
    /// JSON in a tag.
    #[default]
    Json,
    /// Elements.
    Xml,
    /// Holo's object with the call in `action`, as its first generation writes.
    Action,
}

/// What the amount of a scroll counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScrollUnit {
    /// Notches of the wheel; from 100 on, more than any wheel turns at once, pixels.
    #[default]
    Notches,
    /// Pixels, a hundred to a notch.
    Pixels,
}

/// What the direction of a swipe names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swipe {
    /// Where more of the page should come into view, as with a scroll.
    #[default]
    Content,
    /// The way the finger moves, which is the opposite.
    Finger,
}

/// How a family writes, and what it means, where its dialect leaves that open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// How a call is written, in dialects with two envelopes.
    pub envelope: EnvelopeForm,
    /// What the amount of a scroll counts.
    pub scroll: ScrollUnit,
    /// What the direction of a swipe names.
    pub swipe: Swipe,
    /// Whether typing ends with the enter key unless the call says otherwise.
    pub enters: bool,
    /// Whether the words before a finish without an answer are the answer.
    pub words_answer: bool,
    /// The family's single function, if it has another name than the dialect's.
    pub tool: Option<String>,
    /// The verbs that the family was trained on, as it spells them; if empty, the dialect's apply.
    pub verbs: Vec<String>,
}
