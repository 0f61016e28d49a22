//! Tests the demo model over a real socket, byte for byte as a client sees it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use franz_demo::{Demo, DemoHandle, DemoSettings, Script, ThinkingPace};
use serde_json::{Value, json};

/// An answer, split into head and body.
struct HttpAnswer {
    head: String,
    body: String,
}

impl HttpAnswer {
    fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

fn demo(script: Option<&str>) -> DemoHandle {
    Demo::spawn(DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        script: script.map(|text| Script::parse(text).unwrap()),
        keep_requests: true,
        ..DemoSettings::default()
    })
    .unwrap()
}

/// Connects with a read timeout, so that a hanging server makes the test fail instead of blocking it forever.
fn connect(demo: &DemoHandle) -> TcpStream {
    let stream = TcpStream::connect(demo.addr()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends a request on a new connection and reads until the server closes it.
fn exchange(demo: &DemoHandle, head: &str, body: &[u8]) -> String {
    let mut stream = connect(demo);
    let length = body.len();
    let head = format!("{head} HTTP/1.1\r\nhost: demo\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    let mut answer = Vec::new();
    // A broken connection also ends the answer.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

fn ask(demo: &DemoHandle, head: &str, body: &[u8]) -> HttpAnswer {
    let answer = exchange(demo, head, body);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    HttpAnswer {
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

fn chat(demo: &DemoHandle, body: &Value) -> HttpAnswer {
    ask(demo, "POST /v1/chat/completions", body.to_string().as_bytes())
}

fn hello() -> Value {
    json!({ "messages": [{ "role": "user", "content": "hello" }] })
}

#[test]
fn the_model_is_listed() {
    let answer = ask(&demo(None), "GET /v1/models", b"");
    assert_eq!(answer.status(), "200");
    assert_eq!(answer.json()["data"][0]["id"], "franz-demo");
}

#[test]
fn a_request_without_a_picture_is_answered_like_any_other() {
    let reply = chat(&demo(None), &hello()).json();
    let choice = &reply["choices"][0];
    let content = choice["message"]["content"].as_str().unwrap();
    assert!(content.contains("I cannot see anything") && content.ends_with("```python\n# Nothing to draw on.\n```\n"));
    assert_eq!(choice["finish_reason"], "stop");
    assert!(reply["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn functions_are_called_where_they_are_offered() {
    let demo = demo(None);
    let mut request = hello();
    request["tools"] = json!([{ "type": "function", "function": { "name": "observe_screen" } }]);
    let choice = chat(&demo, &request).json()["choices"][0].take();
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(call["function"], json!({ "name": "observe_screen", "arguments": "{}" }));
    assert!(choice["message"]["content"].is_string());
    request["stream"] = true.into();
    let pieces = chat(&demo, &request).body;
    assert!(
        pieces.contains("\"index\":0") && pieces.contains("\"finish_reason\":\"tool_calls\""),
        "{pieces}"
    );
}

#[test]
fn a_script_writes_its_rest_in_the_requested_protocol() {
    let demo = demo(Some("\"rest\""));
    let cases = [
        ("Draw.", json!(null), "```python\n# The cat is complete"),
        ("Write ACTIONS:", json!(null), "\n\nACTIONS:\n"),
        ("Write STATUS:", json!(null), "STATUS: completed\nGOAL: "),
        (
            "Act.",
            json!([{ "function": { "name": "drag" } }]),
            "The cat is complete.",
        ),
    ];
    for (system, tools, words) in cases {
        let request = json!({ "tools": tools, "messages": [{ "role": "system", "content": system }] });
        let choice = chat(&demo, &request).json()["choices"][0].take();
        let content = choice["message"]["content"].as_str().unwrap();
        assert!(content.contains(words) && choice["finish_reason"] == "stop", "{choice}");
    }
}

#[test]
fn pieces_are_sent_as_events() {
    let answer = chat(&demo(None), &json!({ "messages": [], "stream": true }));
    assert!(
        answer.head.contains("content-type: text/event-stream"),
        "{}",
        answer.head
    );
    assert!(answer.head.contains("transfer-encoding: chunked"));
    assert!(answer.body.contains("data: {") && answer.body.contains("data: [DONE]\n\n"));
}

#[test]
fn client_errors_are_named() {
    let demo = demo(None);
    let cases = [
        ("POST /v1/chat/completions", "400", "not valid JSON"),
        ("GET /v1/chat/completions", "405", "use POST here"),
        ("POST /v1/models", "405", "use GET here"),
        ("GET /elsewhere", "404", "there is nothing at /elsewhere"),
    ];
    for (head, status, words) in cases {
        let answer = ask(&demo, head, b"{nonsense");
        assert_eq!(answer.status(), status, "{head}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{message}");
    }
    assert!(ask(&demo, "GET /v1/chat/completions", b"").head.contains("allow: post"));
}

#[test]
fn a_request_that_is_too_large_is_refused_before_it_is_sent() {
    let demo = demo(None);
    let mut stream = connect(&demo);
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: demo\r\ncontent-length: 99999999999\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn hostile_bodies_do_no_harm() {
    let demo = demo(None);
    let bodies: [&[u8]; 8] = [
        b"",
        b"\xff\xfe{",
        br#"{"messages": [{"role": "user", "content": "\ud800 \u0000 \udfff"}]}"#,
        br#"{"messages": [{"role": "user", "content": "```python\ndrag(1,2,3,4)\n```"}, {"role": "user", "content": "\ud800Error: `"}]}"#,
        br#"{"messages": [{"role": "user", "content": [{"image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}]}"#,
        br#"{"messages": [null, [], {"role": 3}], "max_tokens": 0}"#,
        br#"{"messages": [{"role": "assistant", "tool_calls": {}}, {"role": "tool"}], "tools": [[], {"function": {"name": "\ud800"}}]}"#,
        br#"{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "left_click", "arguments": "{\"box\":[1e99,-1]}"}}]},
            {"role": "tool", "content": "{\"ok\":true}"}], "tools": [{"function": {"name": "type", "parameters": {"properties": []}}}]}"#,
    ];
    for (index, body) in bodies.into_iter().enumerate() {
        let status = if index < 2 { "400" } else { "200" };
        let answer = ask(&demo, "POST /v1/chat/completions", body);
        assert_eq!(answer.status(), status, "{}", String::from_utf8_lossy(body));
        answer.json();
    }
    let kept: Vec<Vec<u8>> = demo
        .requests()
        .into_iter()
        .map(|request| request.body.to_vec())
        .collect();
    assert_eq!(kept, bodies);
}

#[test]
fn several_requests_share_a_connection() {
    let demo = demo(None);
    let mut stream = connect(&demo);
    let request = "GET /v1/models HTTP/1.1\r\nhost: demo\r\n";
    let requests = format!("{request}\r\n{request}connection: close\r\n\r\n");
    stream.write_all(requests.as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2);
}

#[test]
fn a_script_is_answered_byte_for_byte() {
    let demo = demo(Some(concat!(
        r#"{"text": "hello"}"#,
        "\n",
        r#"{"content": "\ud800\u0041 \/", "finish_reason": "length"}"#,
        "\n",
        r#"{"json": {"error" :  {"message": "\ud800"}}, "status": 429, "headers": {"Retry-After": "2"}}"#,
        "\n",
        r#"{"raw": "<html>", "status": 502, "headers": {"content-type": "text/html"}}"#,
        "\n",
        r#""rest""#,
    )));
    assert_eq!(
        chat(&demo, &hello()).json()["choices"][0]["message"]["content"],
        "hello"
    );
    let literal = chat(&demo, &hello()).body;
    assert!(literal.contains(r#""content":"\ud800\u0041 \/"}"#) && literal.contains(r#""finish_reason":"length""#));
    let busy = chat(&demo, &hello());
    assert_eq!(
        (busy.status(), busy.body.as_str()),
        ("429", r#"{"error" :  {"message": "\ud800"}}"#)
    );
    assert!(busy.head.contains("retry-after: 2"));
    let page = chat(&demo, &hello());
    assert_eq!((page.status(), page.body.as_str()), ("502", "<html>"));
    assert!(page.head.contains("content-type: text/html") && !page.head.contains("application/json"));
    for _ in 0..2 {
        let rest = chat(&demo, &hello()).body;
        assert!(rest.contains("My cat is complete."), "{rest}");
    }
}

#[test]
fn a_script_breaks_connections() {
    let demo = demo(Some(
        "{\"close\": \"before\"}\n{\"text\": \"0123456789\", \"close\": \"mid\"}",
    ));
    let body = hello().to_string();
    assert_eq!(exchange(&demo, "POST /v1/chat/completions", body.as_bytes()), "");
    let broken = chat(&demo, &hello());
    assert_eq!(broken.status(), "200");
    let length = broken.head.split("content-length: ").nth(1).unwrap();
    let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
    assert_eq!(broken.body.len(), length / 2);
}

#[test]
fn a_dripping_body_arrives_whole() {
    for stream in [false, true] {
        let demo = demo(Some(
            "{\"text\": \"drop by drop\", \"drip_s\": 0.02, \"delay_s\": 0.01}",
        ));
        let mut request = hello();
        request["stream"] = stream.into();
        let answer = chat(&demo, &request);
        assert!(answer.body.contains("drop by drop"), "{}", answer.body);
    }
}

#[test]
fn dropping_the_handle_frees_the_port_despite_a_pending_answer() {
    let demo = demo(Some("{\"text\": \"too late\", \"delay_s\": 3600}"));
    let mut stream = connect(&demo);
    let request = "POST /v1/chat/completions HTTP/1.1\r\nhost: demo\r\ncontent-length: 15\r\n\r\n{\"messages\":[]}";
    stream.write_all(request.as_bytes()).unwrap();
    let addr = demo.addr();
    drop(demo);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty());
    assert!(TcpStream::connect(addr).is_err());
}

#[test]
fn a_taken_address_is_an_error_that_names_it() {
    let demo = demo(None);
    let error = Demo::bind(demo.addr(), DemoSettings::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(&demo.addr().to_string()) && error.contains("choose another port"),
        "{error}"
    );
}
