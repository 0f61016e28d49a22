//! Checks that the built-in profiles do what they promise.

use super::*;
use crate::config::layer::Layer;
use crate::config::resolve::Sources;
use crate::config::scenario;
use crate::config::settings::Settings;
use franz_action::{Action, ToolSet};
use franz_dialect::{Geometry, call};

fn load(name: &str) -> Result<Layer, ProfileError> {
    Ok(super::load(name, Stack::trusting(|_| true))?.judged().layer)
}

fn settings(profile: &str) -> Settings {
    Settings::resolve(&Layer::defaults().over(load(profile).unwrap()))
}

#[test]
fn a_missing_profile_is_reported_as_name_or_file() {
    let error = |name| load(name).unwrap_err().to_string();
    assert!(error("drwa").contains("no profile 'drwa'"), "{}", error("drwa"));
    for file in ["nothere.toml", "./nothere", "no/such/profile"] {
        assert!(
            error(file).contains(&format!("no profile file {file}")),
            "{}",
            error(file)
        );
    }
}

/// The file that `franz profiles draw > mine.toml` writes in Windows PowerShell.
#[test]
fn a_file_written_by_powershell_is_read() {
    let text = BUILT_IN[0].text.replace('\n', "\r\n");
    let utf16 = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
    let bytes: Vec<u8> = utf16().flat_map(u16::to_le_bytes).collect();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mine.toml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(load(path).unwrap(), Layer::parse(&text, &Origin::Default).unwrap());
    for damaged in [&bytes[..bytes.len() - 1], &[0xff, 0xfe, 0, 0xd8], &[0xfe, 0xff, 0, 65]] {
        std::fs::write(&file, damaged).unwrap();
        assert!(load(path).unwrap_err().to_string().contains("save it as UTF-8"));
    }
}

#[test]
fn built_in_profiles_say_what_they_are_for() {
    for profile in &BUILT_IN {
        assert!(profile.text.starts_with(&format!("# {}: ", profile.name)));
        assert!(profile.summary().ends_with('.'), "{}", profile.summary());
    }
}

/// Checks the table of profiles, with the settings that each profile combines.
#[test]
fn built_in_profiles_bind_what_they_promise() {
    let rows = [
        (
            "draw",
            "python",
            "story",
            "canvas",
            (512, 288),
            (0.7, Some(0.9), 900),
            0,
            "classic timestamp",
        ),
        (
            "sketch",
            "lines",
            "story",
            "canvas",
            (512, 288),
            (0.3, Some(0.95), 300),
            0,
            "classic timestamp",
        ),
        (
            "companion",
            "sections",
            "story",
            "desktop",
            (1568, 896),
            (0.7, Some(0.9), 1200),
            0,
            "crosshair",
        ),
        (
            "operator",
            "tools",
            "conversation",
            "desktop",
            (1568, 896),
            (0.4, None, 2048),
            200,
            "",
        ),
    ];
    assert_eq!(rows.map(|row| row.0), BUILT_IN.map(|profile| profile.name));
    for (name, protocol, memory, screen, image, sampling, most_turns, marks) in rows {
        let settings = settings(name);
        assert_eq!(settings.protocol.kind, protocol, "{name}");
        assert_eq!(format!("{:?}", settings.memory.kind).to_lowercase(), memory, "{name}");
        assert_eq!(format!("{:?}", settings.screen.kind).to_lowercase(), screen, "{name}");
        assert_eq!((settings.image.width, settings.image.height), image, "{name}");
        let model = &settings.model;
        assert_eq!(
            (model.temperature, model.top_p, model.max_tokens),
            (Some(sampling.0), sampling.1, Some(sampling.2))
        );
        let loops = &settings.pace;
        assert_eq!(
            (loops.executing_delay_s, loops.max_turns, loops.modes),
            (None, most_turns, name == "companion")
        );
        let styles = settings.marks;
        let on = [
            ("crosshair", styles.crosshair),
            ("classic", styles.classic),
            ("cursor", styles.cursor),
            ("timestamp", styles.timestamp),
        ];
        let on: Vec<&str> = on.iter().filter(|(_, on)| *on).map(|(style, _)| *style).collect();
        assert_eq!(on.join(" "), marks, "{name}");
    }
}

