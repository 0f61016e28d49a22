//! Asking: the request is built, sent until it is answered, and what came back is read.

use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use franz_chat::{Answer, AskError, Attempt, Picture, Request, Sampling, Story, Usage};
use franz_record::{Event, Raw, Status, StoredStory};
use serde_json::json;

use super::memory::Asked;
use super::show::Showing;
use super::{Agent, Turn};
use crate::config::settings::Settings;
use crate::stop::Ending;

impl Agent {
    /// Asks the model, at the next server when one is down. A request that fails for good makes a failed turn, which keeps
    /// its number and its feedback.
    pub(super) fn ask(&mut self, turn: &mut Turn) -> Result<(), Ending> {
        let began = Instant::now();
        for left in (0..self.server.count()).rev() {
            let asked = self.ask_once(turn, began)?;
            let error = match asked {
                None => return self.go_on(),
                Some(Ok(answer)) => {
                    self.answered(turn, &answer);
                    break;
                }
                Some(Err(error)) => error,
            };
            note_attempts(turn, &error.attempts);
            let elsewhere = (left > 0 && error.kind.is_down()).then(|| self.server.go_over(&self.stop));
            self.go_on()?;
            let Some(address) = elsewhere.flatten() else {
                turn.line.status = Status::Failed;
                self.server.failed(error);
                break;
            };
            self.notice(&format!("{error}; going over to {address}"));
        }
        Ok(())
    }

    /// Sends the turn's request to the current server, and shows the turn meanwhile. Every attempt is logged with what came
    /// back.
    fn ask_once(&mut self, turn: &mut Turn, began: Instant) -> Result<Option<Result<Answer, AskError>>, Ending> {
        let request = self.request(turn);
        let number = turn.line.turn;
        let logged = request.redacted();
        self.recorder.request(&logged)?;
        self.tell(&Event::Asking {
            turn: number,
            attempt: turn.line.attempts + 1,
        });

        // A header carries no control characters; a directory's name may hold some.
        let run = self.state.run.replace(char::is_control, "_");
        let turn_number = number.to_string();
        let mut headers = vec![("X-Franz-Run", run.as_str()), ("X-Franz-Turn", &turn_number)];
        headers.extend(self.key.as_deref().map(|key| ("X-Franz-Key", key)));
        let showing = Showing::new(&mut self.recorder, &mut self.outputs);
        let mut kept = Ok(());
        let mut on_retry = |attempt: &Attempt| {
            showing.tell(&retry(number, attempt));
            if kept.is_ok() {
                let mut recorder = showing.recorder();
                kept = recorder
                    .response(came_back(attempt))
                    .and_then(|()| recorder.request(&logged));
            }
        };
        let (asked, answered, written) = thread::scope(|scope| {
            let beside = scope.spawn(|| showing.show(turn));
            let asked = self.server.ask(&request, &headers, &self.stop, &mut on_retry);
            let answered = Instant::now();
            (
                asked,
                answered,
                beside.join().unwrap_or_else(|panic| resume_unwind(panic)),
            )
        });
        written?;
        kept?;
        turn.line.ms.model = (answered - began).into();
        turn.line.ms.record = answered.elapsed().into();
        match &asked {
            Some(Ok(answer)) => self.recorder.response(answer.reply.raw())?,
            Some(Err(error)) => {
                let last = error.attempts.last();
                let text = error.to_string();
                self.recorder.response(last.map_or(text.as_bytes(), came_back))?;
            }
            None => {}
        }
        Ok(asked)
    }

    fn request(&mut self, turn: &mut Turn) -> Request {
        let began = Instant::now();
        let settings = &self.live.settings;
        let goal = self.goal().to_owned();
        let model = Some(self.server.upstream().model.clone());
        let sampling = settings.sampling(model.as_deref());
        let picture = turn.view.as_ref().map(|view| Picture {
            png: view.png.clone(),
            sha256: view.sha256.clone(),
        });
        let asked = Asked {
            system: &settings.system_prompt(&goal),
            goal: &goal,
            story: &Story::from_raw(self.state.story.get()).unwrap_or_else(Story::empty),
            feedback: &turn.line.feedback,
            picture,
            sampling: &sampling,
        };
        let request = self.memory.request(settings, &asked);
        turn.line.story = StoredStory::Full(self.state.story.clone());
        turn.line.sampling = Some(sampling_record(&sampling));
        turn.line.model = model;
        turn.line.ms.request = began.elapsed().into();
        request
    }

    fn answered(&mut self, turn: &mut Turn, answer: &Answer) {
        note_attempts(turn, &answer.attempts);
        let (line, reply) = (&mut turn.line, &answer.reply);
        line.attempts += 1;
        line.reply = reply.story().and_then(|story| Raw::parse(story.raw()).ok());
        line.tool_calls = reply.tool_calls().and_then(|calls| Raw::parse(calls.get()).ok());
        line.finish = reply.finish().map(str::to_owned);
        turn.used.add(reply.usage());
        line.usage = usage_record(turn.used);
        line.cut = reply.cut(self.live.settings.model.max_tokens);
        if let Some(model) = reply.model() {
            line.model = Some(model.to_owned());
        }
        if line.cut {
            line.errors
                .push("cut: the reply ran into the limit of tokens".to_owned());
            let number = line.turn;
            self.notice(&format!(
                "the reply of turn {number} was cut off by the limit of tokens (model.max_tokens)"
            ));
        }
        self.server.answered();
    }
}

/// Counts attempts that failed and the tokens they used, and keeps why they failed.
fn note_attempts(turn: &mut Turn, attempts: &[Attempt]) {
    turn.line.attempts += attempts.len() as u32;
    for attempt in attempts {
        turn.line.errors.push(attempt.error.clone());
        turn.used.add(attempt.usage);
    }
    turn.line.usage = usage_record(turn.used);
}

/// What is logged of an attempt that failed: what the server sent, else what happened.
fn came_back(attempt: &Attempt) -> &[u8] {
    attempt.answer.as_deref().unwrap_or(attempt.error.as_bytes())
}

impl Settings {
    fn sampling(&self, model: Option<&str>) -> Sampling {
        Sampling {
            model: model.map(str::to_owned),
            temperature: self.model.temperature,
            top_p: self.model.top_p,
            max_tokens: self.model.max_tokens,
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

fn usage_record(usage: Usage) -> Option<Raw> {
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
