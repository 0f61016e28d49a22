//! Writes the messages of `conversation` memory.

use std::collections::BTreeMap;

use crate::completion_request::{
    ChatMessage, CompletionRequest, ContentPart, MessageText, MessageToolCall, UserContent,
};
use crate::conversation::{Content, Conversation, RememberedTurn, Screenshot, Shown};
use crate::sampling::Sampling;
use crate::tool_call::ToolCall;

/// The text that replaces a removed picture.
const REMOVED: &str = "[screenshot removed]";

/// The text to send if there is nothing to show, because a message must have content.
const NOTHING: &str = "(no picture)";

/// The result to send for a call that has none, because a call without a result would make the messages invalid.
const NOT_RUN: &str = r#"{"ok":false,"error":{"type":"not_run","message":"not run"}}"#;

/// How a conversation represents past calls and their results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallForm {
    /// As tool calls, followed by a message for each result.
    #[default]
    Native,
    /// As text, for servers and templates that support only the user and assistant roles.
    Text,
}

/// Everything that is sent along with a conversation.
pub(crate) struct Setting<'a> {
    pub(crate) system: &'a str,
    pub(crate) task: &'a str,
    /// The tools, as a JSON array.
    pub(crate) tools: &'a str,
    /// The text to send in place of empty content from the model.
    pub(crate) empty: &'a str,
    pub(crate) calls: CallForm,
}

/// Returns the call for a conversation.
pub(crate) fn call<'a>(
    setting: &Setting<'a>,
    conversation: &'a Conversation,
    sampling: &'a Sampling,
) -> CompletionRequest<'a> {
    let mut messages = vec![
        ChatMessage::System {
            content: setting.system,
        },
        user([setting.task], conversation.first()),
    ];
    for turn in conversation.turns() {
        match setting.calls {
            CallForm::Native => {
                messages.push(assistant(turn, setting.empty));
                messages.extend(results(turn).map(|(id, content)| ChatMessage::Tool {
                    tool_call_id: id,
                    content,
                }));
                messages.push(user([], &turn.shown));
            }
            CallForm::Text => {
                messages.push(assistant_in_words(turn, setting.empty));
                let told = results(turn).map(|(_, content)| content);
                messages.push(user(told, &turn.shown));
            }
        }
    }
    CompletionRequest::new(messages, sampling).with_tools(setting.tools)
}

/// Returns a message to the model.
fn user<'a>(before: impl IntoIterator<Item = &'a str>, shown: &'a Shown) -> ChatMessage<'a> {
    let texts = before.into_iter().chain([shown.text.as_str()]);
    let texts = texts.filter(|text| !text.is_empty());
    let mut parts: Vec<ContentPart<'_>> = texts.map(ContentPart::text).collect();
    match &shown.sight {
        Screenshot::Picture(picture) => {
            ContentPart::add_pictures(&mut parts, &shown.beside, Some(picture.into()));
        }
        Screenshot::Removed => parts.push(ContentPart::text(REMOVED)),
        Screenshot::Nothing if parts.is_empty() => parts.push(ContentPart::text(NOTHING)),
        Screenshot::Nothing => {}
    }
    ChatMessage::User {
        content: UserContent::Parts(parts),
    }
}

fn assistant<'a>(turn: &'a RememberedTurn, empty: &'a str) -> ChatMessage<'a> {
    let content = match &turn.content {
        Content::Verbatim(story) if !story.is_empty() => MessageText::Story(story),
        Content::Text(text) if !text.is_empty() => MessageText::Plain(text.into()),
        Content::Verbatim(_) | Content::Text(_) => MessageText::Plain(empty.into()),
    };
    ChatMessage::Assistant {
        content,
        reasoning: reasoning(turn),
        tool_calls: turn.calls.iter().map(MessageToolCall::from).collect(),
    }
}

/// Returns a reply followed by its calls, written as text in the form that most models know.
fn assistant_in_words<'a>(turn: &'a RememberedTurn, empty: &'a str) -> ChatMessage<'a> {
    if turn.calls.is_empty() {
        return assistant(turn, empty);
    }
    let mut text = match &turn.content {
        Content::Verbatim(story) => story.text(),
        Content::Text(text) => text.clone(),
    };
    for ToolCall { name, arguments, .. } in &turn.calls {
        let name = serde_json::Value::from(name.as_str());
        let line_break = if text.is_empty() { "" } else { "\n" };
        let call = format!("{{\"name\": {name}, \"arguments\": {arguments}}}");
        text.extend([line_break, "<tool_call>\n", &call, "\n</tool_call>"]);
    }
    ChatMessage::Assistant {
        content: MessageText::Plain(text.into()),
        reasoning: reasoning(turn),
        tool_calls: Vec::new(),
    }
}

