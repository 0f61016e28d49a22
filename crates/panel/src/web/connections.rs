//! Accepts connections, limits how many there are and how long they can take, and ends them.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::ends::Ends;
use super::service::DashboardService;

/// The maximum number of simultaneous connections. Each browser opens up to six.
pub(super) const MOST: usize = 256;

/// How many connections to turn away at once. Others are closed without a response.
const TURNED_AWAY: usize = 32;

/// The maximum size of a request's head in bytes.
const HEAD_BYTES: usize = 32 << 10;

/// How long receiving a head may take, including the first one on a new connection.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long to wait if a connection cannot be accepted, for example because no file handles are free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long responses in progress may still take after shutdown.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// Accepts connections until `shutdown` resolves, and for a moment after that for the sake of open pages.
pub(super) async fn accept(
    listener: TcpListener,
    dashboard: Arc<DashboardService>,
    shutdown: impl Future<Output = ()>,
) {
    let free = Arc::new(Semaphore::new(MOST));
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    let (closing, closed) = watch::channel(false);
    let mut connections = JoinSet::new();
    let over = async {
        shutdown.await;
        dashboard.wait_for_last_look().await;
    };
    let mut over = std::pin::pin!(over);
    loop {
        let stream = tokio::select! {
            () = &mut over => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = stream else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if let Ok(place) = Arc::clone(&free).try_acquire_owned() {
            let (dashboard, closed) = (Arc::clone(&dashboard), closed.clone());
            connections.spawn(async move {
                converse(stream, dashboard, closed).await;
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&turned_away).try_acquire_owned() {
            connections.spawn(async move {
                turn_away(stream).await;
                drop(place);
            });
        }
    }
    drop(listener);
    closing.send_replace(true);
    // Connections that have not finished by then are dropped along with the set.
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(LAST_MOMENT, all).await;
}

/// Serves one connection until it ends.
async fn converse(stream: TcpStream, dashboard: Arc<DashboardService>, mut closed: watch::Receiver<bool>) {
    // Send small events immediately instead of collecting them.
    let _ = stream.set_nodelay(true);
    let closing = closed.clone();
    let ends = stream.local_addr().ok().zip(stream.peer_addr().ok());
    let handler = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Ends(ends));
        let (dashboard, closing) = (Arc::clone(&dashboard), closing.clone());
        async move { Ok::<_, Infallible>(dashboard.answer(request, closing).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), handler);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A failed connection affects nobody but its client.
        _ = &mut connection => return,
        _ = closed.wait_for(|&closed| closed) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Responds that there are too many connections. The response would not arrive if the request were left unread, so this
/// reads it as well.
async fn turn_away(mut stream: TcpStream) {
    const ANSWER: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 59\r\n\
        Connection: close\r\n\r\nThere are too many connections; close a tab and try again.\n";
    let answered = async {
        stream.write_all(ANSWER).await?;
        stream.shutdown().await?;
        let mut asked = [0; 4096];
        while stream.read(&mut asked).await? > 0 {}
        Ok::<(), std::io::Error>(())
    };
    let _ = timeout(LAST_MOMENT, answered).await;
}
