//! Asks a model a recorded request several times without performing anything, and counts what it would have done.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use base64_simd::STANDARD;
use franz_chat::Answer;
use franz_chat::picture::stand_ins;
use franz_dialect::Plan;
use franz_home::{LARGEST, View};
use franz_json::members;
use franz_record::digest::sha256_hex;
use franz_record::{Fork, Image, PictureName, ReadBody, TurnLine, TurnLines, Wanted, exchanges};
use tokio::runtime::Builder;

use crate::agent::{ModelServers, Waits};
use crate::cli::ForkArgs;
use crate::config::resolve::Resolved;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::idiom::{self, Idiom};
use crate::keys;
use crate::reading::{Reader, RecordedReply};
use crate::stop::Stop;
use crate::terminal::{complain, one_line, say};

/// The common part of the replies, and their number.
type Counted = BTreeMap<String, u32>;

/// Sends the request `times` times, and prints how often each choice of actions came. Returns the exit code.
pub(super) fn ask(fork: &Fork, source: &View, resolved: &Resolved, arguments: &ForkArgs, times: u32) -> Result<u8> {
    let settings = &resolved.settings;
    let (turn, options) = (fork.line().turn, &arguments.options);
    let logged = with_pictures(source, turn, &logged_request(source, turn)?)?;
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let keyring = keys::keyring(&options.server.key_for)?;
    let named_by = keys::named_by(resolved.origin("model.upstream"));
    let waits = if options.wait { Waits::Absent } else { Waits::Busy };
    let connected = ModelServers::connect(runtime, settings, named_by, keyring, &stop, waits)?;
    let Some(servers) = connected else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    let upstream = servers.upstream();
    let body = with_model(&logged, &upstream.model).ok_or_else(|| anyhow!("the recorded request names no model"))?;
    let (idiom, _) = idiom::choose(settings, upstream, settings.screen_size(settings.image.size()))?;
    say(&format!("model   {} at {}", upstream.model, upstream.shown));
    let recorded = choice(&read(settings, &idiom, fork.line()));
    let (mut counted, mut failed) = (Counted::new(), 0);
    for time in 1..=times {
        let Some(answer) = servers.ask_again(body.clone().into_bytes(), &stop) else {
            break;
        };
        match answer {
            Ok(answer) => {
                let choice = choice(&read(settings, &idiom, &line_of(fork.line(), &answer)));
                *counted.entry(choice).or_default() += 1;
            }
            Err(error) => {
                failed += 1;
                complain(&format!("request {time} failed: {error}"));
            }
        }
    }
    for line in report(turn, &recorded, counted, failed) {
        say(&line);
    }
    let ending = stop.ending();
    Ok(ending.map_or(u8::from(failed == times), |ending| ending.exit_code()))
}

/// Returns the last request that the turn sent, as it is logged.
fn logged_request(source: &View, turn: u64) -> Result<String> {
    let logged = exchanges(source, &Wanted::Turn(turn)).map_err(Unusable::usage)?;
    let requests = logged.into_iter().rev().filter_map(|exchange| exchange.request);
    let mut bodies = requests.filter_map(|request| match request.body {
        ReadBody::Json(body) => Some(request.as_sent.unwrap_or_else(|| body.get().to_owned())),
        ReadBody::Text(_) | ReadBody::Missing(_) => None,
    });
    let missing = || Unusable::usage(format!("the request of turn {turn} is not in the log of the run"));
    Ok(bodies.next().ok_or_else(missing)?)
}

/// Puts the pictures back that the log leaves out.
fn with_pictures(source: &View, turn: u64, logged: &str) -> Result<String> {
    let mut whole = String::with_capacity(logged.len());
    let mut written = 0;
    let mut files = None;
    for (place, digits) in stand_ins(logged) {
        let files = match &mut files {
            Some(files) => files,
            none => none.insert(pictures(source, turn)?),
        };
        let stored = files.iter().find(|(sha256, _)| sha256.starts_with(digits));
        let stored = stored.and_then(|(sha256, file)| Some((sha256, file, source.read(file, LARGEST).ok()?)));
        let gone = || {
            Unusable::usage(format!(
                "a picture of turn {turn} is no longer stored, so it cannot be sent again"
            ))
        };
        let (sha256, file, bytes) = stored.ok_or_else(gone)?;
        if sha256_hex(&bytes) != *sha256 {
            let changed = format!("{file} is not the picture that was sent, so the request cannot be sent again");
            return Err(Unusable::usage(changed).into());
        }
        whole.push_str(&logged[written..place.start]);
        STANDARD.encode_append(&bytes, &mut whole);
        written = place.end;
    }
    whole.push_str(&logged[written..]);
    Ok(whole)
}

