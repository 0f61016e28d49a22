//! The model servers of a run: the current one and the fallbacks.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use franz_chat::models::ListError;
use franz_chat::{
    Answer, Candidate, Failed, Keyring, NamedBy, Next, Policy, ReplyListener, Request, RequestFailure, StreamedReply,
    Trials, Trouble,
};
use franz_screen::Interrupt as _;
use tokio::runtime::{Builder, Runtime};

use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::offline::RecordedModel;
use crate::stop::{Ending, Stop};
use crate::terminal::complain;
use crate::upstream::{self, ServerAddress, Upstream};

/// The name of the failure that occurs when an answer repeats the API key.
const REPEATS_KEY: &str = "repeats_key";

/// The model servers in the order in which to try them, and how they have behaved so far.
pub(crate) struct ModelServers {
    settings: Settings,
    keyring: Keyring,
    /// Each server's address, and the facts known about it once it has been used.
    servers: Vec<(ServerAddress, Option<Upstream>)>,
    /// The index of the current server.
    current: usize,
    /// The index of the server that the person was last told of.
    told: usize,
    runtime: Runtime,
    /// Whether any reply has come since the start. Until then, a failure means that no server can be used.
    answered: bool,
    /// Which servers to wait for before the first reply.
    waits: Waits,
    /// The failure of the last turn, if it failed.
    failure: Option<GivenUp>,
    /// The name of the previous turn's failure, if its cause persists or if it took the full `model.timeout_s`.
    refused: Option<&'static str>,
    /// The record that answers in place of a server. Nothing is then sent to any server.
    recorded: Option<RecordedModel>,
}

/// Which servers a run waits for before any of them has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// None: the run only looks for servers.
    Never,
    /// Servers that are up but busy, such as one that is loading its model.
    Busy,
    /// Also servers that are not running (`--wait`).
    Absent,
}

/// The reason why a turn got no reply.
struct GivenUp {
    failure: RequestFailure,
    /// The time spent waiting, if no server can be used any more.
    waited: Option<Duration>,
}

impl ModelServers {
    /// Connects to the first usable server in the settings. Returns `None` if a stop was requested in the meantime.
    /// `named_by` says who named the first server.
    pub(crate) fn connect(
        runtime: Runtime,
        settings: &Settings,
        named_by: NamedBy,
        keyring: Keyring,
        stop: &Stop,
        waits: Waits,
    ) -> Result<Option<ModelServers>> {
        let model = &settings.model;
        model.fallback.iter().try_for_each(|address| upstream::check(address))?;
        let fallbacks = model.fallback.iter().map(|name| (name, NamedBy::Others));
        let names = std::iter::once((&model.upstream, named_by)).chain(fallbacks);
        let addresses = names
            .map(|(name, named_by)| ServerAddress::Named(name.clone(), named_by))
            .collect();
        ModelServers::first_of(addresses, runtime, settings, keyring, stop, waits)
    }

