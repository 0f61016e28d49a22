//! Finds the tokens around an error.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_text_size::{Ranged, TextSize};

use crate::source::SourceText;

/// A source with its tokens.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    pub(super) source: &'a str,
    tokens: &'a [Token],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str, tokens: &'a [Token]) -> Tokens<'a> {
        Tokens { source, tokens }
    }

    pub(super) fn all(&self) -> &'a [Token] {
        self.tokens
    }

    /// Returns the line number at this position.
    pub(super) fn line(&self, at: TextSize) -> usize {
        SourceText::new(self.source).line_number(at)
    }

    /// Iterates over the tokens that end at or before this position, nearest first, without comments and line breaks
    /// inside brackets.
    pub(super) fn before(&self, at: TextSize) -> impl Iterator<Item = Token> + 'a {
        let count = self.tokens.partition_point(|token| token.end() <= at);
        let before = self.tokens[..count].iter().rev().copied();
        before.filter(|token| !matches!(token.kind(), TokenKind::Comment | TokenKind::NonLogicalNewline))
    }

    /// Returns the first token that starts at or after this position.
    pub(super) fn from(&self, at: TextSize) -> Option<Token> {
        self.tokens.iter().find(|token| token.start() >= at).copied()
    }

    /// Returns the line of the last token that a parser has read when it stops here. The parser looks one token ahead.
    pub(super) fn line_read(&self, at: TextSize) -> usize {
        let silent = [
            TokenKind::Comment,
            TokenKind::Newline,
            TokenKind::NonLogicalNewline,
            TokenKind::Indent,
            TokenKind::Dedent,
        ];
        let said = self
            .tokens
            .iter()
            .filter(|token| token.start() >= at && !silent.contains(&token.kind()));
        said.take(2).last().map_or(0, |token| self.line(token.start()))
    }

    /// Returns a token's text.
    pub(super) fn text(&self, token: Token) -> &'a str {
        self.source
            .get(token.start().to_usize()..token.end().to_usize())
            .unwrap_or_default()
    }

    /// Checks whether only line breaks and comments follow.
    pub(super) fn is_at_end(&self, at: TextSize) -> bool {
        let rest = self.source.get(at.to_usize()..).unwrap_or_default();
        rest.lines()
            .all(|line| matches!(line.trim(), "" | "\\") || line.trim().starts_with('#'))
    }

    /// Returns the position of the last character that is not whitespace, because errors at the very end belong to its
    /// line.
    pub(super) fn last_word(&self) -> TextSize {
        let said = self.source.trim_end();
        let line = said.rfind('\n').map_or(0, |at| at + 1);
        TextSize::new((line + said[line..].len()).saturating_sub(1).max(line) as u32)
    }
}
