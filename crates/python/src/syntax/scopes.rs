//! Checks everything that opens a scope or decides where a name belongs: functions, comprehensions, `:=`, `global` and
//! `nonlocal`.

use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{AtomicNodeIndex, Comprehension, Expr, Identifier, Parameters, StmtFunctionDef};
use ruff_text_size::{Ranged, TextSize};

use super::check::Checker;
use super::names::{self, Declared, DraftKind};
use super::program::{CodeBody, Element, ParameterLayout};

impl<'a> Checker<'a> {
    pub(super) fn function_def(&mut self, def: &'a StmtFunctionDef) {
        if def.is_async {
            self.reject(def.start(), "'async' is not available here. Define a plain function.");
        }
        if def.type_params.is_some() {
            self.reject(def.name.end(), "expected '('");
        }
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.draft().bind(def.name.as_str());
        let body = CodeBody::Statements(&def.body);
        self.callable(&def.node_index, &def.name, Some(&def.parameters), body);
    }

    pub(super) fn callable(
        &mut self,
        node: &AtomicNodeIndex,
        name: &str,
        parameters: Option<&'a Parameters>,
        body: CodeBody<'a>,
    ) {
        for parameter in parameters.into_iter().flat_map(Parameters::iter_non_variadic_params) {
            parameter.default.iter().for_each(|default| self.visit_expr(default));
        }
        self.keep_scopes();
        self.open(node, DraftKind::Function, name, body);
        let outer = (std::mem::take(&mut self.loops), std::mem::take(&mut self.in_iterable));
        if let Some(parameters) = parameters {
            self.parameters(parameters);
        }
        match body {
            CodeBody::Statements(statements) => self.visit_body(statements),
            CodeBody::Expression(expr) => self.visit_expr(expr),
            CodeBody::Clauses { .. } => {}
        }
        (self.loops, self.in_iterable) = outer;
        self.close();
    }

    fn parameters(&mut self, parameters: &'a Parameters) {
        let layout = ParameterLayout::of(parameters);
        for name in layout.names() {
            if self.draft().usage(name).parameter {
                let message = format!("duplicate argument '{name}' in function definition");
                self.reject(parameters.start(), message);
            }
            self.draft().bind_parameter(name);
        }
        self.draft().layout = layout;
    }

    pub(super) fn comprehension(
        &mut self,
        node: &AtomicNodeIndex,
        name: &str,
        clauses: &'a [Comprehension],
        element: Element<'a>,
    ) {
        let Some((first, others)) = clauses.split_first() else {
            return;
        };
        self.iterable(&first.iter);
        if name == "<genexpr>" {
            self.keep_scopes();
        }
        self.open(
            node,
            DraftKind::Comprehension,
            name,
            CodeBody::Clauses { clauses, element },
        );
        self.clause(first);
        for clause in others {
            self.iterable(&clause.iter);
            self.clause(clause);
        }
        let outer = std::mem::take(&mut self.in_iterable);
        match element {
            Element::Item(item) => self.visit_expr(item),
            Element::Pair(key, value) => {
                self.visit_expr(key);
                self.visit_expr(value);
            }
        }
        self.in_iterable = outer;
        self.close();
    }

    fn iterable(&mut self, iterable: &'a Expr) {
        let outer = std::mem::replace(&mut self.in_iterable, true);
        self.visit_expr(iterable);
        self.in_iterable = outer;
    }

    fn clause(&mut self, clause: &'a Comprehension) {
        if clause.is_async {
            self.reject(clause.start(), "'async' is not available here. Use a plain 'for'.");
        }
        let outer = std::mem::take(&mut self.in_iterable);
        self.target(&clause.target);
        clause.ifs.iter().for_each(|test| self.visit_expr(test));
        self.in_iterable = outer;
    }

    /// Checks `name := ...`, which assigns in the function around a comprehension rather than in the comprehension.
    pub(super) fn walrus(&mut self, at: TextSize, target: &'a Expr) {
        let Expr::Name(name) = target else {
            return;
        };
        let name = name.id.as_str();
        if self.in_iterable {
            let message = "assignment expression cannot be used in a comprehension iterable expression";
            self.reject(at, message);
        }
        let mut code = self.current;
        while self.drafts[code].kind == DraftKind::Comprehension {
            if self.drafts[code].usage(name).slot.is_some() {
                let message = format!("assignment expression cannot rebind comprehension iteration variable '{name}'");
                self.reject(at, message);
            }
            self.drafts[code].read(name);
            code = self.drafts[code].parent.unwrap_or(0);
        }
        self.drafts[code].bind(name);
    }

    /// Checks `global` and `nonlocal`.
    pub(super) fn declare(&mut self, names: &'a [Identifier], declared: Declared) {
        for name in names {
            let (at, name) = (name.start(), name.as_str());
            if let Some(message) = self.refusal(name, declared) {
                self.reject(at, message);
            }
            // In a module, names are global anyway.
            if self.current != 0 {
                if declared == Declared::Nonlocal {
                    self.nonlocals.push((self.current, name, at));
                }
                self.draft().declare(name, declared);
            }
        }
    }

    /// Rejects a nonlocal name that no function around its own binds. Called once all code has been visited.
    pub(super) fn check_nonlocals(&mut self) {
        let is_unbound =
            |(code, name, _): &&(usize, &str, TextSize)| !names::is_bound_around(&self.drafts, *code, name);
        if let Some((_, name, at)) = self.nonlocals.iter().find(is_unbound).copied() {
            self.reject(at, format!("no binding for nonlocal '{name}' found"));
        }
    }

    /// Returns why a name cannot be declared global or nonlocal.
    fn refusal(&self, name: &str, declared: Declared) -> Option<String> {
        let word = declared.word();
        let usage = self.drafts[self.current].usage(name);
        let in_function = self.current != 0;
        if usage.parameter {
            return Some(format!("name '{name}' is parameter and {word}"));
        }
        if usage.declared.is_some_and(|before| before != declared) {
            return Some(format!("name '{name}' is nonlocal and global"));
        }
        if in_function && usage.slot.is_some() {
            return Some(format!("name '{name}' is assigned to before {word} declaration"));
        }
        if in_function && usage.read {
            return Some(format!("name '{name}' is used prior to {word} declaration"));
        }
        if declared == Declared::Global {
            return None;
        }
        if !in_function {
            return Some("nonlocal declaration not allowed at module level".to_owned());
        }
        None
    }
}
