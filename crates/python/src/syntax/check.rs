//! Walks over a parsed block before it runs. Finds every name, and rejects anything that Python would not compile or
//! that this language omits.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{AtomicNodeIndex, ExceptHandler, Expr, ExprContext, Pattern, Stmt, StmtTry};
use ruff_text_size::{Ranged, TextSize};

use super::SyntaxFault;
use super::capture;
use super::names::{self, Declared, Draft, DraftKind};
use super::program::{CodeBody, Element, Program};

/// How deeply operators and calls may be nested in one expression. The parser limits all other nesting.
const MOST_NESTING: usize = 400;

/// Checks a module and resolves its names.
///
/// # Errors
/// The first construct that Python or this language would not compile.
pub(super) fn check(body: &[Stmt]) -> Result<Program<'_>, SyntaxFault> {
    let module = Draft::new(
        DraftKind::Module,
        None,
        "<module>".to_owned(),
        CodeBody::Statements(body),
    );
    let mut checker = Checker {
        drafts: vec![module],
        current: 0,
        loops: 0,
        nesting: 0,
        in_iterable: false,
        nonlocals: Vec::new(),
        found: None,
    };
    checker.visit_body(body);
    checker.check_nonlocals();
    match checker.found {
        Some(fault) => Err(fault),
        None => Ok(Program {
            codes: names::resolve(checker.drafts),
        }),
    }
}

pub(super) struct Checker<'a> {
    pub(super) drafts: Vec<Draft<'a>>,
    pub(super) current: usize,
    /// How many loops surround the current statement, inside the current function.
    pub(super) loops: usize,
    nesting: usize,
    /// Whether the walk is inside the `in` part of a comprehension, where `:=` is not allowed.
    pub(super) in_iterable: bool,
    /// The names declared nonlocal, each with its code and place. Functions around it can still bind them further down.
    pub(super) nonlocals: Vec<(usize, &'a str, TextSize)>,
    found: Option<SyntaxFault>,
}

impl<'a> Checker<'a> {
    pub(super) fn reject(&mut self, at: TextSize, message: impl Into<String>) {
        if self.found.is_none() {
            self.found = Some(SyntaxFault::new(at, message));
        }
    }

