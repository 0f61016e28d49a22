//! The tools that a profile has switched on, and the documentation of these tools that a model gets.

use std::borrow::Cow;

use crate::action::Action;
use crate::tool::{Offered, Param, TOOLS, Tool};
use crate::verb::Verb;

/// The tools that a profile has switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSet {
    enabled: [bool; TOOLS.len()],
    targets: bool,
    elements: bool,
}

impl ToolSet {
    /// Returns the set of all tools.
    pub fn all() -> ToolSet {
        ToolSet {
            enabled: [true; TOOLS.len()],
            targets: false,
            elements: false,
        }
    }

    /// Returns the set of tools with these names, ignoring unknown names.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> ToolSet {
        let mut set = ToolSet {
            enabled: [false; TOOLS.len()],
            targets: false,
            elements: false,
        };
        for tool in names.into_iter().filter_map(Tool::named) {
            set.enabled[tool.verb as usize] = true;
        }
        set
    }

    /// Returns this set with calls that may name a target instead of coordinates, because a grounder can find the
    /// target.
    #[must_use]
    pub fn with_targets(self) -> ToolSet {
        ToolSet { targets: true, ..self }
    }

    /// Checks whether calls of this tool may name a target instead of coordinates.
    pub fn takes_target(&self, tool: &Tool) -> bool {
        self.targets && tool.verb.aims()
    }

    /// Returns this set with calls that may give an element's number instead of coordinates, because the model gets a
    /// list of elements.
    #[must_use]
    pub fn with_elements(self) -> ToolSet {
        ToolSet { elements: true, ..self }
    }

    /// Checks whether calls of this tool may give an element's number instead of coordinates.
    pub fn takes_element(&self, tool: &Tool) -> bool {
        self.elements && tool.verb.aims()
    }

    /// Checks whether this tool may be called.
    pub fn contains(&self, tool: &Tool) -> bool {
        self.has(tool.verb)
    }

    /// Checks whether the tool for this verb may be called.
    pub fn has(&self, verb: Verb) -> bool {
        self.enabled[verb as usize]
    }

    /// Returns the first tool that an action needs and that is switched off.
    pub fn lacks(&self, action: &Action) -> Option<&'static Tool> {
        let verbs = action.verbs().into_iter();
        verbs.map(Verb::tool).find(|tool| !self.contains(tool))
    }

    /// Checks whether an action may be performed: its tools are enabled, it only looks or waits, or it moves the
    /// pointer, possibly to the start of a drag.
    pub fn permits(&self, action: &Action) -> bool {
        let leads_to_a_drag = matches!(action, Action::Move(_)) && self.has(Verb::Drag);
        // A question makes the person answer.
        let looks = action.only_looks() && !matches!(action, Action::Ask(_));
        leads_to_a_drag || looks || self.lacks(action).is_none()
    }

    /// Checks whether a model is told how to write this action: a plain call always, anything more where the prompt has
    /// the parameters for it.
    pub fn offers(&self, action: &Action) -> bool {
        self.lacks(action).is_none() && (action.is_plain() || self.tells(action.tool().beyond_plain()))
    }

    /// Returns, in order, the parameters of a tool that a model is told about.
    pub fn params(&self, tool: &'static Tool) -> impl Iterator<Item = &'static Param> {
        tool.params.iter().filter(|param| self.tells(param.offered))
    }

    /// Checks whether a model is told about parameters that are offered this way.
    pub fn tells(&self, offered: Offered) -> bool {
        match offered {
            Offered::Always => true,
            Offered::With(verb) => self.has(verb),
            Offered::Placed(verb) => self.has(verb) && !self.targets,
            Offered::Elements => self.elements,
            Offered::Never => false,
        }
    }

    /// Returns the documentation that the model sees for a tool.
    pub fn doc(&self, tool: &'static Tool) -> Cow<'static, str> {
        match tool.more {
            Some((offered, more)) if self.tells(offered) => format!("{}{more}", tool.doc).into(),
            _ => tool.doc.into(),
        }
    }

    /// Returns the enabled tool with this name or alias.
    pub fn get(&self, name: &str) -> Option<&'static Tool> {
        Tool::named(name).filter(|tool| self.contains(tool))
    }

    /// Returns the enabled tools, sorted by name.
    pub fn sorted(&self) -> Vec<&'static Tool> {
        let mut tools: Vec<_> = TOOLS.iter().filter(|tool| self.contains(tool)).collect();
        tools.sort_unstable_by_key(|tool| tool.name);
        tools
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Point;

    #[test]
    fn looking_is_always_permitted_and_moving_needs_a_tool_that_moves() {
        let at = Point::clamped(1, 2);
        for (tools, action, permitted) in [
            (vec![], Action::Wait(1.0), true),
            (vec![], Action::Observe, true),
            (vec![], Action::Ask("Which?".to_owned()), false),
            (vec!["ask"], Action::Ask("Which?".to_owned()), true),
            (vec![], Action::Move(at), false),
            (vec!["drag"], Action::Move(at), true),
            (vec!["drag"], Action::left_click(at), false),
            (vec!["left_click"], Action::left_click(at), true),
        ] {
            assert_eq!(ToolSet::of(tools).permits(&action), permitted, "{action}");
        }
    }

    #[test]
    fn what_is_switched_off_is_done_by_no_other_tool() {
        for (action, tools) in [
            ("left_click(1, 2, modifiers=\"ctrl\")", &["left_click", "press"][..]),
            ("double_left_click(1, 2)", &["double_left_click"]),
            ("type(\"a\", 1, 2)", &["type", "left_click"]),
            ("type(\"a\", 1, 2, replace=True)", &["type", "left_click", "press"]),
            ("mouse_down(button=\"right\")", &["mouse_down", "right_click"]),
            ("hold(\"ctrl\", 1)", &["hold", "press"]),
            ("hold(\"middle button\", 1)", &["hold", "middle_click"]),
        ] {
            let action: Action = action.parse().unwrap();
            assert!(ToolSet::of(tools.iter().copied()).permits(&action), "{action}");
            for missing in tools {
                let others = tools.iter().copied().filter(|tool| tool != missing);
                assert!(!ToolSet::of(others).permits(&action), "{action} without {missing}");
            }
        }
    }

    #[test]
    fn without_keys_calls_are_offered_plainly() {
        let plain = ToolSet::of(["left_click", "type", "drag"]);
        let listed = |tools: &ToolSet, name: &str| {
            let tool = Tool::named(name).unwrap();
            tool.listed(tools.params(tool), &tools.doc(tool))
        };
        assert_eq!(
            listed(&plain, "type"),
            "type(text) -- type text at the last click position"
        );
        assert_eq!(
            listed(&plain, "drag"),
            "drag(x1, y1, x2, y2) -- drag in a straight line from (x1,y1) to (x2,y2)"
        );
        assert_eq!(
            listed(&ToolSet::all(), "left_click"),
            "left_click(x, y, count=1, modifiers=None) -- click the left mouse button at (x,y), count times, holding modifiers such as \"ctrl+shift\""
        );
    }

    #[test]
    fn a_set_lists_its_tools_by_name() {
        let set = ToolSet::of(["type", "drag", "left_click", "nonsense"]);
        let names: Vec<_> = set.sorted().iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["drag", "left_click", "type"]);
        assert!(set.get("click").is_some());
        assert!(set.get("press").is_none());
    }
}
