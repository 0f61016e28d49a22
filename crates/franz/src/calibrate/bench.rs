//! The bench: a model and everything needed to calibrate it, both for the command and for a run.

use std::path::Path;

use anyhow::Result;
use franz_chat::Sampling;
use franz_dialect::calibration::{Coordinates, Ruling};
use franz_dialect::{Family, Space};

use super::asking::{CalibrationProgress, ServerAsked};
use super::calibrated::{Calibrated, NotUsed};
use super::report::FindingsTable;
use super::served_model::ServedModel;
use super::session::{self, Findings, Subject};
use super::stored;
use crate::agent::ModelServers;
use crate::config::settings::Settings;
use crate::idiom::{self, Idiom};
use crate::state_folder::StateError;
use crate::stop::Stop;

/// A model and everything needed to calibrate it.
pub(crate) struct Bench<'a> {
    servers: &'a ModelServers,
    sampling: Sampling,
    pub(crate) family: Family,
    pub(crate) model: ServedModel,
    /// The size of the pictures to send.
    pub(crate) picture: (u32, u32),
}

impl<'a> Bench<'a> {
    /// Creates the bench for the current server's model, with pictures of the given size or, by default, of the size
    /// that a run uses.
    pub(crate) fn new(
        servers: &'a ModelServers,
        settings: &Settings,
        picture: Option<(u32, u32)>,
    ) -> Result<Bench<'a>> {
        let upstream = servers.upstream();
        let idiom = Idiom {
            family: idiom::decide(&settings.model.family, &upstream.known.id)?.family,
            measured: None,
            screen: picture.unwrap_or(settings.image.size()),
            pointer: None,
        };
        Ok(Bench {
            servers,
            sampling: settings.sampling(&idiom, Some(&upstream.model)),
            model: ServedModel::from(upstream),
            picture: picture.unwrap_or_else(|| idiom.picture(settings)),
            family: idiom.family,
        })
    }

    /// Returns the stored calibration.
    pub(crate) fn known(&self) -> Result<Option<Calibrated>, NotUsed> {
        Calibrated::find(&self.model, &self.family.name, self.picture)
    }

    /// Calibrates the model. Earlier knowledge about the model stays valid unless the answers contradict it.
    pub(crate) fn calibrate(
        &self,
        known: Option<&Calibrated>,
        seed: u64,
        stop: &Stop,
        progress: &mut dyn CalibrationProgress,
    ) -> Result<Findings> {
        let mut asked = ServerAsked {
            servers: self.servers,
            stop,
        };
        let own = (self.family.space != Space::Unknown).then(|| Coordinates::new(self.family.space, self.family.axes));
        let subject = Subject {
            family: &self.family,
            believed: known.map(|known| known.coordinates).or(own),
            picture: self.picture,
            sampling: &self.sampling,
            seed,
        };
        session::run(&mut asked, &subject, progress)
    }

    /// Returns the table of findings.
    pub(crate) fn table(&self, findings: &Findings) -> FindingsTable {
        let mut table = FindingsTable::default();
        let Family {
            name, dialect, space, ..
        } = &self.family;
        table.row("server", &self.servers.upstream().shown);
        let speaks = format!("family {name} ({} in {})", dialect.name, space.name());
        table.row("model", &format!("{}, {speaks}", self.model.name));
        findings.report(&self.family, self.picture, &mut table);
        table
    }

    /// Stores the decision and returns where it is stored; `None` if there is no decision.
    pub(crate) fn store(&self, findings: &Findings) -> Result<Option<String>, StateError> {
        let Some(decision) = findings.decision() else {
            return Ok(None);
        };
        stored::store(&self.model, self.picture, decision, &findings.cost, &self.family.name).map(Some)
    }

    /// Draws the positions at which the model pointed into a file in this directory, and returns the file's path.
    /// `None` if the calibration did not get that far.
    pub(crate) fn draw(&self, findings: &Findings, directory: &Path) -> Result<Option<String>> {
        let Some(pointing) = &findings.pointing else {
            return Ok(None);
        };
        let title = match &pointing.ruling {
            Ruling::Decided(decision) => format!("{}: {}", self.model.name, decision.coordinates),
            Ruling::Open | Ruling::Undecided(_) => format!("{}: not decided", self.model.name),
        };
        let path = super::file::write(&super::drawing::png(pointing, &title)?, directory)?;
        Ok(Some(path.display().to_string()))
    }
}
