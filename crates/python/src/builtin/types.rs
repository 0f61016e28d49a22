//! Calling a class: `int("5")`, `list(range(3))`, `ValueError("no")`.

use std::rc::Rc;

use num_traits::ToPrimitive;

use super::invalid_keyword;
use crate::machine::iterator::Iter;
use crate::machine::{Args, Machine, wrong_count};
use crate::text::number;
use crate::value::number::whole;
use crate::value::{
    Argument, Class, Dict, DictView, Eval, ExceptionKind, Fault, HeapRef, List, Number, Range, Set, Value, type_error,
    value_error,
};

impl Machine<'_> {
    /// Creates a value of a class.
    pub(crate) fn construct(&mut self, class: Class, args: Args) -> Eval<Value> {
        if let Class::Exception(kind) = class {
            return self.construct_exception(kind, args);
        }
        check(class, &args)?;
        let first = args.get(0);
        match class {
            Class::Bool => Ok(Value::Bool(first.is_some_and(|value| self.truth(value)))),
            Class::Int => self.construct_int(&args),
            Class::Float => self.construct_float(first),
            Class::Str => self.construct_str(&args),
            Class::List => {
                let items = self.collected(first)?;
                self.list(items)
            }
            Class::Tuple => {
                if let Some(tuple @ Value::Tuple(_)) = first {
                    return Ok(tuple);
                }
                let items = self.collected(first)?;
                self.tuple(items.read()?)
            }
            Class::Set => self.construct_set(first).map(Value::Set),
            Class::Dict => {
                let dict = self.dict()?;
                self.update(dict, &args)?;
                Ok(Value::Dict(dict))
            }
            Class::Range => self.construct_range(&args),
            Class::Enumerate => self.construct_enumerate(&args),
            Class::Reversed => self.construct_reversed(args.at(0)),
            Class::Zip => {
                let strict = args.keyword("strict").is_some_and(|strict| self.truth(strict));
                let parts = self.iterators(args.positional.read()?)?;
                self.iterator(Iter::Zip { parts, strict })
            }
            Class::Map => {
                let (function, parts) = (args.at(0), &args.positional.read()?[1..]);
                let parts = self.iterators(parts)?;
                self.iterator(Iter::Map { function, parts })
            }
            Class::Filter => {
                let items = self.iterate(args.at(1))?;
                self.iterator(Iter::Filter {
                    function: args.at(0),
                    items,
                })
            }
            _ => Err(type_error(format!("cannot create '{}' instances", class.name()))),
        }
    }

    fn construct_exception(&mut self, kind: ExceptionKind, args: Args) -> Eval<Value> {
        if !args.keywords.is_empty() {
            return Err(type_error(format!("{}() takes no keyword arguments", kind.name())));
        }
        let exception = self.exception(Fault {
            kind,
            argument: Argument::Nothing,
        })?;
        self.heap[exception].args = args.positional;
        Ok(Value::Exception(exception))
    }

    fn iterators(&mut self, values: &[Value]) -> Eval<Rc<[Value]>> {
        self.budget.charge(size_of_val(values))?;
        values.iter().map(|value| self.iterate(*value)).collect()
    }

    fn collected(&mut self, items: Option<Value>) -> Eval<List> {
        match items {
            Some(items) => self.collect(items),
            None => self.values(),
        }
    }

    fn construct_int(&mut self, args: &Args) -> Eval<Value> {
        let Some(value) = args.get(0) else {
            return match args.keyword("base") {
                Some(_) => Err(type_error("int() missing string argument")),
                None => Ok(Value::Int(0)),
            };
        };
        if let Some(base) = args.either(1, "base") {
            let base = self.size_argument(base)?;
            let Some(text) = self.text_of(value)? else {
                return Err(type_error("int() can't convert non-string with explicit base"));
            };
            let base = u32::try_from(base).ok().filter(|base| matches!(base, 0 | 2..=36));
            let base = base.ok_or_else(|| value_error("int() base must be >= 2 and <= 36, or 0"))?;
            let number = number::integer(&text, base, &self.budget)?;
            return self.number(number);
        }
        match (value, self.number_of(value)) {
            (_, Some(Number::Float(float))) => self.number(whole(float)?),
            (_, Some(number)) => self.number(number),
            (Value::Str(_), None) => {
                let text = self.str(value)?;
                let number = number::integer(&text, 10, &self.budget)?;
                self.number(number)
            }
            _ => {
                let class = Class::of(value, &self.heap).name();
                Err(type_error(format!(
                    "int() argument must be a string, a bytes-like object or a real number, not '{class}'"
                )))
            }
        }
    }

    fn construct_float(&mut self, value: Option<Value>) -> Eval<Value> {
        let Some(value) = value else {
            return Ok(Value::Float(0.0));
        };
        if let Some(number) = self.number_of(value) {
            return number.float().map(Value::Float);
        }
        if let Value::Str(_) = value {
            let text = self.str(value)?;
            return number::float(&text, &self.budget).map(Value::Float);
        }
        let class = Class::of(value, &self.heap).name();
        Err(type_error(format!(
            "float() argument must be a string or a real number, not '{class}'"
        )))
    }

    fn construct_str(&mut self, args: &Args) -> Eval<Value> {
        match (args.either(0, "object"), args.either(1, "encoding")) {
            (None, _) => self.string(""),
            (Some(text @ Value::Str(_)), None) => Ok(text),
            (Some(Value::Bytes(bytes)), Some(_)) => {
                let bytes = self.heap[bytes].read(&self.budget)?;
                self.budget.walk(bytes.len())?;
                // Each invalid byte can become a replacement character of three bytes.
                let _room = self.budget.reserve(3 * bytes.len())?;
                self.string(&String::from_utf8_lossy(&bytes))
            }
            (Some(value), None) => self.converted(value, 's'),
            (Some(Value::Str(_)), Some(_)) => Err(type_error("decoding str is not supported")),
            (Some(value), Some(_)) => {
                let class = Class::of(value, &self.heap).name();
                Err(type_error(format!(
                    "decoding to str: need a bytes-like object, {class} found"
                )))
            }
        }
    }

    fn construct_set(&mut self, items: Option<Value>) -> Eval<HeapRef<Set>> {
        let members = match items {
            Some(items) => self.members(items)?,
            None => Set::new(&self.budget)?,
        };
        self.set(members)
    }

    fn construct_range(&mut self, args: &Args) -> Eval<Value> {
        let parts = args.positional.read()?.iter().map(|part| self.range_part(*part));
        let parts = parts.collect::<Eval<Vec<_>>>()?;
        let range = match *parts.as_slice() {
            [end] => Range::new(0, end, 1),
            [first, end] => Range::new(first, end, 1),
            [first, end, by] => Range::new(first, end, by),
            _ => return Err(wrong_count("range", 1, 3, parts.len())),
        };
        if range.step == 0 {
            return Err(value_error("range() arg 3 must not be zero"));
        }
        self.range(range)
    }

    fn range_part(&self, part: Value) -> Eval<i128> {
        let Some(number) = self.integer_of(part) else {
            let class = Class::of(part, &self.heap).name();
            return Err(type_error(format!(
                "'{class}' object cannot be interpreted as an integer"
            )));
        };
        // The parts of a range never have more bits than this, so a larger integer is an error in any case.
        Range::part(match number {
            Number::Int(int) => Some(i128::from(int)),
            Number::Big(big) => big.small(127).and_then(|integer| integer.to_i128()),
            Number::Float(_) => None,
        })
    }

    fn construct_enumerate(&mut self, args: &Args) -> Eval<Value> {
        let Some(items) = args.either(0, "iterable") else {
            return Err(type_error("enumerate() missing required argument 'iterable'"));
        };
        let items = self.iterate(items)?;
        let count = args.either(1, "start").map_or(Ok(0), |start| self.range_part(start))?;
        self.iterator(Iter::Enumerate { items, count })
    }

    fn construct_reversed(&mut self, value: Value) -> Eval<Value> {
        let iter = match value {
            Value::List(list) => Iter::Backward {
                source: value,
                left: self.heap[list].len(),
            },
            Value::Tuple(tuple) => Iter::Backward {
                source: value,
                left: self.heap[tuple].len(),
            },
            Value::Str(text) => {
                let text = self.heap[text].read(&self.budget)?;
                let mut backward = self.buffer()?;
                backward.extend(text.chars().rev())?;
                Iter::Characters(backward.into_text()?.characters())
            }
            Value::Range(range) => {
                let range = self.heap[range];
                Iter::Range {
                    range: Range {
                        start: range.at(range.len() - 1),
                        stop: range.at(-1),
                        step: -range.step,
                    },
                    next: 0,
                }
            }
            Value::Dict(dict) => self.backward(dict, DictView::Keys),
            Value::View(view, dict) => self.backward(dict, view),
            _ => {
                let class = Class::of(value, &self.heap).name();
                return Err(type_error(format!("'{class}' object is not reversible")));
            }
        };
        self.iterator(iter)
    }

    fn backward(&self, dict: HeapRef<Dict>, view: DictView) -> Iter {
        Iter::EntriesBackward {
            dict,
            view,
            before: usize::MAX,
            size: self.heap[dict].len(),
        }
    }

    /// Puts the arguments of `dict(...)` or `dict.update(...)` into a dict.
    pub(crate) fn update(&mut self, dict: HeapRef<Dict>, args: &Args) -> Eval<()> {
        match args.get(0) {
            Some(Value::Dict(other)) => self.merge(dict, other)?,
            Some(pairs) => self.update_with_pairs(dict, pairs)?,
            None => {}
        }
        for (name, value) in &args.keywords {
            let name = self.string(name)?;
            self.put(dict, name, *value)?;
        }
        Ok(())
    }

    fn update_with_pairs(&mut self, dict: HeapRef<Dict>, pairs: Value) -> Eval<()> {
        let pairs = self.iterate(pairs)?;
        let mut place = 0;
        while let Some(pair) = self.next(pairs)? {
            let iterator = self.iterate_or(pair, |_| {
                format!("cannot convert dictionary update sequence element #{place} to a sequence")
            })?;
            let mut items = self.values()?;
            self.collect_into(&mut items, iterator)?;
            let [key, value] = *items.read()? else {
                return Err(value_error(format!(
                    "dictionary update sequence element #{place} has length {}; 2 is required",
                    items.len()
                )));
            };
            self.put(dict, key, value)?;
            place += 1;
        }
        Ok(())
    }
}

