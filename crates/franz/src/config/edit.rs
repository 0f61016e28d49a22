//! Changes a single key in the text of a configuration file. Comments and the order of keys stay.

use toml::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError};

/// The reason why a configuration file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    #[error(transparent)]
    Syntax(#[from] TomlError),
    #[error("{0} is not a table")]
    NoTable(String),
}

/// Returns the text with one key changed or removed.
pub(crate) fn changed(text: &str, name: &str, value: Option<&Value>) -> Result<String, EditError> {
    let mut document = text.parse()?;
    put(&mut document, name, value)?;
    Ok(document.to_string())
}

/// Sets or removes a key. Keeps the comments next to it.
pub(crate) fn put(document: &mut DocumentMut, name: &str, value: Option<&Value>) -> Result<(), EditError> {
    let mut parts: Vec<&str> = name.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in parts {
        let inner = table.entry(part).or_insert(Item::Table(Table::new()));
        table = inner
            .as_table_like_mut()
            .ok_or_else(|| EditError::NoTable(part.to_owned()))?;
    }
    let Some(value) = value else {
        table.remove(last);
        return Ok(());
    };
    let mut new: toml_edit::Value = value.to_string().parse()?;
    // Inserting over a key would remove the comments above it.
    if let Some(Item::Value(old)) = table.get_mut(last) {
        *new.decor_mut() = old.decor().clone();
        *old = new;
    } else {
        table.insert(last, Item::Value(new));
    }
    Ok(())
}
