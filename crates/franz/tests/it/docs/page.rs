//! Checks every fenced block of every document according to its kind.

use clap::CommandFactory;

use crate::cli::Cli;
use crate::docs::command;
use crate::docs::markdown::{Block, Document};
use crate::docs::{message, record, reply};
use crate::harness::{Workplace, spawn};

#[test]
fn every_block_in_the_documents_is_correct() {
    let documents = Document::all();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let pages: Vec<_> = documents.iter().map(|page| scope.spawn(|| faults(page))).collect();
        pages.into_iter().flat_map(|page| page.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_in_the_help_works() {
    let place = Workplace::new();
    let mut waiting = vec![Cli::command()];
    let mut examples = 0;
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter_map(|line| line.strip_prefix("  franz")) {
            // The description follows the example after two spaces.
            let example = format!("franz{}", line.split("  ").next().unwrap_or_default());
            assert_eq!(command::check(&place, &example), Ok(()), "{example}");
            examples += 1;
        }
    }
    assert!(examples > 60, "{examples}");
}

/// Returns the mistakes in a document's blocks, each with its location.
fn faults(document: &Document) -> Vec<String> {
    let place = Workplace::new();
    let blocks = document.blocks();
    let mut wrong = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if let Err(why) = check(&place, block, blocks.get(at + 1)) {
            wrong.push(format!("{}:{}: {why}", document.name, block.line));
        }
    }
    wrong
}

/// Checks a block. `next` is the block after it.
fn check(place: &Workplace, block: &Block<'_>, next: Option<&Block<'_>>) -> Result<(), String> {
    let body = &block.body;
    match block.info {
        "sh" => body.lines().try_for_each(|line| command::check(place, line)),
        "console" => {
            let mut commands = body.lines().filter_map(|line| line.strip_prefix("$ "));
            commands.try_for_each(|line| command::check(place, line))
        }
        "toml" => settings(place, body),
        "toml-suite" => suite(body),
        "json" => record::check_value(body),
        "jsonl" => record::check_lines(body),
        "message" => message::check(body),
        // Feedback is checked together with the reply before it. Other feedback is there only to be read.
        "feedback" | "text" | "ebnf" => Ok(()),
        info => match info.strip_prefix("reply-") {
            Some(protocol) => answered(protocol, body, next),
            None => Err(format!("\"{info}\" is no kind of block that is checked")),
        },
    }
}

/// Checks whether the program accepts the text as a profile.
fn settings(place: &Workplace, text: &str) -> Result<(), String> {
    std::fs::write(place.path("snippet.toml"), text).unwrap();
    let finished = spawn(place.program(&["scenarios", "--profile", "snippet.toml"])).finish();
    (finished.code == Some(0)).then_some(()).ok_or(finished.stderr)
}

/// Checks whether the text is a suite, apart from the files that it names.
fn suite(text: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let written: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let tasks = written.get("task").and_then(|tasks| tasks.as_array());
    for task in tasks.into_iter().flatten() {
        if let Some(files) = task.get("files").and_then(|files| files.as_str()) {
            std::fs::create_dir_all(folder.path().join(files)).unwrap();
        }
        let named = ["check", "check_live", "solve"]
            .iter()
            .filter_map(|key| task.get(key)?.as_str());
        for path in named {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
    }
    std::fs::write(folder.path().join(franz_suite::SUITE_FILE), text).unwrap();
    let read = franz_suite::Suite::load(folder.path(), &franz_suite::SuiteRules::NONE);
    read.map(drop).map_err(|error| error.to_string())
}

/// Checks whether the block after a reply shows the feedback that a model gets.
fn answered(protocol: &str, text: &str, next: Option<&Block<'_>>) -> Result<(), String> {
    let told = reply::feedback(protocol, text)?;
    let shown = next
        .filter(|next| next.info == "feedback")
        .map(|next| next.body.trim_end());
    match shown {
        Some(shown) if shown == told => Ok(()),
        _ => Err(format!("the feedback on this reply is\n{told}\n")),
    }
}

#[test]
fn a_block_of_an_unknown_kind_is_noticed() {
    let place = Workplace::new();
    let block = |info, body: &str| Block {
        line: 1,
        info,
        body: body.to_owned(),
    };
    for wrong in [
        block("", "franz"),
        block("bash", "franz --version"),
        block("sh", "franz --verison"),
        block("console", "$ franz --verison"),
        block("toml", "[image]\nwidht = 5"),
        block("toml-suite", "[[task]]\nnmae = \"a\""),
        block("json", "{"),
        block("reply-lines", "click(1, 2)"),
        block("reply-verse", "click(1, 2)"),
    ] {
        assert!(check(&place, &wrong, None).is_err(), "{wrong:?}");
    }
    let told = block("feedback", "EXECUTOR_FEEDBACK:\nexecuted=[\"left_click(1, 2)\"]");
    assert_eq!(check(&place, &block("reply-lines", "click(1, 2)"), Some(&told)), Ok(()));
}
