//! Tests that every range of numbers in text for a model matches its geometry, for each family, profile, space and
//! order of axes.

use franz_action::{Action, Outcome, Point};
use franz_dialect::{Axes, Family, Geometry, ReplyText, Scene, Space};

use super::snapshots::settings;
use super::{Idiom, Measured};
use crate::config::profile::BUILT_IN;

const SCREEN: (u32, u32) = (1920, 1080);
/// The words before, between and after the largest numbers of both axes, in the model's order.
const PAIRS: [[&str; 3]; 3] = [
    ["top left corner, (", ",", ") the bottom right"],
    ["] up to [", ", ", "]"],
    ["The screen's resolution is ", "x", "."],
];
/// Replies with coordinates outside the range, with fractions and with words, in every form of call.
const REPLIES: [&str; 9] = [
    "left_click(99999, 5)",
    "drag(0.25, 0.5, 0.75, 0.9)",
    "left_click(here)",
    "STATUS: executing\nACTION: left_click(99999, 5)\nSTORY: I click.",
    "```python\nleft_click(99999, 5)\n```",
    "```python\nleft_click(1,\n```",
    "{\"name\": \"click_element\", \"parameters\": {\"label\": \"a\", \"box\": [99999, 5]}}",
    "{\"name\": \"click_element\", \"parameters\": {\"label\": \"a\", \"box\": \"here\"}}",
    "I look.",
];

/// Returns all text that a model with this idiom can get.
fn texts(idiom: &Idiom, profile: &str) -> Vec<String> {
    let settings = settings(profile);
    let protocol = idiom.protocol(&settings);
    let mut texts = vec![idiom.system_prompt(&settings, "Say hello.")];
    texts.extend(protocol.schema());
    for reply in REPLIES {
        let plan = protocol.read(&ReplyText::of(reply));
        let outcomes: Vec<Outcome> = plan.all_done();
        let scene = Scene {
            picture: "turn.png",
            screen: SCREEN,
        };
        texts.push(plan.feedback(&outcomes, &scene));
        texts.extend(plan.notices.iter().cloned());
        texts.extend(plan.correction);
    }
    texts
}

/// Returns the numbers between these words, wherever the words occur.
fn pairs(text: &str, [before, between, behind]: [&str; 3]) -> Vec<[u32; 2]> {
    let found = text.split(before).skip(1).filter_map(|rest| {
        let (pair, _) = rest.split_once(behind)?;
        let (first, second) = pair.split_once(between)?;
        Some([first.parse().ok()?, second.parse().ok()?])
    });
    found.collect()
}

/// Checks text, and returns how many ranges it contains.
fn check(text: &str, geometry: &Geometry) -> usize {
    let last = geometry.last();
    let ordered = last.map(|last| geometry.axes.ordered(last));
    let mut named = 0;
    for words in PAIRS {
        for pair in pairs(text, words) {
            let size = geometry.picture.map(|(width, height)| [width, height]);
            let resolution = words[1] == "x" && geometry.space == Space::Pixels;
            let wanted = if words[1] == "x" { last } else { ordered };
            assert_eq!(Some(pair), if resolution { size } else { wanted }, "{text}");
            named += 1;
        }
    }
    for pair in pairs(text, ["x goes from 0 to ", " and y from 0 to ", "."]) {
        assert_eq!(Some(pair), last, "{text}");
        named += 1;
    }
    for end in text.split("] from 0 to ").skip(1) {
        let end = end
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .and_then(|end| end.parse().ok());
        assert_eq!(end.map(|end| [end; 2]), last, "{text}");
        named += 1;
    }
    let numbers = text.split(|c: char| !c.is_ascii_alphanumeric());
    for thousand in numbers.filter(|number| matches!(*number, "1000" | "1024")) {
        let ends = last.unwrap_or_default().map(|end| end.to_string());
        assert!(ends.contains(&thousand.to_owned()), "{thousand}: {text}");
    }
    named
}

#[test]
fn every_stated_range_matches_the_geometry() {
    for family in Family::names() {
        let family = Family::named(family).unwrap();
        let own = Idiom {
            family: family.clone(),
            measured: None,
            screen: SCREEN,
            pointer: None,
        };
        for profile in &BUILT_IN {
            let settings = settings(profile.name);
            let measured = Space::NAMES
                .iter()
                .flat_map(|(_, space)| [Axes::Xy, Axes::Yx].map(|axes| (*space, axes)));
            let measured = measured.map(|(space, axes)| Idiom {
                measured: Some(Measured {
                    geometry: Geometry {
                        space,
                        axes,
                        picture: Some(own.picture(&settings)),
                        screen: Some(SCREEN),
                    },
                    sent: None,
                }),
                ..own.clone()
            });
            for idiom in std::iter::once(own.clone()).chain(measured) {
                let geometry = idiom.geometry(&settings);
                let named: usize = texts(&idiom, profile.name)
                    .iter()
                    .map(|text| check(text, &geometry))
                    .sum();
                let unsaid = matches!(geometry.space, Space::Unknown | Space::Letterboxed);
                assert!(unsaid || named > 0, "{} {} {geometry:?}", family.name, profile.name);
            }
        }
    }
}

