//! The dashboard's server.

mod answer;
mod api;
mod assets;
mod body;
mod codes;
mod connections;
mod control;
mod events;
mod export;
mod guard;
mod last_look;
mod metrics;
mod route;
mod state;

/// What is private and reads what a page asks for, for the fuzz targets alone.
#[cfg(fuzzing)]
pub mod fuzzing {
    /// The value of `q` in a query.
    pub fn parameter(query: &str) -> Option<String> {
        super::api::parameter(Some(query), "q")
    }
}

use std::future::Future;
use std::sync::Arc;

use tokio::net::TcpListener;

use crate::controls::Controls;
use crate::history::History;
use crate::hub::Hub;
use crate::runs::{RunView, Runs};
pub use codes::Codes;
use franz_secret::Secret;
use guard::AccessGuard;
use route::DashboardService;

/// What the dashboard shows, and to whom.
#[derive(Clone)]
pub struct WebOptions {
    /// What happens.
    pub hub: Hub,
    /// What happened.
    pub history: Arc<History>,
    /// The runs below, each with what happens and what happened in it.
    pub runs: Arc<Runs>,
    /// What may be asked.
    pub controls: Arc<dyn Controls>,
    /// What everybody has to show: 32 hexadecimal digits.
    pub token: String,
    /// Names and addresses that `Host` may give beside the loopback ones.
    pub allow_hosts: Vec<String>,
    /// What lets a browser in once that shows it in the page's address.
    pub codes: Codes,
    /// The API key, which no answer carries.
    pub secret: Secret,
    /// Exchanges that could not be copied, for the metrics.
    pub dropped: Arc<dyn Fn() -> u64 + Send + Sync>,
}

/// Serves the dashboard on `listener` until `shutdown` resolves. Then pages that are open get a moment to fetch what they were told
/// last, event streams end, and answers under way get a moment, too.
pub async fn serve(listener: TcpListener, options: WebOptions, shutdown: impl Future<Output = ()>) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    let secret = options.secret;
    options.hub.hide(secret.clone());
    let guard = AccessGuard::new(port, options.token, options.codes, &options.allow_hosts);
    let dashboard = DashboardService::new(
        guard,
        secret,
        RunView::new(options.hub, options.history),
        options.runs,
        options.controls,
        options.dropped,
    );
    connections::accept(listener, Arc::new(dashboard), shutdown).await;
}
