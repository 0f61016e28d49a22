//! Scopes, which hold the variables of running code.

use super::Machine;
use crate::budget::{Budget, Exceeded, Reserved};
use crate::builtin;
use crate::host::Builtins;
use crate::syntax::program::NamePlace;
use crate::value::{Eval, ExceptionKind, HeapRef, Unwind, Value, fault, name_error};

/// The variables of one execution of a code object. The scope's charge is released when the scope is dropped.
#[derive(Debug)]
pub(crate) struct Scope {
    parent: Option<HeapRef<Scope>>,
    variables: Vec<Option<Value>>,
    _room: Reserved,
}

impl Scope {
    pub(crate) fn new(parent: Option<HeapRef<Scope>>, slots: usize, budget: &Budget) -> Result<Scope, Exceeded> {
        let room = budget.reserve(3 * size_of::<Scope>() + slots * size_of::<Option<Value>>())?;
        budget.walk(slots)?;
        Ok(Scope {
            parent,
            variables: vec![None; slots],
            _room: room,
        })
    }

    /// Sets the values of the first variables.
    pub(crate) fn fill(&mut self, values: &[Option<Value>]) {
        self.variables[..values.len()].copy_from_slice(values);
    }
}

impl Machine<'_> {
    /// Returns a name's value.
    pub(crate) fn load(&self, name: &str) -> Eval<Value> {
        let place = self.place(name)?;
        let value = match place {
            NamePlace::Builtin => None,
            _ => self.variable(place),
        };
        match value {
            Some(value) => Ok(value),
            None => self.load_otherwise(name, place),
        }
    }

    fn load_otherwise(&self, name: &str, place: NamePlace) -> Eval<Value> {
        match place {
            NamePlace::Local(_) if self.code != 0 => Err(fault(
                ExceptionKind::UnboundLocalError,
                format!("cannot access local variable '{name}' where it is not associated with a value"),
            )),
            NamePlace::Enclosing(..) => Err(name_error(format!(
                "cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            ))),
            _ => self.given(name).ok_or_else(|| undefined(name)),
        }
    }

    /// Returns the host function or builtin with this name.
    fn given(&self, name: &str) -> Option<Value> {
        let function = self.host.find(name).map(Value::Host);
        function.or_else(|| match self.builtins {
            Builtins::Safe => builtin::named(name),
            Builtins::Absent => None,
        })
    }

    pub(crate) fn store(&mut self, name: &str, value: Value) -> Eval<()> {
        let place = self.place(name)?;
        if let Some(variable) = self.variable_mut(place) {
            *variable = Some(value);
        }
        Ok(())
    }

    pub(crate) fn delete(&mut self, name: &str) -> Eval<()> {
        let place = self.place(name)?;
        let local = matches!(place, NamePlace::Local(_)) && self.code != 0;
        match self.variable_mut(place).and_then(Option::take) {
            Some(_) => Ok(()),
            None if local => self.load_otherwise(name, place).map(|_| ()),
            None => Err(undefined(name)),
        }
    }

    fn place(&self, name: &str) -> Eval<NamePlace> {
        self.budget.scan(name.len())?;
        let places = &self.program.codes[self.code].places;
        Ok(places.get(name).copied().unwrap_or(NamePlace::Builtin))
    }

    fn variable(&self, place: NamePlace) -> Option<Value> {
        let (scope, slot) = self.whereabouts(place)?;
        self.heap[scope].variables[slot]
    }

    fn variable_mut(&mut self, place: NamePlace) -> Option<&mut Option<Value>> {
        let (scope, slot) = self.whereabouts(place)?;
        self.heap[scope].variables.get_mut(slot)
    }

    fn whereabouts(&self, place: NamePlace) -> Option<(HeapRef<Scope>, usize)> {
        match place {
            NamePlace::Local(slot) => Some((self.scope, slot)),
            NamePlace::Global(slot) => Some((self.module, slot)),
            NamePlace::Enclosing(levels, slot) => {
                let mut scope = self.scope;
                for _ in 0..levels {
                    scope = self.heap[scope].parent?;
                }
                Some((scope, slot))
            }
            NamePlace::Builtin => None,
        }
    }
}

fn undefined(name: &str) -> Unwind {
    name_error(format!("name '{name}' is not defined"))
}
