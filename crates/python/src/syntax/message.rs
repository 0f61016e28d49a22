//! The parser's errors, in `CPython`'s words.

use ruff_python_ast::Mod;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{InterpolatedStringErrorType, LexicalErrorType, ParseError, ParseErrorType, Parsed};
use ruff_text_size::Ranged;

use super::bracket::Brackets;
use super::tokens::Tokens;
use super::{SyntaxFault, target};

/// What `CPython` says when it has nothing more specific to say.
const GENERIC: &str = "invalid syntax";

/// Returns the error that `CPython` would report first.
pub(super) fn of(source: &str, parsed: &Parsed<Mod>) -> Option<SyntaxFault> {
    let tokens = Tokens::new(source, parsed.tokens());
    let first = parsed.errors().first()?;
    let lexical = parsed.errors().iter().find(|error| is_lexical(error));
    let brackets = Brackets::of(&tokens);
    let noticed = earlier(lexical.map(|error| lexical_fault(&tokens, error)), brackets.wrong);
    if is_lexical(first) && !matches!(first.error, ParseErrorType::Lexical(LexicalErrorType::Eof)) {
        return noticed;
    }
    // Whatever the grammar finds, CPython's tokenizer reads on, and its errors come first.
    if noticed.is_some() {
        return noticed;
    }
    let fault = grammatical(&tokens, first);
    let ended = tokens.is_at_end(first.location.start());
    if ended && source.trim_end().ends_with('\\') {
        return Some(SyntaxFault::new(tokens.last_word(), "unexpected EOF while parsing"));
    }
    match brackets.open {
        Some(open) if ended || tokens.line(open.at) < tokens.line_read(first.location.start()) => {
            Some(open.never_closed())
        }
        _ if ended => Some(SyntaxFault {
            at: fault.at.map(|at| at.min(tokens.last_word())),
            ..fault
        }),
        _ => Some(fault),
    }
}

