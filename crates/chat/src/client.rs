//! Asks a model server and distinguishes all ways to fail.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use franz_secret::Veil;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response};
use sha2::{Digest as _, Sha256};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::answer::{Answer, Failed};
use crate::body::{self, Remainder, Unread};
use crate::connection_error::{ConnectionError, of_tls, root};
use crate::defect::Defect;
use crate::endpoint::Endpoint;
use crate::failure::RequestFailure;
use crate::keyring::Grant;
use crate::reply::{Expect, Reply, Usage};
use crate::retry::retry_after;
use crate::server_message;
use crate::streamed_reply::{StreamedReply, is_event_stream};
use crate::transport::{self, TransportError};

/// The header that marks an answer as coming from a FRANZ relay.
pub const RELAY: &str = "x-franz-relay";

/// The value of [`RELAY`] if the relay cannot reach the model server. The answer's body contains the reason.
pub const UNREACHABLE: &str = "unreachable";

/// The value of [`RELAY`] if https does not work with the model server. The answer's body contains the reason.
pub const NO_TLS: &str = "no-tls";

/// A client for one model server. Clones share its connections.
///
/// ```no_run
/// use franz_chat::{Client, Form, Prompt, Request, Sampling, ClientSettings};
/// use franz_json::Story;
///
/// # async fn turn() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::new("127.0.0.1:1234".parse()?, ClientSettings::default())?;
/// let prompt = Prompt { system: "Draw a cat.", story: &Story::empty(), feedback: "", picture: None, beside: &[] };
/// let request = Request::new(&prompt, &Form::default(), &Sampling::default());
/// let headers = [("X-Franz-Turn", "1")];
/// let answer = client.ask(request.body().clone(), &headers).await?;
/// println!("{}", answer.reply.story().map(Story::text).unwrap_or_default());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    endpoint: Endpoint,
    settings: ClientSettings,
}

/// The settings for asking a model server.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// The key that may be sent to this server, and the keys that must never be recorded.
    pub grant: Grant,
    /// The time limit for one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// The content that an answer must have.
    pub expect: Expect,
    /// The intended server if the endpoint is a relay in front of it.
    pub behind: Option<Endpoint>,
}

impl Default for ClientSettings {
    /// Defaults to no key, a timeout of 600 s, and a story as the expected content.
    fn default() -> Self {
        Self {
            grant: Grant::default(),
            timeout: Duration::from_mins(10),
            expect: Expect::Story,
            behind: None,
        }
    }
}

/// Listens to a reply as it is written.
#[derive(Debug)]
pub struct ReplyListener<F> {
    most_repeats: u32,
    patience: Option<Duration>,
    grown: F,
}

impl<F: FnMut(&StreamedReply)> ReplyListener<F> {
    /// Creates a listener that calls `grown` with the reply after each piece. The reply is cut if the same few lines
    /// repeat more than `most_repeats` times in a row (0: never).
    pub fn new(most_repeats: u32, grown: F) -> ReplyListener<F> {
        ReplyListener {
            most_repeats,
            patience: None,
            grown,
        }
    }

    /// Limits the time that this reply may take, overriding [`ClientSettings::timeout`].
    #[must_use]
    pub fn within(self, patience: Duration) -> ReplyListener<F> {
        ReplyListener {
            patience: Some(patience),
            ..self
        }
    }
}

impl Client {
    /// Creates a client for the server at an address. It does not connect yet, and loads the system's certificates only
    /// for https.
    ///
    /// Refuses to send a key to any server other than the one for which it was granted. A relay is treated as the
    /// server behind it.
    pub fn new(endpoint: Endpoint, settings: ClientSettings) -> Result<Self, TransportError> {
        settings.grant.check(&endpoint, settings.behind.as_ref())?;
        let http = transport::client(endpoint.is_secure())?;
        Ok(Self {
            http,
            endpoint,
            settings,
        })
    }

    /// Returns the server's address.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Returns a veil for growing text, which withholds anything that might be the server's key.
    pub fn veil(&self) -> Veil {
        self.settings.grant.secret().veil()
    }

    /// Sends the body of a chat-completions call and reads the answer. Fails if the answer lacks the expected content.
    ///
    /// Also sends `headers`. Asks only once; [`crate::Trials`] decides whether to ask again. Dropping the future closes
    /// the connection immediately.
    pub async fn ask(&self, body: Bytes, headers: &[(&str, &str)]) -> Result<Answer, Failed> {
        self.listen(body, headers, ReplyListener::new(0, |_| ())).await
    }

