//! A small made-up grounding set: pictures with a box of each colour, in the formats of ScreenSpot and ScreenSpot-Pro.

use std::fs;
use std::path::{Path, PathBuf};

use franz_frame::{Color, Frame, PixelFormat, png};
use serde_json::{Value, json};

/// The colours of the boxes, from the smallest box to the largest.
pub(crate) const COLORS: [&str; 3] = ["red", "green", "blue"];

/// The pictures: landscape, portrait, and one that is larger than what models are shown.
const SIZES: [(u32, u32); 4] = [(960, 540), (390, 844), (800, 600), (2400, 1500)];

/// The sizes of the boxes.
const BOXES: [(u32, u32); 3] = [(14, 12), (60, 30), (200, 90)];

/// The number of items.
pub(crate) const ITEMS: usize = SIZES.len() * BOXES.len();

pub(crate) fn color(name: &str) -> Color {
    match name {
        "red" => Color::rgb(220, 0, 0),
        "green" => Color::rgb(0, 150, 0),
        _ => Color::rgb(0, 0, 220),
    }
}

/// The format of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    ScreenSpot,
    Pro,
}

/// Draws the pictures in the folder `pictures`, and writes the set that they belong to. No box is in the middle.
pub(crate) fn draw(place: &Path, form: Form) -> PathBuf {
    let folder = place.join("pictures/desk");
    fs::create_dir_all(&folder).unwrap();
    let mut items = Vec::new();
    for (number, size) in SIZES.into_iter().enumerate() {
        let mut frame = Frame::new(
            size.0,
            size.1,
            PixelFormat::Rgb8,
            vec![235; size.0 as usize * size.1 as usize * 3],
        )
        .unwrap();
        for (at, (name, (width, height))) in COLORS.into_iter().zip(BOXES).enumerate() {
            // The boxes lie in the left third, one below the other.
            let left = 7 + 13 * number as u32;
            let left = left.min(size.0 / 2 - width.min(size.0 / 2));
            let top = size.1 / 4 * (at as u32 + 1) + 3;
            fill(&mut frame, (left, top, width, height), color(name));
            items.push(item(form, number, size, name, (left, top, width, height)));
        }
        fs::write(folder.join(format!("{number}.png")), png::encode(&frame).unwrap()).unwrap();
    }
    let file = place.join("made_up.json");
    fs::write(&file, Value::from(items).to_string()).unwrap();
    file
}

fn fill(frame: &mut Frame, (left, top, width, height): (u32, u32, u32, u32), color: Color) {
    let stride = frame.width() as usize * 3;
    for y in top..top + height {
        for x in left..left + width {
            let at = y as usize * stride + x as usize * 3;
            frame.data_mut()[at..at + 3].copy_from_slice(&[color.red, color.green, color.blue]);
        }
    }
}

fn item(
    form: Form,
    number: usize,
    size: (u32, u32),
    name: &str,
    (left, top, width, height): (u32, u32, u32, u32),
) -> Value {
    let (picture, words) = (format!("desk/{number}.png"), format!("click the {name} box"));
    let kind = if name == "blue" { "text" } else { "icon" };
    let source = ["windows", "ios", "shop", "macos"][number];
    match form {
        Form::ScreenSpot => json!({
            "img_filename": picture, "bbox": [left, top, width, height], "instruction": words,
            "data_type": kind, "data_source": source,
        }),
        Form::Pro => json!({
            "img_filename": picture, "bbox": [left, top, left + width, top + height], "instruction": words,
            "ui_type": kind, "platform": source, "img_size": [size.0, size.1], "group": "Dev", "application": "made-up",
            "id": format!("made_up_{number}"),
        }),
    }
}
