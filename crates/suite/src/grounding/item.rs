//! One item of a grounding set.

/// How far a box may reach beyond its picture, in pixels: annotators round.
const ROUNDING: f64 = 1.0;

/// An instruction, the picture that it is about, and the box in which a model should click.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundingItem {
    /// Its name: the name of its file without the ending, `/`, and its number in the file, from 1.
    pub key: String,
    /// The picture's path below the folder of pictures.
    pub picture: String,
    /// What to click.
    pub instruction: String,
    /// Where to click.
    pub target: TargetBox,
    /// The kind of target, such as `text` or `icon`.
    pub kind: Option<String>,
    /// Where the picture comes from, such as `windows` or `shop`.
    pub source: Option<String>,
    /// The group of programs, such as `CAD`; only in ScreenSpot-Pro.
    pub group: Option<String>,
    /// The picture's width and height according to the file; only in ScreenSpot-Pro.
    pub stated: Option<(u32, u32)>,
}

/// The edges of a target, in pixels of its picture. The edges belong to the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetBox {
    /// The distance of the left edge from the picture's left edge.
    pub left: f64,
    /// The distance of the upper edge from the picture's upper edge.
    pub top: f64,
    /// The distance of the right edge from the picture's left edge.
    pub right: f64,
    /// The distance of the lower edge from the picture's upper edge.
    pub bottom: f64,
}

/// Why an item does not fit its picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ItemFault {
    /// The size in the file differs from the picture's size.
    #[error("img_size says {}x{}, but the picture has {}x{} pixels; use the set's own pictures, unscaled", stated.0, stated.1, actual.0, actual.1)]
    Size {
        /// The size in the file.
        stated: (u32, u32),
        /// The picture's size.
        actual: (u32, u32),
    },
    /// The box is outside of the picture.
    #[error("the box {target} is not inside the picture of {}x{} pixels; is it the right picture, unscaled?", picture.0, picture.1)]
    Outside {
        /// The box.
        target: TargetBox,
        /// The picture's size.
        picture: (u32, u32),
    },
}

impl GroundingItem {
    /// Checks that the item is about a picture of this width and height.
    pub fn fits(&self, picture: (u32, u32)) -> Result<(), ItemFault> {
        if let Some(stated) = self.stated.filter(|stated| *stated != picture) {
            return Err(ItemFault::Size {
                stated,
                actual: picture,
            });
        }
        if self.target.is_in(picture) {
            return Ok(());
        }
        Err(ItemFault::Outside {
            target: self.target,
            picture,
        })
    }
}

impl TargetBox {
    /// Returns whether the box contains the pixel at this column and row, counted from 0. The edges count as inside, as
    /// in the evaluation scripts of both repositories.
    pub fn contains(&self, (x, y): (u32, u32)) -> bool {
        let (x, y) = (f64::from(x), f64::from(y));
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// Returns the share of a picture's area that the box covers, 0 to 1.
    pub(crate) fn share_of(&self, (width, height): (u32, u32)) -> f64 {
        let area = (self.right - self.left) * (self.bottom - self.top);
        (area / (f64::from(width) * f64::from(height))).clamp(0.0, 1.0)
    }

    fn is_in(&self, (width, height): (u32, u32)) -> bool {
        self.left >= -ROUNDING
            && self.top >= -ROUNDING
            && self.right <= f64::from(width) + ROUNDING
            && self.bottom <= f64::from(height) + ROUNDING
    }
}

impl std::fmt::Display for TargetBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "from ({}, {}) to ({}, {})",
            self.left, self.top, self.right, self.bottom
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: TargetBox = TargetBox {
        left: 10.0,
        top: 20.0,
        right: 30.0,
        bottom: 25.0,
    };

    fn item(stated: Option<(u32, u32)>) -> GroundingItem {
        GroundingItem {
            key: "set/1".to_owned(),
            picture: "a.png".to_owned(),
            instruction: "close".to_owned(),
            target: TARGET,
            kind: None,
            source: None,
            group: None,
            stated,
        }
    }

    #[test]
    fn the_edges_of_a_box_are_hits_and_the_pixels_beyond_are_not() {
        for hit in [(10, 20), (30, 25), (10, 25), (20, 22)] {
            assert!(TARGET.contains(hit), "{hit:?}");
        }
        for miss in [(9, 22), (31, 22), (20, 19), (20, 26), (0, 0)] {
            assert!(!TARGET.contains(miss), "{miss:?}");
        }
    }

    #[test]
    fn a_box_must_be_inside_a_picture_of_the_stated_size() {
        assert_eq!(item(None).fits((30, 25)), Ok(()));
        assert_eq!(item(None).fits((29, 24)), Ok(()), "rounded");
        for small in [(28, 25), (30, 23), (5, 5)] {
            let told = item(None).fits(small).unwrap_err().to_string();
            assert!(told.contains("from (10, 20) to (30, 25) is not inside"), "{told}");
        }
        assert_eq!(item(Some((40, 40))).fits((40, 40)), Ok(()));
        let told = item(Some((80, 80))).fits((40, 40)).unwrap_err().to_string();
        assert!(
            told.contains("img_size says 80x80, but the picture has 40x40"),
            "{told}"
        );
    }

    #[test]
    fn a_share_is_one_of_area() {
        assert!((TARGET.share_of((100, 100)) - 0.01).abs() < 1e-12);
    }
}
