//! The rulings of calibration, case by case.

use franz_dialect::calibration::{Calibration, Chart, Coordinates, Decision, Doubt, FEWEST, MOST, Resize, Ruling};
use franz_dialect::{Axes, Space, Spot};
use proptest::prelude::*;

use super::model::coordinates;

const PICTURE: (u32, u32) = (1344, 896);

/// Calibrates with the answers that a function gives for the middles of the targets.
fn calibrated(family: Option<Coordinates>, answer: impl FnMut((f64, f64)) -> Option<(f64, f64)>) -> Calibration {
    calibrated_with(PICTURE, family, answer)
}

fn calibrated_with(
    picture: (u32, u32),
    family: Option<Coordinates>,
    mut answer: impl FnMut((f64, f64)) -> Option<(f64, f64)>,
) -> Calibration {
    let mut calibration = Calibration::new(Chart::new(picture).unwrap(), family);
    while let Some(target) = calibration.next_target() {
        let middle = target.middle;
        calibration.answer(answer(middle));
    }
    calibration
}

fn decided(calibration: &Calibration) -> &Decision {
    match calibration.ruling() {
        Ruling::Decided(decision) => decision,
        other => panic!("{other:?}"),
    }
}

fn doubt(calibration: &Calibration) -> &Doubt {
    match calibration.ruling() {
        Ruling::Undecided(undecided) => &undecided.why,
        other => panic!("{other:?}"),
    }
}

fn rounded((x, y): (f64, f64)) -> (f64, f64) {
    (x.round(), y.round())
}

/// Returns the coordinates of each class. Pixels are those of a picture of this size.
fn classes(of: [f64; 2], axes: Axes) -> [Coordinates; 6] {
    [
        Coordinates::new(Space::Thousandths, axes),
        Coordinates::new(Space::Parts1024, axes),
        Coordinates::new(Space::Fractions, axes),
        Coordinates::new(Space::Percent, axes),
        Coordinates::new(Space::Letterboxed, axes),
        Coordinates::pixels(of, axes),
    ]
}

#[test]
fn five_exact_answers_decide_every_class() {
    for (_, axes) in Axes::NAMES {
        for truth in classes([1204.0, 812.0], axes) {
            let calibration = calibrated(None, |middle| Some(truth.answer(middle, PICTURE)));
            let decision = decided(&calibration);
            assert!(decision.coordinates.same_class(&truth), "{truth}: {decision:?}");
            assert_eq!(calibration.asked(), FEWEST);
            assert!(decision.precision.ninety.value < 1.0);
        }
    }
}

#[test]
fn rounding_on_a_small_picture_does_not_mislead_calibration() {
    for (space, decimals) in [(Space::Percent, 1.0), (Space::Fractions, 100.0)] {
        let truth = coordinates(space);
        let calibration = calibrated_with((512, 288), None, |middle| {
            let (x, y) = truth.answer(middle, (512, 288));
            Some(((x * decimals).round() / decimals, (y * decimals).round() / decimals))
        });
        assert_eq!(decided(&calibration).coordinates, truth);
    }
}

#[test]
fn the_picture_size_is_fitted_and_its_only_rule_named() {
    let truth = Coordinates::pixels([500.0, 333.0], Axes::Xy);
    let calibration = calibrated(None, |middle| Some(rounded(truth.answer(middle, PICTURE))));
    let decision = decided(&calibration);
    let Some([width, height]) = decision.coordinates.of else {
        panic!("{decision:?}");
    };
    assert!(
        (width - 500.0).abs() < 1.0 && (height - 333.0).abs() < 1.0,
        "{width}x{height}"
    );
    assert_eq!(decision.resize, Some(Resize::LongEdge(500)));
}

#[test]
fn no_rule_is_named_where_several_are_possible() {
    // The answers are off by twenty pixels in alternating directions, so 1280x720 as sent, 1288x728 and 1280x704 are
    // all possible.
    let mut sign = -1.0;
    let calibration = calibrated_with((1280, 720), None, |(x, y)| {
        sign = -sign;
        Some((x + 20.0 * sign, y - 20.0 * sign))
    });
    let decision = decided(&calibration);
    assert_eq!(decision.coordinates.space, Space::Pixels);
    assert_eq!(decision.resize, None);
}

