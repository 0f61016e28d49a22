//! The model's own functions: defining them and running them.

use std::rc::Rc;

use ruff_python_ast::{AtomicNodeIndex, ExprLambda, Parameters, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::statement::Flow;
use super::{Args, Machine, leave_frame};
use crate::budget::Exceeded;
use crate::signature::{BoundArgs, Signature};
use crate::syntax::Program;
use crate::syntax::program::CodeBody;
use crate::value::{Closure, Eval, HeapRef, Value, type_error};

impl<'a> Machine<'a> {
    pub(super) fn define(&mut self, def: &'a StmtFunctionDef) -> Eval<()> {
        let decorators = def
            .decorator_list
            .iter()
            .map(|decorator| self.eval(&decorator.expression));
        let decorators = decorators.collect::<Eval<Vec<_>>>()?;
        let mut function = self.function(&def.node_index, Some(&def.parameters))?;
        for (decorator, node) in decorators.into_iter().zip(&def.decorator_list).rev() {
            let decorated = self.call(decorator, &[function]);
            function = decorated.map_err(|stop| self.located(stop, node.expression.start()))?;
        }
        self.store(&def.name, function)
    }

    pub(super) fn lambda(&mut self, lambda: &'a ExprLambda) -> Eval<Value> {
        self.function(&lambda.node_index, lambda.parameters.as_deref())
    }

    fn function(&mut self, node: &AtomicNodeIndex, parameters: Option<&'a Parameters>) -> Eval<Value> {
        let parameters = parameters.into_iter().flat_map(Parameters::iter_non_variadic_params);
        let defaults = parameters
            .map(|parameter| parameter.default.as_ref().map(|default| self.eval(default)).transpose())
            .collect::<Eval<Rc<[_]>>>()?;
        self.budget.charge(size_of_val(&*defaults))?;
        let function = Closure {
            code: Program::number(node),
            scope: self.scope,
            defaults,
        };
        self.heap.keep(function, &self.budget).map(Value::Function)
    }

    pub(super) fn call_function(&mut self, handle: HeapRef<Closure>, args: Args) -> Eval<Value> {
        if self.calls >= self.budget.limits().depth {
            return Err(Exceeded::Depth("").into());
        }
        let function = self.heap[handle].clone();
        let variables = self.bind(&function, args)?;
        let scope = self.open_scope(function.code, function.scope)?;
        self.heap[scope].fill(&variables);
        let outer = (self.code, self.scope);
        (self.code, self.scope) = (function.code, scope);
        self.calls += 1;
        let result = self.nested(Machine::run_function);
        self.calls -= 1;
        (self.code, self.scope) = outer;
        self.give_back_scope(function.code, scope);
        result.map_err(leave_frame)
    }

    fn run_function(&mut self) -> Eval<Value> {
        match self.program.codes[self.code].body {
            CodeBody::Expression(expr) => self.eval(expr),
            CodeBody::Statements(body) => match self.body(body)? {
                Flow::Return(value) => Ok(value),
                Flow::Next | Flow::Break | Flow::Continue => Ok(Value::None),
            },
            CodeBody::Clauses { .. } => Ok(Value::None),
        }
    }

    /// Returns the parameters' values, in the order in which a scope holds them.
    fn bind(&mut self, function: &Closure, args: Args) -> Eval<Vec<Option<Value>>> {
        let code = &self.program.codes[function.code];
        let layout = &code.parameters;
        let signature = Signature {
            name: &code.qualname,
            params: &layout.params,
            positional_only: layout.positional_only,
            keyword_only: &layout.keyword_only,
            rest: layout.rest.is_some(),
            extra: layout.extra.is_some(),
        };
        // Charge for looking up each keyword among the parameters and among the keywords before it.
        let names = layout.params.len() + layout.keyword_only.len() + args.keywords.len();
        let keywords: usize = args.keywords.iter().map(|(name, _)| 8 + name.len()).sum();
        self.budget.walk(names)?;
        self.budget.scan(names.saturating_mul(keywords))?;
        let slots = names * size_of::<Option<Value>>() + args.positional.len() * size_of::<Value>();
        let _slots = self.budget.reserve(2 * slots)?;
        let (positional, _room) = args.positional.into_parts();
        let BoundArgs { slots, rest, extra } = signature.bind(positional, args.keywords).map_err(type_error)?;
        let filled = slots.into_iter().zip(function.defaults.iter());
        let mut variables: Vec<_> = filled.map(|(slot, default)| slot.or(*default)).collect();
        if layout.rest.is_some() {
            variables.push(Some(self.tuple(&rest)?));
        }
        if layout.extra.is_some() {
            let dict = self.dict()?;
            for (name, value) in extra {
                let name = self.string(&name)?;
                self.put(dict, name, value)?;
            }
            variables.push(Some(Value::Dict(dict)));
        }
        Ok(variables)
    }
}
