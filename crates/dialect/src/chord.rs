//! Keys in the forms that other programs use: in lists, separated by spaces, and in nested lists.

use serde_json::Value;

/// Returns the names of the keys in a value, in order. A chord written as one string counts as one name.
pub(crate) fn names(value: &Value) -> Option<Vec<String>> {
    let names: Vec<String> = match value {
        Value::String(text) => one(text)?,
        Value::Array(list) if list.len() <= 20 => {
            let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            let texts = texts?;
            match texts[..] {
                [only] => one(only)?,
                _ => texts.into_iter().map(clean).collect(),
            }
        }
        _ => return None,
    };
    (!names.is_empty() && names.iter().all(|name| !name.is_empty())).then_some(names)
}

/// Returns the names of the keys in a value, in which a line break or a tab is the key that types it.
pub(crate) fn typed(value: &Value) -> Option<Vec<String>> {
    let key = |value: &Value| match value.as_str() {
        Some("\n" | "\r") => Value::from("enter"),
        Some("\t") => Value::from("tab"),
        _ => value.clone(),
    };
    match value {
        Value::Array(list) => names(&list.iter().map(key).collect()),
        one => names(&key(one)),
    }
}

/// Reads one string, which contains keys or a list of keys.
fn one(text: &str) -> Option<Vec<String>> {
    let text = if text == " " {
        return Some(vec!["space".to_owned()]);
    } else {
        text.trim()
    };
    if text.starts_with('[') && text.ends_with(']') && text.len() > 2 {
        let read = crate::json::value(text, crate::json::Closers::Needed).ok()?;
        let list: Vec<String> = serde_json::from_str(&read.text).ok()?;
        return Some(list.iter().map(|name| clean(name)).collect());
    }
    Some(vec![clean(text)])
}

/// Strips the debris of broken lists from a name. A single punctuation mark is a key, so it stays.
fn clean(name: &str) -> String {
    let trimmed = name.trim();
    if trimmed.chars().count() <= 1 {
        return if name == " " {
            "space".to_owned()
        } else {
            trimmed.to_owned()
        };
    }
    let trimmed = trimmed.strip_prefix("keys=").unwrap_or(trimmed);
    trimmed.trim_matches(['[', ']', '\'', '"']).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_names_of_other_programs_are_read() {
        let chord = |value: Value| {
            let keys = names(&value)?.join("+").parse::<franz_action::Keys>();
            keys.ok().map(|keys| keys.names())
        };
        for (value, wanted) in [
            (json!(["ctrl", "a"]), "ctrl+a"),
            (json!("ctrl c"), "ctrl+c"),
            (json!("control+c"), "ctrl+c"),
            (json!(["['ctrl", "a']"]), "ctrl+a"),
            (json!("[\"['ctrl\", \"a']\"]"), "ctrl+a"),
            (json!(["keys=['ctrl'", "c"]), "ctrl+c"),
            (json!("['ctrl', ',']"), "ctrl+,"),
            (json!(["ctrl+a"]), "ctrl+a"),
            (json!(["ENTER"]), "enter"),
            (json!("Page_Down"), "pagedown"),
            (json!(["ctrl", "F"]), "ctrl+f"),
            (json!(["["]), "["),
            (json!(" "), "space"),
            (json!("+"), "+"),
        ] {
            assert_eq!(chord(value.clone()).as_deref(), Some(wanted), "{value}");
        }
        for (value, wanted) in [(json!("\n"), "enter"), (json!(["\t", "\r"]), "tab enter")] {
            let names = typed(&value).map(|names| names.join(" "));
            assert_eq!(names.as_deref(), Some(wanted), "{value}");
            assert_eq!(chord(value.clone()), None, "{value}");
        }
        for value in [json!([1]), json!([]), json!(5), json!(["127.0.0.1", "ctrl"]), json!("")] {
            assert_eq!(chord(value.clone()), None, "{value}");
        }
    }
}
