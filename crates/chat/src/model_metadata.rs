//! Reads the reports of model servers about their models, each in its own format.

use crate::choice::Candidate;
use crate::plausible;
use crate::server_kind::ServerKind;
use franz_json::{Object, says};

/// The information that a server reports about one model; `None` for anything it does not report.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Hint {
    /// The model's name; `None` for a server that has only one model.
    pub(crate) id: Option<String>,
    pub(crate) sees: Option<bool>,
    pub(crate) loaded: Option<bool>,
    pub(crate) embeds: Option<bool>,
    /// The size of the model's context, in tokens.
    pub(crate) context: Option<u64>,
    /// The program that answers in this form.
    pub(crate) kind: Option<ServerKind>,
    /// The program's version.
    pub(crate) version: Option<String>,
    /// The number of requests that the program handles at a time.
    pub(crate) slots: Option<u64>,
}

impl Hint {
    /// Adds this information to the candidate if it is about the candidate's model.
    pub(crate) fn inform(&self, candidate: &mut Candidate, only_one: bool) {
        let about_it = match &self.id {
            Some(id) => *id == candidate.id,
            None => only_one,
        };
        if about_it {
            candidate.sees = self.sees.or(candidate.sees);
            candidate.loaded = self.loaded.or(candidate.loaded);
            candidate.embeds = self.embeds.unwrap_or(candidate.embeds);
            candidate.context = self.context.or(candidate.context);
            candidate.kind = self.kind.or(candidate.kind);
            candidate.slots = self.slots.or(candidate.slots);
            candidate.version = self.version.clone().or(candidate.version.take());
        }
    }
}

/// Reads the answer to `GET /v1/models`; returns `None` if the answer is not a list of models. vLLM and llama.cpp
/// include the context length.
pub(crate) fn listed(body: &str) -> Option<Vec<Candidate>> {
    let models = Object::read(body)?.objects("data")?;
    let candidate = |model: &Object<'_>| {
        let meta = model.object("meta").unwrap_or_default();
        Some(Candidate {
            context: context(model, "max_model_len").or_else(|| context(&meta, "n_ctx")),
            kind: model
                .text("owned_by")
                .filter(|owner| owner == "vllm")
                .map(|_| ServerKind::Vllm),
            ..Candidate::named(&model.text("id")?)
        })
    };
    Some(models.iter().filter_map(candidate).collect())
}

/// Reads LM Studio's `GET /api/v0/models`: a `type` (`vlm`, `llm`, `embeddings`) and a `state`.
pub(crate) fn lm_studio(body: &str) -> Vec<Hint> {
    let models = Object::read(body).and_then(|top| top.objects("data"));
    let hint = |model: &Object<'_>| {
        let kind = model.text("type");
        Some(Hint {
            id: Some(model.text("id")?),
            sees: kind.as_ref().map(|kind| kind == "vlm"),
            loaded: model.text("state").map(|state| state == "loaded"),
            embeds: kind.map(|kind| kind == "embeddings"),
            context: context(model, "loaded_context_length"),
            kind: Some(ServerKind::LmStudio),
            ..Hint::default()
        })
    };
    models.unwrap_or_default().iter().filter_map(hint).collect()
}

/// Reads Ollama's `GET /api/ps`: the models in memory. Returns `None` if the server is not Ollama.
pub(crate) fn ollama_loaded(body: &str) -> Option<Vec<Hint>> {
    let models = Object::read(body)?.objects("models")?;
    let hint = |model: &Object<'_>| Hint {
        id: model.text("name"),
        loaded: Some(true),
        context: context(model, "context_length"),
        kind: Some(ServerKind::Ollama),
        ..Hint::default()
    };
    Some(models.iter().map(hint).filter(|hint| hint.id.is_some()).collect())
}

/// Reads Ollama's `POST /api/show`: the capabilities of one model.
pub(crate) fn ollama_shown(id: &str, body: &str) -> Option<Hint> {
    let capabilities = Object::read(body)?.items("capabilities")?;
    let has = |name: &str| capabilities.iter().any(|item| says(Some(item), name));
    Some(Hint {
        id: Some(id.to_owned()),
        sees: Some(has("vision")),
        loaded: None,
        embeds: Some(has("embedding") && !has("completion")),
        kind: Some(ServerKind::Ollama),
        ..Hint::default()
    })
}

