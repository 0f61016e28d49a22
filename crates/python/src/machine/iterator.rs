//! Iterators, from which `for` gets the next value.

use std::rc::Rc;

use super::scope::Scope;
use super::{Args, Machine};
use crate::value::{
    Characters, Class, Dict, DictView, Eval, ExceptionKind, HeapRef, List, Range, Set, Unwind, Value, fault,
    type_error, value_error,
};

/// An iterator and its position.
#[derive(Clone, Debug)]
pub(crate) enum Iter {
    /// The items of a list, tuple or bytes; `next` is an index.
    Items {
        source: Value,
        next: usize,
    },
    /// The items of a list or tuple from the end; `left` are still to come.
    Backward {
        source: Value,
        left: usize,
    },
    /// The characters of a string.
    Characters(Characters),
    Range {
        range: Range,
        next: i128,
    },
    Entries {
        dict: HeapRef<Dict>,
        view: DictView,
        next: usize,
        size: usize,
    },
    EntriesBackward {
        dict: HeapRef<Dict>,
        view: DictView,
        before: usize,
        size: usize,
    },
    Members {
        set: HeapRef<Set>,
        next: usize,
        size: usize,
    },
    Enumerate {
        items: Value,
        count: i128,
    },
    Zip {
        parts: Rc<[Value]>,
        strict: bool,
    },
    Map {
        function: Value,
        parts: Rc<[Value]>,
    },
    Filter {
        function: Value,
        items: Value,
    },
    /// Calls a function until it returns the sentinel.
    Calls {
        function: Value,
        sentinel: Value,
    },
    Generator(Box<Generator>),
    /// A generator that is producing an item right now.
    Running,
    /// An iterator that has ended and stays ended.
    Finished,
}

/// A suspended comprehension: its scope, and the iterator of each `for` in progress.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(super) code: usize,
    pub(super) scope: HeapRef<Scope>,
    pub(super) rounds: Vec<Value>,
}

impl Iter {
    pub(crate) fn class(&self) -> Class {
        match self {
            Iter::Items {
                source: Value::Tuple(_),
                ..
            } => Class::Iterator("tuple_iterator"),
            Iter::Items {
                source: Value::Bytes(_),
                ..
            } => Class::Iterator("bytes_iterator"),
            Iter::Items { .. } => Class::Iterator("list_iterator"),
            Iter::Backward {
                source: Value::List(_), ..
            } => Class::Iterator("list_reverseiterator"),
            Iter::Backward { .. } => Class::Reversed,
            Iter::Characters(_) => Class::Iterator("str_iterator"),
            Iter::Range { .. } => Class::Iterator("range_iterator"),
            Iter::Entries {
                view: DictView::Keys, ..
            } => Class::Iterator("dict_keyiterator"),
            Iter::Entries {
                view: DictView::Values, ..
            } => Class::Iterator("dict_valueiterator"),
            Iter::Entries {
                view: DictView::Items, ..
            } => Class::Iterator("dict_itemiterator"),
            Iter::EntriesBackward { .. } => Class::Iterator("dict_reversekeyiterator"),
            Iter::Members { .. } => Class::Iterator("set_iterator"),
            Iter::Enumerate { .. } => Class::Enumerate,
            Iter::Zip { .. } => Class::Zip,
            Iter::Map { .. } => Class::Map,
            Iter::Filter { .. } => Class::Filter,
            Iter::Calls { .. } => Class::Iterator("callable_iterator"),
            Iter::Generator(_) | Iter::Running | Iter::Finished => Class::Generator,
        }
    }
}

