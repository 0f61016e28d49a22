//! Finds a model server on this machine.

use std::time::Duration;

use reqwest::StatusCode;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::body::{self, Remainder};
use crate::endpoint::Endpoint;
use crate::model_metadata;
use crate::server_message;
use crate::transport::{self, TransportError};

/// The ports that model servers usually listen on, best first: LM Studio on another port, LM Studio, llama.cpp, Ollama,
/// vLLM, and a second llama.cpp.
pub const PORTS: [u16; 6] = [1235, 1234, 8080, 11434, 8000, 8081];

/// The time in which a port must answer. A server on the same machine needs only a few milliseconds.
const PROBE: Duration = Duration::from_millis(300);

/// The header that marks a request as a probe. A FRANZ relay refuses probes, so that FRANZ does not find itself.
const PROBE_HEADER: &str = "X-Franz-Probe";

/// A model server found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundServer {
    /// The server's address.
    pub endpoint: Endpoint,
    /// Whether the server requires a key (status 401). A key is never sent to a server that was merely discovered.
    pub locked: bool,
}

/// Returns the model server on the first of these ports of 127.0.0.1 that has one.
///
/// Asks all ports at the same time, without a key. A list of models is proof. Any program might answer 401, so such an
/// answer is considered only if no port returns a list.
pub async fn discover(ports: &[u16]) -> Result<Option<FoundServer>, TransportError> {
    let http = transport::client(false)?;
    let mut probes = JoinSet::new();
    for (rank, &port) in ports.iter().enumerate() {
        let http = http.clone();
        probes.spawn(async move { (rank, probe(&http, port).await) });
    }
    Ok(best(probes, ports.len()).await)
}

/// Waits for answers until the best one is certain: an answer on a later port never wins while an earlier port might
/// still answer.
async fn best(mut probes: JoinSet<(usize, Option<FoundServer>)>, count: usize) -> Option<FoundServer> {
    let is_open = |found: &FoundServer| !found.locked;
    let mut answers: Vec<Option<Option<FoundServer>>> = vec![None; count];
    while let Some(joined) = probes.join_next().await {
        let Ok((rank, found)) = joined else { continue };
        answers[rank] = Some(found);
        let silent = answers.iter().position(Option::is_none).unwrap_or(count);
        let mut before = answers[..silent].iter_mut().flatten();
        if let Some(found) = before.find(|found| found.as_ref().is_some_and(is_open)) {
            return found.take();
        }
    }
    let found: Vec<FoundServer> = answers.into_iter().flatten().flatten().collect();
    let open = found.iter().find(|found| is_open(found));
    open.or(found.first()).cloned()
}

async fn probe(http: &reqwest::Client, port: u16) -> Option<FoundServer> {
    let endpoint: Endpoint = format!("http://127.0.0.1:{port}").parse().ok()?;
    let locked = timeout(PROBE, is_locked(http, &endpoint)).await.ok()??;
    Some(FoundServer { endpoint, locked })
}

/// Checks whether the model server at this address requires a key; `None` if there is no model server.
async fn is_locked(http: &reqwest::Client, endpoint: &Endpoint) -> Option<bool> {
    let response = http
        .get(endpoint.models())
        .header(PROBE_HEADER, "1")
        .send()
        .await
        .ok()?;
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(true),
        // llama.cpp answers this way until its model is loaded.
        StatusCode::SERVICE_UNAVAILABLE => {
            let mut body = Vec::new();
            body::start(response, &mut body).await;
            let loads = server_message::of_body(&body).eq_ignore_ascii_case("loading model");
            loads.then_some(false)
        }
        StatusCode::OK => {
            let mut body = Vec::new();
            body::whole(response, &mut body, |_| Remainder::Needed).await.ok()?;
            model_metadata::listed(str::from_utf8(&body).ok()?).map(|_| false)
        }
        _ => None,
    }
}
