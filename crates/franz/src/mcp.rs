//! Offers the screen as tools to an MCP host. The host's calls take the place of a model's replies.
//!
//! The run is like any other, with its gate, masks, record and dashboard. Only its model server is FRANZ's own: it
//! holds each request of the agent until the host calls a tool, replies with that call, and reads the result from the
//! next request.

mod answer;
mod asked;
mod handover;
mod server;
mod stand_in;
mod tool;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_chat::{ApiKey, Endpoint, Keyring};
use franz_record::{Event, Output};
use rmcp::ServiceExt as _;
use tokio::net::TcpListener;

use crate::stop::{Ending, Stop};
use crate::terminal::complain;
use handover::Handover;
use server::Server;
use stand_in::StandIn;

/// How often to check for a stop while waiting for the host.
const LOOK: Duration = Duration::from_millis(100);

/// An MCP host, and the model server that stands in for it.
pub(crate) struct McpHost {
    /// The name that the host gives itself, in a form that can serve as a model name.
    pub(crate) name: String,
    /// The address to which the agent sends its requests.
    pub(crate) endpoint: Endpoint,
    key: ApiKey,
    handover: Arc<Handover>,
    gone: Receiver<Infallible>,
}

impl McpHost {
    /// Serves this process's stdin and stdout, and waits until a host has introduced itself. Returns `None` if the host
    /// leaves, or the person stops this process, before that. When the host leaves later, the run stops.
    pub(crate) fn meet(stop: &Stop) -> Result<Option<McpHost>> {
        let key = crate::random()?;
        let handover = Arc::new(Handover::default());
        let (introduced, introduction) = channel();
        let (leaves, gone) = channel();
        let serve = {
            let (handover, key, stop) = (Arc::clone(&handover), key.clone(), stop.clone());
            move || {
                let left = move || {
                    stop.end(Ending::HostLeft);
                    drop(leaves);
                };
                if let Err(error) = serve(handover, key, introduced, left) {
                    complain(&format!("the connection to the MCP host failed: {error:#}"));
                }
            }
        };
        let thread = thread::Builder::new().name("mcp".to_owned());
        thread
            .spawn(serve)
            .context("cannot start the thread for the MCP host")?;
        let Some((name, address)) = received(&introduction, stop) else {
            return Ok(None);
        };
        Ok(Some(McpHost {
            name,
            endpoint: format!("http://{address}").parse()?,
            key: ApiKey::new(&key)?,
            handover,
            gone,
        }))
    }

    /// Adds the key that the stand-in asks for, so that no other program can impersonate the agent.
    pub(crate) fn keyring(&self, keyring: Keyring) -> Keyring {
        keyring.with_server_key(self.endpoint.origin(), self.key.clone())
    }

    /// Returns an output that follows the run for the host.
    pub(crate) fn output(&self) -> impl Output + Send + use<> {
        Follower(Arc::clone(&self.handover))
    }

    /// Tells the host why no further calls will be performed, and waits until it leaves or the person stops this
    /// process.
    pub(crate) fn dismiss(self, why: &str, stop: &Stop) {
        self.handover.end(why);
        received(&self.gone, stop);
    }
}

/// Waits for a message. Returns `None` if no more messages can arrive, or if the run is stopped.
fn received<T>(messages: &Receiver<T>, stop: &Stop) -> Option<T> {
    loop {
        match messages.recv_timeout(LOOK) {
            Ok(message) => return Some(message),
            Err(RecvTimeoutError::Timeout) if stop.ending().is_none() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Serves the host until it leaves, and the run until the process ends. Once the host has introduced itself, sends its
/// name and the stand-in's address.
fn serve(
    handover: Arc<Handover>,
    key: String,
    introduced: Sender<(String, SocketAddr)>,
    left: impl FnOnce(),
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async move {
        let running = match Server::new(Arc::clone(&handover))
            .serve(rmcp::transport::io::stdio_pipes())
            .await
        {
            Ok(running) => running,
            // The host left without sending anything.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let name = running.peer().peer_info().map(|client| client.client_info.name.clone());
        let name = model_name(&name.unwrap_or_default());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let stand_in = StandIn::new(handover, name.clone(), &key);
        tokio::spawn(stand_in.serve(listener));
        // If nobody receives the host's name, there is no run to serve.
        if introduced.send((name, address)).is_ok() {
            let why = running.waiting().await;
            left();
            why?;
            // The agent ends on its own; if its model server disappeared first, that would only confuse the agent.
            std::future::pending::<()>().await;
        }
        Ok(())
    })
}

/// Returns the host's name in a form that can serve as a model name.
fn model_name(host: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = host.trim().chars().map(plain).take(60).collect();
    if name.is_empty() { "mcp-host".to_owned() } else { name }
}

/// Follows a run for the host: what it is waiting for, and why it ended.
struct Follower(Arc<Handover>);

impl Output for Follower {
    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        match event {
            Event::Waiting(question) => {
                let action = &question.action;
                self.0
                    .wait_for(Some(format!("{action} waits for the person to allow it in FRANZ")));
            }
            Event::Paused { why, .. } => {
                let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                self.0
                    .wait_for(Some(format!("FRANZ is paused until the person resumes it{why}")));
            }
            Event::TakenOver { .. } => self.0.wait_for(Some("the person has taken over the screen".to_owned())),
            Event::Decided { .. } | Event::Resumed { .. } | Event::GivenBack { .. } | Event::Asking { .. } => {
                self.0.wait_for(None);
            }
            Event::RunEnded { reason, .. } => self.0.end(reason),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_as_a_model_could_be() {
        for (host, name) in [
            ("claude-ai", "claude-ai"),
            (" LM Studio 0.4 ", "LM-Studio-0.4"),
            ("a/b\n\u{202e}c", "a-b--c"),
            ("", "mcp-host"),
        ] {
            assert_eq!(model_name(host), name);
        }
        assert_eq!(model_name(&"x".repeat(1000)).len(), 60);
    }
}
