//! Expressions.

use num_bigint::BigInt;
use ruff_python_ast::{
    BoolOp, CmpOp, ConversionFlag, Expr, ExprCompare, ExprDict, ExprFString, ExprIf, ExprSlice, ExprSubscript,
    FStringPart, Int, InterpolatedElement, InterpolatedStringElement, InterpolatedStringElements,
    Number as NumberLiteral, UnaryOp,
};
use ruff_text_size::{Ranged, TextSize};

use super::Machine;
use crate::value::{Buffer, Class, Eval, List, Number, Slice, Table, Value, type_error};

impl<'a> Machine<'a> {
    pub(crate) fn eval(&mut self, expr: &'a Expr) -> Eval<Value> {
        let result = self.nested(|machine| {
            machine.budget.step()?;
            machine.value(expr)
        });
        result.map_err(|stop| self.located(stop, expr.start()))
    }

    /// Evaluates whether an expression is true.
    pub(super) fn test(&mut self, expr: &'a Expr) -> Eval<bool> {
        let value = self.eval(expr)?;
        Ok(self.truth(value))
    }

    fn value(&mut self, expr: &'a Expr) -> Eval<Value> {
        match expr {
            Expr::Name(name) => self.load(&name.id),
            Expr::NumberLiteral(number) => self.number_literal(expr.start(), &number.value),
            Expr::StringLiteral(string) => {
                self.literal(expr.start(), |machine| machine.string(string.value.to_str()))
            }
            Expr::BytesLiteral(bytes) => self.literal(expr.start(), |machine| {
                machine.bytes(&bytes.value.bytes().collect::<Vec<_>>())
            }),
            Expr::BooleanLiteral(bool) => Ok(Value::Bool(bool.value)),
            Expr::EllipsisLiteral(_) => Ok(Value::Ellipsis),
            Expr::Call(call) => self.call_expression(call),
            Expr::BinOp(operation) => {
                let left = self.eval(&operation.left)?;
                let right = self.eval(&operation.right)?;
                self.operate(operation.op, left, right)
            }
            Expr::UnaryOp(operation) => self.unary(operation.op, &operation.operand),
            Expr::BoolOp(operation) => self.either(operation.op, &operation.values),
            Expr::Compare(comparison) => self.comparison(comparison),
            Expr::If(choice) => self.choice(choice),
            Expr::Attribute(attribute) => {
                let owner = self.eval(&attribute.value)?;
                let value = self.attribute(owner, &attribute.attr);
                value.map_err(|stop| self.located(stop, attribute.attr.start()))
            }
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Slice(slice) => self.slice_display(slice),
            Expr::List(list) => {
                let items = self.items(&list.elts)?;
                self.list(items)
            }
            Expr::Tuple(tuple) => {
                let items = self.items(&tuple.elts)?;
                self.tuple(items.read()?)
            }
            Expr::Set(set) => self.set_display(&set.elts),
            Expr::Dict(dict) => self.dict_display(dict),
            Expr::FString(string) => self.f_string(string),
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::ListComp(comp) => self.list_comprehension(&comp.node_index, &comp.generators[0].iter),
            Expr::SetComp(comp) => self.set_comprehension(&comp.node_index, &comp.generators[0].iter),
            Expr::DictComp(comp) => self.dict_comprehension(&comp.node_index, &comp.generators[0].iter),
            Expr::Generator(comp) => self.generator(&comp.node_index, &comp.generators[0].iter),
            Expr::Named(named) => {
                let value = self.eval(&named.value)?;
                self.assign(&named.target, value)?;
                Ok(value)
            }
            Expr::NoneLiteral(_)
            // The syntax check rejects all of these.
            | Expr::Starred(_)
            | Expr::Await(_)
            | Expr::Yield(_)
            | Expr::YieldFrom(_)
            | Expr::TString(_)
            | Expr::IpyEscapeCommand(_) => Ok(Value::None),
        }
    }