impl Machine<'_> {
    /// Returns an iterator over a value.
    ///
    /// # Errors
    /// `TypeError` if the value is not iterable.
    pub(crate) fn iterate(&mut self, value: Value) -> Eval<Value> {
        let iter = match value {
            Value::Iterator(_) => return Ok(value),
            Value::List(_) | Value::Tuple(_) | Value::Bytes(_) => Iter::Items { source: value, next: 0 },
            Value::Str(handle) => Iter::Characters(self.heap[handle].characters()),
            Value::Range(handle) => Iter::Range {
                range: self.heap[handle],
                next: 0,
            },
            Value::Dict(dict) => self.entries(dict, DictView::Keys),
            Value::View(view, dict) => self.entries(dict, view),
            Value::Set(set) => Iter::Members {
                set,
                next: 0,
                size: self.heap[set].len(),
            },
            _ => {
                let class = Class::of(value, &self.heap).name();
                return Err(type_error(format!("'{class}' object is not iterable")));
            }
        };
        self.iterator(iter)
    }

    /// Returns an iterator, or an error with this message if the value is not iterable.
    pub(crate) fn iterate_or(&mut self, value: Value, message: impl FnOnce(&str) -> String) -> Eval<Value> {
        match self.iterate(value) {
            Err(Unwind::Fault(_)) => Err(type_error(message(Class::of(value, &self.heap).name()))),
            other => other,
        }
    }

    fn entries(&self, dict: HeapRef<Dict>, view: DictView) -> Iter {
        Iter::Entries {
            dict,
            view,
            next: 0,
            size: self.heap[dict].len(),
        }
    }

    /// Returns the next value of an iterator, or `None` at its end.
    ///
    /// # Errors
    /// `TypeError` if the value is not an iterator, and whatever computing the next value raises.
    pub(crate) fn next(&mut self, iterator: Value) -> Eval<Option<Value>> {
        let Value::Iterator(handle) = iterator else {
            let class = Class::of(iterator, &self.heap).name();
            return Err(type_error(format!("'{class}' object is not an iterator")));
        };
        self.budget.step()?;
        match self.heap[handle] {
            Iter::Items { source, next } => Ok(self.next_item(handle, source, next)),
            Iter::Backward { source, left } => Ok(self.previous_item(handle, source, left)),
            Iter::Characters(_) => self.next_character(handle),
            Iter::Range { range, next } => {
                if next >= range.len() {
                    return Ok(None);
                }
                self.heap[handle] = Iter::Range { range, next: next + 1 };
                self.integer(range.at(next)).map(Some)
            }
            Iter::Entries { dict, view, next, size } => {
                Self::unchanged(self.heap[dict].len(), size, "dictionary")?;
                let found = self.heap[dict].next(next)?;
                let Some((entry, next)) = found else { return Ok(None) };
                self.heap[handle] = Iter::Entries { dict, view, next, size };
                self.shown(view, entry.key, entry.value).map(Some)
            }
            Iter::EntriesBackward {
                dict,
                view,
                before,
                size,
            } => {
                Self::unchanged(self.heap[dict].len(), size, "dictionary")?;
                let found = self.heap[dict].previous(before)?;
                let Some((entry, before)) = found else { return Ok(None) };
                self.heap[handle] = Iter::EntriesBackward {
                    dict,
                    view,
                    before,
                    size,
                };
                self.shown(view, entry.key, entry.value).map(Some)
            }
            Iter::Members { set, next, size } => {
                Self::unchanged(self.heap[set].len(), size, "Set")?;
                let found = self.heap[set].next(next)?;
                let Some((entry, next)) = found else { return Ok(None) };
                self.heap[handle] = Iter::Members { set, next, size };
                Ok(Some(entry.key))
            }
            Iter::Generator(_) | Iter::Running => self.next_generated(handle),
            Iter::Finished => Ok(None),
            _ => self.nested(|machine| machine.next_derived(handle)),
        }
    }

    fn unchanged(len: usize, size: usize, what: &str) -> Eval<()> {
        if len == size {
            return Ok(());
        }
        Err(fault(
            ExceptionKind::RuntimeError,
            format!("{what} changed size during iteration"),
        ))
    }

    /// Returns the part of an entry that a view shows.
    pub(crate) fn shown(&mut self, view: DictView, key: Value, value: Value) -> Eval<Value> {
        match view {
            DictView::Keys => Ok(key),
            DictView::Values => Ok(value),
            DictView::Items => self.tuple(&[key, value]),
        }
    }

    fn next_item(&mut self, handle: HeapRef<Iter>, source: Value, next: usize) -> Option<Value> {
        let item = match source {
            Value::List(list) => self.heap[list].get(next),
            Value::Tuple(tuple) => self.heap[tuple].get(next),
            Value::Bytes(bytes) => self.heap[bytes].get(next).map(|byte| Value::Int(i64::from(byte))),
            _ => None,
        };
        self.heap[handle] = match item {
            Some(_) => Iter::Items { source, next: next + 1 },
            // An iterator that has ended stays ended, even if the list grows later.
            None => Iter::Items {
                source,
                next: usize::MAX,
            },
        };
        item
    }

    fn previous_item(&mut self, handle: HeapRef<Iter>, source: Value, left: usize) -> Option<Value> {
        let place = left.checked_sub(1)?;
        let item = match source {
            Value::List(list) => self.heap[list].get(place),
            Value::Tuple(tuple) => self.heap[tuple].get(place),
            _ => None,
        };
        let left = if item.is_some() { place } else { 0 };
        self.heap[handle] = Iter::Backward { source, left };
        item
    }

    fn next_character(&mut self, handle: HeapRef<Iter>) -> Eval<Option<Value>> {
        let Iter::Characters(characters) = &mut self.heap[handle] else {
            return Ok(None);
        };
        let character = characters.next();
        character.map(|character| self.character(character)).transpose()
    }

    fn next_derived(&mut self, handle: HeapRef<Iter>) -> Eval<Option<Value>> {
        match self.heap[handle].clone() {
            Iter::Enumerate { items, count } => {
                let Some(item) = self.next(items)? else { return Ok(None) };
                self.heap[handle] = Iter::Enumerate {
                    items,
                    count: count + 1,
                };
                let count = self.integer(count)?;
                self.tuple(&[count, item]).map(Some)
            }
            Iter::Zip { parts, strict } => self.next_row(&parts, strict),
            Iter::Map { function, parts } => {
                let mut row = self.values()?;
                for part in parts.iter() {
                    let Some(item) = self.next(*part)? else { return Ok(None) };
                    row.push(item)?;
                }
                self.call_with(function, Args::from(row)).map(Some)
            }
            Iter::Filter { function, items } => {
                while let Some(item) = self.next(items)? {
                    if self.keeps(function, item)? {
                        return Ok(Some(item));
                    }
                }
                Ok(None)
            }
            Iter::Calls { function, sentinel } => {
                let value = self.call(function, &[])?;
                if self.equal(value, sentinel)? {
                    self.heap[handle] = Iter::Finished;
                    return Ok(None);
                }
                Ok(Some(value))
            }
            _ => Ok(None),
        }
    }

    fn keeps(&mut self, function: Value, item: Value) -> Eval<bool> {
        let kept = match function {
            Value::None | Value::Class(Class::Bool) => item,
            _ => self.call(function, &[item])?,
        };
        Ok(self.truth(kept))
    }

    fn next_row(&mut self, parts: &[Value], strict: bool) -> Eval<Option<Value>> {
        let mut row = self.values()?;
        for (i, part) in parts.iter().enumerate() {
            match self.next(*part)? {
                Some(item) => row.push(item)?,
                None if strict && i > 0 => return Err(uneven(i, "shorter")),
                None if strict => return self.all_ended(&parts[1..]),
                None => return Ok(None),
            }
        }
        if row.is_empty() {
            Ok(None)
        } else {
            self.tuple(row.read()?).map(Some)
        }
    }

    fn all_ended(&mut self, others: &[Value]) -> Eval<Option<Value>> {
        for (i, part) in others.iter().enumerate() {
            if self.next(*part)?.is_some() {
                return Err(uneven(i + 1, "longer"));
            }
        }
        Ok(None)
    }

    /// Appends all remaining values.
    pub(crate) fn collect_into(&mut self, values: &mut List, iterator: Value) -> Eval<()> {
        while let Some(value) = self.next(iterator)? {
            values.push(value)?;
        }
        Ok(())
    }

    /// Returns all values of an iterable.
    pub(crate) fn collect(&mut self, value: Value) -> Eval<List> {
        let mut values = self.values()?;
        let iterator = self.iterate(value)?;
        self.collect_into(&mut values, iterator)?;
        Ok(values)
    }
}

/// Returns the error that `zip(strict=True)` raises for arguments of different lengths.
fn uneven(part: usize, how: &str) -> Unwind {
    let others = if part == 1 {
        "argument 1".to_owned()
    } else {
        format!("arguments 1-{part}")
    };
    value_error(format!("zip() argument {} is {how} than {others}", part + 1))
}
