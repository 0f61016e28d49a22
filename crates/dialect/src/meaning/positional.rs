//! The meaning of positional arguments: the names that they stand for.

use serde_json::Value;

use super::{ClickKind, MeaningError, Means, Surroundings, Wheel, words};
use crate::geometry::Axes;
use crate::notation::Arguments;
use crate::spot;

/// Returns the arguments with the positional ones named, in the order for this meaning.
pub(super) fn named(means: Means, args: &Arguments, around: &Surroundings<'_>) -> Result<Arguments, MeaningError> {
    let mut read = args.clone();
    if read.positional.is_empty() {
        return Ok(read);
    }
    let list = |value: &Value| {
        value.is_array() || value.is_object() || value.as_str().is_some_and(|text| text.contains(['(', '<', '[', ',']))
    };
    let counts = read.positional.get(1).is_some_and(Value::is_number);
    let is_word = |value: &Value| value.is_string() && spot::number(value).is_none();
    let order: &[&str] = match means {
        Means::Click(_) | Means::Move if read.positional.first().is_some_and(list) => &["coordinate"],
        Means::Click(_) if read.positional.get(2).is_some_and(is_word) => &["x", "y", "button", "count", "modifiers"],
        Means::Click(click) if around.pauses && click != ClickKind::Left => &["x", "y", "interval", "button"],
        // ScaleCUA's clicks have no pause.
        Means::Click(_) if read.positional.get(3).is_some_and(is_word) => &["x", "y", "num_clicks", "button"],
        Means::Click(_) => &["x", "y", "num_clicks", "interval", "button"],
        Means::Down | Means::Up if read.positional.first().is_some_and(is_word) => &["button"],
        Means::Down | Means::Up => &["x", "y", "button"],
        Means::Hold => &["what", "seconds", "x", "y"],
        Means::Drag | Means::Zoom if read.positional.first().is_some_and(list) => &["start", "end"],
        Means::Drag if read.positional.len() >= 4 => &["x1", "y1", "x2", "y2"],
        Means::Move | Means::Drag => &["x", "y", "duration"],
        Means::Scroll(_) if read.positional.first().is_some_and(is_word) => &["direction", "amount", "x", "y"],
        Means::Scroll(_) if read.positional.get(2).is_some_and(is_word) => &["x", "y", "direction", "amount"],
        // Gemini's own scroll gives a direction. A scroll without one has FRANZ's form.
        Means::Scroll(Wheel::Down | Wheel::Grid(_)) => &["dy", "x", "y", "dx"],
        Means::Scroll(_) => &["amount", "x", "y"],
        Means::Swipe => &["start", "end"],
        Means::Select => &["start_box", "end_box"],
        Means::Type(_) if around.pauses && counts => &["text", "interval"],
        Means::Type(_) => &["text", "x", "y", "replace", "enter"],
        Means::WriteClipboard | Means::Ask | Means::Finish(_) => &["text"],
        Means::Keys if around.pauses && counts => &["keys", "presses", "interval"],
        Means::Chord | Means::Keys => {
            let keys = std::mem::take(&mut read.positional);
            let keys = match &keys[..] {
                [one] => one.clone(),
                _ => Value::from(keys),
            };
            read.named.push(("keys".to_owned(), keys));
            return Ok(read);
        }
        Means::Zoom => &["x1", "y1", "x2", "y2"],
        Means::Focus | Means::Open => &["name"],
        Means::Wait(_) | Means::Watch => &["time"],
        Means::Windows
        | Means::Look
        | Means::ReadClipboard
        | Means::Note
        | Means::Told(_)
        | Means::Fixed(_)
        | Means::Gesture => {
            return Ok(read);
        }
    };
    let values = std::mem::take(&mut read.positional);
    if values.len() > order.len() {
        return Err(words("the call has more arguments than it takes"));
    }
    if let Some(twice) = order.iter().take(values.len()).find(|name| read.get(&[name]).is_some()) {
        return Err(words(format!("'{twice}' is given twice")));
    }
    let names = order.iter().map(|name| ordered(name, around.geometry.axes).to_owned());
    read.named.extend(names.zip(values));
    Ok(read)
}

/// Returns the name of a positional argument if places are written in this order of axes.
fn ordered(name: &'static str, axes: Axes) -> &'static str {
    match name {
        _ if axes == Axes::Xy => name,
        "x" => "y",
        "y" => "x",
        "x1" => "y1",
        "y1" => "x1",
        "x2" => "y2",
        "y2" => "x2",
        _ => name,
    }
}
