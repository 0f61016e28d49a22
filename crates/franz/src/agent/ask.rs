//! Asking: builds the request, sends it until it is answered, and reads the response.

mod words;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use franz_chat::{
    Answer, Failed, MAX_REPEATS_HEADER, Next, Picture, ReplyListener, Request, Sampling, ServerPace, Streaming,
};
use franz_home::View;
use franz_json::Story;
use franz_panel::person_replies::literal;
use franz_record::{Event, LoggedBody, Status, StoredStory, TurnLine, messages};
use franz_screen::{ActionJournal, Screen as _};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::memory::Asked;
use super::reply_pieces::ReplyPieces;
use super::show::Showing;
use super::{Agent, Turn};
use crate::config::settings::{LIMIT_FIELD, Settings};
use crate::idiom::Idiom;
use crate::shortcomings::picture_tokens;
use crate::stop::Ending;
use words::{AT_LIMIT, REPEATED, crowded, cut_off, repeated, sampling_record, usage_record};

/// The recorded author of a reply that a person wrote in the model's place.
const PERSON: &str = "person";

/// How many times per turn to change a request that the server refused.
const MOST_REMEDIES: u32 = 8;

/// How many of a turn's errors to keep. After a long wait for a server, FRANZ keeps the first and the last ones.
const MOST_ERRORS: usize = 100;

/// The logged reason for a request that was broken off.
const BROKEN_OFF: &str =
    "interrupted: the run stopped, or the person sent a message, changed the goal, replied or took over";

/// The turn's request, and whether pages already show it.
struct TurnRequest {
    request: Request,
    is_shown: bool,
}

impl TurnRequest {
    fn new(request: Request) -> TurnRequest {
        TurnRequest {
            request,
            is_shown: false,
        }
    }
}

impl Agent {
    /// Asks the model until it answers: tries the other servers first, then waits longer and longer between attempts.
    /// If a request fails for good, the turn fails too, but keeps its number and its feedback.
    pub(super) fn ask(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let began = Instant::now();
        self.succeed(turn);
        let mut trials = self.server.turn();
        let mut current = TurnRequest::new(self.request(turn));
        let mut since: Option<Timestamp> = None;
        let (spoke, mut told) = (self.idiom.record(&self.live.settings), String::new());
        loop {
            if let Some(text) = self.stop.take_reply() {
                return self.replied_by_person(turn, &text, current.is_shown);
            }
            let (asked, took) = self.ask_once(turn, &current)?;
            current.is_shown = true;
            turn.line.ms.model = began.elapsed().into();
            let failed = match asked {
                None => {
                    self.go_on()?;
                    if self.stop.is_taken_over() {
                        self.hold(turn.line.turn)?;
                        self.capture_again(turn);
                        self.tell_of_takeover(turn)?;
                    }
                    self.hear_person(turn)?;
                    current = TurnRequest::new(self.request(turn));
                    continue;
                }
                Some(Ok(answer)) => {
                    if let Some(address) = self.server.untold() {
                        self.notice(&format!("{address} answers; using it from now on"));
                    }
                    self.answered(turn, &answer);
                    if turn.line.read_as != spoke {
                        self.notice(&told);
                    }
                    return Ok(());
                }
                Some(Err(failed)) => failed,
            };
            note_failure(turn, &failed);
            turn.was_away |= failed.failure.is_down();
            if self.seek_model(turn, &failed) {
                current = TurnRequest::new(self.request(turn));
                continue;
            }
            if turn.remedied < MOST_REMEDIES
                && let Some(again) = self.remedied(turn, &failed, &current.request)
            {
                turn.remedied += 1;
                current = TurnRequest::new(again);
                continue;
            }
            let next = trials.after(&failed.failure, took, fastrand::f64());
            if let Next::Again(wait) | Next::Elsewhere(wait) = next
                && !wait.is_zero()
            {
                let since = *since.get_or_insert_with(Timestamp::now);
                self.wait_for_server(turn, &failed, since, wait)?;
            }
            match next {
                Next::Again(_) => {}
                Next::Elsewhere(wait) => {
                    if self.go_over(&failed, wait.is_zero())? {
                        told = self.adopt_model(turn);
                        current = TurnRequest::new(self.request(turn));
                    }
                }
                Next::Fail | Next::End => {
                    turn.line.status = Status::Failed;
                    let waited = (next == Next::End).then(|| trials.spent());
                    self.server.failed(failed.failure, waited);
                    return Ok(());
                }
            }
        }
    }