    fn slice_display(&mut self, slice: &'a ExprSlice) -> Eval<Value> {
        let part = |machine: &mut Self, part: &'a Option<Box<Expr>>| {
            part.as_deref().map_or(Ok(Value::None), |part| machine.eval(part))
        };
        let lower = part(self, &slice.lower)?;
        let upper = part(self, &slice.upper)?;
        let step = part(self, &slice.step)?;
        self.slice(Slice { lower, upper, step })
    }

    fn set_display(&mut self, items: &'a [Expr]) -> Eval<Value> {
        let items = self.items(items)?;
        let set = Table::new(&self.budget)?;
        let set = self.set(set)?;
        items.read()?.iter().try_for_each(|item| self.add(set, *item))?;
        Ok(Value::Set(set))
    }

    /// Returns a literal's value, creating it the first time.
    fn literal(&mut self, at: TextSize, make: impl FnOnce(&mut Self) -> Eval<Value>) -> Eval<Value> {
        if let Some(value) = self.literals.get(&at) {
            return Ok(*value);
        }
        let value = make(self)?;
        self.literals.insert(at, value);
        Ok(value)
    }

    fn number_literal(&mut self, at: TextSize, literal: &NumberLiteral) -> Eval<Value> {
        match literal {
            NumberLiteral::Float(float) => Ok(Value::Float(*float)),
            NumberLiteral::Int(int) => match int.as_i64() {
                Some(int) => Ok(Value::Int(int)),
                None => self.literal(at, |machine| machine.number(long_literal(int))),
            },
            NumberLiteral::Complex { .. } => Err(type_error("complex numbers are not available here")),
        }
    }

    /// Evaluates the items of a display or a call, and unpacks starred ones.
    pub(super) fn items(&mut self, items: &'a [Expr]) -> Eval<List> {
        let mut values = self.values()?;
        for item in items {
            let Expr::Starred(star) = item else {
                let value = self.eval(item)?;
                values.push(value)?;
                continue;
            };
            let spread = self.eval(&star.value)?;
            let spread = self.iterate_or(spread, |class| {
                format!("Value after * must be an iterable, not {class}")
            })?;
            self.collect_into(&mut values, spread)?;
        }
        Ok(values)
    }

    fn dict_display(&mut self, display: &'a ExprDict) -> Eval<Value> {
        let dict = self.dict()?;
        for item in &display.items {
            let Some(key) = &item.key else {
                let other = self.eval(&item.value)?;
                let Value::Dict(other) = other else {
                    let class = Class::of(other, &self.heap).name();
                    return Err(type_error(format!("'{class}' object is not a mapping")));
                };
                self.merge(dict, other)?;
                continue;
            };
            let key = self.eval(key)?;
            let value = self.eval(&item.value)?;
            self.put(dict, key, value)?;
        }
        Ok(Value::Dict(dict))
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a Expr) -> Eval<Value> {
        let value = self.eval(operand)?;
        if op == UnaryOp::Not {
            return Ok(Value::Bool(!self.truth(value)));
        }
        let number = match op {
            UnaryOp::Invert => self.integer_of(value),
            _ => self.number_of(value),
        };
        let Some(number) = number else {
            let class = Class::of(value, &self.heap).name();
            return Err(type_error(format!("bad operand type for unary {op}: '{class}'")));
        };
        let result = match op {
            UnaryOp::USub => number.negated(&self.budget)?,
            UnaryOp::Invert => match number {
                Number::Int(int) => Number::Int(!int),
                number => match number.integer(&self.budget)? {
                    Some(integer) => Number::from(-integer - 1),
                    None => number,
                },
            },
            _ => number,
        };
        self.number(result)
    }

    fn either(&mut self, op: BoolOp, values: &'a [Expr]) -> Eval<Value> {
        let mut value = Value::None;
        for part in values {
            value = self.eval(part)?;
            if self.truth(value) == (op == BoolOp::Or) {
                break;
            }
        }
        Ok(value)
    }

    fn comparison(&mut self, comparison: &'a ExprCompare) -> Eval<Value> {
        let mut left = self.eval(&comparison.left)?;
        let mut result = true;
        for (op, right) in comparison.ops.iter().zip(&comparison.comparators) {
            let right = self.eval(right)?;
            result = self.compare(*op, left, right)?;
            if !result {
                break;
            }
            left = right;
        }
        Ok(Value::Bool(result))
    }

    fn compare(&mut self, op: CmpOp, left: Value, right: Value) -> Eval<bool> {
        match op {
            CmpOp::Eq => self.equal(left, right),
            CmpOp::NotEq => self.equal(left, right).map(|equal| !equal),
            CmpOp::Is => self.is_same(left, right),
            CmpOp::IsNot => self.is_same(left, right).map(|same| !same),
            CmpOp::In => self.contains(right, left),
            CmpOp::NotIn => self.contains(right, left).map(|found| !found),
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => self.ordered(op, left, right),
        }
    }

    fn choice(&mut self, choice: &'a ExprIf) -> Eval<Value> {
        let chosen = if self.test(&choice.test)? {
            &choice.body
        } else {
            &choice.orelse
        };
        self.eval(chosen)
    }

    fn subscript(&mut self, subscript: &'a ExprSubscript) -> Eval<Value> {
        let owner = self.eval(&subscript.value)?;
        let place = self.eval(&subscript.slice)?;
        self.item(owner, place)
    }

    fn f_string(&mut self, string: &'a ExprFString) -> Eval<Value> {
        let mut text = self.buffer()?;
        for part in &string.value {
            match part {
                FStringPart::Literal(literal) => text.push_str(literal)?,
                FStringPart::FString(string) => self.interpolate(&string.elements, &mut text)?,
            }
        }
        self.written(text)
    }

    fn interpolate(&mut self, elements: &'a InterpolatedStringElements, text: &mut Buffer) -> Eval<()> {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => text.push_str(literal)?,
                InterpolatedStringElement::Interpolation(element) => self.interpolation(element, text)?,
            }
        }
        Ok(())
    }

    fn interpolation(&mut self, element: &'a InterpolatedElement, text: &mut Buffer) -> Eval<()> {
        let mut value = self.eval(&element.expression)?;
        if let Some(debug) = &element.debug_text {
            text.push_str(debug.as_str())?;
        }
        let plain_debug = element.debug_text.is_some() && element.format_spec.is_none();
        match element.conversion {
            ConversionFlag::None if plain_debug => return self.write_repr(text, value),
            ConversionFlag::None => {}
            ConversionFlag::Str => value = self.converted(value, 's')?,
            ConversionFlag::Repr => value = self.converted(value, 'r')?,
            ConversionFlag::Ascii => value = self.converted(value, 'a')?,
        }
        let Some(spec) = &element.format_spec else {
            return self.write_str(text, value);
        };
        let mut spec_text = self.buffer()?;
        self.interpolate(&spec.elements, &mut spec_text)?;
        self.format(text, value, &spec_text)
    }
}

/// Reads an integer literal beyond `i64`, in any base. The parser has already validated it.
fn long_literal(int: &Int) -> Number {
    let text = int.to_string().replace('_', "");
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0o" | "0O") => (&text[2..], 8),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text.as_str(), 10),
    };
    Number::from(BigInt::parse_bytes(digits.as_bytes(), radix).unwrap_or_default())
}
