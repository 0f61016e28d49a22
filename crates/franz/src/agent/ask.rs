//! Asking: the request is built around the story, sent until it is answered, and what came back is read.

use std::time::Instant;

use franz_chat::{Answer, AskError, Attempt, Client, Prompt, Request, Sampling, Story};
use franz_record::{Event, Raw, Status, StoredStory, TurnLine};
use serde_json::json;

use super::{Agent, Turn, announce};
use crate::config::settings::Settings;
use crate::stop::{Ending, Stop};

/// The model server, and how it has behaved.
pub(crate) struct Server {
    client: Client,
    /// The model's name in requests; `None` leaves it to the server.
    model: Option<String>,
    runtime: tokio::runtime::Runtime,
    /// Whether a reply came since the start: before that, a failure means that the server cannot be used.
    answered: bool,
    /// The failure of the turn just done, when it failed.
    failure: Option<AskError>,
    /// Why the turn before it failed, when that was for a reason that lasts.
    refused: Option<&'static str>,
}

impl Server {
    pub(crate) fn new(client: Client, model: Option<String>, runtime: tokio::runtime::Runtime) -> Server {
        Server {
            client,
            model,
            runtime,
            answered: false,
            failure: None,
            refused: None,
        }
    }

    /// Whether the run can go on with this server after the turn just done.
    pub(super) fn verdict(&mut self) -> Result<(), Ending> {
        let Some(failure) = self.failure.take() else {
            self.refused = None;
            return Ok(());
        };
        let lasting = failure.is_permanent().then(|| failure.kind.name());
        let again = lasting.is_some() && lasting == self.refused;
        self.refused = lasting;
        if !self.answered || again {
            return Err(Ending::ServerUnusable(failure.to_string()));
        }
        Ok(())
    }

    /// Sends a request until it is answered or given up. `None`: the run is to stop.
    fn ask(
        &mut self,
        request: &Request,
        headers: &[(&str, &str)],
        stop: &Stop,
        on_retry: &mut dyn FnMut(&Attempt),
    ) -> Option<Result<Answer, AskError>> {
        let asking = self.client.ask(request.body().clone(), headers, on_retry);
        self.runtime.block_on(async {
            tokio::select! {
                () = stop.given() => None,
                answer = asking => Some(answer),
            }
        })
    }
}

impl Agent {
    /// Asks the model. A request that fails for good makes a failed turn, which keeps its number and its feedback.
    pub(super) fn ask(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let request = self.request(turn);
        let number = turn.line.turn;
        let sha256 = turn.view.as_ref().map(|view| view.sha256.as_str()).unwrap_or_default();
        self.recorder.request(&request.redacted(sha256))?;
        self.tell(&Event::Asking {
            turn: number,
            attempt: 1,
        });

        let began = Instant::now();
        // A header carries no control characters; a directory's name may hold some.
        let run = self.state.run.replace(char::is_control, "_");
        let headers = [("X-Franz-Run", run.as_str()), ("X-Franz-Turn", &number.to_string())];
        let outputs = &mut self.outputs;
        let mut on_retry = |attempt: &Attempt| announce(outputs, &retry(number, attempt));
        let asked = self.server.ask(&request, &headers, &self.stop, &mut on_retry);
        turn.line.ms.model = began.elapsed().into();
        match asked {
            None => self.go_on(),
            Some(Ok(answer)) => self.answered(&mut turn.line, &answer),
            Some(Err(error)) => self.failed(&mut turn.line, error),
        }
    }

    fn request(&mut self, turn: &mut Turn) -> Request {
        let began = Instant::now();
        let settings = &self.live.settings;
        let story = Story::from_raw(self.state.story.get()).unwrap_or_else(Story::empty);
        let prompt = Prompt {
            system: &settings.system_prompt(),
            story: &story,
            feedback: &turn.line.feedback,
            picture: turn.view.as_ref().map(|view| view.png.as_slice()),
        };
        let sampling = settings.sampling(self.server.model.as_deref());
        let request = Request::new(&prompt, &settings.form(), &sampling);
        turn.line.story = StoredStory::Full(self.state.story.clone());
        turn.line.sampling = Some(sampling_record(&sampling));
        turn.line.model.clone_from(&self.server.model);
        turn.line.ms.request = began.elapsed().into();
        request
    }

    fn answered(&mut self, line: &mut TurnLine, answer: &Answer) -> Result<(), Ending> {
        let reply = &answer.reply;
        self.recorder.response(reply.raw())?;
        line.attempts = answer.attempts.len() as u32 + 1;
        line.errors
            .extend(answer.attempts.iter().map(|attempt| attempt.error.clone()));
        line.reply = reply.story().and_then(|story| Raw::parse(story.raw()).ok());
        line.tool_calls = reply.tool_calls().and_then(|calls| Raw::parse(calls.get()).ok());
        line.finish = reply.finish().map(str::to_owned);
        line.usage = usage_record(reply);
        if let Some(model) = reply.model() {
            line.model = Some(model.to_owned());
        }
        if reply.cut(self.live.settings.max_tokens()) {
            let text = format!(
                "the reply of turn {} was cut off by the limit of tokens (model.max_tokens)",
                line.turn
            );
            self.notice(&text);
            line.errors
                .push("cut: the reply ran into the limit of tokens".to_owned());
        }
        self.server.answered = true;
        Ok(())
    }

    fn failed(&mut self, line: &mut TurnLine, error: AskError) -> Result<(), Ending> {
        self.recorder.response(error.to_string().as_bytes())?;
        line.status = Status::Failed;
        line.attempts = error.attempts.len() as u32;
        line.errors
            .extend(error.attempts.iter().map(|attempt| attempt.error.clone()));
        self.server.failure = Some(error);
        Ok(())
    }
}

impl Settings {
    fn max_tokens(&self) -> Option<u32> {
        self.model.max_tokens
    }

    fn sampling(&self, model: Option<&str>) -> Sampling {
        Sampling {
            model: model.map(str::to_owned),
            temperature: self.model.temperature,
            top_p: self.model.top_p,
            max_tokens: self.max_tokens(),
        }
    }
}

fn retry(turn: u64, attempt: &Attempt) -> Event {
    Event::Retry {
        turn,
        attempt: attempt.number,
        error: attempt.error.clone(),
        wait_s: attempt.waited.as_secs_f64(),
    }
}

fn sampling_record(sampling: &Sampling) -> Raw {
    raw(&json!({
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
    }))
}

fn usage_record(reply: &franz_chat::Reply) -> Option<Raw> {
    let usage = reply.usage();
    let known = usage.prompt.or(usage.completion).or(usage.total).is_some();
    known.then(|| {
        raw(&json!({
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.completion,
            "total_tokens": usage.total,
        }))
    })
}

fn raw(value: &serde_json::Value) -> Raw {
    Raw::parse(&value.to_string()).expect("a JSON value is JSON")
}
