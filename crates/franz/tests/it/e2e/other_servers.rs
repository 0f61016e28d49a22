//! Servers that imitate real ones. FRANZ shows and uses what they report about themselves, and asks the person for
//! anything that they do not report.

use serde_json::{Value, json};

use crate::e2e::settings::{SMALL, start};
use crate::harness::{Finished, Workplace, spawn};
use crate::routes::{Route, Routes};

const CHAT: &str = "/v1/chat/completions";

fn list(models: &Value) -> Route {
    ("/v1/models", 200, json!({ "data": models }).to_string())
}

fn said(path: &'static str, body: &Value) -> Route {
    (path, 200, body.to_string())
}

fn reply() -> Route {
    said(CHAT, &json!({ "choices": [{ "message": { "content": "I look." } }] }))
}

/// Returns the answers of a llama.cpp that has loaded a model without its projector, with a short context.
fn llama_cpp() -> Vec<Route> {
    let props = json!({
        "build_info": "b6789-0a1b2c3d",
        "total_slots": 4,
        "modalities": { "vision": false },
        "default_generation_settings": { "n_ctx": 2048 },
    });
    let metrics = "llamacpp:prompt_tokens_total 40\nllamacpp:prompt_tokens_cached_total 1017\n";
    vec![
        list(&json!([{ "id": "m.gguf" }])),
        said("/props", &props),
        ("/metrics", 200, metrics.to_owned()),
        reply(),
    ]
}

fn lm_studio() -> Vec<Route> {
    let models = json!({ "data": [{ "id": "m", "type": "llm", "state": "loaded", "loaded_context_length": 2048 }] });
    vec![list(&json!([{ "id": "m" }])), said("/api/v0/models", &models), reply()]
}

fn ollama(id: &str) -> Vec<Route> {
    let running = json!({ "models": [{ "name": id, "context_length": 2048 }] });
    vec![
        list(&json!([{ "id": id }])),
        said("/api/ps", &running),
        said("/api/show", &json!({ "capabilities": ["completion"] })),
        said("/api/version", &json!({ "version": "0.12.3" })),
        reply(),
    ]
}

fn vllm() -> Vec<Route> {
    let models = json!([{ "id": "m", "owned_by": "vllm", "max_model_len": 2048 }]);
    let metrics = "vllm:cache_config_info{enable_prefix_caching=\"False\",engine=\"0\"} 1.0\n";
    vec![
        list(&models),
        said("/version", &json!({ "version": "0.11.0" })),
        ("/metrics", 200, metrics.to_owned()),
        reply(),
    ]
}

fn doctor(place: &Workplace, server: &Routes, more: &[&str]) -> Finished {
    let arguments = ["doctor", "--upstream", &server.url, "--screen", "canvas"];
    spawn(place.program(&[&arguments[..], more].concat())).finish()
}

fn run(place: &Workplace, server: &Routes, more: &[&str]) -> Finished {
    let arguments = [
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &server.url,
        "--max-turns",
        "1",
        "--screen",
        "canvas",
    ];
    spawn(place.franz(&[&arguments, &SMALL[..], more].concat())).finish()
}

