//! Tests with interleaved conversations over shared connections. Each request must be assigned to its own conversation.

use proptest::prelude::*;

use super::*;

fn at(second: u64) -> Timestamp {
    Timestamp::from_second(second.cast_signed()).unwrap()
}

fn message(role: &str, content: &str) -> String {
    serde_json::json!({"role": role, "content": content}).to_string()
}

fn body(messages: &[String]) -> String {
    format!("{{\"messages\":[{}]}}", messages.join(","))
}

/// Builds request number `id`. Each request takes a second.
fn request(id: u64, connection: u64, messages: &[String]) -> ConversationRequest {
    ConversationRequest {
        id,
        run: None,
        turn: None,
        connection,
        started: at(id * 10),
        ended: Some(at(id * 10 + 1)),
        messages: Messages::read(body(messages).as_bytes()),
    }
}

fn said(reply: &str) -> ConversationReply {
    let literal = serde_json::to_string(reply).unwrap();
    ConversationReply::Whole {
        story: Some(Fingerprint::of_literal(&literal)),
        echo: Fingerprint::of_reply(Some(&literal), None),
    }
}

/// Records the request and returns the index of its conversation.
fn record(all: &mut Conversations, request: &ConversationRequest, reply: ConversationReply) -> usize {
    let place = all.find(request).unwrap_or_else(|| all.open(request));
    all.record(place, request, reply);
    place
}

/// A client that remembers either a story or a conversation.
#[derive(Debug, Clone)]
struct Client {
    /// Whether the client remembers only the last reply. Otherwise, it remembers all messages.
    story: bool,
    messages: Vec<String>,
    place: Option<usize>,
}

/// Returns the messages sent by a client that remembers a story.
fn telling(story: &str, turn: usize) -> Vec<String> {
    vec![
        message("system", "the same for all"),
        message("user", story),
        message("user", &format!("done {turn}")),
    ]
}

#[derive(Debug, Clone)]
struct Step {
    client: usize,
    connection: u64,
    fails: bool,
}

fn steps(clients: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (0..clients, 1..4_u64, prop::bool::weighted(0.2)).prop_map(|(client, connection, fails)| Step {
        client,
        connection,
        fails,
    });
    prop::collection::vec(step, 1..60)
}

proptest! {
    /// Clients of both kinds take turns on the same connections and repeat requests that were not answered. All of them
    /// use the same system prompt.
    #[test]
    fn each_conversation_keeps_its_requests_and_no_other(steps in steps(6)) {
        let mut all = Conversations::default();
        let mut clients: Vec<Client> = (0..6)
            .map(|number| Client {
                story: number % 2 == 1,
                messages: vec![message("system", "the same for all"), message("user", &format!("task {number}"))],
                place: None,
            })
            .collect();
        for (id, step) in (1..).zip(&steps) {
            let client = &mut clients[step.client];
            if client.story && client.messages.len() < 3 {
                client.messages = telling(&format!("I am {}", step.client), 0);
            }
            // Clients that remember a story can share a connection only if their earlier replies are known.
            let connection = if client.story { 100 + step.client as u64 } else { step.connection };
            let asked = request(id, connection, &client.messages);
            let reply = format!("reply {id}");
            let place = record(&mut all, &asked, if step.fails { ConversationReply::None } else { said(&reply) });
            prop_assert_eq!(*client.place.get_or_insert(place), place, "client {} at {}", step.client, id);
            if !step.fails {
                if client.story {
                    client.messages = telling(&reply, id as usize);
                } else {
                    client.messages.push(message("assistant", &reply));
                    client.messages.push(message("user", "go on"));
                }
            }
        }
        let mut places: Vec<_> = clients.iter().filter_map(|client| client.place).collect();
        places.sort_unstable();
        prop_assert_eq!(places, (0..all.count()).collect::<Vec<_>>(), "each has one of its own");
    }

    /// Two clients begin with identical requests, each on its own connection, and use any connection after that.
    #[test]
    fn twins_are_distinguished_by_their_replies(steps in steps(4)) {
        let mut all = Conversations::default();
        let opening = [message("system", "s"), message("user", "the same task")];
        let mut clients = vec![(opening.to_vec(), None::<usize>); 4];
        for (id, step) in (1..).zip(&steps) {
            let (messages, place) = &mut clients[step.client];
            let connection = if place.is_none() { 100 + step.client as u64 } else { step.connection };
            let reply = format!("reply {id}");
            let found = record(&mut all, &request(id, connection, messages), said(&reply));
            prop_assert_eq!(*place.get_or_insert(found), found, "client {} at {}", step.client, id);
            messages.extend([message("assistant", &reply), message("user", "go on")]);
        }
        let begun = clients.iter().filter(|(_, place)| place.is_some()).count();
        prop_assert_eq!(all.count(), begun);
    }

    /// Whatever arrives, every request is assigned to exactly one conversation, and the stored conversation leads back
    /// to it.
    #[test]
    fn every_request_belongs_to_exactly_one_conversation(
        asked in prop::collection::vec((prop::collection::vec(0..3_u8, 0..5), 1..4_u64, 0..4_u8, any::<bool>()), 1..60),
    ) {
        let mut all = Conversations::default();
        let mut recorded = Vec::new();
        for (id, (roles, connection, run, answered)) in (1..).zip(&asked) {
            let messages: Vec<_> = roles.iter().map(|role| message(["user", "assistant", "system"][usize::from(*role)], "x")).collect();
            let mut request = request(id, *connection, &messages);
            request.run = (*run > 1).then(|| format!("../run {run}"));
            request.turn = (*run > 2).then_some(1);
            let place = record(&mut all, &request, if *answered { said("x") } else { ConversationReply::None });
            prop_assert!(place < all.count());
            recorded.push(place);
        }
        // No conversation is empty, because each one was begun by a request that it contains.
        prop_assert!((0..all.count()).all(|place| recorded.contains(&place)));
        for place in 0..all.count() {
            let kept = serde_json::to_string(all.get(place).unwrap()).unwrap();
            let read: KnownConversation = serde_json::from_str(&kept).unwrap();
            prop_assert_eq!(read.end, all.get(place).unwrap().end);
        }
    }
}