    /// Does the same as [`Client::ask`], and reports a streamed reply to `listener` as it grows.
    pub async fn listen(
        &self,
        body: Bytes,
        headers: &[(&str, &str)],
        listener: ReplyListener<impl FnMut(&StreamedReply)>,
    ) -> Result<Answer, Failed> {
        let ReplyListener {
            most_repeats,
            patience,
            mut grown,
        } = listener;
        let patience = patience.unwrap_or(self.settings.timeout);
        let call = self.call(Method::POST, &self.endpoint.chat());
        let call = call.header(CONTENT_TYPE, "application/json").body(body);
        let call = headers
            .iter()
            .fold(call, |call, (name, value)| call.header(*name, *value));
        let mut heard = AnswerBytes::default();
        let mut stream = StreamedReply::limited(most_repeats);
        let hear = |piece: &[u8], content_type: Option<&str>| {
            if !content_type.is_some_and(is_event_stream) {
                return Remainder::Needed;
            }
            stream.push(piece);
            grown(&stream);
            if stream.is_over() {
                Remainder::Useless
            } else if stream.is_surely_finished() {
                Remainder::Useful
            } else if stream.is_finished() {
                Remainder::Probable
            } else {
                Remainder::Needed
            }
        };
        let outcome = self.exchange(call, patience, &mut heard, hear).await;
        self.judge(outcome, heard, stream)
    }

    /// Reads an answer that arrived earlier, such as a recorded one, as if it had just arrived. Sends nothing.
    #[expect(clippy::result_large_err, reason = "the same result as that of a request")]
    pub fn read_again<F>(&self, status: u16, wire: &Bytes, listener: &ReplyListener<F>) -> Result<Answer, Failed> {
        let heard = AnswerBytes {
            bytes: wire.to_vec(),
            content_type: None,
            status,
        };
        let outcome = match status {
            200..=299 => Ok(status),
            _ => Err(RequestFailure::of_answer(status, wire, None)),
        };
        self.judge(outcome, heard, StreamedReply::limited(listener.most_repeats))
    }

    /// Decides what an attempt led to, once everything has arrived. `stream` holds the events that were read on arrival.
    #[expect(clippy::result_large_err, reason = "the result of a request")]
    fn judge(
        &self,
        outcome: Result<u16, RequestFailure>,
        heard: AnswerBytes,
        mut stream: StreamedReply,
    ) -> Result<Answer, Failed> {
        let AnswerBytes {
            content_type,
            bytes,
            status,
        } = heard;
        let wire = Bytes::from(bytes);
        let is_stream = StreamedReply::is_in(content_type.as_deref(), &wire);
        if is_stream && !content_type.as_deref().is_some_and(is_event_stream) {
            stream.push(&wire);
        }
        let outcome = outcome.or_else(|failure| match failure {
            // Once the stream is finished, it does not matter how the connection ended.
            RequestFailure::Broken { .. } | RequestFailure::Timeout { .. } if is_stream && stream.is_finished() => {
                Ok(status)
            }
            _ => Err(failure),
        });
        let read = outcome.and_then(|status| Ok((status, self.read(&wire, is_stream.then_some(stream))?)));
        let failed = |failure, usage| Failed::new(failure, &self.without_key(&wire, is_stream), usage);
        let (status, reply) = read.map_err(|failure| failed(failure, Usage::default()))?;
        let usage = reply.usage();
        let checked = reply.check(self.settings.expect);
        let answer = |reply| Answer {
            reply,
            status,
            wire: wire.clone(),
        };
        checked
            .map(answer)
            .map_err(|defect| failed(RequestFailure::of_defect(defect), usage))
    }

    /// Parses an answer that has arrived completely.
    fn read(&self, wire: &Bytes, stream: Option<StreamedReply>) -> Result<Reply, RequestFailure> {
        let Some(stream) = stream else {
            return Reply::read(wire.clone()).map_err(RequestFailure::of_defect);
        };
        let body = stream.end().map_err(RequestFailure::of_defect)?;
        // A key can be split across several pieces and is then found only when they are joined.
        if self.settings.grant.secret().is_in(&body) {
            return Err(repeats_key(wire).into());
        }
        Reply::read(body).map_err(RequestFailure::of_defect)
    }

    /// Returns the part of a failed attempt's answer that may be recorded.
    fn without_key(&self, wire: &Bytes, is_stream: bool) -> Bytes {
        let secret = self.settings.grant.secret();
        if is_stream && secret.is_in(&StreamedReply::of(wire, 0).so_far()) {
            return Bytes::new();
        }
        match secret.bytes(wire) {
            Cow::Borrowed(_) => wire.clone(),
            Cow::Owned(hidden) => hidden.into(),
        }
    }

    /// Starts a call to this server, with the key.
    pub(crate) fn call(&self, method: Method, url: &str) -> RequestBuilder {
        let call = self.http.request(method, url);
        match self.settings.grant.header() {
            Some(key) => call.header(AUTHORIZATION, key),
            None => call,
        }
    }

