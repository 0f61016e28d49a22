//! Items and slices: reading, replacing and deleting.

use super::Machine;
use crate::value::{
    Class, Eval, HeapRef, List, Number, Range, Slice, Text, Unwind, Value, index_error, key_error, overflow_error,
    type_error, value_error,
};

/// A slice applied to a sequence of a known length: where it starts and stops, its step, and how many items it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SliceBounds {
    start: i128,
    stop: i128,
    step: i128,
    pub(crate) count: usize,
}

impl SliceBounds {
    /// Iterates over the indices that the slice takes, in order. All of them are inside the sequence.
    pub(crate) fn places(self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.count as i128).map(move |i| (self.start + i * self.step) as usize)
    }

    /// Returns the first index and the one after the last, if the items are consecutive.
    fn run(self) -> Option<(usize, usize)> {
        (self.step == 1).then(|| (self.start as usize, self.start as usize + self.count))
    }
}

impl Machine<'_> {
    /// Evaluates `owner[place]`.
    pub(crate) fn item(&mut self, owner: Value, place: Value) -> Eval<Value> {
        match (owner, place) {
            (Value::Dict(dict), _) => {
                let key = self.key(place)?;
                self.heap[dict]
                    .get(key)
                    .map(|entry| entry.value)
                    .ok_or_else(|| key_error(place))
            }
            (Value::List(list), Value::Slice(slice)) => {
                let bounds = self.bounds(slice, self.heap[list].len())?;
                let mut items = self.values()?;
                for place in bounds.places() {
                    items.push(self.heap[list].get(place).unwrap_or(Value::None))?;
                }
                self.list(items)
            }
            (Value::Tuple(tuple), Value::Slice(slice)) => {
                let bounds = self.bounds(slice, self.heap[tuple].len())?;
                let mut items = self.values()?;
                for place in bounds.places() {
                    items.push(self.heap[tuple].get(place).unwrap_or(Value::None))?;
                }
                self.tuple(items.read()?)
            }
            (Value::Str(text), Value::Slice(slice)) => self.text_slice(text, slice),
            (Value::Bytes(bytes), Value::Slice(slice)) => {
                let bytes = self.heap[bytes].read(&self.budget)?;
                let bounds = self.bounds(slice, bytes.len())?;
                let _room = self.budget.reserve(bounds.count)?;
                self.bytes(&bounds.places().map(|place| bytes[place]).collect::<Vec<_>>())
            }
            (Value::Range(range), Value::Slice(slice)) => self.range_slice(range, slice),
            (Value::List(list), _) => {
                let place = self.place_in("list", "list", self.heap[list].len(), place)?;
                Ok(self.heap[list].get(place).unwrap_or(Value::None))
            }
            (Value::Tuple(tuple), _) => {
                let place = self.place_in("tuple", "tuple", self.heap[tuple].len(), place)?;
                Ok(self.heap[tuple].get(place).unwrap_or(Value::None))
            }
            (Value::Str(text), _) => self.character_at(text, place),
            (Value::Bytes(bytes), _) => {
                let place = self.place_in("byte", "index", self.heap[bytes].len(), place)?;
                Ok(Value::Int(self.heap[bytes].get(place).map_or(0, i64::from)))
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

    fn character_at(&mut self, text: HeapRef<Text>, place: Value) -> Eval<Value> {
        let place = self.place_in("string", "string", self.heap[text].chars(), place)?;
        let text = &self.heap[text];
        let character = if text.is_ascii() {
            text.ascii_at(place)
        } else {
            text.read(&self.budget)?.chars().nth(place)
        };
        self.character(character.unwrap_or_default())
    }

    fn range_slice(&mut self, range: HeapRef<Range>, slice: HeapRef<Slice>) -> Eval<Value> {
        let range = self.heap[range];
        let bounds = self.bounds(slice, usize::try_from(range.len()).unwrap_or(usize::MAX))?;
        // Without this limit, repeated slicing could multiply the step indefinitely.
        let step = Range::part(range.step.checked_mul(bounds.step))?;
        self.range(Range {
            start: range.at(bounds.start),
            stop: range.at(bounds.stop),
            step,
        })
    }

    fn text_slice(&mut self, text: HeapRef<Text>, slice: HeapRef<Slice>) -> Eval<Value> {
        let (chars, is_ascii) = (self.heap[text].chars(), self.heap[text].is_ascii());
        let bounds = self.bounds(slice, chars)?;
        let mut part = self.buffer()?;
        if is_ascii && let Some((from, to)) = bounds.run() {
            part.push_str(self.heap[text].read_part(from..to, &self.budget)?)?;
        } else if is_ascii {
            for place in bounds.places() {
                part.push(self.heap[text].ascii_at(place).unwrap_or_default())?;
            }
        } else {
            let text = self.heap[text].read(&self.budget)?;
            let _room = self.budget.reserve(chars.saturating_mul(size_of::<char>()))?;
            self.budget.walk(chars)?;
            let characters: Vec<char> = text.chars().collect();
            part.extend(bounds.places().map(|place| characters[place]))?;
        }
        self.written(part)
    }

    /// Resolves an index in a sequence of this length.
    fn place_in(&self, kind: &str, sequence: &str, len: usize, index: Value) -> Eval<usize> {
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

    /// Applies a slice to a sequence of this length.
    pub(crate) fn bounds(&self, slice: HeapRef<Slice>, len: usize) -> Eval<SliceBounds> {
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
        Ok(SliceBounds {
            start: from,
            stop: to,
            step,
            count: count as usize,
        })
    }

    /// Reads a part of a slice. Beyond machine integers, only the sign matters.
    fn part(&self, part: Value) -> Eval<Option<i128>> {
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

    /// Resolves an index for methods such as `insert` and `find`: a negative one counts from the end, and the result is
    /// clamped to the sequence.
    pub(crate) fn clamped_place(&self, index: Value, len: usize) -> Eval<usize> {
        let index = self.part(index)?.unwrap_or(0);
        let index = if index < 0 { index + len as i128 } else { index };
        Ok(index.clamp(0, len as i128) as usize)
    }

    /// Executes `owner[place] = value`.
    pub(crate) fn set_item(&mut self, owner: Value, place: Value, value: Value) -> Eval<()> {
        match (owner, place) {
            (Value::Dict(dict), _) => self.put(dict, place, value),
            (Value::List(list), Value::Slice(slice)) => self.set_slice(list, slice, value),
            (Value::List(list), _) => {
                let place = self.place_in("list", "list assignment", self.heap[list].len(), place)?;
                self.heap[list].set(place, value);
                Ok(())
            }
            _ => {
                let class = Class::of(owner, &self.heap).name();
                Err(type_error(format!("'{class}' object does not support item assignment")))
            }
        }
    }

    fn set_slice(&mut self, list: HeapRef<List>, slice: HeapRef<Slice>, value: Value) -> Eval<()> {
        let items = self.iterate_or(value, |_| "can only assign an iterable".to_owned())?;
        let mut values = self.values()?;
        self.collect_into(&mut values, items)?;
        let bounds = self.bounds(slice, self.heap[list].len())?;
        if let Some((from, to)) = bounds.run() {
            return self.heap[list].splice(from..to, values.read()?);
        }
        if values.len() != bounds.count {
            return Err(value_error(format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                values.len(),
                bounds.count
            )));
        }
        for (place, value) in bounds.places().zip(values.read()?) {
            self.heap[list].set(place, *value);
        }
        Ok(())
    }

    /// Executes `del owner[place]`.
    pub(crate) fn delete_item(&mut self, owner: Value, place: Value) -> Eval<()> {
        match (owner, place) {
            (Value::Dict(dict), _) => {
                let key = self.key(place)?;
                self.heap[dict].remove(key)?.map(|_| ()).ok_or_else(|| key_error(place))
            }
            (Value::List(list), Value::Slice(slice)) => {
                let bounds = self.bounds(slice, self.heap[list].len())?;
                self.heap[list].remove_all(bounds.places())
            }
            (Value::List(list), _) => {
                let place = self.place_in("list", "list assignment", self.heap[list].len(), place)?;
                self.heap[list].remove(place).map(|_| ())
            }
            _ => Err(self.no_deletion(owner)),
        }
    }

    fn no_deletion(&self, owner: Value) -> Unwind {
        let class = Class::of(owner, &self.heap).name();
        let verb = match owner {
            Value::Str(_) | Value::Tuple(_) | Value::Range(_) | Value::Bytes(_) => "doesn't",
            _ => "does not",
        };
        type_error(format!("'{class}' object {verb} support item deletion"))
    }

    /// Returns an argument as an integer, for counts and sizes.
    ///
    /// # Errors
    /// `TypeError` if it is not an integer, `OverflowError` if it is too large.
    pub(crate) fn size_argument(&self, value: Value) -> Eval<i64> {
        match self.integer_of(value) {
            Some(Number::Int(int)) => Ok(int),
            Some(_) => Err(overflow_error("Python int too large to convert to C ssize_t")),
            None => {
                let class = Class::of(value, &self.heap).name();
                Err(type_error(format!(
                    "'{class}' object cannot be interpreted as an integer"
                )))
            }
        }
    }
}