#[test]
fn the_familys_own_size_stays_when_it_fits() {
    let own = Coordinates::pixels([1344.0, 896.0], Axes::Xy);
    let mut sign = -1.0;
    let nearly = |(x, y): (f64, f64)| {
        sign = -sign;
        Some((x * 1.002 + 4.0 * sign, y - 4.0 * sign))
    };
    let calibration = calibrated(Some(own), nearly);
    assert_eq!(decided(&calibration).coordinates, own);
    assert!(decided(&calibration).family);
    let resized = Coordinates::pixels([1204.0, 812.0], Axes::Xy);
    let calibration = calibrated(Some(own), |middle| Some(rounded(resized.answer(middle, PICTURE))));
    assert!(!decided(&calibration).family);
}

#[test]
fn a_model_that_names_one_place_is_refused_after_five_targets() {
    let calibration = calibrated(None, |_| Some((500.0, 500.0)));
    assert_eq!(calibration.asked(), FEWEST);
    assert_eq!(doubt(&calibration), &Doubt::Constant(500.0, 500.0));
    let words = doubt(&calibration).to_string();
    assert!(words.contains("check that the server passes pictures on"), "{words}");
}

#[test]
fn a_model_that_names_no_places_is_given_up_early() {
    let calibration = calibrated(None, |_| None);
    assert!(calibration.asked() < MOST, "{}", calibration.asked());
    assert!(matches!(doubt(&calibration), Doubt::Silent { given: 0, .. }));
    let calibration = calibrated(None, |_| Some((f64::NAN, f64::INFINITY)));
    assert!(matches!(doubt(&calibration), Doubt::Silent { given: 0, .. }));
}

#[test]
fn answers_between_two_classes_are_too_close_to_call() {
    let family = coordinates(Space::Thousandths);
    let mut turn = 0;
    let calibration = calibrated(Some(family), |middle| {
        turn += 1;
        let off = [18.0, -18.0, 12.0, -12.0][turn % 4];
        let (x, y) = family.answer(middle, PICTURE);
        Some((x * 1.011 + off, y * 1.011 - off))
    });
    let Ruling::Undecided(undecided) = calibration.ruling() else {
        panic!("{:?}", calibration.ruling());
    };
    assert!(matches!(undecided.why, Doubt::Close(..)), "{undecided:?}");
    assert!(undecided.family_fits);
    let words = undecided.why.to_string();
    assert!(words.starts_with("too close to call between "), "{words}");
    assert_eq!(calibration.asked(), MOST);
}

#[test]
fn answers_in_two_classes_are_refused() {
    let (thousandths, fractions) = (coordinates(Space::Thousandths), coordinates(Space::Fractions));
    let mut turn = 0;
    let calibration = calibrated(None, |middle| {
        turn += 1;
        let spoken = if turn % 3 == 0 { fractions } else { thousandths };
        Some(spoken.answer(middle, PICTURE))
    });
    assert_eq!(doubt(&calibration), &Doubt::Mixed(thousandths, fractions));
}

#[test]
fn one_wild_answer_does_not_decide_how_exact_the_others_are() {
    let picture = (1120, 672);
    let fractions = coordinates(Space::Fractions);
    for wild in 0..FEWEST {
        let mut turn = 0;
        let calibration = calibrated_with(picture, None, |middle| {
            turn += 1;
            let (x, y) = fractions.answer(middle, picture);
            let hundredths = |number: f64| (number * 100.0).round() / 100.0;
            Some(if turn == wild + 1 {
                (193_847.0, 5512.0)
            } else {
                (hundredths(x), hundredths(y))
            })
        });
        assert_eq!(decided(&calibration).coordinates, fractions, "{wild}");
    }
}