#[test]
fn doctor_and_run_name_the_server_and_what_it_lacks() {
    for (routes, about, eyes, longer) in [
        (
            llama_cpp(),
            "(llama.cpp b6789-0a1b2c3d, a context of 2048 tokens, no images, 4 requests at a time, a prompt cache)",
            Some("llama-server --mmproj FILE"),
            "llama-server --ctx-size 16384",
        ),
        (
            lm_studio(),
            "(LM Studio, a context of 2048 tokens, no images)",
            Some("of type vlm in LM Studio"),
            "Context Length 16384",
        ),
        (
            ollama("m:7b"),
            "(Ollama 0.12.3, a context of 2048 tokens, no images)",
            Some("ollama show NAME"),
            "OLLAMA_CONTEXT_LENGTH=16384",
        ),
        (
            vllm(),
            "(vLLM 0.11.0, a context of 2048 tokens, no prompt cache)",
            None,
            "vllm serve --max-model-len 16384",
        ),
    ] {
        let (place, server) = (Workplace::new(), Routes::serve(routes));
        let examined = doctor(&place, &server, &[]);
        assert_eq!(examined.code, Some(0), "{}", examined.stderr);
        assert_eq!(server.count("/v1/models"), 1, "one list is enough");
        let lines = |subject: &str| {
            let of_it = |line: &&str| line.split_whitespace().nth(1) == Some(subject);
            examined.stdout.lines().filter(of_it).collect::<Vec<_>>().join("|")
        };
        assert!(lines("model").contains(about), "{}", examined.stdout);
        assert!(lines("context").contains(longer), "{}", examined.stdout);
        assert!(lines("family").contains("no family fits"), "{}", examined.stdout);
        assert_eq!(lines("pictures").is_empty(), eyes.is_none(), "{}", examined.stdout);
        assert!(
            lines("pictures").contains(eyes.unwrap_or_default()),
            "{}",
            examined.stdout
        );

        let ran = run(&place, &server, &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let (before, _) = ran.stdout.split_once("\nturn").expect(&ran.stdout);
        assert!(before.contains(about), "{before}");
        assert!(before.contains(eyes.unwrap_or_default()), "{before}");
    }
}

#[test]
fn a_context_too_short_for_the_second_turn_is_told_before_the_first() {
    let props = json!({ "modalities": { "vision": true }, "default_generation_settings": { "n_ctx": 5000 } });
    let server = Routes::serve(vec![list(&json!([{ "id": "m" }])), said("/props", &props), reply()]);
    let place = Workplace::new();
    let ran = run(
        &place,
        &server,
        &["--profile", "companion", "--set", "model.max_tokens=2500"],
    );
    let (before, after) = ran.stdout.split_once("\nturn").expect(&ran.stdout);
    assert!(
        before.contains("a context of 5000 tokens is too short: the second turn might need ")
            && before.contains("--ctx-size 16384"),
        "{}",
        ran.stdout
    );
    assert!(!after.contains("is short"), "{after}");
}

#[test]
fn a_context_that_the_server_tells_only_of_a_loaded_model_is_asked_for_after_the_first_reply() {
    let mut routes = ollama("m:7b");
    routes.insert(1, said("/api/ps", &json!({ "models": [] })));
    let (place, server) = (Workplace::new(), Routes::serve(routes));
    let more = ["--max-turns", "3", "--set", "model.max_tokens=2000"];
    let ran = start(&place, &server.url, &more).finish();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(server.count("/v1/models"), 2, "it is asked once more");
    let (before, after) = ran.stdout.split_once("\nturn").expect(&ran.stdout);
    assert!(!before.contains("2048"), "{before}");
    let told = "the server's context of 2048 tokens is short";
    assert!(
        after.contains(told) && after.contains("OLLAMA_CONTEXT_LENGTH=16384"),
        "{after}"
    );
}

/// A server might still be starting when the run asks for its list. A model's name is enough to begin with.
#[test]
fn a_list_that_does_not_come_at_the_start_is_asked_for_after_the_first_reply() {
    let loading = ("/v1/models", 503, "Loading model".to_owned());
    let late = |routes: Vec<Route>| std::iter::once(loading.clone()).chain(routes).collect::<Vec<Route>>();
    let blind = "the server reports that 'm.gguf' does not accept images; ";
    for (routes, model, told) in [
        (late(vllm()), "m", "vllm serve --max-model-len 16384"),
        (late(llama_cpp()), "m.gguf", blind),
    ] {
        let (place, server) = (Workplace::new(), Routes::serve(routes));
        let more = ["--model", model, "--max-turns", "3", "--set", "model.max_tokens=2000"];
        let ran = start(&place, &server.url, &more).finish();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(server.count("/v1/models"), 2, "it is asked once more");
        let (before, after) = ran.stdout.split_once("\nturn").expect(&ran.stdout);
        assert!(!before.contains("2048"), "{before}");
        assert!(
            after.contains("the server's context of 2048 tokens is short"),
            "{after}"
        );
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
    }
}

#[test]
fn a_model_of_ollama_is_known_by_its_name_without_the_latest_tag() {
    let (place, server) = (Workplace::new(), Routes::serve(ollama("m:latest")));
    let named = ["--model", "m"];
    for finished in [doctor(&place, &server, &named), run(&place, &server, &named)] {
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let told = &finished.stdout;
        assert!(told.contains("Ollama 0.12.3, a context of 2048 tokens"), "{told}");
        assert!(!told.contains("does not list"), "{told}");
    }
}

#[test]
fn without_a_list_the_person_is_asked_for_the_models_name() {
    let nothing = list(&json!([]));
    let broken = ("/v1/models", 500, "out of order".to_owned());
    for (route, words) in [
        (
            nothing,
            "the model server lists no models; load one that accepts images, or name it with --model",
        ),
        (
            ("/v1/models", 404, String::new()),
            "does not list its models (404: no explanation); name the model with --model",
        ),
        (broken, "or name the model with --model"),
    ] {
        let is_busy = route.1 == 500;
        let (place, server) = (Workplace::new(), Routes::serve(vec![route, reply()]));
        if !is_busy {
            for command in [run(&place, &server, &[]), doctor(&place, &server, &[])] {
                assert_eq!(command.code, Some(3), "{}", command.stdout);
                let told = command.stdout + &command.stderr;
                assert!(told.contains(words), "{told}");
                assert!(!told.contains("has: \n") && !told.contains("()"), "{told}");
            }
            let arguments = ["calibrate", "--upstream", &server.url];
            let calibrated = spawn(place.program(&arguments)).finish();
            assert_eq!(calibrated.code, Some(3), "{}", calibrated.stdout);
            assert!(calibrated.stderr.contains(words), "{}", calibrated.stderr);
        }
        let examined = doctor(&place, &server, &["--model", "m"]);
        assert_eq!(examined.code, Some(0), "{}", examined.stdout);
        assert!(
            examined
                .stdout
                .contains("the server lists no models; if it does not know"),
            "{}",
            examined.stdout
        );
        assert_eq!(
            run(&place, &server, &["--model", "m"]).code,
            Some(0),
            "a named model needs no list"
        );
        let models = spawn(place.program(&["models", "--upstream", &server.url])).finish();
        let last = models.stdout.lines().last().unwrap_or_default();
        assert!(last.contains("--model") && !last.ends_with(':'), "{last}");
    }
}