    /// Sends a call, reads the whole body of a 2xx answer and returns its status. `heard` receives the bytes of any
    /// answer, even an incomplete one, unless the answer repeats a key. `hear` is called with each piece and the content
    /// type, and returns what remains.
    pub(crate) async fn exchange(
        &self,
        call: RequestBuilder,
        bound: Duration,
        heard: &mut AnswerBytes,
        mut hear: impl FnMut(&[u8], Option<&str>) -> Remainder,
    ) -> Result<u16, RequestFailure> {
        let answered = async {
            // Nobody drives the runtime between two requests. Let it see first which connections the server has closed
            // meanwhile: once a request is on its way, nobody may send it again.
            yield_now().await;
            let response = call.send().await.map_err(|error| self.unanswered(&error))?;
            let status = response.status();
            if !status.is_success() {
                return Err(self.turned_down(response, &mut heard.bytes).await);
            }
            let kind = response.headers().get(CONTENT_TYPE);
            heard.content_type = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
            heard.status = status.as_u16();
            let kind = heard.content_type.as_deref();
            let mut scanner = self.settings.grant.secret().scanner();
            let mut repeats = false;
            let scan = |piece: &[u8]| {
                repeats = scanner.push(piece);
                hear(piece, kind)
            };
            let read = body::whole(response, &mut heard.bytes, scan).await;
            read.map_err(|unread| self.unread(unread))?;
            if repeats {
                return Err(repeats_key(&std::mem::take(&mut heard.bytes)).into());
            }
            Ok(status.as_u16())
        };
        let timed_out = |_| RequestFailure::Timeout { after: bound };
        timeout(bound, answered).await.map_err(timed_out)?
    }

    /// Returns the model server, which may be behind a relay.
    fn server(&self) -> &Endpoint {
        self.settings.behind.as_ref().unwrap_or(&self.endpoint)
    }

    /// Returns the server's address, for use in messages.
    fn address(&self) -> String {
        self.server().to_string()
    }

    fn unanswered(&self, error: &reqwest::Error) -> RequestFailure {
        if let Some(why) = of_tls(error).filter(|_| error.is_connect()) {
            RequestFailure::Tls {
                address: self.address(),
                why,
            }
        } else if error.is_connect() {
            RequestFailure::unreachable(self.server(), root(error))
        } else if error.is_builder() {
            RequestFailure::Unsendable { why: root(error) }
        } else {
            self.unread(Unread::Broken(ConnectionError::in_head(error)))
        }
    }

    fn unread(&self, unread: Unread) -> RequestFailure {
        match unread {
            Unread::Broken(error) => RequestFailure::Broken {
                address: self.address(),
                error,
            },
            Unread::TooLarge => RequestFailure::TooLarge { limit: body::MOST },
        }
    }

    async fn turned_down(&self, response: Response, heard: &mut Vec<u8>) -> RequestFailure {
        let secret = self.settings.grant.secret();
        let status = response.status();
        let header = |name| {
            response
                .headers()
                .get(name)
                .map(|value| String::from_utf8_lossy(value.as_bytes()))
        };
        if status.is_redirection() {
            let location = header(LOCATION).unwrap_or_default();
            return RequestFailure::Redirected {
                status: status.as_u16(),
                location: server_message::one_line(&secret.text(&location)),
            };
        }
        let asked = header(RETRY_AFTER).and_then(|header| retry_after(&header, SystemTime::now()));
        let is_behind = self.settings.behind.is_some();
        let relay_says = |word: &str| is_behind && response.headers().get(RELAY).is_some_and(|said| said == word);
        let (is_absent, lacks_tls) = (relay_says(UNREACHABLE), relay_says(NO_TLS));
        let url = self.url(response.url().path());
        body::start(response, heard).await;
        let heard = secret.bytes(heard);
        let why = || server_message::reason(&heard).unwrap_or_else(|| server_message::of_body(&heard));
        if is_absent {
            RequestFailure::unreachable(self.server(), why())
        } else if lacks_tls {
            RequestFailure::Tls {
                address: self.address(),
                why: why(),
            }
        } else {
            RequestFailure::of_answer(status.as_u16(), &heard, asked).at(url)
        }
    }

    /// Returns the URL at the model server for a path of this client's API, for use in messages.
    fn url(&self, path: &str) -> String {
        let server = self.server();
        let below = path.strip_prefix(self.endpoint.api()).unwrap_or(path);
        format!("{}{}{below}", server.origin, server.api())
    }
}

/// The parsed result of an answer with a 2xx status.
#[derive(Debug, Default)]
pub(crate) struct AnswerBytes {
    pub(crate) bytes: Vec<u8>,
    content_type: Option<String>,
    status: u16,
}

fn repeats_key(answer: &[u8]) -> Defect {
    Defect::RepeatsKey {
        bytes: answer.len(),
        sha256: base16(&Sha256::digest(answer)),
    }
}

/// Formats bytes as hexadecimal digits.
fn base16(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
