//! The replies to read: from a file, from stdin, or from the lines of a JSON Lines file.

use std::io::Read;
use std::path::Path;

use anyhow::Result;
use franz_action::Point;
use serde_json::Value;

use crate::cli::ReadArgs;
use crate::exit::Unusable;

/// One reply to read.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// The ID in the reply's line.
    pub(super) id: Option<Value>,
    pub(super) text: String,
    pub(super) tool_calls: Option<String>,
    pub(super) family: Option<String>,
    pub(super) picture: Option<(u32, u32)>,
    pub(super) screen: Option<(u32, u32)>,
    pub(super) pointer: Option<Point>,
    pub(super) cut: bool,
}

/// Returns the replies that the command line names.
pub(super) fn all(arguments: &ReadArgs) -> Result<Vec<Result<Request>>> {
    let text = content(&arguments.file)?;
    let calls = arguments.calls.as_deref().map(content).transpose()?;
    let given = || Request {
        family: arguments.family.clone(),
        picture: arguments.picture.map(|size| (size.0, size.1)),
        screen: arguments.screen.map(|size| (size.0, size.1)),
        cut: arguments.cut,
        ..Request::default()
    };
    if !arguments.lines {
        return Ok(vec![Ok(Request {
            text,
            tool_calls: calls,
            ..given()
        })]);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    Ok(lines
        .map(|(number, line)| line_of(line, given()).map_err(|what| wrong(number + 1, &what)))
        .collect())
}

fn wrong(line: usize, what: &str) -> anyhow::Error {
    Unusable::usage(format!("line {line}: {what}")).into()
}

/// Returns the text of a file, or of stdin.
#[expect(
    clippy::disallowed_methods,
    reason = "a file that the person names, which is no file of a run"
)]
pub(super) fn content(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes).map(drop)
    } else {
        std::fs::read(file).map(|read| bytes = read)
    };
    read.map_err(|error| Unusable::usage(format!("{}: {error}", file.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses `{"id", "text", "tool_calls"?, "family"?, "picture"?}`. Fields that the line does not have come from `given`.
fn line_of(line: &str, given: Request) -> Result<Request, String> {
    let Value::Object(members) = serde_json::from_str(line).unwrap_or_default() else {
        return Err("not a JSON object; write one such as {\"id\": \"a\", \"text\": \"...\"}".to_owned());
    };
    let member = |name: &str| members.get(name).filter(|value| !value.is_null());
    let text = match member("text") {
        Some(Value::String(text)) => text.clone(),
        None => String::new(),
        Some(_) => return Err("'text' must be a string".to_owned()),
    };
    let tool_calls = member("tool_calls").map(|calls| match calls {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let size = |name: &str, other: Option<(u32, u32)>| match member(name) {
        None => Ok(other),
        Some(value) => size(value)
            .map(Some)
            .ok_or_else(|| format!("'{name}' must be a size such as [1344, 896]")),
    };
    let pointer = member("pointer").and_then(|value| serde_json::from_value::<(f64, f64)>(value.clone()).ok());
    Ok(Request {
        id: member("id").cloned(),
        text,
        tool_calls,
        family: member("family")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or(given.family),
        picture: size("picture", given.picture)?,
        screen: size("screen", given.screen)?,
        pointer: pointer.map(|(x, y)| Point::nearest(x, y)),
        cut: member("cut").and_then(Value::as_bool).unwrap_or(given.cut),
    })
}

fn size(value: &Value) -> Option<(u32, u32)> {
    match value {
        Value::String(text) => text.parse::<crate::cli::Size>().ok().map(|size| (size.0, size.1)),
        list => serde_json::from_value(list.clone())
            .ok()
            .filter(|(width, height)| *width > 0 && *height > 0),
    }
}