/// Returns the reasoning under its field name.
fn reasoning(turn: &RememberedTurn) -> Option<BTreeMap<&'static str, &str>> {
    let reasoning = turn.reasoning.as_ref()?;
    Some(BTreeMap::from([(reasoning.name(), reasoning.text())]))
}

/// Returns the ID of each call and its result.
fn results(turn: &RememberedTurn) -> impl Iterator<Item = (&str, &str)> {
    let given = turn.shown.results.iter().map(String::as_str);
    let all = given.chain(std::iter::repeat(NOT_RUN));
    turn.calls
        .iter()
        .zip(all)
        .map(|(call, content)| (call.id.as_str(), content))
}

#[cfg(test)]
mod tests {
    use super::{CallForm, Setting, call as call_for};
    use crate::conversation::{Content, Conversation};
    use crate::picture::Picture;
    use crate::reasoning::ApartReasoning;
    use crate::request::Request;
    use crate::sampling::Sampling;
    use crate::tool_call::ToolCall;
    use crate::window::{Keep, MemoryWindow, Room};
    use bytes::Bytes;
    use franz_json::Story;

    const KEEP: Keep = Keep {
        screenshots: 1,
        most_screenshots: 1,
        thinks: 1,
        turns: 2,
    };

    fn picture(png: &[u8]) -> Picture {
        Picture {
            png: Bytes::copy_from_slice(png),
            sha256: format!("{:0<64}", png.len()),
        }
    }

    fn verbatim(literal: &str) -> Content {
        Content::Verbatim(Story::from_raw(literal).unwrap())
    }

