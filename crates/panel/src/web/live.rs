//! `GET /api/live?after=N&key=KEY`: the changes on a screen that a person has taken over.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::http::request::Parts;

use super::answer::{HttpResponse, json, refusal};
use super::query::{number, parameter};
use super::service::DashboardService;
use crate::controls::Controls;

/// How long to keep a request waiting before the page has to repeat it.
const WAIT: Duration = Duration::from_secs(1);

/// Reports that a page is waiting and, on drop, that it is no longer waiting.
struct Seeing(Arc<dyn Controls>, String);

impl Seeing {
    fn new(controls: &Arc<dyn Controls>, key: &str) -> Seeing {
        controls.sees(key, true);
        Seeing(Arc::clone(controls), key.to_owned())
    }
}

impl Drop for Seeing {
    fn drop(&mut self) {
        self.0.sees(&self.1, false);
    }
}

impl DashboardService {
    pub(super) async fn live(&self, head: &Parts) -> HttpResponse {
        let query = head.uri.query();
        let Ok(Some(after)) = number(query, "after") else {
            return refusal(
                StatusCode::BAD_REQUEST,
                "after must be the number of your last picture, or 0 for none",
            );
        };
        let seeing = Seeing::new(&self.controls, &parameter(query, "key").unwrap_or_default());
        let mut newest = self.hub.live().listen();
        let mut pictures = self.hub.live().since(after);
        if pictures.is_empty() {
            // If no new picture arrives in time, the page gets an empty list and asks again.
            let _ = tokio::time::timeout(WAIT, newest.changed()).await;
            pictures = self.hub.live().since(after);
        }
        drop(seeing);
        json(&pictures, &self.secret)
    }
}