/// Reads llama.cpp's `GET /props`: the modalities of the one model it has loaded.
pub(crate) fn llama_cpp(body: &str) -> Option<Hint> {
    let top = Object::read(body)?;
    let vision = top.object("modalities")?.get("vision")?.get() == "true";
    let settings = top.object("default_generation_settings").unwrap_or_default();
    Some(Hint {
        id: None,
        sees: Some(vision),
        loaded: Some(true),
        embeds: None,
        context: context(&settings, "n_ctx"),
        kind: Some(ServerKind::LlamaCpp),
        version: top.text("build_info").and_then(plausible::version),
        slots: top.count("total_slots"),
    })
}

/// Reads the answer of Ollama or vLLM to a request for its version.
pub(crate) fn version(body: &str) -> Option<String> {
    Object::read(body)?.text("version").and_then(plausible::version)
}

/// Reads from the metrics of vLLM or llama.cpp whether there is a prompt cache. vLLM reports its setting; llama.cpp
/// counts the tokens that came from the cache, so its metrics show nothing until it has counted some.
pub(crate) fn cache(metrics: &str) -> Option<bool> {
    metrics.lines().find_map(|line| {
        if let Some(settings) = line.strip_prefix("vllm:cache_config_info{") {
            let (_, value) = settings.split_once("enable_prefix_caching=\"")?;
            return match value.split_once('"')?.0 {
                "True" => Some(true),
                "False" => Some(false),
                _ => None,
            };
        }
        let count = line.strip_prefix("llamacpp:prompt_tokens_cached_total ")?;
        (count.trim().parse::<f64>().ok()? > 0.0).then_some(true)
    })
}

/// Returns a context length if it is plausible.
fn context(object: &Object<'_>, name: &str) -> Option<u64> {
    object.count(name).and_then(plausible::context)
}

#[cfg(test)]
mod tests {
    use super::{Hint, cache, listed, llama_cpp, lm_studio, ollama_loaded, ollama_shown};
    use crate::choice::Candidate;
    use crate::server_kind::ServerKind;

    fn hint(id: &str, sees: Option<bool>, loaded: Option<bool>, embeds: Option<bool>) -> Hint {
        Hint {
            id: Some(id.to_owned()),
            sees,
            loaded,
            embeds,
            ..Hint::default()
        }
    }

    fn of(kind: ServerKind, hint: Hint) -> Hint {
        Hint {
            kind: Some(kind),
            ..hint
        }
    }

