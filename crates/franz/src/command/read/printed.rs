//! Prints a reading, for people and for programs.

use std::io::{self, Write};

use franz_dialect::{Family, Fate, ReadStep, Reading};
use franz_record::output::inert;
use serde_json::{Value, json};

use super::request::Request;
use crate::terminal::{one_line, printable};

/// Returns a reading as one line of JSON.
pub(super) fn json(family: &Family, request: &Request, reading: &Reading) -> String {
    let steps: Vec<String> = reading.steps.iter().map(step).collect();
    let mut members = Vec::new();
    if let Some(id) = &request.id {
        members.push(("id", id.to_string()));
    }
    members.extend([
        ("family", json!(family.name).to_string()),
        ("dialect", json!(reading.dialect).to_string()),
        ("recognised", json!(reading.recognised).to_string()),
        ("steps", format!("[{}]", steps.join(", "))),
        ("answer", json!(reading.answer).to_string()),
        ("asks", json!(reading.question()).to_string()),
        ("told", json!(reading.told).to_string()),
        ("problems", json!(reading.problems).to_string()),
    ]);
    let line = object(&members);
    String::from_utf8_lossy(&inert(line.as_bytes())).into_owned()
}

/// Writes an object with its members in the given order.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("\"{name}\": {value}"))
        .collect();
    format!("{{{}}}", members.join(", "))
}

fn step(step: &ReadStep) -> String {
    object(&[
        ("action", json!(step.action().map(ToString::to_string)).to_string()),
        ("name", json!(step.name).to_string()),
        ("points", json!(step.points).to_string()),
        ("args", step.args.to_string()),
        ("done", Value::from(step.why().is_none()).to_string()),
        ("why", json!(step.why()).to_string()),
    ])
}

/// Prints a reading for people.
pub(super) fn text(out: &mut impl Write, family: &Family, request: &Request, reading: &Reading) -> io::Result<()> {
    if let Some(id) = &request.id {
        writeln!(out, "{}", one_line(&id.to_string()))?;
    }
    let space = family.space.name();
    writeln!(
        out,
        "family    {} ({} in {space})",
        one_line(&family.name),
        family.dialect.name
    )?;
    if reading.recognised {
        writeln!(out, "read as   {}", reading.dialect)?;
    }
    if reading.steps.is_empty() {
        writeln!(out, "no call")?;
    }
    for step in &reading.steps {
        match &step.fate {
            Fate::Act(action) => writeln!(out, "do        {}", one_line(&action.to_string()))?,
            Fate::Said | Fate::Ask(_) => writeln!(out, "said      {}", one_line(&step.name))?,
            Fate::Left(why) if step.name.is_empty() => writeln!(out, "not done  {}", one_line(why))?,
            Fate::Left(why) => writeln!(out, "not done  {}: {}", one_line(&step.name), one_line(why))?,
        }
    }
    if let Some(answer) = &reading.answer {
        let ends = if reading.success { "succeeded" } else { "failed" };
        writeln!(out, "answer    {} ({ends})", one_line(answer))?;
    }
    if let Some(question) = reading.question() {
        writeln!(out, "asks      {}", one_line(question))?;
    }
    for problem in &reading.problems {
        writeln!(out, "problem   {}", one_line(problem))?;
    }
    if !reading.told.is_empty() {
        writeln!(out, "feedback to the model:")?;
        for line in reading.told.lines() {
            writeln!(out, "  {}", printable(line))?;
        }
    }
    Ok(())
}
