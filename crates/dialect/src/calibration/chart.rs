//! The picture for calibrating a model, as data: which targets it shows, and where.

use std::fmt;

use thiserror::Error;

/// The longer side must be at least this many times as long as the shorter one. In a square picture, thousandths would
/// look like pixels of some other size.
const LEAST_RATIO: f64 = 1.15;
/// The minimum length of the shorter side at which targets can still be told apart.
const LEAST_SIDE: u32 = 160;
/// Half the height of a target, as a fraction of the shorter side.
const HALF: f64 = 0.024;
/// A button's width divided by its height.
const BUTTON: f64 = 2.4;

/// What a target looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A filled figure.
    Figure(Figure, Colour),
    /// A button with this label.
    Button(&'static str),
}

/// The figures that a target can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Figure {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// The colours that a target can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Colour {
    Red,
    Blue,
    Green,
    Orange,
    Purple,
    Black,
}

/// A thing to click.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// What it looks like.
    pub look: Look,
    /// Its middle, in pixels of the picture.
    pub middle: (f64, f64),
    /// Half its width and half its height.
    pub half: (f64, f64),
}

/// A picture's size and its targets. Calibration asks for the first few in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The picture's size.
    pub size: (u32, u32),
    /// All targets.
    pub targets: Vec<Target>,
}

/// Why a picture cannot be used for calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ChartError {
    /// Thousandths and pixels could not be told apart.
    #[error(
        "a picture of {0}x{1} is too square to calibrate with: choose one whose longer side is at least {LEAST_RATIO} times the other, such as 1120x672"
    )]
    Square(u32, u32),
    /// The targets would be too small to see.
    #[error("a picture of {0}x{1} is too small to calibrate with: choose sides of at least {LEAST_SIDE} pixels")]
    Small(u32, u32),
}

/// The targets' looks and places, with places as fractions of the sides. The first four are in four quadrants, which
/// reveals the axis order, offsets, and models that repeat themselves. Most others are at the lower right, as far out
/// as noise allows, because similar coordinates, such as 1000 and 1024 parts, differ most there. None is in the middle,
/// where all coordinates agree.
const TARGETS: [(Look, f64, f64); 13] = [
    (Look::Figure(Figure::Circle, Colour::Red), 0.97, 0.94),
    (Look::Figure(Figure::Triangle, Colour::Green), 0.13, 0.95),
    (Look::Figure(Figure::Square, Colour::Blue), 0.97, 0.12),
    (Look::Button("Save"), 0.14, 0.31),
    (Look::Figure(Figure::Diamond, Colour::Orange), 0.97, 0.83),
    (Look::Figure(Figure::Square, Colour::Purple), 0.88, 0.95),
    (Look::Figure(Figure::Triangle, Colour::Red), 0.97, 0.71),
    (Look::Figure(Figure::Circle, Colour::Black), 0.79, 0.95),
    (Look::Figure(Figure::Diamond, Colour::Green), 0.97, 0.59),
    (Look::Button("Open"), 0.87, 0.83),
    (Look::Figure(Figure::Circle, Colour::Blue), 0.68, 0.95),
    (Look::Button("Close"), 0.72, 0.79),
    (Look::Button("Help"), 0.11, 0.70),
];

impl Colour {
    /// Returns the colour's red, green and blue components.
    pub fn rgb(self) -> [u8; 3] {
        match self {
            Colour::Red => [214, 32, 38],
            Colour::Blue => [28, 86, 214],
            Colour::Green => [28, 150, 62],
            Colour::Orange => [244, 134, 12],
            Colour::Purple => [134, 46, 168],
            Colour::Black => [20, 20, 22],
        }
    }
}

impl Chart {
    /// Lays out the targets for a picture of this size.
    pub fn new(size: (u32, u32)) -> Result<Chart, ChartError> {
        let (width, height) = size;
        let (long, short) = (width.max(height), width.min(height));
        if short < LEAST_SIDE {
            return Err(ChartError::Small(width, height));
        }
        if f64::from(long) < f64::from(short) * LEAST_RATIO {
            return Err(ChartError::Square(width, height));
        }
        let half = (f64::from(short) * HALF).round();
        let targets = TARGETS.map(|(look, x, y)| Target {
            look,
            middle: ((x * f64::from(width)).round(), (y * f64::from(height)).round()),
            half: match look {
                Look::Figure(..) => (half, half),
                Look::Button(_) => ((half * BUTTON).round(), half),
            },
        });
        Ok(Chart {
            size,
            targets: targets.to_vec(),
        })
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Look::Figure(figure, colour) => write!(f, "the {} {}", word(colour), word(figure)),
            Look::Button(label) => write!(f, "the button \"{label}\""),
        }
    }
}

fn word(name: &impl fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}
