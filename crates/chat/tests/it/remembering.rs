//! Tests that any sequence of turns in a conversation leads to valid requests of limited size.

use std::collections::{BTreeMap, BTreeSet};

use franz_chat::{Bytes, CallForm, Content, Conversation, Keep, Picture, Request, Room, Sampling, ToolCall};
use franz_json::{Story, literal};
use proptest::prelude::*;
use serde_json::value::RawValue;

const NOT_RUN: &str = r#"{"ok":false,"error":{"type":"not_run","message":"not run"}}"#;

/// More than any step of the property test below can add to a request.
const MOST_OF_AN_EXCHANGE: usize = 4_000;

#[derive(Debug, Clone)]
enum Step {
    Show {
        results: usize,
        text: String,
        picture: bool,
    },
    Reply {
        /// A JSON literal, and whether it is sent back verbatim.
        content: (String, bool),
        /// The arguments of each call.
        calls: Vec<&'static str>,
    },
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

fn members(json: &str) -> Members<'_> {
    serde_json::from_str(json).expect("an object whose keys are ours")
}

fn items(json: &RawValue) -> Vec<Members<'_>> {
    let items: Vec<&RawValue> = serde_json::from_str(json.get()).expect("an array");
    items.into_iter().map(|item| members(item.get())).collect()
}

fn text(members: &Members<'_>, name: &str) -> String {
    literal::decode(members[name].get())
}

fn messages(request: &Request) -> Vec<Members<'_>> {
    let body = str::from_utf8(request.body()).expect("UTF-8");
    items(members(body)["messages"])
}

fn request(conversation: &Conversation) -> Request {
    Request::conversation(
        "S",
        "T",
        conversation,
        "[{}]",
        Some("(empty)"),
        CallForm::Native,
        &Sampling::default(),
    )
}

fn picture(png: &Bytes) -> Picture {
    Picture {
        png: png.clone(),
        sha256: "0123456789abcdef".to_owned(),
    }
}

fn any_content() -> impl Strategy<Value = (String, bool)> {
    let piece = prop_oneof![
        Just("<think>"),
        Just("</think>"),
        Just("<THINK>"),
        Just("[THINK]"),
        Just("[/THINK]"),
        Just("</Think>"),
        Just(r"\u003cthink\u003e"),
        Just(r"\u003c/think\u003E"),
        Just("</thi"),
        Just("nk>"),
        Just(r"\ud800"),
        Just(r"\udc00"),
        Just(r"\u0000"),
        Just(r"\n"),
        Just(r"\/"),
        Just(" "),
        Just("é"),
        Just("words"),
    ];
    let literal = prop::collection::vec(piece, 0..12).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    (literal, any::<bool>())
}

