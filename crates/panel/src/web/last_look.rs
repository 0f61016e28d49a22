//! After shutdown, gives open pages a moment to fetch the final updates.

use std::time::Duration;

use tokio::time::timeout;

use super::service::DashboardService;

/// How long pages must have asked for nothing before they count as up to date.
const QUIET: Duration = Duration::from_millis(400);

/// The longest time to wait for pages that keep asking.
const LONGEST: Duration = Duration::from_millis(1500);

impl DashboardService {
    /// Waits until the listening pages have stopped asking. Returns immediately if there are none.
    pub(super) async fn wait_for_last_look(&self) {
        if *self.clients.borrow() == 0 {
            return;
        }
        let mut answered = self.answered.subscribe();
        let silence = async { while let Ok(Ok(())) = timeout(QUIET, answered.changed()).await {} };
        let _ = timeout(LONGEST, silence).await;
    }
}
