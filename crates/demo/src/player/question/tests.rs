//! Checks that a played model finds the figures and buttons that a calibration asks for.

use franz_dialect::calibration::{Calibration, Chart, Coordinates, Ruling, Target};
use franz_dialect::{Axes, Family, Space};
use franz_frame::draw::{Bar, Disc, Polygon, fill};
use franz_frame::{Color, Frame, Lettering, PixelFormat, png};
use proptest::prelude::*;

use super::*;
use crate::agent::{question, said};
use crate::player::Player;

const PAPER: Color = Color::rgb(246, 246, 242);
const INK: Color = Color::rgb(28, 28, 30);
const FACE: Color = Color::rgb(221, 224, 230);
const EDGE: Color = Color::rgb(120, 126, 138);

fn paper(size: (u32, u32)) -> Frame {
    let mut frame = Frame::black(size.0, size.1, PixelFormat::Rgb8).unwrap();
    let whole = Bar::new((-1.0, -1.0), (size.0 as f32 + 1.0, size.1 as f32 + 1.0));
    fill(&mut frame, &whole, PAPER);
    frame
}

fn write(frame: &mut Frame, text: &str, (x, y): (f32, f32), height: f32) {
    let mut lettering = Lettering::new();
    let (width, lines) = lettering.measure(text, height);
    let _ = lettering.draw_text(frame, text, (x - width / 2.0, y - lines / 2.0), height, INK);
}

fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Red => Color::rgb(214, 32, 38),
        Colour::Blue => Color::rgb(28, 86, 214),
        Colour::Green => Color::rgb(28, 150, 62),
        Colour::Orange => Color::rgb(244, 134, 12),
        Colour::Purple => Color::rgb(134, 46, 168),
        Colour::Black => Color::rgb(20, 20, 22),
    }
}

