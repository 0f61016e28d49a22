//! Tests lists of models, the choice of a model, and discovery.

use franz_chat::choice::Reason;
use franz_chat::models::ListError;
use franz_chat::{Bytes, Client, ClientSettings, Endpoint, choose, discover};

use crate::asking::granted;
use crate::server::{Act, PATIENCE, Server, answer, bytes, good, nowhere};

fn client(address: &str) -> Client {
    Client::new(address.parse().unwrap(), ClientSettings::default()).unwrap()
}

fn port(address: &str) -> u16 {
    address.parse::<Endpoint>().unwrap().port()
}

fn ok(body: &str) -> Vec<u8> {
    bytes("200 OK", "", body)
}

fn list(names: &[&str]) -> Vec<u8> {
    let models: Vec<_> = names.iter().map(|name| format!(r#"{{"id":"{name}"}}"#)).collect();
    ok(&format!(r#"{{"object":"list","data":[{}]}}"#, models.join(",")))
}

/// Returns the name and the reason of the choice among the models of a server with these routes.
async fn chosen(routes: Vec<(&'static str, Vec<u8>)>) -> Option<(String, Reason)> {
    let server = Server::start(vec![Act::Route(routes)]).await;
    let candidates = client(&server.address).candidates().await.unwrap();
    let choice = choose(&candidates).ok()?;
    Some((candidates[choice.index].id.clone(), choice.reason))
}

#[tokio::test]
async fn the_loaded_vision_model_of_lm_studio_is_chosen() {
    let details = r#"{"data":[{"id":"a","type":"vlm","state":"not-loaded"},{"id":"b","type":"llm","state":"loaded"},
        {"id":"c","type":"vlm","state":"loaded"}]}"#;
    let routes = vec![("/v1/models", list(&["a", "b", "c"])), ("/api/v0/models", ok(details))];
    assert_eq!(chosen(routes).await, Some(("c".to_owned(), Reason::LoadedAndSees)));
}

#[tokio::test]
async fn ollama_is_asked_about_each() {
    let routes = vec![
        ("/v1/models", list(&["a:1", "b:2"])),
        ("/api/ps", ok(r#"{"models":[{"name":"b:2"}]}"#)),
        ("/api/show", ok(r#"{"capabilities":["completion","vision"]}"#)),
    ];
    assert_eq!(chosen(routes).await, Some(("b:2".to_owned(), Reason::LoadedAndSees)));
}

#[tokio::test]
async fn the_only_model_of_llama_cpp_is_chosen() {
    let routes = vec![
        ("/v1/models", list(&["m.gguf"])),
        ("/props", ok(r#"{"modalities":{"vision":true}}"#)),
    ];
    assert_eq!(chosen(routes).await, Some(("m.gguf".to_owned(), Reason::LoadedAndSees)));
}

#[tokio::test]
async fn without_hints_the_choice_relies_on_model_names() {
    let routes = vec![("/v1/models", list(&["text-embedding-x", "m"]))];
    assert_eq!(chosen(routes).await, Some(("m".to_owned(), Reason::OnlyOne)));
    assert_eq!(chosen(vec![("/v1/models", list(&["m", "n"]))]).await, None);
}

#[tokio::test]
async fn a_list_outlives_requests_that_the_server_never_answers() {
    let patience = std::time::Duration::from_secs(2);
    let server = Server::start(vec![Act::Send(list(&["m"])), Act::Hang(Vec::new())]).await;
    let candidates = client(&server.address).candidates_within(patience).await.unwrap();
    assert_eq!(candidates.len(), 1);
    let server = Server::start(vec![Act::Hang(Vec::new())]).await;
    let error = client(&server.address).candidates_within(patience).await.unwrap_err();
    assert!(
        matches!(error, ListError::Silent { after, .. } if after == patience),
        "{error}"
    );
}

#[tokio::test]
async fn a_missing_model_list_is_reported() {
    let server = Server::start(vec![answer("200 OK", "", "<html>")]).await;
    let error = client(&server.address).models().await.unwrap_err();
    assert!(matches!(&error, ListError::NotAList { .. }), "{error}");
    assert!(error.is_of_the_list_alone(), "{error}");
    for (status, alone) in [
        ("404 Not Found", true),
        ("405 Method Not Allowed", true),
        ("501 Not Implemented", true),
        ("401 Unauthorized", false),
        ("503 Service Unavailable", false),
    ] {
        let server = Server::start(vec![answer(status, "", "{}")]).await;
        let error = client(&server.address).models().await.unwrap_err();
        assert_eq!(error.is_of_the_list_alone(), alone, "{error}");
    }
    let error = client(&nowhere().await).candidates().await.unwrap_err();
    assert!(error.to_string().starts_with("no model server answers at"), "{error}");
    assert!(!error.is_of_the_list_alone(), "{error}");
}

#[tokio::test]
async fn a_list_that_fails_asks_for_the_models_name() {
    let key = "{\"data\":[{\"id\":\"sk-0123456789abcdef\"}]}";
    for (status, body, names) in [
        ("200 OK", "<html>", true),
        ("200 OK", "[]", true),
        ("200 OK", key, true),
        ("404 Not Found", "{}", true),
        ("405 Method Not Allowed", "", true),
        ("500 Internal Server Error", "out of order", true),
        ("501 Not Implemented", "", true),
        ("401 Unauthorized", "", false),
        ("503 Service Unavailable", "Loading model", false),
    ] {
        let server = Server::start(vec![answer(status, "", body)]).await;
        let settings = ClientSettings {
            grant: granted(&server.address, "sk-0123456789abcdef"),
            ..ClientSettings::default()
        };
        let client = Client::new(server.address.parse().unwrap(), settings).unwrap();
        let told = client.models().await.unwrap_err().to_string();
        assert_eq!(told.contains("name the model with --model"), names, "{told}");
        assert!(!told.contains('\n') && !told.contains(": )"), "{told}");
    }
}

#[tokio::test]
async fn a_missing_path_is_named_with_the_servers_own_address() {
    for (behind, base) in [
        (None, None),
        (Some("https://h/api/v1".parse().unwrap()), Some("https://h/api/v1")),
    ] {
        let server = Server::start(vec![answer("404 Not Found", "", "{}"); 2]).await;
        let settings = ClientSettings {
            behind,
            ..ClientSettings::default()
        };
        let client = Client::new(server.address.parse().unwrap(), settings).unwrap();
        let base = base.map_or_else(|| format!("{}/v1", server.address), str::to_owned);
        let listed = client.models().await.unwrap_err().to_string();
        assert!(listed.contains(&format!("FRANZ asked {base}/models: ")), "{listed}");
        let asked = client.ask(Bytes::new(), &[]).await.unwrap_err().to_string();
        let url = format!("FRANZ asked {base}/chat/completions: if the API is elsewhere, name the whole URL");
        assert!(asked.contains(&url), "{asked}");
    }
}

#[tokio::test]
async fn a_list_is_asked_for_with_the_key() {
    let server = Server::start(vec![Act::Send(list(&["m"]))]).await;
    let settings = ClientSettings {
        grant: granted(&server.address, "sk-1"),
        ..ClientSettings::default()
    };
    let client = Client::new(server.address.parse().unwrap(), settings).unwrap();
    assert_eq!(client.models().await.unwrap(), ["m"]);
    assert!(server.requests()[0].contains("Bearer sk-1"));
}

#[tokio::test]
async fn the_best_port_wins_not_the_fastest() {
    let relay = Server::start(vec![answer("421 Misdirected Request", "", "")]).await;
    let page = Server::start(vec![good("\"x\"")]).await;
    let hanging = Server::start(vec![Act::Hang(Vec::new())]).await;
    let locked = Server::start(vec![answer("401 Unauthorized", "", "")]).await;
    let open = Server::start(vec![Act::Send(list(&[]))]).await;
    let nowhere = nowhere().await;
    let addresses = [
        &nowhere,
        &relay.address,
        &page.address,
        &hanging.address,
        &locked.address,
        &open.address,
    ];
    let ports = addresses.map(|address| port(address));

    // Any program might require a key, so a list of models takes precedence, whichever port it is on.
    let mut turned = ports;
    turned.reverse();
    for (ports, best) in [(&ports[..], &open), (&turned[..], &open), (&ports[..5], &locked)] {
        let found = discover(ports).await.unwrap().expect("a server");
        assert_eq!(found.endpoint.to_string(), best.address);
        assert_eq!(found.locked, best.address == locked.address);
    }
    assert_eq!(discover(&ports[..3]).await.unwrap(), None);
    assert_eq!(discover(&[]).await.unwrap(), None);

    let request = open.requests()[0].to_lowercase();
    assert!(
        request.starts_with("get /v1/models ") && request.contains("x-franz-probe: 1"),
        "{request}"
    );
    assert!(!request.contains("authorization"));
}

#[tokio::test]
async fn a_certain_answer_is_not_held_up_by_a_worse_port() {
    let mut hanging = Server::start(vec![Act::Hang(Vec::new())]).await;
    let open = Server::start(vec![Act::Send(list(&[]))]).await;
    let found = discover(&[port(&open.address), port(&hanging.address)]).await.unwrap();
    assert_eq!(found.expect("a server").endpoint.to_string(), open.address);
    if !hanging.requests().is_empty() {
        tokio::time::timeout(PATIENCE, hanging.abandoned())
            .await
            .expect("the probe is dropped");
    }
}
