//! Builtin functions over many values.

use ruff_python_ast::{CmpOp, Operator};

use super::{Arity, Native, invalid_keyword};
use crate::machine::iterator::Iter;
use crate::machine::{Args, Machine, wrong_count};
use crate::value::{Class, Eval, ExceptionKind, List, Value, bare, overflow_error, type_error, value_error};

pub(super) static FUNCTIONS: &[Native] = &[
    Native::new("all", Arity::One, all),
    Native::new("any", Arity::One, any),
    Native::new("iter", Arity::Between(1, 2), iter),
    Native::new("len", Arity::One, len),
    Native::new("max", Arity::Any, max).with_keywords(&["key", "default"]),
    Native::new("min", Arity::Any, min).with_keywords(&["key", "default"]),
    Native::new("next", Arity::Between(1, 2), next),
    Native::new("sorted", Arity::Between(1, 1), sorted).with_keywords(&["**"]),
    Native::new("sum", Arity::Any, sum).with_keywords(&["start"]),
];

fn all(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    any_is(machine, args, false).map(|found| Value::Bool(!found))
}

fn any(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    any_is(machine, args, true).map(Value::Bool)
}

fn any_is(machine: &mut Machine<'_>, args: &Args, wanted: bool) -> Eval<bool> {
    let items = machine.iterate(args.at(0))?;
    while let Some(item) = machine.next(items)? {
        if machine.truth(item) == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn iter(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    match args.get(1) {
        None => machine.iterate(args.at(0)),
        Some(sentinel) => {
            let function = args.at(0);
            let class = Class::of(function, &machine.heap);
            if !matches!(
                class,
                Class::Function | Class::Builtin | Class::MethodDescriptor | Class::Type
            ) {
                return Err(type_error("iter(v, w): v must be callable"));
            }
            machine.iterator(Iter::Calls { function, sentinel })
        }
    }
}

fn len(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let value = args.at(0);
    let len = match value {
        Value::Str(text) => machine.heap[text].chars(),
        Value::Bytes(bytes) => machine.heap[bytes].len(),
        Value::List(list) => machine.heap[list].len(),
        Value::Tuple(tuple) => machine.heap[tuple].len(),
        Value::Dict(dict) | Value::View(_, dict) => machine.heap[dict].len(),
        Value::Set(set) => machine.heap[set].len(),
        Value::Range(range) => {
            let len = i64::try_from(machine.heap[range].len());
            let len = len.map_err(|_| overflow_error("Python int too large to convert to C ssize_t"))?;
            return Ok(Value::Int(len));
        }
        _ => {
            let class = Class::of(value, &machine.heap).name();
            return Err(type_error(format!("object of type '{class}' has no len()")));
        }
    };
    Ok(Value::Int(len as i64))
}

fn max(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    extreme(machine, args, "max", CmpOp::Gt)
}

fn min(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    extreme(machine, args, "min", CmpOp::Lt)
}

fn extreme(machine: &mut Machine<'_>, args: &Args, name: &str, better: CmpOp) -> Eval<Value> {
    let default = args.keyword("default");
    let items = match args.positional.read()? {
        [] => return Err(wrong_count(name, 1, usize::MAX, 0)),
        [items] => machine.iterate(*items)?,
        _ if default.is_some() => {
            return Err(type_error(format!(
                "Cannot specify a default for {name}() with multiple positional arguments"
            )));
        }
        several => {
            let several = machine.tuple(several)?;
            machine.iterate(several)?
        }
    };
    let key = args.keyword("key").filter(|key| *key != Value::None);
    let mut best: Option<(Value, Value)> = None;
    while let Some(item) = machine.next(items)? {
        let measure = match key {
            Some(key) => machine.call(key, &[item])?,
            None => item,
        };
        let replaces = match best {
            Some((_, least)) => machine.ordered(better, measure, least)?,
            None => true,
        };
        if replaces {
            best = Some((item, measure));
        }
    }
    let found = best.map(|(item, _)| item).or(default);
    found.ok_or_else(|| value_error(format!("{name}() arg is an empty sequence")))
}

fn next(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    match machine.next(args.at(0))? {
        Some(value) => Ok(value),
        None => args.get(1).ok_or_else(|| bare(ExceptionKind::StopIteration)),
    }
}

fn sorted(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    let items = machine.collect(args.at(0))?;
    if let Some((keyword, _)) = args
        .keywords
        .iter()
        .find(|(name, _)| name != "key" && name != "reverse")
    {
        // `sorted` passes keyword arguments on to the method.
        return Err(invalid_keyword(keyword, "sort"));
    }
    let items = machine.sort(&items, args)?;
    machine.list(items)
}

fn sum(machine: &mut Machine<'_>, _: Value, args: &Args) -> Eval<Value> {
    if args.positional.is_empty() {
        return Err(type_error("sum() takes at least 1 positional argument (0 given)"));
    }
    if args.positional.len() > 2 {
        let given = args.positional.len();
        return Err(type_error(format!("sum() takes at most 2 arguments ({given} given)")));
    }
    let items = machine.iterate(args.at(0))?;
    let mut total = args.either(1, "start").unwrap_or(Value::Int(0));
    if let Value::Str(_) = total {
        return Err(type_error("sum() can't sum strings [use ''.join(seq) instead]"));
    }
    while let Some(item) = machine.next(items)? {
        total = machine.operate(Operator::Add, total, item)?;
    }
    Ok(total)
}

impl Machine<'_> {
    /// Sorts stably by `key` and `reverse`, at one step per comparison.
    pub(crate) fn sort(&mut self, items: &List, args: &Args) -> Eval<List> {
        let key = args.keyword("key").filter(|key| *key != Value::None);
        let reverse = match args.keyword("reverse") {
            None => false,
            Some(reverse @ (Value::Bool(_) | Value::Int(_))) => self.truth(reverse),
            Some(other) => self.size_argument(other).map(|reverse| reverse != 0)?,
        };
        // Make room for the pairs, and for the list into which they are merged.
        let _room = self
            .budget
            .reserve(items.len().saturating_mul(2 * size_of::<(Value, Value)>()))?;
        let mut pairs = Vec::with_capacity(items.len());
        for item in items.read()? {
            let measure = match key {
                Some(key) => self.call(key, &[*item])?,
                None => *item,
            };
            pairs.push((measure, *item));
        }
        // Reverse the list before and after sorting, to keep equal items in their order.
        if reverse {
            pairs.reverse();
        }
        let mut sorted = self.merge_sort(pairs)?;
        if reverse {
            sorted.reverse();
        }
        let mut items = self.values()?;
        for (_, item) in sorted {
            items.push(item)?;
        }
        Ok(items)
    }

    /// Merges runs of doubling length. Comparisons can fail, which the standard library's sorts do not allow.
    fn merge_sort(&mut self, mut pairs: Vec<(Value, Value)>) -> Eval<Vec<(Value, Value)>> {
        let mut width = 1;
        while width < pairs.len() {
            self.budget.walk(pairs.len())?;
            let mut merged = Vec::with_capacity(pairs.len());
            for run in pairs.chunks(2 * width) {
                let (left, right) = run.split_at(width.min(run.len()));
                self.merge_runs(left, right, &mut merged)?;
            }
            pairs = merged;
            width *= 2;
        }
        Ok(pairs)
    }

    fn merge_runs(
        &mut self,
        mut left: &[(Value, Value)],
        mut right: &[(Value, Value)],
        merged: &mut Vec<(Value, Value)>,
    ) -> Eval<()> {
        while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
            if self.ordered(CmpOp::Lt, second.0, first.0)? {
                merged.push(*second);
                right = right_rest;
            } else {
                merged.push(*first);
                left = left_rest;
            }
        }
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
        Ok(())
    }
}
