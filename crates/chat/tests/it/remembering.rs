//! Conversations of any course make legal requests that do not grow.

use std::collections::{BTreeMap, BTreeSet};

use franz_chat::{Bytes, Content, Conversation, Keep, Picture, Request, Sampling, ToolCall};
use franz_json::{Story, literal};
use proptest::prelude::*;
use serde_json::value::RawValue;

const NOT_RUN: &str = r#"{"ok":false,"error":{"type":"not_run","message":"not run"}}"#;

/// More than a step of the property below can add to a request.
const MOST_OF_AN_EXCHANGE: usize = 4_000;

#[derive(Debug, Clone)]
enum Step {
    Show {
        results: usize,
        text: String,
        picture: bool,
    },
    Reply {
        /// A JSON literal, and whether it is kept as one.
        content: (String, bool),
        /// The arguments of each.
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
    Request::conversation("S", "T", conversation, "[{}]", Some("(empty)"), &Sampling::default())
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

/// What a conversation was told, as far as the checks below need it.
#[derive(Default)]
struct Told {
    first: String,
    /// Of each reply its literal, whether it was to be kept, its number of calls, and what was shown after it.
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
    }

    /// Checks the messages against what was told, one exchange after the other.
    fn check(&self, keep: Keep, request: &Request) {
        let mut messages = messages(request).into_iter();
        let mut next = |role| {
            let message = messages.next().expect("one more message");
            assert_eq!(text(&message, "role"), role);
            message
        };
        assert_eq!(text(&next("system"), "content"), "S");
        let first = items(next("user")["content"]);
        assert_eq!(text(&first[0], "text"), "T");
        if !self.first.is_empty() {
            assert_eq!(text(&first[1], "text"), self.first);
        }
        let mut seen = images(&first);
        let (mut thinks, mut ids) = (0, BTreeSet::new());
        let forgotten = self.replies.len().saturating_sub(keep.turns.max(1));
        for (raw, verbatim, calls, shown) in &self.replies[forgotten..] {
            let assistant = next("assistant");
            let content = text(&assistant, "content");
            let lower = content.to_lowercase();
            thinks += ["</think>", "[/think]"]
                .iter()
                .map(|tag| lower.matches(tag).count())
                .sum::<usize>();
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
        assert!(
            seen <= keep.screenshots && thinks <= keep.thinks,
            "{seen} pictures, {thinks} thinks"
        );
        if let Some((.., Shown { picture: true, .. })) = self.replies.last() {
            assert_eq!(seen > 0, keep.screenshots > 0);
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
        (screenshots, thinks, turns) in (0..4_usize, 0..4_usize, 0..6_usize),
    ) {
        let keep = Keep { screenshots, thinks, turns };
        let png = Bytes::from_static(b"PNG!");
        let (mut conversation, mut told) = (Conversation::new(keep), Told::default());
        told.check(keep, &request(&conversation));
        for step in &steps {
            told.step(&mut conversation, step, &png);
            told.check(keep, &request(&conversation));
        }
    }
}

/// A turn of a model that thinks, calls a tool and sees what came of it.
fn turn(conversation: &mut Conversation, number: usize, png: &Bytes) {
    let thought = "hm ".repeat(100);
    let content = Story::from_raw(&format!(r#""<think>{thought}</think>\u00e9 {number:06}""#)).expect("a literal");
    let call = ToolCall::new("observe_screen", "{}");
    conversation.reply(number as u64, Content::Verbatim(content), vec![call]);
    conversation.show(vec!["{\"ok\":true}".to_owned()], String::new(), Some(picture(png)));
}

#[test]
fn requests_do_not_grow_with_the_turns() {
    let keep = Keep {
        screenshots: 2,
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
    let warm = &sizes[keep.turns..];
    assert!(warm.iter().all(|size| *size == warm[0]), "{warm:?}");
    assert!(warm[0] < 100_000, "{}", warm[0]);
}

#[test]
fn requests_do_not_grow_with_the_length_of_replies() {
    let keep = Keep {
        screenshots: 2,
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
    }
    let request = request(&conversation);
    assert!(request.body().len() < 2_000_000, "{}", request.body().len());
    let roles: Vec<String> = messages(&request).iter().map(|message| text(message, "role")).collect();
    let exchange = ["assistant", "tool", "user"];
    let wanted: Vec<&str> = ["system", "user"]
        .into_iter()
        .chain([exchange, exchange].concat())
        .collect();
    assert_eq!(roles, wanted, "the newest two fit");
}

#[test]
fn forgotten_turns_do_not_affect_the_request() {
    let keep = Keep {
        screenshots: 2,
        thinks: 2,
        turns: 3,
    };
    let png = Bytes::from_static(b"PNG!");
    let [whole, rebuilt] = [1, 28].map(|first| {
        let mut conversation = Conversation::new(keep);
        (first..=30).for_each(|number| turn(&mut conversation, number, &png));
        request(&conversation)
    });
    assert_eq!(whole.body(), rebuilt.body());
    let ids = ["000028001", "000029001", "000030001"];
    let assistants = messages(&whole)
        .into_iter()
        .filter(|message| message.contains_key("tool_calls"));
    let sent: Vec<_> = assistants
        .map(|message| text(&items(message["tool_calls"])[0], "id"))
        .collect();
    assert_eq!(sent, ids);
}

#[test]
fn memory_does_not_grow_with_the_turns() {
    let keep = Keep {
        screenshots: 2,
        thinks: 2,
        turns: 10,
    };
    let mut conversation = Conversation::new(keep);
    let pictures: Vec<_> = (0..10_000).map(|_| Bytes::from(vec![7; 16])).collect();
    for (number, png) in pictures.iter().enumerate() {
        turn(&mut conversation, number, png);
    }
    let held = pictures.iter().filter(|png| !png.is_unique()).count();
    assert!(held <= keep.screenshots + 1, "{held} pictures are held");
    assert!(request(&conversation).body().len() < 10_000);
}
