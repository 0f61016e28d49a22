//! The files of grounding sets: a JSON array of items, or one item on each line.
//!
//! Both formats keep a box in `bbox`, but its four numbers mean different things. Only the other fields tell which:
//!
//! | format | is recognised by | `bbox`, in pixels | source |
//! |---|---|---|---|
//! | ScreenSpot, ScreenSpot-v2 | `data_type` | left, top, width, height | `pretrain/screenspot_test.py` of `njucckevin/SeeClick` |
//! | ScreenSpot-Pro | `img_size`, `ui_type` | left, top, right, bottom | `eval_screenspot_pro.py` of `likaixin2000/ScreenSpot-Pro-GUI-Grounding` |

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::item::{GroundingItem, TargetBox};
use crate::folder::is_inside;

/// The most items in a file.
const MOST_ITEMS: usize = 1_000_000;

/// The longest instruction in bytes.
const LONGEST_INSTRUCTION: usize = 16 << 10;

/// A line that would be right in each format.
const SCREENSPOT_LINE: &str = r#"{"img_filename": "window.png", "bbox": [910, 78, 44, 34], "instruction": "close this window", "data_type": "icon", "data_source": "windows"}"#;
const PRO_LINE: &str = r#"{"img_filename": "window.png", "bbox": [910, 78, 954, 112], "instruction": "close this window", "ui_type": "icon", "platform": "windows", "img_size": [960, 540]}"#;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroundingFormat {
    /// ScreenSpot and ScreenSpot-v2.
    #[serde(rename = "ScreenSpot")]
    ScreenSpot,
    /// ScreenSpot-Pro.
    #[serde(rename = "ScreenSpot-Pro")]
    ScreenSpotPro,
}

/// Why a file is not a grounding set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormatError {
    /// It is not JSON.
    #[error(
        "it is neither a JSON array nor JSON lines: {0}; name the JSON file of ScreenSpot, ScreenSpot-v2 or ScreenSpot-Pro"
    )]
    NotJson(String),
    /// It has no items.
    #[error("it has no items; write one like {SCREENSPOT_LINE}")]
    Empty,
    /// It has too many items.
    #[error("it has more than {MOST_ITEMS} items; split it")]
    TooMany,
    /// An item is wrong.
    #[error("item {number}: {problem}")]
    Item {
        /// The item, from 1.
        number: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// Items have different formats.
    #[error("item {number} has the format of {}, but the items before it have that of {}; split them into two files", is.name(), before.name())]
    Mixed {
        /// The item, from 1.
        number: usize,
        /// Its format.
        is: GroundingFormat,
        /// The format of the items before it.
        before: GroundingFormat,
    },
}

impl GroundingFormat {
    /// Returns the name of the set that has this format.
    pub fn name(self) -> &'static str {
        match self {
            GroundingFormat::ScreenSpot => "ScreenSpot",
            GroundingFormat::ScreenSpotPro => "ScreenSpot-Pro",
        }
    }

    /// Recognises the format of an item.
    fn of(item: &Map<String, Value>) -> Result<GroundingFormat, String> {
        let has = |name: &str| item.get(name).is_some_and(|value| !value.is_null());
        let (screenspot, pro) = (has("data_type"), has("img_size") && has("ui_type"));
        match (screenspot, pro) {
            (true, false) if !has("img_size") && !has("ui_type") => Ok(GroundingFormat::ScreenSpot),
            (false, true) => Ok(GroundingFormat::ScreenSpotPro),
            (false, false) => Err(format!(
                "the meaning of bbox is unclear: ScreenSpot, with [left, top, width, height], has data_type, and \
                 ScreenSpot-Pro, with [left, top, right, bottom], has img_size and ui_type; write {SCREENSPOT_LINE} or \
                 {PRO_LINE}"
            )),
            _ => Err(format!(
                "it has fields of both ScreenSpot (data_type) and ScreenSpot-Pro (img_size, ui_type), whose bbox means \
                 different things; write {SCREENSPOT_LINE} or {PRO_LINE}"
            )),
        }
    }

    fn line(self) -> &'static str {
        match self {
            GroundingFormat::ScreenSpot => SCREENSPOT_LINE,
            GroundingFormat::ScreenSpotPro => PRO_LINE,
        }
    }
}

/// An item, or the reason why it is wrong.
type ReadItem = Result<GroundingItem, FormatError>;

