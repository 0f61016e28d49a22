//! The parts of a prompt that depend on the screen and its marks. They are filled in before all other placeholders.
//!
//! | place | stands for |
//! |---|---|
//! | `{canvas T}`, `{desktop T}` | the text `T`, which can contain other placeholders, on a canvas or on a desktop |
//! | `{clipboard T}` | the same, if the model can write to the clipboard |
//! | `{screen}` | `canvas` or `screen` |
//! | `{rules}` | the rules for this kind of screen, as list items |
//! | `{marks}` | the meaning of the marks in the picture |

use franz_action::Verb;
use franz_frame::Marks;

use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;

/// The kind of screen that a prompt describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    Canvas,
    Desktop,
}

const CANVAS: &str = include_str!("../../assets/prompt/canvas.txt");
const DESKTOP: &str = include_str!("../../assets/prompt/desktop.txt");

/// Returns the prompt of these settings with the parts for its screen and marks filled in.
pub(super) fn composed(settings: &Settings) -> String {
    let surface = match settings.screen.kind {
        ScreenKind::Canvas => Surface::Canvas,
        ScreenKind::Desktop | ScreenKind::Virtual | ScreenKind::Browser | ScreenKind::Vnc => Surface::Desktop,
    };
    let parts = Parts {
        surface,
        marks: settings.mark_styles(),
        has_clipboard: settings.tools().has(Verb::WriteClipboard),
    };
    parts.fill(&settings.prompt.system)
}

struct Parts {
    surface: Surface,
    marks: Marks,
    /// Whether the model can write to the clipboard.
    has_clipboard: bool,
}

/// The names of all placeholders for these parts.
pub(super) const PLACES: [&str; 6] = ["canvas", "desktop", "clipboard", "screen", "rules", "marks"];

