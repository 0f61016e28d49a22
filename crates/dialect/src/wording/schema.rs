//! The functions that a dialect publishes, for a request's `tools`. They contain only verbs that are switched on.

use franz_action::{Action, ToolSet};
use serde_json::Value;

use super::envelope::Envelope;
use super::said::Said;
use super::{Call, CallArgs, Drag, Writer};
use crate::geometry::{Geometry, Space};
use crate::meaning::Means;

/// The functions that a dialect publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Functions {
    /// None, because its calls are always text.
    None,
    /// A single one, with the verb as an argument.
    One,
    /// One for each verb.
    Each,
}

/// A verb with its arguments and a description.
struct Offer {
    call: Call,
    does: String,
}

impl Writer<'_> {
    /// Writes the array of functions, or returns `None` if the dialect publishes none.
    pub(crate) fn schema(&self, tools: &ToolSet, geometry: &Geometry) -> Option<String> {
        let offers = self.offers(tools);
        let functions: Vec<String> = match (self.wording.functions, self.wording.envelope) {
            (Functions::One, Envelope::Tool(tool)) => {
                let tool = self.manner.tool.as_deref().unwrap_or(tool);
                vec![self.one(tool, &offers, geometry)]
            }
            (Functions::Each, _) => offers.iter().map(|offer| self.each(offer)).collect(),
            _ => return None,
        };
        Some(format!("[{}]", functions.join(",")))
    }

    fn offers(&self, tools: &ToolSet) -> Vec<Offer> {
        let mut offers: Vec<Offer> = Vec::new();
        let mut add = |call: Option<Call>, does: String| {
            if let Some(call) = call
                && !offers.iter().any(|offer| offer.call.verb == call.verb)
            {
                offers.push(Offer { call, does });
            }
        };
        for action in self.samples(tools) {
            let from_pointer = matches!((&action, self.wording.drag), (Action::Drag(_), Drag::FromPointer));
            let does = if from_pointer {
                "hold the left button from the pointer to this place".to_owned()
            } else {
                self.does(&action)
            };
            add(self.call(&action), does);
        }
        add(
            self.finish_call("", true),
            "end the work, with the whole answer".to_owned(),
        );
        offers
    }

    /// Describes a single function with all verbs.
    fn one(&self, tool: &str, offers: &[Offer], geometry: &Geometry) -> String {
        let does: Vec<String> = offers
            .iter()
            .map(|Offer { call, does }| format!("* {}: {does}", call.verb))
            .collect();
        let verbs: Vec<&str> = offers.iter().map(|offer| offer.call.verb.as_str()).collect();
        let action = format!(
            "{{\"type\":\"string\",\"enum\":{},\"description\":{}}}",
            Value::from(verbs),
            Value::from(does.join("\n"))
        );
        let mut properties = vec![("action".to_owned(), action)];
        for (name, value) in offers.iter().flat_map(|offer| &offer.call.args) {
            if !properties.iter().any(|(known, _)| known == name) {
                properties.push((name.clone(), self.property(name, value)));
            }
        }
        let about = format!(
            "Use the mouse and the keyboard of a computer.{} Click the middle of things.",
            resolution(geometry)
        );
        function(tool, &about, &properties, &["action"])
    }

    /// Describes the function for one verb.
    fn each(&self, Offer { call, does }: &Offer) -> String {
        let properties: Vec<(String, String)> = call
            .args
            .iter()
            .map(|(name, value)| (name.clone(), self.property(name, value)))
            .collect();
        let needed: Vec<&str> = call.args.iter().map(|(name, _)| name.as_str()).collect();
        function(&call.verb, does, &properties, &needed)
    }

    /// Describes one argument.
    fn property(&self, name: &str, value: &Said) -> String {
        let wording = self.wording;
        let kind = match value {
            Said::List(list) if matches!(list.first(), Some(Said::Bare(_))) => {
                "array\",\"items\":{\"type\":\"integer\"}"
            }
            Said::List(_) => "array\",\"items\":{\"type\":\"string\"}",
            Said::Bare(word) if matches!(word.as_str(), "true" | "false") => "boolean\"",
            Said::Bare(_) => "number\"",
            Said::Text(_) => "string\"",
            Said::Members(_) => "object\"",
        };
        let words: Vec<&str> = match wording.status {
            Some([status, succeeded, failed]) if status == name => vec![succeeded, failed],
            _ if name == wording.scroll.0 => vec!["up", "down", "left", "right"],
            _ => Vec::new(),
        };
        let said = match value.plain() {
            form if self.is_place(name) => form,
            _ if wording.label == Some(name) => "what is there".to_owned(),
            _ if Some(name) == wording.seconds => "seconds".to_owned(),
            _ => String::new(),
        };
        let listed = if words.is_empty() {
            String::new()
        } else {
            format!(",\"enum\":{}", Value::from(words))
        };
        let said = if said.is_empty() {
            String::new()
        } else {
            format!(",\"description\":{}", Value::from(said))
        };
        format!("{{\"type\":\"{kind}{listed}{said}}}")
    }

    fn is_place(&self, name: &str) -> bool {
        let dragged = match self.wording.drag {
            Drag::Named(names) => names.iter().any(|(_, first, second)| [*first, *second].contains(&name)),
            Drag::Pair(only) => only == name,
            Drag::FromPointer => false,
        };
        dragged || name == self.wording.place
    }

    fn finish_call(&self, answer: &str, success: bool) -> Option<Call> {
        let mut args = CallArgs::new();
        if let Some([name, succeeded, failed]) = self.wording.status {
            args.push((name.to_owned(), Said::text(if success { succeeded } else { failed })));
        }
        if let Some(name) = self.wording.answer.filter(|_| !self.manner.words_answer) {
            args.push((name.to_owned(), Said::text(answer)));
        }
        let verb = self.verb(|means| *means == Means::Finish(true))?;
        Some(Call { verb, args })
    }
}

/// States the screen's size in the numbers that a model should write.
fn resolution(geometry: &Geometry) -> String {
    let size = match geometry.space {
        Space::Pixels => geometry.picture.map(|(width, height)| [width, height]),
        _ => geometry.last(),
    };
    size.map_or_else(String::new, |[width, height]| {
        format!(" The screen's resolution is {width}x{height}.")
    })
}

/// Writes a function by hand, so that names come in their natural order.
fn function(name: &str, does: &str, properties: &[(String, String)], needed: &[&str]) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, kind)| format!("{}:{kind}", Value::from(name.as_str())))
        .collect();
    format!(
        "{{\"type\":\"function\",\"function\":{{\"name\":{},\"description\":{},\"parameters\":{{\"type\":\"object\",\"properties\":{{{}}},\"required\":{}}}}}}}",
        Value::from(name),
        Value::from(does),
        properties.join(","),
        Value::from(needed.to_vec())
    )
}
