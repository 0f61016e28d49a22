//! Each profile's exchange with a model: the requests, the replies and the actions, turn by turn.
//!
//! `said` contains the model's replies, and `transcript` writes an exchange down. Each profile also has a file with the
//! replies of a small model that makes mistakes. The transcripts are in `snapshots` next to this file, and are meant to
//! be read from top to bottom. `INSTA_UPDATE=always cargo test -p franz-agent --test it exchange` rewrites them.

mod companion;
mod draw;
mod operator;
mod said;
mod sketch;
mod story;
mod transcript;

use franz_demo::Received;
use franz_record::TurnLine;

use crate::harness::{Finished, Workplace, scripted};
use said::Said;

/// A run of a profile that has ended.
struct Exchange {
    replies: Vec<Said>,
    requests: Vec<Received>,
    turns: Vec<TurnLine>,
    finished: Finished,
}

impl Exchange {
    /// Runs a profile on the canvas with a model that gives these replies, one per turn.
    fn of(profile: &str, replies: Vec<Said>, more: &[&str]) -> Exchange {
        let lines: Vec<String> = replies.iter().map(Said::line).collect();
        let server = scripted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let place = Workplace::new();
        let most = replies.len().to_string();
        let mut arguments = vec!["--profile", profile, "--screen", "canvas", "--max-turns", &most];
        arguments.extend(["--set", "loop.monitoring_delay_s=0"]);
        arguments.extend(more);
        let finished = place.run(&server, &arguments);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let (requests, turns) = (server.requests(), place.turns());
        assert_eq!((requests.len(), turns.len()), (replies.len(), replies.len()));
        Exchange {
            replies,
            requests,
            turns,
            finished,
        }
    }

    /// Compares the transcript with the one that was reviewed and found correct.
    fn assert_as_in(&self, snapshot: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(snapshot, self));
    }
}
