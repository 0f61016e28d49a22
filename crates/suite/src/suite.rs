//! `suite.toml`: the tasks of a suite and the models that play them.

mod name;
mod settings;
mod source;
mod task;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use name::Name;
pub use task::{LONGEST_LIVE_CHECK, SuiteTask, TaskScreen};

use crate::folder::{self, FolderError};
use source::Source;

/// The file in a suite's folder that describes it.
pub const SUITE_FILE: &str = "suite.toml";

/// The maximum size of that file in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The tasks of a suite, and its models.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The suite's name: `name`, or else the name of its folder.
    pub name: Name,
    /// The tasks, in the order of the file.
    pub tasks: Vec<SuiteTask>,
    /// The models, in the order of the file.
    pub models: Vec<SuiteModel>,
}

/// A model, and how to reach it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteModel {
    /// The name in plans and reports.
    pub name: Name,
    /// The name that its server lists; `None` for the server's only model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_as: Option<String>,
    /// The server: a URL, `auto` or `demo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// The file to which the server's own job writes `host:port`. Relative to the suite's folder; absolute in a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_file: Option<PathBuf>,
    /// The environment variable that holds its API key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The family, if the model's name does not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Settings for its runs, by key: `"model.temperature" = 0.2`.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub set: toml::Table,
}

impl SuiteModel {
    /// Checks that the model has one server, that its key is named and not written, and that none of its settings is
    /// reserved.
    pub(crate) fn check(&self) -> Result<(), String> {
        match (&self.upstream, &self.upstream_file) {
            (Some(_), Some(_)) => return Err("give either upstream or upstream_file, not both".to_owned()),
            (None, None) => {
                let words = "where is the model's server? Give upstream = \"http://HOST:PORT\" or upstream_file";
                return Err(words.to_owned());
            }
            _ => {}
        }
        if self.key_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let words = "key_env names an environment variable in capital letters; never write the key itself";
            return Err(words.to_owned());
        }
        let file = self.upstream_file.as_ref().and_then(|file| file.to_str());
        let mut texts = [self.served_as.as_deref(), file].into_iter().flatten();
        if texts.any(|text| text.contains('\0')) {
            return Err("served_as and upstream_file cannot contain a NUL character".to_owned());
        }
        settings::check(&self.set)
    }

    /// Returns whether the model's answers do not vary, because its temperature is set to 0.
    pub fn is_greedy(&self) -> bool {
        self.set.get(TEMPERATURE).is_some_and(is_zero)
    }

    /// Returns whether the model's answers to a task do not vary, because the task sets its temperature to 0 and the model
    /// does not set another one.
    pub fn is_greedy_at(&self, task: &SuiteTask) -> bool {
        !self.set.contains_key(TEMPERATURE) && task.set.get(TEMPERATURE).is_some_and(is_zero)
    }
}

/// The key of the temperature.
const TEMPERATURE: &str = "model.temperature";

fn is_zero(value: &toml::Value) -> bool {
    value.as_float() == Some(0.0) || value.as_integer() == Some(0)
}

/// Checks that need FRANZ's own settings and families. Each returns what is wrong.
#[derive(Clone, Copy, Debug)]
pub struct SuiteRules {
    /// Checks that settings exist and have such values.
    pub settings: fn(&toml::Table) -> Result<(), String>,
    /// Checks a model's server and family.
    pub model: fn(&SuiteModel) -> Result<(), String>,
}

impl SuiteRules {
    /// Accepts everything.
    pub const NONE: SuiteRules = SuiteRules {
        settings: |_| Ok(()),
        model: |_| Ok(()),
    };
}

/// Why a suite cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A line of the file is wrong.
    #[error("{}, line {line}: {problem}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The mistake, and what to write instead.
        problem: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: Option<toml::Spanned<String>>,
    #[serde(default)]
    task: Vec<task::WrittenTask>,
    #[serde(default)]
    model: Vec<WrittenModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenModel {
    name: toml::Spanned<String>,
    served_as: Option<String>,
    upstream: Option<String>,
    upstream_file: Option<PathBuf>,
    key_env: Option<String>,
    family: Option<String>,
    #[serde(default)]
    set: toml::Table,
}

