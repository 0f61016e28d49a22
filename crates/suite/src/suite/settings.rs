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

/// Checks settings: their keys look like `model.temperature`, none is reserved, and no value is a table. An error says
/// what is wrong.
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
        if value.is_table() && key != "model.extra" {
            return Err(format!("set: {key} cannot be a table"));
        }
    }
    Ok(())
}
