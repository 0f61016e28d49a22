//! A manner: how a family writes and what its calls mean, where its dialect leaves a choice.

/// The form of calls in dialects that have several envelopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnvelopeForm {
    /// JSON in a tag.
    #[default]
    Json,
    /// XML-like elements.
    Xml,
    /// Holo's object with the call in `action`, as the first generation of its models writes it.
    Action,
}

/// The unit of a scroll amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScrollUnit {
    /// Notches of the wheel. An amount of 100 or more is in pixels, because no wheel turns that many notches at once.
    #[default]
    Notches,
    /// Pixels, with a hundred pixels to a notch.
    Pixels,
}

/// The meaning of a swipe's direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swipe {
    /// The side from which more of the page should come into view, as with a scroll.
    #[default]
    Content,
    /// The direction in which the finger moves, which is the opposite.
    Finger,
}

/// How a family writes and what its calls mean, where its dialect leaves a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// The form of calls in dialects that have several envelopes.
    pub envelope: EnvelopeForm,
    /// The unit of a scroll amount.
    pub scroll: ScrollUnit,
    /// The meaning of a swipe's direction.
    pub swipe: Swipe,
    /// Whether typing ends with the Enter key, unless the call says otherwise.
    pub enters: bool,
    /// Whether the words before a finish call without an answer are the answer.
    pub words_answer: bool,
    /// The name of the family's single function, if it is not the dialect's.
    pub tool: Option<String>,
    /// The verbs that the family was trained on, in its spelling. If empty, all of the dialect's verbs apply.
    pub verbs: Vec<String>,
}
