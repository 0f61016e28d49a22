use franz_action::ToolSet;
use franz_chat::{CallForm, Content, Conversation, Keep, MemoryWindow, Request, Sampling};
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{LinesProtocol, Protocol, ReplyText};

/// Checks whether a protocol treats text between these tags as thinking.
fn is_masked(open: &str, close: &str) -> bool {
    let lines = LinesProtocol::from(ReadingSettings::new(ToolSet::all()));
    let plan = lines.read(&ReplyText::of(&format!(
        "{open}\nleft_click(1, 2)\n{close}\nleft_click(3, 4)"
    )));
    plan.actions().count() == 1
}

/// Checks whether a conversation that keeps no thinking drops the text between these tags.
fn is_forgotten(open: &str, close: &str) -> bool {
    let mut conversation = Conversation::new(Keep {
        screenshots: 1,
        most_screenshots: 1,
        thinks: 0,
        turns: 9,
    });
    conversation.reply(1, Content::Text(format!("{open}hidden{close}said")), Vec::new());
    conversation.forget(MemoryWindow {
        thinks: 2,
        ..MemoryWindow::default()
    });
    let request = Request::conversation(
        "",
        "",
        &conversation,
        "[]",
        None,
        CallForm::Native,
        &Sampling::default(),
    );
    let body = String::from_utf8_lossy(request.body()).into_owned();
    assert!(body.contains("said"), "{body}");
    !body.contains("hidden")
}

/// Neither crate may use the other's tag reader, so this test checks that both know the same tags.
#[test]
fn chat_and_dialect_recognise_the_same_thought_tags() {
    let long = format!("{}think", "a".repeat(60));
    let names = [
        ("think", true),
        ("THINK", true),
        ("gui_thinking2", true),
        ("thought", true),
        ("Thoughts", true),
        ("reasoning", true),
        ("reflection", true),
        ("afterthought", false),
        ("thought process", false),
        (" think ", false),
        ("b", false),
        (&long, false),
    ];
    for (name, thinks) in names {
        for (open, close) in [
            (format!("<{name}>"), format!("</{name}>")),
            (format!("[{name}]"), format!("[/{name}]")),
        ] {
            assert_eq!(
                (is_masked(&open, &close), is_forgotten(&open, &close)),
                (thinks, thinks),
                "{open}"
            );
        }
        let (open, close) = (format!("<{name}]"), format!("[/{name}>"));
        assert!(!is_masked(&open, &close) && !is_forgotten(&open, &close), "{open}");
    }
}
