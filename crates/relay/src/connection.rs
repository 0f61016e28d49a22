//! Serves one client and its connection to the model server, from the first head until both sides have finished.

use std::pin::pin;
use std::sync::Arc;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::client_buffer::ClientBuffer;
use crate::connector::Stream;
use crate::context::RelayContext;
use crate::exchange::Ended;
use crate::ledger::Ledger;
use crate::limits::RelayLimits;
use crate::refusal::RelayRefusal;
use crate::requests::{self, NextRequest, RequestsEnd, Sending};
use crate::responses::{self, ResponsesEnd};
use crate::waiting_clients::{WaitingClient, over};

/// How the client's connection ends.
#[derive(Debug)]
enum End {
    /// The connection is closed.
    Close,
    /// The connection is reset, because the server broke off.
    Reset,
    /// The response is complete. The relay reads and drops whatever the client still sends, so that the client can read
    /// the response.
    Over,
    /// The relay answers with a refusal.
    Refused(RelayRefusal),
}

/// How relaying over one connection to the server ended.
enum Passed {
    /// How the client's connection ends, how its exchanges ended, and whether to reset the connection to the server.
    End(End, Ended, bool),
    /// The next request must wait. The connection to the server is closed in the meantime.
    Held(NextRequest),
}

/// Serves one client until the client or the server has finished. The client counts as a stranger until it is admitted.
pub(crate) async fn serve(mut client: TcpStream, number: u64, context: Arc<RelayContext>, stranger: WaitingClient) {
    let mut stranger = Some(stranger);
    // Without this option, small writes arrive later, but nothing else changes.
    let _ = client.set_nodelay(true);
    // A client that has merely stopped sending looks like one that is gone until its system is probed. If the client is
    // gone, its system forgets the connection after a minute and then answers the probe with a reset.
    let keepalive = TcpKeepalive::new().with_time(context.limits.keepalive);
    let _ = SockRef::from(&client).set_tcp_keepalive(&keepalive);
    let ledger = Ledger::new(number, context.copies.clone());
    let mut buffer = ClientBuffer::new(context.copies.clone());
    let (end, ended) = converse(&mut client, &mut buffer, &ledger, &context, &mut stranger).await;
    ledger.close(&ended);
    match end {
        End::Close => {}
        End::Reset => {
            let _ = client.set_zero_linger();
        }
        End::Over => drain(&mut client, &context.limits).await,
        End::Refused(refusal) => {
            // Empty lines may come before a request.
            let to_head = buffer.unread().trim_ascii_start().starts_with(b"HEAD ");
            tokio::select! {
                () = refuse(&mut client, &refusal, to_head, &context.limits) => {}
                () = over(stranger.as_ref()) => {}
            }
        }
    }
}

/// Sends the refusal and gives the client time to read it.
pub(crate) async fn refuse(client: &mut TcpStream, refusal: &RelayRefusal, to_head: bool, limits: &RelayLimits) {
    if client.write_all(&refusal.answer(to_head)).await.is_ok() {
        drain(client, limits).await;
    }
}

/// Closes our side and drops whatever the client still sends. If those bytes stayed unread, the client's system would
/// discard data that the client has yet to read.
async fn drain(client: &mut TcpStream, limits: &RelayLimits) {
    let reading = async {
        client.shutdown().await?;
        let mut buffer = vec![0; 16 << 10];
        let mut left = limits.drain_bytes;
        while left > 0 {
            match client.read(&mut buffer).await? {
                0 => break,
                read => left = left.saturating_sub(read as u64),
            }
        }
        std::io::Result::Ok(())
    };
    // Ignore the result: it makes no difference whether the client finished in time.
    let _ = timeout(limits.drain, reading).await;
}

async fn converse(
    client: &mut TcpStream,
    buffer: &mut ClientBuffer,
    ledger: &Ledger,
    context: &RelayContext,
    stranger: &mut Option<WaitingClient>,
) -> (End, Ended) {
    let first = tokio::select! {
        biased;
        first = admitted(client, buffer, context) => first,
        () = over(stranger.as_ref()) => Err(End::Close),
    };
    let mut asked = match first {
        Ok(asked) => asked,
        Err(end) => return (end, Ended::ClientGone),
    };
    *stranger = None;
    ledger.begin(asked.bytes(buffer), &asked.head);
    loop {
        if asked.head.is_post && !may_pass(client, buffer, context).await {
            return (End::Close, Ended::ClientGone);
        }
        let mut upstream = match context.connector.connect(&context.limits).await {
            Ok(upstream) => {
                context.connected();
                upstream
            }
            Err(refusal) => {
                let why = refusal.to_string();
                return (End::Refused(refusal), Ended::Unreachable(why));
            }
        };
        let passed = match &mut upstream {
            Stream::Plain(stream) => {
                let (from, to) = stream.split();
                pass(from, to, client, buffer, ledger, context, asked).await
            }
            Stream::Secure(stream) => {
                let (from, to) = tokio::io::split(stream);
                pass(from, to, client, buffer, ledger, context, asked).await
            }
        };
        match passed {
            Passed::Held(held) => asked = held,
            Passed::End(end, ended, reset) => {
                if reset {
                    upstream.reset();
                }
                return (end, ended);
            }
        }
    }
}

