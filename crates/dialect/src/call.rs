//! Reads one tool call with literal arguments. Nothing in it is ever evaluated.

use franz_action::tool::ParamKind;
use franz_action::{Action, Tool, ToolSet};
use franz_python::{Arg, LiteralCall, LiteralError};

use crate::bind::{BindError, bind};
use crate::bound::LONGEST_CALL;
use crate::geometry::Geometry;

/// Why some text is not a tool call. The messages are for a small model, so they avoid parser jargon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The text is not exactly one call, for a reason that the model can fix.
    #[error("{0}")]
    Syntax(&'static str),
    /// The call is too long to be parsed.
    #[error("the call is longer than {} KB; write a shorter call", LONGEST_CALL >> 10)]
    TooLong,
    /// Earlier calls have used up the reply's parsing budget.
    #[error("the reply has too many long calls; write fewer")]
    TooMuch,
    /// The call is not closed by the end of its line.
    #[error("the call is not closed; end it with )")]
    NotClosed,
    /// Something other than a comment follows the call on its line, so its meaning is unclear.
    #[error("only a comment may follow a call")]
    Followed,
    /// Part of the call lies inside a thought.
    #[error("there is a thought inside the call; write the call without it")]
    Thought,
    /// The call names something that is not a tool.
    #[error("unknown tool '{0}'")]
    Unknown(String),
    /// An argument is not a number, a string or `None`.
    #[error("arguments must be plain numbers or quoted text, without brackets or names")]
    NotLiteral,
    /// Quotes split a string into several pieces. Python might join them, but models mean quotes inside a string.
    #[error("write a backslash before each quote inside a string")]
    Quotes,
    /// The call uses another program's name or arguments. The message says what is wrong.
    #[error("{0}")]
    Usual(String),
    /// A place is written in the form of another dialect.
    #[error(
        "this is the form of another program, whose numbers mean something else; write plain numbers in round brackets"
    )]
    Foreign,
    /// The call ends the work, but replies in this protocol cannot do that.
    #[error("a reply cannot end the work here; go on, or write no call")]
    End,
    /// The call is a remark.
    #[error("a remark does nothing")]
    Remark,
    /// The arguments do not fit the tool.
    #[error(transparent)]
    Bind(#[from] BindError),
}

impl CallError {
    /// Checks whether the error leaves it unclear what the call asks for.
    pub(crate) fn is_vague(&self) -> bool {
        matches!(
            self,
            CallError::Syntax(_)
                | CallError::Unknown(_)
                | CallError::NotLiteral
                | CallError::NotClosed
                | CallError::Quotes
        )
    }
}

const NOT_A_CALL: &str = "not a call; write a name, and its arguments in round brackets with commas between them";

impl From<LiteralError> for CallError {
    fn from(error: LiteralError) -> CallError {
        match error {
            LiteralError::NotACall => CallError::Syntax(NOT_A_CALL),
            LiteralError::Syntax(flaw) => CallError::Syntax(flaw),
            LiteralError::NotLiteral => CallError::NotLiteral,
            LiteralError::Joined => CallError::Quotes,
        }
    }
}