#[test]
fn every_family_can_call_in_every_profile() {
    for family in Family::names() {
        let family = Family::named(family).unwrap();
        // In a real run, the unit of the numbers is always known.
        let measured = (family.space == Space::Unknown).then_some(Measured {
            geometry: Geometry::THOUSANDTHS,
            sent: None,
        });
        let idiom = Idiom {
            family: family.clone(),
            measured,
            screen: SCREEN,
            pointer: None,
        };
        for profile in &BUILT_IN {
            let settings = settings(profile.name);
            let native = idiom.protocol(&settings).schema().is_some_and(|schema| schema != "[]");
            let prompt = idiom.system_prompt(&settings, "Say hello.");
            let mut none = settings.clone();
            none.protocol.tools.clear();
            let listed = idiom.system_prompt(&none, "Say hello.") != prompt;
            let shown = idiom.protocol(&settings).read(&ReplyText::of(&prompt));
            let called = native || listed || !shown.steps.is_empty();
            assert!(called, "{} has no way to call in {}", family.name, profile.name);
        }
    }
}

#[test]
fn text_calls_are_read_where_functions_are_dropped() {
    let idiom = Idiom {
        family: Family::named("gemma").unwrap(),
        measured: Some(Measured {
            geometry: Geometry::THOUSANDTHS.counting(Space::Percent),
            sent: None,
        }),
        screen: SCREEN,
        pointer: None,
    };
    let protocol = idiom.protocol(&settings("operator"));
    assert_eq!(protocol.schema().as_deref(), Some("[]"));
    let call =
        "{\"name\": \"click_element\", \"parameters\": {\"label\": \"OK\", \"box\": [50, 25], \"kind\": \"right\"}}";
    for reply in [
        format!("I open the menu.\n{call}"),
        format!("```json\n{call}\n```"),
        format!("```tool_code\n{call}\n```"),
        "```tool_code\nclick_element(label=\"OK\", box=[50, 25], kind=\"right\")\n```".to_owned(),
    ] {
        let plan = protocol.read(&ReplyText::of(&reply));
        let actions: Vec<String> = plan.actions().map(ToString::to_string).collect();
        assert_eq!(actions, ["right_click(500, 250)"], "{reply}");
        // The server gets back the model's own words, except for calls that its template cannot represent.
        let spoken = plan.spoken.unwrap();
        assert!(spoken.text.is_none() && spoken.calls.is_empty());
    }
    let finished = "{\"name\": \"finish\", \"parameters\": {\"answer\": \"It is done.\", \"success\": true}}";
    let plan = protocol.read(&ReplyText::of(finished));
    assert_eq!(plan.finish.unwrap().answer, "It is done.");
}

#[test]
fn outcomes_name_places_in_the_models_own_numbers() {
    let at = Point::clamped(123, 457);
    for family in Family::names() {
        let family = Family::named(family).unwrap();
        let idiom = Idiom {
            family,
            measured: None,
            screen: SCREEN,
            pointer: None,
        };
        for profile in ["companion", "operator", "sketch"] {
            let settings = settings(profile);
            let geometry = idiom.geometry(&settings);
            let click = Action::left_click(at);
            let Some(call) = idiom
                .family
                .line(&click, &geometry)
                .filter(|_| geometry.space != Space::Unknown)
            else {
                continue;
            };
            let reply = match profile {
                "companion" => format!("STATUS: executing\nACTION: {call}\nSTORY: I click."),
                "sketch" => format!("NARRATIVE: I click.\nACTIONS:\n{call}"),
                _ => call,
            };
            let plan = idiom.protocol(&settings).read(&ReplyText::of(&reply));
            let told = plan.feedback(&plan.all_done(), &Scene::default());
            let name = &idiom.family.name;
            assert!(told.contains("done"), "{name} in {profile}: {told}");
            let spoken = geometry.spoken(&click);
            let numbers = spoken.trim_matches(|c: char| !c.is_ascii_digit()).split(", ");
            for number in numbers {
                assert!(told.contains(number), "{name} in {profile}: {told}");
            }
            let canonical = told.contains("(123, 457)");
            assert!(
                !canonical || geometry.space == Space::Thousandths,
                "{name} in {profile}: {told}"
            );
        }
    }
}
