//! Formats syntax errors: with the parser's message, unless `CPython`'s explains better how to fix the error.

use ruff_python_ast::Mod;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{InterpolatedStringErrorType, LexicalErrorType, ParseError, ParseErrorType, Parsed};
use ruff_text_size::Ranged;

use super::SyntaxFault;
use super::bracket::Brackets;
use super::tokens::Tokens;

/// Returns the error to report first.
pub(super) fn of(source: &str, parsed: &Parsed<Mod>) -> Option<SyntaxFault> {
    let tokens = Tokens::new(source, parsed.tokens());
    let first = parsed.errors().first()?;
    let lexical = parsed.errors().iter().find(|error| is_lexical(error));
    let brackets = Brackets::of(&tokens);
    // A problem with characters or brackets also explains anything that the grammar reports.
    let noticed = earlier(lexical.map(|error| lexical_fault(&tokens, error)), brackets.wrong);
    if noticed.is_some() {
        return noticed;
    }
    let ended = tokens.is_at_end(first.location.start());
    match brackets.open {
        Some(open) if ended || tokens.line(open.at) < tokens.line_read(first.location.start()) => {
            Some(open.never_closed())
        }
        _ => {
            let fault = grammatical(&tokens, first);
            Some(SyntaxFault {
                at: fault.at.map(|at| if ended { at.min(tokens.last_word()) } else { at }),
                ..fault
            })
        }
    }
}

fn earlier(a: Option<SyntaxFault>, b: Option<SyntaxFault>) -> Option<SyntaxFault> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.at < a.at { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Checks whether the error is in a token. An unexpected end of the source is left to the bracket check.
fn is_lexical(error: &ParseError) -> bool {
    matches!(&error.error, ParseErrorType::Lexical(kind) if *kind != LexicalErrorType::Eof)
}

/// Returns the error in the parser's words, with a caret below its position.
fn in_its_words(error: &ParseError) -> SyntaxFault {
    SyntaxFault {
        has_caret: true,
        ..SyntaxFault::new(error.location.start(), error.error.to_string().replace('`', "'"))
    }
}

/// Appends advice on how to fix the error.
fn with_advice(mut fault: SyntaxFault, advice: &str) -> SyntaxFault {
    fault.message.push_str(". ");
    fault.message.push_str(advice);
    fault
}

fn lexical_fault(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let at = error.location.start();
    let ParseErrorType::Lexical(kind) = &error.error else {
        return in_its_words(error);
    };
    match kind {
        LexicalErrorType::UnclosedStringError
        | LexicalErrorType::FStringError(
            InterpolatedStringErrorType::UnterminatedString
            | InterpolatedStringErrorType::UnterminatedTripleQuotedString,
        ) => unclosed_string(tokens, error),
        LexicalErrorType::IndentationError => indentation(tokens, error),
        LexicalErrorType::UnrecognizedToken { tok } if !tok.is_ascii() => SyntaxFault::new(at, character(*tok)),
        // The parser's own message is only "unexpected unicode".
        LexicalErrorType::UnicodeError => SyntaxFault::new(
            at,
            "(unicode error) an escape in a string is incomplete. Write '\\\\' for a backslash.",
        ),
        // The parser's own message shows an error from Rust.
        LexicalErrorType::OtherError(message) if message.contains("ParseIntError") => {
            SyntaxFault::new(at, "invalid hexadecimal literal")
        }
        LexicalErrorType::OtherError(message) if message.contains("decimal integer") => {
            with_advice(in_its_words(error), "Write it without leading zeros.")
        }
        _ => in_its_words(error),
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
    let (kind, message) = if mixed {
        ("TabError", "inconsistent use of tabs and spaces in indentation")
    } else {
        (
            "IndentationError",
            "unindent does not match any outer indentation level",
        )
    };
    // The error is at the end of the indentation. This position can also be the end of the previous line.
    SyntaxFault {
        kind,
        ..SyntaxFault::new(error.location.end(), message)
    }
}

fn character(character: char) -> String {
    let code = u32::from(character);
    if crate::text::is_printable(character) {
        format!("invalid character '{character}' (U+{code:04X})")
    } else {
        format!("invalid non-printable character U+{code:04X}")
    }
}

/// Words a grammar error.
fn grammatical(tokens: &Tokens<'_>, error: &ParseError) -> SyntaxFault {
    let (at, range) = (error.location.start(), error.location);
    match &error.error {
        ParseErrorType::UnexpectedIndentation => SyntaxFault {
            kind: "IndentationError",
            ..SyntaxFault::new(range.end(), "unexpected indent")
        },
        ParseErrorType::OtherError(message) => match message.strip_prefix("Expected an indented block after ") {
            Some(clause) => missing_block(tokens, error, clause),
            None => in_its_words(error),
        },
        ParseErrorType::ExpectedToken {
            expected: TokenKind::Colon,
            found: TokenKind::Equal,
        } => with_advice(in_its_words(error), "To compare, write '=='."),
        ParseErrorType::InvalidAssignmentTarget => {
            with_advice(in_its_words(error), "Assign to a name; to compare, write '=='.")
        }
        ParseErrorType::ExpectedToken {
            expected: TokenKind::Colon,
            ..
        } => SyntaxFault::new(at, "expected ':'"),
        ParseErrorType::SimpleStatementsOnSameLine if is_print(tokens, error) => {
            let word = tokens.before(at).next();
            SyntaxFault::new(
                word.map_or(at, |token| token.start()),
                "Missing parentheses in call to 'print'. Did you mean print(...)?",
            )
        }
        _ => in_its_words(error),
    }
}

/// Formats the error for a header without a body, such as `def f():` at the end.
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
        kind: "IndentationError",
        ..SyntaxFault::new(
            error.location.start().min(tokens.last_word()),
            format!("expected an indented block after {clause} on line {line}"),
        )
    }
}

/// Checks for `print x`: the word at the start of a statement, followed by a value.
fn is_print(tokens: &Tokens<'_>, error: &ParseError) -> bool {
    let at = error.location.start();
    let mut before = tokens.before(at);
    let is_print = before.next().is_some_and(|token| tokens.text(token) == "print");
    let is_first = before.next().is_none_or(|token| {
        matches!(
            token.kind(),
            TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent | TokenKind::Semi | TokenKind::Colon
        )
    });
    is_print && is_first && tokens.from(at).is_some_and(|token| is_start_of_value(token.kind()))
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
