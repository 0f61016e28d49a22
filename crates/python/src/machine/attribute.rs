//! Attributes: the methods and few data attributes of builtin values, and the attributes that the model sets on
//! functions.

use std::rc::Rc;

use super::Machine;
use crate::builtin;
use crate::value::{Class, Eval, ExceptionKind, Method, Unwind, Value, attribute_error, type_error};

/// A value that can carry the model's own attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Function(u32),
    Host(usize),
}

impl Owner {
    fn of(value: Value) -> Option<Owner> {
        match value {
            Value::Function(function) => Some(Owner::Function(function.index())),
            Value::Host(function) => Some(Owner::Host(function)),
            _ => None,
        }
    }
}

impl Machine<'_> {
    /// Returns the attribute with this name.
    pub(crate) fn attribute(&mut self, owner: Value, name: &str) -> Eval<Value> {
        self.budget.scan(name.len())?;
        let own = Owner::of(owner).filter(|_| !self.attributes.is_empty());
        if let Some(value) = own.and_then(|own| self.attributes.get(&(own, Rc::from(name)))) {
            return Ok(*value);
        }
        if let Some(value) = self.data(owner, name)? {
            return Ok(value);
        }
        if let Value::Class(class) = owner {
            return self.class_attribute(class, name);
        }
        let class = Class::of(owner, &self.heap);
        match builtin::method(class, name) {
            Some(native) => self.method(Method {
                class,
                receiver: Some(owner),
                native,
            }),
            None => Err(self.no_attribute(owner, name)),
        }
    }

    fn class_attribute(&mut self, class: Class, name: &str) -> Eval<Value> {
        if let Some(native) = builtin::class_method(class, name) {
            return Ok(Value::Native(native));
        }
        match builtin::method(class, name) {
            Some(native) => self.method(Method {
                class,
                receiver: None,
                native,
            }),
            None => Err(self.no_attribute(Value::Class(class), name)),
        }
    }

    fn no_attribute(&self, owner: Value, name: &str) -> Unwind {
        attribute_error(match owner {
            Value::Class(class) => format!("type object '{}' has no attribute '{name}'", class.name()),
            _ => format!(
                "'{}' object has no attribute '{name}'",
                Class::of(owner, &self.heap).name()
            ),
        })
    }

    pub(crate) fn data(&mut self, owner: Value, name: &str) -> Eval<Option<Value>> {
        let value = match (owner, name) {
            (Value::Function(_) | Value::Host(_) | Value::Native(_) | Value::Class(_), "__name__") => {
                let name = self.function_name(owner);
                self.string(&name)?
            }
            (Value::Host(function), "__doc__") => self.string(self.host.describe(function).doc)?,
            (Value::Function(_), "__doc__") => Value::None,
            (Value::Exception(exception), "args") => {
                let args = self.heap[exception].args.again()?;
                self.tuple(args.read()?)?
            }
            (Value::Exception(exception), "value" | "code") => match (self.heap[exception].kind, name) {
                (ExceptionKind::StopIteration, "value") | (ExceptionKind::SystemExit, "code") => {
                    self.heap[exception].args.get(0).unwrap_or(Value::None)
                }
                _ => return Ok(None),
            },
            (Value::Range(range), "start") => self.integer(self.heap[range].start)?,
            (Value::Range(range), "stop") => self.integer(self.heap[range].stop)?,
            (Value::Range(range), "step") => self.integer(self.heap[range].step)?,
            (Value::Int(_) | Value::Big(_), "real" | "numerator") | (Value::Float(_), "real") => owner,
            (Value::Int(_) | Value::Big(_), "denominator") => Value::Int(1),
            (Value::Int(_) | Value::Big(_), "imag") => Value::Int(0),
            (Value::Float(_), "imag") => Value::Float(0.0),
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Returns the `__name__` of anything callable.
    pub(crate) fn function_name(&self, value: Value) -> String {
        match value {
            Value::Function(function) => {
                let qualname = &self.program.codes[self.heap[function].code].qualname;
                qualname.rsplit('.').next().unwrap_or(qualname).to_owned()
            }
            Value::Host(function) => self.host.describe(function).name.to_owned(),
            Value::Native(native) => native.name.to_owned(),
            Value::Class(class) => class.name().to_owned(),
            _ => String::new(),
        }
    }

    /// Returns a function's name, including the functions that it was defined in.
    pub(crate) fn qualified_name(&self, value: Value) -> String {
        match value {
            Value::Function(function) => self.program.codes[self.heap[function].code].qualname.clone(),
            _ => self.function_name(value),
        }
    }

    pub(crate) fn set_attribute(&mut self, owner: Value, name: &str, value: Value) -> Eval<()> {
        let Some(key) = Owner::of(owner) else {
            return Err(self.cannot_set(owner, name));
        };
        self.budget.charge(128 + name.len())?;
        self.attributes.insert((key, Rc::from(name)), value);
        Ok(())
    }

    fn cannot_set(&mut self, owner: Value, name: &str) -> Unwind {
        if let Value::Class(class) = owner {
            let class = class.name();
            let message = format!("cannot set '{name}' attribute of immutable type '{class}'");
            return type_error(message);
        }
        let class = Class::of(owner, &self.heap);
        if builtin::method(class, name).is_some() {
            return attribute_error(format!("'{}' object attribute '{name}' is read-only", class.name()));
        }
        self.no_attribute(owner, name)
    }

    pub(crate) fn delete_attribute(&mut self, owner: Value, name: &str) -> Eval<()> {
        let key = Owner::of(owner).map(|owner| (owner, Rc::from(name)));
        match key.and_then(|key| self.attributes.remove(&key)) {
            Some(_) => Ok(()),
            None => Err(self.no_attribute(owner, name)),
        }
    }
}
