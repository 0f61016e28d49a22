use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::mcp::asked::News;

/// Returns a request with this message about the last call, whose ID is the message's first word. The message "typed"
/// is about a call that somebody else made.
fn request(news: &str) -> Bytes {
    let id = news.split(' ').next();
    let called = if news == "typed" { "type" } else { "zoom" };
    let function = json!({"type": "function", "function": {"name": "zoom", "parameters": {"type": "object"}}});
    let reply = json!({"role": "assistant", "tool_calls": [{"id": id, "function": {"name": called}}]});
    let messages = json!([reply, {"role": "tool", "content": news}]);
    Bytes::from(json!({"messages": messages, "tools": [function]}).to_string())
}

async fn zoom(handover: &Handover) -> Call {
    let tools = handover.tools().await.unwrap();
    Call::read("zoom", None, &tools).unwrap()
}

fn name_in(reply: &Bytes) -> String {
    let reply: Value = serde_json::from_slice(reply).unwrap();
    let name = &reply["choices"][0]["message"]["tool_calls"][0]["function"]["name"];
    name.as_str().unwrap_or_default().to_owned()
}

fn news(told: &Told) -> String {
    match told {
        Told::Done(asked) => match &asked.news[..] {
            [News::Words(words)] => words.clone(),
            other => panic!("{other:?}"),
        },
        Told::Withdrawn => "withdrawn".to_owned(),
        Told::Dropped => "dropped".to_owned(),
        Told::Ended(why) => format!("ended: {why}"),
        Told::Cut(why) => format!("cut: {why}"),
    }
}

/// Plays an agent that sends these messages, one per request, and returns the calls that it got as answers.
async fn agent(handover: Arc<Handover>, all: &[&str]) -> Vec<String> {
    let mut calls = Vec::new();
    for news in all {
        match handover.ask(request(news)).await {
            Ok(reply) => calls.push(name_in(&reply)),
            Err(_) => calls.push("unanswered".to_owned()),
        }
    }
    calls
}

#[tokio::test]
async fn a_call_is_answered_by_the_request_that_follows_it() {
    let handover = Arc::new(Handover::default());
    let asking = tokio::spawn(agent(Arc::clone(&handover), &["first", "second", "third"]));
    let call = zoom(&handover).await;
    // Both calls arrive at the same time but are performed one after the other.
    let (one, other) = tokio::join!(handover.call(&call, || false), handover.call(&call, || false));
    assert_eq!((news(&one), news(&other)), ("second".to_owned(), "third".to_owned()));
    let (during, ()) = tokio::join!(handover.call(&call, || false), async { handover.end("stopped") });
    assert_eq!(news(&during), "cut: stopped");
    assert_eq!(news(&handover.call(&call, || false).await), "ended: stopped");
    asking.abort();
}

#[tokio::test]
async fn a_request_sent_again_gets_the_same_answer_and_no_second_call() {
    let handover = Arc::new(Handover::default());
    let asking = tokio::spawn(agent(Arc::clone(&handover), &["first", "first", "second"]));
    let call = zoom(&handover).await;
    assert_eq!(news(&handover.call(&call, || false).await), "second");
    asking.abort();
}

#[tokio::test]
async fn a_dropped_call_does_not_get_the_result_of_the_call_before() {
    let handover = Arc::new(Handover::default());
    let asking = tokio::spawn(agent(
        Arc::clone(&handover),
        &["first", "first again", "typed", "second"],
    ));
    let call = zoom(&handover).await;
    for _ in 0..2 {
        assert_eq!(news(&handover.call(&call, || false).await), "dropped");
    }
    assert_eq!(news(&handover.call(&call, || false).await), "second");
    asking.abort();
}

#[tokio::test]
async fn a_call_waits_until_the_agent_asks_again() {
    let handover = Arc::new(Handover::default());
    // This agent died while it was waiting.
    let dead = tokio::spawn(agent(Arc::clone(&handover), &["first"]));
    let call = zoom(&handover).await;
    dead.abort();
    assert!(dead.await.unwrap_err().is_cancelled());
    let calling = {
        let handover = Arc::clone(&handover);
        tokio::spawn(async move { news(&handover.call(&call, || false).await) })
    };
    let calls = tokio::spawn(agent(Arc::clone(&handover), &["restarted", "done"]));
    assert_eq!(calling.await.unwrap(), "done");
    calls.abort();
}

#[tokio::test]
async fn a_newer_request_takes_the_place_of_an_older_one() {
    let handover = Arc::new(Handover::default());
    let older = tokio::spawn(agent(Arc::clone(&handover), &["older"]));
    let call = zoom(&handover).await;
    let newer = tokio::spawn(agent(Arc::clone(&handover), &["newer", "after"]));
    assert_eq!(older.await.unwrap(), ["unanswered"]);
    assert_eq!(news(&handover.call(&call, || false).await), "after");
    newer.abort();
}

#[tokio::test]
async fn what_the_host_takes_back_in_time_is_never_done() {
    let handover = Arc::new(Handover::default());
    let withdrawn = Arc::new(AtomicBool::new(false));
    let asking = tokio::spawn(agent(Arc::clone(&handover), &["first", "second", "third"]));
    let call = zoom(&handover).await;
    withdrawn.store(true, Ordering::Relaxed);
    let told = handover.call(&call, || withdrawn.load(Ordering::Relaxed)).await;
    assert_eq!(news(&told), "withdrawn");
    // The next call is the first one that the agent gets.
    assert_eq!(news(&handover.call(&call, || false).await), "second");
    asking.abort();
}

#[tokio::test]
async fn without_a_run_there_are_no_tools_but_the_reason() {
    let handover = Handover::default();
    handover.end("no X server");
    handover.end("the run is over");
    assert_eq!(handover.tools().await, Err("no X server".to_owned()));
}

#[tokio::test]
async fn a_change_of_the_tools_is_noticed() {
    let handover = Arc::new(Handover::default());
    let first = tokio::spawn(agent(Arc::clone(&handover), &["first"]));
    let known = handover.tools().await.unwrap();
    let without = Bytes::from(json!({"messages": [], "tools": []}).to_string());
    let (others, ()) = tokio::join!(handover.other_tools(&known), async {
        let asking = handover.ask(without);
        tokio::select! {
            _ = asking => unreachable!("nobody calls"),
            () = async { while handover.state.borrow().count < 2 { tokio::task::yield_now().await } } => {}
        }
    });
    assert_eq!(others, []);
    first.abort();
}
