//! Whether there is a model server, and a model on it.

use tokio::runtime::Builder;

use super::finding::Finding;
use crate::agent::Server;
use crate::config::settings::Settings;
use crate::stop::Stop;

pub(super) fn examine(settings: &Settings) -> Vec<Finding> {
    let connected = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| Server::connect(runtime, settings, &Stop::default()));
    match connected {
        Err(error) => vec![Finding::problem("model server", &error)],
        Ok(None) => Vec::new(),
        Ok(Some(server)) => {
            let upstream = server.upstream();
            let found = if upstream.demo.is_some() && settings.model.upstream == "auto" {
                Finding::remark("model server", &upstream.shown)
            } else {
                Finding::fine("model server", &upstream.shown)
            };
            vec![found, Finding::fine("model", &upstream.model)]
        }
    }
}
