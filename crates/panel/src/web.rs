//! The dashboard's server.

mod answer;
mod api;
mod assets;
mod body;
mod bundle;
mod codes;
mod connections;
mod control;
mod ends;
mod events;
mod export;
mod growing;
mod guard;
mod last_look;
mod live;
mod metrics;
mod page;
mod parts;
mod pass_on;
mod query;
mod register;
mod request_body;
mod route;
mod run_path;
mod service;
mod state;
mod timeline;

/// Private functions that read a page's requests. They are public only for the fuzz targets.
#[cfg(fuzzing)]
pub mod fuzzing {
    /// Returns the value of `q` in a query.
    pub fn parameter(query: &str) -> Option<String> {
        super::query::parameter(Some(query), "q")
    }
}

use std::future::Future;
use std::sync::Arc;

use tokio::net::TcpListener;

pub(crate) use bundle::bundle;
pub(crate) use page::{Page, source};
pub(crate) use parts::page_part;
pub(crate) use state::RecordedState;
pub(crate) use timeline::ShownExchange;

use crate::controls::Controls;
use crate::history::History;
use crate::hub::Hub;
use crate::registered_runs::RegisteredRuns;
use crate::runs::{RunView, Runs};
pub use codes::Codes;
use franz_secret::Secret;
use guard::AccessGuard;
pub use register::{CODE, CodeRequest, REGISTER, Registered};
use service::DashboardService;

/// What the dashboard shows, and who may see it.
#[derive(Clone)]
pub struct WebOptions {
    /// Live updates.
    pub hub: Hub,
    /// The recorded turns and verdicts.
    pub history: Arc<History>,
    /// The runs below the panel, each with its own updates and history.
    pub runs: Arc<Runs>,
    /// The runs of other processes; `None` unless this is a standing panel, with which they can register.
    pub registered: Option<Arc<RegisteredRuns>>,
    /// Carries out what a browser asks the run to do.
    pub controls: Arc<dyn Controls>,
    /// The token that every client must present: 32 hexadecimal digits.
    pub token: String,
    /// Names and addresses that the `Host` header may contain besides the loopback ones.
    pub allow_hosts: Vec<String>,
    /// One-time codes. Each one admits one browser, which passes the code in the page's address.
    pub codes: Codes,
    /// The API keys, which no response may contain.
    pub secret: Secret,
    /// Returns the number of exchanges that could not be copied, for the metrics.
    pub dropped: Arc<dyn Fn() -> u64 + Send + Sync>,
}

/// Serves the dashboard on `listener` until `shutdown` resolves. Open pages then get a moment to fetch the final
/// updates. After that, event streams end, and responses in progress get a moment to finish.
pub async fn serve(listener: TcpListener, options: WebOptions, shutdown: impl Future<Output = ()>) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    let secret = options.secret;
    options.hub.hide(secret.clone());
    let guard = AccessGuard::new(port, options.token, options.codes, &options.allow_hosts);
    let dashboard = DashboardService::new(
        guard,
        secret,
        RunView::new(options.hub, options.history),
        (options.runs, options.registered),
        options.controls,
        options.dropped,
    );
    connections::accept(listener, Arc::new(dashboard), shutdown).await;
}
