//! Which action a call means, whatever its arguments are.

use crate::tool::{TOOLS, Tool};

/// One of the variants of [`Action`](crate::Action), without what it is made of.
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
    /// `scroll`
    Scroll,
    /// `type`
    Type,
    /// `press`
    Press,
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
}

impl Verb {
    /// The tool whose calls mean this.
    pub fn tool(self) -> &'static Tool {
        &TOOLS[self as usize]
    }
}
