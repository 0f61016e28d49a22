//! A dialect: how a family of models writes actions. Each dialect is a small table for a shared reader.

use franz_action::Action;
use serde_json::Value;

use crate::dialects::{self, Speakers};
use crate::geometry::Space;
use crate::json;
use crate::manner::Manner;
use crate::meaning::Means;
use crate::notation::line::{LineCall, begins_line, is_below_label, is_enveloped, is_on_line};
use crate::notation::{Arguments, Flaw, RawCall, Searched, Stand, Wrap, code, object, rest, same};
use crate::wording::{Numbers, Wording, Writer};

/// A verb in a dialect: its spellings, with the offered one first, and its meaning.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) names: &'static [&'static str],
    pub(crate) means: Means,
}

/// Returns the row of a verb.
pub(crate) const fn row(names: &'static [&'static str], means: Means) -> Row {
    Row { names, means }
}

/// Where a dialect writes its calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Notation {
    /// In tags and tokens.
    Tags,
    /// As objects, with or without a fence.
    Objects,
    /// On lines of their own.
    Lines,
    /// In the last code block or, if there is none, on lines of their own.
    Code,
    /// In a form of its own, which this function finds.
    Own(fn(&Searched<'_>) -> Vec<RawCall>),
}

/// A dialect.
#[derive(Debug)]
pub struct Dialect {
    /// The name used in family files.
    pub name: &'static str,
    /// The coordinate space that all models of this dialect share, if there is one.
    pub fixed: Option<Space>,
    /// The notations in which to look for calls, in this order.
    pub(crate) notations: &'static [Notation],
    /// The names of tools that take the verb as an argument.
    pub(crate) tools: &'static [&'static str],
    /// The arguments that can contain the verb.
    pub(crate) verb_keys: &'static [&'static str],
    /// The arguments that can contain the verb of something that is surely a call.
    pub(crate) sure_verb_keys: &'static [&'static str],
    /// The arguments that can contain further calls.
    pub(crate) batches: &'static [&'static str],
    /// The qualifiers that can precede its verbs, including the dot.
    pub(crate) qualifiers: &'static [&'static str],
    pub(crate) rows: &'static [Row],
    /// Whether a place can be a box, in which case its middle is used.
    pub(crate) boxes: bool,
    /// Whether pauses follow the place of a click and the text to type, as in `PyAutoGUI`.
    pub(crate) pauses: bool,
    /// Whether a click without a place is at the pointer.
    pub(crate) clicks_at_pointer: bool,
    /// Checks whether only models of this dialect write such a call.
    pub(crate) signs: fn(&RawCall) -> bool,
    /// How its calls are written; `None` if the dialect is only read.
    pub(crate) wording: Option<Wording>,
}

/// How deep a call can be in other objects.
const DEPTH: usize = 3;

impl Dialect {
    /// The base of most dialects: no tools, no fixed space, boxes allowed, read only.
    pub(crate) const PLAIN: Dialect = Dialect {
        name: "",
        fixed: None,
        notations: &[],
        tools: &[],
        verb_keys: &[],
        sure_verb_keys: &[],
        batches: &[],
        qualifiers: &[],
        rows: &[],
        boxes: true,
        pauses: false,
        clicks_at_pointer: false,
        signs: |_| false,
        wording: None,
    };

    /// Checks whether this is FRANZ's own dialect.
    pub fn is_own(&self) -> bool {
        self.name == dialects::own().name
    }

    /// Checks whether FRANZ only reads this dialect and never asks a model to write it.
    pub fn is_read_only(&self) -> bool {
        self.wording.is_none() && !self.is_own()
    }

    /// Checks whether calls can be objects. Only then can the server report them.
    pub(crate) fn writes_objects(&self) -> bool {
        let mut notations = self.notations.iter();
        notations.any(|notation| matches!(notation, Notation::Tags | Notation::Objects))
    }