impl Parts {
    fn fill(&self, text: &str) -> String {
        let lines = text.split('\n').filter_map(|line| {
            let filled = self.fill_line(line);
            // Drop a list item that has become empty.
            let is_empty = filled != line && matches!(filled.trim_end(), "" | "-");
            (!is_empty).then_some(filled)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn fill_line(&self, text: &str) -> String {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some(start) = rest.find('{') {
            let (before, from) = rest.split_at(start);
            filled.push_str(before);
            let part = end(from).and_then(|end| Some((self.part(from.get(1..end)?)?, from.get(end + 1..)?)));
            if let Some((shown, behind)) = part {
                filled.push_str(&shown);
                rest = behind;
            } else {
                filled.push('{');
                rest = &from[1..];
            }
        }
        filled + rest
    }

    /// Returns the text for this placeholder; `None` if it is not one of these.
    fn part(&self, place: &str) -> Option<String> {
        let (name, text) = place.split_once(' ').unwrap_or((place, ""));
        let shown_if = |is_shown| {
            if is_shown { self.fill_line(text) } else { String::new() }
        };
        let (screen, rules) = match self.surface {
            Surface::Canvas => ("canvas", CANVAS),
            Surface::Desktop => ("screen", DESKTOP),
        };
        Some(match name {
            "canvas" => shown_if(self.surface == Surface::Canvas),
            "desktop" => shown_if(self.surface == Surface::Desktop),
            "clipboard" => shown_if(self.has_clipboard),
            "screen" => screen.to_owned(),
            "rules" => rules.trim_end().to_owned(),
            "marks" => self.marks(screen),
            _ => return None,
        })
    }

    /// Explains the marks that are switched on; empty if there are none.
    fn marks(&self, screen: &str) -> String {
        let Marks {
            crosshair,
            classic,
            cursor,
            timestamp,
            elements,
        } = self.marks;
        let told: Vec<&str> = [
            (
                classic,
                "Red rings, arrows and numbers laid over the picture show your last actions in their order.",
            ),
            (
                crosshair,
                "A ring with four arms, or an arrow, laid over the picture shows your last action.",
            ),
            (
                cursor,
                "A red arrow beside coordinates shows where the pointer is, a faint one where it was before.",
            ),
            (timestamp, "The time is laid over it, too."),
            (
                elements,
                "Small yellow numbers beside things are their numbers in ELEMENTS.",
            ),
        ]
        .into_iter()
        .filter_map(|(on, text)| on.then_some(text))
        .collect();
        if told.is_empty() {
            return String::new();
        }
        format!("{} None of this is on the {screen} itself.", told.join(" "))
    }
}

/// Returns where the bracket that was opened before this text is closed.
fn end(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use franz_action::{Action, Point};
    use franz_frame::{Frame, MarkData, Marker, PixelFormat};

    use super::*;
    use crate::config::profile::BUILT_IN;
    use crate::idiom::snapshots::settings;

    fn filled(surface: Surface, text: &str) -> String {
        let parts = Parts {
            surface,
            marks: Marks::default(),
            has_clipboard: surface == Surface::Desktop,
        };
        parts.fill(text)
    }

    #[test]
    fn parts_of_another_screen_are_left_out() {
        for (text, canvas, desktop) in [
            ("a {screen}", "a canvas", "a screen"),
            (
                "{canvas draw}{desktop click{with observe()}.}",
                "draw",
                "click{with observe()}.",
            ),
            (
                "a\n- {canvas {call drag(1, 2, 3, 4)}}\n- b",
                "a\n- {call drag(1, 2, 3, 4)}\n- b",
                "a\n- b",
            ),
            ("{clipboard {own paste}}", "", "{own paste}"),
            ("{goal} {other x} {", "{goal} {other x} {", "{goal} {other x} {"),
            ("a\n\n-\n{marks}\nb", "a\n\n-\nb", "a\n\n-\nb"),
        ] {
            assert_eq!(filled(Surface::Canvas, text), canvas);
            assert_eq!(filled(Surface::Desktop, text), desktop);
        }
        for place in PLACES {
            let text = format!("{{{place} x}}");
            assert_ne!(filled(Surface::Canvas, &text), text);
        }
    }

    /// Returns the hues of the coloured pixels in a picture with these marks.
    fn hues(marks: Marks) -> BTreeSet<&'static str> {
        let place = Point::clamped(500, 500);
        let scene = MarkData {
            actions: &[Action::left_click(place), Action::left_click(Point::clamped(200, 200))],
            pointer: Some(place),
            previous: Some(Point::clamped(800, 300)),
            coordinates: ["1, 2", "3, 4"],
            time: "12:00",
            elements: &[(place, Point::clamped(600, 600))],
        };
        let mut frame = Frame::black(512, 288, PixelFormat::Rgb8).unwrap();
        Marker::new().draw(&mut frame, &marks, &scene);
        let (pixels, _) = frame.data().as_chunks::<3>();
        pixels.iter().filter_map(|&pixel| hue(pixel)).collect()
    }

    fn hue([red, green, blue]: [u8; 3]) -> Option<&'static str> {
        const COLOURFUL: u8 = 60;
        let (least, most) = (red.min(green).min(blue), red.max(green).max(blue));
        let is_high = |part: u8| part - least > most - part;
        if most - least < COLOURFUL {
            return None;
        }
        Some(match [is_high(red), is_high(green), is_high(blue)] {
            [true, false, false] => "red",
            [true, true, false] => "yellow",
            _ => "another hue",
        })
    }

    #[test]
    fn words_name_the_colour_of_their_marks() {
        let none = Marks::default();
        for (marks, hue) in [
            (Marks { classic: true, ..none }, "red"),
            (Marks { cursor: true, ..none }, "red"),
            (Marks { elements: true, ..none }, "yellow"),
        ] {
            assert_eq!(hues(marks), BTreeSet::from([hue]), "{marks:?}");
            let parts = Parts {
                surface: Surface::Canvas,
                marks,
                has_clipboard: false,
            };
            let words = parts.fill("{marks}").to_lowercase();
            assert!(words.contains(hue), "{words}");
        }
    }

    #[test]
    fn prompts_speak_of_the_screen_that_there_is() {
        for profile in &BUILT_IN {
            for (kind, others) in [
                (
                    ScreenKind::Canvas,
                    &["program", "window", "desktop", "computer", "browser", "Enter"][..],
                ),
                (ScreenKind::Desktop, &["canvas", "paint", "black", "drawing"]),
                (ScreenKind::Virtual, &["canvas", "paint", "black", "drawing"]),
            ] {
                let mut settings = settings(profile.name);
                settings.screen.kind = kind;
                let text = composed(&settings);
                for other in others {
                    assert!(
                        !text.contains(other),
                        "{} on {kind:?} speaks of {other}:\n{text}",
                        profile.name
                    );
                }
                for place in ["{canvas", "{desktop", "{screen", "{rules", "{marks"] {
                    assert!(!text.contains(place), "{}: {text}", profile.name);
                }
                if kind != ScreenKind::Canvas {
                    assert!(text.contains(r#""\n" presses Enter and "\t" presses Tab"#), "{text}");
                }
            }
        }
    }
}
