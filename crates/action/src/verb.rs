//! Verbs: the kinds of action, regardless of their arguments.

/// The kind of action that a call stands for, without its arguments. There is one verb for each tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `left_click`
    LeftClick,
    /// `right_click`
    RightClick,
    /// `middle_click`
    MiddleClick,
    /// `double_left_click`
    DoubleLeftClick,
    /// `triple_click`
    TripleClick,
    /// `drag`
    Drag,
    /// `move`
    Move,
    /// `mouse_down`
    MouseDown,
    /// `mouse_up`
    MouseUp,
    /// `scroll`
    Scroll,
    /// `type`
    Type,
    /// `press`
    Press,
    /// `hold`
    Hold,
    /// `read_clipboard`
    ReadClipboard,
    /// `write_clipboard`
    WriteClipboard,
    /// `wait`
    Wait,
    /// `screenshot`
    Screenshot,
    /// `observe`
    Observe,
    /// `watch`
    Watch,
    /// `zoom`
    Zoom,
    /// `windows`
    Windows,
    /// `focus`
    Focus,
    /// `open`
    Open,
    /// `ask`
    Ask,
}

impl Verb {
    /// Checks whether the verb acts at one point, so that a call may name a target instead of coordinates.
    pub fn aims(self) -> bool {
        matches!(
            self,
            Verb::LeftClick
                | Verb::RightClick
                | Verb::MiddleClick
                | Verb::DoubleLeftClick
                | Verb::TripleClick
                | Verb::Move
                | Verb::MouseDown
                | Verb::MouseUp
        )
    }
}
