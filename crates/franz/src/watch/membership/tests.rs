use franz_panel::hub::Doing;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::stop::Stop;

fn news(hub: &Hub, secret: Secret) -> RunNews {
    let (sender, _orders) = tokio::sync::mpsc::unbounded_channel();
    let control = AgentControl::of_agent(sender, hub.clone(), Stop::default());
    RunNews::new(hub.clone(), secret, control).unwrap()
}

/// Reads a request, and answers with this status line and body. With `true`, the response goes on.
async fn answer(listener: &TcpListener, status: &str, body: &str, goes_on: bool) -> TcpStream {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut read = Vec::new();
    while !read.ends_with(b"}") {
        assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0);
    }
    let length = if goes_on {
        String::new()
    } else {
        format!("Content-Length: {}\r\n", body.len())
    };
    let response = format!("HTTP/1.1 {status}\r\n{length}\r\n{body}");
    stream.write_all(response.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_run_says_once_that_the_next_panel_refuses_it_and_joins_the_one_after() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let panel = StandingPanel {
        access: DashboardAccess {
            address: format!("http://{}", listener.local_addr().unwrap()),
            token: "t".to_owned(),
        },
    };
    let offer = Registration {
        protocol: PROTOCOL,
        version: "1.0.0".to_owned(),
        name: "a".to_owned(),
        directory: "/a".into(),
        dashboard: ([127, 0, 0, 1], 7000).into(),
        token: "t".to_owned(),
        code: None,
        status: RunStatus::default(),
    };
    let hub = Hub::default();
    let joined = tokio::spawn(Membership::join(
        PanelChoice::Given(panel),
        offer,
        news(&hub, Secret::default()),
    ));
    let welcome = "{\"name\":\"a\",\"pages\":0}\n";
    drop(answer(&listener, "200 OK", welcome, true).await);
    let membership = joined.await.unwrap().unwrap().unwrap();
    for _ in 0..2 {
        let refused = r#"{"error":"restart the panel with FRANZ 1.0.0"}"#;
        answer(&listener, "409 Conflict", refused, false).await;
    }
    let open = answer(&listener, "200 OK", welcome, true).await;
    let mut changes = hub.listen(None);
    let texts = loop {
        let notices = serde_json::to_value(hub.look(|snapshot| snapshot.notices.clone())).unwrap();
        let texts: Vec<_> = notices
            .as_object()
            .unwrap()
            .values()
            .map(|one| one["text"].clone())
            .collect();
        if texts.len() >= 3 {
            break texts;
        }
        changes.next().await;
    };
    assert!(texts[0].as_str().unwrap().starts_with("the standing panel is gone"));
    assert!(
        texts[1]
            .as_str()
            .unwrap()
            .ends_with(": restart the panel with FRANZ 1.0.0"),
        "{texts:?}"
    );
    assert_eq!(texts[2..], ["the standing panel is back"]);
    drop(open);
    membership.end().await;
}

#[test]
fn a_reported_state_contains_no_key() {
    let key = "sk-0123456789-abc";
    let hub = Hub::default();
    let news = news(&hub, Secret::new([key.to_owned()]));
    let detail = format!("the server refused {key}");
    news.hub.change(|snapshot| snapshot.set_agent(Doing::Paused, detail));
    let told = serde_json::to_string(&news.status()).unwrap();
    assert!(told.contains("the server refused") && !told.contains(key), "{told}");
}
