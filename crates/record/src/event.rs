//! The events of a run. The agent reports each of its steps as one of them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::acted::Acted;
use crate::decided::{PersonQuestion, RecordedDecision};
use crate::line::to_line;
use crate::live::LivePicture;
use crate::reply_piece::ReplyPiece;
use crate::tokens::Tokens;
use crate::turn::TurnLine;

/// One step of the agent.
///
/// In JSON, an event is one flat object whose `event` member names the variant in snake case. Read it only with
/// [`Event::from_line`], because serde buffers such tagged enums while reading, which would lose raw text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A run began or was resumed.
    RunStarted(RunStarted),
    /// The last reply's actions are about to be performed.
    Acting {
        /// The turn whose actions are performed.
        turn: u64,
        /// How many actions the reply has.
        actions: usize,
    },
    /// The actions are finished.
    #[serde(skip_deserializing)]
    Acted {
        /// The turn whose actions were performed.
        turn: u64,
        /// The outcome of each action.
        acted: Vec<Acted>,
        /// The feedback for the model.
        feedback: String,
    },
    /// A frame was captured.
    Captured {
        /// The turn.
        turn: u64,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// A request is about to be sent.
    Asking {
        /// The turn.
        turn: u64,
        /// The number of the attempt in this turn, from 1.
        attempt: u32,
    },
    /// The request has been sent to the model, and the turn's pictures are on disk. Contains the known part of the
    /// turn's line. This event can arrive at any time before the turn is over, and again if the request goes to another
    /// server.
    #[serde(skip_deserializing)]
    Shown(Box<TurnLine>),
    /// The model is writing its reply. Each new attempt starts the reply from the beginning.
    #[serde(skip_deserializing)]
    Writing(ReplyPiece),
    /// An attempt failed, and another one will follow.
    Retry {
        /// The turn.
        turn: u64,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// The reason why it failed, in words.
        error: String,
        /// When the wait began, RFC 3339.
        #[serde(default)]
        since: String,
        /// Seconds until the next attempt.
        wait_s: f64,
    },
    /// The model gave its final answer.
    Answered {
        /// The turn whose reply is the answer.
        turn: u64,
        /// The answer, for people to read.
        text: String,
        /// Whether the model carried out its task, in its own judgement.
        #[serde(default = "yes")]
        success: bool,
    },
    /// A turn is over. It is on disk, unless a notice said otherwise.
    #[serde(skip_deserializing)]
    TurnDone(Box<TurnLine>),
    /// The run is paused and waits in the middle of this turn.
    Paused {
        /// The turn.
        turn: u64,
        /// The cause of the pause, in words; `None` if it was a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// A reply's action or question is waiting for the person.
    Waiting(PersonQuestion),
    /// The wait for the person is over.
    #[serde(skip_deserializing)]
    Decided {
        /// The turn.
        turn: u64,
        /// The question's nonce.
        nonce: String,
        /// The decision; `None` if the question was withdrawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decided: Option<RecordedDecision>,
    },
    /// The person has taken over the screen, and the run waits.
    TakenOver {
        /// The turn.
        turn: u64,
    },
    /// The person has given the screen back.
    GivenBack {
        /// The turn.
        turn: u64,
        /// A description of the person's actions.
        did: String,
    },
    /// The person's view of the screen that they have taken over.
    Live(LivePicture),
    /// The run continues.
    Resumed {
        /// The turn.
        turn: u64,
    },
    /// Something that the person should know.
    Notice {
        /// One sentence.
        text: String,
    },
    /// The run is over.
    RunEnded {
        /// The reason, in words.
        reason: String,
        /// The exit code of the process, see [`crate::Exit`].
        exit_code: u8,
        /// The tokens that the run has used in all its invocations.
        #[serde(default)]
        tokens: Tokens,
    },
}

/// How a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The run's name, which is also its directory's name.
    pub name: String,
    /// The run's directory.
    pub run_dir: String,
    /// The profile's name.
    pub profile: String,
    /// The model server's address.
    pub upstream: String,
    /// The requested model.
    pub model: String,
    /// A description of the screen that is captured and acted on.
    pub screen: String,
    /// The model's task; empty if the model only watches.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// A description of the run's initial mode and of its delay.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pace: String,
    /// The first turn of this invocation.
    pub turn: u64,
    /// Whether a person can take the screen over in the dashboard.
    #[serde(default)]
    pub private: bool,
    /// The dashboard's address; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dashboard: Option<String>,
}

/// The reason why a line cannot be read as an event.
#[derive(Debug, Error)]
pub enum EventError {
    /// The line is not JSON, or its `event` is missing, unknown or has wrong fields.
    #[error("not an event: {source}; check that agent and panel have the same version")]
    Malformed {
        /// The mistake, and its position.
        #[from]
        source: serde_json::Error,
    },
}

/// The default for events from older versions, which did not report failure.
fn yes() -> bool {
    true
}

impl Event {
    /// Returns the event as one line of JSON, including the line break. Raw text appears verbatim.
    pub fn to_line(&self) -> Vec<u8> {
        to_line(self).expect("an event always fits into JSON")
    }

    /// Reads a line written by [`Event::to_line`]. The line break is optional.
    pub fn from_line(line: &str) -> Result<Self, EventError> {
        #[derive(Deserialize)]
        struct Tag<'a> {
            event: &'a str,
        }
        #[derive(Deserialize)]
        struct ActedLine {
            turn: u64,
            acted: Vec<Acted>,
            feedback: String,
        }
        #[derive(Deserialize)]
        struct DecidedLine {
            turn: u64,
            nonce: String,
            #[serde(default)]
            decided: Option<RecordedDecision>,
        }

