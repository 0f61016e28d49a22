//! The text of a suite's file, with the line of every mistake.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::Spanned;

use super::{Name, SuiteError, SuiteRules, settings};
use crate::folder::FolderError;

/// The text of a file.
pub(super) struct Source {
    file: PathBuf,
    text: String,
}

impl Source {
    pub(super) fn decode(file: &Path, bytes: Vec<u8>) -> Result<Source, SuiteError> {
        let text = String::from_utf8(bytes).map_err(|_| FolderError::NotText { path: file.to_owned() })?;
        Ok(Source {
            file: file.to_owned(),
            text,
        })
    }

    /// Parses the file. An error gives the line of the mistake.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, SuiteError> {
        toml::from_str(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(self.line_at(at), error.message())
        })
    }

    /// Returns the error for a line.
    pub(super) fn error(&self, line: usize, problem: &str) -> SuiteError {
        SuiteError::Line {
            file: self.file.clone(),
            line,
            problem: problem.replace('\n', " "),
        }
    }

    /// Returns the line, from 1, of a value.
    pub(super) fn line<T>(&self, value: &Spanned<T>) -> usize {
        self.line_at(value.span().start)
    }

    /// Checks a name.
    pub(super) fn name(&self, value: &Spanned<String>) -> Result<Name, SuiteError> {
        let name = Name::try_from(value.get_ref().clone());
        name.map_err(|problem| self.error(self.line(value), &problem))
    }

    /// Returns the name of the suite's folder.
    pub(super) fn folder_name(&self, folder: &Path) -> Result<Name, SuiteError> {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Name::try_from(name).map_err(|problem| {
            self.error(
                1,
                &format!("the folder's name cannot name the suite ({problem}); give name = \"…\" here"),
            )
        })
    }

    /// Checks the settings that stand at a line.
    pub(super) fn settings(
        &self,
        line: usize,
        set: toml::Table,
        rules: &SuiteRules,
    ) -> Result<toml::Table, SuiteError> {
        let checked = settings::check(&set).and_then(|()| (rules.settings)(&set));
        checked.map_err(|problem| self.error(line, &problem))?;
        Ok(set)
    }

    fn line_at(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        before.matches('\n').count() + 1
    }
}
