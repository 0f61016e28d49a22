//! Comprehensions and generator expressions, run by one engine that can resume where it stopped.

use ruff_python_ast::{AtomicNodeIndex, Comprehension, Expr};
use ruff_text_size::Ranged;

use super::iterator::{Generator, Iter};
use super::scope::Scope;
use super::{Machine, leave_frame};
use crate::syntax::Program;
use crate::syntax::program::{CodeBody, Element};
use crate::value::{Eval, ExceptionKind, HeapRef, Table, Unwind, Value, fault, value_error};

/// What a round of a comprehension produced: an item, or a key with its value.
type Made = (Value, Option<Value>);

impl<'a> Machine<'a> {
    pub(super) fn list_comprehension(&mut self, node: &AtomicNodeIndex, first: &'a Expr) -> Eval<Value> {
        let list = self.values()?;
        let list = self.list(list)?;
        let Value::List(handle) = list else {
            return Ok(list);
        };
        self.comprehend(node, first, |machine, (item, _)| machine.append(handle, item))?;
        Ok(list)
    }

    pub(super) fn set_comprehension(&mut self, node: &AtomicNodeIndex, first: &'a Expr) -> Eval<Value> {
        let set = Table::new(&self.budget)?;
        let set = self.set(set)?;
        self.comprehend(node, first, |machine, (item, _)| machine.add(set, item))?;
        Ok(Value::Set(set))
    }

    pub(super) fn dict_comprehension(&mut self, node: &AtomicNodeIndex, first: &'a Expr) -> Eval<Value> {
        let dict = self.dict()?;
        self.comprehend(node, first, |machine, (key, value)| {
            machine.put(dict, key, value.unwrap_or(Value::None))
        })?;
        Ok(Value::Dict(dict))
    }

    pub(super) fn generator(&mut self, node: &AtomicNodeIndex, first: &'a Expr) -> Eval<Value> {
        let generator = self.start(node, first)?;
        self.budget.charge(2 * size_of::<Generator>())?;
        self.iterator(Iter::Generator(Box::new(generator)))
    }

    fn comprehend(
        &mut self,
        node: &AtomicNodeIndex,
        first: &'a Expr,
        mut take: impl FnMut(&mut Self, Made) -> Eval<()>,
    ) -> Eval<()> {
        let mut generator = self.start(node, first)?;
        while let Some(made) = self.resume(&mut generator)? {
            take(self, made)?;
        }
        self.give_back_scope(generator.code, generator.scope);
        Ok(())
    }

    /// Starts a comprehension. Its first iterable is evaluated immediately, outside the comprehension's scope.
    fn start(&mut self, node: &AtomicNodeIndex, first: &'a Expr) -> Eval<Generator> {
        let items = self.eval(first)?;
        let items = self.iterate(items).map_err(|stop| self.located(stop, first.start()))?;
        let code = Program::number(node);
        let scope = self.open_scope(code, self.scope)?;
        Ok(Generator {
            code,
            scope,
            rounds: vec![items],
        })
    }

    pub(super) fn open_scope(&mut self, code: usize, parent: HeapRef<Scope>) -> Eval<HeapRef<Scope>> {
        let slots = self.program.codes[code].slots;
        Ok(self.heap.open(Scope::new(Some(parent), slots, &self.budget)?))
    }

    pub(super) fn give_back_scope(&mut self, code: usize, scope: HeapRef<Scope>) {
        if !self.program.codes[code].captured {
            self.heap.give_back(scope);
        }
    }

    /// Returns the next item of a generator expression.
    pub(super) fn next_generated(&mut self, handle: HeapRef<Iter>) -> Eval<Option<Value>> {
        let Iter::Generator(mut generator) = std::mem::replace(&mut self.heap[handle], Iter::Running) else {
            return Err(value_error("generator already executing"));
        };
        match self.nested(|machine| machine.resume(&mut generator)) {
            Ok(Some((item, _))) => {
                self.heap[handle] = Iter::Generator(generator);
                Ok(Some(item))
            }
            Ok(None) => {
                self.heap[handle] = Iter::Finished;
                Ok(None)
            }
            Err(Unwind::Raised { exception, .. }) if self.heap[exception].kind == ExceptionKind::StopIteration => {
                self.heap[handle] = Iter::Finished;
                Err(fault(ExceptionKind::RuntimeError, "generator raised StopIteration"))
            }
            Err(stop) => {
                self.heap[handle] = Iter::Finished;
                Err(leave_frame(stop))
            }
        }
    }

    /// Runs a comprehension, in its own scope, until it produces an item.
    fn resume(&mut self, generator: &mut Generator) -> Eval<Option<Made>> {
        let outer = (self.code, self.scope);
        (self.code, self.scope) = (generator.code, generator.scope);
        let made = self.rounds(&mut generator.rounds);
        (self.code, self.scope) = outer;
        made
    }

    fn rounds(&mut self, rounds: &mut Vec<Value>) -> Eval<Option<Made>> {
        let CodeBody::Clauses { clauses, element } = self.program.codes[self.code].body else {
            return Ok(None);
        };
        while let Some(items) = rounds.last() {
            let clause = &clauses[rounds.len() - 1];
            let next = self.next(*items);
            let Some(item) = next.map_err(|stop| self.located(stop, clause.iter.start()))? else {
                rounds.pop();
                continue;
            };
            self.budget.step()?;
            self.assign(&clause.target, item)?;
            if !self.passes(clause)? {
                continue;
            }
            match clauses.get(rounds.len()) {
                Some(inner) => {
                    let items = self.eval(&inner.iter)?;
                    rounds.push(
                        self.iterate(items)
                            .map_err(|stop| self.located(stop, inner.iter.start()))?,
                    );
                }
                None => return self.make(element).map(Some),
            }
        }
        Ok(None)
    }

    fn passes(&mut self, clause: &'a Comprehension) -> Eval<bool> {
        for test in &clause.ifs {
            if !self.test(test)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn make(&mut self, element: Element<'a>) -> Eval<Made> {
        match element {
            Element::Item(item) => Ok((self.eval(item)?, None)),
            Element::Pair(key, value) => Ok((self.eval(key)?, Some(self.eval(value)?))),
        }
    }
}
