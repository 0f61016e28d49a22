//! Tests of who is let in, with one test for each rule.

use crate::web::site::{Recorder, Site, TOKEN};

async fn site() -> (Recorder, Site) {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    (recorder, site)
}

#[tokio::test]
async fn a_foreign_host_is_refused() {
    let (_recorder, site) = site().await;
    let port = site.address.port();
    let other = if port == 9 { 10 } else { 9 };
    let cases = [
        (format!("127.0.0.1:{port}"), 200),
        ("127.0.0.1".to_owned(), 200),
        (format!("localhost:{port}"), 200),
        ("LOCALHOST".to_owned(), 200),
        (format!("[::1]:{port}"), 200),
        ("[::1]".to_owned(), 200),
        ("box.example".to_owned(), 200),
        (format!("BOX.example:{port}"), 200),
        ("proxy.example:99".to_owned(), 200),
        (format!("127.0.0.1:{other}"), 421),
        (format!("localhost:{other}"), 421),
        (format!("box.example:{other}"), 421),
        ("proxy.example".to_owned(), 421),
        ("evil.example".to_owned(), 421),
        (format!("evil.example:{port}"), 421),
        ("127.0.0.1.evil.example".to_owned(), 421),
        ("localhost.".to_owned(), 421),
        ("127.0.0.2".to_owned(), 421),
        ("::1".to_owned(), 421),
        ("0.0.0.0".to_owned(), 421),
        ("me@127.0.0.1".to_owned(), 421),
        (format!("127.0.0.1:{port}:{port}"), 421),
        (String::new(), 421),
    ];
    for (host, status) in cases {
        let reply = site.ask("GET", "/api/state", &[("Host", &host)], b"").await;
        assert_eq!(reply.status, status, "{host}");
        let healthz = site.stranger("GET", "/healthz", &[("Host", &host)], b"").await;
        assert_eq!(healthz.status, status, "{host}");
    }
}

#[tokio::test]
async fn a_request_has_one_host() {
    let (_recorder, site) = site().await;
    for hosts in [
        "",
        "Host: localhost\r\nHost: localhost\r\n",
        "Host: localhost\r\nHost: evil.example\r\n",
    ] {
        let request = format!("GET / HTTP/1.1\r\n{hosts}Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n");
        assert_eq!(site.raw(request.as_bytes()).await.status, 400, "{hosts}");
    }
}

#[tokio::test]
async fn a_foreign_origin_is_refused() {
    let (_recorder, site) = site().await;
    let address = site.address;
    let cases = [
        (format!("http://{address}"), 200),
        (format!("HTTP://{address}"), 403),
        (format!("https://{address}"), 403),
        (format!("http://localhost:{}", address.port()), 403),
        (format!("http://{address}.evil.example"), 403),
        ("http://evil.example".to_owned(), 403),
        ("null".to_owned(), 403),
        (String::new(), 403),
    ];
    for (origin, status) in cases {
        let reply = site.ask("GET", "/api/state", &[("Origin", &origin)], b"").await;
        assert_eq!(reply.status, status, "{origin}");
        let json = ("Content-Type", "application/json");
        let post = site
            .ask(
                "POST",
                "/api/control",
                &[("Origin", &origin), json],
                br#"{"do":"pause"}"#,
            )
            .await;
        assert_eq!(post.status, status, "{origin}");
    }
}

#[tokio::test]
async fn a_request_of_a_foreign_page_is_refused() {
    let (_recorder, site) = site().await;
    for (value, status) in [
        ("same-origin", 200),
        ("none", 200),
        ("same-site", 403),
        ("cross-site", 403),
        ("", 403),
        ("None", 403),
    ] {
        for path in ["/api/state", "/", "/healthz"] {
            let reply = site.ask("GET", path, &[("Sec-Fetch-Site", value)], b"").await;
            assert_eq!(reply.status, status, "{value} {path}");
        }
    }
}