fn any_step() -> impl Strategy<Value = Step> {
    let arguments = prop_oneof![
        Just("{}"),
        Just(r#"{"x":"\ud800"}"#),
        Just("{open"),
        Just(""),
        Just("[]")
    ];
    let text = prop_oneof![Just(String::new()), "[a-z\"\u{1}é]{1,20}"];
    prop_oneof![
        (0..5_usize, text, any::<bool>()).prop_map(|(results, text, picture)| Step::Show { results, text, picture }),
        (any_content(), prop::collection::vec(arguments, 0..4))
            .prop_map(|(content, calls)| Step::Reply { content, calls }),
    ]
}

/// Everything that a conversation was given, as far as the checks below need it.
#[derive(Default)]
struct Told {
    first: String,
    /// For each reply: its literal, whether to keep it verbatim, its number of calls, and everything shown after it.
    replies: Vec<(String, bool, usize, Shown)>,
}

#[derive(Default)]
struct Shown {
    results: Vec<String>,
    picture: bool,
}

impl Told {
    fn step(&mut self, conversation: &mut Conversation, step: &Step, png: &Bytes) {
        match step {
            Step::Show {
                results,
                text,
                picture: seen,
            } => {
                let results: Vec<_> = (0..*results).map(|at| format!("result {at}")).collect();
                conversation.show(results.clone(), text.clone(), seen.then(|| picture(png)));
                match self.replies.last_mut() {
                    Some(reply) => {
                        reply.3 = Shown {
                            results,
                            picture: *seen,
                        }
                    }
                    None => self.first.clone_from(text),
                }
            }
            Step::Reply {
                content: (raw, verbatim),
                calls,
            } => {
                let content = match verbatim {
                    true => Content::Verbatim(Story::from_raw(raw).expect("a literal")),
                    false => Content::Text(literal::decode(raw)),
                };
                let call = |arguments: &&str| ToolCall::new("f", *arguments);
                let turn = self.replies.len() as u64 + 1;
                conversation.reply(turn, content, calls.iter().map(call).collect());
                self.replies
                    .push((raw.clone(), *verbatim, calls.len(), Shown::default()));
            }
        }
        conversation.fit(&Room::UNLIMITED);
    }

    /// Compares the messages with the conversation's input, one exchange after another.
    fn check(&self, keep: Keep, forgotten: usize, request: &Request) {
        let mut messages = messages(request).into_iter();
        let mut next = |role| {
            let message = messages.next().expect("one more message");
            assert_eq!(text(&message, "role"), role);
            message
        };
        assert_eq!(text(&next("system"), "content"), "S");
        let first = items(next("user")["content"]);
        assert_eq!(text(&first[0], "text"), "T");
        if !self.first.is_empty() && forgotten == 0 {
            assert_eq!(text(&first[1], "text"), self.first);
        }
        let mut seen = images(&first);
        let (mut thinks, mut ids) = (0, BTreeSet::new());
        assert!(self.replies.len() - forgotten <= keep.turns.max(1));
        for (raw, verbatim, calls, shown) in &self.replies[forgotten..] {
            let assistant = next("assistant");
            let content = text(&assistant, "content");
            let lower = content.to_lowercase();
            thinks += usize::from(["</think>", "[/think]"].iter().any(|tag| lower.contains(tag)));
            assert!(!content.is_empty());
            let thoughtless = !literal::decode(raw).to_lowercase().contains("think");
            if raw == "\"\"" {
                assert_eq!(content, "(empty)");
            } else if *verbatim && thoughtless {
                assert_eq!(assistant["content"].get(), raw);
            }
            let sent = assistant
                .get("tool_calls")
                .map(|calls| items(calls))
                .unwrap_or_default();
            assert_eq!(sent.len(), *calls);
            for (at, call) in sent.iter().enumerate() {
                let id = text(call, "id");
                let function = members(call["function"].get());
                members(&text(&function, "arguments"));
                let tool = next("tool");
                assert_eq!(text(&tool, "tool_call_id"), id);
                let result = shown.results.get(at).map_or(NOT_RUN, String::as_str);
                assert_eq!(text(&tool, "content"), result);
                assert!(!id.is_empty() && ids.insert(id), "an id of its own");
            }
            let user = items(next("user")["content"]);
            assert!(!user.is_empty());
            seen += images(&user);
        }
        assert!(messages.next().is_none());
        assert!(seen <= keep.most_screenshots, "{seen} pictures");
        // Everything, including thoughts, is forgotten in one go.
        if forgotten + 1 == self.replies.len() {
            assert!(thinks <= keep.thinks.max(1), "{thinks} thinks");
        }
        if let Some((.., Shown { picture: true, .. })) = self.replies.last() {
            assert!(seen > 0);
        }
        let redacted = String::from_utf8(request.redacted()).expect("UTF-8");
        assert_eq!(redacted.matches("[b64 sha=0123456789ab len=8]").count(), seen);
        assert!(request.body().len() <= (keep.turns + 2) * MOST_OF_AN_EXCHANGE);
    }
}

fn images(parts: &[Members<'_>]) -> usize {
    parts.iter().filter(|part| text(part, "type") == "image_url").count()
}

proptest! {
    #[test]
    fn every_conversation_makes_legal_requests(
        steps in prop::collection::vec(any_step(), 0..40),
        (screenshots, spare, thinks, turns) in (1..4_usize, 0..4_usize, 0..4_usize, 0..6_usize),
    ) {
        let keep = Keep { screenshots, most_screenshots: screenshots + spare, thinks, turns };
        let png = Bytes::from_static(b"PNG!");
        let (mut conversation, mut told) = (Conversation::new(keep), Told::default());
        told.check(keep, 0, &request(&conversation));
        for step in &steps {
            told.step(&mut conversation, step, &png);
            let forgotten = conversation.window().turns.saturating_sub(1) as usize;
            told.check(keep, forgotten, &request(&conversation));
        }
    }

    /// A conversation that takes over the window of another one sends the same request.
    #[test]
    fn a_conversation_rebuilt_from_its_window_makes_the_same_request(
        steps in prop::collection::vec(any_step(), 0..40),
        (screenshots, spare, thinks, turns) in (1..4_usize, 0..4_usize, 0..4_usize, 1..6_usize),
    ) {
        let keep = Keep { screenshots, most_screenshots: screenshots + spare, thinks, turns };
        let png = Bytes::from_static(b"PNG!");
        let (mut conversation, mut told) = (Conversation::new(keep), Told::default());
        for step in &steps {
            told.step(&mut conversation, step, &png);
        }
        let unlimited = Keep { screenshots: 99, most_screenshots: 99, thinks: 99, turns: 99 };
        let (mut rebuilt, mut told) = (Conversation::new(unlimited), Told::default());
        for step in &steps {
            told.step(&mut rebuilt, step, &png);
        }
        rebuilt.forget(conversation.window());
        let [ours, wanted] = [&rebuilt, &conversation].map(request);
        prop_assert_eq!(ours.body(), wanted.body());
    }
}

/// Adds a turn in which the model thinks, calls a tool and sees the result.
fn turn(conversation: &mut Conversation, number: usize, png: &Bytes) {
    let thought = "hm ".repeat(100);
    let content = Story::from_raw(&format!(r#""<think>{thought}</think>\u00e9 {number:06}""#)).expect("a literal");
    let call = ToolCall::new("observe_screen", "{}");
    conversation.reply(number as u64, Content::Verbatim(content), vec![call]);
    conversation.show(vec!["{\"ok\":true}".to_owned()], String::new(), Some(picture(png)));
    conversation.fit(&Room::UNLIMITED);
}

#[test]
fn requests_do_not_grow_with_the_turns() {
    let keep = Keep {
        screenshots: 2,
        most_screenshots: 4,
        thinks: 2,
        turns: 20,
    };
    let mut conversation = Conversation::new(keep);
    let png = Bytes::from(vec![7; 30_000]);
    conversation.show(vec![], String::new(), Some(picture(&png)));
    let sizes: Vec<_> = (0..300)
        .map(|number| {
            turn(&mut conversation, number, &png);
            request(&conversation).body().len()
        })
        .collect();
    let largest = sizes.iter().max();
    assert_eq!(sizes[100..].iter().max(), largest, "{sizes:?}");
    assert!(largest < Some(&200_000), "{largest:?}");
}

#[test]
fn requests_do_not_grow_with_the_length_of_replies() {
    let keep = Keep {
        screenshots: 2,
        most_screenshots: 4,
        thinks: 2,
        turns: 40,
    };
    let mut conversation = Conversation::new(keep);
    conversation.show(vec![], "Begin.".to_owned(), None);
    for number in 1..=30 {
        let content = Content::Text("long ".repeat(40_000));
        let call = ToolCall::new("type_text", format!(r#"{{"text":"{}"}}"#, "x".repeat(200_000)));
        conversation.reply(number, content, vec![call]);
        conversation.show(vec!["{\"ok\":true}".to_owned()], String::new(), None);
        conversation.fit(&Room::UNLIMITED);
    }
    let request = request(&conversation);
    assert!(request.body().len() < 2_000_000, "{}", request.body().len());
    let roles: Vec<String> = messages(&request).iter().map(|message| text(message, "role")).collect();
    let exchange = ["assistant", "tool", "user"];
    let wanted: Vec<&str> = ["system", "user"]
        .into_iter()
        .chain([exchange, exchange].concat())
        .collect();
    assert!(
        wanted.starts_with(&roles.iter().map(String::as_str).collect::<Vec<_>>()),
        "{roles:?}"
    );
}

#[test]
fn nothing_changes_between_prunings() {
    let keep = Keep {
        screenshots: 1,
        most_screenshots: 7,
        thinks: 2,
        turns: 40,
    };
    let png = Bytes::from_static(b"PNG!");
    let mut conversation = Conversation::new(keep);
    conversation.show(vec![], String::new(), Some(picture(&png)));
    let mut before = request(&conversation);
    let mut prunings = 0;
    for number in 1..=60 {
        turn(&mut conversation, number, &png);
        let after = request(&conversation);
        let end = before.body().len() - b"]}]},".len() - r#"tools":[{}],"tool_choice":"auto","stream":false}"#.len();
        let is_prefix = after.body().starts_with(&before.body()[..end]);
        prunings += usize::from(!is_prefix);
        before = after;
    }
    assert_eq!(prunings, 8, "every seventh picture, and the turns with them");
}

#[test]
fn a_request_is_pruned_when_it_exceeds_its_room() {
    let keep = Keep {
        screenshots: 1,
        most_screenshots: 100,
        thinks: 100,
        turns: 100,
    };
    let room = Room {
        tokens: 1000,
        picture: 100,
        fixed: 100,
    };
    let png = Bytes::from_static(b"PNG!");
    let mut conversation = Conversation::new(keep);
    let mut after = Vec::new();
    for number in 1..=30 {
        turn(&mut conversation, number, &png);
        let whole = conversation.tokens(&room);
        conversation.fit(&room);
        assert!(conversation.tokens(&room) <= room.tokens);
        if whole > room.tokens {
            after.push(conversation.tokens(&room));
        }
    }
    assert!(
        after.len() > 2 && after.iter().all(|tokens| *tokens <= 700),
        "{after:?}"
    );
}

#[test]
fn memory_does_not_grow_with_the_turns() {
    let keep = Keep {
        screenshots: 2,
        most_screenshots: 4,
        thinks: 2,
        turns: 10,
    };
    let mut conversation = Conversation::new(keep);
    let pictures: Vec<_> = (0..10_000).map(|_| Bytes::from(vec![7; 16])).collect();
    for (number, png) in pictures.iter().enumerate() {
        turn(&mut conversation, number, png);
    }
    let held = pictures.iter().filter(|png| !png.is_unique()).count();
    assert!(held <= keep.most_screenshots, "{held} pictures are held");
    assert!(request(&conversation).body().len() < 10_000);
}
