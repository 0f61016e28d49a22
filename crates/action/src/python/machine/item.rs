//! Items and slices: reading, replacing and deleting.

use std::rc::Rc;

use num_traits::{Signed, ToPrimitive};

use super::Machine;
use crate::python::value::{
    Class, Handle, List, Number, Range, Run, Slice, Stop, Text, Value, index_error, key_error, type_error, value_error,
};

/// A slice against a sequence of a known length: where it starts and stops, its step, and how many items it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    start: i128,
    stop: i128,
    step: i128,
    pub(crate) count: usize,
}

impl Bounds {
    /// The places it takes, in order; all are inside the sequence.
    pub(crate) fn places(self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.count as i128).map(move |i| (self.start + i * self.step) as usize)
    }

    /// The first place and the one behind the last, when it takes a run of neighbours.
    fn run(self) -> Option<(usize, usize)> {
        (self.step == 1).then(|| (self.start as usize, self.start as usize + self.count))
    }
}

impl Machine<'_> {
    /// `owner[place]`.
    pub(crate) fn item(&mut self, owner: Value, place: Value) -> Run<Value> {
        match (owner, place) {
            (Value::Dict(dict), _) => {
                let key = self.key(place)?;
                self.heap[dict]
                    .get(&key)
                    .map(|entry| entry.value)
                    .ok_or_else(|| key_error(place))
            }
            (Value::List(list), Value::Slice(slice)) => {
                let bounds = self.bounds(slice, self.heap[list].len())?;
                self.budget.spend(bounds.count as u64 / 8)?;
                self.budget.room(bounds.count * size_of::<Value>())?;
                let items = bounds.places().map(|place| self.heap[list][place]).collect();
                self.list(items)
            }
            (Value::Tuple(tuple), Value::Slice(slice)) => {
                let items = Rc::clone(&self.heap[tuple]);
                let bounds = self.bounds(slice, items.len())?;
                self.budget.spend(bounds.count as u64 / 8)?;
                self.budget.room(bounds.count * size_of::<Value>())?;
                self.tuple(bounds.places().map(|place| items[place]).collect::<Vec<_>>())
            }
            (Value::Str(text), Value::Slice(slice)) => self.text_slice(text, slice),
            (Value::Bytes(bytes), Value::Slice(slice)) => {
                let bytes = Rc::clone(&self.heap[bytes].0);
                let bounds = self.bounds(slice, bytes.len())?;
                self.budget.scan(bounds.count)?;
                self.budget.room(bounds.count)?;
                self.bytes(bounds.places().map(|place| bytes[place]).collect::<Vec<_>>())
            }
            (Value::Range(range), Value::Slice(slice)) => self.range_slice(range, slice),
            (Value::List(list), _) => {
                let place = self.place_in("list", "list", self.heap[list].len(), place)?;
                Ok(self.heap[list][place])
            }
            (Value::Tuple(tuple), _) => {
                let place = self.place_in("tuple", "tuple", self.heap[tuple].len(), place)?;
                Ok(self.heap[tuple][place])
            }
            (Value::Str(text), _) => self.character_at(text, place),
            (Value::Bytes(bytes), _) => {
                let place = self.place_in("byte", "index", self.heap[bytes].0.len(), place)?;
                Ok(Value::Int(i64::from(self.heap[bytes].0[place])))
            }
            (Value::Range(range), _) => {
                let range = self.heap[range];
                let len = usize::try_from(range.len()).unwrap_or(usize::MAX);
                let place = self.place_in("range", "range object", len, place)?;
                self.integer(range.at(place as i128))
            }
            (Value::Class(class), _) => Err(type_error(format!("type '{}' is not subscriptable", class.name()))),
            _ => {
                let class = Class::of(owner, &self.heap).name();
                Err(type_error(format!("'{class}' object is not subscriptable")))
            }
        }
    }

    fn character_at(&mut self, text: Handle<Text>, place: Value) -> Run<Value> {
        let place = self.place_in("string", "string", self.heap[text].chars, place)?;
        let text = self.heap[text].clone();
        let character = if text.is_ascii() {
            text.text.as_bytes().get(place).map(|byte| char::from(*byte))
        } else {
            self.budget.scan(text.text.len())?;
            text.text.chars().nth(place)
        };
        self.character(character.unwrap_or_default())
    }

    fn range_slice(&mut self, range: Handle<Range>, slice: Handle<Slice>) -> Run<Value> {
        let range = self.heap[range];
        let bounds = self.bounds(slice, usize::try_from(range.len()).unwrap_or(usize::MAX))?;
        // A slice of a slice of a slice would have steps without end.
        let step = Range::part(range.step.checked_mul(bounds.step))?;
        self.range(Range {
            start: range.at(bounds.start),
            stop: range.at(bounds.stop),
            step,
        })
    }

    fn text_slice(&mut self, text: Handle<Text>, slice: Handle<Slice>) -> Run<Value> {
        let Text { text, chars } = self.heap[text].clone();
        let bounds = self.bounds(slice, chars)?;
        self.budget.scan(text.len())?;
        self.budget.room(4 * bounds.count)?;
        if text.len() == chars {
            if let Some((from, to)) = bounds.run() {
                return self.string(&text[from..to]);
            }
            let part: String = bounds
                .places()
                .map(|place| char::from(text.as_bytes()[place]))
                .collect();
            return self.string(part);
        }
        self.budget.room(4 * chars)?;
        let characters: Vec<char> = text.chars().collect();
        let part: String = bounds.places().map(|place| characters[place]).collect();
        self.string(part)
    }

    /// The place that an index means in a sequence of this length.
    fn place_in(&self, kind: &str, sequence: &str, len: usize, index: Value) -> Run<usize> {
        let Some(number) = self.integer_of(index) else {
            let class = Class::of(index, &self.heap).name();
            return Err(type_error(match kind {
                "string" => format!("string indices must be integers, not '{class}'"),
                _ => format!("{kind} indices must be integers or slices, not {class}"),
            }));
        };
        let place = match number {
            Number::Int(int) if int < 0 => usize::try_from(i128::from(int) + len as i128).ok(),
            Number::Int(int) => usize::try_from(int).ok(),
            _ => return Err(index_error("cannot fit 'int' into an index-sized integer")),
        };
        place
            .filter(|place| *place < len)
            .ok_or_else(|| index_error(format!("{sequence} index out of range")))
    }

    /// A slice against a sequence of this length.
    pub(crate) fn bounds(&self, slice: Handle<Slice>, len: usize) -> Run<Bounds> {
        let slice = self.heap[slice];
        let len = len as i128;
        let step = self.part(slice.step)?.unwrap_or(1);
        if step == 0 {
            return Err(value_error("slice step cannot be zero"));
        }
        let (least, most) = if step > 0 { (0, len) } else { (-1, len - 1) };
        let place = |part: Option<i128>, default: i128| match part {
            Some(part) if part < 0 => (part + len).max(least),
            Some(part) => part.min(most),
            None => default,
        };
        let (left, right) = if step > 0 { (least, most) } else { (most, least) };
        let from = place(self.part(slice.lower)?, left);
        let to = place(self.part(slice.upper)?, right);
        let span = if step > 0 { to - from } else { from - to };
        let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
        Ok(Bounds {
            start: from,
            stop: to,
            step,
            count: count as usize,
        })
    }

    /// A part of a slice; beyond machine integers only the sign matters.
    fn part(&self, part: Value) -> Run<Option<i128>> {
        if part == Value::None {
            return Ok(None);
        }
        match self.integer_of(part) {
            Some(Number::Int(int)) => Ok(Some(i128::from(int))),
            Some(Number::Big(big)) => Ok(Some(i128::from(if big.is_negative() { i64::MIN } else { i64::MAX }))),
            _ => Err(type_error(
                "slice indices must be integers or None or have an __index__ method",
            )),
        }
    }

    /// An index that methods such as `insert` and `find` take: it counts from the end when negative, and stays inside.
    pub(crate) fn clamped_place(&self, index: Value, len: usize) -> Run<usize> {
        let index = self.part(index)?.unwrap_or(0);
        let index = if index < 0 { index + len as i128 } else { index };
        Ok(index.clamp(0, len as i128) as usize)
    }

    /// `owner[place] = value`.
    pub(crate) fn set_item(&mut self, owner: Value, place: Value, value: Value) -> Run<()> {
        match (owner, place) {
            (Value::Dict(dict), _) => self.put(dict, place, value),
            (Value::List(list), Value::Slice(slice)) => self.set_slice(list, slice, value),
            (Value::List(list), _) => {
                let place = self.place_in("list", "list assignment", self.heap[list].len(), place)?;
                self.heap[list][place] = value;
                Ok(())
            }
            _ => {
                let class = Class::of(owner, &self.heap).name();
                Err(type_error(format!("'{class}' object does not support item assignment")))
            }
        }
    }

    fn set_slice(&mut self, list: Handle<List>, slice: Handle<Slice>, value: Value) -> Run<()> {
        let items = self.iterate_or(value, |_| "can only assign an iterable".to_owned())?;
        let mut values = Vec::new();
        self.collect_into(&mut values, items)?;
        let bounds = self.bounds(slice, self.heap[list].len())?;
        self.budget.spend(self.heap[list].len() as u64 / 8)?;
        if let Some((from, to)) = bounds.run() {
            self.budget.charge(2 * size_of_val(values.as_slice()))?;
            self.heap[list].splice(from..to, values);
            return Ok(());
        }
        if values.len() != bounds.count {
            return Err(value_error(format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                values.len(),
                bounds.count
            )));
        }
        for (place, value) in bounds.places().zip(values) {
            self.heap[list][place] = value;
        }
        Ok(())
    }

    /// `del owner[place]`.
    pub(crate) fn delete_item(&mut self, owner: Value, place: Value) -> Run<()> {
        match (owner, place) {
            (Value::Dict(dict), _) => {
                let key = self.key(place)?;
                self.budget.spend(self.heap[dict].len() as u64 / 64)?;
                self.heap[dict].remove(&key).map(|_| ()).ok_or_else(|| key_error(place))
            }
            (Value::List(list), Value::Slice(slice)) => {
                let bounds = self.bounds(slice, self.heap[list].len())?;
                self.budget.spend(self.heap[list].len() as u64 / 8)?;
                let mut keep = vec![true; self.heap[list].len()];
                bounds.places().for_each(|place| keep[place] = false);
                let mut keep = keep.into_iter();
                self.heap[list].retain(|_| keep.next().unwrap_or(true));
                Ok(())
            }
            (Value::List(list), _) => {
                let place = self.place_in("list", "list assignment", self.heap[list].len(), place)?;
                self.budget.spend(self.heap[list].len() as u64 / 64)?;
                self.heap[list].remove(place);
                Ok(())
            }
            _ => Err(self.no_deletion(owner)),
        }
    }

    fn no_deletion(&self, owner: Value) -> Stop {
        let class = Class::of(owner, &self.heap).name();
        let verb = match owner {
            Value::Str(_) | Value::Tuple(_) | Value::Range(_) | Value::Bytes(_) => "doesn't",
            _ => "does not",
        };
        type_error(format!("'{class}' object {verb} support item deletion"))
    }

    /// The integer that an argument is, for counts and sizes.
    ///
    /// # Errors
    /// `TypeError` when it is none, `OverflowError` when it is too large.
    pub(crate) fn size_argument(&self, value: Value) -> Run<i64> {
        match self.integer_of(value) {
            Some(Number::Int(int)) => Ok(int),
            Some(number) => number
                .integer()
                .and_then(|big| big.to_i64())
                .ok_or_else(|| crate::python::value::overflow_error("Python int too large to convert to C ssize_t")),
            None => {
                let class = Class::of(value, &self.heap).name();
                Err(type_error(format!(
                    "'{class}' object cannot be interpreted as an integer"
                )))
            }
        }
    }
}