#[test]
fn five_runs_of_one_program_are_five_conversations() {
    let mut all = Conversations::default();
    let opening = vec![message("system", "s"), message("user", "task")];
    let mut id = 0;
    for run in 0..5 {
        let mut messages = opening.clone();
        for _ in 0..3 {
            id += 1;
            // Each request has its own connection, and the model always gives the same reply.
            let place = record(&mut all, &request(id, id, &messages), said("the same"));
            assert_eq!(place, run);
            messages.extend([message("assistant", "the same"), message("user", "go on")]);
        }
    }
}

#[test]
fn the_longest_prefix_wins_before_the_connection() {
    let mut all = Conversations::default();
    let one = vec![message("user", "a")];
    let mut two = one.clone();
    two.extend([message("assistant", "b"), message("user", "c")]);
    assert_eq!(record(&mut all, &request(1, 1, &one), said("b")), 0);
    assert_eq!(record(&mut all, &request(2, 2, &one), said("b")), 1);
    // Both conversations fit. The one on this connection takes precedence; otherwise, the newest does.
    assert_eq!(all.find(&request(3, 1, &two)), Some(0));
    assert_eq!(all.find(&request(3, 2, &two)), Some(1));
    assert_eq!(all.find(&request(3, 9, &two)), Some(1));
    assert_eq!(record(&mut all, &request(3, 1, &two), said("d")), 0);
    let mut three = two.clone();
    three.extend([message("assistant", "x"), message("user", "e")]);
    assert_eq!(all.find(&request(4, 2, &three)), Some(0), "more of its messages");
    // A branch from the middle is a separate conversation.
    let mut branch = two.clone();
    branch[2] = message("user", "something else");
    assert_eq!(
        all.find(&request(5, 9, &branch)),
        Some(1),
        "it goes on with the other one's"
    );
    let unlike = vec![message("user", "z")];
    assert_eq!(all.find(&request(6, 1, &unlike)), None);
}

#[test]
fn conversations_that_drop_old_messages_stay_separate() {
    let mut all = Conversations::default();
    let mut id = 0;
    for turn in 1..8_u64 {
        for client in 0..2 {
            let mut messages = vec![message("system", "s"), message("user", &format!("task {client}"))];
            for earlier in turn.saturating_sub(2).max(1)..turn {
                messages.push(message("assistant", &format!("reply {client} {earlier}")));
                messages.push(message("user", &format!("picture {earlier}")));
            }
            id += 1;
            // Each request has its own connection.
            let asked = request(id, id, &messages);
            let place = record(&mut all, &asked, said(&format!("reply {client} {turn}")));
            assert_eq!(place, client, "turn {turn}");
        }
    }
    // Another program that received the same reply is recognised by its system prompt, unless it has the connection.
    let other = [
        message("system", "another"),
        message("user", "task"),
        message("assistant", "reply 1 7"),
        message("user", "go on"),
    ];
    assert_eq!(all.find(&request(id + 1, id + 1, &other)), None);
    assert_eq!(all.find(&request(id + 1, id, &other)), Some(1));
}

