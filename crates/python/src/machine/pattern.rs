//! Patterns of `match`.

use ruff_python_ast::{Pattern, PatternMatchClass, PatternMatchMapping, Singleton};
use ruff_text_size::Ranged;

use super::Machine;
use crate::value::{Class, Dict, Eval, ExceptionKind, HashKey, HeapRef, List, Unwind, Value, type_error};

impl<'a> Machine<'a> {
    pub(super) fn matches(&mut self, pattern: &'a Pattern, subject: Value) -> Eval<bool> {
        let result = self.nested(|machine| {
            machine.budget.step()?;
            machine.matches_kind(pattern, subject)
        });
        result.map_err(|stop| self.located(stop, pattern.start()))
    }

    fn matches_kind(&mut self, pattern: &'a Pattern, subject: Value) -> Eval<bool> {
        match pattern {
            Pattern::MatchValue(value) => {
                let value = self.eval(&value.value)?;
                self.equal(subject, value)
            }
            Pattern::MatchSingleton(singleton) => Ok(subject
                == match singleton.value {
                    Singleton::None => Value::None,
                    Singleton::True => Value::Bool(true),
                    Singleton::False => Value::Bool(false),
                }),
            Pattern::MatchSequence(sequence) => self.matches_sequence(&sequence.patterns, subject),
            Pattern::MatchMapping(mapping) => match subject {
                Value::Dict(dict) => self.matches_mapping(mapping, dict),
                _ => Ok(false),
            },
            Pattern::MatchClass(class) => self.matches_class(class, subject),
            Pattern::MatchStar(_) => Ok(true),
            Pattern::MatchAs(capture) => {
                let matched = match &capture.pattern {
                    Some(pattern) => self.matches(pattern, subject)?,
                    None => true,
                };
                if let (true, Some(name)) = (matched, &capture.name) {
                    self.store(name, subject)?;
                }
                Ok(matched)
            }
            Pattern::MatchOr(or) => {
                for pattern in &or.patterns {
                    if self.matches(pattern, subject)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn matches_sequence(&mut self, patterns: &'a [Pattern], subject: Value) -> Eval<bool> {
        if !matches!(subject, Value::List(_) | Value::Tuple(_) | Value::Range(_)) {
            return Ok(false);
        }
        let items = self.collect(subject)?;
        let star = patterns.iter().position(Pattern::is_match_star);
        let fits = match star {
            Some(_) => items.len() + 1 >= patterns.len(),
            None => items.len() == patterns.len(),
        };
        if !fits {
            return Ok(false);
        }
        let head = star.unwrap_or(patterns.len());
        let tail = patterns.len() - star.map_or(head, |star| star + 1);
        let rest_end = items.len() - tail;
        let values = items.read()?;
        for (pattern, item) in patterns[..head].iter().zip(values) {
            if !self.matches(pattern, *item)? {
                return Ok(false);
            }
        }
        for (pattern, item) in patterns[patterns.len() - tail..].iter().zip(&values[rest_end..]) {
            if !self.matches(pattern, *item)? {
                return Ok(false);
            }
        }
        let star = patterns.get(head).and_then(Pattern::as_match_star);
        if let Some(name) = star.and_then(|star| star.name.as_ref()) {
            let rest = List::copy(&values[head..rest_end], &self.budget)?;
            let rest = self.list(rest)?;
            self.store(name, rest)?;
        }
        Ok(true)
    }

    fn matches_mapping(&mut self, mapping: &'a PatternMatchMapping, dict: HeapRef<Dict>) -> Eval<bool> {
        let mut keys: Vec<HashKey> = Vec::with_capacity(mapping.keys.len());
        for (key, pattern) in mapping.keys.iter().zip(&mapping.patterns) {
            let key = self.eval(key)?;
            let key = self.key(key)?;
            let Some(entry) = self.heap[dict].get(key) else {
                return Ok(false);
            };
            keys.push(key);
            if !self.matches(pattern, entry.value)? {
                return Ok(false);
            }
        }
        if let Some(name) = &mapping.rest {
            let rest = self.dict()?;
            self.merge(rest, dict)?;
            for key in keys {
                self.heap[rest].remove(key)?;
            }
            self.store(name, Value::Dict(rest))?;
        }
        Ok(true)
    }

    fn matches_class(&mut self, pattern: &'a PatternMatchClass, subject: Value) -> Eval<bool> {
        let class = self.eval(&pattern.cls)?;
        let Value::Class(class) = class else {
            return Err(type_error("called match pattern must be a type"));
        };
        if !Class::of(subject, &self.heap).is_a(class) {
            return Ok(false);
        }
        let positional = &pattern.arguments.patterns;
        let most = usize::from(takes_itself(class));
        if positional.len() > most {
            let (name, given) = (class.name(), positional.len());
            let plural = if most == 1 { "" } else { "s" };
            let message = format!("{name}() accepts {most} positional sub-pattern{plural} ({given} given)");
            return Err(type_error(message));
        }
        for part in positional {
            if !self.matches(part, subject)? {
                return Ok(false);
            }
        }
        for keyword in &pattern.arguments.keywords {
            match self.attribute(subject, &keyword.attr) {
                Ok(value) if self.matches(&keyword.pattern, value)? => {}
                Ok(_) => return Ok(false),
                Err(Unwind::Fault(fault)) if fault.kind == ExceptionKind::AttributeError => return Ok(false),
                Err(stop) => return Err(stop),
            }
        }
        Ok(true)
    }
}

/// Checks for a class whose single positional sub-pattern is matched against the value itself.
fn takes_itself(class: Class) -> bool {
    matches!(
        class,
        Class::Bool
            | Class::Bytes
            | Class::Dict
            | Class::Float
            | Class::Int
            | Class::List
            | Class::Set
            | Class::Str
            | Class::Tuple
    )
}