    #[test]
    fn a_model_list_is_read_despite_malformed_entries() {
        let body = r#"{"object":"list","data":[{"id":"a"},{"id":7},null,{"id":"b\ud800"}]}"#;
        let wanted = ["a", "b\u{fffd}"].map(Candidate::named);
        assert_eq!(listed(body).unwrap(), wanted);
        assert_eq!(listed(r#"{"data":[]}"#), Some(vec![]));
        for body in ["", "[]", "{}", r#"{"data":{}}"#, r#"{"error":"no"}"#] {
            assert_eq!(listed(body), None, "{body}");
        }
    }

    #[test]
    fn servers_report_the_length_of_the_context() {
        let listed = |model: &str| listed(&format!(r#"{{"data":[{{"id":"m",{model}}}]}}"#)).unwrap()[0].context;
        assert_eq!(listed(r#""max_model_len":8192"#), Some(8192), "vLLM");
        assert_eq!(
            listed(r#""meta":{"n_ctx":4096,"n_ctx_train":32768}"#),
            Some(4096),
            "llama.cpp"
        );
        assert_eq!(listed(r#""meta":null,"max_model_len":"long""#), None);
        let props = r#"{"default_generation_settings":{"n_ctx":2048},"modalities":{"vision":true}}"#;
        assert_eq!(llama_cpp(props).unwrap().context, Some(2048));
        let loaded = r#"{"data":[{"id":"m","loaded_context_length":4096,"max_context_length":131072}]}"#;
        assert_eq!(lm_studio(loaded)[0].context, Some(4096));
        let running = r#"{"models":[{"name":"m","context_length":4096}]}"#;
        assert_eq!(ollama_loaded(running).unwrap()[0].context, Some(4096));
    }

    #[test]
    fn what_cannot_be_true_is_ignored() {
        for said in ["0", "255", "1000000001", "-1", "1e30", "\"4096\""] {
            let of = |name: &str| format!(r#"{{"{name}":{said}}}"#);
            let vllm = format!(
                r#"{{"data":[{{"id":"m","max_model_len":{said},"meta":{}}}]}}"#,
                of("n_ctx")
            );
            assert_eq!(listed(&vllm).unwrap()[0].context, None, "{vllm}");
            let lm = format!(r#"{{"data":[{{"id":"m","loaded_context_length":{said}}}]}}"#);
            assert_eq!(lm_studio(&lm)[0].context, None, "{lm}");
            let running = format!(r#"{{"models":[{{"name":"m","context_length":{said}}}]}}"#);
            assert_eq!(ollama_loaded(&running).unwrap()[0].context, None, "{running}");
            let props = of("n_ctx");
            let props = format!(
                r#"{{"default_generation_settings":{props},"modalities":{{"vision":true}},"build_info":"b1 \u001b[2J"}}"#
            );
            let hint = llama_cpp(&props).unwrap();
            assert_eq!((hint.context, hint.version), (None, None), "{props}");
        }
    }

    #[test]
    fn metrics_tell_of_a_prompt_cache() {
        let vllm = |value: &str| {
            format!(
                "# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{{block_size=\"16\",enable_prefix_caching=\"{value}\",engine=\"0\"}} 1.0\n"
            )
        };
        let llama_cpp = |count: &str| {
            format!(
                "# HELP llamacpp:prompt_tokens_cached_total Number of prompt tokens reused from the cache\nllamacpp:prompt_tokens_cached_total {count}\n"
            )
        };
        for (metrics, wanted) in [
            (vllm("True"), Some(true)),
            (vllm("False"), Some(false)),
            (vllm("None"), None),
            (llama_cpp("1017"), Some(true)),
            (llama_cpp("0"), None),
            (llama_cpp("many"), None),
            ("vllm:cache_config_info{} 1.0".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(cache(&metrics), wanted, "{metrics}");
        }
    }

    #[test]
    fn lm_studio_reports_type_and_state() {
        let body = r#"{"data":[{"id":"v","type":"vlm","state":"loaded"},{"id":"e","type":"embeddings","state":"not-loaded"},{"id":"x"},{}]}"#;
        let (yes, no) = (Some(true), Some(false));
        let expected = [
            hint("v", yes, yes, no),
            hint("e", no, no, yes),
            hint("x", None, None, None),
        ]
        .map(|hint| of(ServerKind::LmStudio, hint));
        assert_eq!(lm_studio(body), expected);
        assert_eq!(lm_studio(r#"{"error":"Unexpected endpoint"}"#), []);
    }

    #[test]
    fn ollama_reports_capabilities_and_running_models() {
        let loaded = ollama_loaded(r#"{"models":[{"name":"llava:7b"},{}]}"#).unwrap();
        let ollama = |hint| of(ServerKind::Ollama, hint);
        assert_eq!(loaded, [ollama(hint("llava:7b", None, Some(true), None))]);
        assert_eq!(ollama_loaded("404 page not found"), None);
        let sees = ollama_shown("m", r#"{"capabilities":["completion","vision"]}"#).unwrap();
        assert_eq!(sees, ollama(hint("m", Some(true), None, Some(false))));
        let embeds = ollama_shown("m", r#"{"capabilities":["embedding"]}"#).unwrap();
        assert_eq!(embeds, ollama(hint("m", Some(false), None, Some(true))));
        assert_eq!(ollama_shown("m", r#"{"details":{}}"#), None);
    }

    #[test]
    fn llama_cpp_hints_apply_only_to_a_single_model() {
        let hint = llama_cpp(r#"{"modalities":{"vision":true,"audio":false}}"#).unwrap();
        let mut candidate = Candidate::named("m");
        hint.inform(&mut candidate, false);
        assert_eq!(candidate, Candidate::named("m"));
        hint.inform(&mut candidate, true);
        assert_eq!((candidate.sees, candidate.loaded), (Some(true), Some(true)));
        assert_eq!(llama_cpp(r#"{"modalities":{}}"#), None);
    }
}