#[tokio::test]
async fn a_link_may_be_followed_from_anywhere() {
    let (_recorder, site) = site().await;
    let link = format!("/?token={TOKEN}");
    let from = |site, mode, dest| {
        [
            ("Sec-Fetch-Site", site),
            ("Sec-Fetch-Mode", mode),
            ("Sec-Fetch-Dest", dest),
        ]
    };
    let followed = from("cross-site", "navigate", "document");
    let cases = [
        ("GET", &*link, followed, 200),
        ("GET", &*link, from("same-site", "navigate", "document"), 200),
        ("GET", &*link, from("cross-site", "navigate", "iframe"), 403),
        ("GET", &*link, from("cross-site", "no-cors", "document"), 403),
        ("GET", &*link, from("cross-site", "cors", "empty"), 403),
        ("POST", &*link, followed, 403),
        ("GET", "/", followed, 403),
        ("GET", "/?token=ffffffffffffffffffffffffffffffff", followed, 403),
        ("GET", &format!("/api/state?token={TOKEN}"), followed, 403),
    ];
    for (method, path, headers, status) in cases {
        let reply = site.stranger(method, path, &headers, b"").await;
        assert_eq!(reply.status, status, "{method} {path} {headers:?}");
    }
}

#[tokio::test]
async fn a_program_with_the_token_lets_a_browser_in_once() {
    let (_recorder, site) = site().await;
    let cookie = format!("franz_{}={TOKEN}", site.address.port());
    let bearer = format!("Bearer {TOKEN}");
    for (header, status) in [
        (("Accept", "*/*"), 401),
        (("Cookie", cookie.as_str()), 403),
        (("Authorization", bearer.as_str()), 200),
    ] {
        let json = ("Content-Type", "application/json");
        let answer = site
            .stranger("POST", "/api/code", &[header, json], br#"{"code":"0123"}"#)
            .await;
        assert_eq!(answer.status, status, "{header:?}");
        let admitted = site.stranger("GET", "/?code=0123", &[], b"").await.status;
        assert_eq!(admitted, if status == 200 { 200 } else { 401 }, "{header:?}");
    }
    assert_eq!(site.stranger("GET", "/?code=0123", &[], b"").await.status, 401);
}

#[tokio::test]
async fn nothing_meant_for_programs_reaches_a_run_through_the_panel() {
    let (recorder, run) = site().await;
    let panel = Site::standing(&recorder.directory()).await;
    let _open = panel.register(&run).await;
    assert_eq!(panel.get("/run/run/api/state").await.status, 200);
    let cookie = format!("franz_{}={TOKEN}", panel.address.port());
    let bearer = format!("Bearer {TOKEN}");
    let json = ("Content-Type", "application/json");
    for header in [("Cookie", &*cookie), ("Authorization", &*bearer)] {
        for path in [
            "/run/run/api/code",
            "/run/run/api/register",
            "/run/run/api/register/run",
        ] {
            let answer = panel
                .stranger("POST", path, &[header, json], br#"{"code":"0123"}"#)
                .await;
            assert_eq!(answer.status, 405, "{path} {header:?}");
            assert_eq!(panel.stranger("GET", path, &[header], b"").await.status, 404, "{path}");
        }
    }
    assert_eq!(run.stranger("GET", "/?code=0123", &[], b"").await.status, 401);
}

#[tokio::test]
async fn only_the_health_check_works_without_the_token() {
    let (_recorder, site) = site().await;
    let page = site.stranger("GET", "/", &[], b"").await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (401, "text/plain; charset=utf-8".into())
    );
    assert!(
        page.text().contains("terminal") && page.text().contains("franz open"),
        "{}",
        page.text()
    );
    let paths = [
        "/api/state",
        "/api/turns",
        "/api/turns/1",
        "/api/search?q=a",
        "/api/runs",
        "/api/settings",
        "/events",
        "/metrics",
        "/blob/00",
        "/export/history.html",
        "/export/turns.jsonl",
        "/assets/main.js",
        "/nowhere",
        "/healthz/",
        "/healthz?/..",
    ];
    for path in paths {
        let status = if path.starts_with("/healthz?") { 200 } else { 401 };
        assert_eq!(site.stranger("GET", path, &[], b"").await.status, status, "{path}");
    }
    let json = ("Content-Type", "application/json");
    assert_eq!(
        site.stranger("POST", "/api/control", &[json], br#"{"do":"pause"}"#)
            .await
            .status,
        401
    );
    assert!(site.puppet.asked.lock().unwrap().is_empty());
    let alive = site.stranger("GET", "/healthz", &[], b"").await;
    assert_eq!((alive.status, &*alive.text()), (200, "ok"));
}

#[tokio::test]
async fn a_code_lets_one_browser_in_once() {
    let (_recorder, site) = site().await;
    let port = site.address.port();
    site.codes.open("c0de".to_owned());
    for path in [
        "/?code=",
        "/?code=c0d",
        "/?code=C0DE",
        "/?token=c0de",
        "/api/state?code=c0de",
        "/assets/main.js?code=c0de",
    ] {
        assert_eq!(site.stranger("GET", path, &[], b"").await.status, 401, "{path}");
    }
    assert_eq!(
        site.stranger("HEAD", "/?code=c0de", &[], b"").await.status,
        401,
        "only who sees the page uses it up"
    );
    let page = site
        .stranger("GET", "/?code=c0de", &[("Sec-Fetch-Site", "none")], b"")
        .await;
    assert_eq!(page.status, 200);
    let cookie = page.header("set-cookie");
    assert!(
        cookie.starts_with(&format!("franz_{port}={TOKEN}; HttpOnly; SameSite=Strict")),
        "{cookie}"
    );
    assert!(!page.text().contains(TOKEN));
    let again = site.stranger("GET", "/?code=c0de", &[], b"").await;
    assert!(
        again.status == 401 && again.text().contains("works once"),
        "{}",
        again.text()
    );
    assert_eq!(again.header("set-cookie"), "");
    // A browser that has the cookie also uses up a code.
    site.codes.open("0ther".to_owned());
    let known = ("Cookie", &*format!("franz_{port}={TOKEN}"));
    assert_eq!(site.stranger("GET", "/?code=0ther", &[known], b"").await.status, 200);
    assert_eq!(site.stranger("GET", "/?code=0ther", &[], b"").await.status, 401);
}

#[tokio::test]
async fn a_code_does_not_admit_foreign_pages_or_hosts() {
    let (_recorder, site) = site().await;
    site.codes.open("c0de".to_owned());
    let cases = [
        (("Host", "evil.example"), 421),
        (("Origin", "http://evil.example"), 403),
        (("Sec-Fetch-Site", "cross-site"), 403),
    ];
    for (header, status) in cases {
        assert_eq!(
            site.stranger("GET", "/?code=c0de", &[header], b"").await.status,
            status,
            "{header:?}"
        );
    }
    assert_eq!(site.stranger("GET", "/?code=c0de", &[], b"").await.status, 200);
}

#[tokio::test]
async fn only_the_whole_token_is_the_token() {
    let (_recorder, site) = site().await;
    let port = site.address.port();
    let other = if port == 9 { 10 } else { 9 };
    let headers = [
        ("Authorization", format!("Bearer {}", &TOKEN[1..])),
        ("Authorization", format!("Bearer {TOKEN}0")),
        ("Authorization", format!("Bearer {}", TOKEN.to_uppercase())),
        ("Authorization", "Bearer ".to_owned()),
        ("Authorization", TOKEN.to_owned()),
        ("Authorization", format!("Basic {TOKEN}")),
        ("Cookie", format!("franz_{other}={TOKEN}")),
        ("Cookie", format!("franz={TOKEN}")),
        ("Cookie", format!("franz_{port}={}", &TOKEN[1..])),
        ("Cookie", format!("franz_{port}=")),
        ("Cookie", format!("xfranz_{port}={TOKEN}")),
    ];
    for (name, value) in headers {
        assert_eq!(
            site.stranger("GET", "/", &[(name, &value)], b"").await.status,
            401,
            "{name}: {value}"
        );
    }
    let shorter = &TOKEN[1..];
    for path in [
        &format!("/?token={shorter}"),
        "/?token=",
        "/?token",
        &format!("/?Token={TOKEN}"),
        &format!("/?token=%30{shorter}"),
        &format!("/api/state?token={TOKEN}"),
        &format!("/metrics?token={TOKEN}"),
    ] {
        assert_eq!(site.stranger("GET", path, &[], b"").await.status, 401, "{path}");
    }
}
