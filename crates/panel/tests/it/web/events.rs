//! Tests of the event stream, with clients that connect, reconnect, fall behind and leave.

use std::time::Duration;

use franz_panel::Hub;
use franz_panel::hub::Snapshot;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::web::site::{Recorder, Site, TOKEN};

/// How many events the hub keeps.
const KEPT: usize = 1000;

/// A page that listens to the events.
struct Page {
    stream: TcpStream,
    read: Vec<u8>,
    /// The ID that came first, with an empty event.
    first: String,
}

/// An event with its ID.
type Event = (String, Value);

impl Page {
    async fn open(site: &Site, query: &str, headers: &str) -> Page {
        let stream = TcpStream::connect(site.address).await.unwrap();
        Page::listen(stream, site, query, headers).await
    }

    /// Opens a page for which the system keeps little that it has not read.
    async fn open_small(site: &Site) -> Page {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let stream = socket.connect(site.address).await.unwrap();
        Page::listen(stream, site, "", "").await
    }

    async fn listen(mut stream: TcpStream, site: &Site, query: &str, headers: &str) -> Page {
        let request = format!(
            "GET /events{query} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n{headers}\r\n",
            site.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut page = Page {
            stream,
            read: Vec::new(),
            first: String::new(),
        };
        // The first lines show that the page is listening.
        let head = page.until("\n\n\r\n").await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
        let (_, event) = head.split_once("retry: 1000\nid: ").unwrap();
        // Without an event, a page would not learn the ID.
        event.strip_suffix("\ndata: {}").unwrap().clone_into(&mut page.first);
        page
    }

    async fn until(&mut self, end: &str) -> String {
        loop {
            let text = String::from_utf8_lossy(&self.read).into_owned();
            if let Some((before, after)) = text.split_once(end) {
                self.read = after.as_bytes().to_vec();
                return before.to_owned();
            }
            let mut piece = vec![0; 1 << 16];
            let count = self.stream.read(&mut piece).await.unwrap();
            assert!(count > 0, "the stream ended: {text}");
            self.read.extend_from_slice(&piece[..count]);
        }
    }

    async fn event(&mut self) -> Event {
        loop {
            let block = self.until("\n\n").await;
            let field = |name: &str| {
                block
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .map(str::to_owned)
            };
            if let (Some(id), Some(data)) = (field("id: "), field("data: ")) {
                assert!(data.len() <= Hub::EVENT_BYTES);
                return (id, said(serde_json::from_str(&data).unwrap()));
            }
        }
    }

    async fn ended(mut self) {
        while self.stream.read(&mut [0; 4096]).await.unwrap() > 0 {}
    }
}

fn notice(text: &(impl ToString + ?Sized)) -> impl FnOnce(&mut Snapshot) {
    let text = text.to_string();
    |snapshot| snapshot.notice(text)
}

fn noticed(text: &(impl ToString + ?Sized)) -> Value {
    json!({"notice": text.to_string()})
}

/// Returns the notice that a patch adds or, if it adds none, the patch itself.
fn said(patch: Value) -> Value {
    let notices = patch["notices"].as_object().into_iter().flatten();
    match notices.map(|(_, notice)| &notice["text"]).find(|text| text.is_string()) {
        Some(text) => json!({"notice": text}),
        None => patch,
    }
}

async fn site() -> (Recorder, Site) {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    (recorder, site)
}

#[tokio::test]
async fn a_new_page_receives_every_later_event() {
    let (_recorder, site) = site().await;
    site.hub.change(notice("before"));
    let mut page = Page::open(&site, "", "").await;
    for number in 0..100 {
        site.hub.change(notice(&number));
    }
    for number in 0..100 {
        let (id, event) = page.event().await;
        assert!(id.ends_with(&format!("-{}", number + 2)), "{id}");
        assert_eq!(event, noticed(&number));
    }
}

#[tokio::test]
async fn a_returning_page_receives_missed_events() {
    let (_recorder, site) = site().await;
    let mut page = Page::open(&site, "", "").await;
    site.hub.change(notice(&1));
    let (first, _) = page.event().await;
    drop(page);
    site.hub.change(notice(&2));
    site.hub.change(notice(&3));
    let header = format!("Last-Event-ID: {first}\r\n");
    let stamp = first.split_once('-').unwrap().0;
    let ways = [
        (String::new(), header.clone()),
        (format!("?last={first}"), String::new()),
        // A browser that reconnects requests the same address with a more recent header.
        (format!("?last={stamp}-0"), header),
    ];
    for (query, header) in ways {
        let mut page = Page::open(&site, &query, &header).await;
        assert_eq!(page.event().await, (format!("{stamp}-2"), noticed(&2)), "{query}");
        assert_eq!(page.event().await, (format!("{stamp}-3"), noticed(&3)));
    }
    let mut page = Page::open(&site, "?last=0", "").await;
    assert_eq!(page.event().await.1, noticed(&1));
}

#[tokio::test]
async fn nothing_is_lost_between_state_and_stream() {
    let (_recorder, site) = site().await;
    site.hub.change(notice(&1));
    let state = site.json("/api/state").await;
    site.hub.change(notice(&2));
    let mut page = Page::open(&site, &format!("?last={}", state["last_event"].as_str().unwrap()), "").await;
    assert_eq!(page.event().await.1, noticed(&2));
}

#[tokio::test]
async fn an_unknown_event_id_causes_a_resync() {
    let (_recorder, site) = site().await;
    site.hub.change(notice(&1));
    let newest = site.json("/api/state").await["last_event"].as_str().unwrap().to_owned();
    let future = newest.replace("-1", "-9");
    for id in ["5-1", "x", "-", "99-99", "%00", "18446744073709551616-1", &future] {
        let mut page = Page::open(&site, &format!("?last={id}"), "").await;
        assert_eq!(page.event().await, (newest.clone(), json!({"type": "resync"})), "{id}");
    }
    let mut page = Page::open(&site, "?last=x", "").await;
    page.event().await;
    site.hub.change(notice("next"));
    assert_eq!(page.event().await.1, noticed("next"));
}

#[tokio::test]
async fn a_page_that_leaves_before_the_resync_is_told_when_it_returns() {
    let (_recorder, site) = site().await;
    site.hub.change(notice(&1));
    let Page { first, .. } = Page::open(&site, "?last=x", "").await;
    assert_ne!(first, site.json("/api/state").await["last_event"]);
    let ways = [
        (format!("?last={first}"), String::new()),
        (String::new(), format!("Last-Event-ID: {first}\r\n")),
    ];
    for (query, header) in ways {
        let mut page = Page::open(&site, &query, &header).await;
        let (newest, event) = page.event().await;
        assert_eq!(event, json!({"type": "resync"}), "{query}");
        let again = Page::open(&site, &format!("?last={newest}"), "").await;
        assert_eq!(again.first, newest);
    }
}

#[tokio::test]
async fn a_page_away_too_long_is_told_once_to_resync() {
    let (_recorder, site) = site().await;
    site.hub.change(notice("first"));
    let last = site.json("/api/state").await["last_event"].as_str().unwrap().to_owned();
    for number in 0..=KEPT {
        site.hub.change(notice(&number));
    }
    let mut page = Page::open(&site, &format!("?last={last}"), "").await;
    assert_eq!(page.event().await.1, json!({"type": "resync"}));
    site.hub.change(notice("and on"));
    assert_eq!(page.event().await.1, noticed("and on"));
}

#[tokio::test]
async fn a_lagging_page_delays_no_other() {
    let (_recorder, site) = site().await;
    let mut lagging = Page::open_small(&site).await;
    let mut quick = Page::open(&site, "", "").await;
    // This is more than fits into the sockets' buffers and the ring together. The quick page reads each event before
    // the next one is sent.
    let text = "x".repeat(1700);
    for number in 0..4 * KEPT {
        site.hub.change(notice(&format!("{number} {text}")));
        assert_eq!(quick.event().await.1, noticed(&format!("{number} {text}")));
    }
    let mut next = 0;
    loop {
        let (_, event) = lagging.event().await;
        if event == json!({"type": "resync"}) {
            break;
        }
        assert_eq!(event, noticed(&format!("{next} {text}")));
        next += 1;
    }
    site.hub.change(notice("and on"));
    loop {
        let (_, event) = lagging.event().await;
        assert_ne!(event, json!({"type": "resync"}));
        if event == noticed("and on") {
            break;
        }
    }
}

#[tokio::test]
async fn many_pages_receive_the_same_events() {
    let (_recorder, site) = site().await;
    let mut pages = Vec::new();
    for _ in 0..25 {
        pages.push(Page::open(&site, "", "").await);
    }
    assert!(site.get("/metrics").await.text().contains("\nfranz_clients 25\n"));
    for number in 0..40 {
        site.hub.change(notice(&number));
    }
    for page in &mut pages {
        for number in 0..40 {
            assert_eq!(page.event().await.1, noticed(&number));
        }
    }
    drop(pages);
    let gone = async {
        while !site.get("/metrics").await.text().contains("\nfranz_clients 0\n") {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), gone).await.unwrap();
}

#[tokio::test]
async fn the_last_events_arrive_before_the_stream_ends() {
    let (_recorder, site) = site().await;
    let mut page = Page::open(&site, "", "").await;
    let hub = site.hub.clone();
    for number in 0..100 {
        hub.change(notice(&number));
    }
    site.stop().await;
    for number in 0..100 {
        assert_eq!(page.event().await.1, noticed(&number));
    }
    page.ended().await;
}

#[tokio::test]
async fn streams_end_at_shutdown() {
    let (_recorder, site) = site().await;
    let page = Page::open(&site, "", "").await;
    let idle = TcpStream::connect(site.address).await.unwrap();
    let address = site.address;
    timeout(Duration::from_secs(20), site.stop()).await.unwrap();
    timeout(Duration::from_secs(20), page.ended()).await.unwrap();
    drop(idle);
    TcpStream::connect(address).await.unwrap_err();
}

#[tokio::test]
async fn a_listening_page_can_fetch_the_last_turns_at_shutdown() {
    let (mut recorder, mut site) = site().await;
    let page = Page::open(&site, "", "").await;
    for number in 1..=5 {
        recorder.turn(number, r#""done""#);
    }
    site.end();
    for number in 1..=5 {
        let turn = site.json(&format!("/api/turns/{number}")).await;
        assert_eq!(turn["line"]["reply"], "done");
    }
    timeout(Duration::from_secs(20), site.stop()).await.unwrap();
    page.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_kept_alive() {
    let (_recorder, site) = site().await;
    let mut page = Page::open(&site, "", "").await;
    // The paused clock advances whenever nothing else is running.
    for _ in 0..2 {
        // The ID of the last event stays valid.
        let before = page.until("data: {}\n\n").await;
        assert!(!before.contains("id: "), "{before}");
    }
    site.hub.change(notice("still there"));
    assert_eq!(page.event().await.1, noticed("still there"));
}
