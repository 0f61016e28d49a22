//! Measures how much a grammar slows down a real llama.cpp server. Each profile runs once with a grammar and once
//! without, and the model writes random words from Qwen2's vocabulary. The server measures all times.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::goal::Row;
use super::llama_server::LlamaServer;
use crate::model_server;
use crate::process::{cargo, root, run, target};

const COMMAND: &str = "cargo xtask bench constrain";
/// The number of turns in a run.
const TURNS: usize = 10;
/// The limit on a reply's tokens. Without a grammar, the model hardly ever stops on its own.
const MOST_TOKENS: &str = "model.max_tokens=300";
/// The maximum number of milliseconds that a grammar may add to each token. If the token that the server has sampled
/// does not fit the grammar, the server checks all tokens. With random weights, that happens almost every time.
const MOST_MS: f64 = 15.0;

/// The server's report about the replies of one run.
#[derive(Clone, Copy, Default, Serialize)]
struct Written {
    tokens: u64,
    ms: f64,
}

#[derive(Serialize)]
struct Cost {
    profile: &'static str,
    free: Written,
    bound: Written,
}

pub(super) fn bench() -> Result<Vec<Row>> {
    model_server::provide()?;
    run(&mut cargo(&["build", "--package", "franz-agent"]))?;
    let place = root().join("target/bench/constrain");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let server = LlamaServer::start(
        &place,
        &json!({
            "template": "Qwen3-VL-Instruct", "model": "babbler", "folder": place, "replies": [], "seed": 1,
            "vocabulary": target()?.join("model-server/qwen2.json"), "context": 16_384,
        }),
    )?;
    let mut costs = Vec::new();
    for profile in ["sketch", "companion", "operator"] {
        let [free, bound] = ["off", "auto"].map(|constrain| written(&server.url, profile, constrain));
        costs.push(Cost {
            profile,
            free: free?,
            bound: bound?,
        });
    }
    fs::write(
        root().join("target/bench/constrain.json"),
        serde_json::to_vec_pretty(&costs)?,
    )?;
    Ok(costs.iter().map(Cost::row).collect())
}

/// Runs a profile, and returns how fast the server generated tokens.
fn written(url: &str, profile: &str, constrain: &str) -> Result<Written> {
    let place = root().join("target/bench/constrain");
    let directory = place.join(format!("{profile}-{constrain}"));
    let mut franz = Command::new(target()?.join(format!("debug/franz{}", std::env::consts::EXE_SUFFIX)));
    franz.args([
        "run",
        "--no-panel",
        "--screen",
        "canvas",
        "--family",
        "qwen2.5-vl",
        "--upstream",
        url,
    ]);
    franz.args(["--profile", profile, "--max-turns", &TURNS.to_string()]);
    let constrain = format!("model.constrain={constrain}");
    let settings = [
        &constrain,
        MOST_TOKENS,
        // A streamed reply is logged without the server's timings.
        "model.stream=off",
        "loop.executing_delay_s=0",
        "loop.monitoring_delay_s=0",
        "loop.patience=0",
        "loop.stop_on_answer=false",
        "protocol.tools.wait=false",
        "image.width=448",
        "image.height=252",
    ];
    for setting in settings {
        franz.args(["--set", setting]);
    }
    franz.arg("--run-dir").arg(&directory).arg("Draw.");
    franz
        .env("XDG_STATE_HOME", directory.with_extension("state"))
        .current_dir(&place);
    // A run ends early with an error if its model never makes a call, so the exit code is ignored.
    franz.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    let log = fs::read_to_string(directory.join("exchange.log"))?;
    let answers = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let timings = answers.filter_map(|line| {
        let timings = &line["response"]["timings"];
        Some((timings["predicted_n"].as_u64()?, timings["predicted_ms"].as_f64()?))
    });
    let sum = timings.fold(Written::default(), |sum, (tokens, ms)| Written {
        tokens: sum.tokens + tokens,
        ms: sum.ms + ms,
    });
    ensure!(sum.tokens > 0, "the server wrote nothing");
    Ok(sum)
}

impl Written {
    fn ms_a_token(self) -> f64 {
        self.ms / self.tokens as f64
    }

    fn a_second(self) -> f64 {
        1000.0 / self.ms_a_token()
    }
}

impl Cost {
    fn row(&self) -> Row {
        let more = self.bound.ms_a_token() - self.free.ms_a_token();
        let (free, bound) = (self.free.a_second(), self.bound.a_second());
        Row {
            what: format!("{} on a llama.cpp server: what a grammar adds to a token", self.profile),
            goal: "15 ms",
            measured: format!("{more:.2} ms ({bound:.0} tokens a second, {free:.0} without)"),
            met: more <= MOST_MS,
            ..Row::of(COMMAND)
        }
    }
}