    /// Connects to the grounder that these settings name. Returns `None` if they name none, or if a stop was requested
    /// in the meantime. The grounder's server gets only a key that was given for that server.
    pub(crate) fn connect_grounder(
        settings: &Settings,
        keyring: &Keyring,
        stop: &Stop,
        waits: Waits,
    ) -> Result<Option<ModelServers>> {
        let Some(settings) = settings.of_grounder() else {
            return Ok(None);
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let connected = ModelServers::connect(runtime, &settings, NamedBy::Others, keyring.clone(), stop, waits);
        connected.context("the grounder cannot be used (grounder.upstream)")
    }

    /// Connects to the first usable one of these servers. Returns `None` if a stop was requested in the meantime.
    pub(crate) fn first_of(
        addresses: Vec<ServerAddress>,
        runtime: Runtime,
        settings: &Settings,
        keyring: Keyring,
        stop: &Stop,
        waits: Waits,
    ) -> Result<Option<ModelServers>> {
        let mut server = ModelServers {
            settings: settings.clone(),
            keyring,
            servers: addresses.into_iter().map(|address| (address, None)).collect(),
            current: 0,
            told: 0,
            runtime,
            answered: false,
            waits,
            failure: None,
            refused: None,
            recorded: None,
        };
        let mut trials = server.trials(1);
        let since = clock();
        loop {
            let error = match server.first_reached(stop) {
                Ok(reached) => {
                    server.note_told();
                    return Ok(reached.then_some(server));
                }
                Err(error) => error,
            };
            let wait = match busy(&error).map(|failure| trials.after(failure, Duration::ZERO, fastrand::f64())) {
                Some(Next::Again(wait) | Next::Elsewhere(wait)) if waits != Waits::Never => wait,
                _ => return Err(error),
            };
            let seconds = wait.as_secs_f64();
            complain(&format!(
                "{error}; waiting for it since {since}, next try in {seconds:.1} s"
            ));
            stop.sleep(wait);
            if stop.ending().is_some() {
                return Ok(None);
            }
        }
    }

    /// Returns the server of a replay: a record, which answers in place of the server `upstream`.
    pub(crate) fn of_record(upstream: Upstream, recorded: RecordedModel, settings: &Settings) -> Result<ModelServers> {
        let address = ServerAddress::Named(upstream.shown.clone(), NamedBy::Others);
        Ok(ModelServers {
            settings: settings.clone(),
            keyring: Keyring::default(),
            servers: vec![(address, Some(upstream))],
            current: 0,
            told: 0,
            runtime: Builder::new_current_thread().build()?,
            answered: true,
            waits: Waits::Never,
            failure: None,
            refused: None,
            recorded: Some(recorded),
        })
    }

    /// Switches to the first server that can be reached. Returns `false` if a stop was requested in the meantime. If
    /// none can be reached, returns an error, preferably from a server that might still come up.
    fn first_reached(&mut self, stop: &Stop) -> Result<bool> {
        let mut trouble: Option<anyhow::Error> = None;
        for current in 0..self.servers.len() {
            self.current = current;
            match self.reach(stop) {
                Ok(reached) => {
                    if let Some(error) = trouble.filter(|_| reached) {
                        complain(&format!("{error}; switching to {}", self.servers[current].0));
                    }
                    return Ok(reached);
                }
                Err(error) => {
                    let worse = |known: &anyhow::Error| is_busy(&error) && !is_busy(known);
                    if trouble.as_ref().is_none_or(worse) {
                        trouble = Some(error);
                    }
                }
            }
        }
        Err(trouble.expect("there is at least one server"))
    }

    /// Returns the current server.
    pub(crate) fn upstream(&self) -> &Upstream {
        let (_, upstream) = &self.servers[self.current];
        upstream.as_ref().expect("the current server was reached")
    }

    /// Returns the current server, so that the caller can note its findings about it.
    pub(crate) fn upstream_mut(&mut self) -> &mut Upstream {
        let (_, upstream) = &mut self.servers[self.current];
        upstream.as_mut().expect("the current server was reached")
    }

    /// Notes the length of the current server's context, in tokens.
    pub(super) fn found_context(&mut self, tokens: u64) {
        self.upstream_mut().known.context = Some(tokens);
    }

    /// Asks the current server again for its models, and adopts what it reports about the current one.
    pub(super) fn seek_facts(&mut self, stop: &Stop) {
        let Some(listed) = self.listed_again(stop).filter(|listed| !listed.is_empty()) else {
            return;
        };
        let current = self.upstream_mut();
        if let Some(same) = upstream::of_name(&current.known.id, &listed) {
            // A refusal might have named the context already.
            let context = same.context.or(current.known.context);
            current.known = Candidate { context, ..same };
        }
        // A list that came before shows whether the server changes its model.
        if current.list().is_empty() {
            current.listed = Ok(listed);
        }
    }

    /// Asks the current server for its models again. Returns `None` if the server does not answer or the run is about
    /// to stop.
    pub(super) fn listed_again(&self, stop: &Stop) -> Option<Vec<Candidate>> {
        if self.recorded.is_some() {
            return None;
        }
        self.asked(self.upstream().client.candidates(), stop)?.ok()
    }

    /// Returns whether the person or a profile named the model.
    pub(crate) fn is_model_named(&self) -> bool {
        self.settings.model.name.is_some()
    }

    /// Returns the keys and the servers that each may be sent to.
    pub(crate) fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// Returns the servers in the order in which to try them, the current one first, with the facts known about each.
    pub(crate) fn into_order(mut self) -> Vec<(ServerAddress, Option<Upstream>)> {
        self.servers.rotate_left(self.current);
        self.servers
    }

    /// Returns a counter of one turn's attempts, which starts at zero.
    pub(crate) fn turn(&self) -> Trials {
        self.trials(self.servers.len())
    }

    fn trials(&self, servers: usize) -> Trials {
        let model = &self.settings.model;
        let usual = Policy::default();
        let policy = Policy {
            attempts: model.attempts,
            most_wait: (model.wait_s > 0.0).then(|| Duration::from_secs_f64(model.wait_s)),
            waits_for_absent: self.answered || self.waits == Waits::Absent,
            first_wait: if self.recorded.is_some() {
                Duration::ZERO
            } else {
                usual.first_wait
            },
            ..usual
        };
        Trials::new(policy, servers)
    }

    /// Switches to the next server that can be reached and returns its address; `None` if no other server can be
    /// reached.
    pub(super) fn go_over(&mut self, stop: &Stop) -> Option<String> {
        let left = self.current;
        for step in 1..self.servers.len() {
            self.current = (left + step) % self.servers.len();
            if self.reach(stop).unwrap_or(false) {
                return Some(self.servers[self.current].0.to_string());
            }
        }
        self.current = left;
        None
    }

    /// Notes that the person knows which server is the current one.
    pub(super) fn note_told(&mut self) {
        self.told = self.current;
    }

    /// Returns the current server's address if the person was last told of another one. While all servers are down, the
    /// run tries them in turn without a word.
    pub(super) fn untold(&mut self) -> Option<String> {
        let told = std::mem::replace(&mut self.told, self.current);
        (told != self.current).then(|| self.servers[self.current].0.to_string())
    }

    /// Decides whether the run can continue after the last turn.
    pub(super) fn verdict(&mut self) -> Result<(), Ending> {
        let Some(failure) = self.failure.take() else {
            self.refused = None;
            return Ok(());
        };
        let GivenUp { failure, waited } = failure;
        let lasting = matches!(failure.trouble(), Trouble::Lasting | Trouble::Slow).then(|| failure.name());
        let again = lasting.is_some() && lasting == self.refused;
        self.refused = lasting;
        if let Some(waited) = waited.filter(|waited| !waited.is_zero()) {
            let seconds = waited.as_secs_f64();
            return Err(Ending::ServerUnusable(format!(
                "{failure}; gave up after {seconds:.0} s (model.wait_s)"
            )));
        }
        // The first answer that repeats the key might do so by accident.
        let may_pass = lasting == Some(REPEATS_KEY);
        if (!self.answered && !may_pass) || again || waited.is_some() {
            let why = failure.to_string();
            return Err(if failure.is_models_own() {
                Ending::ReplyUnusable(why)
            } else {
                Ending::ServerUnusable(why)
            });
        }
        Ok(())
    }

    pub(super) fn answered(&mut self) {
        self.answered = true;
    }

    /// Returns whether any reply has come since the start.
    pub(super) fn has_answered(&self) -> bool {
        self.answered
    }

    /// Notes that the turn failed. If no server can be used any more, `waited` is the time spent waiting.
    pub(super) fn failed(&mut self, failure: RequestFailure, waited: Option<Duration>) {
        self.failure = Some(GivenUp { failure, waited });
    }

    /// Sends a request, without retries, and measures how long the answer takes. Returns no answer if the run is about
    /// to stop, or if `is_outdated` says that the request is outdated.
    pub(crate) fn ask(
        &self,
        request: &Request,
        headers: &[(&str, &str)],
        stop: &Stop,
        is_outdated: impl Fn() -> bool,
    ) -> (Option<Result<Answer, Failed>>, Duration) {
        self.listen(request, headers, stop, is_outdated, ReplyListener::new(0, |_| ()))
    }

    /// Does the same as `ask`, and passes on the reply while it is being written.
    pub(super) fn listen(
        &self,
        request: &Request,
        headers: &[(&str, &str)],
        stop: &Stop,
        is_outdated: impl Fn() -> bool,
        listener: ReplyListener<impl FnMut(&StreamedReply)>,
    ) -> (Option<Result<Answer, Failed>>, Duration) {
        let began = Instant::now();
        let client = &self.upstream().client;
        if let Some(recorded) = &self.recorded {
            return (recorded.answer(request, client, &listener), began.elapsed());
        }
        let asking = client.listen(request.body().clone(), headers, listener);
        let outdated = async {
            while !is_outdated() {
                tokio::time::sleep(HEARING).await;
            }
        };
        let asked = async {
            tokio::select! {
                biased;
                answer = asking => Some(answer),
                () = outdated => None,
            }
        };
        (self.asked(asked, stop).flatten(), began.elapsed())
    }

    /// Sends the current server a request that is already complete. Returns `None` if a stop was requested.
    pub(crate) fn ask_again(&self, body: Vec<u8>, stop: &Stop) -> Option<Result<Answer, Failed>> {
        self.asked(self.upstream().client.ask(body.into(), &[]), stop)
    }

    fn asked<T>(&self, asking: impl Future<Output = T>, stop: &Stop) -> Option<T> {
        self.runtime.block_on(async {
            tokio::select! {
                () = stop.ended() => None,
                answer = asking => Some(answer),
            }
        })
    }

    /// Connects to the current server unless it is already connected. Returns `false` if a stop was requested in the
    /// meantime.
    fn reach(&mut self, stop: &Stop) -> Result<bool> {
        let (address, known) = &mut self.servers[self.current];
        if known.is_some() {
            return Ok(true);
        }
        *known = self.runtime.block_on(async {
            tokio::select! {
                () = stop.ended() => Ok(None),
                upstream = upstream::connect(address, &self.settings, &self.keyring, self.waits) => upstream.map(Some),
            }
        })?;
        Ok(known.is_some())
    }
}

/// How often to check for messages from the person while a model is thinking.
const HEARING: Duration = Duration::from_millis(100);

/// Returns the failure of a server that cannot be reached now but is worth waiting for.
fn busy(error: &anyhow::Error) -> Option<&RequestFailure> {
    let unusable = error.downcast_ref::<Unusable>()?;
    let cause: &(dyn std::error::Error + 'static) = unusable.cause();
    let ListError::Failure(failure) = cause.downcast_ref::<ListError>()? else {
        return None;
    };
    matches!(failure.trouble(), Trouble::Absent | Trouble::Busy).then_some(failure)
}

fn is_busy(error: &anyhow::Error) -> bool {
    busy(error).is_some_and(|failure| failure.trouble() == Trouble::Busy)
}

/// Returns the time of day, formatted for people.
pub(super) fn clock() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}
