//! The dialects of other families in a reply.

use super::{DialectReader, Form, step};
use crate::dialect::Dialect;
use crate::dialects::DIALECTS;
use crate::geometry::{Axes, Geometry, Space};
use crate::manner::Manner;
use crate::notation::{Flaw, RawCall, Searched, Wrap};

/// Which other dialects a reply contains.
pub(super) enum Foreign {
    /// None.
    Nothing,
    /// Exactly one, at the first level that has any.
    One(Form),
    /// Several at the same level, by name.
    Several(Vec<&'static str>),
}

impl DialectReader<'_> {
    /// Finds the dialects of other families in a reply. First looks for envelopes, then for qualified names, then for
    /// keywords.
    pub(super) fn foreign(&self, searched: &Searched<'_>) -> Foreign {
        let levels: [fn(Wrap, &str) -> bool; 3] = [
            |wrap, _| matches!(wrap, Wrap::Tag | Wrap::Seed),
            |_, name| name.contains('.'),
            |_, _| true,
        ];
        let others = DIALECTS.iter().filter(|dialect| dialect.name != self.dialect.name);
        let calls = |dialect: &Dialect| {
            let mut calls = dialect.find(searched);
            calls.retain(|call| call.wrap != Wrap::Words || call.flaw == Some(Flaw::Amid));
            calls
        };
        // An object can have the form of a dialect without any call in it.
        let found: Vec<(&'static Dialect, Vec<RawCall>)> = others
            .map(|dialect| (*dialect, step::signed(dialect, searched)))
            .filter(|(dialect, signed)| !signed.is_empty() && !calls(dialect).is_empty())
            .collect();
        for level in levels {
            let here = found
                .iter()
                .filter(|(_, signed)| signed.iter().any(|call| level(call.wrap, &call.name)));
            let names: Vec<&'static Dialect> = here.map(|(dialect, _)| *dialect).collect();
            match names[..] {
                [] => {}
                [one] => return Foreign::One(self.recognised(one, calls(one))),
                _ => return Foreign::Several(names.iter().map(|dialect| dialect.name).collect()),
            }
        }
        Foreign::Nothing
    }

    pub(super) fn recognised(&self, dialect: &'static Dialect, calls: Vec<RawCall>) -> Form {
        let space = dialect.fixed.unwrap_or(Space::Unknown);
        Form {
            dialect,
            geometry: Geometry {
                axes: Axes::Xy,
                ..self.geometry.counting(space)
            },
            manner: Manner::default(),
            calls,
            recognised: true,
        }
    }
}
