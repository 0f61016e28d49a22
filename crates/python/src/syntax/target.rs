//! What cannot be assigned to or deleted, in `CPython`'s words.

use ruff_python_ast::Expr;
use ruff_python_parser::parse_expression;
use ruff_text_size::TextRange;

use super::SyntaxFault;
use super::tokens::Tokens;

/// Words the error in `5 = x`.
pub(super) fn assigned(tokens: &Tokens<'_>, range: TextRange) -> SyntaxFault {
    let (name, constant) = name(tokens, range);
    let hint = if !constant && is_whole_target(tokens, range) {
        " here. Maybe you meant '==' instead of '='?"
    } else {
        ""
    };
    SyntaxFault::new(range.start(), format!("cannot assign to {name}{hint}"))
}

/// Words the error in `f() += 1`.
pub(super) fn augmented(tokens: &Tokens<'_>, range: TextRange) -> SyntaxFault {
    let (name, _) = name(tokens, range);
    let message = format!("'{name}' is an illegal expression for augmented assignment");
    SyntaxFault::new(range.start(), message)
}

/// Words the error in `del f()`.
pub(super) fn deleted(tokens: &Tokens<'_>, range: TextRange) -> SyntaxFault {
    let (name, _) = name(tokens, range);
    SyntaxFault::new(range.start(), format!("cannot delete {name}"))
}

/// Words the error in `(a.b := 5)`.
pub(super) fn named(tokens: &Tokens<'_>, range: TextRange) -> SyntaxFault {
    let (name, _) = name(tokens, range);
    let message = format!("cannot use assignment expressions with {name}");
    SyntaxFault::new(range.start(), message)
}

/// Checks whether the target stands alone at the start of its statement, so that a comparison may have been meant.
fn is_whole_target(tokens: &Tokens<'_>, range: TextRange) -> bool {
    let source = tokens.source;
    let (before, after) = (&source[..range.start().to_usize()], &source[range.end().to_usize()..]);
    let line = before.rsplit(['\n', ';']).next().unwrap_or_default();
    let grouped = line.trim_matches([' ', '\t', '(']).is_empty();
    let closed = after.trim_start_matches([' ', '\t', ')']);
    grouped && closed.starts_with('=')
}

/// Returns the name of an expression's kind, and whether it is a constant such as `None`.
fn name(tokens: &Tokens<'_>, range: TextRange) -> (&'static str, bool) {
    let text = tokens.source.get(range.start().to_usize()..range.end().to_usize());
    // In brackets, because `:=` is not allowed elsewhere.
    let parsed = text.and_then(|text| parse_expression(&format!("({text})")).ok());
    parsed.map_or(("expression", false), |parsed| kind(parsed.expr()))
}

fn kind(expr: &Expr) -> (&'static str, bool) {
    let name = match expr {
        Expr::NoneLiteral(_) => return ("None", true),
        Expr::BooleanLiteral(literal) => return (if literal.value { "True" } else { "False" }, true),
        Expr::EllipsisLiteral(_) => "ellipsis",
        Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::BytesLiteral(_) => "literal",
        Expr::FString(_) => "f-string expression",
        Expr::Call(_) => "function call",
        Expr::Attribute(_) => "attribute",
        Expr::Subscript(_) => "subscript",
        Expr::Starred(_) => "starred",
        Expr::Name(_) => "name",
        Expr::List(_) => return ("list", true),
        Expr::Tuple(_) => return ("tuple", true),
        Expr::Lambda(_) => "lambda",
        Expr::Compare(_) => "comparison",
        Expr::If(_) => "conditional expression",
        Expr::Generator(_) => return ("generator expression", true),
        Expr::ListComp(_) => "list comprehension",
        Expr::DictComp(_) => "dict comprehension",
        Expr::SetComp(_) => "set comprehension",
        Expr::Dict(_) => "dict literal",
        Expr::Set(_) => "set display",
        Expr::Named(_) => "named expression",
        Expr::Yield(_) | Expr::YieldFrom(_) => "yield expression",
        Expr::Await(_) => "await expression",
        _ => "expression",
    };
    (name, false)
}