    pub(super) fn draft(&mut self) -> &mut Draft<'a> {
        &mut self.drafts[self.current]
    }

    /// Returns the nearest enclosing code that is not a comprehension.
    fn function(&self) -> usize {
        let mut code = self.current;
        while self.drafts[code].kind == DraftKind::Comprehension {
            code = self.drafts[code].parent.unwrap_or(0);
        }
        code
    }

    fn in_function(&self) -> bool {
        self.drafts[self.function()].kind == DraftKind::Function
    }

    pub(super) fn open(&mut self, node: &AtomicNodeIndex, kind: DraftKind, name: &str, body: CodeBody<'a>) {
        let outer = &self.drafts[self.current];
        let qualname = match outer.kind {
            DraftKind::Module => name.to_owned(),
            _ => format!("{}.<locals>.{name}", outer.qualname),
        };
        let number = self.drafts.len();
        Program::mark(node, number);
        self.drafts.push(Draft::new(kind, Some(self.current), qualname, body));
        self.current = number;
    }

    pub(super) fn close(&mut self) {
        self.current = self.drafts[self.current].parent.unwrap_or(0);
    }

    /// Records that something created here can outlive the scopes around it.
    pub(super) fn keep_scopes(&mut self) {
        let mut code = Some(self.current);
        while let Some(number) = code {
            self.drafts[number].captured = true;
            code = self.drafts[number].parent;
        }
    }

    /// Checks the target of an assignment: names are bound, and stars are allowed only inside lists and tuples.
    pub(super) fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Starred(star) => {
                self.reject(star.start(), "starred assignment target must be in a list or tuple");
            }
            Expr::Tuple(tuple) => self.targets(&tuple.elts),
            Expr::List(list) => self.targets(&list.elts),
            _ => self.visit_expr(target),
        }
    }

    fn targets(&mut self, targets: &'a [Expr]) {
        let stars: Vec<_> = targets.iter().filter(|target| target.is_starred_expr()).collect();
        if let [_, second, ..] = stars.as_slice() {
            self.reject(second.start(), "multiple starred expressions in assignment");
        }
        for target in targets {
            match target {
                Expr::Starred(star) => self.target(&star.value),
                _ => self.target(target),
            }
        }
    }

    /// Checks the items of a display or a call, where a star unpacks an iterable.
    fn items(&mut self, items: &'a [Expr]) {
        for item in items {
            match item {
                Expr::Starred(star) => self.visit_expr(&star.value),
                _ => self.visit_expr(item),
            }
        }
    }

    fn try_statement(&mut self, statement: &'a StmtTry) {
        if statement.is_star {
            self.reject(statement.start(), "'except*' is not available here. Use 'except'.");
        }
        self.visit_body(&statement.body);
        let last = statement.handlers.len().saturating_sub(1);
        for (i, ExceptHandler::ExceptHandler(handler)) in statement.handlers.iter().enumerate() {
            if handler.type_.is_none() && i != last {
                self.reject(handler.start(), "default 'except:' must be last");
            }
            handler.type_.iter().for_each(|class| self.visit_expr(class));
            if let Some(name) = &handler.name {
                self.draft().bind(name.as_str());
            }
            self.visit_body(&handler.body);
        }
        self.visit_body(&statement.orelse);
        self.visit_body(&statement.finalbody);
    }

    fn in_loop(&mut self, body: &'a [Stmt], orelse: &'a [Stmt]) {
        self.loops += 1;
        self.visit_body(body);
        self.loops -= 1;
        self.visit_body(orelse);
    }

    fn import(&mut self, names: &'a [ruff_python_ast::Alias]) {
        for alias in names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            if name == "*" && self.current != 0 {
                self.reject(alias.start(), "import * only allowed at module level");
            }
            let first = name.split('.').next().unwrap_or(name);
            self.draft().bind(first);
        }
    }

    fn cases(&mut self, statement: &'a ruff_python_ast::StmtMatch) {
        self.visit_expr(&statement.subject);
        let last = statement.cases.len().saturating_sub(1);
        for (i, case) in statement.cases.iter().enumerate() {
            if i != last && case.guard.is_none() {
                self.unreachable(&case.pattern);
            }
            self.visit_pattern(&case.pattern);
            if let Err(fault) = capture::names(&case.pattern) {
                self.found.get_or_insert(fault);
            }
            case.guard.iter().for_each(|guard| self.visit_expr(guard));
            self.visit_body(&case.body);
        }
    }

    /// Rejects a pattern that makes those after it unreachable.
    fn unreachable(&mut self, pattern: &Pattern) {
        use ruff_python_ast::IrrefutablePatternKind::{Name, Wildcard};
        match pattern.irrefutable_pattern().map(|found| found.kind) {
            Some(Name(name)) => {
                let message = format!("name capture '{name}' makes remaining patterns unreachable");
                self.reject(pattern.start(), message);
            }
            Some(Wildcard) => self.reject(pattern.start(), "wildcard makes remaining patterns unreachable"),
            None => {}
        }
    }
}

