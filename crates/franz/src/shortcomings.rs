//! Shortcomings of a server's settings or its model for a run, as far as they are known before the first turn.

use franz_chat::{Candidate, estimated_tokens};

use crate::config::screen_kind::ScreenKind;
use crate::config::settings::{MemoryKind, Settings};
use crate::idiom::Idiom;

/// The turn that must fit into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyTurn {
    /// The first turn, which has no history.
    First,
    /// The second turn, which has the first reply and, in a conversation, its picture.
    Second,
}

/// The estimated number of tokens in a reply without a limit.
const REPLY: u64 = 512;

/// Returns each shortcoming with its subject and the server setting that would fix it. The context must be long enough
/// for this turn.
pub(crate) fn of(
    settings: &Settings,
    idiom: &Idiom,
    model: &Candidate,
    turn: EarlyTurn,
) -> Vec<(&'static str, String)> {
    let pictures = blind(model).map(|told| ("pictures", told));
    let context = short(settings, idiom, model, turn).map(|told| ("context", told));
    pictures.into_iter().chain(context).collect()
}

/// Returns the warnings at the start of a run. There is no warning about a context too short even for the first turn,
/// because the first request will report it. `is_own` says whether the person set a key.
pub(crate) fn before_run(
    settings: &Settings,
    idiom: &Idiom,
    model: &Candidate,
    is_own: impl Fn(&str) -> bool,
) -> Vec<String> {
    let fits = short(settings, idiom, model, EarlyTurn::First).is_none();
    let mut told = of(settings, idiom, model, EarlyTurn::Second);
    told.retain(|(subject, _)| fits || *subject != "context");
    let told = told.into_iter().map(|(_, told)| told);
    told.chain(other_screen(settings))
        .chain(without_elements(settings))
        .chain(wordless(settings, idiom))
        .chain(windowless(settings))
        .chain(out_of_place(settings, is_own))
        .collect()
}

/// Returns warnings about the person's settings that have no effect on this screen; `is_own` says whether the person set
/// a key. A tool that a profile switches on for all screens is simply left out.
fn out_of_place(settings: &Settings, is_own: impl Fn(&str) -> bool) -> Vec<String> {
    let kind = settings.screen.kind;
    let wanted = settings.protocol.tools.iter().filter(|(_, on)| **on);
    let lost = wanted.filter(|(name, _)| !settings.can_perform(name));
    let lost = lost
        .map(|(name, _)| format!("protocol.tools.{name}"))
        .filter(|key| is_own(key));
    let place = kind.name();
    let why = |key: &str| match key {
        "protocol.tools.open" if kind.is_private() => "screen.open lists nothing that it may open".to_owned(),
        "protocol.tools.open" => format!("FRANZ opens programs only on a private screen, not on {place}"),
        "protocol.tools.windows" | "protocol.tools.focus" => format!("--screen {place} reports no windows"),
        _ => format!("FRANZ cannot use the clipboard of --screen {place}"),
    };
    let opens_nothing = !settings.screen.open.is_empty() && !kind.is_private() && is_own("screen.open");
    let unopened = opens_nothing
        .then(|| format!("screen.open has no effect: FRANZ opens programs only on a private screen, not on {place}"));
    let tools = lost.map(|key| format!("{key}: the model does not get this tool, because {}", why(&key)));
    tools.chain(unopened).collect()
}

/// Returns the warning about masks for windows on a canvas. They do no harm there, and a person's own file has them for
/// every screen.
fn windowless(settings: &Settings) -> Option<String> {
    let masks_windows = settings.screen.mask.iter().any(|mask| mask.window().is_some());
    (masks_windows && settings.screen.kind == ScreenKind::Canvas)
        .then(|| "screen.mask: a canvas shows no windows, so masks for windows hide nothing on it".to_owned())
}

/// Returns the warning about tools that the model cannot call.
fn wordless(settings: &Settings, idiom: &Idiom) -> Option<String> {
    let (tools, family) = (idiom.wordless(settings), &idiom.family.name);
    (!tools.is_empty()).then(|| {
        let tools = tools.join(", ");
        format!("the {family} family has no calls for {tools}, so the model cannot use that")
    })
}

/// Returns the warning that the profile is made for another kind of screen.
fn other_screen(settings: &Settings) -> Option<String> {
    let (kind, screens) = (settings.screen.kind.name(), &settings.prompt.screens);
    let is_fine = screens.is_empty() || screens.iter().any(|screen| screen == kind);
    (!is_fine).then(|| {
        format!(
            "this profile is made for --screen {}, not for {kind}: the prompt and the tools adapt, but goal and picture might not fit",
            either(screens)
        )
    })
}

