//! A manner: how a family writes, and what it means, where its dialect leaves that open.

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
    /// Notches of the wheel; from 100 on, which no wheel turns at once, pixels.
    #[default]
    Notches,
    /// Pixels, a hundred to a notch.
    Pixels,
}

/// What the direction of a swipe names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swipe {
    /// Where there is more of the page to see, as with a scroll.
    #[default]
    Content,
    /// Where the finger goes, which is the other way.
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
    /// The one function of the family, where that of its dialect has another name.
    pub tool: Option<String>,
    /// The verbs that the family was trained on, as it spells them; if there are none, the dialect's.
    pub verbs: Vec<String>,
}
