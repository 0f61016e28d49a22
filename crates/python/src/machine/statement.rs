//! Statements.

use ruff_python_ast::{
    ExceptHandler, ExceptHandlerExceptHandler, Expr, Stmt, StmtAssert, StmtFor, StmtIf, StmtMatch, StmtRaise, StmtTry,
    StmtWhile, StmtWith,
};
use ruff_text_size::Ranged;

use super::Machine;
use crate::value::{
    Argument, Class, Eval, Exception, ExceptionKind, Fault, HeapRef, Unwind, Value, bare, fault, type_error,
};

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

impl<'a> Machine<'a> {
    pub(super) fn body(&mut self, body: &'a [Stmt]) -> Eval<Flow> {
        for statement in body {
            let flow = self.statement(statement)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &'a Stmt) -> Eval<Flow> {
        let result = self.nested(|machine| {
            machine.budget.step()?;
            machine.perform(statement)
        });
        result.map_err(|stop| self.located(stop, statement.start()))
    }

    fn perform(&mut self, statement: &'a Stmt) -> Eval<Flow> {
        match statement {
            Stmt::Expr(expr) => self.eval(&expr.value).map(|_| ())?,
            Stmt::Assign(assign) => {
                let value = self.eval(&assign.value)?;
                for target in &assign.targets {
                    self.assign(target, value)?;
                }
            }
            Stmt::AugAssign(assign) => self.augment(&assign.target, assign.op, &assign.value)?,
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let value = self.eval(value)?;
                    self.assign(&assign.target, value)?;
                }
            }
            Stmt::Delete(delete) => delete.targets.iter().try_for_each(|target| self.remove(target))?,
            Stmt::Return(statement) => {
                let value = statement.value.as_ref().map(|value| self.eval(value)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or(Value::None)));
            }
            Stmt::Break(_) => return Ok(Flow::Break),
            Stmt::Continue(_) => return Ok(Flow::Continue),
            Stmt::If(statement) => return self.branch(statement),
            Stmt::While(statement) => return self.repeat(statement),
            Stmt::For(statement) => return self.for_each(statement),
            Stmt::Try(statement) => return self.attempt(statement),
            Stmt::Match(statement) => return self.select(statement),
            Stmt::With(statement) => return self.with(statement),
            Stmt::FunctionDef(def) => self.define(def)?,
            Stmt::Raise(statement) => return Err(self.raise(statement)?),
            Stmt::Assert(statement) => self.assert(statement)?,
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                // CPython without `__import__` says only that it is not found.
                return Err(fault(
                    ExceptionKind::ImportError,
                    "'import' is not available here. Use the tools and the built-in functions.",
                ));
            }
            // None of the other statements that pass the syntax check has any effect when it runs.
            Stmt::Pass(_)
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::ClassDef(_)
            | Stmt::TypeAlias(_)
            | Stmt::IpyEscapeCommand(_) => {}
        }
        Ok(Flow::Next)
    }

    fn branch(&mut self, statement: &'a StmtIf) -> Eval<Flow> {
        if self.test(&statement.test)? {
            return self.body(&statement.body);
        }
        for clause in &statement.elif_else_clauses {
            let chosen = match &clause.test {
                Some(test) => self.test(test)?,
                None => true,
            };
            if chosen {
                return self.body(&clause.body);
            }
        }
        Ok(Flow::Next)
    }

    fn repeat(&mut self, statement: &'a StmtWhile) -> Eval<Flow> {
        while self.test(&statement.test)? {
            self.budget.step()?;
            match self.body(&statement.body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Next | Flow::Continue => {}
                returned @ Flow::Return(_) => return Ok(returned),
            }
        }
        self.body(&statement.orelse)
    }

    fn for_each(&mut self, statement: &'a StmtFor) -> Eval<Flow> {
        let items = self.eval(&statement.iter)?;
        let items = self
            .iterate(items)
            .map_err(|stop| self.located(stop, statement.iter.start()))?;
        while let Some(item) = self
            .next(items)
            .map_err(|stop| self.located(stop, statement.iter.start()))?
        {
            self.budget.step()?;
            self.assign(&statement.target, item)?;
            match self.body(&statement.body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Next | Flow::Continue => {}
                returned @ Flow::Return(_) => return Ok(returned),
            }
        }
        self.body(&statement.orelse)
    }

    /// Executes `with`, which always fails, because no value here is a context manager. It fails at the point where
    /// Python would refuse the value.
    fn with(&mut self, statement: &'a StmtWith) -> Eval<Flow> {
        let Some(first) = statement.items.first() else {
            return Ok(Flow::Next);
        };
        let manager = self.eval(&first.context_expr)?;
        let class = Class::of(manager, &self.heap).name();
        let message = format!("'{class}' object does not support the context manager protocol");
        let stop = type_error(message);
        Err(self.located(stop, first.context_expr.start()))
    }

    fn attempt(&mut self, statement: &'a StmtTry) -> Eval<Flow> {
        let result = match self.body(&statement.body) {
            Ok(Flow::Next) => self.body(&statement.orelse),
            Err(Unwind::Raised { exception, located }) => self.handle(statement, exception, located),
            other => other,
        };
        if matches!(result, Err(Unwind::Exceeded { .. })) {
            return result;
        }
        match self.body(&statement.finalbody)? {
            Flow::Next => result,
            flow => Ok(flow),
        }
    }

    fn handle(&mut self, statement: &'a StmtTry, exception: HeapRef<Exception>, located: bool) -> Eval<Flow> {
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            self.handling.push(exception);
            let result = match self.catches(handler, exception) {
                Ok(true) => Some(self.handler(handler, exception)),
                Ok(false) => None,
                Err(stop) => Some(Err(stop)),
            };
            self.handling.pop();
            if let Some(result) = result {
                return result;
            }
        }
        Err(Unwind::Raised { exception, located })
    }

    fn handler(&mut self, handler: &'a ExceptHandlerExceptHandler, exception: HeapRef<Exception>) -> Eval<Flow> {
        let Some(name) = &handler.name else {
            return self.body(&handler.body);
        };
        self.store(name, Value::Exception(exception))?;
        let result = self.body(&handler.body);
        // Python deletes the name when the handler ends. The handler might already have deleted it.
        let _ = self.delete(name);
        result
    }

    fn catches(&mut self, handler: &'a ExceptHandlerExceptHandler, exception: HeapRef<Exception>) -> Eval<bool> {
        let Some(class) = &handler.type_ else {
            return Ok(true);
        };
        let classes = self.eval(class)?;
        let caught = self.is_caught(classes, self.heap[exception].kind);
        caught.map_err(|stop| self.located(stop, class.start()))
    }

    fn is_caught(&mut self, classes: Value, kind: ExceptionKind) -> Eval<bool> {
        match classes {
            Value::Class(Class::Exception(class)) => Ok(kind.is_a(class)),
            Value::Tuple(handle) => {
                let classes = self.heap[handle].read(&self.budget)?;
                let mut caught = false;
                for class in classes.iter() {
                    let Value::Class(Class::Exception(class)) = class else {
                        return Err(not_an_exception_class());
                    };
                    caught |= kind.is_a(*class);
                }
                Ok(caught)
            }
            _ => Err(not_an_exception_class()),
        }
    }

    /// Returns the exception that a `raise` raises.
    fn raise(&mut self, statement: &'a StmtRaise) -> Eval<Unwind> {
        let Some(raised) = &statement.exc else {
            return Ok(match self.handling.last() {
                Some(exception) => Unwind::Raised {
                    exception: *exception,
                    located: true,
                },
                None => fault(ExceptionKind::RuntimeError, "No active exception to reraise"),
            });
        };
        let raised = self.eval(raised)?;
        let Some(exception) = self.instance(raised)? else {
            return Err(type_error("exceptions must derive from BaseException"));
        };
        if let Some(cause) = &statement.cause {
            let cause = self.eval(cause)?;
            if cause != Value::None && self.instance(cause)?.is_none() {
                return Err(type_error("exception causes must derive from BaseException"));
            }
        }
        Ok(Unwind::Raised {
            exception,
            located: false,
        })
    }

    /// Returns a value as an exception, creating one without arguments if the value is an exception class.
    fn instance(&mut self, value: Value) -> Eval<Option<HeapRef<Exception>>> {
        match value {
            Value::Exception(exception) => Ok(Some(exception)),
            Value::Class(Class::Exception(kind)) => {
                let argument = Argument::Nothing;
                self.exception(Fault { kind, argument }).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn assert(&mut self, statement: &'a StmtAssert) -> Eval<()> {
        if self.test(&statement.test)? {
            return Ok(());
        }
        let Some(message) = &statement.msg else {
            return Err(bare(ExceptionKind::AssertionError));
        };
        let argument = Argument::Value(self.eval(message)?);
        Err(Unwind::Fault(Box::new(Fault {
            kind: ExceptionKind::AssertionError,
            argument,
        })))
    }

    fn select(&mut self, statement: &'a StmtMatch) -> Eval<Flow> {
        let subject = self.eval(&statement.subject)?;
        for case in &statement.cases {
            if self.matches(&case.pattern, subject)? && self.guard(case.guard.as_deref())? {
                return self.body(&case.body);
            }
        }
        Ok(Flow::Next)
    }

    fn guard(&mut self, guard: Option<&'a Expr>) -> Eval<bool> {
        guard.map_or(Ok(true), |guard| self.test(guard))
    }
}

fn not_an_exception_class() -> Unwind {
    type_error("catching classes that do not inherit from BaseException is not allowed")
}
