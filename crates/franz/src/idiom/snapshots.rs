//! Snapshots of every profile as models of each dialect get it: the full text, to be read from top to bottom, with its
//! length in tokens.
//!
//! `INSTA_UPDATE=always cargo test -p franz-agent snapshots` rewrites them.

use franz_action::ToolSet;
use franz_dialect::{Axes, Family, Geometry, Space, bind};

use super::{Idiom, Measured};
use crate::config::desktop_tools;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::config::profile::BUILT_IN;
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;

/// One family for each dialect that models are asked to write, and one for each coordinate space.
const FAMILIES: [&str; 13] = [
    "franz",
    "qwen3-vl",
    "qwen3.5",
    "qwen2.5-vl",
    "ui-tars-1.5",
    "ui-tars",
    "seed",
    "opencua",
    "kimi",
    "scalecua",
    "holo2",
    "glm-v",
    "gemma",
];

/// The maximum length of any other prompt in tokens, as a multiple of FRANZ's own prompt. Neither counts its list of
/// tools.
const MOST_SHARE: f64 = 1.2;
/// The maximum number of tokens in a list of calls, and in FRANZ's own functions.
const MOST_TABLE: usize = 700;

fn tokens(text: &str) -> usize {
    let qwen = tiktoken::get_encoding("qwen2").expect("the vocabulary of Qwen2 is built in");
    qwen.encode(text).len()
}

pub(super) fn settings(profile: &str) -> Settings {
    let built_in = BUILT_IN.iter().find(|built_in| built_in.name == profile);
    Settings::resolve(&Layer::defaults().over(built_in.unwrap().layer()))
}

/// Returns the settings of a run with a profile on this kind of screen.
fn on_screen(profile: &str, kind: ScreenKind) -> Settings {
    let built_in = BUILT_IN.iter().find(|built_in| built_in.name == profile);
    let mut layer = built_in.unwrap().layer();
    layer.insert("screen.kind", kind.name().into(), Origin::Default);
    let layer = Layer::defaults().over(layer);
    Settings::resolve(&match desktop_tools::below(&layer) {
        Some(below) => below.over(layer),
        None => layer,
    })
}

/// A system prompt and the functions that are sent with it.
struct Asked {
    system: String,
    functions: String,
    /// The number of tokens in the prompt without its list of calls.
    bare: usize,
}

fn asked(settings: &Settings, family: &str) -> Asked {
    let idiom = Idiom {
        family: Family::named(family).unwrap(),
        measured: None,
        screen: (1920, 1080),
        pointer: None,
    };
    let goal = "Say hello.";
    let mut without = settings.clone();
    without.protocol.tools.clear();
    assert_eq!(without.tools(), ToolSet::of([]));
    let kept = idiom.protocol(settings).schema().unwrap_or_default();
    Asked {
        system: idiom.system_prompt(settings, goal),
        functions: kept,
        bare: tokens(&idiom.system_prompt(&without, goal)),
    }
}

/// Shows the prompts on the kind of screen that the profile is not made for.
#[test]
fn every_profile_reads_right_on_the_other_screen() {
    for profile in &BUILT_IN {
        let other = match settings(profile.name).screen.kind {
            ScreenKind::Canvas => ScreenKind::Virtual,
            ScreenKind::Desktop | ScreenKind::Virtual | ScreenKind::Browser | ScreenKind::Vnc => ScreenKind::Canvas,
        };
        let settings = on_screen(profile.name, other);
        let name = format!("{}-on-{}", profile.name, settings.screen.kind.name());
        let mut snapshots = insta::Settings::clone_current();
        snapshots.set_prepend_module_to_snapshot(false);
        snapshots.set_omit_expression(true);
        let asked = asked(&settings, "franz");
        snapshots.bind(|| insta::assert_snapshot!(name, asked.system));
        // A profile for Python lists its tools in the feedback.
        let listed = tokens(&bind::listed(&settings.tools(), Axes::Xy).join("\n"));
        assert!(listed <= MOST_TABLE, "{}: {listed} tokens for the calls", profile.name);
    }
}

#[test]
fn our_function_schema_stays_short_in_every_space() {
    for (name, space) in Space::NAMES {
        let idiom = Idiom {
            family: Family::franz(),
            measured: Some(Measured {
                geometry: Geometry {
                    space,
                    axes: Axes::Xy,
                    picture: Some((3840, 2160)),
                    screen: None,
                },
                sent: None,
            }),
            screen: (3840, 2160),
            pointer: None,
        };
        let functions = idiom.protocol(&settings("operator")).schema().unwrap();
        let count = tokens(&functions);
        assert!(count <= MOST_TABLE, "{name}: {count} tokens");
    }
}

#[test]
fn every_profile_has_one_prompt_text_in_every_dialect() {
    for profile in &BUILT_IN {
        let settings = settings(profile.name);
        let own = asked(&settings, "franz");
        for family in FAMILIES {
            let asked = asked(&settings, family);
            let all = tokens(&asked.system);
            let table = all - asked.bare;
            let functions = tokens(&asked.functions);
            let text = format!(
                "{all} tokens, {table} of them the calls; functions: {functions}\n\n{}\n\n{}",
                asked.system,
                asked.functions.replace("},{\"type\"", "},\n{\"type\"")
            );
            let mut snapshots = insta::Settings::clone_current();
            snapshots.set_prepend_module_to_snapshot(false);
            snapshots.set_omit_expression(true);
            snapshots.bind(|| insta::assert_snapshot!(format!("{}-{family}", profile.name), text));
            let share = asked.bare as f64 / own.bare as f64;
            assert!(share <= MOST_SHARE, "{} {family}: {share:.2}", profile.name);
            // A family's own functions are the ones that its models were trained on, so only FRANZ's own are limited.
            let ours = if Family::named(family).unwrap().dialect.is_own() {
                functions
            } else {
                0
            };
            assert!(
                table.max(ours) <= MOST_TABLE,
                "{} {family}: {table} tokens for the calls, {ours} for the functions",
                profile.name
            );
        }
    }
}
