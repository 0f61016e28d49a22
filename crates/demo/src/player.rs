//! Lets the built-in model play a model of any family, with that family's calls, numbers and weaknesses.
//!
//! In reading order: [`Player`] describes the model to play, `chance` supplies random numbers, `tongue` writes calls,
//! `clicked` finds the position where the last call clicked, and `turn` answers a request. A calibration asks a
//! `question` about a `page`; `thing` finds what is on it, and `lettered` recognises letters.

pub(crate) mod chance;
mod clicked;
mod lettered;
mod page;
mod question;
mod thing;
mod tongue;
mod turn;

use franz_dialect::calibration::Resize;
use franz_dialect::{Axes, Family, Space};

/// The model to play.
#[derive(Clone, Debug)]
pub struct Player {
    /// The model's family.
    pub family: Family,
    /// The unit of the model's numbers.
    pub space: Space,
    /// Which of the two numbers comes first.
    pub axes: Axes,
    /// How the model's server resizes pictures.
    pub resize: Resize,
    /// How far the model misses, as a standard deviation in pixels of the picture as the model sees it.
    pub noise: f64,
    /// Whether pictures never reach the model.
    pub blind: bool,
    /// The share of wrong answers: half of them miss, and the other half contain no call.
    pub wrong: f64,
    /// The seed that, together with the request, determines everything random.
    pub seed: u64,
}

/// Why a family cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// FRANZ can read the family's calls but not write them.
    #[error("the {0} family is read-only and cannot be played; choose one of {1}")]
    ReadOnly(String, String),
}

impl Player {
    /// Returns a model of this family that sees well and makes no mistakes. If the family does not specify the unit of
    /// its numbers, the model uses thousandths.
    pub fn new(family: Family) -> Result<Player, PlayerError> {
        if family.dialect.is_read_only() {
            let played = Family::all().into_iter().filter(|other| !other.dialect.is_read_only());
            let names: Vec<String> = played.map(|other| other.name).collect();
            return Err(PlayerError::ReadOnly(family.name, names.join(", ")));
        }
        Ok(Player {
            space: match family.space {
                Space::Unknown => Space::Thousandths,
                known => known,
            },
            axes: family.axes,
            resize: Resize::None,
            noise: 0.0,
            blind: false,
            wrong: 0.0,
            seed: 0,
            family,
        })
    }

    /// Returns a model ID that FRANZ recognises as this family.
    pub fn id(&self) -> String {
        let mut families = Family::all();
        families.retain(|other| other.name != self.family.name);
        families.push(self.family.clone());
        let ids: Vec<String> = self.family.models.iter().map(|glob| plain(glob)).collect();
        let fits = |id: &&String| {
            let found = Family::matching(&families, id).ok().flatten();
            found.is_some_and(|found| found.name == self.family.name)
        };
        let id = ids.iter().find(fits).or(ids.first());
        id.map_or_else(|| crate::MODEL.to_owned(), String::clone)
    }

    /// Returns the rule with this name: `none`, `smart-28` or `smart-32` (with an optional third part for the largest
    /// number of tiles, as in `smart-28-1280`), `long-1024` for a limit on the longer side, or `short-768` for a limit
    /// on the shorter side.
    pub fn resize(name: &str) -> Option<Resize> {
        let mut words = name.split('-');
        let kind = words.next()?;
        let numbers: Vec<u32> = words
            .map(|word| word.parse().ok().filter(|number| (1..=65_536).contains(number)))
            .collect::<Option<_>>()?;
        match (kind, &numbers[..]) {
            ("none", []) => Some(Resize::None),
            ("smart", [factor]) => smart(*factor, 16_384),
            ("smart", [factor, most]) => smart(*factor, *most),
            ("long", [most]) => Some(Resize::LongEdge(*most)),
            ("short", [most]) => Some(Resize::ShortEdge(*most)),
            _ => None,
        }
    }
}

/// Returns `smart_resize` with its usual minimum size of 4 tiles.
fn smart(factor: u32, most: u32) -> Option<Resize> {
    let tile = factor.checked_mul(factor).filter(|_| factor <= 256)?;
    Some(Resize::Smart {
        factor,
        least: tile * 4,
        most: tile.checked_mul(most)?,
    })
}

/// Returns the shortest name that matches a glob and has no double hyphen.
fn plain(glob: &str) -> String {
    let pieces = glob.split('*').map(|piece| piece.trim_matches('-'));
    let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    pieces.join("-")
}

#[cfg(test)]
mod tests;
