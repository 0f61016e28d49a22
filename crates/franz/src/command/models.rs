//! `franz models`: lists the families, which models they fit, and which family each of a server's models gets.

use std::io::Write;

use anyhow::Result;
use franz_chat::{Candidate, Endpoint};
use franz_dialect::Family;
use tokio::runtime::Builder;

use crate::calibrate::{self, ModelHome};
use crate::cli::ModelsArgs;
use crate::config::flags::Flags;
use crate::consent::Consent;
use crate::exit::Unusable;
use crate::families::{self, Known};
use crate::keys;
use crate::run_location::RunLocation;
use crate::terminal::one_line;
use crate::upstream;

pub(super) fn print(arguments: &ModelsArgs) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    if arguments.forget {
        return forget(arguments, &mut out);
    }
    if let Some(name) = &arguments.name {
        let text = families::text(name)?;
        out.write_all(text.as_bytes())?;
        return Ok(0);
    }
    let known = families::all()?;
    writeln!(
        out,
        "{:<15} {:<13} {:<12} names of models",
        "family", "dialect", "numbers"
    )?;
    for Known { family, file } in &known {
        let own = file
            .as_ref()
            .map(|file| format!(", {}", file.display()))
            .unwrap_or_default();
        let line = format!(
            "{:<15} {:<13} {:<12} {}{own}",
            family.name,
            family.dialect.name,
            numbers(family),
            family.models.join(" ")
        );
        writeln!(out, "{}", one_line(&line))?;
    }
    writeln!(out)?;
    match at_hand(arguments) {
        Ok((server, candidates)) if candidates.is_empty() => writeln!(
            out,
            "No models on {}; load one, or name it with --model",
            one_line(&server)
        )?,
        Ok((server, candidates)) => {
            writeln!(out, "Models on {}:", one_line(&server))?;
            let families: Vec<Family> = known.into_iter().map(|known| known.family).collect();
            for candidate in candidates {
                writeln!(out, "{}", served(&families, &candidate.id))?;
            }
        }
        Err(error) => writeln!(
            out,
            "Not shown: which family fits each model on a server ({})",
            one_line(&error.to_string())
        )?,
    }
    Ok(0)
}

/// Forgets what FRANZ has learned about models, and lists these models.
fn forget(arguments: &ModelsArgs, out: &mut impl Write) -> Result<u8> {
    let server = match arguments.server.upstream.as_deref() {
        None | Some("auto") => None,
        Some("demo") => Some(ModelHome::built_in()),
        Some(address) => {
            let endpoint: Endpoint = address.parse().map_err(Unusable::usage)?;
            Some(ModelHome::server(&endpoint))
        }
    };
    let forgotten = calibrate::forget(server.as_ref(), arguments.server.model.as_deref())?;
    if forgotten.is_empty() {
        writeln!(out, "FRANZ remembers nothing about such a model")?;
    }
    for model in forgotten {
        writeln!(out, "forgot {model}")?;
    }
    Ok(0)
}

/// Describes a family's unit of coordinates.
fn numbers(family: &Family) -> String {
    if family.dialect.is_read_only() {
        return "read only".to_owned();
    }
    family.space.name().to_owned()
}

/// Returns the line for a model that a server lists. The model's name is text from that server.
fn served(families: &[Family], model: &str) -> String {
    one_line(&format!("{model}: {}", fit(families, model)))
}

/// Explains which family a model gets, and why.
fn fit(families: &[Family], model: &str) -> String {
    match Family::matching(families, model) {
        Ok(Some(family)) => format!("{}, by {}", family.name, family.glob_of(model).unwrap_or("its name")),
        Ok(None) => "no family, so FRANZ's own calls; name one with --family".to_owned(),
        Err(tie) => tie.to_string(),
    }
}

/// Returns the address of an available server and the models it lists.
fn at_hand(arguments: &ModelsArgs) -> Result<(String, Vec<Candidate>)> {
    let flags = Flags::of(arguments).with_goal(Some("none"));
    let resolved = RunLocation::New(None).resolve(&flags, Consent::NotAsked)?;
    let keyring = keys::keyring(&arguments.server.key_for)?;
    let named_by = keys::named_by(resolved.origin("model.upstream"));
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(upstream::listed(&resolved.settings, named_by, &keyring))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_show_their_family_and_names_are_escaped() {
        let families = Family::all();
        assert_eq!(
            served(&families, "Qwen/Qwen3-VL-8B"),
            "Qwen/Qwen3-VL-8B: qwen3-vl, by *qwen3-vl*"
        );
        assert!(served(&families, "local").contains("no family, so FRANZ's own calls"));
        let hostile = served(&families, "a\u{1b}[2Jb\nfranz: all is well");
        assert!(!hostile.contains(['\u{1b}', '\n']), "{hostile:?}");
    }
}