#[test]
fn a_message_without_comparable_text_leads_to_no_conversation() {
    let mut all = Conversations::default();
    let begun = |task: &str| vec![message("system", "s"), message("user", task)];
    record(&mut all, &request(1, 1, &begun("one")), said(""));
    record(&mut all, &request(2, 2, &begun("two")), said("earlier"));
    let parts = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}"#;
    for last in [
        parts.to_owned(),
        message("assistant", ""),
        r#"{"role":"assistant","content":null}"#.to_owned(),
    ] {
        let mut messages = begun("another");
        messages.extend([message("assistant", "earlier"), message("user", "go on")]);
        messages.extend([last, message("user", "go on")]);
        assert_eq!(all.find(&request(3, 3, &messages)), None, "{messages:?}");
    }
}

#[test]
fn a_repeated_unanswered_request_is_a_retry() {
    let messages = vec![message("user", "a")];
    let mut all = Conversations::default();
    assert_eq!(record(&mut all, &request(1, 1, &messages), ConversationReply::None), 0);
    assert_eq!(all.find(&request(2, 2, &messages)), Some(0));
    let mut at_once = request(2, 2, &messages);
    at_once.started = at(10);
    assert_eq!(all.find(&at_once), None, "the other one was still asking");
    assert_eq!(record(&mut all, &request(2, 2, &messages), said("b")), 0);
    assert_eq!(all.find(&request(3, 3, &messages)), None);
    assert_eq!(all.find(&request(3, 2, &messages)), Some(0), "the same connection");
}

#[test]
fn a_changed_story_stays_with_its_connection() {
    let mut all = Conversations::default();
    let ask = |id, connection, story: &str| request(id, connection, &telling(story, id as usize));
    assert_eq!(record(&mut all, &ask(1, 1, ""), said("one")), 0);
    assert_eq!(record(&mut all, &ask(2, 9, "one"), said("two")), 0);
    assert_eq!(all.find(&ask(3, 9, "tWo")), Some(0));
    assert_eq!(all.find(&ask(3, 8, "tWo")), None);
    assert_eq!(all.find(&ask(3, 9, "")), None, "it begins");
}

#[test]
fn conversations_with_equal_replies_are_distinguished_by_shape() {
    let mut all = Conversations::default();
    let talk = [message("system", "s"), message("user", "a task")];
    assert_eq!(record(&mut all, &request(1, 1, &telling("", 1)), said("same")), 0);
    assert_eq!(record(&mut all, &request(2, 2, &talk), said("same")), 1);
    assert_eq!(all.find(&request(3, 3, &telling("same", 3))), Some(0));
}

#[test]
fn runs_are_identified_by_name_and_a_restarted_name_is_new() {
    let mut all = Conversations::default();
    let named = |id, connection, turn, story: &str| {
        let messages = [message("system", "s"), message("user", story), message("user", "f")];
        ConversationRequest {
            run: Some("run".to_owned()),
            turn: Some(turn),
            ..request(id, connection, &messages)
        }
    };
    assert_eq!(record(&mut all, &named(1, 1, 1, ""), said("one")), 0);
    assert_eq!(record(&mut all, &named(2, 2, 2, "one"), said("two")), 0);
    assert_eq!(
        record(&mut all, &named(3, 3, 3, "changed"), said("three")),
        0,
        "a violation, but its own"
    );
    assert_eq!(record(&mut all, &named(4, 4, 1, ""), said("uno")), 1);
    assert_eq!(record(&mut all, &named(5, 5, 2, "uno"), said("due")), 1);
    assert_eq!(record(&mut all, &named(6, 6, 4, "three"), said("four")), 0);
    // A request that does not name the run does not belong to it.
    let foreign = request(
        7,
        6,
        &[message("system", "s"), message("user", "four"), message("user", "f")],
    );
    assert_eq!(all.find(&foreign), None);
}

#[test]
fn unreadable_requests_form_one_conversation() {
    let mut all = Conversations::default();
    let mut unreadable = request(1, 1, &[]);
    unreadable.messages = None;
    assert_eq!(record(&mut all, &unreadable, ConversationReply::Unseen), 0);
    let known = request(2, 2, &[message("user", "a")]);
    assert_eq!(record(&mut all, &known, said("b")), 1);
    (unreadable.id, unreadable.connection) = (3, 3);
    assert_eq!(all.find(&unreadable), Some(0));
    unreadable.connection = 2;
    assert_eq!(all.find(&unreadable), Some(1));
}