/// Reads `name(arg, ..., key=arg)`, with places as the geometry defines them and targets as the tools allow.
pub fn read(text: &str, tools: &ToolSet, geometry: &Geometry) -> Result<Action, CallError> {
    if text.len() > LONGEST_CALL {
        return Err(CallError::TooLong);
    }
    let call = LiteralCall::parse(text)?;
    let tool = Tool::named(call.name()).ok_or_else(|| CallError::Unknown(call.name().to_owned()))?;
    let (positional, keywords) = call.arguments()?;
    let values = || positional.iter().chain(keywords.iter().map(|(_, value)| value));
    let plain = values().all(|value| !matches!(value, Arg::Sequence(..)));
    let flags = tool.params.iter().filter(|param| param.kind == ParamKind::Flag);
    if values().any(|value| matches!(value, Arg::Bool(_))) && flags.count() == 0 {
        return Err(CallError::NotLiteral);
    }
    bind(tool, positional, keywords, tools, geometry).map_err(|error| match error {
        // A list in the wrong place is another program's form, or no form at all.
        BindError::Type(_) if !plain => CallError::NotLiteral,
        error => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_action::Point;
    use franz_action::keys::Modifier;
    use franz_action::{Button, Click, Held, Holding, Keys, Path, Typing};
    use proptest::prelude::*;

    #[test]
    fn calls_in_every_form() {
        let click = Action::left_click(Point::clamped(300, 400));
        for text in [
            "left_click(300, 400)",
            "click(300,400)",
            "left_click(x=300, y=400)",
            "left_click(300, y=+4e2)",
            " click( 300.0 ,\n400, )",
        ] {
            assert_eq!(action(text).as_ref(), Ok(&click), "{text}");
        }
        assert_eq!(action("scroll(-3, dx=2)").unwrap().to_string(), "scroll(-3, dx=2)");
        assert_eq!(action("type('it\\'s')").unwrap().to_string(), "type(\"it's\")");
    }

    #[test]
    fn non_literal_calls_are_refused() {
        for text in [
            "",
            "left_click",
            "left_click(1+1, 2)",
            "a.b(1)",
            "left_click(*p)",
            "left_click(1, 2",
            "click(f'x', 2)",
            "foo(1)",
        ] {
            assert!(action(text).is_err(), "{text}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let cases = [
            ("left_click(1 2)", NOT_A_CALL),
            ("left_click(1, 050)", NOT_A_CALL),
            ("left_click(x=1, 2)", "positional argument follows keyword argument"),
            ("left_click(x=1, x=2)", "keyword argument repeated"),
            (
                "type(\"C:\\Users\")",
                "in a string, write \\\\ for a backslash and \\n for a line break",
            ),
            (
                "type(\"say \" \"hi\")",
                "write a backslash before each quote inside a string",
            ),
            ("foo(1)", "unknown tool 'foo'"),
            (
                "left_click(x, y)",
                "arguments must be plain numbers or quoted text, without brackets or names",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(action(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn a_call_that_is_too_long_is_refused() {
        let typed = |length: usize| format!("type(\"{}\")", "a".repeat(length - 8));
        assert_eq!(action(&typed(LONGEST_CALL + 1)), Err(CallError::TooLong));
        assert_ne!(action(&typed(LONGEST_CALL)), Err(CallError::TooLong));
        let told = CallError::TooLong.to_string();
        assert_eq!(told, "the call is longer than 256 KB; write a shorter call");
    }

    #[test]
    fn nesting_does_not_overflow() {
        for opener in ["(", "[", "-", "click("] {
            assert!(action(&format!("click({}", opener.repeat(20_000))).is_err());
        }
        // The parser builds these in loops, so its limit on nesting does not stop them.
        for (first, link) in [("1", "+1"), ("f", "()"), ("x", ".b"), ("a", "[0]")] {
            let chain = format!("{first}{}", link.repeat((250 << 10) / link.len()));
            assert_eq!(action(&format!("click({chain}, 1)")), Err(CallError::NotLiteral));
            assert_eq!(
                action(&format!("foo({chain})")),
                Err(CallError::Unknown("foo".to_owned()))
            );
            assert_eq!(action(&chain), Err(CallError::Syntax(NOT_A_CALL)));
        }
    }

    fn action(text: &str) -> Result<Action, CallError> {
        read(text, &ToolSet::all(), &Geometry::THOUSANDTHS)
    }

    fn any_action() -> impl Strategy<Value = Action> {
        let point = || (0.0f64..=1000.0, 0.0f64..=1000.0).prop_map(|(x, y)| Point::nearest(x, y));
        let notches = || -100i32..=100;
        let keys = prop::sample::select(vec![
            "enter",
            "ctrl+shift+t",
            "alt+f4",
            "win",
            "ctrl++",
            "é",
            "\"",
            "\\",
        ]);
        let modifiers = || {
            let sets = [&[][..], &[Modifier::Ctrl], &[Modifier::Ctrl, Modifier::Shift]];
            prop::sample::select(sets.map(<[_]>::to_vec).to_vec())
        };
        let button = || prop::sample::select(Button::ALL.to_vec());
        let clicks = (button(), 1u32..=20, modifiers(), point()).prop_map(|(button, count, modifiers, at)| {
            Action::Click(Click {
                at,
                button,
                count,
                modifiers,
            })
        });
        let path = prop::collection::vec(point(), 2..8).prop_map(|points| Path::along(points).unwrap());
        let typing = (any::<String>(), prop::option::of((point(), any::<bool>()))).prop_map(|(text, place)| Typing {
            text,
            at: place.map(|(at, _)| at),
            replace: place.is_some_and(|(_, replace)| replace),
        });
        let keys = prop::collection::vec(keys, 1..4);
        let held = prop_oneof![
            button().prop_map(Held::Button),
            Just(Held::Keys("ctrl+shift".parse().unwrap())),
        ];
        let holding = (held, 0.0f64..=30.0, prop::option::of(point())).prop_map(|(what, seconds, at)| Holding {
            what,
            seconds,
            at,
        });
        prop_oneof![
            clicks,
            path.prop_map(Action::Drag),
            point().prop_map(Action::Move),
            (button(), prop::option::of(point())).prop_map(|(button, at)| Action::MouseDown(button, at)),
            (button(), prop::option::of(point())).prop_map(|(button, at)| Action::MouseUp(button, at)),
            (notches(), notches(), prop::option::of(point())).prop_map(|(dy, dx, at)| Action::Scroll { dy, dx, at }),
            typing.prop_map(Action::Type),
            (keys, 1u32..=100).prop_map(|(names, count)| Action::Press(Keys::of(names).unwrap().times(count))),
            holding.prop_map(Action::Hold),
            (0.0f64..=30.0).prop_map(Action::Wait),
            Just(Action::ReadClipboard),
            any::<String>().prop_map(Action::WriteClipboard),
            Just(Action::Screenshot),
            Just(Action::Observe),
            (0.0f64..=30.0).prop_map(Action::Watch),
            (point(), point()).prop_map(|(from, to)| Action::Zoom(from, to)),
            Just(Action::Windows),
            "\\PC{1,20}".prop_map(Action::Focus),
            "\\PC{1,20}".prop_map(Action::Open),
            "\\PC{1,20}".prop_map(Action::Ask),
        ]
    }

    proptest! {
        #[test]
        fn canonical_text_round_trips(wanted in any_action()) {
            let text = wanted.to_string();
            prop_assert_eq!(text.parse::<Action>(), Ok(wanted.clone()), "{}", text);
            prop_assert_eq!(action(&text), Ok(wanted), "{}", text);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,60}|(click|drag|type)\\([0-9a-z\"', =*.-]{0,30}\\)?") {
            let _ = action(&text);
        }
    }
}
