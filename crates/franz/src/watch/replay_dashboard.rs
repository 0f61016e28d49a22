//! The dashboard of a recorded run, or of two.

use std::future::Future;
use std::sync::Arc;

use anyhow::Result;
use franz_home::View;
use franz_panel::controls::LookOnly;
use franz_panel::history::History;
use franz_panel::hub::NewestRun;
use franz_panel::registered_runs::{EarlierRun, RegisteredRuns};
use franz_panel::runs::Runs;
use franz_panel::web::{Codes, WebOptions};
use franz_panel::{Hub, web};
use franz_secret::Secret;

use super::browser;
use super::ports::DashboardPort;
use crate::config::settings::PanelSettings;
use crate::exit::Unusable;
use crate::known_runs::KnownRun;

/// Two different runs that can be shown beside one another.
pub(crate) struct RunPair([EarlierRun; 2]);

impl RunPair {
    /// Looks at both runs, which may not be the same.
    pub(crate) fn of(one: &View, other: &View) -> Result<RunPair> {
        let path = |view: &View| view.path().canonicalize().unwrap_or_else(|_| view.path().to_owned());
        if path(one) == path(other) {
            return Err(
                Unusable::usage("a run cannot be compared with itself; name another one after --compare").into(),
            );
        }
        Ok(RunPair([comparable(one)?, comparable(other)?]))
    }
}

fn comparable(view: &View) -> Result<EarlierRun> {
    let run = KnownRun::at(view.path().to_owned());
    let shown = view.path().display();
    if let Err(error) = &run.seen {
        return Err(Unusable::usage(format!("{shown} cannot be compared: {error}")).into());
    }
    if run.has_conversations() {
        let message = format!("{shown} holds several runs; name the directory of one, such as {shown}/runs/0001");
        return Err(Unusable::usage(message).into());
    }
    Ok(run.earlier())
}

/// The dashboard of a recorded run, which is already listening.
pub(crate) struct ReplayDashboard {
    hub: Hub,
    history: Arc<History>,
    runs: Arc<Runs>,
    /// Both runs, if there is another one to compare with.
    pair: Option<Arc<RegisteredRuns>>,
    /// The part of the page's address that chooses what it shows.
    fragment: String,
    dashboard: DashboardPort,
    codes: Codes,
    secret: Secret,
}

impl ReplayDashboard {
    /// Listens for browsers that show the run in `view`, or the two runs of `pair`, of which it is the first. Never
    /// writes to a run.
    pub(crate) async fn open(
        view: &View,
        pair: Option<RunPair>,
        panel: &PanelSettings,
        secret: Secret,
    ) -> Result<ReplayDashboard> {
        let hub = Hub::default();
        let (mut registered, mut fragment) = (None, String::new());
        if let Some(RunPair(pair)) = pair {
            let runs = RegisteredRuns::new(hub.clone());
            if let [name, other] = &runs.recall(pair.into())[..] {
                fragment = format!("#{name}///{other}");
                // The page moves on to this run, and so has an address for each of the two.
                let name = name.clone();
                hub.change(|snapshot| snapshot.newest = Some(NewestRun { name, turns: 0 }));
            }
            registered = Some(Arc::new(runs));
        }
        Ok(ReplayDashboard {
            runs: Arc::new(Runs::below(view, hub.clone(), secret.clone())),
            hub,
            history: Arc::new(History::of(view)?),
            pair: registered,
            fragment,
            dashboard: DashboardPort::bind(panel, None).await?,
            codes: Codes::default(),
            secret,
        })
    }

    /// Returns the address that opens the dashboard.
    pub(crate) fn link(&self) -> String {
        self.dashboard.access.link() + &self.fragment
    }

    /// Opens the dashboard in the person's browser.
    pub(crate) fn open_browser(&self) -> Result<()> {
        browser::open_at(&self.dashboard.access, &self.codes, &self.fragment)
    }

    /// Shows the run until `shutdown` resolves.
    pub(crate) async fn serve(self, shutdown: impl Future<Output = ()>) {
        let DashboardPort {
            listener,
            access,
            allow_hosts,
        } = self.dashboard;
        let options = WebOptions {
            hub: self.hub,
            history: self.history,
            runs: self.runs,
            registered: self.pair,
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
