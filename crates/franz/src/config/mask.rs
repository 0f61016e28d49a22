//! Masks in the form of the configuration: areas and windows to hide from the model.

use franz_screen::{Glob, Mask, MaskTarget};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// The maximum number of masks.
pub(super) const MOST: usize = 100;

/// The maximum length of a name or pattern, in characters.
const LONGEST: usize = 100;

/// A mask for an area or for windows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MaskSetting {
    /// Left, top, right and bottom in thousandths of the screen.
    area: Option<[u16; 4]>,
    /// A pattern for the title or class of windows.
    window: Option<String>,
    name: Option<String>,
}

impl MaskSetting {
    /// Returns the pattern of the windows to mask, if this mask is for windows.
    pub(crate) fn window(&self) -> Option<&str> {
        self.window.as_deref()
    }

    /// Returns the mask in the form that screens use.
    pub(crate) fn mask(&self) -> Mask {
        let pattern = || Glob::new(self.window().unwrap_or_default());
        Mask {
            target: self
                .area
                .map_or_else(|| MaskTarget::Window(pattern()), MaskTarget::Area),
            name: self.name.clone(),
        }
    }

    /// Returns whether this mask hides everything that another mask hides.
    fn covers(&self, other: &MaskSetting) -> bool {
        match (self.area, other.area) {
            (Some([left, top, right, bottom]), Some([x1, y1, x2, y2])) => {
                left <= x1 && top <= y1 && right >= x2 && bottom >= y2
            }
            (one, another) => one == another && self.window == other.window,
        }
    }
}

/// Returns the masks in a value, if there are any.
pub(crate) fn masks(value: Option<&Value>) -> Vec<MaskSetting> {
    value
        .cloned()
        .and_then(|value| value.try_into().ok())
        .unwrap_or_default()
}

/// Returns whether the later masks hide everything that the earlier ones hide.
pub(super) fn keeps(before: Option<&Value>, after: Option<&Value>) -> bool {
    let after = masks(after);
    masks(before)
        .iter()
        .all(|mask| after.iter().any(|later| later.covers(mask)))
}

/// Returns the masks of both values, those of the first value first.
pub(super) fn joined(below: &Value, above: &Value) -> Value {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut all = list(below);
    for mask in list(above) {
        if !all.contains(&mask) {
            all.push(mask);
        }
    }
    Value::Array(all)
}

/// Returns those of the masks that are for areas.
pub(super) fn areas(value: &Value) -> Value {
    let all = value.as_array().into_iter().flatten();
    Value::Array(all.filter(|mask| mask.get("area").is_some()).cloned().collect())
}

/// Lists the mistakes in masks; `None` if there are none.
pub(super) fn mistakes(value: &Value) -> Option<String> {
    const EACH: &str =
        "a list of masks, each { area = [x1, y1, x2, y2] } or { window = \"TITLE OR CLASS\" }, with a name if you like";
    let Value::Array(masks) = value else {
        return Some(EACH.to_owned());
    };
    if masks.len() > MOST {
        return Some(format!("a list of at most {MOST} masks"));
    }
    let of_each = (1..).zip(masks).flat_map(|(number, mask)| {
        let said = mask
            .as_table()
            .map_or_else(|| vec!["it is not a table".to_owned()], of_table);
        said.into_iter().map(move |said| format!("mask {number}: {said}"))
    });
    let all: Vec<String> = of_each.collect();
    (!all.is_empty()).then(|| format!("{EACH} ({})", all.join("; ")))
}

fn of_table(table: &Table) -> Vec<String> {
    let mut said = Vec::new();
    for (key, value) in table {
        match key.as_str() {
            "area" if !is_area(value) => {
                said.push("area needs four whole numbers from 0 to 1000, x1 below x2 and y1 below y2".to_owned());
            }
            "window" | "name" if !is_line(value) => {
                said.push(format!(
                    "{key} needs one line of text with at most {LONGEST} characters"
                ));
            }
            "area" | "window" | "name" => {}
            other => said.push(format!("there is no key '{other:.40}', only area, window and name")),
        }
    }
    match (table.contains_key("area"), table.contains_key("window")) {
        (true, true) => said.push("a mask has either an area or a window: make two masks".to_owned()),
        (false, false) => said.push("it needs an area or a window".to_owned()),
        _ => {}
    }
    said
}

