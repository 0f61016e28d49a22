//! The state of the dashboard's web server.

use std::sync::Arc;

use franz_secret::Secret;
use tokio::sync::watch;

use super::guard::AccessGuard;
use crate::controls::Controls;
use crate::history::History;
use crate::hub::Hub;
use crate::registered_runs::RegisteredRuns;
use crate::runs::{RunView, Runs};
use crate::thumbnails::Thumbnails;

/// The state shared by all connections, and the run that is being viewed. Clones share this state.
#[derive(Clone)]
pub(super) struct DashboardService {
    pub(super) guard: Arc<AccessGuard>,
    pub(super) secret: Secret,
    pub(super) hub: Hub,
    pub(super) history: Arc<History>,
    /// The runs below the panel.
    pub(super) runs: Arc<Runs>,
    /// The runs of other processes, if they can register here.
    pub(super) registered: Option<Arc<RegisteredRuns>>,
    /// The name of the run that is being viewed.
    pub(super) name: Option<String>,
    pub(super) controls: Arc<dyn Controls>,
    pub(super) thumbnails: Arc<Thumbnails>,
    pub(super) dropped: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// How many clients are listening to the events.
    pub(super) clients: watch::Sender<usize>,
    /// Notified whenever a request has been answered.
    pub(super) answered: watch::Sender<()>,
}

impl DashboardService {
    pub(super) fn new(
        guard: AccessGuard,
        secret: Secret,
        shown: RunView,
        (runs, registered): (Arc<Runs>, Option<Arc<RegisteredRuns>>),
        controls: Arc<dyn Controls>,
        dropped: Arc<dyn Fn() -> u64 + Send + Sync>,
    ) -> DashboardService {
        DashboardService {
            guard: Arc::new(guard),
            secret,
            hub: shown.hub,
            history: shown.history,
            runs,
            registered,
            name: None,
            controls,
            thumbnails: Arc::default(),
            dropped,
            clients: watch::Sender::default(),
            answered: watch::Sender::default(),
        }
    }
}