/// Waits for the client's first request, and checks whether the client may use the relay.
async fn admitted(
    client: &mut TcpStream,
    buffer: &mut ClientBuffer,
    context: &RelayContext,
) -> Result<NextRequest, End> {
    let deadline = Some(Instant::now() + context.limits.head);
    let first = requests::next(&mut client.split().0, buffer, context, deadline).await;
    let asked = first.map_err(|end| match end {
        RequestsEnd::Refused(refusal) => End::Refused(refusal),
        _ => End::Close,
    })?;
    // Check this before any part of the request is stored or passed on.
    let admission = context.admission.admit(client, asked.bytes(buffer), &asked.head).await;
    admission.map_err(End::Refused)?;
    Ok(asked)
}

/// Waits for the gate. Returns `false` if the client leaves before it opens.
async fn may_pass(client: &mut TcpStream, buffer: &mut ClientBuffer, context: &RelayContext) -> bool {
    if context.gate.pass_now() {
        return true;
    }
    let mut from_client = client.split().0;
    context.held(true);
    let passes = tokio::select! {
        biased;
        () = context.gate.pass() => true,
        _ = requests::gone(&mut from_client, buffer) => false,
    };
    context.held(false);
    passes
}

/// Relays in both directions at the same time.
async fn pass(
    mut from_upstream: impl AsyncRead + Unpin,
    mut to_upstream: impl AsyncWrite + Unpin,
    client: &mut TcpStream,
    buffer: &mut ClientBuffer,
    ledger: &Ledger,
    context: &RelayContext,
    asked: NextRequest,
) -> Passed {
    let (mut from_client, mut to_client) = client.split();
    let sending = Sending {
        client: &mut from_client,
        buffer,
        upstream: &mut to_upstream,
        ledger,
        context,
    };
    let mut requests = Box::pin(sending.pass(asked));
    let mut responses = pin!(responses::pass(&mut from_upstream, &mut to_client, ledger));
    let sent = tokio::select! {
        received = &mut responses => return after(received),
        sent = &mut requests => sent,
        () = ledger.overdue(&context.limits) => {
            return Passed::End(End::Close, Ended::ServerGone("the client kept sending after the response".to_owned()), false);
        }
    };
    let held = usize::from(matches!(sent, RequestsEnd::Held(_)));
    let waits = matches!(
        sent,
        RequestsEnd::Ended | RequestsEnd::Refused(_) | RequestsEnd::Held(_)
    );
    drop(requests);
    if waits {
        let waiting = matches!(sent, RequestsEnd::Ended).then(|| context.half_closed.enter());
        let gone = Passed::End(End::Close, Ended::ClientGone, true);
        tokio::select! {
            biased;
            () = ledger.quiet(held) => {}
            received = &mut responses => return after(received),
            () = requests::broken(&from_client) => return gone,
            () = over(waiting.as_ref()) => return gone,
        }
    }
    match sent {
        RequestsEnd::Held(asked) => Passed::Held(asked),
        RequestsEnd::Ended => Passed::End(End::Close, Ended::ClientGone, false),
        RequestsEnd::Refused(refusal) => Passed::End(End::Refused(refusal), Ended::ClientGone, false),
        RequestsEnd::ClientGone { reset } => Passed::End(End::Close, Ended::ClientGone, reset),
        RequestsEnd::Broken => Passed::End(End::Reset, Ended::ClientGone, true),
    }
}

/// Decides how to end the connection when no more responses arrive.
fn after(received: ResponsesEnd) -> Passed {
    let gone = |why: String| Ended::ServerGone(why);
    match received {
        ResponsesEnd::Ended(why) => {
            let why = why.unwrap_or_else(|| "it closed the connection".to_owned());
            Passed::End(End::Over, gone(why), false)
        }
        ResponsesEnd::Unasked => Passed::End(End::Over, gone("it sent data that was not requested".to_owned()), false),
        ResponsesEnd::Broke(why) => Passed::End(End::Reset, gone(why), false),
        ResponsesEnd::Switches { seen } => {
            let end = if seen {
                End::Over
            } else {
                End::Refused(RelayRefusal::Switching)
            };
            Passed::End(end, gone("it wants to switch protocols".to_owned()), false)
        }
        ResponsesEnd::ClientGone => Passed::End(End::Close, Ended::ClientGone, true),
    }
}