fn is_area(value: &Value) -> bool {
    let sides: Option<Vec<i64>> = value
        .as_array()
        .and_then(|sides| sides.iter().map(Value::as_integer).collect());
    let Some(&[x1, y1, x2, y2]) = sides.as_deref() else {
        return false;
    };
    0 <= x1 && x1 < x2 && x2 <= 1000 && 0 <= y1 && y1 < y2 && y2 <= 1000
}

fn is_line(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        !text.trim().is_empty() && text.chars().count() <= LONGEST && !text.chars().any(char::is_control)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn every_mistake_is_named() {
        for (text, said) in [
            ("[]", &[][..]),
            ("[{area=[0,0,1000,1000]},{window='KeePass*',name='passwords'}]", &[]),
            ("'KeePass*'", &["a list of masks"]),
            ("[{area=[0,0,1000,1000]},'KeePass*']", &["mask 2: it is not a table"]),
            ("[{}]", &["mask 1: it needs an area or a window"]),
            ("[{name='a'}]", &["mask 1: it needs an area or a window"]),
            (
                "[{area=[0,0,9,9],window='a'}]",
                &["mask 1: a mask has either an area or a window"],
            ),
            (
                "[{area=[0,0,9,1001]},{window=' '},{wndow='a'}]",
                &[
                    "mask 1: area needs four whole numbers",
                    "mask 2: window needs one line",
                    "mask 3: there is no key 'wndow'",
                    "mask 3: it needs an area or a window",
                ],
            ),
            ("[{area=[9,0,9,9]}]", &["x1 below x2"]),
            ("[{area=[0,9,9,8]}]", &["y1 below y2"]),
            ("[{area=[-1,0,9,9]}]", &["from 0 to 1000"]),
            ("[{area=[0,0,9.5,9]}]", &["whole numbers"]),
            ("[{area=[0,0,9]}]", &["four"]),
            ("[{window=\"a\\nb\"}]", &["one line"]),
            ("[{window='a',name=4}]", &["name needs one line"]),
        ] {
            let told = mistakes(&value(text));
            assert_eq!(told.is_none(), said.is_empty(), "{text}: {told:?}");
            let told = told.unwrap_or_default();
            assert!(said.iter().all(|said| told.contains(said)), "{text}: {told}");
            if said.is_empty() {
                assert_eq!(masks(Some(&value(text))).len(), value(text).as_array().unwrap().len());
            }
        }
        let many = Value::Array(vec![value("{window='a'}"); MOST + 1]);
        assert_eq!(mistakes(&many).as_deref(), Some("a list of at most 100 masks"));
    }

    #[test]
    fn a_mask_is_kept_by_one_that_hides_as_much() {
        for (before, after, kept) in [
            ("[]", "[]", true),
            ("[]", "[{window='a'}]", true),
            ("[{window='a'}]", "[]", false),
            ("[{window='a'}]", "[{window='b'}]", false),
            ("[{window='a'}]", "[{window='b'},{window='a',name='n'}]", true),
            ("[{area=[10,10,20,20]}]", "[{area=[10,10,20,20]}]", true),
            ("[{area=[10,10,20,20]}]", "[{area=[0,10,20,21]}]", true),
            ("[{area=[10,10,20,20]}]", "[{area=[11,10,20,20]}]", false),
            ("[{area=[10,10,20,20]}]", "[{window='a'}]", false),
        ] {
            let (before, after) = (value(before), value(after));
            assert_eq!(keeps(Some(&before), Some(&after)), kept, "{before} {after}");
        }
        assert!(keeps(None, None) && !keeps(Some(&value("[{window='a'}]")), None));
    }

    fn list() -> impl Strategy<Value = Value> {
        let mask = prop_oneof![
            "[ab]".prop_map(|pattern| value(&format!("{{window='{pattern}'}}"))),
            (0..4u16, 0..4u16).prop_map(|(x, y)| value(&format!("{{area=[{x},{y},{},{}]}}", x + 3, y + 2))),
        ];
        proptest::collection::vec(mask, 0..5).prop_map(Value::Array)
    }

    proptest! {
        #[test]
        fn what_is_joined_keeps_both(below in list(), above in list()) {
            let both = joined(&below, &above);
            prop_assert!(keeps(Some(&below), Some(&both)) && keeps(Some(&above), Some(&both)));
            prop_assert_eq!(joined(&both, &above), both.clone());
            prop_assert!(mistakes(&both).is_none());
        }
    }
}
