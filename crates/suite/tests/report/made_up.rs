//! Made-up results.

use franz_suite::report::{AttemptOutcome, RanVersion, ReportInput, ReportedAttempt, SuiteFacts};

/// Returns a complete plan of attempts. `solved` says, for each task, model and repeat by number, whether it is solved.
pub(crate) fn results(
    tasks: u64,
    models: &[&str],
    repeats: u64,
    solved: impl Fn(u64, u64, u64) -> bool,
) -> ReportInput {
    let mut attempts = Vec::new();
    for task in 0..tasks {
        for (model, name) in (0..).zip(models) {
            for repeat in 1..=repeats {
                attempts.push(attempt(task, name, repeat, solved(task, model, repeat)));
            }
        }
    }
    ReportInput {
        facts: SuiteFacts {
            suite: "basics".to_owned(),
            digest: "0123456789abcdef".repeat(4),
            isolated: true,
            runs: 1,
            jobs: Some(1),
            versions: vec![ran("franz", "0.1.0"), ran("Chromium", "151.0")],
            tasks: (0..tasks).map(task_name).collect(),
            models: models.iter().map(|&name| name.to_owned()).collect(),
            repeats,
            planned: attempts.len() as u64,
            damaged: 0,
        },
        attempts,
    }
}

pub(crate) fn ran(name: &str, version: &str) -> RanVersion {
    RanVersion {
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

pub(crate) fn infrastructure(why: &str) -> AttemptOutcome {
    AttemptOutcome::Infrastructure { why: why.to_owned() }
}

pub(crate) fn skipped(why: &str) -> AttemptOutcome {
    AttemptOutcome::Skipped { why: why.to_owned() }
}

pub(crate) fn task_fault(why: &str) -> AttemptOutcome {
    AttemptOutcome::TaskFault { why: why.to_owned() }
}

/// Returns results of a middling kind: models of different strength, tasks of different difficulty, each attempt by
/// chance that is the same in every test.
pub(crate) fn by_chance(tasks: u64, models: &[&str], repeats: u64) -> ReportInput {
    let count = models.len() as u64;
    results(tasks, models, repeats, move |task, model, repeat| {
        let easy = (task * 37 % tasks) * 100 / tasks;
        let strength = (count - model) * 60 / count;
        chance(task * 10_007 + model * 101 + repeat) < easy.midpoint(strength) + 15
    })
}

/// Returns a number from 0 to 99 that looks random.
fn chance(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits ^= bits >> 29;
    bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (bits >> 32) % 100
}

fn task_name(task: u64) -> String {
    const WORDS: [&str; 8] = [
        "invoice-total",
        "rename-photo",
        "drag-file",
        "scroll-to-end",
        "dialog",
        "umlaut",
        "shop",
        "wait",
    ];
    let word = WORDS[usize::try_from(task % 8).unwrap()];
    if task < 8 {
        word.to_owned()
    } else {
        format!("{word}-{}", task / 8 + 1)
    }
}

fn attempt(task: u64, model: &str, repeat: u64, solved: bool) -> ReportedAttempt {
    ReportedAttempt {
        task: task_name(task),
        model: model.to_owned(),
        repeat,
        outcome: if solved {
            AttemptOutcome::Solved
        } else {
            AttemptOutcome::Unsolved
        },
        turns: 8 + task % 5,
        prompt_tokens: 20_000 + task,
        completion_tokens: 900,
        seconds: 31.5,
        held: u64::from(task == 0),
        player: Some(format!("attempt_{task:04}_{model}_{repeat}/player.html")),
        ..ReportedAttempt::default()
    }
}
