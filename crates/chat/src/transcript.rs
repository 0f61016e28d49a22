//! Writes the messages of `conversation` memory into one buffer.

use franz_json::literal;

use crate::conversation::{Content, Conversation, RememberedTurn, Screenshot, Shown};
use crate::picture::PictureRef;
use crate::sampling::Sampling;
use crate::tool_call::ToolCall;
use crate::writer::{Embedded, Writer, room_of_picture, room_of_text};

/// What replaces a removed picture.
const REMOVED: &str = "\"[screenshot removed]\"";

/// What the model is shown when there is nothing to show: a message must have content.
const NOTHING: &str = "\"(no picture)\"";

/// The result of a call without one: a call without an answer would make the messages invalid.
const NOT_RUN: &str = r#"{"ok":false,"error":{"type":"not_run","message":"not run"}}"#;

/// What a conversation is sent with.
pub(crate) struct Setting<'a> {
    pub(crate) system: &'a str,
    pub(crate) task: &'a str,
    /// A JSON array.
    pub(crate) tools: &'a str,
    /// A text in place of empty content of the model's.
    pub(crate) empty: &'a str,
}

/// Writes the body of a call, and returns where the pictures' base64 is in it.
pub(crate) fn write(
    setting: &Setting<'_>,
    conversation: &Conversation,
    sampling: &Sampling,
) -> (Vec<u8>, Vec<Embedded>) {
    let mut writer = Writer::with_room(room(setting, conversation, sampling));
    let mut too_many = conversation.pictures_too_many();
    writer.open(sampling.model.as_deref(), setting.system);
    user(&mut writer, setting.task, conversation.first(), &mut too_many);
    for turn in conversation.turns() {
        assistant(&mut writer, turn, setting.empty);
        results(&mut writer, turn);
        user(&mut writer, "", &turn.shown, &mut too_many);
    }
    writer.raw("]");
    tools(&mut writer, setting.tools);
    writer.close(sampling)
}

/// Writes a message to the model. `too_many` counts the pictures still to be left out.
fn user(writer: &mut Writer, task: &str, shown: &Shown, too_many: &mut usize) {
    writer.message("user");
    writer.raw("[");
    let texts = [task, &shown.text].into_iter().filter(|text| !text.is_empty());
    let mut parts = 0;
    for text in texts {
        writer.text_part(&literal::of_text(text));
        parts += 1;
    }
    match &shown.sight {
        Screenshot::Picture(picture) if *too_many == 0 => writer.picture_part(picture.into()),
        Screenshot::Picture(_) => {
            *too_many -= 1;
            writer.text_part(REMOVED);
        }
        Screenshot::Removed => writer.text_part(REMOVED),
        Screenshot::Nothing if parts == 0 => writer.text_part(NOTHING),
        Screenshot::Nothing => {}
    }
    writer.raw("]}");
}

fn assistant(writer: &mut Writer, turn: &RememberedTurn, empty: &str) {
    writer.message("assistant");
    match &turn.content {
        Content::Verbatim(story) if !story.is_empty() => writer.raw(story.raw()),
        Content::Text(text) if !text.is_empty() => writer.literal(text),
        Content::Verbatim(_) | Content::Text(_) => writer.literal(empty),
    }
    if !turn.calls.is_empty() {
        writer.raw(",\"tool_calls\":[");
        turn.calls.iter().for_each(|call| tool_call(writer, call));
        writer.raw("]");
    }
    writer.raw("}");
}