    /// Returns the row of a verb.
    pub(crate) fn row(&self, verb: &str) -> Option<&'static Row> {
        let verb = self.unqualified(verb);
        if !dialects::speakers(verb).meet(Speakers::only(self)) {
            return None;
        }
        let exact = self.rows.iter().find(|row| row.names.contains(&verb));
        exact.or_else(|| {
            self.rows
                .iter()
                .find(|row| row.names.iter().any(|name| same(name, verb)))
        })
    }

    fn unqualified<'a>(&self, verb: &'a str) -> &'a str {
        let mut qualifiers = self.qualifiers.iter();
        qualifiers
            .find_map(|qualifier| verb.strip_prefix(qualifier))
            .unwrap_or(verb)
    }

    fn has_tool(&self, name: &str) -> bool {
        let name = name.strip_prefix("functions.").unwrap_or(name);
        self.tools.iter().any(|tool| same(tool, name))
    }

    /// Finds this dialect's calls in text without thoughts. If several notations contain calls, uses the first one.
    /// Broken objects do not count if they are only words or follow a call in a later notation.
    pub(crate) fn find(&self, searched: &Searched<'_>) -> Vec<RawCall> {
        let mut broken: Vec<RawCall> = Vec::new();
        for notation in self.notations {
            let found = self.found(*notation, searched);
            let begin = found.iter().find(|call| call.flaw.is_none());
            let begin = begin.map(|call| call.span.start);
            let yields = |call: &RawCall| is_prose(searched.text, call) || begin.is_some_and(|at| at < call.span.start);
            if broken.is_empty() && found.iter().all(is_broken_object) {
                broken = found;
            } else if broken.is_empty() || begin.is_some() && broken.iter().all(yields) {
                return found;
            }
        }
        broken
    }

    fn found(&self, notation: Notation, searched: &Searched<'_>) -> Vec<RawCall> {
        let wanted = |name: &str| self.wants(name);
        let written = || {
            let calls = self.written(searched);
            // What stands before the first label or envelope may only recall what was done before.
            let announced = |written: &&LineCall| {
                let start = written.call.span.start;
                written.announced || is_below_label(searched.text, start) || is_enveloped(searched.text, start)
            };
            let first = calls.iter().position(announced).unwrap_or_default();
            calls.iter().skip(first).map(|written| written.call.clone()).collect()
        };
        match notation {
            Notation::Tags => {
                let calls = searched.tags().iter().cloned();
                calls.flat_map(|call| self.unfolded(call, true)).collect()
            }
            Notation::Objects => {
                let calls = self.objects(searched).into_iter();
                let (prose, calls): (Vec<_>, Vec<_>) = calls.partition(|call| is_prose(searched.text, call));
                let calls = if calls.is_empty() { prose } else { calls };
                calls.into_iter().flat_map(|call| self.unfolded(call, false)).collect()
            }
            Notation::Lines => written(),
            Notation::Code => match code::calls(searched.text, &wanted) {
                calls if calls.is_empty() => written(),
                calls => calls,
            },
            Notation::Own(find) => find(searched),
        }
    }

    /// Returns the objects that can contain calls of this dialect. One that only continues the sentence of another has
    /// a flaw, so that the model is told.
    fn objects(&self, searched: &Searched<'_>) -> Vec<RawCall> {
        let (mut calls, mut last): (Vec<RawCall>, Option<&RawCall>) = (Vec::new(), None);
        let objects = searched.objects().iter().zip(searched.stands());
        for (call, stand) in objects.filter(|(call, _)| self.may_hold(call)) {
            if self.counts(call, *stand) {
                last = Some(call);
                calls.push(call.clone());
                continue;
            }
            let follows = last.is_some_and(|last| {
                let on_line = is_on_line(searched.text, last.span.end, call.span.start);
                on_line && !self.unfolded(last.clone(), false).is_empty()
            });
            let inner = follows.then(|| self.unfolded(call.clone(), false).into_iter().next());
            calls.extend(inner.flatten().map(|inner| RawCall {
                flaw: Some(Flaw::Amid),
                ..inner
            }));
        }
        calls
    }

    /// Checks whether an object counts where it stands. A sentence may only quote one that names no function, and one
    /// behind words does not end the run.
    fn counts(&self, call: &RawCall, stand: Stand) -> bool {
        let finishes = |call: &RawCall| {
            let row = self.row(&call.name);
            row.is_some_and(|row| matches!(row.means, Means::Finish(_)))
        };
        match stand {
            Stand::Beginning => true,
            Stand::End => !is_unnamed(call) || !self.unfolded(call.clone(), false).iter().any(finishes),
            Stand::Inside => !is_unnamed(call),
        }
    }

    /// Returns the written calls of this dialect. Calls in sentences count only behind another call on the same line.
    pub(crate) fn written<'a>(&self, searched: &'a Searched<'_>) -> Vec<&'a LineCall> {
        let own = Speakers::only(self);
        let mut last = None;
        let belongs = |written: &&LineCall| {
            let amid = written.call.wrap == Wrap::Words;
            let belongs = if amid {
                written.behind.is_some() && written.behind == last && self.names(written, own)
            } else {
                self.has_written(written, own)
            };
            if belongs && !amid {
                last = Some(written.call.span.start);
            }
            belongs
        };
        searched.written().iter().filter(belongs).collect()
    }

    /// Checks whether a written call can belong to this dialect. `own` is the set that contains only this dialect.
    pub(crate) fn has_written(&self, written: &LineCall, own: Speakers) -> bool {
        written.call.wrap != Wrap::Words && (written.announced || self.names(written, own))
    }

    /// Returns the name of the last call that stands within a sentence, where no call counts.
    pub(crate) fn amid(&self, searched: &Searched<'_>) -> Option<String> {
        let own = Speakers::only(self);
        let written = || {
            let mut calls = searched.written().iter().rev();
            let found = calls.find(|written| {
                let call = &written.call;
                call.wrap == Wrap::Words && call.flaw.is_none() && self.names(written, own)
            });
            found.map(|written| written.call.name.clone())
        };
        let object = || {
            let objects = searched.objects().iter().zip(searched.stands());
            let mut quoted = objects.rev().filter(|(call, stand)| !self.counts(call, **stand));
            quoted.find_map(|(call, _)| Some(self.unfolded(call.clone(), false).pop()?.name))
        };
        let is_line = |notation: &Notation| matches!(notation, Notation::Lines | Notation::Code);
        let is_object = |notation: &Notation| matches!(notation, Notation::Objects);
        let lines = self.notations.iter().any(is_line);
        let objects = self.notations.iter().any(is_object);
        lines.then(written).flatten().or_else(|| objects.then(object).flatten())
    }

    fn names(&self, written: &LineCall, own: Speakers) -> bool {
        if self.qualifiers.is_empty() {
            written.speakers.meet(own)
        } else {
            self.wants(&written.call.name)
        }
    }

    /// Checks whether a written name is a verb of this dialect.
    fn wants(&self, name: &str) -> bool {
        let qualified = self.qualifiers.iter().any(|qualifier| name.starts_with(qualifier));
        if self.qualifiers.is_empty() {
            self.row(name).is_some()
        } else {
            qualified
        }
    }

    /// Checks whether an object can contain a call of this dialect. Most text in braces cannot.
    fn may_hold(&self, call: &RawCall) -> bool {
        let mut keys = self.verb_keys.iter().chain(self.batches);
        call.flaw.is_some() || !call.name.is_empty() || keys.any(|key| call.args.get(&[key]).is_some())
    }

    /// Returns the calls inside a found call, each with its verb as the name. Unless it is `sure` that these are calls,
    /// keeps only those of this dialect.
    pub(crate) fn unfolded(&self, call: RawCall, sure: bool) -> Vec<RawCall> {
        self.unfold(call, sure, false, DEPTH)
    }

    /// Returns the calls inside a found call. One that is `likely` has no unknown verb, but can have any key for it.
    fn unfold(&self, mut call: RawCall, sure: bool, likely: bool, depth: usize) -> Vec<RawCall> {
        if call.flaw.is_some() || depth == 0 {
            return vec![call];
        }
        let sure = sure || self.has_tool(&call.name);
        for key in self.batches {
            let inner = match call.args.get(&[key]) {
                Some(Value::Array(list)) if list.iter().any(Value::is_object) => list.clone(),
                Some(Value::Object(one)) => vec![Value::Object(one.clone())],
                _ => continue,
            };
            let objects = inner.into_iter().filter_map(|one| match one {
                Value::Object(members) => Some(object::call(members, call.span.clone(), call.wrap)),
                _ => None,
            });
            // A list of actions can also describe what a page offers.
            let likely = *key != "actions";
            return objects
                .flat_map(|one| self.unfold(one, sure, likely, depth - 1))
                .collect();
        }
        if !call.name.is_empty() && !self.has_tool(&call.name) {
            let known = self.row(&call.name).is_some();
            // Calls to FRANZ's own functions do not count as mistakes in a dialect.
            let own = dialects::own().row(&call.name).is_some();
            return if known || sure && !own { vec![call] } else { Vec::new() };
        }
        let words = |value: &Value| value.as_str().map(str::to_owned);
        let keys = self.verb_keys.iter();
        let more = self.sure_verb_keys.iter().filter(|_| sure || likely);
        let verb = keys.chain(more).find_map(|key| {
            let verb = words(call.args.get(&[key])?)?;
            (sure || self.row(&verb).is_some()).then_some((*key, verb))
        });
        match verb {
            Some((key, verb)) => {
                call.args.take(&[key]);
                verb.trim().clone_into(&mut call.name);
                vec![call]
            }
            None if sure => vec![RawCall {
                flaw: Some(Flaw::Broken),
                ..call
            }],
            None => Vec::new(),
        }
    }

    /// Returns the calls in the server's array, read in this dialect.
    pub(crate) fn reported(&self, calls: &[RawCall]) -> Vec<RawCall> {
        calls
            .iter()
            .cloned()
            .flat_map(|call| self.unfolded(call, true))
            .collect()
    }

    /// Writes an action as one valid line, with its points in the form in which this model writes numbers. Returns
    /// `None` if the dialect cannot express the action exactly.
    pub fn line(&self, action: &Action, geometry: &crate::Geometry) -> Option<String> {
        self.writer(&Manner::default(), Numbers::Counted(geometry))?
            .line(action)
    }

    /// Returns a call writer, or `None` if FRANZ only reads the dialect.
    pub(crate) fn writer<'a>(&'a self, manner: &'a Manner, numbers: Numbers<'a>) -> Option<Writer<'a>> {
        let wording = self.wording.as_ref()?;
        Some(Writer {
            dialect: self,
            wording,
            manner,
            numbers,
        })
    }
}

fn is_broken_object(call: &RawCall) -> bool {
    call.flaw.is_some_and(|flaw| flaw != Flaw::Amid) && call.wrap == Wrap::Object
}

/// Checks whether a broken object is only words in braces within a sentence, as in `It shows { action: submit } there`.
fn is_prose(text: &str, call: &RawCall) -> bool {
    let inside = rest(text, call.span.start).trim_start_matches(['{', '\u{ff5b}']);
    is_broken_object(call) && !inside.trim_start().starts_with(json::is_quote) && !begins_line(text, call.span.start)
}

/// Checks whether an object names no function. Inside a sentence, such an object is probably only quoted.
fn is_unnamed(call: &RawCall) -> bool {
    call.name.is_empty() && call.flaw.is_none()
}

/// Checks whether a call has an argument with exactly this name.
pub(crate) fn has(args: &Arguments, name: &str) -> bool {
    args.named.iter().any(|(key, _)| key == name)
}
