//! A host that records the calls of a block. It has the functions of `record.py`, with the same checks.

use std::ops::Range;

use franz_python::{Arg, BlockEnding, Builtins, CallRefusal, Host, HostFunction, Limits, Ran, Signature};

/// How many calls a block can make.
pub(crate) const MOST_CALLS: usize = 500;
/// How many characters `type` accepts.
const LONGEST_TEXT: usize = 10_000;

/// The functions, each with its parameters.
const FUNCTIONS: [(&str, &[(&str, bool)]); 5] = [
    ("left_click", &[("x", false), ("y", false)]),
    ("right_click", &[("x", false), ("y", false)]),
    ("drag", &[("x1", false), ("y1", false), ("x2", false), ("y2", false)]),
    ("type", &[("text", false)]),
    ("observe", &[]),
];

/// The calls so far, in the form in which a block would write them.
pub(crate) struct Recorder {
    calls: Vec<String>,
    most: usize,
}

impl Recorder {
    /// Runs a block and returns its calls, how it ended, and the feedback on it.
    pub(crate) fn run(limits: Limits, most: usize, source: &str) -> (Vec<String>, Ran, String) {
        let mut recorder = Recorder {
            calls: Vec::new(),
            most,
        };
        // Like every block of a reply, it ends with a line break.
        let ran = franz_python::run(&format!("{source}\n"), &mut recorder, Builtins::Safe, &limits);
        let told = told(&ran, recorder.calls.len());
        (recorder.calls, ran, told)
    }
}

impl Host for Recorder {
    fn find(&self, name: &str) -> Option<usize> {
        let name = if name == "click" { "left_click" } else { name };
        FUNCTIONS.iter().position(|(known, _)| *known == name)
    }

    fn describe(&self, function: usize) -> HostFunction {
        HostFunction {
            name: FUNCTIONS[function].0,
            doc: "",
        }
    }

    fn call(
        &mut self,
        function: usize,
        _at: Range<usize>,
        args: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<(), CallRefusal> {
        let (name, params) = FUNCTIONS[function];
        let signature = Signature {
            name,
            params,
            positional_only: 0,
            keyword_only: &[],
            rest: false,
            extra: false,
        };
        let bound = signature.bind(args, named).map_err(CallRefusal::Type)?;
        let shown = bound.slots.iter().flatten().zip(params).map(|(arg, (param, _))| {
            if *param == "text" {
                text(arg)
            } else {
                coordinate(name, param, arg)
            }
        });
        let shown = shown.collect::<Result<Vec<_>, _>>()?;
        if self.calls.len() >= self.most {
            let most = self.most;
            return Err(CallRefusal::Stop(format!(
                "LimitError: more than {most} actions in one block."
            )));
        }
        self.calls.push(format!("{name}({})", shown.join(", ")));
        Ok(())
    }
}

fn coordinate(name: &str, param: &str, arg: &Arg) -> Result<String, CallRefusal> {
    let number = arg.number().ok_or_else(|| {
        let given = arg.type_name();
        CallRefusal::Type(format!("{name}() argument '{param}' must be a number, not {given}"))
    })?;
    Ok(number.clamp(0.0, 1000.0).round().to_string())
}

fn text(arg: &Arg) -> Result<String, CallRefusal> {
    match arg {
        Arg::Text(text) if text.chars().count() > LONGEST_TEXT => Err(CallRefusal::Value(format!(
            "type() argument 'text' must have at most {LONGEST_TEXT} characters"
        ))),
        Arg::Text(text) => Ok(serde_json::Value::from(text.as_str()).to_string()),
        other => {
            let given = other.type_name();
            Err(CallRefusal::Type(format!(
                "type() argument 'text' must be str, not {given}"
            )))
        }
    }
}

/// Returns the feedback that a model would get on a block.
fn told(ran: &Ran, calls: usize) -> String {
    let executed = format!("{calls} action{} executed", if calls == 1 { "" } else { "s" });
    let mut lines: Vec<String> = Vec::new();
    match &ran.ending {
        BlockEnding::Empty => lines.push(format!("OK: {executed} (empty).")),
        BlockEnding::Finished => lines.push(format!("OK: {executed}.")),
        BlockEnding::Failed(failure) | BlockEnding::Broken(failure) => {
            let frames = failure.frames.iter();
            lines.extend(frames.map(ToString::to_string));
            lines.push(failure.message.clone());
            lines.push(format!("{executed} before error."));
        }
    }
    if !ran.output.is_empty() {
        lines.push(format!("Output:\n{}", ran.output));
    }
    lines.join("\n")
}
