//! Parses a single call with literal arguments, with the same parser but without evaluating anything.

use ruff_python_ast::{Arguments, Expr, Keyword, Mod, Number, UnaryOp};
use ruff_python_parser::{LexicalErrorType, Mode, ParseErrorType, ParseOptions, parse};

use crate::host::Arg;

/// The deepest nesting to parse, deeper than that of any genuine call. The parser stops here instead of overflowing the
/// stack.
const MOST_NESTING: u16 = 60;

/// Longer texts are parsed on a stack of their own. The parser builds chains such as `1+1+1` in loops, whatever their
/// length, but dropping one calls itself once for each link.
const LONG_TEXT: usize = 2 << 10;

/// Enough for a chain that fills the longest text. Only the used part takes up real memory.
const STACK_BYTES: usize = 64 << 20;

/// A parsed call of a name: `name(arg, ..., key=arg)`.
#[derive(Clone, Debug)]
pub struct LiteralCall {
    name: String,
    arguments: Result<LiteralArgs, LiteralError>,
}

/// Why some text is not a call with literal arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiteralError {
    /// Not a call, or not Python at all.
    #[error("not a call")]
    NotACall,
    /// Not Python, for a reason that the model can fix.
    #[error("{0}")]
    Syntax(&'static str),
    /// An argument other than a number, a string, a truth value, `None`, or a list of those.
    #[error("an argument is not a number, a string, a truth value, None or a list")]
    NotLiteral,
    /// A string in several adjacent pieces, which Python would join.
    #[error("a string is in several pieces")]
    Joined,
}

/// The positional arguments and the keyword arguments of a call.
pub type LiteralArgs = (Vec<Arg>, Vec<(String, Arg)>);

impl LiteralCall {
    /// Parses one call. Its name is known even if its arguments are not literals.
    pub fn parse(text: &str) -> Result<LiteralCall, LiteralError> {
        if text.len() <= LONG_TEXT {
            return LiteralCall::parse_here(text);
        }
        stacker::grow(STACK_BYTES, || LiteralCall::parse_here(text))
    }

    /// Parses one call and drops the syntax tree, so that no caller needs the stack for that.
    fn parse_here(text: &str) -> Result<LiteralCall, LiteralError> {
        let options = ParseOptions::from(Mode::Expression).with_max_recursion_depth(MOST_NESTING);
        let parsed = parse(text.trim(), options).map_err(|error| flaw(&error.error))?;
        let Mod::Expression(module) = parsed.into_syntax() else {
            return Err(LiteralError::NotACall);
        };
        let Expr::Call(call) = *module.body else {
            return Err(LiteralError::NotACall);
        };
        let Expr::Name(name) = *call.func else {
            return Err(LiteralError::NotACall);
        };
        Ok(LiteralCall {
            name: name.id.to_string(),
            arguments: literals(&call.arguments),
        })
    }

    /// Returns the name that is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments, if all of them are literals.
    pub fn arguments(self) -> Result<LiteralArgs, LiteralError> {
        self.arguments
    }
}

fn literals(arguments: &Arguments) -> Result<LiteralArgs, LiteralError> {
    let keyword = |keyword: &Keyword| {
        let name = keyword.arg.as_ref().ok_or(LiteralError::NotLiteral)?;
        Ok((name.to_string(), literal(&keyword.value)?))
    };
    let positional = arguments.args.iter().map(literal).collect::<Result<_, _>>()?;
    let named = arguments.keywords.iter().map(keyword);
    Ok((positional, named.collect::<Result<_, LiteralError>>()?))
}

/// Converts a parse error into one whose message helps.
fn flaw(error: &ParseErrorType) -> LiteralError {
    LiteralError::Syntax(match error {
        ParseErrorType::PositionalAfterKeywordArgument => "positional argument follows keyword argument",
        ParseErrorType::DuplicateKeywordArgumentError(_) => "keyword argument repeated",
        ParseErrorType::RecursionLimitExceeded => "too many brackets",
        ParseErrorType::Lexical(LexicalErrorType::UnclosedStringError) => "close the text with a quote",
        ParseErrorType::Lexical(LexicalErrorType::UnicodeError) => {
            "in a string, write \\\\ for a backslash and \\n for a line break"
        }
        _ => return LiteralError::NotACall,
    })
}

