//! Assigns to targets (names, items, attributes and whole patterns of them), and deletes them.

use ruff_python_ast::{Expr, Operator};
use ruff_text_size::Ranged;

use super::Machine;
use crate::value::{Eval, List, Value, type_error, value_error};

impl<'a> Machine<'a> {
    pub(super) fn assign(&mut self, target: &'a Expr, value: Value) -> Eval<()> {
        let result = self.nested(|machine| machine.assign_to(target, value));
        result.map_err(|stop| self.located(stop, target.start()))
    }

    fn assign_to(&mut self, target: &'a Expr, value: Value) -> Eval<()> {
        self.budget.step()?;
        match target {
            Expr::Name(name) => self.store(&name.id, value)?,
            Expr::Attribute(attribute) => {
                let owner = self.eval(&attribute.value)?;
                self.set_attribute(owner, &attribute.attr, value)?;
            }
            Expr::Subscript(subscript) => {
                let owner = self.eval(&subscript.value)?;
                let place = self.eval(&subscript.slice)?;
                self.set_item(owner, place, value)?;
            }
            Expr::Tuple(tuple) => self.unpack(&tuple.elts, value)?,
            Expr::List(list) => self.unpack(&list.elts, value)?,
            _ => return Err(type_error("cannot assign to this expression")),
        }
        Ok(())
    }

    fn unpack(&mut self, targets: &'a [Expr], value: Value) -> Eval<()> {
        let star = targets.iter().position(Expr::is_starred_expr);
        let values = self.unpacked(targets.len(), star, value)?;
        for (target, value) in targets.iter().zip(values.read()?) {
            match target {
                Expr::Starred(star) => self.assign(&star.value, *value)?,
                _ => self.assign(target, *value)?,
            }
        }
        Ok(())
    }

    /// Unpacks one value per target. A starred target receives a list.
    fn unpacked(&mut self, wanted: usize, star: Option<usize>, value: Value) -> Eval<List> {
        let items = self.iterate_or(value, |class| format!("cannot unpack non-iterable {class} object"))?;
        let mut values = self.values()?;
        while values.len() <= wanted || star.is_some() {
            match self.next(items)? {
                Some(value) => values.push(value)?,
                None => break,
            }
        }
        let Some(star) = star else {
            return match values.len() {
                given if given > wanted => Err(value_error(format!("too many values to unpack (expected {wanted})"))),
                given if given < wanted => Err(value_error(format!(
                    "not enough values to unpack (expected {wanted}, got {given})"
                ))),
                _ => Ok(values),
            };
        };
        let least = wanted - 1;
        if values.len() < least {
            return Err(value_error(format!(
                "not enough values to unpack (expected at least {least}, got {})",
                values.len()
            )));
        }
        let behind = star + values.len() - least;
        let middle = List::copy(&values.read()?[star..behind], &self.budget)?;
        let middle = self.list(middle)?;
        values.splice(star..behind, &[middle])?;
        Ok(values)
    }

    /// Executes `target op= value`: lists, dicts and sets change in place.
    pub(super) fn augment(&mut self, target: &'a Expr, op: Operator, value: &'a Expr) -> Eval<()> {
        match target {
            Expr::Attribute(attribute) => {
                let owner = self.eval(&attribute.value)?;
                let before = self.attribute(owner, &attribute.attr)?;
                let after = self.augmented(op, before, value)?;
                self.set_attribute(owner, &attribute.attr, after)
            }
            Expr::Subscript(subscript) => {
                let owner = self.eval(&subscript.value)?;
                let place = self.eval(&subscript.slice)?;
                let before = self.item(owner, place)?;
                let after = self.augmented(op, before, value)?;
                self.set_item(owner, place, after)
            }
            _ => {
                let before = self.eval(target)?;
                let after = self.augmented(op, before, value)?;
                self.assign(target, after)
            }
        }
    }

    fn augmented(&mut self, op: Operator, before: Value, value: &'a Expr) -> Eval<Value> {
        let value = self.eval(value)?;
        self.operate_in_place(op, before, value)
    }

    pub(super) fn remove(&mut self, target: &'a Expr) -> Eval<()> {
        let result = self.nested(|machine| machine.remove_from(target));
        result.map_err(|stop| self.located(stop, target.start()))
    }

    fn remove_from(&mut self, target: &'a Expr) -> Eval<()> {
        self.budget.step()?;
        match target {
            Expr::Name(name) => self.delete(&name.id),
            Expr::Attribute(attribute) => {
                let owner = self.eval(&attribute.value)?;
                self.delete_attribute(owner, &attribute.attr)
            }
            Expr::Subscript(subscript) => {
                let owner = self.eval(&subscript.value)?;
                let place = self.eval(&subscript.slice)?;
                self.delete_item(owner, place)
            }
            Expr::Tuple(tuple) => tuple.elts.iter().try_for_each(|target| self.remove(target)),
            Expr::List(list) => list.elts.iter().try_for_each(|target| self.remove(target)),
            _ => Err(type_error("cannot delete this expression")),
        }
    }
}
