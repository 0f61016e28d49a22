//! The dashboard of a recorded run.

use std::future::Future;
use std::sync::Arc;

use anyhow::Result;
use franz_home::View;
use franz_panel::controls::LookOnly;
use franz_panel::history::History;
use franz_panel::runs::Runs;
use franz_panel::web::{Codes, WebOptions};
use franz_panel::{Hub, web};
use franz_secret::Secret;

use super::access::DashboardAccess;
use super::browser;
use super::ports::DashboardPort;
use crate::config::settings::PanelSettings;

/// The dashboard of a recorded run, which is already listening.
pub(crate) struct ReplayDashboard {
    history: Arc<History>,
    runs: Arc<Runs>,
    dashboard: DashboardPort,
    codes: Codes,
    secret: Secret,
}

impl ReplayDashboard {
    /// Listens for browsers that show the run in `view`. Never writes to the run.
    pub(crate) async fn open(view: &View, panel: &PanelSettings, secret: Secret) -> Result<ReplayDashboard> {
        Ok(ReplayDashboard {
            history: Arc::new(History::of(view)?),
            runs: Arc::new(Runs::below(view, Hub::default(), secret.clone())),
            dashboard: DashboardPort::bind(panel, None).await?,
            codes: Codes::default(),
            secret,
        })
    }

    /// Returns the dashboard's address and token.
    pub(crate) fn access(&self) -> &DashboardAccess {
        &self.dashboard.access
    }

    /// Opens the dashboard in the person's browser.
    pub(crate) fn open_browser(&self) -> Result<()> {
        browser::open(self.access(), &self.codes)
    }

    /// Shows the run until `shutdown` resolves.
    pub(crate) async fn serve(self, shutdown: impl Future<Output = ()>) {
        let DashboardPort {
            listener,
            access,
            allow_hosts,
        } = self.dashboard;
        let options = WebOptions {
            hub: Hub::default(),
            history: self.history,
            runs: self.runs,
            registered: None,
            controls: Arc::new(LookOnly),
            token: access.token,
            codes: self.codes,
            allow_hosts,
            secret: self.secret,
            dropped: Arc::new(|| 0),
        };
        web::serve(listener, options, shutdown).await;
    }
}
