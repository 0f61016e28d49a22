//! The moment after the end, in which pages that are open fetch what they were told last.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::timeout;

use super::route::DashboardService;

/// Pages that have asked for nothing this long show all that there is.
const QUIET: Duration = Duration::from_millis(400);

/// A page that goes on asking is not waited for longer.
const LONGEST: Duration = Duration::from_millis(1500);

impl DashboardService {
    /// Waits until the pages that listen have fallen silent; not at all when nobody listens.
    pub(super) async fn wait_for_last_look(&self) {
        if self.clients.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut answered = self.answered.subscribe();
        let silence = async { while let Ok(Ok(())) = timeout(QUIET, answered.changed()).await {} };
        let _ = timeout(LONGEST, silence).await;
    }
}
