//! Tests of which addresses can be requested, and with which methods.

use crate::web::site::{Recorder, Site, TOKEN};

async fn site() -> (Recorder, Site) {
    let recorder = Recorder::new();
    let site = Site::over(&recorder.directory()).await;
    (recorder, site)
}

#[tokio::test]
async fn other_methods_are_refused() {
    let (_recorder, site) = site().await;
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        for path in ["/", "/api/control", "/healthz"] {
            let reply = site.ask(method, path, &[], b"").await;
            assert_eq!(
                (reply.status, reply.header("allow")),
                (405, "GET, HEAD, POST".into()),
                "{method} {path}"
            );
        }
    }
    let tunnel = format!(
        "CONNECT evil.example:80 HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        site.address
    );
    assert_eq!(site.raw(tunnel.as_bytes()).await.status, 405);
}

#[tokio::test]
async fn resources_have_no_alternative_addresses() {
    let (_recorder, site) = site().await;
    let paths = [
        "/assets/../index.html",
        "/assets/%2e%2e/index.html",
        "/assets/..%2findex.html",
        "/assets/index.html",
        "//",
        "//api/state",
        "/api//state",
        "/api/state/",
        "/API/STATE",
        "/./api/state",
        "/api/../api/state",
        "/api/%73tate",
        "/api\\state",
        "/..\\..\\etc\\passwd",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/%00",
        "/api/state%00",
        "/assets/",
        "/assets",
        "/blob",
        "/blob/",
        "/blob//etc/passwd",
        "/api/turns/../state",
        "/export/",
        "/api/turns/1/2",
        "/index.html",
    ];
    for path in paths {
        let reply = site.get(path).await;
        assert!(matches!(reply.status, 400 | 404), "{path}: {}", reply.status);
        assert!(!reply.text().contains("passwd"), "{path}");
    }
}

#[tokio::test]
async fn odd_targets_are_refused() {
    let (_recorder, site) = site().await;
    let own = format!("http://{}/api/state", site.address);
    let targets: [(&[u8], u16); 7] = [
        (own.as_bytes(), 200),
        (b"http://evil.example/api/state", 400),
        (b"http://localhost/api/state", 400),
        (b"/api/\0state", 400),
        (b"/api/st\xffate", 404),
        (b"api/state", 400),
        (b"*", 400),
    ];
    for (target, status) in targets {
        let head = format!(
            " HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n",
            site.address
        );
        let reply = site.raw(&[b"GET ", target, head.as_bytes()].concat()).await;
        let accepted = reply.status == status || (status >= 400 && matches!(reply.status, 400 | 404));
        assert!(accepted, "{}: {}", String::from_utf8_lossy(target), reply.status);
    }
}
