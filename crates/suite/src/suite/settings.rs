//! The settings of tasks and models, by key.

/// Settings that would undo what an attempt needs.
const RESERVED: [&str; 9] = [
    "record.dir",
    "record.required",
    "screen.kind",
    "screen.drawing",
    "screen.start",
    "panel.",
    "loop.max_turns",
    "model.upstream",
    "prompt.goal",
];

/// The longest settings of a task or a model together, in bytes.
const LONGEST: usize = 50_000;

/// Checks settings: their keys look like `model.temperature`, none is reserved, no value is a table, and they fit a
/// command line. An error says what is wrong.
pub(super) fn check(set: &toml::Table) -> Result<(), String> {
    for (key, value) in set {
        if !key.contains('.') {
            return Err(format!(
                "set: {key:?} is not a setting; write it in quotes with its table, as in \"model.temperature\" = 0.2"
            ));
        }
        if RESERVED.iter().any(|reserved| key.starts_with(reserved)) {
            return Err(format!("set: {key} is set by the suite itself"));
        }
        if value.as_str().is_some_and(|text| text.contains('\0')) {
            return Err(format!("set: {key} contains a NUL character; remove it"));
        }
        if value.is_table() && key != "model.extra" {
            return Err(format!("set: {key} cannot be a table"));
        }
    }
    if set.to_string().len() > LONGEST {
        return Err(format!("set has more than {LONGEST} bytes; shorten it"));
    }
    Ok(())
}
