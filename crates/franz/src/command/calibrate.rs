//! `franz calibrate`: finds out what a model's coordinates mean, and stores the result for later runs.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use franz_dialect::Space;
use franz_dialect::calibration::{Ruling, Undecided};
use tokio::runtime::Builder;

use crate::agent::{ModelServers, Waits};
use crate::calibrate::{Bench, Calibrated, Findings, FindingsTable, ProgressLine, Stopped};
use crate::cli::CalibrateArgs;
use crate::config::flags::Flags;
use crate::config::settings::MemoryKind;
use crate::consent::Consent;
use crate::exit::Unusable;
use crate::keys;
use crate::run_location::RunLocation;
use crate::stop::Stop;
use crate::terminal::complain;

/// The profile whose picture size is used by default.
const PROFILE: &str = "operator";

pub(super) fn run(arguments: &CalibrateArgs) -> Result<u8> {
    let mut flags = Flags::of(arguments).with_goal(Some("none"));
    flags.profile.get_or_insert_with(|| PROFILE.to_owned());
    let resolved = RunLocation::New(None).resolve(&flags, Consent::NotAsked)?;
    let named_by = keys::named_by(resolved.origin("model.upstream"));
    let mut settings = resolved.settings;
    // Calibrate only one server, and accept answers that contain only tool calls.
    settings.model.fallback.clear();
    settings.memory.kind = MemoryKind::Conversation;
    let keyring = keys::keyring(&arguments.server.key_for)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let servers = ModelServers::connect(runtime, &settings, named_by, keyring, &stop, Waits::Busy)?;
    let Some(servers) = servers else {
        return Ok(stopped(&stop));
    };
    if servers.upstream().demo.is_some() {
        let why = "the built-in model answers no questions; calibrate another one, such as \
                   franz demo-model --family qwen3-vl, with --upstream 1235";
        return Err(Unusable::usage(why).into());
    }
    let picture = arguments.picture.map(|size| (size.0, size.1));
    let bench = Bench::new(&servers, &settings, picture)?;
    match measure(&bench, arguments, &stop) {
        Err(error) if error.is::<Stopped>() => {
            complain(&error.to_string());
            Ok(stopped(&stop))
        }
        measured => measured,
    }
}

fn stopped(stop: &Stop) -> u8 {
    stop.ending().map_or(0, |ending| ending.exit_code())
}

/// Calibrates and reports. Returns the exit code: 1 if there is no decision, or if the stored calibration no longer
/// holds.
fn measure(bench: &Bench<'_>, arguments: &CalibrateArgs, stop: &Stop) -> Result<u8> {
    let known = if arguments.check { Some(known(bench)?) } else { None };
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    let findings = bench.calibrate(known.as_ref(), seed, stop, &mut ProgressLine::new())?;
    let mut table = bench.table(&findings);
    let failed = match known {
        Some(known) => check(&findings, &known, &mut table),
        None => !keep(bench, &findings, &mut table),
    };
    match bench.draw(&findings, Path::new("")) {
        Ok(Some(file)) => table.row("picture", &file),
        Ok(None) => {}
        Err(error) => table.row("picture", &format!("not drawn: {error:#}")),
    }
    std::io::stdout().write_all(table.text().as_bytes())?;
    Ok(u8::from(failed))
}

/// Returns the stored calibration to check.
fn known(bench: &Bench<'_>) -> Result<Calibrated> {
    let (width, height) = bench.picture;
    bench.known().map_err(Unusable::usage)?.ok_or_else(|| {
        let nothing = format!(
            "no calibration is stored for {} and pictures of {width}x{height}",
            bench.model.name
        );
        Unusable::usage(format!("{nothing}; run franz calibrate without --check first")).into()
    })
}

/// Reports whether the stored calibration still holds. Returns `true` if it does not.
fn check(findings: &Findings, known: &Calibrated, table: &mut FindingsTable) -> bool {
    table.row("stored", &known.sentence);
    let ruling = findings.pointing.as_ref().map(|pointing| &pointing.ruling);
    let (fails, said) = match ruling {
        Some(Ruling::Decided(decision)) if decision.family => (false, "it holds"),
        Some(Ruling::Undecided(Undecided { family_fits: true, .. })) => {
            (false, "too close to call: it might still hold")
        }
        Some(Ruling::Decided(_)) => (true, "it no longer holds; run franz calibrate to replace it"),
        _ => (
            true,
            "it could not be confirmed; check the rows above, and run franz calibrate again",
        ),
    };
    table.row("check", said);
    fails
}

/// Describes what runs use after a calibration that decided nothing.
fn undecided(bench: &Bench<'_>) -> String {
    match bench.known() {
        Ok(Some(known)) => format!("nothing new; runs still use the earlier result: {}", known.sentence),
        _ if bench.family.space == Space::Unknown => "nothing; name the model's family with --family".to_owned(),
        _ => "nothing; runs use what the family says".to_owned(),
    }
}

/// Stores the decision, if there is one. Returns whether there was one.
fn keep(bench: &Bench<'_>, findings: &Findings, table: &mut FindingsTable) -> bool {
    let (kept, said) = match bench.store(findings) {
        Ok(Some(file)) => (true, format!("{file}; the next run with this model uses it")),
        Ok(None) => (false, undecided(bench)),
        Err(error) => (false, format!("nothing: {error}")),
    };
    table.row("stored", &said);
    kept
}