fn draw(frame: &mut Frame, target: &Target) {
    let ((x, y), (wide, high)) = (target.middle, target.half);
    let (x, y, wide, high) = (x as f32, y as f32, wide as f32, high as f32);
    let at = |right: f32, down: f32| (x + right * wide, y + down * high);
    match target.look {
        Look::Figure(Figure::Circle, paint) => fill(frame, &Disc::new((x, y), wide), colour(paint)),
        Look::Figure(Figure::Square, paint) => fill(frame, &Bar::new(at(-1.0, -1.0), at(1.0, 1.0)), colour(paint)),
        Look::Figure(Figure::Triangle, paint) => {
            let corners = [at(0.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
            fill(frame, &Polygon::new(corners), colour(paint));
        }
        Look::Figure(Figure::Diamond, paint) => {
            let corners = [at(0.0, -1.0), at(1.0, 0.0), at(0.0, 1.0), at(-1.0, 0.0)];
            fill(frame, &Polygon::new(corners), colour(paint));
        }
        Look::Button(label) => {
            fill(frame, &Bar::new(at(-1.0, -1.0), at(1.0, 1.0)).rounded(high / 3.0), EDGE);
            let inner = Bar::new((x - wide + 1.5, y - high + 1.5), (x + wide - 1.5, y + high - 1.5));
            fill(frame, &inner.rounded(high / 3.0), FACE);
            write(frame, label, (x, y), high * 1.6);
        }
    }
}

fn page(chart: &Chart) -> Vec<u8> {
    let mut frame = paper(chart.size);
    chart.targets.iter().for_each(|target| draw(&mut frame, target));
    png::encode(&frame).unwrap()
}

fn task(target: &Target) -> String {
    match target.look {
        Look::Figure(..) => format!("Click the middle of {}.", target.look),
        Look::Button(label) => format!("Click the button labelled \"{label}\"."),
    }
}

#[test]
fn every_target_is_found() {
    for size in [(1344, 896), (512, 288), (896, 1344), (1120, 672)] {
        let chart = Chart::new(size).unwrap();
        let picture = Pixels::from_png(&page(&chart)).unwrap();
        for target in &chart.targets {
            let found = match target.look {
                Look::Figure(figure, colour) => page::find(&picture, (figure, colour)),
                Look::Button(label) => page::find_button(&picture, label),
            };
            let (x, y) = found.unwrap_or_else(|| panic!("{} at {size:?}", target.look));
            let off = (x - target.middle.0).hypot(y - target.middle.1);
            assert!(off <= 1.5, "{} at {size:?}: {off}", target.look);
        }
        assert_eq!(page::find(&picture, (Figure::Diamond, Colour::Black)), None);
    }
}

#[test]
fn every_number_is_read() {
    for number in ["4731", "1298", "5607", "8364"] {
        for size in [(1344, 896), (512, 288)] {
            let mut frame = paper(size);
            let middle = (size.0 as f32 / 2.0, size.1 as f32 / 2.0);
            write(&mut frame, number, middle, size.1 as f32 * 0.4);
            let picture = Pixels::from_png(&png::encode(&frame).unwrap()).unwrap();
            assert_eq!(page::number(&picture).as_deref(), Some(number));
        }
    }
}

/// Calibrates a model and returns the result.
fn calibrated(player: &Player, natively: bool) -> Ruling {
    let size = (1120, 672);
    let chart = Chart::new(size).unwrap();
    let picture = page(&chart);
    let mut calibration = Calibration::new(chart, None);
    while let Some(target) = calibration.next_target() {
        let reply = question(player, &picture, &task(target), natively);
        let said = if natively {
            reply["tool_calls"][0]["function"]["arguments"].as_str()
        } else {
            said(&reply)
        };
        let numbers: Vec<f64> = super::super::tongue::pieces(said.unwrap_or_default())
            .into_iter()
            .filter_map(Result::ok)
            .collect();
        calibration.answer(match numbers[..] {
            [first, second] => Some((first, second)),
            _ => None,
        });
    }
    calibration.ruling().clone()
}

#[test]
fn calibration_detects_the_players_number_space() {
    for (name, space, axes, resize) in [
        ("qwen2.5-vl", Space::Pixels, Axes::Xy, "smart-28"),
        ("qwen3-vl", Space::Thousandths, Axes::Xy, "smart-32"),
        ("ui-tars", Space::Pixels, Axes::Xy, "long-1024"),
        ("kimi", Space::Fractions, Axes::Xy, "none"),
        ("gemma", Space::Thousandths, Axes::Yx, "none"),
        ("molmo", Space::Percent, Axes::Xy, "none"),
        ("internvl", Space::Letterboxed, Axes::Xy, "none"),
        ("holo2", Space::Parts1024, Axes::Xy, "none"),
    ] {
        for natively in [false, true] {
            let player = Player {
                space,
                axes,
                resize: Player::resize(resize).unwrap(),
                noise: 2.0,
                ..Player::new(Family::named(name).unwrap()).unwrap()
            };
            let ruling = calibrated(&player, natively);
            let Ruling::Decided(decision) = &ruling else {
                panic!("{name} {ruling:?}")
            };
            let truth = Coordinates::new(space, axes);
            assert!(
                decision.coordinates.same_class(&truth),
                "{name} {:?}",
                decision.coordinates
            );
            if let (Space::Pixels, Some([width, _])) = (space, decision.coordinates.of) {
                let seen = f64::from(player.resize.size((1120, 672)).0);
                assert!((width - seen).abs() < 0.02 * seen, "{name} {width} {seen}");
            }
        }
    }
}

fn qwen() -> Player {
    Player::new(Family::named("qwen3-vl").unwrap()).unwrap()
}

#[test]
fn a_blind_player_says_so_and_points_at_nothing() {
    let player = Player { blind: true, ..qwen() };
    let chart = Chart::new((1120, 672)).unwrap();
    for asked in [
        task(&chart.targets[0]),
        "Which four-digit number is in the picture?".to_owned(),
    ] {
        let reply = question(&player, &page(&chart), &asked, false);
        assert!(said(&reply).unwrap().starts_with("I cannot see the picture"), "{reply}");
    }
}

#[test]
fn the_rate_of_wrong_answers_matches_the_setting() {
    let chart = Chart::new((512, 288)).unwrap();
    let picture = page(&chart);
    let (mut words, mut missed, mut hit) = (0, 0, 0);
    for seed in 0..100 {
        let player = Player {
            wrong: 0.4,
            seed,
            ..qwen()
        };
        let reply = question(&player, &picture, &task(&chart.targets[0]), false);
        let text = said(&reply).unwrap();
        assert_eq!(
            said(&question(&player, &picture, &task(&chart.targets[0]), false)),
            Some(text)
        );
        match (text.contains("<tool_call>"), text.contains("[973, 944]")) {
            (false, _) => words += 1,
            (true, false) => missed += 1,
            (true, true) => hit += 1,
        }
    }
    assert!((48..=72).contains(&hit), "{hit} {missed} {words}");
    assert!(
        (10..=32).contains(&missed) && (10..=32).contains(&words),
        "{hit} {missed} {words}"
    );
}

#[test]
fn the_size_of_misses_matches_the_noise() {
    let chart = Chart::new((1344, 896)).unwrap();
    let target = &chart.targets[3];
    let picture = page(&chart);
    let off = |seed| {
        let player = Player {
            noise: 10.0,
            space: Space::Pixels,
            seed,
            ..qwen()
        };
        let reply = question(&player, &picture, &task(target), false);
        let numbers: Vec<f64> = super::super::tongue::pieces(said(&reply).unwrap())
            .into_iter()
            .filter_map(Result::ok)
            .collect();
        (numbers[0] - target.middle.0).hypot(numbers[1] - target.middle.1)
    };
    let mut off: Vec<f64> = (0..40).map(off).collect();
    off.sort_by(f64::total_cmp);
    // Half of all misses are below 1.18 standard deviations.
    assert!((8.0..16.0).contains(&off[20]), "{off:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_question_about_any_picture_is_answered(words in ".{0,60}", width in 1_u32..40, height in 1_u32..40, dots: Vec<u8>) {
        let pixels = (0..width * height).map(|at| [dots.get(at as usize % dots.len().max(1)).copied().unwrap_or(9); 3]);
        let picture = Pixels::of(width, height, pixels.collect());
        let _ = page::number(&picture);
        let _ = page::find_button(&picture, &words);
        let _ = page::find(&picture, (Figure::Circle, Colour::Red));
        let request = ChatRequest { feedback: format!("Click the {words}"), ..ChatRequest::default() };
        let _ = Question::of(&request);
    }
}
