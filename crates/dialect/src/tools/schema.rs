//! The array of tools in a request, made from the table of functions. It is short, because models read all of it again
//! in every turn. It does not repeat what a name or a schema keyword already says, and explains the numbers in places
//! only once.

use franz_action::ToolSet;
use serde_json::{Value, json};

use super::function::{DIRECTIONS, Function, Property, PropertyKind, buttons, clicks};
use crate::geometry::{Geometry, Space};

/// Returns the functions whose tools are switched on, as compact JSON, always in the same order.
pub(super) fn text(tools: &ToolSet, geometry: &Geometry) -> String {
    let mut schema = SchemaWriter {
        tools,
        geometry,
        has_place: false,
    };
    let functions: Vec<String> = Function::offered(tools)
        .map(|function| schema.function(function))
        .collect();
    format!("[{}]", functions.join(","))
}

struct SchemaWriter<'a> {
    tools: &'a ToolSet,
    geometry: &'a Geometry,
    /// Whether the numbers in places have already been explained.
    has_place: bool,
}

impl SchemaWriter<'_> {
    /// Writes the JSON by hand, so that names and parameters come in their natural order.
    fn function(&mut self, function: &'static Function) -> String {
        let name = Value::from(function.name);
        let doc = match function.doc(self.tools) {
            "" => String::new(),
            doc => format!("\"description\":{},", Value::from(doc)),
        };
        let params: Vec<&Property> = function.params(self.tools).collect();
        let properties: Vec<String> = params
            .iter()
            .map(|param| format!("{}:{}", Value::from(param.name), self.kind(function, param)))
            .collect();
        let properties = properties.join(",");
        let needed: Vec<&str> = params
            .iter()
            .filter(|param| function.needs(param, self.tools))
            .map(|param| param.name)
            .collect();
        let needed = if needed.is_empty() {
            String::new()
        } else {
            format!(",\"required\":{}", Value::from(needed))
        };
        format!(
            r#"{{"type":"function","function":{{"name":{name},{doc}"parameters":{{"type":"object","properties":{{{properties}}}{needed}}}}}}}"#
        )
    }

    fn kind(&mut self, function: &Function, param: &Property) -> Value {
        match param.kind {
            PropertyKind::Label if function.takes_target(self.tools) => {
                json!({"type": "string", "description": "what to click, in words that match nothing else on the screen"})
            }
            PropertyKind::Element => {
                json!({"type": "integer", "description": "its number in ELEMENTS; then leave out label and box"})
            }
            PropertyKind::Place => self.place(),
            PropertyKind::Click => {
                let clicks: Vec<&str> = clicks(self.tools).map(|(name, _)| name).collect();
                json!({"type": "string", "enum": clicks})
            }
            PropertyKind::Label | PropertyKind::Text | PropertyKind::Answer => json!({"type": "string"}),
            PropertyKind::Key => json!({"type": "string", "description": "ctrl+s, ctrl+a delete"}),
            PropertyKind::Direction => json!({"type": "string", "enum": DIRECTIONS}),
            PropertyKind::Amount => json!({"type": "integer", "description": "notches"}),
            PropertyKind::Coordinate | PropertyKind::Seconds => json!({"type": "number"}),
            PropertyKind::Flag => json!({"type": "boolean"}),
            PropertyKind::Count => json!({"type": "integer"}),
            PropertyKind::Modifiers => json!({"type": "string", "description": "ctrl+shift"}),
            PropertyKind::Button => json!({"type": "string", "enum": buttons()}),
            PropertyKind::Held => json!({"type": "string", "description": "a key or left button"}),
            PropertyKind::Points => {
                json!({"type": "array", "items": {"type": "array", "items": {"type": self.number()}}})
            }
        }
    }

    fn number(&self) -> &'static str {
        match self.geometry.space {
            Space::Fractions | Space::Percent => "number",
            _ => "integer",
        }
    }

    /// Describes a place. The first description also explains the numbers.
    fn place(&mut self) -> Value {
        let mut place = json!({"type": "array", "items": {"type": self.number()}});
        if !std::mem::replace(&mut self.has_place, true) {
            place["description"] = self.geometry.place_form().into();
        }
        place
    }
}
