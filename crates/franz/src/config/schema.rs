//! A JSON Schema (draft 2020-12) of the keys, which lets editors complete, explain and check a configuration file.

use franz_action::tool::TOOLS;
use serde_json::{Value, json};

use super::key::ConfigKey;
use super::kind::{LEAST_BYTES, UNITS, ValueKind};
use super::layer::Layer;

/// The keyword that says who may set a key.
const TRUST: &str = "x-franz-trust";

/// Returns the schema of a profile, a `franz.toml` or a run's `config.toml`. No key is required.
pub(crate) fn schema() -> Value {
    let defaults = Layer::defaults();
    let mut root = table();
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("FRANZ configuration");
    root["description"] = json!("A profile, a franz.toml, or the config.toml of a run.");
    for name in ConfigKey::names() {
        let Some(key) = ConfigKey::named(&name) else { continue };
        let mut place = &mut root;
        for part in name.split('.') {
            place = &mut place["properties"][part];
            if place.is_null() {
                *place = table();
            }
        }
        *place = of(&key);
        if let Some(default) = defaults.get(&name) {
            place["default"] = json!(default);
        }
    }
    root
}

fn table() -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

fn of(key: &ConfigKey) -> Value {
    let mut schema = takes(key.kind);
    let live = if key.live {
        " An edit of a run's config.toml takes effect on the next turn."
    } else {
        ""
    };
    schema["description"] = json!(format!("{}.{live}", key.about));
    schema[TRUST] = json!(key.trust.word());
    schema
}

