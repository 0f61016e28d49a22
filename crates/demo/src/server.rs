//! Runs the demo model as a server with its own address, in a task or on a thread.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::model::{Model, ThinkingPace};
use crate::player::Player;
use crate::received::{Log, Received};
use crate::script::Script;
use crate::service::Service;

/// How long to wait when no connection can be accepted, for example because no file descriptors are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why the server cannot start or run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is in use, or does not belong to this machine.
    #[error("the demo model cannot listen on {addr} ({source}); choose another port")]
    Listen {
        /// The address that was requested.
        addr: SocketAddr,
        /// The error that the system returned.
        source: io::Error,
    },
    /// The operating system refuses to start a thread or to provide a resource that it needs.
    #[error("the demo model cannot start ({0}); close other programs and try again")]
    Start(#[from] io::Error),
}

/// The settings of the demo model.
#[derive(Debug, Default)]
pub struct DemoSettings {
    /// How long the model pretends to think; a script specifies its own delays.
    pub pace: ThinkingPace,
    /// Prepared answers.
    pub script: Option<Script>,
    /// The model to play; if `None`, FRANZ's own.
    pub player: Option<Player>,
    /// Whether to store all requests in memory for [`DemoHandle::requests`].
    pub keep_requests: bool,
}

/// The demo model, listening but not yet answering.
#[derive(Debug)]
pub struct Demo {
    listener: TcpListener,
    addr: SocketAddr,
    service: Arc<Service>,
}

impl Demo {
    /// Listens on an address; port 0 selects a free port.
    pub fn bind(addr: SocketAddr, settings: DemoSettings) -> Result<Demo, ServerError> {
        let listener = TcpListener::bind(addr).map_err(|source| ServerError::Listen { addr, source })?;
        Demo::on(listener, settings)
    }

    /// Listens on an existing listener.
    pub fn on(listener: TcpListener, settings: DemoSettings) -> Result<Demo, ServerError> {
        listener.set_nonblocking(true)?;
        let model = match (settings.script, settings.player) {
            (None, Some(player)) => Model::played(settings.pace, player),
            (script, _) => Model::new(settings.pace, script),
        };
        let service = Service {
            model,
            log: settings.keep_requests.then(Log::default),
        };
        Ok(Demo {
            addr: listener.local_addr()?,
            listener,
            service: Arc::new(service),
        })
    }

    /// Runs the model on its own thread, on a free local port.
    ///
    /// ```
    /// use franz_demo::{Demo, DemoSettings};
    ///
    /// let demo = Demo::spawn(DemoSettings::default())?;
    /// println!("http://{}/v1", demo.addr());
    /// # Ok::<(), franz_demo::ServerError>(())
    /// ```
    pub fn spawn(settings: DemoSettings) -> Result<DemoHandle, ServerError> {
        Demo::bind((Ipv4Addr::LOCALHOST, 0).into(), settings)?.into_thread()
    }

    /// Returns the address that the model listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Answers requests until `shutdown` resolves, then drops open connections. Requires a Tokio runtime with time and
    /// I/O enabled.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let mut connections = JoinSet::new();
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => return Ok(()),
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => { connections.spawn(converse(stream, Arc::clone(&self.service))); }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
    }

    /// Runs the model on its own thread.
    pub fn into_thread(self) -> Result<DemoHandle, ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let (addr, service) = (self.addr, Arc::clone(&self.service));
        let serve = move || {
            // Stop on a message, and also if the sender is dropped.
            runtime.block_on(self.serve(async { drop(stopped.await) }))
        };
        let thread = thread::Builder::new().name("franz-demo".to_owned()).spawn(serve)?;
        Ok(DemoHandle {
            addr,
            service,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

/// A demo model on a thread; dropping the handle stops the model.
#[derive(Debug)]
pub struct DemoHandle {
    addr: SocketAddr,
    service: Arc<Service>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

impl DemoHandle {
    /// Returns the address that the model listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the chat requests received so far, in order; empty unless [`DemoSettings::keep_requests`] is set.
    pub fn requests(&self) -> Vec<Received> {
        self.service.log.as_ref().map(Log::all).unwrap_or_default()
    }
}

impl Drop for DemoHandle {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It no longer matters how the thread ended.
            let _ = thread.join();
        }
    }
}

/// Serves one connection until it ends.
async fn converse(stream: TcpStream, service: Arc<Service>) {
    // Without this, small streamed pieces would wait for each other.
    let _ = stream.set_nodelay(true);
    let handler = service_fn(move |request| Arc::clone(&service).handle(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), handler);
    // Ignore a failed connection: the client notices the failure, and scripts break connections on purpose.
    let _ = connection.await;
}
