//! Before a run: calibrates a model whose coordinate space is unknown, provided that it cannot touch a person's
//! desktop.

use std::io::{self, Write as _};

use anyhow::Result;
use franz_dialect::Space;
use franz_home::shell;

use super::bench::Bench;
use super::progress::ProgressLine;
use crate::agent::ModelServers;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::stop::Stop;
use crate::terminal::complain;

/// Ensures that the coordinate space of a run's model is known, from its family, a stored calibration or a new one.
/// If the person might be using the screen, fails instead of calibrating.
pub(crate) fn settle(servers: &ModelServers, settings: &Settings, stop: &Stop) -> Result<()> {
    let bench = Bench::new(servers, settings, None)?;
    // If the stored calibration cannot be used, the run reports it in its first lines.
    if bench.family.space != Space::Unknown || bench.known().is_ok_and(|known| known.is_some()) {
        return Ok(());
    }
    let (model, family) = (&bench.model.name, &bench.family.name);
    let what = format!("the unit of the coordinates of '{model}' is unknown (family {family})");
    if settings.screen.kind.is_shared() {
        let (width, height) = bench.picture;
        let command = format!(
            "franz calibrate --model {} --family {} --picture {width}x{height}",
            shell::word(model),
            shell::word(family)
        );
        return Err(Unusable::usage(format!("{what}; before the model may use your desktop, run: {command}")).into());
    }
    complain(&format!("{what}; calibrating it first"));
    let findings = bench.calibrate(None, fastrand::u64(..), stop, &mut ProgressLine::new())?;
    if findings.decision().is_none() {
        // A closed stderr must not cause a panic.
        let _ = write!(io::stderr(), "{}", bench.table(&findings).text());
        let why = "calibration was inconclusive (see above); choose another model, or name its family with --family";
        return Err(Unusable::server(format!("{what}, and {why}")).into());
    }
    bench.store(&findings)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use franz_chat::{Keyring, NamedBy};
    use franz_demo::{Demo, DemoSettings, Player};
    use franz_dialect::Family;
    use tokio::runtime::Builder;

    use super::*;
    use crate::agent::Waits;
    use crate::config::flags::Flags;
    use crate::config::screen_kind::ScreenKind;
    use crate::run_location;

    #[test]
    fn nothing_is_calibrated_on_the_persons_own_desktop() {
        let demo = Demo::spawn(DemoSettings {
            player: Some(Player::new(Family::named("ui-tars").unwrap()).unwrap()),
            keep_requests: true,
            ..DemoSettings::default()
        });
        let demo = demo.unwrap();
        let mut settings = run_location::shown(&Flags::of_profile(Some("operator".to_owned()))).unwrap();
        settings.model.upstream = format!("http://{}", demo.addr());
        settings.screen.kind = ScreenKind::Desktop;
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (stop, named_by) = (Stop::default(), NamedBy::CommandLine);
        let servers = ModelServers::connect(runtime, &settings, named_by, Keyring::default(), &stop, Waits::Never);
        let told = settle(&servers.unwrap().unwrap(), &settings, &stop).unwrap_err();
        let told = told.to_string();
        assert!(
            told.contains("before the model may use your desktop, run: franz calibrate --model "),
            "{told}"
        );
        let asked = demo
            .requests()
            .iter()
            .filter(|request| !request.body.is_empty())
            .count();
        assert_eq!(asked, 0);
    }
}