    /// Uses the person's reply in place of the model's, without sending a request.
    fn replied_by_person(&mut self, turn: &mut Turn, text: &str, is_shown: bool) -> Result<(), Ending> {
        if !is_shown {
            Showing::new(&mut self.recorder, &mut self.outputs).show(turn)?;
        }
        turn.line.reply = Story::from_raw(&literal(text));
        turn.line.by = Some(PERSON.to_owned());
        // The next request goes on from the one that was built for the model, in this process and in the next.
        turn.line.window = self.memory.counted(None);
        turn.line.usage = usage_record(turn.used, ServerPace::default());
        turn.line.read_as = self.idiom.record(&self.live.settings);
        self.notice("you replied in place of the model");
        Ok(())
    }

    /// Switches to another server that can be reached. Returns whether there is one.
    fn go_over(&mut self, failed: &Failed, is_told: bool) -> Result<bool, Ending> {
        let elsewhere = self.server.go_over(&self.stop);
        self.go_on()?;
        self.trail.succession.is_sought &= elsewhere.is_none();
        if let Some(address) = elsewhere.as_ref().filter(|_| is_told) {
            self.server.note_told();
            self.notice(&format!("{failed}; switching to {address}"));
        }
        Ok(elsewhere.is_some())
    }

    /// Waits before the next attempt, and reports the wait. A stop or a pause ends the wait; after a pause, the next
    /// attempt follows immediately.
    fn wait_for_server(
        &mut self,
        turn: &Turn,
        failed: &Failed,
        since: Timestamp,
        wait: Duration,
    ) -> Result<(), Ending> {
        self.tell(&Event::Retry {
            turn: turn.line.turn,
            attempt: turn.line.attempts,
            error: failed.to_string(),
            since: since.to_string(),
            wait_s: wait.as_secs_f64(),
        });
        self.stop.sleep_before_retry(wait);
        self.hold(turn.line.turn)?;
        Ok(())
    }

    /// Sends the turn's request to the current server and logs the request with its result. In the meantime, shows the
    /// turn, unless it is already shown. Returns no answer if the run is about to stop or the person sends a message
    /// before the answer arrives.
    fn ask_once(
        &mut self,
        turn: &mut Turn,
        current: &TurnRequest,
    ) -> Result<(Option<Result<Answer, Failed>>, Duration), Ending> {
        let number = turn.line.turn;
        let TurnRequest { request, is_shown } = current;
        self.recorder.request(number, &request.redacted())?;
        self.tell(&Event::Asking {
            turn: number,
            attempt: turn.line.attempts + 1,
        });

        let headers = self.headers(number);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let run = View::clone(self.recorder.run().home());
        let (live, heard) = (&self.live, self.state.heard);
        let stop = self.stop.clone();
        // A turn that cannot be recorded ends the run, so its answer is not worth waiting for.
        let is_unwritten = &AtomicBool::new(false);
        let is_spoken_to =
            || stop.is_taken_over() || stop.has_reply() || live.has_new_goal() || messages::is_said(&run, heard);
        let is_outdated = || is_unwritten.load(Ordering::Relaxed) || is_spoken_to();
        let mut growing = ReplyPieces::new(number, turn.line.attempts + 1, self.server.upstream().client.veil());
        let (grown, pieces) = channel();
        let mut heard_to = 0;
        let listener = ReplyListener::new(live.settings.model.max_repeats, move |reply| {
            let piece = reply.content().get(heard_to..).filter(|piece| !piece.is_empty());
            if let Some(piece) = piece {
                heard_to += piece.len();
                // The receiver keeps showing the reply until the request ends.
                let _ = grown.send(piece.to_owned());
            }
        })
        .within(Duration::from_secs_f64(live.settings.model.timeout_s));
        let is_required = self.recorder.is_required();
        let showing = Showing::new(&mut self.recorder, &mut self.outputs);
        let (screen, shown) = (&mut self.screen, &mut *turn);
        let (asked, answered, (written, saved)) = thread::scope(|scope| {
            let beside = scope.spawn(move || {
                let written = if *is_shown { Ok(()) } else { showing.show(shown) };
                is_unwritten.store(written.is_err(), Ordering::Relaxed);
                let saved = screen.journal().map_or(Ok(()), ActionJournal::save);
                is_unwritten.fetch_or(is_required && saved.is_err(), Ordering::Relaxed);
                growing.tell(&pieces, |event| showing.tell(event));
                (written, saved)
            });
            let asked = self.server.listen(request, &headers, &self.stop, is_outdated, listener);
            let answered = Instant::now();
            let written = beside.join().unwrap_or_else(|panic| resume_unwind(panic));
            (asked, answered, written)
        });
        written?;
        self.recorder.demand(saved)?;
        turn.line.ms.record = answered.elapsed().into();
        match &asked.0 {
            Some(Ok(answer)) => {
                let body = LoggedBody::Bytes(&answer.wire);
                self.recorder.response(number, Some(answer.status), body)?;
            }
            Some(Err(failed)) => {
                let words = failed.to_string();
                let body = failed.answer.as_deref();
                let body = body.map_or(LoggedBody::Missing(&words), LoggedBody::Bytes);
                self.recorder.response(number, failed.failure.status(), body)?;
            }
            None => {
                let body = LoggedBody::Missing(BROKEN_OFF);
                self.recorder.response(number, None, body)?;
            }
        }
        Ok(asked)
    }

