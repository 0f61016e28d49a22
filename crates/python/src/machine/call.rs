//! Calls: evaluating arguments, and calling functions of the host, builtins, methods, classes and functions.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::Ranged;

use super::Machine;
use crate::budget::Exceeded;
use crate::builtin::{self, Native};
use crate::host::{Arg, CallRefusal};
use crate::value::{Class, Eval, List, Unwind, Value, type_error, value_error};

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) positional: List,
    pub(crate) keywords: Vec<(String, Value)>,
}

impl Args {
    /// Returns the positional argument at this index.
    pub(crate) fn get(&self, place: usize) -> Option<Value> {
        self.positional.get(place)
    }

    /// Returns the positional argument at this index, or Python's `None` if it is omitted.
    pub(crate) fn at(&self, place: usize) -> Value {
        self.get(place).unwrap_or(Value::None)
    }

    /// Returns the keyword argument with this name.
    pub(crate) fn keyword(&self, name: &str) -> Option<Value> {
        self.keywords
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    }

    /// Returns an argument that can be passed by position or by name.
    pub(crate) fn either(&self, place: usize, name: &str) -> Option<Value> {
        self.get(place).or_else(|| self.keyword(name))
    }
}

impl From<List> for Args {
    fn from(positional: List) -> Args {
        Args {
            positional,
            keywords: Vec::new(),
        }
    }
}

/// The value or method to call, looked up before the arguments are evaluated.
enum Callee {
    Value(Value),
    Method(Class, Value, &'static Native),
}

impl<'a> Machine<'a> {
    pub(super) fn call_expression(&mut self, call: &'a ExprCall) -> Eval<Value> {
        let callee = self.callee(&call.func)?;
        let args = self.arguments(call, &callee)?;
        self.calling = call.range();
        let result = match callee {
            Callee::Value(value) => self.call_with(value, args),
            Callee::Method(class, receiver, native) => self.call_native(native, Some((class, receiver)), &args),
        };
        // In a chain over several lines, the line with the method's name is more informative than the first line of the
        // chain.
        let at = call
            .func
            .as_attribute_expr()
            .map_or(call.start(), |attribute| attribute.attr.start());
        result.map_err(|stop| self.located(stop, at))
    }

    /// Finds what to call. A method that is called immediately does not have to be created as a value.
    fn callee(&mut self, func: &'a Expr) -> Eval<Callee> {
        let Expr::Attribute(attribute) = func else {
            return self.eval(func).map(Callee::Value);
        };
        let owner = self.eval(&attribute.value)?;
        let class = Class::of(owner, &self.heap);
        if let Some(native) = builtin::method(class, &attribute.attr) {
            return Ok(Callee::Method(class, owner, native));
        }
        let value = self.attribute(owner, &attribute.attr);
        value
            .map(Callee::Value)
            .map_err(|stop| self.located(stop, attribute.attr.start()))
    }

    fn arguments(&mut self, call: &'a ExprCall, callee: &Callee) -> Eval<Args> {
        let mut args = Args::from(self.values()?);
        for argument in &call.arguments.args {
            let Expr::Starred(star) = argument else {
                let value = self.eval(argument)?;
                args.positional.push(value)?;
                continue;
            };
            let spread = self.eval(&star.value)?;
            let name = self.callee_name(callee);
            self.budget.scan(name.len())?;
            let spread = self.iterate_or(spread, |class| {
                format!("{name} argument after * must be an iterable, not {class}")
            })?;
            self.collect_into(&mut args.positional, spread)?;
        }
        for keyword in &call.arguments.keywords {
            let value = self.eval(&keyword.value)?;
            match &keyword.arg {
                Some(name) => self.add_keyword(&mut args, name.to_string(), value, callee)?,
                None => self.spread_keywords(&mut args, value, callee)?,
            }
        }
        Ok(args)
    }

    fn spread_keywords(&mut self, args: &mut Args, mapping: Value, callee: &Callee) -> Eval<()> {
        let Value::Dict(dict) = mapping else {
            let (name, class) = (self.callee_name(callee), Class::of(mapping, &self.heap).name());
            return Err(type_error(format!(
                "{name} argument after ** must be a mapping, not {class}"
            )));
        };
        for entry in self.heap[dict].entries()? {
            self.budget.step()?;
            let Some(name) = self.text_of(entry.key)? else {
                return Err(type_error("keywords must be strings"));
            };
            self.add_keyword(args, name.to_string(), entry.value, callee)?;
        }
        Ok(())
    }

    fn add_keyword(&mut self, args: &mut Args, name: String, value: Value, callee: &Callee) -> Eval<()> {
        self.budget.charge(2 * size_of::<(String, Value)>() + name.len())?;
        self.budget.scan(args.keywords.len().saturating_mul(8 + name.len()))?;
        if args.keyword(&name).is_some() {
            let callee = self.callee_name(callee);
            let message = format!("{callee} got multiple values for keyword argument '{name}'");
            return Err(type_error(message));
        }
        args.keywords.push((name, value));
        Ok(())
    }

    fn callee_name(&self, callee: &Callee) -> String {
        match callee {
            Callee::Method(class, _, native) => format!("{}.{}()", class.name(), native.name),
            Callee::Value(Value::Function(function)) => {
                let code = self.heap[*function].code;
                format!("{}()", self.program.codes[code].qualname)
            }
            Callee::Value(Value::Host(function)) => format!("{}()", self.host.describe(*function).name),
            Callee::Value(Value::Native(native)) => format!("{}()", native.name),
            Callee::Value(Value::Class(class)) => class.name().to_owned(),
            Callee::Value(value) => format!("'{}' object", Class::of(*value, &self.heap).name()),
        }
    }

