//! The harmless builtins that models expect.

mod function;
mod round;
mod sequence;
mod types;

use std::fmt;

use crate::machine::wrong_count;
use crate::machine::{Args, Machine};
use crate::method;
use crate::value::{Class, Eval, Unwind, Value, type_error};

/// A builtin function or method.
pub(crate) struct Native {
    pub(crate) name: &'static str,
    pub(crate) arity: Arity,
    /// The keyword arguments it accepts; `["**"]` accepts any.
    pub(crate) keywords: &'static [&'static str],
    /// Takes the receiver (`None` for a function) and the right number of arguments.
    pub(crate) run: fn(&mut Machine<'_>, Value, &Args) -> Eval<Value>,
}

/// How many positional arguments a builtin takes. `CPython` words the error differently for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    Zero,
    One,
    /// At least the first and at most the second number.
    Between(usize, usize),
    /// From one to three, worded as for the search methods.
    OneToThree,
    /// Any number; the builtin checks it.
    Any,
}

impl PartialEq for Native {
    fn eq(&self, other: &Native) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Native {
    /// Returns a builtin without keyword arguments.
    pub(crate) const fn new(
        name: &'static str,
        arity: Arity,
        run: fn(&mut Machine<'_>, Value, &Args) -> Eval<Value>,
    ) -> Native {
        Native {
            name,
            arity,
            keywords: &[],
            run,
        }
    }

    /// Returns the same builtin with these keyword arguments.
    pub(crate) const fn with_keywords(self, keywords: &'static [&'static str]) -> Native {
        Native { keywords, ..self }
    }

    /// Checks the number and names of a call's arguments.
    ///
    /// # Errors
    /// The `TypeError` of `CPython`.
    pub(crate) fn check(&self, class: Option<Class>, args: &Args) -> Eval<()> {
        let name = self.name;
        let full_name = || match class {
            Some(class) => format!("{}.{name}", class.name()),
            None => name.to_owned(),
        };
        self.check_keywords(args, full_name)?;
        let given = args.positional.len();
        match self.arity {
            Arity::Zero if given > 0 => Err(type_error(format!(
                "{}() takes no arguments ({given} given)",
                full_name()
            ))),
            Arity::One if given != 1 => Err(type_error(format!(
                "{}() takes exactly one argument ({given} given)",
                full_name()
            ))),
            Arity::Between(least, most) if !(least..=most).contains(&given) => {
                Err(wrong_count(name, least, most, given))
            }
            Arity::OneToThree if given == 0 => Err(type_error(format!("{name}() takes at least 1 argument (0 given)"))),
            Arity::OneToThree if given > 3 => Err(type_error(format!(
                "{name}() takes at most 3 arguments ({given} given)"
            ))),
            _ => Ok(()),
        }
    }

    fn check_keywords(&self, args: &Args, full_name: impl Fn() -> String) -> Eval<()> {
        let unknown = args
            .keywords
            .iter()
            .find(|(name, _)| !self.keywords.contains(&name.as_str()));
        match unknown {
            None => Ok(()),
            Some(_) if self.keywords == ["**"] => Ok(()),
            Some(_) if self.keywords.is_empty() => {
                Err(type_error(format!("{}() takes no keyword arguments", full_name())))
            }
            Some((keyword, _)) => Err(invalid_keyword(keyword, self.name)),
        }
    }
}

pub(crate) fn invalid_keyword(keyword: &str, name: &str) -> Unwind {
    type_error(format!("'{keyword}' is an invalid keyword argument for {name}()"))
}

/// Returns the builtin with this name.
pub(crate) fn named(name: &str) -> Option<Value> {
    let native = function::FUNCTIONS
        .iter()
        .chain(sequence::FUNCTIONS)
        .find(|native| native.name == name);
    native
        .map(Value::Native)
        .or_else(|| Class::named(name).map(Value::Class))
}

/// Returns the method with this name on values of a class.
pub(crate) fn method(class: Class, name: &str) -> Option<&'static Native> {
    let mut natives = method::tables(class).iter().copied().flatten();
    natives.find(|native| native.name == name)
}

/// Returns the method that is called on the class itself, such as `dict.fromkeys`.
pub(crate) fn class_method(class: Class, name: &str) -> Option<&'static Native> {
    match (class, name) {
        (Class::Dict, "fromkeys") => Some(&method::dict::FROM_KEYS),
        (Class::Str, "maketrans") => Some(&method::string::MAKE_TRANS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of costs for everything that can be called. The interpreter's tests check the costs.
    const CHARGES: &str = include_str!("../tests/python/charges.rs");

    #[test]
    fn every_callable_has_a_tested_cost() {
        let functions = function::FUNCTIONS
            .iter()
            .chain(sequence::FUNCTIONS)
            .map(|native| native.name.to_owned());
        let classes = Class::NAMED.iter().map(|class| class.name().to_owned());
        let methods = Class::NAMED.iter().chain(&[Class::Bytes]).flat_map(|class| {
            let natives = method::tables(*class).iter().copied().flatten();
            natives.map(|native| format!("{}.{}", class.name(), native.name))
        });
        // A bool inherits the methods of an integer.
        let methods = methods.filter(|name| !name.starts_with("bool."));
        for name in functions.chain(classes).chain(methods) {
            assert!(
                CHARGES.contains(&format!("(\"{name}\", ")),
                "{name} is in no table of tests/python/charges.rs"
            );
        }
    }
}
