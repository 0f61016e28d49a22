//! Resolves what the names in each code object mean. As in Python, this depends on where they are assigned and is
//! decided before anything runs.

use std::collections::HashMap;

use super::program::{Code, CodeBody, NamePlace, ParameterLayout};

/// A code object while its source is being read.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) kind: DraftKind,
    pub(super) parent: Option<usize>,
    pub(super) qualname: String,
    pub(super) layout: ParameterLayout<'a>,
    pub(super) body: CodeBody<'a>,
    pub(super) captured: bool,
    uses: HashMap<&'a str, Use>,
    slots: usize,
}

/// The kind of scope that a code object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DraftKind {
    Module,
    Function,
    Comprehension,
}

/// How a code object uses a name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    pub(super) slot: Option<usize>,
    pub(super) parameter: bool,
    pub(super) read: bool,
    pub(super) declared: Option<Declared>,
}

/// Where a name belongs, according to a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Global,
    Nonlocal,
}

impl Declared {
    /// Returns the keyword.
    pub(super) fn word(self) -> &'static str {
        match self {
            Declared::Global => "global",
            Declared::Nonlocal => "nonlocal",
        }
    }
}

impl<'a> Draft<'a> {
    pub(super) fn new(kind: DraftKind, parent: Option<usize>, qualname: String, body: CodeBody<'a>) -> Draft<'a> {
        Draft {
            kind,
            parent,
            qualname,
            layout: ParameterLayout::default(),
            body,
            captured: false,
            uses: HashMap::new(),
            slots: 0,
        }
    }

    pub(super) fn usage(&self, name: &str) -> Use {
        self.uses.get(name).copied().unwrap_or_default()
    }

    pub(super) fn read(&mut self, name: &'a str) {
        self.uses.entry(name).or_default().read = true;
    }

    /// Makes the name a variable of this code object, unless it is declared global or nonlocal.
    pub(super) fn bind(&mut self, name: &'a str) {
        let usage = self.uses.entry(name).or_default();
        if usage.slot.is_none() && usage.declared.is_none() {
            usage.slot = Some(self.slots);
            self.slots += 1;
        }
    }

    pub(super) fn bind_parameter(&mut self, name: &'a str) {
        self.bind(name);
        self.uses.entry(name).or_default().parameter = true;
    }

    pub(super) fn declare(&mut self, name: &'a str, declared: Declared) {
        self.uses.entry(name).or_default().declared = Some(declared);
    }

    fn own_slot(&self, name: &str) -> Option<usize> {
        self.uses.get(name).and_then(|usage| usage.slot)
    }
}

/// Checks whether a function around this code object has a variable with this name.
pub(super) fn is_bound_around(drafts: &[Draft<'_>], code: usize, name: &str) -> bool {
    let around = std::iter::successors(drafts[code].parent, |outer| drafts[*outer].parent);
    around
        .map(|outer| &drafts[outer])
        .any(|draft| draft.kind == DraftKind::Function && draft.own_slot(name).is_some())
}

/// Resolves every name of every code object.
pub(super) fn resolve(mut drafts: Vec<Draft<'_>>) -> Vec<Code<'_>> {
    let assigned_by_functions: Vec<_> = drafts[1..]
        .iter()
        .flat_map(|draft| {
            draft
                .uses
                .iter()
                .filter(|(_, usage)| usage.declared == Some(Declared::Global))
        })
        .map(|(name, _)| *name)
        .collect();
    for name in assigned_by_functions {
        drafts[0].bind(name);
    }
    let places: Vec<_> = (0..drafts.len())
        .map(|code| {
            let names = drafts[code].uses.keys();
            names.map(|name| (*name, place(&drafts, code, name))).collect()
        })
        .collect();
    let finished = drafts.into_iter().zip(places).map(|(draft, places)| Code {
        qualname: draft.qualname,
        body: draft.body,
        parameters: draft.layout,
        slots: draft.slots,
        places,
        captured: draft.captured,
    });
    finished.collect()
}

fn place(drafts: &[Draft<'_>], code: usize, name: &str) -> NamePlace {
    let mut at = code;
    let mut levels = 0;
    while let Some(outer) = drafts[at].parent {
        let usage = drafts[at].usage(name);
        if usage.declared == Some(Declared::Global) {
            break;
        }
        match usage.slot {
            Some(slot) if levels == 0 => return NamePlace::Local(slot),
            Some(slot) => return NamePlace::Enclosing(levels, slot),
            None => (at, levels) = (outer, levels + 1),
        }
    }
    drafts[0].own_slot(name).map_or(NamePlace::Builtin, NamePlace::Global)
}