impl<'a> Visitor<'a> for Checker<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.function_def(def),
            Stmt::ClassDef(class) => self.reject(
                class.start(),
                "class definitions are not available here. Use functions, lists and dicts.",
            ),
            Stmt::TypeAlias(_) | Stmt::IpyEscapeCommand(_) => self.reject(stmt.start(), "invalid syntax"),
            Stmt::Return(_) if !self.in_function() => self.reject(stmt.start(), "'return' outside function"),
            Stmt::Break(_) if self.loops == 0 => self.reject(stmt.start(), "'break' outside loop"),
            Stmt::Continue(_) if self.loops == 0 => self.reject(stmt.start(), "'continue' not properly in loop"),
            Stmt::Global(global) => self.declare(&global.names, Declared::Global),
            Stmt::Nonlocal(nonlocal) => self.declare(&nonlocal.names, Declared::Nonlocal),
            Stmt::Import(import) => self.import(&import.names),
            Stmt::ImportFrom(import) => self.import(&import.names),
            Stmt::For(statement) => {
                if statement.is_async {
                    self.reject(stmt.start(), "'async' is not available here. Use a plain 'for'.");
                }
                self.visit_expr(&statement.iter);
                self.target(&statement.target);
                self.in_loop(&statement.body, &statement.orelse);
            }
            Stmt::While(statement) => {
                self.visit_expr(&statement.test);
                self.in_loop(&statement.body, &statement.orelse);
            }
            Stmt::With(statement) => {
                if statement.is_async {
                    self.reject(stmt.start(), "'async' is not available here. Use a plain 'with'.");
                }
                for item in &statement.items {
                    self.visit_expr(&item.context_expr);
                    item.optional_vars.iter().for_each(|target| self.target(target));
                }
                self.visit_body(&statement.body);
            }
            Stmt::Try(statement) => self.try_statement(statement),
            Stmt::Match(statement) => self.cases(statement),
            Stmt::Assign(assign) => {
                self.visit_expr(&assign.value);
                assign.targets.iter().for_each(|target| self.target(target));
            }
            Stmt::AnnAssign(assign) => {
                assign.value.iter().for_each(|value| self.visit_expr(value));
                self.target(&assign.target);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            self.reject(expr.start(), "too many nested operators or calls in one expression");
        } else {
            self.expression(expr);
        }
        self.nesting -= 1;
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(capture) => {
                capture.name.iter().for_each(|name| self.draft().bind(name.as_str()));
            }
            Pattern::MatchStar(star) => {
                star.name.iter().for_each(|name| self.draft().bind(name.as_str()));
            }
            Pattern::MatchMapping(mapping) => {
                mapping.rest.iter().for_each(|name| self.draft().bind(name.as_str()));
            }
            Pattern::MatchSequence(sequence) => {
                let stars = sequence.patterns.iter().filter(|part| part.is_match_star());
                if stars.count() > 1 {
                    let message = "multiple starred names in sequence pattern";
                    self.reject(pattern.start(), message);
                }
            }
            Pattern::MatchOr(or) => {
                let before_last = or.patterns.split_last().map_or(&[][..], |(_, rest)| rest);
                for part in before_last {
                    self.unreachable(part);
                }
            }
            Pattern::MatchValue(_) | Pattern::MatchSingleton(_) | Pattern::MatchClass(_) => {}
        }
        visitor::walk_pattern(self, pattern);
    }
}

impl<'a> Checker<'a> {
    fn expression(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                _ if name.id == "__debug__" => self.reject(expr.start(), "cannot use __debug__"),
                ExprContext::Load => self.draft().read(name.id.as_str()),
                _ => self.draft().bind(name.id.as_str()),
            },
            Expr::Starred(_) => self.reject(expr.start(), "can't use starred expression here"),
            Expr::Tuple(tuple) => self.items(&tuple.elts),
            Expr::List(list) => self.items(&list.elts),
            Expr::Set(set) => self.items(&set.elts),
            Expr::Call(call) => {
                self.visit_expr(&call.func);
                self.items(&call.arguments.args);
                let keywords = call.arguments.keywords.iter();
                keywords.for_each(|keyword| self.visit_expr(&keyword.value));
            }
            Expr::Lambda(lambda) => {
                let body = CodeBody::Expression(&lambda.body);
                self.callable(&lambda.node_index, "<lambda>", lambda.parameters.as_deref(), body);
            }
            Expr::ListComp(comp) => {
                self.comprehension(
                    &comp.node_index,
                    "<listcomp>",
                    &comp.generators,
                    Element::Item(&comp.elt),
                );
            }
            Expr::SetComp(comp) => {
                self.comprehension(
                    &comp.node_index,
                    "<setcomp>",
                    &comp.generators,
                    Element::Item(&comp.elt),
                );
            }
            Expr::Generator(comp) => {
                self.comprehension(
                    &comp.node_index,
                    "<genexpr>",
                    &comp.generators,
                    Element::Item(&comp.elt),
                );
            }
            Expr::DictComp(comp) => match &comp.key {
                Some(key) => {
                    let pair = Element::Pair(key, &comp.value);
                    self.comprehension(&comp.node_index, "<dictcomp>", &comp.generators, pair);
                }
                None => self.reject(expr.start(), "dict unpacking cannot be used in dict comprehension"),
            },
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                self.walrus(expr.start(), &named.target);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) if self.in_function() => self.reject(
                expr.start(),
                "'yield' is not available here. Build a list and return it.",
            ),
            Expr::Yield(_) | Expr::YieldFrom(_) => self.reject(expr.start(), "'yield' outside function"),
            Expr::Await(_) if self.in_function() => {
                self.reject(
                    expr.start(),
                    "'await' is not available here. Call the function plainly.",
                );
            }
            Expr::Await(_) => self.reject(expr.start(), "'await' outside function"),
            Expr::TString(_) | Expr::IpyEscapeCommand(_) => self.reject(expr.start(), "invalid syntax"),
            Expr::NumberLiteral(number) if number.value.is_complex() => {
                self.reject(expr.start(), "complex numbers are not available here");
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
