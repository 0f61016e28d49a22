//! Finds mismatched brackets, which `CPython`'s tokenizer notices before the grammar does.

use ruff_python_ast::token::TokenKind;
use ruff_text_size::{Ranged, TextSize};

use super::SyntaxFault;
use super::tokens::Tokens;

/// A bracket that was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) at: TextSize,
    kind: TokenKind,
}

/// The state of the brackets in a source.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// The first closing bracket that matches no bracket, or the wrong one.
    pub(super) wrong: Option<SyntaxFault>,
    /// The innermost bracket that is still open at the end.
    pub(super) open: Option<Open>,
}

impl Brackets {
    pub(super) fn of(tokens: &Tokens<'_>) -> Brackets {
        let mut opened: Vec<Open> = Vec::new();
        for token in tokens.all() {
            let (at, kind) = (token.start(), token.kind());
            match kind {
                TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => opened.push(Open { at, kind }),
                TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                    if let Some(wrong) = close(tokens, opened.pop(), at, kind) {
                        return Brackets {
                            wrong: Some(wrong),
                            open: None,
                        };
                    }
                }
                _ => {}
            }
        }
        Brackets {
            wrong: None,
            open: opened.pop(),
        }
    }
}

impl Open {
    pub(super) fn never_closed(self) -> SyntaxFault {
        SyntaxFault::new(self.at, format!("'{}' was never closed", sign(self.kind)))
    }
}

fn close(tokens: &Tokens<'_>, opened: Option<Open>, at: TextSize, kind: TokenKind) -> Option<SyntaxFault> {
    let Some(open) = opened else {
        return Some(SyntaxFault::new(at, format!("unmatched '{}'", sign(kind))));
    };
    if closing(open.kind) == kind {
        return None;
    }
    let (line, here) = (tokens.line(open.at), tokens.line(at));
    let on_line = if line == here {
        String::new()
    } else {
        format!(" on line {line}")
    };
    let message = format!(
        "closing parenthesis '{}' does not match opening parenthesis '{}'{on_line}",
        sign(kind),
        sign(open.kind)
    );
    Some(SyntaxFault::new(at, message))
}

fn closing(opening: TokenKind) -> TokenKind {
    match opening {
        TokenKind::Lpar => TokenKind::Rpar,
        TokenKind::Lsqb => TokenKind::Rsqb,
        _ => TokenKind::Rbrace,
    }
}

fn sign(kind: TokenKind) -> char {
    match kind {
        TokenKind::Lpar => '(',
        TokenKind::Rpar => ')',
        TokenKind::Lsqb => '[',
        TokenKind::Rsqb => ']',
        TokenKind::Lbrace => '{',
        _ => '}',
    }
}