fn literal(expr: &Expr) -> Result<Arg, LiteralError> {
    match expr {
        Expr::NumberLiteral(number) => match &number.value {
            // An integer beyond u64 is clamped later anyway, so it becomes the largest finite number.
            Number::Int(int) => Ok(Arg::Int(int.as_u64().map_or(f64::MAX, |int| int as f64))),
            Number::Float(float) => Ok(Arg::Float(*float)),
            Number::Complex { .. } => Err(LiteralError::NotLiteral),
        },
        Expr::StringLiteral(string) if string.value.is_implicit_concatenated() => Err(LiteralError::Joined),
        Expr::StringLiteral(string) => Ok(Arg::Text(string.value.to_str().to_owned())),
        Expr::NoneLiteral(_) => Ok(Arg::None),
        Expr::BooleanLiteral(truth) => Ok(Arg::Bool(truth.value)),
        Expr::List(list) => sequence("list", &list.elts),
        Expr::Tuple(tuple) => sequence("tuple", &tuple.elts),
        Expr::UnaryOp(unary) => match (unary.op, literal(&unary.operand)?) {
            (UnaryOp::USub, Arg::Int(number)) => Ok(Arg::Int(-number)),
            (UnaryOp::USub, Arg::Float(number)) => Ok(Arg::Float(-number)),
            (UnaryOp::UAdd, number @ (Arg::Int(_) | Arg::Float(_))) => Ok(number),
            _ => Err(LiteralError::NotLiteral),
        },
        _ => Err(LiteralError::NotLiteral),
    }
}

fn sequence(name: &str, items: &[Expr]) -> Result<Arg, LiteralError> {
    let items = items.iter().map(literal).collect::<Result<_, _>>()?;
    Ok(Arg::Sequence(name.to_owned(), items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(String, LiteralArgs), LiteralError> {
        let call = LiteralCall::parse(text)?;
        Ok((call.name().to_owned(), call.arguments()?))
    }

    #[test]
    fn arguments_are_literals() {
        let (name, (positional, named)) = read(" f(1, -2.5, +4e2,\n'it\\'s', None, key=\"b\", ) ").unwrap();
        assert_eq!(name, "f");
        let wanted = [
            Arg::Int(1.0),
            Arg::Float(-2.5),
            Arg::Float(400.0),
            Arg::Text("it's".to_owned()),
            Arg::None,
        ];
        assert_eq!(positional, wanted);
        assert_eq!(named, [("key".to_owned(), Arg::Text("b".to_owned()))]);
        let pair = Arg::Sequence("tuple".to_owned(), vec![Arg::Int(1.0), Arg::Bool(true)]);
        let list = Arg::Sequence("list".to_owned(), vec![pair]);
        assert_eq!(read("f([(1, True)])").unwrap().1.0, [list]);
        assert_eq!(
            read(&format!("f({})", "9".repeat(99))).unwrap().1.0,
            [Arg::Int(f64::MAX)]
        );
    }

    #[test]
    fn anything_else_is_refused() {
        let cases = [
            ("", LiteralError::NotACall),
            ("f", LiteralError::NotACall),
            ("a.b(1)", LiteralError::NotACall),
            ("f(1, 2", LiteralError::NotACall),
            ("f(1 2)", LiteralError::NotACall),
            (
                "f(x=1, 2)",
                LiteralError::Syntax("positional argument follows keyword argument"),
            ),
            ("f(1+1)", LiteralError::NotLiteral),
            ("f([1+1])", LiteralError::NotLiteral),
            ("f(*p)", LiteralError::NotLiteral),
            ("f(**p)", LiteralError::NotLiteral),
            ("f(1j)", LiteralError::NotLiteral),
            ("f(f'x')", LiteralError::NotLiteral),
            ("f('a' 'b')", LiteralError::Joined),
        ];
        for (text, error) in cases {
            assert_eq!(read(text), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "\\PC{0,60}|[a-z]{1,3}\\([0-9a-z\"', =*.-]{0,30}\\)?") {
            let _ = read(&text);
        }
    }
}
