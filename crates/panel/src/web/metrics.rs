//! Metrics for Prometheus.

use std::fmt::{Display, Write as _};

use hyper::StatusCode;

use super::answer::{HttpResponse, answer};
use super::service::DashboardService;
use crate::hub::{Doing, Snapshot};

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
        let mut figures = Figures::default();
        let version = [(env!("CARGO_PKG_VERSION"), 1)];
        figures.each(
            "franz_build_info",
            "gauge",
            "Version of this program.",
            "version",
            version,
        );
        self.record(&snapshot, &mut figures);
        let states = STATES.map(|(state, name)| (name, u8::from(snapshot.agent.state == state)));
        let help = "1 for the state the agent is in, 0 for the others.";
        figures.each("franz_agent_state", "gauge", help, "state", states);
        let help = "1 if the model server is reachable, otherwise 0.";
        figures.one("franz_upstream_up", "gauge", help, u8::from(snapshot.upstream.up));
        let clients = *self.clients.borrow();
        figures.one("franz_clients", "gauge", "Connected event listeners.", clients);
        figures
    }

    /// Adds the totals of the recorded turns.
    fn record(&self, snapshot: &Snapshot, figures: &mut Figures) {
        let totals = self.history.totals();
        figures.one("franz_turns_total", "counter", "Recorded turns.", snapshot.turns.count);
        let help = "Turns that ended without a reply.";
        figures.one("franz_turns_failed_total", "counter", help, totals.failed);
        let help = "Verified requests, by verdict.";
        figures.each(
            "franz_verdicts_total",
            "counter",
            help,
            "verdict",
            snapshot.verdicts.named(),
        );
        let help = "Exchanges dropped before the verifier saw them.";
        figures.one("franz_copies_dropped_total", "counter", help, (self.dropped)());
        let help = "Unreadable lines in the record.";
        figures.one("franz_bad_lines_total", "counter", help, self.history.bad_lines());
        let tokens = [
            ("prompt", totals.tokens.prompt),
            ("cached", totals.tokens.cached),
            ("completion", totals.tokens.completion),
        ];
        let help = "Tokens as counted by the server; cached ones are the prompt tokens that came from its cache.";
        figures.each("franz_tokens_total", "counter", help, "kind", tokens);
        let help = "Time spent waiting for the model, per turn.";
        figures.family("franz_model_seconds", "summary", help);
        figures.sample("franz_model_seconds_sum", "", totals.model_ms / 1e3);
        figures.sample("franz_model_seconds_count", "", totals.asked);
        let help = "Time spent waiting for the model in the last turn.";
        figures.one("franz_model_last_seconds", "gauge", help, totals.last_model_ms / 1e3);
    }
}

/// Text in the format that Prometheus reads.
#[derive(Default)]
struct Figures(String);

impl Figures {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, label: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{label} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, "", value);
    }

    /// Adds a metric with one sample for each of a label's values.
    fn each<'a, V: Display>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        label: &str,
        samples: impl IntoIterator<Item = (&'a str, V)>,
    ) {
        self.family(name, kind, help);
        for (of, value) in samples {
            self.sample(name, &format!("{{{label}=\"{of}\"}}"), value);
        }
    }
}
