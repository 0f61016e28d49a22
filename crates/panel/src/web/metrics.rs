//! Metrics for Prometheus.

use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering;

use hyper::StatusCode;

use super::answer::{HttpResponse, answer};
use super::route::DashboardService;
use crate::hub::Doing;

const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

const STATES: [(Doing, &str); 6] = [
    (Doing::None, "none"),
    (Doing::Starting, "starting"),
    (Doing::Running, "running"),
    (Doing::Paused, "paused"),
    (Doing::Restarting, "restarting"),
    (Doing::Stopped, "stopped"),
];

impl DashboardService {
    pub(super) fn metrics(&self) -> HttpResponse {
        answer(StatusCode::OK, KIND, self.figures().0)
    }

    fn figures(&self) -> Figures {
        self.hub.read(&self.history);
        let (snapshot, _) = self.hub.snapshot();
        let totals = self.history.totals();
        let mut figures = Figures::default();

        figures.family("franz_build_info", "gauge", "Version of this program.");
        figures.sample("franz_build_info", &label("version", env!("CARGO_PKG_VERSION")), 1);
        figures.one("franz_turns_total", "counter", "Recorded turns.", snapshot.turns.count);
        figures.one(
            "franz_turns_failed_total",
            "counter",
            "Turns that ended without a reply.",
            totals.failed,
        );
        figures.family("franz_verdicts_total", "counter", "Verified requests, by verdict.");
        for (name, count) in snapshot.verdicts.named() {
            figures.sample("franz_verdicts_total", &label("verdict", name), count);
        }
        figures.one(
            "franz_copies_dropped_total",
            "counter",
            "Exchanges dropped before the verifier saw them.",
            (self.dropped)(),
        );
        figures.one(
            "franz_bad_lines_total",
            "counter",
            "Unreadable lines in the record.",
            self.history.bad_lines(),
        );
        figures.family(
            "franz_tokens_total",
            "counter",
            "Tokens, as the server counts them; cached are those of the prompt that it did not read anew.",
        );
        for (kind, count) in [
            ("prompt", totals.tokens.prompt),
            ("cached", totals.tokens.cached),
            ("completion", totals.tokens.completion),
        ] {
            figures.sample("franz_tokens_total", &label("kind", kind), count);
        }
        figures.family(
            "franz_model_seconds",
            "summary",
            "Time spent waiting for the model, per turn.",
        );
        figures.sample("franz_model_seconds_sum", "", totals.model_ms / 1e3);
        figures.sample("franz_model_seconds_count", "", totals.asked);
        figures.one(
            "franz_model_last_seconds",
            "gauge",
            "Time spent waiting for the model in the last turn.",
            totals.last_model_ms / 1e3,
        );
        figures.family(
            "franz_agent_state",
            "gauge",
            "1 for the state the agent is in, 0 for the others.",
        );
        for (state, name) in STATES {
            let current = u8::from(snapshot.agent.state == state);
            figures.sample("franz_agent_state", &label("state", name), current);
        }
        figures.one(
            "franz_upstream_up",
            "gauge",
            "1 if the model server is reachable, otherwise 0.",
            u8::from(snapshot.upstream.up),
        );
        let clients = self.clients.load(Ordering::Relaxed);
        figures.one("franz_clients", "gauge", "Connected event listeners.", clients);
        figures
    }
}

/// Text in the format that Prometheus reads.
#[derive(Default)]
struct Figures(String);

impl Figures {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, label: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{label} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, "", value);
    }
}

fn label(name: &str, value: &str) -> String {
    format!("{{{name}=\"{value}\"}}")
}