fn takes(kind: ValueKind) -> Value {
    match kind {
        ValueKind::Text => json!({ "type": "string" }),
        ValueKind::Filled => json!({ "type": "string", "pattern": "\\S" }),
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Number(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
        ValueKind::Count(least, i64::MAX) => json!({ "type": "integer", "minimum": least }),
        ValueKind::Count(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        ValueKind::Bytes(_) => {
            let units = UNITS.map(|(unit, _)| unit).join("|");
            let size = format!("^(all|none|[0-9]{{1,9}} ?({units}))$");
            let numbers = json!([{ "maximum": 0 }, { "minimum": LEAST_BYTES }]);
            json!({ "type": ["string", "integer", "boolean"], "minimum": 0, "anyOf": numbers, "pattern": size })
        }
        ValueKind::Choice(words) => json!({ "type": "string", "enum": words }),
        ValueKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        ValueKind::Region => {
            let pixels = json!({ "type": "integer", "minimum": 0, "maximum": i16::MAX });
            json!({ "type": "array", "items": pixels, "minItems": 4, "maxItems": 4 })
        }
        ValueKind::Scenarios => {
            let filled = json!({ "type": "string", "pattern": "\\S" });
            let mut scenario = table();
            scenario["properties"] = json!({ "name": filled, "goal": filled });
            scenario["required"] = json!(["name", "goal"]);
            json!({ "type": "array", "items": scenario })
        }
        ValueKind::Tools => {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            json!({ "type": "array", "items": { "type": "string", "enum": names } })
        }
        ValueKind::Rules => {
            let thousandths = json!({ "type": "number", "minimum": 0, "maximum": 1000 });
            let area = json!({ "type": "array", "items": thousandths, "minItems": 4, "maxItems": 4 });
            let mut rule = table();
            rule["properties"] = json!({
                "area": area,
                "outside": area,
                "tools": takes(ValueKind::Tools),
                "keys": { "type": "array", "items": { "type": "string" } },
                "text": { "type": "string", "pattern": "\\S" },
                "then": { "type": "string", "enum": ["ask", "deny"] },
            });
            rule["required"] = json!(["then"]);
            json!({ "type": "array", "items": rule })
        }
        ValueKind::Masks => {
            let line = json!({ "type": "string", "pattern": "\\S" });
            let side = json!({ "type": "integer", "minimum": 0, "maximum": 1000 });
            let mut mask = table();
            mask["properties"] = json!({
                "area": { "type": "array", "items": side, "minItems": 4, "maxItems": 4 },
                "window": line,
                "name": line,
            });
            mask["oneOf"] = json!([{ "required": ["area"] }, { "required": ["window"] }]);
            json!({ "type": "array", "items": mask })
        }
        ValueKind::Fields => json!({ "type": "object" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layer::Layer;
    use crate::config::profile::BUILT_IN;
    use crate::config::settings::Settings;

    /// Checks whether a value fits a schema. Knows the keywords that our schema uses; any other keyword fails the test.
    fn fits(schema: &Value, value: &Value) -> bool {
        let number = |limit: &Value| limit.as_f64().unwrap();
        schema
            .as_object()
            .unwrap()
            .iter()
            .all(|(keyword, wanted)| match keyword.as_str() {
                "$schema" | "title" | "description" | "default" | TRUST => true,
                "type" if wanted.is_array() => {
                    let types = wanted.as_array().unwrap().iter();
                    types.filter(|wanted| fits(&json!({ "type": wanted }), value)).count() == 1
                }
                "type" => match wanted.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    "integer" => value.is_i64(),
                    other => panic!("unknown type {other}"),
                },
                "enum" => wanted.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().is_none_or(|value| value >= number(wanted)),
                "maximum" => value.as_f64().is_none_or(|value| value <= number(wanted)),
                "pattern" if wanted == "^(all|none|[0-9]{1,9} ?(kB|MB|GB))$" => value.as_str().is_none_or(|text| {
                    let number = ["kB", "MB", "GB"].into_iter().find_map(|unit| text.strip_suffix(unit));
                    let number = number.map(|number| number.strip_suffix(' ').unwrap_or(number));
                    let is_short = |number: &str| (1..=9).contains(&number.len());
                    ["all", "none"].contains(&text)
                        || number
                            .is_some_and(|number| is_short(number) && number.bytes().all(|byte| byte.is_ascii_digit()))
                }),
                "pattern" if wanted == "\\S" => value.as_str().is_none_or(|text| !text.trim().is_empty()),
                "minItems" => value
                    .as_array()
                    .is_none_or(|items| json!(items.len()).as_f64() >= wanted.as_f64()),
                "maxItems" => value
                    .as_array()
                    .is_none_or(|items| json!(items.len()).as_f64() <= wanted.as_f64()),
                "items" => value
                    .as_array()
                    .is_none_or(|items| items.iter().all(|item| fits(wanted, item))),
                "anyOf" => wanted.as_array().unwrap().iter().any(|choice| fits(choice, value)),
                "oneOf" => {
                    let choices = wanted.as_array().unwrap().iter();
                    choices.filter(|choice| fits(choice, value)).count() == 1
                }
                "required" => value.as_object().is_none_or(|table| {
                    let names = wanted.as_array().unwrap();
                    names.iter().all(|name| table.contains_key(name.as_str().unwrap()))
                }),
                "properties" => value.as_object().is_none_or(|table| {
                    let known = table
                        .iter()
                        .filter_map(|(name, value)| Some((wanted.get(name)?, value)));
                    known.into_iter().all(|(schema, value)| fits(schema, value))
                }),
                "additionalProperties" => {
                    assert_eq!(wanted, &json!(false));
                    let table = value.as_object();
                    table.is_none_or(|table| table.keys().all(|name| schema["properties"].get(name).is_some()))
                }
                other => panic!("unknown keyword {other}"),
            })
    }

    fn file_fits(text: &str) -> bool {
        fits(&schema(), &json!(text.parse::<toml::Table>().unwrap()))
    }

    #[test]
    fn built_in_files_and_run_settings_match_the_schema() {
        assert!(file_fits(&Layer::defaults().table().to_string()));
        for profile in &BUILT_IN {
            assert!(file_fits(profile.text), "{}", profile.name);
            let whole = Layer::defaults().over(profile.layer());
            assert!(
                file_fits(&Settings::resolve(&whole).to_toml().unwrap()),
                "{}",
                profile.name
            );
        }
        for wrong in [
            "odd = 1",
            "[modle]",
            "model = 1",
            "[image]\nwidht = 100",
            "[protocol.tools]\nleft_clik = true",
            "[[prompt.scenarios]]\nname = 'a'",
            "[[screen.mask]]\nname = 'a'",
            "[[prompt.scenarios]]\nname = 'a'\ngoal = 'b'\nmore = 'c'",
        ] {
            assert!(!file_fits(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_schema_accepts_the_same_values_as_the_keys() {
        let values = r#"[
            true, false, -1, 0, 1, 2, 16, 17, 100, 101, 999, 1000, 8192, 8193, 9000000000000000000, -0.5, 0.005, 0.5, 10.5, 90000.5, "", "word", "all", "none", "7 kB", "500MB", "1 GB", "GB", "1  GB", "-1 GB", "1 TB",
            "python", "tools", "story", "conversation", "seeds", "canvas", "desktop", [], [0, 0, 100], [0, 0, 100, 100], [0, -1, 100, 100], ["a"], ["a", 1], {}, [{}],
            [{ name = "a", goal = "b" }], [{ name = "", goal = "b" }], [{ name = "a" }], [{ name = "a", goal = "b", more = 1 }],
            [{ area = [0, 0, 100, 100] }], [{ area = [0, 0, 1001, 100] }], [{ window = "a", name = "b" }], [{ window = " " }],
            [{ window = "a", area = [0, 0, 100, 100] }], [{ window = "a", more = 1 }]
        ]"#;
        let values: toml::Value = values.parse().unwrap();
        for name in ConfigKey::names() {
            let key = ConfigKey::named(&name).unwrap();
            let pointer = format!("/properties/{}", name.replace('.', "/properties/"));
            let schema = schema().pointer(&pointer).unwrap().clone();
            assert!(schema["description"].as_str().unwrap().starts_with(key.about));
            for value in values.as_array().unwrap() {
                assert_eq!(
                    fits(&schema, &json!(value)),
                    key.kind.check(value).is_ok(),
                    "{name} = {value}"
                );
            }
            if let Some(default) = schema.get("default") {
                assert!(fits(&schema, default), "{name}");
            }
        }
    }
}
