//! How servers resize a picture before the model sees it.

use std::fmt;

/// A rule that computes the size at which the model sees a picture from the size that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resize {
    /// The size does not change.
    None,
    /// Both sides become multiples of a factor, and the number of pixels stays between two limits, as in `smart_resize`
    /// in Qwen's processors.
    Smart {
        /// The factor.
        factor: u32,
        /// The minimum number of pixels.
        least: u32,
        /// The maximum number of pixels.
        most: u32,
    },
    /// The longer side is shrunk to at most this length.
    LongEdge(u32),
    /// The longer side is shrunk to at most 2048, then the shorter side to at most this length.
    ShortEdge(u32),
}

impl Resize {
    /// The rules of known servers, simplest first.
    pub const KNOWN: [Resize; 11] = [
        Resize::None,
        Resize::smart(28, 4, 16_384),
        Resize::smart(28, 4, 4_096),
        Resize::smart(28, 4, 1_280),
        Resize::smart(32, 64, 16_384),
        Resize::smart(32, 8, 4_096),
        Resize::smart(32, 256, 1_280),
        Resize::LongEdge(500),
        Resize::LongEdge(1_024),
        Resize::LongEdge(1_568),
        Resize::ShortEdge(768),
    ];

    /// Returns `smart_resize` with limits in tokens. A token is a tile whose sides equal the factor.
    const fn smart(factor: u32, least: u32, most: u32) -> Resize {
        Resize::Smart {
            factor,
            least: least * factor * factor,
            most: most * factor * factor,
        }
    }

    /// Returns the size that the model sees.
    pub fn size(self, sent: (u32, u32)) -> (u32, u32) {
        match self {
            Resize::None => sent,
            Resize::Smart { factor, least, most } => smart(sent, f64::from(factor), f64::from(least), f64::from(most)),
            Resize::LongEdge(most) => shrunk(sent, sent.0.max(sent.1), most),
            Resize::ShortEdge(most) => {
                let sent = shrunk(sent, sent.0.max(sent.1), 2048);
                shrunk(sent, sent.0.min(sent.1), most)
            }
        }
    }
}

impl fmt::Display for Resize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resize::None => write!(f, "as sent"),
            Resize::Smart { factor, most, .. } => {
                write!(f, "to multiples of {factor}, at most {most} pixels")
            }
            Resize::LongEdge(most) => write!(f, "to a longer side of at most {most}"),
            Resize::ShortEdge(most) => write!(f, "to a shorter side of at most {most}"),
        }
    }
}

fn smart(sent: (u32, u32), factor: f64, least: f64, most: f64) -> (u32, u32) {
    let sides = [f64::from(sent.0), f64::from(sent.1)];
    let area = sides[0] * sides[1];
    // Halves round to the even neighbour, so 70 / 28 becomes 2, not 3.
    let near = sides.map(|side| (side / factor).round_ties_even() * factor);
    let made = if near[0] * near[1] > most {
        let shrink = (area / most).sqrt();
        sides.map(|side| ((side / shrink / factor).floor() * factor).max(factor))
    } else if near[0] * near[1] < least {
        let grow = (least / area).sqrt();
        sides.map(|side| (side * grow / factor).ceil() * factor)
    } else {
        near
    };
    (made[0] as u32, made[1] as u32)
}

/// Shrinks the size until `side`, which is one of its sides or a value that scales with them, is at most this long.
fn shrunk(sent: (u32, u32), side: u32, most: u32) -> (u32, u32) {
    if side <= most {
        return sent;
    }
    let part = f64::from(most) / f64::from(side);
    let scaled = |side: u32| (f64::from(side) * part).round().max(1.0) as u32;
    (scaled(sent.0), scaled(sent.1))
}