        let Tag { event } = serde_json::from_str(line)?;
        match event {
            "acted" => {
                let ActedLine { turn, acted, feedback } = serde_json::from_str(line)?;
                Ok(Self::Acted { turn, acted, feedback })
            }
            "decided" => {
                let DecidedLine { turn, nonce, decided } = serde_json::from_str(line)?;
                Ok(Self::Decided { turn, nonce, decided })
            }
            "writing" => Ok(Self::Writing(serde_json::from_str(line)?)),
            "shown" => Ok(Self::Shown(serde_json::from_str(line)?)),
            "turn_done" => Ok(Self::TurnDone(serde_json::from_str(line)?)),
            _ => Ok(serde_json::from_str(line)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use franz_json::{Raw, Story};

    use super::*;
    use crate::acted::Found;
    use crate::timings::Millis;
    use franz_action::Outcome;

    fn decided(text: String) -> RecordedDecision {
        RecordedDecision {
            what: text.clone(),
            by: text.clone(),
            at: text.clone(),
            ms: Millis::default(),
            why: text.clone(),
            action: Some(text),
        }
    }

    fn one_of_each() -> Vec<Event> {
        let text = || "a \"b\"\n\0é".to_owned();
        let acted = vec![Acted {
            found: Some(Found {
                action: Some(text()),
                model: text(),
                said: text(),
                ms: Millis::default(),
            }),
            decided: Some(decided(text())),
            ..Acted::new(text(), Outcome::Held(text()))
        }];
        let piece = ReplyPiece {
            turn: 1,
            attempt: 2,
            at: 3,
            text: Story::from_raw(r#""a \ud83d \/ é""#).unwrap(),
        };
        vec![
            Event::Writing(piece),
            Event::RunStarted(RunStarted {
                name: text(),
                run_dir: text(),
                profile: text(),
                upstream: text(),
                model: text(),
                screen: text(),
                private: false,
                goal: text(),
                pace: text(),
                turn: 1,
                dashboard: Some(text()),
            }),
            Event::Acting { turn: 2, actions: 3 },
            Event::Acted {
                turn: 2,
                acted,
                feedback: text(),
            },
            Event::Captured {
                turn: 2,
                width: 1920,
                height: 1080,
            },
            Event::Asking { turn: 2, attempt: 1 },
            Event::Shown(Box::new(TurnLine::new(2, "2026-01-01T00:00:00Z"))),
            Event::Retry {
                turn: 2,
                attempt: 1,
                error: text(),
                since: text(),
                wait_s: 0.5,
            },
            Event::Answered {
                turn: 2,
                text: text(),
                success: false,
            },
            Event::TurnDone(Box::new(TurnLine::new(2, "2026-01-01T00:00:00Z"))),
            Event::Paused {
                turn: 2,
                why: Some(text()),
            },
            Event::Waiting(PersonQuestion {
                nonce: text(),
                turn: 2,
                index: 1,
                action: text(),
                why: text(),
                question: Some("Which folder?".to_owned()),
            }),
            Event::Decided {
                turn: 2,
                nonce: text(),
                decided: Some(decided(text())),
            },
            Event::Resumed { turn: 2 },
            Event::Notice { text: text() },
            Event::RunEnded {
                reason: text(),
                exit_code: 0,
                tokens: Tokens {
                    prompt: 1,
                    cached: 1,
                    completion: 2,
                    total: 3,
                },
            },
        ]
    }

    #[test]
    fn every_event_is_one_line_and_reads_back() {
        for event in one_of_each() {
            let line = String::from_utf8(event.to_line()).unwrap();
            assert!(line.starts_with("{\"event\":\"") && line.ends_with("}\n"), "{line}");
            assert_eq!(line.lines().count(), 1, "{line}");
            assert_eq!(Event::from_line(&line).unwrap(), event);
        }
    }

    #[test]
    fn the_event_name_and_its_fields_share_one_object() {
        let line = Event::Acting { turn: 3, actions: 2 }.to_line();
        assert_eq!(line, b"{\"event\":\"acting\",\"turn\":3,\"actions\":2}\n");
    }

    #[test]
    fn raw_texts_pass_verbatim() {
        let literals = [r#""\ud800""#, r#""\u0000\/\"""#, r#""""#, "\"\u{2028}\u{1F600}\""];
        for literal in literals {
            let reply = Story::from_raw(literal);
            let usage = Some(Raw::parse("{\n  \"a\":1,\r\n\"a\":2}").unwrap());
            let event = Event::TurnDone(Box::new(TurnLine {
                reply,
                usage,
                ..TurnLine::new(1, "")
            }));
            let line = String::from_utf8(event.to_line()).unwrap();
            assert!(line.contains(&format!("\"reply\":{literal},")), "{line}");
            assert!(line.contains("\"usage\":{   \"a\":1,  \"a\":2},"), "{line}");
            let Event::TurnDone(read) = Event::from_line(&line).unwrap() else {
                panic!("{line}")
            };
            assert_eq!(read.reply.unwrap().raw(), literal);
        }
    }

    #[test]
    fn other_lines_are_errors() {
        for line in [
            "",
            "hello",
            "{}",
            "{\"event\":\"unheard_of\"}",
            "{\"event\":\"acting\"}",
            "[1]",
        ] {
            let error = Event::from_line(line).unwrap_err();
            assert!(error.to_string().starts_with("not an event: "), "{error}");
        }
    }
}
