//! Tests that a reply that only repeats a prompt's example performs no action, in every family and space of three
//! profiles.

use franz_action::{Action, DeclaredMode};
use franz_dialect::{Family, Geometry, NoCall, Plan, ReplyText, Scene, Space};

use super::snapshots::settings;
use super::{Idiom, Measured};

const SCREEN: (u32, u32) = (1920, 1080);

/// Returns the idioms of a family: one with its own space, and one for each space that a calibration can find.
fn idioms(family: &str) -> Vec<Idiom> {
    let family = Family::named(family).unwrap();
    let own = family.geometry(Some((1344, 756)), Some(SCREEN));
    let measured = [Space::Thousandths, Space::Fractions, Space::Pixels, Space::Percent].map(|space| Measured {
        geometry: Geometry { space, ..own },
        sent: None,
    });
    let measured = measured.into_iter().map(Some);
    measured
        .chain([None])
        .map(|measured| Idiom {
            family: family.clone(),
            measured,
            screen: SCREEN,
            pointer: None,
        })
        .collect()
}

fn told(plan: &Plan) -> String {
    let scene = Scene {
        picture: "turn.png",
        screen: SCREEN,
    };
    plan.feedback(&plan.all_done(), &scene)
}

#[test]
fn a_repeated_prompt_example_does_nothing() {
    for profile in ["companion", "operator", "sketch"] {
        let settings = settings(profile);
        for idiom in Family::names().into_iter().flat_map(idioms) {
            let prompt = idiom.system_prompt(&settings, "Say hello.");
            let (_, example) = prompt.split_once("EXAMPLE of ").unwrap();
            let (_, example) = example.split_once('\n').unwrap();
            let (example, _) = example.split_once("END OF EXAMPLE").unwrap();
            let plan = idiom.protocol(&settings).read(&ReplyText::of(example));
            let told = told(&plan);
            let name = &idiom.family.name;
            assert_eq!(plan.actions().next(), None, "{name}: {example}");
            assert_eq!(plan.finish, None, "{name}: {example}");
            // Without text calls, the operator's example of a sequence of steps contains only words.
            let calls = profile != "operator" || idiom.channel(&settings).is_text();
            if idiom.geometry(&settings).space != Space::Unknown {
                let copied = told.contains("it only repeats the example in the instructions");
                assert_eq!(copied, calls, "{name}: {example}\n{told}");
                assert_eq!(
                    (plan.goal.as_ref(), &plan.mode),
                    (None, &DeclaredMode::Absent),
                    "{name}: {example}"
                );
                let numbers = ["512", "62, 140", "400"];
                let line = plan.correction.unwrap_or_default();
                assert!(!numbers.iter().any(|number| line.contains(number)), "{name}: {line}");
            }
        }
    }
}

#[test]
fn only_exact_copies_of_the_example_are_ignored() {
    let read = |profile: &str, text: &str, calls: Option<&str>| {
        let own = idioms("franz").pop().unwrap();
        own.protocol(&settings(profile)).read(&ReplyText {
            text,
            tool_calls: calls,
            cut: false,
        })
    };
    let finish = |answer: &str| {
        let arguments = format!("{{\"answer\": \"{answer}\", \"success\": true}}");
        let call = format!("[{{\"name\": \"finish\", \"arguments\": {arguments}}}]");
        read("operator", "", Some(&call))
    };
    let copied = finish("The town library opens at 10 on Sundays and closes at 16.");
    assert_eq!(
        (copied.finish.as_ref(), copied.no_call.as_ref()),
        (None, Some(&NoCall::Unreadable))
    );
    assert!(
        told(&copied).contains("it only repeats the example in the instructions"),
        "{}",
        told(&copied)
    );
    assert!(finish("The library opens at 9.").finish.is_some());

    for idiom in Family::names().into_iter().flat_map(idioms) {
        let settings = settings("sketch");
        let geometry = idiom.geometry(&settings);
        let [copied, own] = ["drag(400, 500, 500, 250)", "drag(400, 500, 700, 700)"].map(|action| {
            let action: Action = action.parse().unwrap();
            idiom
                .family
                .line(&action, &geometry)
                .unwrap_or_else(|| geometry.spoken(&action))
        });
        if geometry.space == Space::Unknown {
            continue;
        }
        let count = |calls: &[&str]| {
            let text = format!("NARRATIVE: a\nACTIONS:\n{}", calls.join("\n"));
            let plan = idiom.protocol(&settings).read(&ReplyText::of(&text));
            plan.actions().count()
        };
        let (name, space) = (&idiom.family.name, geometry.space);
        assert_eq!(count(&[&copied]), 0, "{name} {space:?}: {copied}");
        assert_ne!(count(&[&own]), 0, "{name} {space:?}: {own}");
        assert_ne!(count(&[&copied, &own]), 0, "{name} {space:?}: {copied}\n{own}");
    }

    let example = "NARRATIVE: a\nACTIONS:\ndrag(400, 500, 500, 250)\n";
    assert_eq!(read("sketch", example, None).actions().count(), 0);
    let more = format!("{example}drag(500, 250, 600, 500)");
    assert_eq!(read("sketch", &more, None).actions().count(), 2);
    let near = "ACTION: left_click(62, 141)";
    assert_eq!(read("companion", near, None).actions().count(), 1);
}