    fn call(id: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "press_key".to_owned(),
            arguments: arguments.to_owned(),
        }
    }

    fn body(conversation: &Conversation) -> String {
        let request = Request::conversation("S", "T", conversation, "", None, CallForm::Native, &Sampling::default());
        String::from_utf8(request.body().to_vec()).unwrap()
    }

    /// Returns the messages after the system message.
    fn messages(conversation: &Conversation) -> String {
        let body = body(conversation);
        let inner = body
            .strip_prefix(r#"{"messages":[{"role":"system","content":"S"},"#)
            .unwrap();
        inner.strip_suffix(r#"],"stream":false}"#).unwrap().to_owned()
    }

    #[test]
    fn a_conversation_is_written_in_full() {
        let mut conversation = Conversation::new(KEEP);
        conversation.show(vec![], "Begin.".to_owned(), Some(picture(b"PNG!")));
        let calls = vec![call("a", r#"{"key":"tab"}"#), call("b", "{open")];
        conversation.reply(1, verbatim(r#""\u003cthink\u003ehm\ud800</think>\/""#), calls);
        conversation.show(vec!["{\"ok\":true}".to_owned()], String::new(), Some(picture(b"png")));
        let sampling = Sampling {
            model: Some("m".to_owned()),
            temperature: Some(0.4),
            top_p: None,
            max_tokens: Some(2048),
            ..Sampling::default()
        };
        let tools = r#"[{"type":"function"}]"#;
        let request = Request::conversation(
            "Be \"kind\".",
            "Draw.",
            &conversation,
            tools,
            None,
            CallForm::Native,
            &sampling,
        );
        let expected = concat!(
            r#"{"model":"m","messages":[{"role":"system","content":"Be \"kind\"."},"#,
            r#"{"role":"user","content":[{"type":"text","text":"Draw."},{"type":"text","text":"Begin."},"#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5HIQ=="}}]},"#,
            r#"{"role":"assistant","content":"\u003cthink\u003ehm\ud800</think>\/","tool_calls":["#,
            r#"{"id":"000001001","type":"function","function":{"name":"press_key","arguments":"{\"key\":\"tab\"}"}},"#,
            r#"{"id":"000001002","type":"function","function":{"name":"press_key","arguments":"{}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"000001001","content":"{\"ok\":true}"},"#,
            r#"{"role":"tool","tool_call_id":"000001002","content":"#,
            r#""{\"ok\":false,\"error\":{\"type\":\"not_run\",\"message\":\"not run\"}}"},"#,
            r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}]}],"#,
            r#""tools":[{"type":"function"}],"tool_choice":"auto","temperature":0.4,"max_tokens":2048,"stream":false}"#
        );
        assert_eq!(str::from_utf8(request.body()).unwrap(), expected);
        let redacted = expected
            .replace("UE5HIQ==", "[b64 sha=400000000000 len=8]")
            .replace("cG5n", "[b64 sha=300000000000 len=4]");
        assert_eq!(String::from_utf8(request.redacted()).unwrap(), redacted);
    }

    #[test]
    fn calls_and_results_are_written_as_words_where_roles_must_alternate() {
        let mut conversation = Conversation::new(KEEP);
        conversation.show(vec![], "Begin.".to_owned(), None);
        let calls = vec![call("a", r#"{"key":"tab"}"#), call("b", "{}")];
        conversation.reply(1, verbatim(r#""I press.""#), calls);
        conversation.show(vec![r#"{"ok":true}"#.to_owned()], "F".to_owned(), Some(picture(b"png")));
        conversation.reply(2, verbatim(r#""\u0041""#), vec![]);
        conversation.show(vec![], String::new(), None);
        let request = Request::conversation(
            "S",
            "T",
            &conversation,
            "[]",
            None,
            CallForm::Text,
            &Sampling::default(),
        );
        let messages: serde_json::Value = serde_json::from_slice(request.body()).unwrap();
        let messages = messages["messages"].as_array().unwrap();
        let roles: Vec<_> = messages
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
        let pressed = "I press.\n<tool_call>\n{\"name\": \"press_key\", \"arguments\": {\"key\":\"tab\"}}\n</tool_call>\n\
            <tool_call>\n{\"name\": \"press_key\", \"arguments\": {}}\n</tool_call>";
        assert_eq!(messages[2]["content"], pressed);
        let texts: Vec<_> = messages[3]["content"].as_array().unwrap()[..3]
            .iter()
            .map(|part| part["text"].as_str().unwrap())
            .collect();
        assert_eq!(texts, [r#"{"ok":true}"#, super::NOT_RUN, "F"]);
        let raw = String::from_utf8(request.body().to_vec()).unwrap();
        assert!(raw.contains(r#""content":"\u0041""#), "{raw}");
    }

    #[test]
    fn reasoning_goes_back_until_thoughts_are_forgotten() {
        let mut conversation = Conversation::new(KEEP);
        for turn in 1..=2 {
            conversation.reply(turn, verbatim(r#""A""#), vec![]);
            conversation.reasoned(ApartReasoning::new(None, "hm \"1\"".to_owned()));
            conversation.show(vec![], "F".to_owned(), None);
        }
        let reasoned = r#"{"role":"assistant","content":"A","reasoning_content":"hm \"1\""}"#;
        assert_eq!(messages(&conversation).matches(reasoned).count(), 2);
        conversation.forget(MemoryWindow {
            thinks: 2,
            ..MemoryWindow::default()
        });
        let messages = messages(&conversation);
        assert_eq!(messages.matches(reasoned).count(), 1);
        assert_eq!(messages.matches(r#"{"role":"assistant","content":"A"}"#).count(), 1);
    }

    #[test]
    fn a_failed_turn_is_shown_again() {
        let mut conversation = Conversation::new(KEEP);
        assert_eq!(
            messages(&conversation),
            r#"{"role":"user","content":[{"type":"text","text":"T"}]}"#
        );
        conversation.show(vec!["stray".to_owned()], "One.".to_owned(), Some(picture(b"PNG!")));
        conversation.show(vec![], "Two.".to_owned(), None);
        let first = r#"{"role":"user","content":[{"type":"text","text":"T"},{"type":"text","text":"Two."}]}"#;
        assert_eq!(messages(&conversation), first);
        conversation.reply(1, verbatim(r#""A""#), vec![]);
        conversation.show(vec!["stray".to_owned()], "Three.".to_owned(), None);
        conversation.show(vec![], String::new(), Some(picture(b"PNG!")));
        conversation.show(vec![], String::new(), Some(picture(b"png")));
        let expected = concat!(
            r#",{"role":"assistant","content":"A"},"#,
            r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}]}"#
        );
        assert_eq!(messages(&conversation), format!("{first}{expected}"));
    }

    #[test]
    fn a_failed_turns_picture_does_not_displace_an_older_one() {
        let mut conversation = Conversation::new(KEEP);
        conversation.show(vec![], String::new(), Some(picture(b"PNG!")));
        conversation.reply(1, verbatim(r#""A""#), vec![]);
        conversation.show(vec![], String::new(), Some(picture(b"png")));
        conversation.show(vec![], String::new(), None);
        let messages = messages(&conversation);
        assert!(
            messages.contains("UE5HIQ==") && !messages.contains("removed"),
            "{messages}"
        );
        assert!(
            messages.ends_with(r#"[{"type":"text","text":"(no picture)"}]}"#),
            "{messages}"
        );
    }

    #[test]
    fn old_turns_and_thoughts_are_dropped() {
        let mut conversation = Conversation::new(KEEP);
        conversation.show(vec![], String::new(), Some(picture(b"PNG!")));
        let replies = [
            r#""<think>1</think>one""#,
            r#""<think>2</think>t\u0077o""#,
            r#""3</THINK>""#,
            r#""<think>4</think>\/""#,
        ];
        for (turn, reply) in (1..).zip(replies) {
            conversation.reply(turn, verbatim(reply), vec![call("a", "{}")]);
            conversation.show(vec!["R".to_owned()], "F".to_owned(), Some(picture(b"png")));
        }
        conversation.fit(&Room::UNLIMITED);
        // Seven tenths of two turns are one turn.
        let expected = concat!(
            r#"{"role":"user","content":[{"type":"text","text":"T"},{"type":"text","text":"[screenshot removed]"}]},"#,
            r#"{"role":"assistant","content":"<think>4</think>\/","tool_calls":[{"id":"000004001","type":"function","#,
            r#""function":{"name":"press_key","arguments":"{}"}}]},{"role":"tool","tool_call_id":"000004001","content":"R"},"#,
            r#"{"role":"user","content":[{"type":"text","text":"F"},{"type":"image_url","#,
            r#""image_url":{"url":"data:image/png;base64,cG5n"}}]}"#
        );
        assert_eq!(messages(&conversation), expected);
    }

    #[test]
    fn no_picture_outlives_a_later_one() {
        let mut conversation = Conversation::new(Keep {
            screenshots: 9,
            most_screenshots: 9,
            ..KEEP
        });
        conversation.show(vec![], String::new(), Some(picture(b"PNG!")));
        for turn in 1..=3 {
            conversation.reply(turn as u64, verbatim(r#""A""#), vec![]);
            conversation.show(vec![], String::new(), Some(picture(b"png")));
            conversation.fit(&Room::UNLIMITED);
            let messages = messages(&conversation);
            assert_eq!(messages.contains("UE5HIQ=="), turn <= KEEP.turns, "{messages}");
            let kept = if turn > KEEP.turns { 1 } else { turn };
            assert_eq!(messages.matches("cG5n").count(), kept, "{messages}");
        }
    }

    #[test]
    fn a_placeholder_replaces_empty_content() {
        for (content, sent) in [
            (verbatim(r#""""#), "(none)"),
            (Content::Text(String::new()), "(none)"),
            (verbatim(r#""<think>x</think> ""#), "(none)"),
            (verbatim(r#"" ""#), " "),
        ] {
            let mut conversation = Conversation::new(KEEP);
            conversation.reply(1, content, vec![]);
            conversation.forget(MemoryWindow {
                thinks: 2,
                ..MemoryWindow::default()
            });
            let request = Request::conversation(
                "",
                "",
                &conversation,
                "[ ]",
                Some("(none)"),
                CallForm::Native,
                &Sampling::default(),
            );
            let body = str::from_utf8(request.body()).unwrap();
            let nothing = r#"{"role":"user","content":[{"type":"text","text":"(no picture)"}]}"#;
            let expected = format!(r#"{nothing},{{"role":"assistant","content":"{sent}"}},{nothing}"#);
            assert!(body.contains(&expected), "{body}");
        }
    }

    #[test]
    fn the_buffer_is_allocated_once() {
        let odd = "\u{1}\"".repeat(1_000);
        let png = vec![7; 50_000];
        let mut conversation = Conversation::new(Keep {
            turns: 40,
            screenshots: 3,
            most_screenshots: 3,
            ..KEEP
        });
        for turn in 0..50 {
            let calls = (0..turn).map(|_| call(&odd, &format!("{{\"{}\":\"\"}}", "\\n".repeat(1_000))));
            conversation.reply(turn as u64, Content::Text(odd.repeat(turn % 2)), calls.collect());
            conversation.show(vec![odd.clone(); turn / 2], odd.clone(), Some(picture(&png)));
            conversation.fit(&Room::UNLIMITED);
        }
        let setting = Setting {
            system: &odd,
            task: &odd,
            tools: "[1]",
            empty: &odd,
            calls: CallForm::Native,
        };
        let sampling = Sampling {
            model: Some(odd.clone()),
            temperature: Some(f64::MAX),
            ..Sampling::default()
        };
        let (bytes, pictures) = call_for(&setting, &conversation, &sampling).write();
        assert_eq!(pictures.len(), 3);
        assert_eq!(bytes.len(), bytes.capacity());
    }
}
