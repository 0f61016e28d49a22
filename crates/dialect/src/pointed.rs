//! Pointed: the place that a reply names, as raw numbers, whatever their unit and form.
//!
//! Used by calibration. A run never acts on it: a place without a call says where, but not what to do.

use crate::bare_place;
use crate::dialect::Dialect;
use crate::dialects::{self, DIALECTS};
use crate::geometry::Spot;
use crate::json::Closers;
use crate::notation::{RawCall, Searched, object};
use crate::protocol::ReplyText;
use crate::spot;
use crate::thought;

/// A place in a reply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointed {
    /// Its numbers, in the model's own order unless it named them.
    pub spot: Spot,
    /// Its form in the reply.
    pub form: PointedForm,
}

/// The form of a place in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointedForm {
    /// In a tool call that the server reported.
    Native,
    /// In a call of this dialect in the text.
    Call(&'static str),
    /// Outside any call.
    Bare,
}

impl Dialect {
    /// Reads the place that a reply names. It is the place in the first call that has one, looking first in the
    /// server's calls, then in this dialect, in FRANZ's own forms and in any other dialect. If no call has one, it is
    /// the only place outside any call. Ignores thoughts, and the call in which a reply was cut off.
    pub fn pointed(&'static self, reply: &ReplyText<'_>) -> Option<Pointed> {
        let pointed = |form| move |spot| Pointed { spot, form };
        if let Some(raw) = reply.tool_calls {
            let calls = object::reported(raw);
            let calls = calls.into_iter().flat_map(|call| self.unfolded(call, true));
            if let Some(spot) = first(calls) {
                return Some(pointed(PointedForm::Native)(spot));
            }
        }
        let masked = thought::masked(reply.text);
        let searched = Searched::new(&masked, Closers::of(reply.cut));
        let in_calls = |dialect: &'static Dialect| {
            let mut calls = dialect.find(&searched);
            if reply.cut {
                calls.pop();
            }
            first(calls.into_iter()).map(pointed(PointedForm::Call(dialect.name)))
        };
        let others = DIALECTS.iter().filter(|other| other.name != self.name);
        let found = [self, dialects::own()].into_iter().find_map(in_calls);
        found.or_else(|| others.copied().find_map(in_calls)).or_else(|| {
            let bare = bare_place::read(&masked).filter(|_| !reply.cut);
            bare.map(pointed(PointedForm::Bare))
        })
    }
}

/// Returns the place of the first call that has one.
fn first(mut calls: impl Iterator<Item = RawCall>) -> Option<Spot> {
    calls.find_map(|call| {
        if call.flaw.is_some() {
            return None;
        }
        let named = spot::place(&call.args).ok().flatten();
        named
            .or_else(|| spot::of(&call.args.positional.into()))
            .filter(spot::is_place)
    })
}