#[test]
fn unlisted_coordinates_are_not_mistaken_for_listed_ones() {
    // Thousandths of a picture with a tenth cut off at each edge.
    let calibration = calibrated(None, |(x, y)| {
        Some(((x / 1344.0 - 0.1) * 1250.0, (y / 896.0 - 0.1) * 1250.0))
    });
    assert!(matches!(calibration.ruling(), Ruling::Undecided(_)));
    // Pixels of a picture squeezed by a tenth.
    let calibration = calibrated(None, |(x, y)| Some((x, y * 0.9)));
    assert!(matches!(calibration.ruling(), Ruling::Undecided(_)));
}

/// The picture limits the precision, because each of its pixels is 3840 / 1344 pixels of the screen wide and 2160 / 896
/// high.
#[test]
fn a_4k_screen_is_hit_as_precisely_as_the_picture_allows() {
    let screen = (3840, 2160);
    let calibration = calibrated(None, Some);
    let geometry = decided(&calibration).coordinates.geometry(PICTURE, Some(screen));
    assert_eq!(geometry.picture, Some(PICTURE));
    let nearest = |pixel: u32, picture: u32, side: u32| {
        ((f64::from(pixel) + 0.5) * f64::from(picture) / f64::from(side) - 0.5).round()
    };
    let allowed = [f64::from(screen.0) / 1344.0 / 2.0, f64::from(screen.1) / 896.0 / 2.0];
    for x in 0..screen.0 {
        let y = x % screen.1;
        let answer = [nearest(x, PICTURE.0, screen.0), nearest(y, PICTURE.1, screen.1)];
        let point = geometry.point(&Spot::Point(answer)).unwrap();
        let landed = (point.x.to_pixel(screen.0), point.y.to_pixel(screen.1));
        let off = [landed.0.abs_diff(x), landed.1.abs_diff(y)].map(f64::from);
        assert!(
            off[0] <= allowed[0] + 1.0 && off[1] <= allowed[1] + 1.0,
            "{x}, {y}: {off:?}"
        );
    }
}

/// Both compute where a pair of numbers points: calibration with the fitted sizes, geometry for the screen.
#[test]
fn geometry_agrees_with_calibration() {
    for (_, axes) in Axes::NAMES {
        for coordinates in classes([1204.0, 812.0], axes) {
            let geometry = coordinates.geometry(PICTURE, None);
            for place in [(40.0, 40.0), (1342.0, 894.0), (1303.0, 107.0), (175.0, 851.0)] {
                let (first, second) = coordinates.answer(place, PICTURE);
                let read = geometry.thousandths(&Spot::Point([first, second])).unwrap();
                let off = [(read[0] * 1.343 - place.0).abs(), (read[1] * 0.895 - place.1).abs()];
                assert!(off[0] < 0.01 && off[1] < 0.01, "{coordinates}: {place:?}, {off:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn a_place_and_its_numbers_are_inverse(x in 0.0..1343.0f64, y in 0.0..895.0f64, which in 0usize..6, swapped: bool) {
        let coordinates = classes([700.0, 460.0], Axes::NAMES[usize::from(swapped)].1)[which];
        let back = coordinates.place(coordinates.answer((x, y), PICTURE), PICTURE);
        prop_assert!((back.0 - x).abs() < 1e-6 && (back.1 - y).abs() < 1e-6);
    }

    #[test]
    fn any_answers_end_in_one_ruling(
        answers in prop::collection::vec(prop::option::of((any::<f64>(), any::<f64>())), MOST),
        near in prop::collection::vec(prop::option::of((-50.0..1500.0f64, -50.0..1500.0f64)), MOST),
        wild: bool,
    ) {
        let answers = if wild { answers } else { near };
        let once = |answers: &[Option<(f64, f64)>]| {
            let mut left = answers.iter();
            calibrated(Some(coordinates(Space::Thousandths)), |_| *left.next().expect("at most so many"))
        };
        let calibration = once(&answers);
        prop_assert!(calibration.ruling() != &Ruling::Open);
        prop_assert!((FEWEST..=MOST).contains(&calibration.asked()));
        let again = once(&answers);
        prop_assert_eq!(calibration.ruling(), again.ruling());
    }
}