    /// Calls a value with positional arguments.
    pub(crate) fn call(&mut self, callee: Value, positional: &[Value]) -> Eval<Value> {
        let positional = List::copy(positional, &self.budget)?;
        self.call_with(callee, Args::from(positional))
    }

    pub(super) fn call_with(&mut self, callee: Value, args: Args) -> Eval<Value> {
        self.budget.step()?;
        match callee {
            Value::Host(function) => self.call_host(function, args),
            Value::Function(function) => self.call_function(function, args),
            Value::Native(native) => self.call_native(native, None, &args),
            Value::Method(handle) => {
                let method = self.heap[handle];
                match method.receiver {
                    Some(receiver) => self.call_native(method.native, Some((method.class, receiver)), &args),
                    None => self.call_unbound(method.class, method.native, args),
                }
            }
            Value::Class(class) => self.construct(class, args),
            _ => {
                let class = Class::of(callee, &self.heap).name();
                Err(type_error(format!("'{class}' object is not callable")))
            }
        }
    }

    /// Calls a method such as `str.upper("a")`, where the receiver is the first argument.
    fn call_unbound(&mut self, class: Class, native: &'static Native, mut args: Args) -> Eval<Value> {
        let (of, name) = (class.name(), native.name);
        if args.positional.is_empty() {
            return Err(type_error(format!("unbound method {of}.{name}() needs an argument")));
        }
        let receiver = args.positional.remove(0)?;
        let given = Class::of(receiver, &self.heap);
        if !given.is_a(class) {
            let given = given.name();
            return Err(type_error(format!(
                "descriptor '{name}' for '{of}' objects doesn't apply to a '{given}' object"
            )));
        }
        self.call_native(native, Some((class, receiver)), &args)
    }

    fn call_native(&mut self, native: &'static Native, method: Option<(Class, Value)>, args: &Args) -> Eval<Value> {
        native.check(method.map(|(class, _)| class), args)?;
        let receiver = method.map_or(Value::None, |(_, receiver)| receiver);
        self.nested(|machine| (native.run)(machine, receiver, args))
    }

    fn call_host(&mut self, function: usize, args: Args) -> Eval<Value> {
        let (positional, _room) = args.positional.into_parts();
        let _copies = self.budget.reserve(positional.len() * size_of::<Arg>())?;
        let positional = positional.into_iter().map(|value| self.argument(value));
        let positional = positional.collect::<Eval<_>>()?;
        let keywords = args.keywords.into_iter();
        let keywords = keywords
            .map(|(name, value)| Ok((name, self.argument(value)?)))
            .collect::<Eval<_>>()?;
        let [start, end] = [self.calling.start(), self.calling.end()].map(|at| self.skipped + at.to_usize());
        match self.host.call(function, start..end, positional, keywords) {
            Ok(()) => Ok(Value::None),
            Err(CallRefusal::Type(message)) => Err(type_error(message)),
            Err(CallRefusal::Value(message)) => Err(value_error(message)),
            Err(CallRefusal::Stop(message)) => Err(Exceeded::Host(message.into()).into()),
        }
    }

    /// Converts a value to an argument for the host.
    fn argument(&mut self, value: Value) -> Eval<Arg> {
        self.argument_within(value, MOST_LEVELS)
    }

    /// Converts a value in which lists can be nested this deeply.
    fn argument_within(&mut self, value: Value, levels: usize) -> Eval<Arg> {
        Ok(match value {
            Value::None => Arg::None,
            Value::Bool(bool) => Arg::Bool(bool),
            Value::Int(int) => Arg::Int(int as f64),
            // Like any other out-of-range number, a number too large for a float is clamped.
            Value::Big(big) => {
                let sign = if self.heap[big].is_negative() { -1.0 } else { 1.0 };
                Arg::Int(self.heap[big].to_float().unwrap_or(sign * f64::MAX))
            }
            Value::Float(float) => Arg::Float(float),
            Value::Str(handle) => {
                let text = self.heap[handle].read(&self.budget)?;
                self.budget.charge(text.len())?;
                Arg::Text(text.to_string())
            }
            Value::List(_) | Value::Tuple(_) if levels > 0 && self.items_in(value) <= MOST_ITEMS => {
                let mut items = Vec::new();
                for place in 0..self.items_in(value) {
                    self.budget.charge(size_of::<Arg>())?;
                    let item = self.item_at(value, place).unwrap_or(Value::None);
                    items.push(self.argument_within(item, levels - 1)?);
                }
                Arg::Sequence(Class::of(value, &self.heap).name().to_owned(), items)
            }
            _ => Arg::Other(Class::of(value, &self.heap).name().to_owned()),
        })
    }
}

/// How deeply the lists that a host sees can be nested, and how many items each can have.
const MOST_LEVELS: usize = 2;
const MOST_ITEMS: usize = 200;

/// Returns the error for a wrong number of arguments, as `CPython`'s builtins word it.
pub(crate) fn wrong_count(name: &str, least: usize, most: usize, given: usize) -> Unwind {
    let (bound, wanted) = match (least == most, given < least) {
        (true, _) => ("", least),
        (false, true) => ("at least ", least),
        (false, false) => ("at most ", most),
    };
    let plural = if wanted == 1 { "" } else { "s" };
    type_error(format!("{name} expected {bound}{wanted} argument{plural}, got {given}"))
}
