//! Text and bytes, whose contents can be read or built only if the work is charged for.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{Deref, Range};
use std::rc::Rc;

use super::Eval;
use crate::budget::{Budget, Reserved};

/// Text with its length in characters. If that equals its length in bytes, the text is ASCII.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    shared: Rc<str>,
    chars: usize,
    /// The number of its key, once computed.
    pub(super) key: Cell<Option<u32>>,
}

impl Text {
    /// Copies a string.
    pub(crate) fn copy(part: &str, budget: &Budget) -> Eval<Text> {
        budget.charge(part.len())?;
        budget.scan(part.len())?;
        Ok(Text::of(Rc::from(part)))
    }

    fn of(shared: Rc<str>) -> Text {
        let chars = shared.chars().count();
        let key = Cell::new(None);
        Text { shared, chars, key }
    }

    /// Returns the length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.shared.len()
    }

    /// Returns the length in characters.
    pub(crate) fn chars(&self) -> usize {
        self.chars
    }

    pub(crate) fn is_ascii(&self) -> bool {
        self.chars == self.shared.len()
    }

    /// Returns the text, charging for one pass over it.
    pub(crate) fn read(&self, budget: &Budget) -> Eval<Rc<str>> {
        budget.scan(self.shared.len())?;
        Ok(Rc::clone(&self.shared))
    }

    /// Returns a part of the text, charging for it; the caller charges for copying it.
    pub(crate) fn read_part(&self, part: Range<usize>, budget: &Budget) -> Eval<&str> {
        budget.scan(part.len())?;
        Ok(&self.shared[part])
    }

    /// Returns the character at this index of ASCII text.
    pub(crate) fn ascii_at(&self, place: usize) -> Option<char> {
        self.shared.as_bytes().get(place).map(|byte| char::from(*byte))
    }

    /// Returns an iterator over the characters.
    pub(crate) fn characters(&self) -> Characters {
        Characters {
            text: Rc::clone(&self.shared),
            next: 0,
        }
    }

    pub(crate) fn equals(&self, other: &Text, budget: &Budget) -> Eval<bool> {
        if Rc::ptr_eq(&self.shared, &other.shared) {
            return Ok(true);
        }
        if self.shared.len() != other.shared.len() {
            return Ok(false);
        }
        Ok(self.order(other, budget)?.is_eq())
    }

    pub(crate) fn order(&self, other: &Text, budget: &Budget) -> Eval<Ordering> {
        order(self.shared.as_bytes(), other.shared.as_bytes(), budget)
    }
}

/// Compares piece by piece, so that a difference near the start costs little.
fn order(mut a: &[u8], mut b: &[u8], budget: &Budget) -> Eval<Ordering> {
    const PIECE: usize = 1024;
    loop {
        let (left, right) = (&a[..a.len().min(PIECE)], &b[..b.len().min(PIECE)]);
        budget.scan(left.len().min(right.len()))?;
        if left != right || left.is_empty() {
            return Ok(left.cmp(right));
        }
        (a, b) = (&a[left.len()..], &b[right.len()..]);
    }
}

/// A cursor over text; the caller charges a step for each character.
#[derive(Clone, Debug)]
pub(crate) struct Characters {
    text: Rc<str>,
    next: usize,
}

impl Iterator for Characters {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let character = self.text[self.next..].chars().next()?;
        self.next += character.len_utf8();
        Some(character)
    }
}

/// Text under construction. Each part is charged before it is added, and the charge is released unless the text is
/// kept.
#[derive(Debug)]
pub(crate) struct Buffer {
    text: String,
    room: Reserved,
}

impl Buffer {
    pub(crate) fn new(budget: &Budget) -> Eval<Buffer> {
        Ok(Buffer {
            text: String::new(),
            room: budget.reserve(0)?,
        })
    }

    pub(crate) fn push_str(&mut self, part: &str) -> Eval<()> {
        self.room.grow(part.len())?;
        self.room.budget().scan(part.len())?;
        self.text.push_str(part);
        Ok(())
    }

    pub(crate) fn push(&mut self, character: char) -> Eval<()> {
        self.room.grow(character.len_utf8())?;
        self.room.budget().walk(1)?;
        self.text.push(character);
        Ok(())
    }

    pub(crate) fn extend(&mut self, characters: impl Iterator<Item = char>) -> Eval<()> {
        for character in characters {
            self.push(character)?;
        }
        Ok(())
    }

    /// Appends the same part this many times.
    pub(crate) fn repeat(&mut self, part: &str, times: usize) -> Eval<()> {
        let bytes = part.len().saturating_mul(times);
        self.room.grow(bytes)?;
        self.room.budget().scan(bytes)?;
        self.text.push_str(&part.repeat(times));
        Ok(())
    }

    /// Appends the same character this many times.
    pub(crate) fn fill(&mut self, character: char, times: usize) -> Eval<()> {
        self.repeat(character.encode_utf8(&mut [0; 4]), times)
    }

    pub(crate) fn into_text(self) -> Eval<Text> {
        self.room.budget().scan(self.text.len())?;
        let text = Text::of(Rc::from(self.text));
        self.room.keep();
        Ok(text)
    }
}

impl Deref for Buffer {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// The value of a bytes literal.
#[derive(Clone, Debug)]
pub(crate) struct Bytes(Rc<[u8]>);

impl Bytes {
    pub(crate) fn copy(bytes: &[u8], budget: &Budget) -> Eval<Bytes> {
        budget.charge(bytes.len())?;
        budget.scan(bytes.len())?;
        Ok(Bytes(Rc::from(bytes)))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, place: usize) -> Option<u8> {
        self.0.get(place).copied()
    }

    pub(crate) fn order(&self, other: &Bytes, budget: &Budget) -> Eval<Ordering> {
        order(&self.0, &other.0, budget)
    }

    /// Returns the bytes, charging for one pass over them.
    pub(crate) fn read(&self, budget: &Budget) -> Eval<Rc<[u8]>> {
        budget.scan(self.0.len())?;
        Ok(Rc::clone(&self.0))
    }
}
