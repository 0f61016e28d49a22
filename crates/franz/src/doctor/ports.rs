//! Checks whether the relay and the dashboard can listen.

use anyhow::Result;

use super::finding::Finding;
use crate::config::settings::Settings;
use crate::watch;

pub(super) fn examine(settings: &Settings) -> Result<Vec<Finding>> {
    watch::within_runtime(async {
        let found = watch::try_ports(&settings.panel).await;
        Ok(match found {
            Ok((relay, dashboard)) => vec![
                Finding::fine("relay", format!("would listen on {relay}")),
                Finding::fine("dashboard", format!("would be at {dashboard}")),
            ],
            Err(error) => vec![Finding::problem("ports", &error)],
        })
    })
}
