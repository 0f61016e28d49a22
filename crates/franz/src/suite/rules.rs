//! Checks a suite's settings, families and servers before any run does.

use std::collections::BTreeSet;

use anyhow::Result;
use franz_dialect::Family;
use franz_suite::{AttemptPlan, Suite, SuiteModel, SuiteRules, SuiteTask};

use crate::config::key::GOAL;
use crate::config::layer::{Layer, LayerError};
use crate::config::origin::Origin;
use crate::config::resolve::Sources;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::upstream;

/// The rules for the files of a suite.
pub(crate) const RULES: SuiteRules = SuiteRules {
    settings: |set| layer(set).map(drop).map_err(|error| error.to_string()),
    model,
};

/// Checks a model's server and family.
fn model(model: &SuiteModel) -> Result<(), String> {
    let families = Family::all();
    if let Some(family) = &model.family
        && families.iter().all(|known| known.name != *family)
    {
        let names: Vec<&str> = families.iter().map(|known| known.name.as_str()).collect();
        return Err(format!(
            "{family:?} is not a family that comes with FRANZ; name one of {}",
            names.join(", ")
        ));
    }
    let Some(upstream) = &model.upstream else { return Ok(()) };
    server(upstream)
}

/// Checks the address of a server. An error never shows a password in it.
pub(super) fn server(address: &str) -> Result<(), String> {
    upstream::check(address).map_err(|error| advised(&error.to_string(), None))?;
    // A word alone could be a host, but is more likely a mistake.
    if matches!(address, "auto" | "demo") || address.contains(':') {
        return Ok(());
    }
    Err(format!(
        "{address:?} is not the address of a server; write it like http://127.0.0.1:1234"
    ))
}

/// Rewords advice about the command line for a model's table in `suite.toml`.
pub(super) fn advised(text: &str, key_env: Option<&str>) -> String {
    text.replace("; start it, or run with --upstream demo", "; start it")
        .replace("FRANZ_API_KEY", key_env.unwrap_or("the variable that key_env names"))
        .replace("--upstream", "upstream")
        .replace("--model", "served_as")
}

/// Checks the models of a plan, and that their settings work together with those of the tasks.
pub(crate) fn check_plan(plan: &AttemptPlan, suite: &Suite) -> Result<()> {
    for model in &plan.header.models {
        let checked = (RULES.settings)(&model.set).and_then(|()| (RULES.model)(model));
        checked.map_err(|problem| Unusable::usage(format!("the model {}: {problem}", model.name)))?;
    }
    // Hundreds of tasks may have the same settings.
    let mut known = BTreeSet::new();
    for attempt in &plan.attempts {
        let model = plan.header.models.iter().find(|model| model.name == attempt.model);
        let (Some(task), Some(model)) = (suite.task(&attempt.task), model) else {
            continue;
        };
        let kind = (task.screen.as_str(), task.set.to_string());
        if !known.insert((kind, &model.name, &attempt.profile)) {
            continue;
        }
        settings(task, model, &attempt.profile).map_err(|problem| {
            Unusable::usage(format!(
                "the settings of the task {} and the model {} do not work with the profile {}: {problem}",
                task.name, model.name, attempt.profile
            ))
        })?;
    }
    Ok(())
}

/// Resolves the settings of a run, and checks that they do not contradict each other.
fn settings(task: &SuiteTask, model: &SuiteModel, profile: &str) -> Result<()> {
    let mut flags = layer(&task.set)?.over(layer(&model.set)?);
    flags.set("screen.kind", task.screen.as_str(), Origin::flag("--screen"))?;
    flags.set(GOAL, &task.goal, Origin::flag("goal"))?;
    let sources = Sources {
        profile,
        files: Vec::new(),
        environment: Vec::new(),
        flags,
        trusts: |_| false,
    };
    Ok(Settings::resolve(&sources.stack()?.judged().layer).check()?)
}

/// Returns a setting's value as `--set` takes it: a text without quotes.
pub(super) fn text_of(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn layer(set: &toml::Table) -> Result<Layer, LayerError> {
    let mut layer = Layer::default();
    for (key, value) in set {
        layer.set(key, &text_of(value), Origin::flag("set"))?;
    }
    Ok(layer)
}

#[cfg(test)]
mod tests {
    use franz_chat::RequestFailure;

    use super::*;

    fn told(text: &str) -> Result<(), String> {
        let model: SuiteModel = toml::from_str(&format!("name = \"m\"\n{text}")).unwrap();
        (RULES.settings)(&model.set).and_then(|()| (RULES.model)(&model))
    }

    #[test]
    fn what_no_run_would_accept_is_told_without_secrets() {
        for fine in [
            "upstream = \"demo\"",
            "upstream = \"http://127.0.0.1:8080\"\nfamily = \"qwen25vl\"",
            "upstream_file = \"a\"\nset = { \"model.temperature\" = 0.5, \"image.width\" = 1024 }",
        ] {
            let family = Family::all().remove(0).name;
            told(&fine.replace("qwen25vl", &family)).unwrap();
        }
        for (wrong, words) in [
            ("upstream = \"nonsense\"", "is not the address of a server"),
            ("upstream = \"http://user:hidden-word@host\"", "that key_env names"),
            (
                "upstream = \"demo\"\nfamily = \"no\"",
                "\"no\" is not a family that comes with FRANZ",
            ),
            (
                "set = { \"model.temperatur\" = 1 }",
                "did you mean 'model.temperature'?",
            ),
            ("set = { \"model.temperature\" = \"hot\" }", "model.temperature must be"),
        ] {
            let error = told(wrong).unwrap_err();
            assert!(
                error.contains(words) && !error.contains("hidden-word"),
                "{wrong}: {error}"
            );
        }
    }

    #[test]
    fn advice_names_what_a_suite_has() {
        let words = "HTTP 401: set FRANZ_API_KEY to a key that it accepts (--upstream, --model)";
        assert_eq!(
            advised(words, Some("OUR_KEY")),
            "HTTP 401: set OUR_KEY to a key that it accepts (upstream, served_as)"
        );
        let absent = RequestFailure::Unreachable {
            address: "http://h:1".to_owned(),
            why: "refused".to_owned(),
        };
        assert_eq!(
            advised(&absent.to_string(), None),
            "no model server answers at http://h:1 (refused); start it"
        );
    }
}
