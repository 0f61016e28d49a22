//! Reads the functions that a request offers.

use serde_json::Value;

/// One function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolSpec {
    /// The function's name.
    pub(crate) name: String,
    /// The names of the function's parameters.
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

    /// Reads the functions that a prompt lists as objects, one per line below the heading CALLS. Returns `None` if
    /// there are none.
    pub(crate) fn listed(prompt: &str) -> Option<Vec<ToolSpec>> {
        let offer = |line: &str| {
            let (name, parameters) = line
                .trim_start()
                .strip_prefix("{\"name\": \"")?
                .split_once("\", \"parameters\": {")?;
            let pieces: Vec<&str> = parameters.split('"').collect();
            let is_key = |at: &usize| pieces.get(at + 1).is_some_and(|next| next.starts_with(':'));
            let keys = (1..pieces.len()).step_by(2).filter(is_key);
            Some(ToolSpec {
                name: name.to_owned(),
                parameters: keys.map(|at| pieces[at].to_owned()).collect(),
            })
        };
        let listed = prompt.lines().skip_while(|line| *line != "CALLS").skip(1);
        let offers: Vec<ToolSpec> = listed.map_while(offer).collect();
        (!offers.is_empty()).then_some(offers)
    }

    /// Returns the first offer with one of these names; earlier names take precedence.
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
    fn malformed_tool_offers_are_skipped() {
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

    #[test]
    fn functions_in_a_prompt_are_read() {
        let prompt = "CALLS\n  {\"name\": \"observe_screen\", \"parameters\": {}} -- look\n  \
            {\"name\": \"click_element\", \"parameters\": {\"label\": \"<what, \", \"box\": [y, x], \"kind\": \"<left or right>\"}}\n\
            You click with {\"name\": \"drag\", \"parameters\": {}}.";
        let offers = ToolSpec::listed(prompt).unwrap();
        let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
        assert_eq!(names, ["observe_screen", "click_element"]);
        assert!(offers[0].parameters.is_empty());
        assert_eq!(offers[1].parameters, ["label", "box", "kind"]);
        let goal = "Your task:\n{\"name\": \"a\", \"parameters\": {}}\n";
        assert_eq!(ToolSpec::listed(goal), None);
        let both = ToolSpec::listed(&format!("{goal}{prompt}")).unwrap();
        assert_eq!(both.len(), 2);
    }
}