    /// Returns the headers that name a request's run and turn.
    pub(super) fn headers(&self, turn: u64) -> Vec<(&'static str, String)> {
        // A header must not contain control characters, but a directory name can.
        let run = self.state.run.replace(char::is_control, "_");
        let mut headers = vec![("X-Franz-Run", run), ("X-Franz-Turn", turn.to_string())];
        headers.extend(self.key.clone().map(|key| ("X-Franz-Key", key)));
        headers.push((MAX_REPEATS_HEADER, self.live.settings.model.max_repeats.to_string()));
        headers
    }

    /// Builds the request. If the server's context is too short for it, shortens it and tells the person.
    pub(super) fn request(&mut self, turn: &mut Turn) -> Request {
        let (request, conceded) = self.fitted(turn);
        if let Some((conceded, context)) = conceded.zip(self.server.upstream().known.context) {
            self.notice(&format!(
                "the server's context of {context} tokens is short: {conceded}"
            ));
        }
        request
    }

    pub(super) fn build_request(&mut self, turn: &mut Turn) -> Request {
        let began = Instant::now();
        let settings = &self.live.settings;
        let tasks = self.tasks().into_owned();
        let model = Some(self.server.upstream().model.clone());
        let (bound, binding) = self.binding().unzip();
        let sampling = Sampling {
            binding,
            streaming: settings.streaming(),
            ..settings.sampling(&self.idiom, model.as_deref())
        };
        let picture = turn.view.as_ref().map(|view| Picture {
            png: view.taken.png.clone(),
            sha256: view.taken.sha256.clone(),
        });
        let beside = turn.view.iter().flat_map(|view| &view.beside).map(Into::into).collect();
        let asked = Asked {
            beside,
            system: &self.idiom.system_prompt(settings, self.asked_for(&tasks)),
            tools: &self.idiom.protocol(settings).schema().unwrap_or_default(),
            tasks: &tasks,
            messages: &self.state.messages,
            story: &self.state.story,
            feedback: &turn.line.feedback,
            picture,
            sampling: &sampling,
            budget: settings.budget(self.server.upstream().known.context),
            picture_tokens: picture_tokens(self.idiom.picture(settings)),
        };
        let request = self.memory.request(settings, &asked);
        let crowded = self.memory.is_newly_crowded().then(|| crowded(asked.budget));
        turn.bound = bound;
        turn.line.story = StoredStory::Full(self.state.story.clone());
        turn.line.sampling = Some(sampling_record(&sampling));
        turn.line.model = model;
        turn.line.ms.request = began.elapsed().into();
        if let Some(crowded) = crowded {
            self.notice(&crowded);
        }
        request
    }