/// Returns the files of all pictures up to this turn, by their hashes.
fn pictures(source: &View, turn: u64) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for line in TurnLines::open(source)?.filter_map(Result::ok) {
        if line.turn > turn {
            break;
        }
        for Image { file, sha256, .. } in line.image.iter().chain(line.beside.iter().map(|beside| &beside.image)) {
            if let Some(name) = PictureName::parse(file) {
                files.insert(sha256.clone(), name.to_string());
            }
        }
    }
    Ok(files)
}

/// Returns the request with another model's name. All other bytes stay the same.
fn with_model(request: &str, model: &str) -> Option<String> {
    let [named] = members(request, ["model"])?;
    let named = named?.get();
    let start = (named.as_ptr() as usize).checked_sub(request.as_ptr() as usize)?;
    let (before, behind) = (request.get(..start)?, request.get(start + named.len()..)?);
    Some(format!("{before}{}{behind}", serde_json::to_string(model).ok()?))
}

/// Returns the turn with this answer in place of its reply.
fn line_of(turn: &TurnLine, answer: &Answer) -> TurnLine {
    TurnLine {
        reply: answer.reply.story().cloned(),
        tool_calls: answer.reply.tool_calls().cloned(),
        cut: answer.reply.cut(None),
        ..turn.clone()
    }
}

fn read(settings: &Settings, idiom: &Idiom, line: &TurnLine) -> Plan {
    let reader = Reader::new(settings, idiom, &[]);
    let read = reader.read(RecordedReply::in_turn(line), |_, _| {
        Ok::<_, std::convert::Infallible>(())
    });
    read.unwrap_or_else(|never| match never {})
}

/// Describes what the model wants to do.
fn choice(plan: &Plan) -> String {
    let actions: Vec<String> = plan.actions().map(ToString::to_string).collect();
    match &plan.finish {
        _ if !actions.is_empty() => actions.join("; "),
        Some(finish) if finish.success => "reports that it is done".to_owned(),
        Some(_) => "reports failure".to_owned(),
        None => "no action".to_owned(),
    }
}

/// Returns the lines to print, the most frequent choice first.
fn report(turn: u64, recorded: &str, counted: Counted, failed: u32) -> Vec<String> {
    let answered: u32 = counted.values().sum();
    let same = counted.get(recorded).copied().unwrap_or_default();
    let mut counted: Vec<(String, u32)> = counted.into_iter().collect();
    counted.sort_by(|(one, first), (other, second)| second.cmp(first).then_with(|| one.cmp(other)));
    let mut lines = vec![format!("record  turn {turn}: {}", one_line(recorded))];
    lines.extend(
        counted
            .iter()
            .map(|(choice, times)| format!("{times:>6}  {}", one_line(choice))),
    );
    if failed > 0 {
        lines.push(format!("{failed:>6}  no usable reply"));
    }
    lines.push(format!("same as the record: {same} of {answered}"));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_models_name_changes() {
        let request = r#"{ "messages":[{"model":"x"}],  "model" : "a" ,"n":1.50}"#;
        assert_eq!(
            with_model(request, "b\"c").unwrap(),
            r#"{ "messages":[{"model":"x"}],  "model" : "b\"c" ,"n":1.50}"#
        );
        assert_eq!(with_model("{}", "b"), None);
    }

    #[test]
    fn choices_are_listed_by_how_often_they_came() {
        let counted = Counted::from([("a(1)".to_owned(), 1), ("b(2)".to_owned(), 3), ("c(3)".to_owned(), 1)]);
        assert_eq!(
            report(7, "a(1)", counted, 2),
            [
                "record  turn 7: a(1)",
                "     3  b(2)",
                "     1  a(1)",
                "     1  c(3)",
                "     2  no usable reply",
                "same as the record: 1 of 5",
            ]
        );
    }
}
