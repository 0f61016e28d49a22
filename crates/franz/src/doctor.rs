//! `franz doctor`: checks whether a run would work here, and says how to fix any problem.

mod finding;
mod place;
mod ports;
mod screen;
mod server;
mod system;

use std::io::Write as _;

use anyhow::Result;
use franz_chat::NamedBy;

use crate::cli::DoctorArgs;
use crate::config::flags::Flags;
use crate::config::profile;
use crate::consent::Consent;
use crate::exit;
use crate::keys;
use crate::run_location::RunLocation;
use crate::shortcomings::EarlyTurn;
use crate::terminal::write_json;
use finding::{Finding, State};

/// Examines everything that a run with these options needs. Returns the exit code with which such a run would fail, or
/// 0.
pub(crate) fn examine(arguments: &DoctorArgs) -> Result<u8> {
    let mut report = Report {
        json: arguments.json,
        code: 0,
    };
    if let Some(finding) = system::examine() {
        report.tell(&finding)?;
    }
    // Any goal will do, because no model works on it.
    let flags = Flags::of(arguments).with_goal(Some("none"));
    let resolved = RunLocation::New(None).resolve(&flags, Consent::NotAsked);
    let keyring = keys::keyring(&arguments.server.key_for);
    let resolved = resolved.and_then(|resolved| {
        let named_by = keys::named_by(resolved.origin("model.upstream"));
        Ok((resolved.settings, named_by, keyring?))
    });
    let (settings, named_by, keyring) = match resolved {
        Ok(resolved) => resolved,
        Err(error) => {
            report.tell(&Finding::problem("configuration", &error))?;
            return Ok(report.code);
        }
    };
    report.tell(&Finding::fine(
        "configuration",
        format!("profile {}", arguments.profile.as_deref().unwrap_or(profile::DEFAULT)),
    ))?;
    for finding in server::examine(&settings, EarlyTurn::Second, named_by, keyring.clone()) {
        report.tell(&finding)?;
    }
    if let Some(grounder) = settings.of_grounder() {
        for finding in server::examine(&grounder, EarlyTurn::First, NamedBy::Others, keyring) {
            report.tell(&finding.of_grounder())?;
        }
    }
    for finding in screen::examine(&settings) {
        report.tell(&finding)?;
    }
    report.tell(&place::examine(&settings))?;
    for finding in ports::examine(&settings)? {
        report.tell(&finding)?;
    }
    Ok(report.code)
}

/// Reports findings one at a time, because some take a while.
struct Report {
    json: bool,
    /// The exit code of the first problem.
    code: u8,
}

impl Report {
    fn tell(&mut self, finding: &Finding) -> Result<()> {
        if let State::Problem { code } = finding.state {
            self.code = if self.code == 0 { code } else { self.code };
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            write_json(&mut out, finding)?;
        } else {
            writeln!(out, "{finding}")?;
        }
        Ok(out.flush()?)
    }
}

/// Describes an error to people, with all its causes.
fn words(error: &anyhow::Error) -> String {
    exit::describe(error, false)
}
