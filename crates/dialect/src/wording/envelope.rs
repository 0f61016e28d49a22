//! Envelopes: the text around the calls of a dialect.

use super::said::{Said, members};
use super::{Call, CallArgs, Numbers, Writer};
use crate::grammar::{BREAK, NOTE};
use crate::manner::EnvelopeForm;

/// The text around a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Envelope {
    /// A JSON object or elements in `<tool_call>`, with the verb as an argument of this tool.
    Tool(&'static str),
    /// A written call.
    Call {
        /// What comes before the first call.
        before: &'static str,
        /// The qualifier before a verb.
        qualifier: fn(&str) -> &'static str,
        /// What comes after the last call.
        after: &'static str,
    },
    /// Seed's elements.
    Elements,
    /// Holo's object with a note and a thought.
    Noted,
    /// `ShowUI`'s dictionary of three members.
    Dictionary,
}

impl Writer<'_> {
    /// Writes calls as one line, or returns `None` if the envelope cannot contain them.
    pub(super) fn wrapped(&self, calls: Vec<Call>) -> Option<String> {
        if let Envelope::Call {
            before,
            qualifier,
            after,
        } = self.wording.envelope
        {
            let calls: Vec<String> = calls.iter().map(|call| written(qualifier(&call.verb), call)).collect();
            return Some(format!("{before}{}{after}", calls.join("; ")));
        }
        if let Envelope::Noted = self.wording.envelope {
            return Some(self.noted(calls).json());
        }
        let at = match self.numbers {
            Numbers::Open(_) => BREAK.encode_utf8(&mut [0; 4]).to_owned(),
            Numbers::Counted(_) | Numbers::Named(_) => String::new(),
        };
        let at = at.as_str();
        let [Call { verb, args }] = <[Call; 1]>::try_from(calls).ok()?;
        match self.wording.envelope {
            Envelope::Tool(tool) => {
                let tool = self.manner.tool.as_deref().unwrap_or(tool);
                let all = with_verb("action", &verb, args);
                match self.manner.envelope {
                    EnvelopeForm::Xml => {
                        let function = elements(tool, &all, at)?;
                        Some(format!("<tool_call>{at}{function}{at}</tool_call>"))
                    }
                    EnvelopeForm::Json | EnvelopeForm::Action => {
                        let arguments = members(&all);
                        Some(format!(
                            "<tool_call>{at}{{\"name\": \"{tool}\", \"arguments\": {arguments}}}{at}</tool_call>"
                        ))
                    }
                }
            }
            Envelope::Elements => {
                let function = elements(&verb, &args, at)?;
                Some(format!("<seed:tool_call>{at}{function}{at}</seed:tool_call>"))
            }
            _ => dictionary(&verb, args),
        }
    }

    /// Returns calls as a single JSON value that is a whole reply, or `None` if a reply must be more than that.
    pub(super) fn whole(&self, calls: Vec<Call>) -> Option<Said> {
        matches!(self.wording.envelope, Envelope::Noted).then(|| self.noted(calls))
    }

    /// Returns Holo's object, which has one call in `tool_call` or `action`, or several in `tool_calls`.
    fn noted(&self, calls: Vec<Call>) -> Said {
        let first_generation = self.manner.envelope == EnvelopeForm::Action;
        let key = if first_generation { "action" } else { "tool_name" };
        let calls = calls
            .into_iter()
            .map(|call| Said::Members(with_verb(key, &call.verb, call.args)));
        let (name, calls) = match <[Said; 1]>::try_from(calls.collect::<Vec<_>>()) {
            Ok([call]) if first_generation => ("action", call),
            Ok([call]) => ("tool_call", call),
            Err(calls) => ("tool_calls", Said::List(calls)),
        };
        let thought = match self.numbers {
            Numbers::Open(_) => Said::Text(NOTE.to_string()),
            Numbers::Counted(_) | Numbers::Named(_) => Said::text(""),
        };
        let note = if first_generation {
            thought.clone()
        } else {
            Said::bare("null")
        };
        let members = [("note", note), ("thought", thought), (name, calls)];
        Said::Members(members.map(|(name, said)| (name.to_owned(), said)).into())
    }
}

fn with_verb(key: &str, verb: &str, args: CallArgs) -> CallArgs {
    let mut all = vec![(key.to_owned(), Said::text(verb))];
    all.extend(args);
    all
}

fn written(qualifier: &str, Call { verb, args }: &Call) -> String {
    let args: Vec<String> = args
        .iter()
        .map(|(name, value)| format!("{name}={}", value.literal()))
        .collect();
    format!("{qualifier}{verb}({})", args.join(", "))
}

/// Writes a function as elements, with `at` where a line may end. Returns `None` if a value contains one of their tags.
fn elements(function: &str, args: &[(String, Said)], at: &str) -> Option<String> {
    let mut parameters = Vec::new();
    for (name, value) in args {
        let value = value.plain();
        let breaks = [
            "<parameter",
            "</parameter",
            "<function",
            "</function",
            "<invoke",
            "<text",
        ];
        if breaks.iter().any(|tag| value.contains(tag)) {
            return None;
        }
        // One line break at each end is part of the notation. Without them, Seed's `\n` at the end is a line break.
        let framed = value.starts_with(['\n', '\r']) || value.ends_with(['\n', '\r']) || value.ends_with("\\n");
        let frame = if framed { "\n" } else { "" };
        parameters.push(format!(
            "<parameter={name}>{at}{frame}{value}{frame}{at}</parameter>{at}"
        ));
    }
    Some(format!("<function={function}>{at}{}</function>", parameters.concat()))
}

/// Writes `{'action': 'CLICK', 'value': None, 'position': [x, y]}`. Returns `None` if this form would leave something
/// out.
fn dictionary(verb: &str, mut args: CallArgs) -> Option<String> {
    let mut member = |name: &str| {
        let found = args.iter().position(|(key, _)| key == name)?;
        Some(args.remove(found).1.literal())
    };
    let value = member("value").unwrap_or_else(|| "None".to_owned());
    let position = member("position").unwrap_or_else(|| "None".to_owned());
    args.is_empty()
        .then(|| format!("{{'action': '{verb}', 'value': {value}, 'position': {position}}}"))
}