/// Checks the number and names of a class's arguments; errors are worded as in `CPython`.
fn check(class: Class, args: &Args) -> Eval<()> {
    let name = class.name();
    let known: &[&str] = match class {
        Class::Int => &["base"],
        Class::Str => &["object", "encoding", "errors"],
        Class::Enumerate => &["iterable", "start"],
        Class::Zip => &["strict"],
        Class::Dict => return check_count(class, args),
        _ => &[],
    };
    match args
        .keywords
        .iter()
        .find(|(keyword, _)| !known.contains(&keyword.as_str()))
    {
        Some(_) if known.is_empty() => return Err(type_error(format!("{name}() takes no keyword arguments"))),
        Some((keyword, _)) => return Err(invalid_keyword(keyword, name)),
        None => {}
    }
    check_count(class, args)
}

fn check_count(class: Class, args: &Args) -> Eval<()> {
    let (name, given) = (class.name(), args.positional.len());
    let (least, most) = match class {
        Class::Range => (1, 3),
        Class::Filter => (2, 2),
        Class::Reversed => (1, 1),
        Class::Int if given > 2 => return Err(type_error(format!("int() takes at most 2 arguments ({given} given)"))),
        Class::Str if given > 3 => return Err(type_error(format!("str() takes at most 3 arguments ({given} given)"))),
        Class::Map if given < 2 => return Err(type_error("map() must have at least two arguments.")),
        Class::Int | Class::Str | Class::Map | Class::Zip | Class::Enumerate => return Ok(()),
        _ => (0, 1),
    };
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(wrong_count(name, least, most, given))
}
