//! `franz suite grounding`

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use franz_record::Exit;
use franz_suite::grounding::report::write_csv;
use franz_suite::grounding::{AnswerStore, GroundingReport, GroundingSet};

use crate::cli::suite::SuiteGroundingArgs;
use crate::exit::Unusable;
use crate::keys;
use crate::stop::Stop;
use crate::suite::grounding::asker::{AskedModel, AskingOptions, Way};
use crate::suite::grounding::measurement::{Measurement, MeasurementEnd};
use crate::suite::grounding::pictures::PictureFolder;
use crate::suite::models;
use crate::terminal::{complain, printable, progress};

/// How many items that cannot be used are listed.
const MOST_FAULTS: usize = 20;

pub(super) fn run(arguments: &SuiteGroundingArgs) -> Result<u8> {
    let pictures = PictureFolder::open(folder(arguments), arguments.skip_bad)?;
    let set = GroundingSet::read(&arguments.files, |picture| pictures.look(picture)).map_err(Unusable::usage)?;
    check_faults(&set, arguments.skip_bad)?;
    let chosen = set.choose(
        arguments
            .limit
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        arguments.seed,
    );
    let asked = asked_models(arguments)?;
    let stop = Stop::default();
    let mut code = Exit::Finished.code();
    if !asked.is_empty() {
        stop.listen().context("cannot listen for Ctrl+C")?;
        let measurement = Measurement {
            set: &set,
            chosen: &chosen,
            pictures: &pictures,
            jobs: arguments.jobs,
            stop: &stop,
        };
        let store = AnswerStore::open(&arguments.output, &set).map_err(Unusable::usage)?;
        for model in &asked {
            let done = measure(model, &measurement, &store)?;
            code = code.max(done.code(&stop));
            if matches!(done, MeasurementEnd::Stopped) {
                complain("stopped; run the same command again to continue");
                return Ok(code);
            }
        }
    }
    report(arguments, &set, &chosen)?;
    if code == Exit::Incomplete.code() {
        complain("some items have no answer; run the same command again to ask about them");
    }
    Ok(code)
}

/// Returns the folder of pictures: the one named, or that of the first file.
fn folder(arguments: &SuiteGroundingArgs) -> &Path {
    let beside = || arguments.files.first().and_then(|file| file.parent());
    let folder = arguments.pictures.as_deref().or_else(beside).unwrap_or(Path::new("."));
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

/// Refuses items that cannot be used, unless the person leaves them out.
fn check_faults(set: &GroundingSet, skip: bool) -> Result<()> {
    if set.faults.is_empty() {
        return Ok(());
    }
    for fault in set.faults.iter().take(MOST_FAULTS) {
        complain(fault);
    }
    let (bad, all) = (set.faults.len(), set.faults.len() + set.items.len());
    if bad > MOST_FAULTS {
        complain(&format!("and {} more", bad - MOST_FAULTS));
    }
    if skip {
        complain(&format!("{bad} of {all} items are left out"));
        return Ok(());
    }
    let words = format!("{bad} of {all} items cannot be used; fix them, or leave them out with --skip-bad");
    Err(Unusable::usage(words).into())
}

/// Returns the models to ask; none if the command only reports.
fn asked_models(arguments: &SuiteGroundingArgs) -> Result<Vec<AskedModel>> {
    let mut known = Vec::new();
    if let Some(file) = &arguments.models_from {
        known.extend(models::of_file(file)?);
    }
    for given in &arguments.upstream {
        known.push(models::given(given)?);
    }
    let reports = known.is_empty() && !arguments.grounder && arguments.output.exists();
    if reports && arguments.models.is_empty() {
        return Ok(Vec::new());
    }
    let keyring = keys::keyring(&arguments.key_for)?;
    let options = AskingOptions {
        way: if arguments.grounder { Way::Grounder } else { Way::Turn },
        profile: &arguments.profile,
        set: &arguments.set,
        keyring: &keyring,
    };
    if known.is_empty() && arguments.grounder {
        return Ok(vec![AskedModel::grounder(&options)?]);
    }
    let chosen = models::chosen(known, &arguments.models)?;
    chosen.iter().map(|model| AskedModel::of(model, &options)).collect()
}

fn measure(model: &AskedModel, measurement: &Measurement<'_>, store: &AnswerStore) -> Result<MeasurementEnd> {
    let Some(asker) = model.connect(measurement.stop)? else {
        return Ok(MeasurementEnd::Stopped);
    };
    let measured = asker.measured()?;
    progress(&asker.about()?);
    let answers = store.model(&measured).map_err(Unusable::usage)?;
    measurement.run(model, asker, answers)
}

fn report(arguments: &SuiteGroundingArgs, set: &GroundingSet, chosen: &[usize]) -> Result<()> {
    let store = AnswerStore::read(&arguments.output, set).map_err(Unusable::usage)?;
    let models = store.models().map_err(Unusable::usage)?;
    let mut out = io::stdout().lock();
    if arguments.csv {
        write_csv(set, chosen, &models, &mut out)?;
        return Ok(());
    }
    let report = GroundingReport::of(set, chosen, arguments.seed, &models);
    let text = if arguments.json {
        report.json()?
    } else {
        printable(&report.text())
    };
    Ok(out.write_all(text.as_bytes())?)
}
