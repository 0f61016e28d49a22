//! Classes of targets by the share of the picture that they cover.

use serde::Serialize;

use super::item::TargetBox;

/// A class of targets by size.
///
/// The limits lie around the means of the two sets: a target covers 2.01 % of a picture in ScreenSpot, and 0.07 % in
/// ScreenSpot-Pro (Li et al. 2025, arXiv 2504.07981, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetSize {
    /// Less than 0.1 % of the picture's area.
    Tiny,
    /// 0.1 % to 0.5 %.
    Small,
    /// 0.5 % to 2 %.
    Medium,
    /// 2 % and more.
    Large,
}

impl TargetSize {
    /// Returns the class of a target in a picture of this width and height. A share on a limit belongs to the larger
    /// class.
    pub fn of(target: &TargetBox, picture: (u32, u32)) -> TargetSize {
        match target.share_of(picture) {
            share if share < 0.001 => TargetSize::Tiny,
            share if share < 0.005 => TargetSize::Small,
            share if share < 0.02 => TargetSize::Medium,
            _ => TargetSize::Large,
        }
    }

    /// Returns the class in words, with its limits in percent of the picture's area.
    pub fn words(self) -> &'static str {
        match self {
            TargetSize::Tiny => "tiny (below 0.1 %)",
            TargetSize::Small => "small (0.1 to 0.5 %)",
            TargetSize::Medium => "medium (0.5 to 2 %)",
            TargetSize::Large => "large (2 % and more)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_begins_at_its_limit() {
        for (width, class) in [
            (9.0, TargetSize::Tiny),
            (10.0, TargetSize::Small),
            (49.0, TargetSize::Small),
            (50.0, TargetSize::Medium),
            (199.0, TargetSize::Medium),
            (200.0, TargetSize::Large),
            (1000.0, TargetSize::Large),
        ] {
            let target = TargetBox {
                left: 0.0,
                top: 0.0,
                right: width,
                bottom: 100.0,
            };
            assert_eq!(TargetSize::of(&target, (1000, 1000)), class, "{width}");
        }
    }
}
