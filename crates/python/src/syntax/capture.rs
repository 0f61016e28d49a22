//! Finds the names that a pattern binds: each at most once, and the same ones in every alternative.

use std::collections::BTreeSet;

use ruff_python_ast::{Identifier, Pattern};
use ruff_text_size::Ranged;

use super::SyntaxFault;

/// Returns the names that a pattern binds.
///
/// # Errors
/// A name bound twice, or alternatives that bind different names.
pub(super) fn names(pattern: &Pattern) -> Result<BTreeSet<&str>, SyntaxFault> {
    match pattern {
        Pattern::MatchValue(_) | Pattern::MatchSingleton(_) => Ok(BTreeSet::new()),
        Pattern::MatchStar(star) => Ok(star.name.iter().map(Identifier::as_str).collect()),
        Pattern::MatchSequence(sequence) => together(pattern, &sequence.patterns, None),
        Pattern::MatchMapping(mapping) => {
            let rest = mapping.rest.as_ref().map(Identifier::as_str);
            together(pattern, &mapping.patterns, rest)
        }
        Pattern::MatchClass(class) => {
            let keywords = class.arguments.keywords.iter().map(|keyword| &keyword.pattern);
            together(pattern, class.arguments.patterns.iter().chain(keywords), None)
        }
        Pattern::MatchAs(capture) => {
            let name = capture.name.as_ref().map(Identifier::as_str);
            together(pattern, capture.pattern.as_deref(), name)
        }
        Pattern::MatchOr(or) => {
            let mut alternatives = or.patterns.iter().map(names);
            let first = alternatives.next().unwrap_or_else(|| Ok(BTreeSet::new()))?;
            for other in alternatives {
                if other? != first {
                    return Err(SyntaxFault::new(
                        pattern.start(),
                        "alternative patterns bind different names",
                    ));
                }
            }
            Ok(first)
        }
    }
}

fn together<'a>(
    whole: &'a Pattern,
    parts: impl IntoIterator<Item = &'a Pattern>,
    own: Option<&'a str>,
) -> Result<BTreeSet<&'a str>, SyntaxFault> {
    let mut bound = BTreeSet::new();
    for part in parts {
        for name in names(part)? {
            add(whole, &mut bound, name)?;
        }
    }
    if let Some(name) = own {
        add(whole, &mut bound, name)?;
    }
    Ok(bound)
}

fn add<'a>(whole: &Pattern, bound: &mut BTreeSet<&'a str>, name: &'a str) -> Result<(), SyntaxFault> {
    if bound.insert(name) {
        return Ok(());
    }
    let message = format!("multiple assignments to name '{name}' in pattern");
    Err(SyntaxFault::new(whole.start(), message))
}