/// Reads a file. `name` is the first part of its items' keys. Returns its format with its items, right and wrong.
pub fn read(name: &str, text: &str) -> Result<(GroundingFormat, Vec<ReadItem>), FormatError> {
    let values = values(text)?;
    if values.is_empty() {
        return Err(FormatError::Empty);
    }
    if values.len() > MOST_ITEMS {
        return Err(FormatError::TooMany);
    }
    let mut format = None;
    let mut items = Vec::with_capacity(values.len());
    for (value, number) in values.into_iter().zip(1..) {
        let wrong = |problem: String| FormatError::Item { number, problem };
        let Value::Object(item) = value else {
            items.push(Err(wrong(format!("it is not an object; write {SCREENSPOT_LINE}"))));
            continue;
        };
        // A box whose meaning is unknown makes the whole file doubtful.
        let is = GroundingFormat::of(&item).map_err(wrong)?;
        let before = *format.get_or_insert(is);
        if is != before {
            return Err(FormatError::Mixed { number, is, before });
        }
        items.push(read_item(is, &item, format!("{name}/{number}")).map_err(wrong));
    }
    let format = format.ok_or_else(|| FormatError::Item {
        number: 1,
        problem: format!("no item is an object; write {SCREENSPOT_LINE}"),
    })?;
    Ok((format, items))
}

fn values(text: &str) -> Result<Vec<Value>, FormatError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if text.starts_with('[') {
        return serde_json::from_str(text).map_err(|error| FormatError::NotJson(error.to_string()));
    }
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            let value: Value = serde_json::from_str(line)
                .map_err(|error| FormatError::NotJson(format!("line {}: {error}", at + 1)))?;
            Ok(value)
        });
    lines.collect()
}

fn read_item(format: GroundingFormat, item: &Map<String, Value>, key: String) -> Result<GroundingItem, String> {
    let right = format.line();
    let text = |name: &str| match item.get(name) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(format!("{name} must be a non-empty string; write {right}")),
    };
    let needed = |name: &str| text(name)?.ok_or_else(|| format!("{name} is missing; write {right}"));
    let picture = needed("img_filename")?;
    if !is_inside(&picture) {
        return Err(format!(
            "img_filename {picture:?} leaves the folder of pictures; give the path below the folder, such as \"windows/a.png\""
        ));
    }
    let instruction = needed("instruction")?;
    if instruction.len() > LONGEST_INSTRUCTION {
        return Err(format!(
            "instruction is longer than {LONGEST_INSTRUCTION} bytes; shorten it"
        ));
    }
    let stated = match format {
        GroundingFormat::ScreenSpot => None,
        GroundingFormat::ScreenSpotPro => Some(size(item)?),
    };
    let (kind, source) = match format {
        GroundingFormat::ScreenSpot => ("data_type", "data_source"),
        GroundingFormat::ScreenSpotPro => ("ui_type", "platform"),
    };
    Ok(GroundingItem {
        key,
        picture,
        instruction,
        target: target(format, item)?,
        kind: text(kind)?,
        source: text(source)?,
        group: if format == GroundingFormat::ScreenSpotPro {
            text("group")?
        } else {
            None
        },
        stated,
    })
}

fn size(item: &Map<String, Value>) -> Result<(u32, u32), String> {
    let wrong = || format!("img_size must be the picture's width and height in pixels; write {PRO_LINE}");
    let value = item.get("img_size").cloned().unwrap_or_default();
    let [width, height]: [u32; 2] = serde_json::from_value(value).map_err(|_| wrong())?;
    if width == 0 || height == 0 {
        return Err(wrong());
    }
    Ok((width, height))
}

fn target(format: GroundingFormat, item: &Map<String, Value>) -> Result<TargetBox, String> {
    let right = format.line();
    let value = item.get("bbox").cloned().unwrap_or_default();
    let numbers: [f64; 4] =
        serde_json::from_value(value).map_err(|_| format!("bbox must be a list of four numbers; write {right}"))?;
    if numbers.iter().all(|number| (0.0..=1.0).contains(number)) {
        return Err(format!(
            "bbox {numbers:?} seems to be in fractions of the picture, which {} does not use; multiply them by the \
             picture's width and height, as in {right}",
            format.name()
        ));
    }
    let [left, top, third, fourth] = numbers;
    let (right_edge, bottom, meaning) = match format {
        GroundingFormat::ScreenSpot => (left + third, top + fourth, "[left, top, width, height]"),
        GroundingFormat::ScreenSpotPro => (third, fourth, "[left, top, right, bottom]"),
    };
    if right_edge <= left || bottom <= top {
        return Err(format!(
            "bbox {numbers:?} is empty: in {} it is {meaning}, as in {right}",
            format.name()
        ));
    }
    Ok(TargetBox {
        left,
        top,
        right: right_edge,
        bottom,
    })
}

#[cfg(test)]
mod tests;