    fn answered(&mut self, turn: &mut Turn, answer: &Answer) {
        let (line, reply) = (&mut turn.line, &answer.reply);
        line.attempts += 1;
        line.reply = reply.story().cloned();
        line.reasoning = reply.reasoning().map(|reasoning| reasoning.text().to_owned());
        line.reasoning_name = reply.reasoning().map(|reasoning| reasoning.name().to_owned());
        line.tool_calls = reply.tool_calls().cloned();
        line.finish = reply.finish().map(str::to_owned);
        turn.used.add(reply.usage());
        line.usage = usage_record(turn.used, reply.pace());
        let read = reply.usage().prompt;
        if reply.model() != self.server.upstream().heard.as_deref() {
            self.memory.read_by_another();
        }
        let is_cut = read.is_some_and(|tokens| self.memory.is_cut(tokens));
        line.window = self.memory.counted(read.filter(|_| !is_cut));
        line.read_as = self.idiom.record(&self.live.settings);
        line.cut = reply.cut(self.live.settings.model.max_tokens);
        if let Some(model) = reply.model() {
            line.model = Some(model.to_owned());
        }
        if line.cut {
            let model = &self.live.settings.model;
            let context = self.server.upstream().known.context;
            let (error, told) = if reply.repeats() {
                (REPEATED, repeated(line.turn, model.max_repeats))
            } else {
                (AT_LIMIT, cut_off(line.turn, reply.usage(), model.max_tokens, context))
            };
            line.errors.push(error.to_owned());
            self.notice(&told);
        }
        self.server.answered();
        self.remember();
        self.seek_facts();
        self.note_model(answer.reply.model(), turn.was_away);
        self.hear(turn, &answer.reply);
        if is_cut && !std::mem::replace(&mut self.trail.is_cut_told, true) {
            self.notice(&self.cut_words(read.unwrap_or_default()));
        }
    }
}

/// Counts a failed attempt and the tokens that it used, and records why it failed.
fn note_failure(turn: &mut Turn, failed: &Failed) {
    turn.line.attempts += 1;
    turn.used.add(failed.usage);
    turn.line.usage = usage_record(turn.used, ServerPace::default());
    let error = failed.to_string();
    match &mut turn.repeated {
        Some((same, times)) if *same == error => {
            *times += 1;
            if let Some(last) = turn.line.errors.last_mut() {
                *last = format!("{error} ({times} times)");
            }
        }
        repeated => {
            *repeated = Some((error.clone(), 1));
            keep_error(&mut turn.line, error);
        }
    }
}

/// Records an error. If there are too many, drops the middle ones.
fn keep_error(line: &mut TurnLine, error: String) {
    if line.errors.len() >= MOST_ERRORS {
        line.errors.remove(MOST_ERRORS / 2);
    }
    line.errors.push(error);
}

impl Settings {
    /// Returns how many tokens a request can have: the server's context minus room for the reply, if the context's
    /// length is known.
    pub(super) fn budget(&self, context: Option<u64>) -> u64 {
        let reply = |context: u64| self.model.max_tokens.map_or(context / 4, u64::from);
        let room = context.map(|context| context.saturating_sub(reply(context)));
        room.map_or(self.memory.most_tokens, |room| room.min(self.memory.most_tokens))
    }

    pub(crate) fn sampling(&self, idiom: &Idiom, model: Option<&str>) -> Sampling {
        let is_sent = self.model.send_sampling;
        let number = |own: Option<f64>, name: &str| own.or(idiom.number(name)).filter(|_| is_sent);
        let is_usual = self.model.limit_field == LIMIT_FIELD;
        let mut extra = self.extra();
        if let Some(limit) = self.model.max_tokens.filter(|_| !is_usual) {
            extra.entry(&self.model.limit_field).or_insert(json!(limit));
        }
        Sampling {
            model: model.map(str::to_owned),
            temperature: number(self.model.temperature, "temperature"),
            top_p: number(self.model.top_p, "top_p"),
            max_tokens: self.model.max_tokens.filter(|_| is_usual),
            binding: None,
            streaming: Streaming::Off,
            extra,
        }
    }

    /// Returns the fields that the person adds to each request.
    pub(super) fn extra(&self) -> Map<String, Value> {
        match json!(self.model.extra.as_ref()) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}
