//! Who may set a key: anybody, or only the person who owns this machine.
//!
//! A file of unknown origin may narrow what a run can do but never widen it. For this purpose, each key is open to
//! anybody, reserved for the person, or a limit that anybody may tighten.

use toml::Value;

use super::gate::GateMode;
use super::kind::ValueKind;
use super::mask;
use super::screen_kind::ScreenKind;

/// Who may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Any file may set it.
    Any,
    /// Only the person may set it, because any other value grants a permission.
    Own(Permission),
    /// Only the person may widen it; every file may narrow it.
    Limit(Permission, Wider),
}

/// The permission that a value grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Programs,
    Servers,
    Addresses,
    Directories,
    Desktop,
    Clipboard,
    Limits,
}

/// Which values are wider than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wider {
    /// A larger number is wider. No value means no limit.
    More,
    /// A larger number is wider. 0 means no limit.
    MoreOrZero,
    Less,
    /// `true` is wider. A key that is not set is off.
    On,
    /// `true` is wider than an explicit `false`.
    OnAgain,
    /// `false` is wider.
    Off,
    /// A screen that a person uses as well is wider.
    Shared,
    /// An address that other machines can reach is wider.
    Beyond,
    /// A rectangle that is not inside the other is wider.
    Outside,
    /// A list with additional names is wider.
    Longer,
    /// A list that lacks some of the names is wider.
    Shorter,
    /// A gate that lets more actions pass is wider.
    Looser,
    /// Masks that hide less are wider.
    Unmasked,
    /// Any value other than `target` is wider.
    Unchecked,
}

impl Trust {
    /// Checks whether a file of unknown origin may change the value; `None` means no value.
    pub(crate) fn admits(self, before: Option<&Value>, after: Option<&Value>) -> bool {
        match self {
            _ if before == after => true,
            Trust::Any => true,
            Trust::Own(_) => false,
            Trust::Limit(_, wider) => !wider.is(before, after),
        }
    }

    /// Combines two limits: joins lists if more items are tighter, and otherwise keeps what both allow. Returns `None` if
    /// the key is no limit, if `by` does not tighten `before`, or if nothing satisfies both.
    pub(super) fn tightened(self, before: Option<&Value>, by: &Value) -> Option<Value> {
        let Trust::Limit(_, wider) = self else { return None };
        if !wider.is(Some(by), before) {
            return None;
        }
        let both = match (wider, before) {
            (Wider::Shorter | Wider::Unmasked, Some(before)) => mask::joined(before, by),
            (Wider::Longer, Some(before)) => common_items(before, by),
            (Wider::Outside, Some(before)) => common_area(before, by)?,
            _ => by.clone(),
        };
        (!wider.is(before, Some(&both))).then_some(both)
    }

    /// Returns the permission that a wider value grants.
    pub(crate) fn grant(self) -> Option<Permission> {
        match self {
            Trust::Any => None,
            Trust::Own(grant) | Trust::Limit(grant, _) => Some(grant),
        }
    }

    /// Returns the word for the table of settings.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Trust::Any => "any",
            Trust::Own(_) => "own",
            Trust::Limit(..) => "own to widen",
        }
    }
}

impl Permission {
    /// Returns the permission in words that precede a key.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Permission::Programs => "starts programs",
            Permission::Servers => "names servers",
            Permission::Addresses => "opens addresses to others",
            Permission::Directories => "chooses directories",
            Permission::Desktop => "uses your desktop",
            Permission::Clipboard => "uses a clipboard",
            Permission::Limits => "lifts limits",
        }
    }
}

impl Wider {
    /// Checks whether `after` is wider than `before`.
    pub(crate) fn is(self, before: Option<&Value>, after: Option<&Value>) -> bool {
        let on = |value: Option<&Value>| value.and_then(Value::as_bool);
        let ended = |value: Option<&Value>| number(value).filter(|&most| most > 0.0);
        match self {
            Wider::More => is_more(number(before), number(after)),
            Wider::MoreOrZero => is_more(ended(before), ended(after)),
            Wider::Less => number(after) < number(before),
            Wider::On => on(before) != Some(true) && on(after) == Some(true),
            Wider::OnAgain => on(before) == Some(false) && on(after) != Some(false),
            Wider::Off => on(before) == Some(true) && on(after) != Some(true),
            Wider::Shared => {
                let kind = after.cloned().and_then(|after| after.try_into::<ScreenKind>().ok());
                kind.is_some_and(ScreenKind::is_shared)
            }
            Wider::Beyond => after.is_some_and(|after| !after.as_str().is_some_and(is_loopback)),
            Wider::Outside => before.is_some_and(|before| !is_inside(after, before)),
            Wider::Longer => has_more(after, before),
            Wider::Shorter => has_more(before, after),
            Wider::Looser => {
                let mode = |value: Option<&Value>| value.cloned().and_then(|mode| mode.try_into::<GateMode>().ok());
                mode(after).is_none_or(|after| mode(before).is_some_and(|before| after < before))
            }
            Wider::Unmasked => !mask::keeps(before, after),
            Wider::Unchecked => {
                let is_checked = |value: Option<&Value>| value.and_then(Value::as_str) == Some("target");
                is_checked(before) && !is_checked(after)
            }
        }
    }
}

/// Checks whether a limit is raised or removed; `None` means no limit.
fn is_more(before: Option<f64>, after: Option<f64>) -> bool {
    match (before, after) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(before), Some(after)) => after > before,
    }
}

/// Checks whether a list has an item that the other list lacks.
fn has_more(list: Option<&Value>, other: Option<&Value>) -> bool {
    let items = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let other = items(other);
    items(list).iter().any(|item| !other.contains(item))
}

/// Returns the items that both lists have.
fn common_items(list: &Value, other: &Value) -> Value {
    let items = list.as_array().into_iter().flatten();
    let is_common = |item: &&Value| other.as_array().is_some_and(|other| other.contains(item));
    Value::Array(items.filter(is_common).cloned().collect())
}

fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// Checks whether only this machine can reach a listener at this address. Host names are resolved only when they are
/// used, so they count as reachable from other machines.
fn is_loopback(address: &str) -> bool {
    let address = address.trim();
    let is_port = address.parse::<u16>().is_ok();
    is_port
        || address
            .parse::<std::net::SocketAddr>()
            .is_ok_and(|address| address.ip().is_loopback())
}

fn is_inside(inner: Option<&Value>, outer: &Value) -> bool {
    let (Some([x, y, width, height]), Some([left, top, wide, high])) = (inner.and_then(sides), sides(outer)) else {
        return false;
    };
    x >= left && y >= top && x + width <= left + wide && y + height <= top + high
}

/// Returns the part of the screen that two regions share; `None` if it is too small for a region.
pub(super) fn common_area(one: &Value, other: &Value) -> Option<Value> {
    let ([x, y, width, height], [left, top, wide, high]) = (sides(one)?, sides(other)?);
    let (from_x, from_y) = (x.max(left), y.max(top));
    let (to_x, to_y) = ((x + width).min(left + wide), (y + height).min(top + high));
    let area = Value::from(vec![from_x, from_y, to_x - from_x, to_y - from_y]);
    ValueKind::Region.check(&area).is_ok().then_some(area)
}

fn sides(region: &Value) -> Option<[i64; 4]> {
    let sides: Vec<i64> = region.as_array()?.iter().filter_map(Value::as_integer).collect();
    <[i64; 4]>::try_from(sides).ok()
}

#[cfg(test)]
mod tests;