/// Joins names: `a, b or c`.
fn either(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// The warning that elements are not available on sway.
const ON_SWAY: &str = "eyes.elements: programs on sway report no elements, so the model gets only the picture; leave screen.compositor out instead, or use --screen browser";

/// Returns the warning that the settings ask for elements but none are available.
fn without_elements(settings: &Settings) -> Option<String> {
    let is_wanted = settings.eyes.elements && !settings.tells_elements();
    is_wanted.then(|| {
        if settings.is_on_sway() {
            return ON_SWAY.to_owned();
        }
        format!(
            "eyes.elements: --screen {} reports no elements, so the model gets only the picture; use a private screen instead (--screen virtual or browser)",
            settings.screen.kind.name()
        )
    })
}

/// Returns the warning about a model that does not accept images.
pub(crate) fn blind(model: &Candidate) -> Option<String> {
    if model.sees != Some(false) {
        return None;
    }
    let eyes = model
        .kind
        .map_or("load one that does, or choose one with --model", |kind| kind.eyes());
    Some(format!(
        "the server reports that '{}' does not accept images; {eyes}",
        model.id
    ))
}

fn short(settings: &Settings, idiom: &Idiom, model: &Candidate, turn: EarlyTurn) -> Option<String> {
    let needed = needed(settings, idiom, turn);
    let tokens = model.context.filter(|tokens| *tokens < needed)?;
    let longer = model.kind.map(|kind| format!(": {}", kind.longer_context()));
    let which = match turn {
        EarlyTurn::First => "first",
        EarlyTurn::Second => "second",
    };
    Some(format!(
        "a context of {tokens} tokens is too short: the {which} turn might need {needed}; start the server with a longer one{}",
        longer.unwrap_or_default()
    ))
}

/// Estimates the maximum number of tokens that a turn needs.
pub(crate) fn needed(settings: &Settings, idiom: &Idiom, turn: EarlyTurn) -> u64 {
    let schema = idiom.protocol(settings).schema().unwrap_or_default();
    let prompt = estimated_tokens(&idiom.system_prompt(settings, &settings.prompt.goal)) + estimated_tokens(&schema);
    let picture = picture_tokens(idiom.picture(settings));
    let reply = settings.model.max_tokens.map_or(REPLY, u64::from);
    let first = prompt + picture + reply;
    match (turn, settings.memory.kind) {
        (EarlyTurn::First, _) => first,
        (EarlyTurn::Second, MemoryKind::Story) => first + reply,
        (EarlyTurn::Second, MemoryKind::Conversation) => first + reply + picture,
    }
}

/// Estimates the number of tokens in a picture: most models cut it into squares of 28 pixels, some of 32 or 14.
pub(crate) fn picture_tokens((width, height): (u32, u32)) -> u64 {
    u64::from(width.div_ceil(28)) * u64::from(height.div_ceil(28))
}

#[cfg(test)]
mod tests {
    use franz_chat::ServerKind;
    use franz_dialect::Family;
    use franz_screen::private_desktop::Compositor;

    use super::*;
    use crate::config::flags::Flags;
    use crate::run_location;

    fn told(profile: &str, turn: EarlyTurn, model: &Candidate) -> Vec<(&'static str, String)> {
        let settings = run_location::shown(&Flags::of_profile(Some(profile.to_owned()))).unwrap();
        let idiom = Idiom {
            family: Family::franz(),
            measured: None,
            screen: (1280, 800),
            pointer: None,
        };
        of(&settings, &idiom, model, turn)
    }

    #[test]
    fn a_profile_on_a_screen_that_it_is_not_made_for_is_remarked_upon() {
        for (profile, kind, made_for) in [
            ("draw", ScreenKind::Canvas, None),
            ("draw", ScreenKind::Virtual, Some("canvas")),
            ("operator", ScreenKind::Virtual, None),
            ("operator", ScreenKind::Desktop, None),
            ("operator", ScreenKind::Canvas, None),
            (
                "companion",
                ScreenKind::Canvas,
                Some("desktop, virtual, browser or vnc"),
            ),
        ] {
            let mut settings = run_location::shown(&Flags::of_profile(Some(profile.to_owned()))).unwrap();
            settings.screen.kind = kind;
            let told = other_screen(&settings);
            assert_eq!(told.is_some(), made_for.is_some(), "{profile} on {kind:?}: {told:?}");
            let made_for = format!(
                "made for --screen {}, not for {}:",
                made_for.unwrap_or_default(),
                kind.name()
            );
            assert!(
                told.is_none_or(|told| told.contains(&made_for)),
                "{profile}: {made_for}"
            );
        }
    }

    #[test]
    fn only_what_the_person_asked_for_is_missed_on_a_screen_that_cannot_do_it() {
        let every = ["windows", "focus", "open", "read_clipboard", "write_clipboard"];
        for (kind, open, lost) in [
            (ScreenKind::Canvas, false, &["windows", "focus", "open"][..]),
            (ScreenKind::Vnc, false, &["windows", "focus", "open"]),
            (ScreenKind::Vnc, true, &["windows", "focus", "open"]),
            (ScreenKind::Desktop, true, &["open"]),
            (
                ScreenKind::Browser,
                false,
                &["read_clipboard", "write_clipboard", "open"],
            ),
            (ScreenKind::Browser, true, &["read_clipboard", "write_clipboard"]),
            (ScreenKind::Virtual, false, &["open"]),
            (ScreenKind::Virtual, true, &[]),
        ] {
            for profile in ["operator", "companion"] {
                let mut settings = run_location::shown(&Flags::of_profile(Some(profile.to_owned()))).unwrap();
                settings.screen.kind = kind;
                settings.screen.open = open.then(|| "xterm".to_owned()).into_iter().collect();
                let tools = settings.tools();
                for name in every {
                    let is_offered = tools.get(name).is_some();
                    assert_eq!(is_offered, !lost.contains(&name), "{profile} on {kind:?}: {name}");
                    let told = out_of_place(&settings, |key| key == format!("protocol.tools.{name}"));
                    assert_eq!(told.len(), usize::from(!is_offered), "{profile} on {kind:?}: {told:?}");
                    assert!(
                        told.iter()
                            .all(|told| told.starts_with(&format!("protocol.tools.{name}: ")))
                    );
                }
                assert_eq!(out_of_place(&settings, |_| false), Vec::<String>::new());
                let told = out_of_place(&settings, |key| key == "screen.open");
                assert_eq!(told.len(), usize::from(open && !kind.is_private()), "{told:?}");
            }
        }
    }

    #[test]
    fn elements_missing_on_sway_are_told_and_not_offered() {
        for (compositor, is_lacking) in [(Compositor::Xvfb, false), (Compositor::Sway, true)] {
            let mut settings = run_location::shown(&Flags::of_profile(Some("operator".to_owned()))).unwrap();
            settings.screen.kind = ScreenKind::Virtual;
            settings.screen.compositor = compositor;
            settings.eyes.elements = true;
            let told = without_elements(&settings);
            assert_eq!(told.as_deref(), is_lacking.then_some(ON_SWAY), "{compositor:?}");
            assert_eq!(settings.tells_elements(), !is_lacking);
        }
    }

    #[test]
    fn tools_without_a_word_in_the_dialect_are_named() {
        for (family, is_told) in [("franz", false), ("ui-tars-1.5", true)] {
            let settings = run_location::shown(&Flags::of_profile(Some("operator".to_owned()))).unwrap();
            let idiom = Idiom {
                family: Family::named(family).unwrap(),
                measured: None,
                screen: (1280, 800),
                pointer: None,
            };
            let told = wordless(&settings, &idiom).unwrap_or_default();
            assert_eq!(told.contains("read_clipboard"), is_told, "{told}");
            assert!(!told.contains("left_click"), "{told}");
        }
    }

    #[test]
    fn a_short_context_is_told_with_the_servers_setting() {
        for (kind, setting) in [
            (ServerKind::LlamaCpp, "llama-server --ctx-size 16384"),
            (ServerKind::LmStudio, "Context Length 16384"),
            (ServerKind::Ollama, "OLLAMA_CONTEXT_LENGTH=16384 ollama serve"),
            (ServerKind::Vllm, "vllm serve --max-model-len 16384"),
        ] {
            let model = |context| Candidate {
                context,
                kind: Some(kind),
                ..Candidate::named("m")
            };
            for profile in ["draw", "sketch", "companion", "operator"] {
                let [(subject, said)] = &told(profile, EarlyTurn::Second, &model(Some(1024)))[..] else {
                    panic!("{profile}")
                };
                assert_eq!(*subject, "context");
                assert!(said.contains("second turn") && said.contains(setting), "{said}");
                assert_eq!(told(profile, EarlyTurn::Second, &model(Some(16_384))), []);
                assert_eq!(told(profile, EarlyTurn::Second, &model(None)), []);
            }
        }
    }

    #[test]
    fn a_second_turn_needs_more_than_the_first() {
        let settings = run_location::shown(&Flags::of_profile(Some("operator".to_owned()))).unwrap();
        let idiom = Idiom {
            family: Family::franz(),
            measured: None,
            screen: (1280, 800),
            pointer: None,
        };
        assert!(needed(&settings, &idiom, EarlyTurn::Second) > needed(&settings, &idiom, EarlyTurn::First));
    }

    #[test]
    fn a_model_without_eyes_is_told_with_the_servers_setting() {
        for (kind, setting) in [
            (Some(ServerKind::LlamaCpp), "llama-server --mmproj FILE"),
            (Some(ServerKind::LmStudio), "vlm"),
            (Some(ServerKind::Ollama), "vision"),
            (Some(ServerKind::Vllm), "--limit-mm-per-prompt"),
            (None, "--model"),
        ] {
            let model = |sees| Candidate {
                kind,
                sees,
                ..Candidate::named("m")
            };
            let [("pictures", said)] = &told("draw", EarlyTurn::First, &model(Some(false)))[..] else {
                panic!("{kind:?}")
            };
            assert!(
                said.contains("'m' does not accept images") && said.contains(setting),
                "{said}"
            );
            assert_eq!(told("draw", EarlyTurn::First, &model(Some(true))), []);
            assert_eq!(told("draw", EarlyTurn::First, &model(None)), []);
        }
    }
}
