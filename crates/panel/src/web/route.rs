//! Routes each request to the function that answers it.

use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use tokio::sync::watch;

use super::answer::{HttpResponse, cookie, not_allowed, nothing, refusal, text, with};
use super::assets;
use super::guard::AccessGuard;
use super::pass_on::pass_on;
use super::register::is_for_programs;
use super::run_path::{is_of_a_run, named_run};
use super::service::DashboardService;
use crate::controls::LookOnly;
use crate::registered_runs::RunDashboard;
use crate::runs::RunView;

impl DashboardService {
    /// Answers one request.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        closing: watch::Receiver<bool>,
    ) -> HttpResponse {
        let (head, mut body) = request.into_parts();
        let answered = self.answered.clone();
        let answer = self.respond(head, &mut body, closing).await;
        answered.send_replace(());
        if body.is_end_stream() {
            return answer;
        }
        // The rest of the request is not read, so the connection must end after this response.
        with(answer, CONNECTION, HeaderValue::from_static("close"))
    }

    async fn respond(
        self: Arc<Self>,
        head: Parts,
        body: &mut Incoming,
        closing: watch::Receiver<bool>,
    ) -> HttpResponse {
        if !matches!(head.method, Method::GET | Method::HEAD | Method::POST) {
            return not_allowed("GET, HEAD, POST");
        }
        if let Err(refused) = self.guard.admit(&head) {
            return *refused;
        }
        if head.uri.path() == "/healthz" && head.method != Method::POST {
            return text(StatusCode::OK, "ok");
        }
        let redeems = self.guard.redeems(&head);
        if !(redeems || self.guard.knows(&head)) {
            return AccessGuard::stranger(&head);
        }
        if let Some(answer) = self.about_registered(&head, body, &closing).await {
            return answer;
        }
        if let Some((run, path)) = self.registered_run(&head) {
            return pass_on(run, &head, &path, body).await;
        }
        let (dashboard, head) = match self.chosen(head).await {
            Ok(chosen) => chosen,
            Err(refused) => return *refused,
        };
        dashboard.serve(head, body, closing, redeems).await
    }

    /// Returns the run that a path such as `/run/NAME/…` names, and the rest of the path. If the path names no run,
    /// returns the newest one.
    async fn chosen(self: Arc<Self>, mut head: Parts) -> Result<(Arc<Self>, Parts), Box<HttpResponse>> {
        let (name, path) = match named_run(head.uri.path()) {
            Some((name, path)) => (Some(name.to_owned()), Some(path.to_owned())),
            None if is_of_a_run(head.uri.path()) => (self.runs.newest(), None),
            None => (None, None),
        };
        let Some(name) = name else { return Ok((self, head)) };
        if let Some(path) = &path {
            let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
            let uri = format!("{path}{query}").parse();
            head.uri = uri.map_err(|_| Box::new(nothing()))?;
        }
        let (runs, registered) = (Arc::clone(&self.runs), self.registered.clone());
        // Everything else about a run that is registered now was passed on; only its page remains, and what is not
        // there.
        if registered
            .as_ref()
            .is_some_and(|registered| registered.dashboard(&name).is_some())
        {
            return Ok((self, head));
        }
        let found = name.clone();
        let view = tokio::task::spawn_blocking(move || {
            let ended = registered.and_then(|registered| registered.view(&found));
            let ended = ended.map(|view| (view, true));
            ended.or_else(|| runs.view(&found).map(|view| (view, false)))
        });
        let Some((RunView { hub, history, .. }, has_ended)) = view.await.ok().flatten() else {
            // Somebody might have removed the newest run by hand. The panel itself still exists.
            return if path.is_none() {
                Ok((self, head))
            } else {
                Err(Box::new(nothing()))
            };
        };
        let chosen = DashboardService {
            hub,
            history,
            name: Some(name),
            controls: if has_ended {
                Arc::new(LookOnly)
            } else {
                Arc::clone(&self.controls)
            },
            ..(*self).clone()
        };
        Ok((Arc::new(chosen), head))
    }

    /// Returns the dashboard of the registered run that a request is about, and the path there. The page itself is
    /// always this panel's. Requests that only programs may send are not passed on, because a page could send them, too,
    /// and the run would take this panel for the program.
    fn registered_run(&self, head: &Parts) -> Option<(RunDashboard, String)> {
        let (name, path) = named_run(head.uri.path())?;
        if is_for_programs(path) || !(is_of_a_run(path) || path == "/events") {
            return None;
        }
        let run = self.registered.as_ref()?.dashboard(name)?;
        let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        Some((run, format!("{path}{query}")))
    }

    async fn serve(
        self: Arc<Self>,
        head: Parts,
        body: &mut Incoming,
        closing: watch::Receiver<bool>,
        redeems: bool,
    ) -> HttpResponse {
        match (&head.method, head.uri.path()) {
            (&Method::POST, "/api/control") => self.control(&head, body).await,
            (_, "/api/control") => not_allowed("POST"),
            (&Method::POST, _) => not_allowed("GET, HEAD"),
            (_, "/events") => self.events(&head, closing),
            (_, "/api/live") => self.live(&head).await,
            (_, "/api/reply") => self.growing_reply(&head).await,
            (_, "/export/history.html") => self.export_page(&head),
            (_, "/export/turns.jsonl") => self.export_lines(&head),
            (_, "/") => self.page(&head, redeems),
            (_, path) => match path.strip_prefix("/assets/") {
                Some(name) => assets::named(name, &head.headers).unwrap_or_else(nothing),
                None => self.read(head).await,
            },
        }
    }

    fn page(&self, head: &Parts, redeems: bool) -> HttpResponse {
        let page = assets::page(&head.headers).unwrap_or_else(nothing);
        if redeems || self.guard.is_linked(head) {
            cookie(page, &self.guard.cookie())
        } else {
            page
        }
    }

    /// Answers requests that have to read files, on threads other than those that serve all connections.
    async fn read(self: Arc<Self>, head: Parts) -> HttpResponse {
        let reading =
            tokio::task::spawn_blocking(move || self.look_up(head.uri.path(), head.uri.query(), &head.headers));
        reading.await.unwrap_or_else(|error| {
            refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("reading failed ({error}); try again"),
            )
        })
    }

    fn look_up(&self, path: &str, query: Option<&str>, headers: &HeaderMap) -> HttpResponse {
        match path {
            "/api/state" => self.state(),
            "/api/turns" => self.turns(query),
            "/api/marks" => self.marks(query),
            "/api/trace" => self.trace(query),
            "/api/search" => self.search(query),
            "/api/runs" => self.runs(),
            "/api/settings" => self.settings(),
            "/metrics" => self.metrics(),
            _ => match path.split_once('/').and_then(|(_, path)| path.rsplit_once('/')) {
                Some(("api/turns", turn)) => self.turn(turn),
                Some(("api/exchanges", turn)) => self.exchanges(turn),
                Some(("thumb", hash)) => self.thumbnail(hash, headers),
                Some(("blob", hash)) => self.picture(hash, headers),
                _ => nothing(),
            },
        }
    }
}
