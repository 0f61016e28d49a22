//! `franz read`: shows how FRANZ reads a reply, without a model or a screen.

mod printed;
mod request;

use std::io::Write;

use anyhow::Result;
use franz_dialect::{DialectReader, Family, Reading, ReplyText};

use crate::cli::ReadArgs;
use crate::config::flags::Flags;
use crate::config::settings::Settings;
use crate::families;
use crate::run_location;
use request::Request;

pub(super) fn run(arguments: &ReadArgs) -> Result<u8> {
    let profiles = Profiles::of(arguments.profile.as_deref())?;
    let mut out = std::io::stdout().lock();
    for request in request::all(arguments)? {
        let request = request?;
        let family = request
            .family
            .as_deref()
            .map_or_else(|| Ok(Family::franz()), families::named)?;
        let reading = profiles.read(&family, &request);
        if arguments.json {
            writeln!(out, "{}", printed::json(&family, &request, &reading))?;
        } else {
            printed::text(&mut out, &family, &request, &reading)?;
        }
    }
    Ok(0)
}

/// The profiles whose own forms are read.
struct Profiles(Vec<Settings>);

impl Profiles {
    /// Returns this profile or, if none is named, one profile for each of FRANZ's own forms.
    fn of(name: Option<&str>) -> Result<Profiles> {
        let names = name.map_or_else(|| vec!["operator", "companion", "sketch", "draw"], |name| vec![name]);
        let settings = names
            .into_iter()
            .map(|name| run_location::shown(&Flags::of_profile(Some(name.to_owned()))));
        settings.collect::<Result<_>>().map(Profiles)
    }

    /// Reads a reply with the first profile whose own form finds an action in it. If there is none, uses the first
    /// profile.
    fn read(&self, family: &Family, request: &Request) -> Reading {
        let mut readings = self.0.iter().map(|settings| read(settings, family, request));
        let first = readings.next().unwrap_or_default();
        let acts = |reading: &Reading| reading.steps.iter().any(|step| step.action().is_some());
        if acts(&first) || family.dialect.name != "franz" {
            return first;
        }
        readings
            .find(|reading| acts(reading) && !reading.recognised)
            .unwrap_or(first)
    }
}

fn read(settings: &Settings, family: &Family, request: &Request) -> Reading {
    let geometry = family.geometry(request.picture, request.screen.or(request.picture));
    let own = settings.protocol(settings.tools(), geometry);
    let reader = DialectReader {
        dialect: family.dialect,
        geometry,
        own: &*own,
        own_form: settings.own_form(),
        pointer: request.pointer,
        manner: family.manner.clone(),
    };
    reader.read(&ReplyText {
        text: &request.text,
        tool_calls: request.tool_calls.as_deref(),
        cut: request.cut,
    })
}