impl Suite {
    /// Reads the suite in `folder`, and checks that every file it names exists and that it keeps to the rules.
    pub fn load(folder: &Path, rules: &SuiteRules) -> Result<Suite, SuiteError> {
        let file = folder.join(SUITE_FILE);
        let bytes = folder::read(&file, MOST_BYTES)?;
        let source = Source::decode(&file, bytes)?;
        let written: Written = source.parse()?;
        if written.task.is_empty() {
            return Err(source.error(1, "there is no [[task]]; a suite needs at least one"));
        }
        let name = match written.name {
            Some(name) => source.name(&name)?,
            None => source.folder_name(folder)?,
        };
        let mut known = BTreeSet::new();
        let mut tasks = Vec::new();
        for task in written.task {
            let line = source.line(&task.name);
            let task = task.check(&source, folder, rules)?;
            if !known.insert(task.name.clone()) {
                return Err(source.error(line, &format!("there are two tasks called {}; rename one", task.name)));
            }
            tasks.push(task);
        }
        let models = models(written.model, &source, rules)?;
        Ok(Suite { name, tasks, models })
    }

    /// Returns the task of this name.
    pub fn task(&self, name: &Name) -> Option<&SuiteTask> {
        self.tasks.iter().find(|task| task.name == *name)
    }

    /// Returns the model of this name.
    pub fn model(&self, name: &str) -> Option<&SuiteModel> {
        self.models.iter().find(|model| model.name.as_str() == name)
    }
}

/// Reads a file that holds only `[[model]]` tables.
pub fn models_of(file: &Path, rules: &SuiteRules) -> Result<Vec<SuiteModel>, SuiteError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Models {
        #[serde(default)]
        model: Vec<WrittenModel>,
    }
    let source = Source::decode(file, folder::read(file, MOST_BYTES)?)?;
    let written: Models = source.parse()?;
    models(written.model, &source, rules)
}

fn models(written: Vec<WrittenModel>, source: &Source, rules: &SuiteRules) -> Result<Vec<SuiteModel>, SuiteError> {
    let mut models: Vec<SuiteModel> = Vec::new();
    for model in written {
        let line = source.line(&model.name);
        let wrong = |problem: &str| Err(source.error(line, problem));
        let name = source.name(&model.name)?;
        if models.iter().any(|other| other.name == name) {
            return wrong(&format!("there are two models called {name}; rename one"));
        }
        let model = SuiteModel {
            name,
            served_as: model.served_as,
            upstream: model.upstream,
            upstream_file: model.upstream_file,
            key_env: model.key_env,
            family: model.family,
            set: model.set,
        };
        let checked = model.check().and_then(|()| (rules.settings)(&model.set));
        if let Err(problem) = checked.and_then(|()| (rules.model)(&model)) {
            return wrong(&problem);
        }
        models.push(model);
    }
    Ok(models)
}

/// Returns the files that servers' own jobs write into the suite's folder, as paths below it. The suite's digest leaves
/// them out.
pub fn own_files_of_servers(models: &[SuiteModel], folder: &Path) -> Vec<PathBuf> {
    let files = models.iter().filter_map(|model| model.upstream_file.as_ref());
    let inside = files.filter(|file| file.is_relative() || file.starts_with(folder));
    inside
        .map(|file| file.strip_prefix(folder).unwrap_or(file).to_owned())
        .collect()
}

/// Returns whether this can be the name of a variable. A key pasted by mistake usually cannot be one.
fn is_variable(text: &str) -> bool {
    let mut bytes = text.bytes();
    let starts = bytes
        .next()
        .is_some_and(|first| first.is_ascii_uppercase() || first == b'_');
    starts && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests;
