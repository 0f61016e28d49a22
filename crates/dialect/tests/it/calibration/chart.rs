//! Where the targets are.

use std::collections::BTreeSet;

use franz_dialect::calibration::{Chart, ChartError, Target};
use proptest::prelude::*;

fn overlap(one: &Target, other: &Target) -> bool {
    (one.middle.0 - other.middle.0).abs() <= one.half.0 + other.half.0
        && (one.middle.1 - other.middle.1).abs() <= one.half.1 + other.half.1
}

fn quadrant(target: &Target, size: (u32, u32)) -> (bool, bool) {
    (
        target.middle.0 * 2.0 > f64::from(size.0),
        target.middle.1 * 2.0 > f64::from(size.1),
    )
}

#[test]
fn a_square_or_tiny_picture_is_refused_with_a_size_that_works() {
    assert_eq!(Chart::new((1000, 1000)), Err(ChartError::Square(1000, 1000)));
    assert_eq!(Chart::new((1000, 900)), Err(ChartError::Square(1000, 900)));
    assert_eq!(Chart::new((512, 100)), Err(ChartError::Small(512, 100)));
    let advice = ChartError::Square(1000, 1000).to_string();
    assert!(advice.ends_with("such as 1120x672"), "{advice}");
    assert!(Chart::new((1120, 672)).is_ok());
}

#[test]
fn every_target_has_a_unique_name() {
    let chart = Chart::new((1344, 896)).unwrap();
    let names: BTreeSet<String> = chart.targets.iter().map(|target| target.look.to_string()).collect();
    assert_eq!(names.len(), chart.targets.len());
    assert!(names.contains("the red circle"), "{names:?}");
    assert!(names.contains("the button \"Save\""), "{names:?}");
}

proptest! {
    #[test]
    fn targets_stand_apart_within_the_picture(long in 184u32..4000, ratio in 1.16f64..2.2, upright: bool) {
        let short = (f64::from(long) / ratio).floor() as u32;
        prop_assume!(short >= 160);
        let size = if upright { (short, long) } else { (long, short) };
        let chart = Chart::new(size).unwrap();
        for (index, target) in chart.targets.iter().enumerate() {
            prop_assert!(target.middle.0 - target.half.0 >= 0.0 && target.middle.1 - target.half.1 >= 0.0);
            prop_assert!(target.middle.0 + target.half.0 < f64::from(size.0));
            prop_assert!(target.middle.1 + target.half.1 < f64::from(size.1));
            for other in &chart.targets[index + 1..] {
                prop_assert!(!overlap(target, other), "{target:?} and {other:?}");
            }
        }
        let first: BTreeSet<_> = chart.targets[..4].iter().map(|target| quadrant(target, size)).collect();
        prop_assert_eq!(first.len(), 4, "the first four stand in four quadrants");
        let lower_right = chart.targets.iter().filter(|target| quadrant(target, size) == (true, true)).count();
        prop_assert!(lower_right > chart.targets.len() / 2);
    }
}