/// All tools on a desktop except the one that performs no action.
const ON_A_DESKTOP: &str = "ask double_left_click drag focus hold left_click middle_click mouse_down mouse_up move observe press read_clipboard right_click scroll triple_click type wait watch windows write_clipboard zoom";

#[test]
fn built_in_profiles_enable_their_tools() {
    // A reply with one action cannot press a button and release it elsewhere.
    let in_one_action = ON_A_DESKTOP.replace("mouse_down mouse_up ", "");
    let rows = [
        ("draw", "drag left_click right_click screenshot type"),
        (
            "sketch",
            "double_left_click drag left_click right_click screenshot type",
        ),
        ("companion", &in_one_action),
        ("operator", ON_A_DESKTOP),
    ];
    for (name, tools) in rows {
        let enabled = settings(name).tools();
        let enabled: Vec<&str> = enabled.sorted().iter().map(|tool| tool.name).collect();
        assert_eq!(enabled.join(" "), tools, "{name}");
    }
}

/// A printed profile means the same when used as a file, and every scenario in it can be run.
#[test]
fn a_printed_profile_works_as_a_file() {
    for profile in &BUILT_IN {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mine.toml");
        std::fs::write(&path, profile.text).unwrap();
        let whole = |name: &str| {
            let sources = Sources {
                profile: name,
                environment: Vec::new(),
                files: Vec::new(),
                flags: Layer::default(),
                trusts: |_| true,
            };
            sources.stack().unwrap().judged().layer
        };
        let mine = whole(path.to_str().unwrap());
        assert_eq!(mine, whole(profile.name));
        let count = Settings::resolve(&mine).prompt.scenarios.len();
        assert!(count >= 4, "{}", profile.name);
        for number in 1..=count {
            let chosen = Settings::resolve(&mine.clone().over(scenario::chosen(&mine, number).unwrap()));
            assert_eq!(chosen.check(), Ok(()), "{} {number}", profile.name);
        }
    }
}

#[test]
fn profiles_with_a_goal_of_their_own_start_at_once() {
    for (name, starts) in [
        ("draw", true),
        ("sketch", true),
        ("companion", true),
        ("operator", false),
    ] {
        assert_eq!(settings(name).check().is_ok(), starts, "{name}");
    }
    assert!(settings("companion").prompt.goal.is_empty(), "it begins by watching");
}

/// Prompts are written for small models: they are short, contain the placeholders that their protocol needs, and show
/// calls only in marked examples.
#[test]
fn prompts_show_only_working_calls_and_only_in_examples() {
    let rows = [
        ("draw", true, false, 2),
        ("sketch", true, true, 2),
        ("companion", true, true, 1),
        ("operator", false, false, 0),
    ];
    for (name, goal, tools, calls) in rows {
        let settings = settings(name);
        let text = &settings.prompt.system;
        assert_eq!(
            (text.contains("{goal}"), text.contains("{tools}")),
            (goal, tools),
            "{name}"
        );
        assert!(text.len() < 4_000, "{name}: {}", text.len());
        let example = text.to_lowercase().find("example").unwrap();
        let called = |text: &str| {
            let calls = text.split("{call ").skip(1).filter_map(|piece| piece.split_once('}'));
            let thousandths = Geometry::THOUSANDTHS;
            calls
                .filter_map(|(call, _)| call::read(call, &ToolSet::all(), &thousandths).ok())
                .collect::<Vec<_>>()
        };
        let looks = |calls: &[Action]| calls.iter().all(Action::only_looks);
        assert!(looks(&called(&text[..example])), "{name}");
        let taught = called(&text[example..]);
        assert_eq!(taught.len(), calls, "{name}");
        for call in taught {
            assert!(settings.tools().contains(call.tool()), "{name}: {call}");
        }
    }
}

#[test]
fn an_unknown_profile_names_the_known_ones() {
    let error = load("darw").unwrap_err().to_string();
    assert!(
        error.starts_with("there is no profile 'darw': choose 'draw', 'sketch', 'companion', 'operator', "),
        "{error}"
    );
}
