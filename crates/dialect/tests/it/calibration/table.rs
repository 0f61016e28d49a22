//! The results of `smart_resize` in the `transformers` Python package for a few hundred sizes, stored in
//! `smart_resize.tsv`.

use franz_dialect::calibration::Resize;

/// A rule, a picture's size, and its size after resizing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) rule: Resize,
    pub(crate) sent: (u32, u32),
    pub(crate) resized: (u32, u32),
}

/// Returns all rows.
pub(crate) fn rows() -> Vec<Row> {
    let lines = include_str!("smart_resize.tsv").lines();
    let rows = lines.filter(|line| line.starts_with(|letter: char| letter.is_ascii_digit()));
    rows.map(|line| {
        let numbers: Vec<u32> = line.split('\t').map(|number| number.parse().unwrap()).collect();
        let [factor, least, most, width, height, resized_width, resized_height] = numbers[..] else {
            panic!("seven numbers: {line}");
        };
        Row {
            rule: Resize::Smart { factor, least, most },
            sent: (width, height),
            resized: (resized_width, resized_height),
        }
    })
    .collect()
}
