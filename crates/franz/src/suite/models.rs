//! The models that a command names: on its command line, or in a file.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use franz_suite::SuiteModel;
use franz_suite::suite::{Name, models_of};

use super::play;
use super::rules::{self, RULES};
use crate::exit::Unusable;
use crate::terminal::complain;

/// Reads a file of models. Relative files of servers are below its folder.
pub(crate) fn of_file(file: &Path) -> Result<Vec<SuiteModel>> {
    let mut models = models_of(file, &RULES).map_err(Unusable::usage)?;
    let whole = std::path::absolute(file).context("cannot find the current folder")?;
    for model in &mut models {
        if let (Some(file), Some(folder)) = (&mut model.upstream_file, whole.parent()) {
            *file = folder.join(&*file);
        }
    }
    Ok(models)
}

/// Reads the model at a server, given as `NAME=URL`.
pub(crate) fn given(given: &str) -> Result<SuiteModel> {
    // The address may hold a password, so no error shows it.
    let wrong = || Unusable::usage("--upstream: write NAME=URL, such as small=http://127.0.0.1:8080");
    let (name, url) = given.split_once('=').ok_or_else(wrong)?;
    let name = Name::try_from(name.to_owned()).map_err(|problem| Unusable::usage(format!("--upstream: {problem}")))?;
    rules::server(url).map_err(|problem| Unusable::usage(format!("--upstream {name}=…: {problem}")))?;
    Ok(SuiteModel {
        name,
        served_as: None,
        upstream: Some(url.to_owned()),
        upstream_file: None,
        key_env: None,
        family: None,
        set: toml::Table::new(),
    })
}

/// Returns the known models of these names, or all of them.
pub(crate) fn chosen(known: Vec<SuiteModel>, wanted: &[String]) -> Result<Vec<SuiteModel>> {
    let mut names = BTreeSet::new();
    if let Some(twice) = known.iter().find(|model| !names.insert(model.name.clone())) {
        return Err(Unusable::usage(format!("there are two models called {}; rename one", twice.name)).into());
    }
    if known.is_empty() {
        let words = "no model is given: add --upstream NAME=URL, or --models-from FILE with [[model]] tables";
        return Err(Unusable::usage(words).into());
    }
    if wanted.is_empty() {
        return Ok(known);
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = wanted.iter().find(|name| !names.insert(*name)) {
        return Err(Unusable::usage(format!("--models: {twice} is given twice; name each model once")).into());
    }
    let find = |name: &String| {
        let found = known.iter().find(|model| model.name.as_str() == name).cloned();
        found.ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|model| model.name.as_str()).collect();
            Unusable::usage(format!("there is no model {name}, only {}", names.join(", ")))
        })
    };
    Ok(wanted.iter().map(find).collect::<Result<_, _>>()?)
}

/// Warns about each model whose server needs a key that is not here.
pub(crate) fn warn_of_keys(models: &[SuiteModel]) {
    for model in models {
        let Some(variable) = &model.key_env else { continue };
        match play::key(variable) {
            Ok(Some(_)) => {}
            Ok(None) => complain(&format!(
                "{}: neither {variable} nor {variable}_FILE is set here, so its server gets no key; set one of them for `franz suite run`",
                model.name
            )),
            Err(error) => complain(&format!("{}: {error:#}", model.name)),
        }
    }
}