fn tool_call(writer: &mut Writer, call: &ToolCall) {
    writer.separate();
    writer.raw("{\"id\":");
    writer.literal(&call.id);
    writer.raw(r#","type":"function","function":{"name":"#);
    writer.literal(&call.name);
    writer.raw(",\"arguments\":");
    writer.literal(call.sendable_arguments());
    writer.raw("}}");
}

fn results(writer: &mut Writer, turn: &RememberedTurn) {
    let given = turn.shown.results.iter().map(String::as_str);
    let all = given.chain(std::iter::repeat(NOT_RUN));
    for (call, result) in turn.calls.iter().zip(all) {
        writer.separate();
        writer.raw(r#"{"role":"tool","tool_call_id":"#);
        writer.literal(&call.id);
        writer.raw(",\"content\":");
        writer.literal(result);
        writer.raw("}");
    }
}

/// Writes the tools, unless there are none: servers refuse an empty list of tools, and a choice without tools.
fn tools(writer: &mut Writer, tools: &str) {
    let tools = tools.trim();
    if !matches!(tools, "" | "[]") {
        writer.raw(",\"tools\":");
        writer.raw(tools);
        writer.raw(r#","tool_choice":"auto""#);
    }
}

/// Returns enough bytes for the whole body, so that the buffer is allocated once.
fn room(setting: &Setting<'_>, conversation: &Conversation, sampling: &Sampling) -> usize {
    const SYNTAX_AND_NUMBERS: usize = 2048;
    let mut too_many = conversation.pictures_too_many();
    let model = sampling.model.as_deref().map_or(0, room_of_text);
    let texts: usize = [setting.system, setting.task].map(room_of_text).iter().sum();
    let first = room_of_shown(conversation.first(), &mut too_many);
    let empty = room_of_text(setting.empty);
    let turns = conversation.turns();
    let turns = turns.map(|turn| empty + room_of_turn(turn, &mut too_many));
    SYNTAX_AND_NUMBERS + model + texts + setting.tools.len() + first + turns.sum::<usize>()
}

fn room_of_turn(turn: &RememberedTurn, too_many: &mut usize) -> usize {
    const SYNTAX: usize = 64;
    const SYNTAX_OF_A_CALL: usize = 192;
    let content = match &turn.content {
        Content::Verbatim(story) => story.raw().len(),
        Content::Text(text) => room_of_text(text),
    };
    let calls = turn.calls.iter().map(|call| {
        let texts = [&call.id, &call.id, &call.name, &call.arguments].map(|text| room_of_text(text));
        SYNTAX_OF_A_CALL + texts.iter().sum::<usize>()
    });
    SYNTAX + content + calls.sum::<usize>() + room_of_shown(&turn.shown, too_many)
}

fn room_of_shown(shown: &Shown, too_many: &mut usize) -> usize {
    const SYNTAX: usize = 128;
    let picture = match &shown.sight {
        Screenshot::Picture(picture) if *too_many == 0 => room_of_picture(PictureRef::from(picture)),
        Screenshot::Picture(_) => {
            *too_many -= 1;
            0
        }
        Screenshot::Nothing | Screenshot::Removed => 0,
    };
    let results = shown.results.iter().map(|result| room_of_text(result)).sum::<usize>();
    SYNTAX + room_of_text(&shown.text) + results + picture
}

#[cfg(test)]
mod tests {
    use super::{Setting, room, write};
    use crate::conversation::{Content, Conversation, Keep};
    use crate::picture::Picture;
    use crate::request::Request;
    use crate::sampling::Sampling;
    use crate::tool_call::ToolCall;
    use bytes::Bytes;
    use franz_json::Story;

    const KEEP: Keep = Keep {
        screenshots: 1,
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
        let request = Request::conversation("S", "T", conversation, "", None, &Sampling::default());
        String::from_utf8(request.body().to_vec()).unwrap()
    }

    /// Returns the messages after the system's.
    fn messages(conversation: &Conversation) -> String {
        let body = body(conversation);
        let inner = body
            .strip_prefix(r#"{"messages":[{"role":"system","content":"S"},"#)
            .unwrap();
        inner.strip_suffix(r#"],"stream":false}"#).unwrap().to_owned()
    }

    #[test]
    fn a_conversation_is_written_in_full() {
        let mut conversation = Conversation::new(Keep { screenshots: 2, ..KEEP });
        conversation.show(vec![], "Begin.".to_owned(), Some(picture(b"PNG!")));
        let calls = vec![call("a", r#"{"key":"tab"}"#), call("b", "{open")];
        conversation.reply(1, verbatim(r#""\u003cthink\u003ehm\ud800</think>\/""#), calls);
        conversation.show(vec!["{\"ok\":true}".to_owned()], String::new(), Some(picture(b"png")));
        let sampling = Sampling {
            model: Some("m".to_owned()),
            temperature: Some(0.4),
            top_p: None,
            max_tokens: Some(2048),
        };
        let tools = r#"[{"type":"function"}]"#;
        let request = Request::conversation("Be \"kind\".", "Draw.", &conversation, tools, None, &sampling);
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
    fn a_turn_that_failed_is_shown_anew() {
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
    fn the_picture_of_a_turn_that_failed_takes_no_place_of_an_older_one() {
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
    fn what_is_old_goes() {
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
        let expected = concat!(
            r#"{"role":"user","content":[{"type":"text","text":"T"},{"type":"text","text":"[screenshot removed]"}]},"#,
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"000003001","type":"function","#,
            r#""function":{"name":"press_key","arguments":"{}"}}]},{"role":"tool","tool_call_id":"000003001","content":"R"},"#,
            r#"{"role":"user","content":[{"type":"text","text":"F"},{"type":"text","text":"[screenshot removed]"}]},"#,
            r#"{"role":"assistant","content":"<think>4</think>\/","tool_calls":[{"id":"000004001","type":"function","#,
            r#""function":{"name":"press_key","arguments":"{}"}}]},{"role":"tool","tool_call_id":"000004001","content":"R"},"#,
            r#"{"role":"user","content":[{"type":"text","text":"F"},{"type":"image_url","#,
            r#""image_url":{"url":"data:image/png;base64,cG5n"}}]}"#
        );
        assert_eq!(messages(&conversation), expected);
    }

    #[test]
    fn no_picture_outlives_a_later_one() {
        let mut conversation = Conversation::new(Keep { screenshots: 9, ..KEEP });
        conversation.show(vec![], String::new(), Some(picture(b"PNG!")));
        for turn in 1..=3 {
            conversation.reply(turn as u64, verbatim(r#""A""#), vec![]);
            conversation.show(vec![], String::new(), Some(picture(b"png")));
            let messages = messages(&conversation);
            assert_eq!(messages.contains("UE5HIQ=="), turn <= KEEP.turns, "{messages}");
            assert_eq!(messages.matches("cG5n").count(), turn.min(KEEP.turns), "{messages}");
        }
    }

    #[test]
    fn an_empty_content_may_have_a_stand_in() {
        for (content, sent) in [
            (verbatim(r#""""#), "(none)"),
            (Content::Text(String::new()), "(none)"),
            (verbatim(r#""<think>x</think> ""#), "(none)"),
            (verbatim(r#"" ""#), " "),
        ] {
            let mut conversation = Conversation::new(Keep { thinks: 0, ..KEEP });
            conversation.reply(1, content, vec![]);
            let request = Request::conversation("", "", &conversation, "[ ]", Some("(none)"), &Sampling::default());
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
            ..KEEP
        });
        for turn in 0..50 {
            let calls = (0..turn).map(|_| call(&odd, &format!("{{\"{}\":\"\"}}", "\\n".repeat(1_000))));
            conversation.reply(turn as u64, Content::Text(odd.repeat(turn % 2)), calls.collect());
            conversation.show(vec![odd.clone(); turn / 2], odd.clone(), Some(picture(&png)));
        }
        let setting = Setting {
            system: &odd,
            task: &odd,
            tools: "[1]",
            empty: &odd,
        };
        let sampling = Sampling {
            model: Some(odd.clone()),
            temperature: Some(f64::MAX),
            ..Sampling::default()
        };
        let room = room(&setting, &conversation, &sampling);
        let (bytes, pictures) = write(&setting, &conversation, &sampling);
        assert_eq!(pictures.len(), 3);
        assert!(bytes.len() <= room, "{} > {room}", bytes.len());
    }
}