fn earlier(a: Option<SyntaxFault>, b: Option<SyntaxFault>) -> Option<SyntaxFault> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.at < a.at { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Checks whether `CPython`'s tokenizer would notice the error; an early end of the source is left to the brackets.
fn is_lexical(error: &ParseError) -> bool {
    matches!(&error.error, ParseErrorType::Lexical(kind) if *kind != LexicalErrorType::Eof)
}

fn lexical_fault(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let at = error.location.start();
    let ParseErrorType::Lexical(kind) = &error.error else {
        return SyntaxFault::new(at, GENERIC);
    };
    match kind {
        LexicalErrorType::UnclosedStringError
        | LexicalErrorType::FStringError(
            InterpolatedStringErrorType::UnterminatedString
            | InterpolatedStringErrorType::UnterminatedTripleQuotedString,
        ) => unclosed_string(tokens, error),
        LexicalErrorType::FStringError(inner) => SyntaxFault::new(at, f_string(inner)),
        LexicalErrorType::IndentationError => indentation(tokens, error),
        LexicalErrorType::UnrecognizedToken { tok } => SyntaxFault::new(at, character(*tok)),
        LexicalErrorType::LineContinuationError => {
            SyntaxFault::new(at, "unexpected character after line continuation character")
        }
        LexicalErrorType::UnicodeError => SyntaxFault::new(
            at,
            "(unicode error) an escape in a string is not complete. Write '\\\\' for a backslash.",
        ),
        LexicalErrorType::OtherError(message) if message.contains("decimal integer") => SyntaxFault::new(
            at,
            "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
        ),
        LexicalErrorType::OtherError(message) if message.contains("ParseIntError") => {
            SyntaxFault::new(at, "invalid hexadecimal literal")
        }
        other => SyntaxFault::new(at, other.to_string()),
    }
}

fn unclosed_string(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let at = error.location.start();
    let text = &tokens.source[at.to_usize()..];
    let quoted = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let triple = quoted.starts_with("'''") || quoted.starts_with("\"\"\"");
    let (name, line) = if triple {
        ("triple-quoted string", tokens.line(tokens.last_word()))
    } else {
        ("string", tokens.line(at))
    };
    SyntaxFault::new(at, format!("unterminated {name} literal (detected at line {line})"))
}

fn indentation(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let lines = || tokens.source.lines();
    let mixed = lines().any(|line| line.starts_with('\t')) && lines().any(|line| line.starts_with(' '));
    // The error is at the end of the indentation, which may be the end of the previous line.
    let at = error.location.end();
    if mixed {
        return SyntaxFault {
            at: Some(at),
            kind: "TabError",
            message: "inconsistent use of tabs and spaces in indentation".to_owned(),
        };
    }
    SyntaxFault {
        at: Some(at),
        kind: "IndentationError",
        message: "unindent does not match any outer indentation level".to_owned(),
    }
}

fn character(character: char) -> String {
    if character.is_ascii() {
        return GENERIC.to_owned();
    }
    let code = u32::from(character);
    if crate::text::is_printable(character) {
        format!("invalid character '{character}' (U+{code:04X})")
    } else {
        format!("invalid non-printable character U+{code:04X}")
    }
}

fn f_string(error: &InterpolatedStringErrorType) -> String {
    let text = match error {
        InterpolatedStringErrorType::UnclosedLbrace => "expecting '}'",
        InterpolatedStringErrorType::SingleRbrace => "single '}' is not allowed",
        InterpolatedStringErrorType::InvalidConversionFlag => "invalid conversion character: expected 's', 'r', or 'a'",
        other => return format!("f-string: {other}"),
    };
    format!("f-string: {text}")
}

/// Words an error of the grammar.
fn grammatical(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let (at, range) = (error.location.start(), error.location);
    let message = match &error.error {
        ParseErrorType::InvalidAssignmentTarget => return target::assigned(tokens, range),
        ParseErrorType::InvalidAugmentedAssignmentTarget => return target::augmented(tokens, range),
        ParseErrorType::InvalidDeleteTarget => return target::deleted(tokens, range),
        ParseErrorType::InvalidNamedAssignmentTarget => return target::named(tokens, range),
        ParseErrorType::UnexpectedIndentation => {
            return SyntaxFault {
                at: Some(range.end()),
                kind: "IndentationError",
                message: "unexpected indent".to_owned(),
            };
        }
        ParseErrorType::OtherError(message) => return other(tokens, error, message),
        ParseErrorType::ExpectedToken { expected, found } => return expected_token(tokens, error, *expected, *found),
        ParseErrorType::SimpleStatementsOnSameLine => return same_line(tokens, error),
        ParseErrorType::FStringError(inner) => return SyntaxFault::new(at, f_string(inner)),
        ParseErrorType::ExpectedExpression if field_without_value(tokens, error).is_some() => {
            field_without_value(tokens, error).unwrap_or(GENERIC)
        }
        ParseErrorType::ExpectedExpression if is_value_missing(tokens, error) => {
            "expression expected after dictionary key and ':'"
        }
        ParseErrorType::NonDefaultParamAfterDefaultParam => "non-default argument follows default argument",
        ParseErrorType::ExpectedKeywordParam => "named arguments must follow bare *",
        ParseErrorType::ParamAfterVarKeywordParam => "arguments cannot follow var-keyword argument",
        ParseErrorType::VarParameterWithDefault => "var-positional argument cannot have default value",
        ParseErrorType::PositionalAfterKeywordArgument => "positional argument follows keyword argument",
        ParseErrorType::PositionalAfterKeywordUnpacking => "positional argument follows keyword argument unpacking",
        ParseErrorType::InvalidArgumentUnpackingOrder => {
            "iterable argument unpacking follows keyword argument unpacking"
        }
        ParseErrorType::DuplicateKeywordArgumentError(name) => {
            return SyntaxFault::new(at, format!("keyword argument repeated: {name}"));
        }
        ParseErrorType::UnparenthesizedGeneratorExpression => "Generator expression must be parenthesized",
        ParseErrorType::InvalidStarredExpressionUsage => "can't use starred expression here",
        ParseErrorType::IterableUnpackingInComprehension => "iterable unpacking cannot be used in comprehension",
        ParseErrorType::InvalidMatchPatternTarget => "cannot use '_' as a target",
        ParseErrorType::RecursionLimitExceeded => "too many nested brackets or blocks",
        ParseErrorType::UnexpectedTokenAfterAsync(_) => "'async' is not available here",
        _ => GENERIC,
    };
    SyntaxFault::new(at, message)
}

/// Words the error in `f'{}'`.
fn field_without_value(tokens: &Tokens<'_>, error: &ParseError) -> Option<&'static str> {
    let mut before = tokens.before(error.location.start());
    let opened = before.next().is_some_and(|token| token.kind() == TokenKind::Lbrace);
    let in_string = before.next().is_some_and(|token| {
        matches!(
            token.kind(),
            TokenKind::FStringStart | TokenKind::FStringMiddle | TokenKind::Rbrace
        )
    });
    match tokens.from(error.location.start())?.kind() {
        _ if !opened || !in_string => None,
        TokenKind::Rbrace => Some("f-string: empty expression not allowed"),
        TokenKind::Exclamation => Some("f-string: expression required before '!'"),
        _ => Some("f-string: expecting '}'"),
    }
}

/// Checks for the error in `{1:}`.
fn is_value_missing(tokens: &Tokens<'_>, error: &ParseError) -> bool {
    let colon = tokens.before(error.location.start()).next();
    let next = tokens.from(error.location.start());
    colon.is_some_and(|token| token.kind() == TokenKind::Colon)
        && next.is_some_and(|token| matches!(token.kind(), TokenKind::Rbrace | TokenKind::Comma))
}

fn other(tokens: &Tokens<'_>, error: &ParseError, message: &str) -> SyntaxFault {
    let at = error.location.start();
    if let Some(clause) = message.strip_prefix("Expected an indented block after ") {
        return missing_block(tokens, error, clause);
    }
    let message = match message {
        "Expected a parameter name" => return keyword_name(tokens, error),
        "Expected `except` or `finally` after `try` block" => "expected 'except' or 'finally' block",
        "Only one '*' parameter allowed" | "Only one '*' separator allowed" => "* argument may appear only once",
        "Bytes literal cannot be mixed with non-bytes literals" => "cannot mix bytes and nonbytes literals",
        "Only single target (not tuple) can be annotated" => "only single target (not tuple) can be annotated",
        "Only single target (not list) can be annotated" => "only single target (not list) can be annotated",
        "Positional patterns cannot follow keyword patterns" => "positional patterns follow keyword patterns",
        _ => GENERIC,
    };
    SyntaxFault::new(at, message)
}

/// Words the error for a header without a body, such as `def f():` at the end.
fn missing_block(tokens: &Tokens<'_>, error: &ParseError, clause: &str) -> SyntaxFault {
    let clause = clause
        .replace('`', "'")
        .replace("' clause", "' statement")
        .replace("' block", "' statement");
    let keyword = clause.split('\'').nth(1).unwrap_or("def");
    let header = tokens
        .before(error.location.start())
        .find(|token| tokens.text(*token) == keyword);
    let line = header.map_or(1, |token| tokens.line(token.start()));
    SyntaxFault {
        at: Some(error.location.start().min(tokens.last_word())),
        kind: "IndentationError",
        message: format!("expected an indented block after {clause} on line {line}"),
    }
}

/// Words the error in `f(1=2)`.
fn keyword_name(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let at = error.location.start();
    let name = tokens.from(at).map_or("", |token| tokens.text(token));
    SyntaxFault::new(
        at,
        match name {
            "True" | "False" | "None" => format!("cannot assign to {name}"),
            _ => "expression cannot contain assignment, perhaps you meant \"==\"?".to_owned(),
        },
    )
}

fn expected_token(tokens: &Tokens<'_>, error: &ParseError, expected: TokenKind, found: TokenKind) -> SyntaxFault {
    let at = error.location.start();
    let before = tokens.before(at).next();
    let message = match (expected, found) {
        (TokenKind::Colon, TokenKind::Newline | TokenKind::EndOfFile) if is_in_header(tokens, error) => "expected ':'",
        (TokenKind::Colon, TokenKind::Rbrace | TokenKind::Comma) => "':' expected after dictionary key",
        (TokenKind::Colon, TokenKind::Equal) => return assignment_in_condition(tokens, error),
        (TokenKind::Colon, _) if is_forced(tokens, error) => "expected ':'",
        (TokenKind::Else, _) => "expected 'else' after 'if' expression",
        (TokenKind::Comma, _) if is_start_of_value(found) => {
            if let Some(fault) = glued_number(tokens, error) {
                return fault;
            }
            let at = before.map_or(at, |token| token.start());
            let inside = Brackets::of(&tokens.until(error.location.start())).open.is_some();
            let message = if inside {
                "invalid syntax. Perhaps you forgot a comma?"
            } else {
                GENERIC
            };
            return SyntaxFault::new(at, message);
        }
        _ => GENERIC,
    };
    SyntaxFault::new(at, message)
}

/// Checks whether the current statement is one whose header ends with a colon.
fn is_in_header(tokens: &Tokens<'_>, error: &ParseError) -> bool {
    let first = statement_start(tokens, error);
    first.is_some_and(|kind| {
        matches!(
            kind,
            TokenKind::If
                | TokenKind::Elif
                | TokenKind::Else
                | TokenKind::For
                | TokenKind::While
                | TokenKind::Def
                | TokenKind::Class
                | TokenKind::Try
                | TokenKind::Except
                | TokenKind::Finally
                | TokenKind::With
                | TokenKind::Match
                | TokenKind::Case
        )
    })
}

/// Checks for a header after which `CPython` accepts only a colon.
fn is_forced(tokens: &Tokens<'_>, error: &ParseError) -> bool {
    let first = statement_start(tokens, error);
    first.is_some_and(|kind| {
        matches!(
            kind,
            TokenKind::Def | TokenKind::Else | TokenKind::Try | TokenKind::Finally
        )
    })
}

fn statement_start(tokens: &Tokens<'_>, error: &ParseError) -> Option<TokenKind> {
    let in_statement = tokens.before(error.location.start()).take_while(|token| {
        !matches!(
            token.kind(),
            TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent | TokenKind::Semi
        )
    });
    in_statement.last().map(|token| token.kind())
}

/// Words the error in `if x = 3:`.
fn assignment_in_condition(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let mut before = tokens.before(error.location.start());
    let (last, second) = (before.next(), before.next());
    let at = last.map_or(error.location.start(), |token| token.start());
    let attribute = second.is_some_and(|token| token.kind() == TokenKind::Dot);
    let message = match last.map(|token| token.kind()) {
        Some(TokenKind::Name) if attribute => "cannot assign to attribute here. Maybe you meant '==' instead of '='?",
        Some(TokenKind::Name) => "invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
        Some(TokenKind::Rsqb) => "cannot assign to subscript here. Maybe you meant '==' instead of '='?",
        Some(TokenKind::Rpar) => "cannot assign to function call here. Maybe you meant '==' instead of '='?",
        Some(TokenKind::Int | TokenKind::Float | TokenKind::String) => {
            "cannot assign to literal here. Maybe you meant '==' instead of '='?"
        }
        _ => GENERIC,
    };
    SyntaxFault::new(at, message)
}

/// Words the error for two things side by side that do not form a statement.
fn same_line(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let at = error.location.start();
    if let Some(fault) = glued_number(tokens, error) {
        return fault;
    }
    let word = tokens.before(at).next();
    let called = word.map_or("", |token| tokens.text(token));
    let alone = statement_start(tokens, error) == word.map(|token| token.kind());
    let value = tokens.from(at).is_some_and(|token| is_start_of_value(token.kind()));
    if alone && value && matches!(called, "print" | "exec") {
        let message = format!("Missing parentheses in call to '{called}'. Did you mean {called}(...)?");
        return SyntaxFault::new(word.map_or(at, |token| token.start()), message);
    }
    SyntaxFault::new(at, GENERIC)
}

/// Words the error in `5a`.
fn glued_number(tokens: &Tokens<'_>, error: &ParseError) -> Option<SyntaxFault> {
    let at = error.location.start();
    let number = tokens.before(at).next()?;
    let next = tokens.from(at)?;
    let text = tokens.text(number);
    if !matches!(number.kind(), TokenKind::Int | TokenKind::Float) || number.end() != next.start() {
        return None;
    }
    let message = match (next.kind(), text.get(..2)) {
        (TokenKind::Int, Some("0b")) => format!("invalid digit '{}' in binary literal", tokens.text(next)),
        (TokenKind::Int, Some("0o")) => format!("invalid digit '{}' in octal literal", tokens.text(next)),
        (TokenKind::Name, _) => "invalid decimal literal".to_owned(),
        _ => return None,
    };
    Some(SyntaxFault::new(number.start(), message))
}

/// Checks whether a token of this kind starts a value.
fn is_start_of_value(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::FStringStart
            | TokenKind::True
            | TokenKind::False
            | TokenKind::None
            | TokenKind::Lbrace
            | TokenKind::Type
            | TokenKind::Match
            | TokenKind::Case
    )
}
