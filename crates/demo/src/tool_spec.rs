//! The functions that a request offers for calling.

use serde_json::Value;

/// One function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolSpec {
    /// Its name.
    pub(crate) name: String,
    /// The names of its parameters.
    pub(crate) parameters: Vec<String>,
}

impl ToolSpec {
    /// Reads a `tools` array; returns `None` if it is missing or empty. Entries that are not functions are ignored.
    pub(crate) fn all(tools: &Value) -> Option<Vec<ToolSpec>> {
        let tools = tools.as_array().filter(|tools| !tools.is_empty())?;
        let offer = |tool: &Value| {
            let function = &tool["function"];
            let properties = function["parameters"]["properties"].as_object();
            Some(ToolSpec {
                name: function["name"].as_str()?.to_owned(),
                parameters: properties.into_iter().flat_map(|all| all.keys().cloned()).collect(),
            })
        };
        Some(tools.iter().filter_map(offer).collect())
    }

    /// Returns the first offer that has one of these names, preferring earlier names.
    pub(crate) fn find<'a>(offers: &'a [ToolSpec], names: &[&str]) -> Option<&'a ToolSpec> {
        names
            .iter()
            .find_map(|name| offers.iter().find(|offer| offer.name == *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn offers_are_read_as_far_as_they_go() {
        for nothing in [json!(null), json!([]), json!({ "a": 1 }), json!("drag")] {
            assert_eq!(ToolSpec::all(&nothing), None, "{nothing}");
        }
        let tools = json!([3, null, { "function": 5 }, { "function": { "name": "observe_screen" } },
            { "type": "function", "function": { "name": "drag", "parameters": { "type": "object",
                "properties": { "x1": {}, "y1": {}, "x2": {}, "y2": {} } } } }]);
        let offers = ToolSpec::all(&tools).unwrap();
        let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
        assert_eq!(names, ["observe_screen", "drag"]);
        let drag = ToolSpec::find(&offers, &["paint", "drag"]).unwrap();
        assert_eq!(drag.parameters, ["x1", "x2", "y1", "y2"]);
        assert_eq!(ToolSpec::all(&json!([3])), Some(Vec::new()));
    }
}
