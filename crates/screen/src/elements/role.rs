//! The kinds of elements, by their AT-SPI role numbers, which never change.

/// The kind of an element, by its AT-SPI role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Role(pub(crate) u32);

/// The kinds that a person clicks, each with the word that the model gets.
const WORDS: [(u32, &str); 33] = [
    (7, "check box"),
    (8, "menu item"),
    (10, "column header"),
    (11, "combo box"),
    (12, "date field"),
    (15, "dial"),
    (26, "icon"),
    (32, "list item"),
    (33, "menu"),
    (35, "menu item"),
    (37, "tab"),
    (40, "password field"),
    (43, "button"),
    (44, "radio button"),
    (45, "menu item"),
    (47, "row header"),
    (51, "slider"),
    (52, "spin button"),
    (56, "cell"),
    (57, "column header"),
    (58, "row header"),
    (59, "menu item"),
    (60, "terminal"),
    (61, "text field"),
    (62, "toggle button"),
    (76, "text field"),
    (77, "text field"),
    (79, "text field"),
    (88, "link"),
    (90, "row"),
    (91, "tree item"),
    (129, "button"),
    (130, "switch"),
];

impl Role {
    /// Returns the word for this kind, if the model gets it.
    pub(crate) fn word(self) -> Option<&'static str> {
        let known = WORDS.iter().find(|(number, _)| *number == self.0);
        known.map(|(_, word)| *word)
    }

    /// Returns whether elements of this kind can lie in a menu or another popup window.
    pub(super) fn pops_up(self) -> bool {
        matches!(self.0, 8 | 32 | 33 | 35 | 45 | 56 | 59 | 91)
    }

    /// Returns whether elements of this kind can be so numerous that other kinds take precedence.
    pub(super) fn is_one_of_many(self) -> bool {
        matches!(self.0, 32 | 56 | 90 | 91)
    }
}

/// Questions that a walk through a tree asks.
#[cfg(all(unix, not(target_os = "macos")))]
impl Role {
    /// Returns whether nothing inside an element of this kind matters.
    pub(super) fn is_leaf(self) -> bool {
        matches!(
            self.0,
            7 | 8 | 27 | 29 | 40 | 43 | 44 | 45 | 48 | 50 | 51 | 52 | 60 | 61 | 62 | 79 | 130
        )
    }

    /// Returns whether an element of this kind can have very many children.
    pub(super) fn is_long(self) -> bool {
        matches!(self.0, 31 | 55 | 65 | 66 | 98)
    }

    /// Returns whether an element of this kind shows only a part of its contents.
    pub(super) fn is_porthole(self) -> bool {
        matches!(self.0, 28 | 31 | 49 | 55 | 65 | 66 | 68 | 98)
    }

    /// Returns whether an element of this kind can be switched on.
    pub(super) fn is_switch(self) -> bool {
        matches!(self.0, 7 | 8 | 44 | 45 | 62 | 130)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_word() {
        assert!(WORDS.is_sorted_by(|(one, _), (next, _)| one < next));
        assert_eq!(Role(43).word(), Some("button"));
        assert_eq!(Role(39).word(), None, "a panel");
    }
}
