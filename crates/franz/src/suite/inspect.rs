//! Logs for Inspect's viewer, <https://inspect.aisi.org.uk/eval-logs.html>: one for each model, in which each attempt is
//! a sample.

use std::collections::BTreeSet;

use franz_suite::plan::AttemptPlan;
use franz_suite::{AttemptResult, RecordedOutcome, Suite, SuiteModel};
use serde_json::{Value, json};

/// The version of the log's format.
const VERSION: u32 = 2;

/// The name of the score, and of its scorer.
const SCORE: &str = "check";

/// The facts shared by all logs of a suite.
pub(crate) struct InspectLogs<'a> {
    pub(crate) plan: &'a AttemptPlan,
    pub(crate) suite: &'a Suite,
    pub(crate) results: &'a [AttemptResult],
    /// When the plan was made, RFC 3339.
    pub(crate) created: String,
}

/// Returns the log of a model. Tasks that were skipped are left out.
pub(crate) fn log(logs: &InspectLogs<'_>, model: &SuiteModel) -> Value {
    let InspectLogs {
        plan,
        suite,
        results,
        created,
    } = logs;
    let header = &plan.header;
    let of_model =
        |result: &&AttemptResult| result.attempt.model == model.name && result.outcome != RecordedOutcome::Skipped;
    let results: Vec<&AttemptResult> = results.iter().filter(of_model).collect();
    let tasks: BTreeSet<String> = results.iter().map(|result| sample_id(result, plan)).collect();
    let count = |outcome| results.iter().filter(|result| result.outcome == outcome).count();
    let solved = count(RecordedOutcome::Solved);
    let counted = solved + count(RecordedOutcome::Unsolved);
    let accuracy = solved as f64 / counted.max(1) as f64;
    let samples: Vec<Value> = results.iter().map(|result| sample(result, plan, suite)).collect();
    let is_complete = plan
        .attempts
        .iter()
        .filter(|attempt| attempt.model == model.name)
        .count()
        <= results.len();
    json!({
        "version": VERSION,
        "status": if is_complete { "success" } else { "cancelled" },
        "eval": {
            "created": created,
            "task": header.suite,
            "task_version": 0,
            "task_id": header.digest,
            "dataset": { "name": header.suite, "samples": tasks.len(), "sample_ids": tasks },
            "model": model.name,
            "config": { "epochs": plan.repeats() },
            "packages": { "franz": header.franz },
        },
        "results": {
            "total_samples": results.len(),
            "completed_samples": counted,
            "scores": [{
                "name": SCORE,
                "scorer": SCORE,
                "params": {},
                "metrics": { "accuracy": { "name": "accuracy", "value": accuracy, "params": {} } },
            }],
        },
        "stats": { "started_at": "", "completed_at": "", "model_usage": {} },
        "samples": samples,
    })
}

/// Returns the name of an attempt's sample. With several profiles, each is a separate sample.
fn sample_id(result: &AttemptResult, plan: &AttemptPlan) -> String {
    let planned = &result.attempt;
    if plan.header.profiles.len() > 1 {
        format!("{} ({})", planned.task, planned.profile)
    } else {
        planned.task.to_string()
    }
}

fn sample(result: &AttemptResult, plan: &AttemptPlan, suite: &Suite) -> Value {
    let planned = &result.attempt;
    let run = result.run.clone().unwrap_or_default();
    let goal = suite
        .task(&planned.task)
        .map(|task| task.goal.as_str())
        .unwrap_or_default();
    let answer = run.answer.clone().unwrap_or_default();
    let message = json!({ "role": "assistant", "source": "generate", "content": answer });
    let mut sample = json!({
        "id": sample_id(result, plan),
        "epoch": planned.repeat,
        "input": goal,
        "target": "",
        "messages": [{ "role": "user", "content": goal }, message],
        "output": {
            "model": planned.model,
            "choices": [{ "message": message, "stop_reason": "stop" }],
        },
        "model_usage": { planned.model.as_str(): {
            "input_tokens": run.prompt_tokens,
            "output_tokens": run.completion_tokens,
            "total_tokens": run.prompt_tokens + run.completion_tokens,
        } },
        "total_time": run.seconds,
        "metadata": {
            "attempt": planned.attempt,
            "seed": planned.seed,
            "turns": run.turns,
            "ended": run.ended,
            "held": run.held,
            "refused": run.refused,
            "malformed": run.malformed,
            "isolated": result.isolated,
        },
    });
    if result.outcome == RecordedOutcome::Fault {
        let error = json!({ "message": result.why, "traceback": "", "traceback_ansi": "" });
        sample["error"] = error;
    } else {
        let value = if result.outcome == RecordedOutcome::Solved {
            "C"
        } else {
            "I"
        };
        sample["scores"] = json!({ SCORE: {
            "value": value,
            "answer": answer,
            "explanation": result.why,
            "metadata": { "score": result.score },
        } });
    }
    sample
}
