//! Tests the chat templates in llama.cpp's source. Most of them are for models that cannot even see. Whatever a
//! template does to a conversation, `draw` and `operator` get through their turns.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

use franz_action::Outcome;
use franz_record::Status;

use crate::harness::{Workplace, spawn};
use crate::real_server::parrot::{Parrot, Said, installed};

/// The templates that the suite tries. Each stands for one way in which templates differ from most others.
const SOME: [&str; 4] = [
    "CohereForAI-c4ai-command-r-plus-tool_use",
    "Mistral-Small-3.2-24B-Instruct-2506",
    "Qwen3.5-4B",
    "google-gemma-2-2b-it",
];

/// The environment variable in which `cargo xtask model-server --all-templates` names the file for the table of all
/// templates.
const TABLE: &str = "TEMPLATES_TABLE";

const TURNS: usize = 3;
const MARKS: [&str; 2] = ["I draw a line.", "I draw another line."];
const PYTHON: &str = "```python\ndrag(100, 100, 700, 700)\n```";
const LINES: [[&str; 2]; 2] = [["[100, 100]", "[700, 700]"], ["[100, 700]", "[700, 100]"]];
const ARGUMENTS: &str = r#"{"from": $from, "to": $to}"#;

/// A profile's result: the settings that it adopted after refusals by the server, or the reason why it failed.
type Fared = Result<String, String>;

/// The forms in which models write words and then a call, as far as the server's parser requires it. The first form
/// that the server can read stands for a model that was trained with the template.
const FORMS: [Form; 17] = [
    // Hermes, without and with a thought that the template has opened.
    Form {
        words: "$words",
        call: "$words\n\
            <tool_call>\n{\"name\": \"drag\", \"arguments\": $arguments}\n</tool_call>",
    },
    Form {
        words: "Look.\n</think>\n\n$words",
        call: "Look.\n</think>\n\n$words\n\
            <tool_call>\n{\"name\": \"drag\", \"arguments\": $arguments}\n</tool_call>",
    },
    // Qwen's XML, with and without such a thought.
    Form {
        words: "Look.\n</think>\n\n$words",
        call: "Look.\n</think>\n\n$words\n\
            <tool_call>\n<function=drag>\n\
            <parameter=from>\n$from\n</parameter>\n\
            <parameter=to>\n$to\n</parameter>\n\
            </function>\n</tool_call>",
    },
    Form {
        words: "$words",
        call: "$words\n\
            <tool_call>\n<function=drag>\n\
            <parameter=from>\n$from\n</parameter>\n\
            <parameter=to>\n$to\n</parameter>\n\
            </function>\n</tool_call>",
    },
    // GLM 4.5's XML.
    Form {
        words: "$words",
        call: "$words\n\
            <tool_call>drag\n\
            <arg_key>from</arg_key>\n<arg_value>$from</arg_value>\n\
            <arg_key>to</arg_key>\n<arg_value>$to</arg_value>\n\
            </tool_call>",
    },
    // Laguna XS, GLM 4.7 and Spark, Laguna S: as strict about line breaks as their templates.
    Form {
        words: "Look.</think>$words",
        call: "Look.</think>$words\n\
            <tool_call>drag\n\
            <arg_key>from</arg_key>\n<arg_value>$from</arg_value>\n\
            <arg_key>to</arg_key>\n<arg_value>$to</arg_value>\n\
            </tool_call>",
    },
    Form {
        words: "Look.</think>$words",
        call: "Look.</think>$words\
            <tool_call>drag\
            <arg_key>from</arg_key><arg_value>$from</arg_value>\
            <arg_key>to</arg_key><arg_value>$to</arg_value>\
            </tool_call>",
    },
    Form {
        words: "Look.</think>$words",
        call: "Look.</think>$words\n\
            <tool_call>drag\n\
            <arg_key>from</arg_key><arg_value>$from</arg_value>\n\
            <arg_key>to</arg_key><arg_value>$to</arg_value>\n\
            </tool_call>",
    },
    // Llama.
    Form {
        words: "$words",
        call: "{\"name\": \"drag\", \"parameters\": $arguments}",
    },
    // Functionary's channels.
    Form {
        words: "all\n$words",
        call: "drag\n$arguments",
    },
    // Cohere's Command, and its mixture of experts.
    Form {
        words: "<|START_RESPONSE|>$words<|END_RESPONSE|>",
        call: "<|START_ACTION|>[\
            {\"tool_call_id\": \"0\", \"tool_name\": \"drag\", \"parameters\": $arguments}\
            ]<|END_ACTION|>",
    },
    Form {
        words: "Look.<|END_THINKING|><|START_TEXT|>$words<|END_TEXT|>",
        call: "Look.<|END_THINKING|><|START_ACTION|>[\
            {\"tool_call_id\": \"0\", \"tool_name\": \"drag\", \"parameters\": $arguments}\
            ]<|END_ACTION|>",
    },
    // gpt-oss.
    Form {
        words: "<|channel|>final<|message|>$words",
        call: "<|channel|>commentary to=functions.drag <|constrain|>json<|message|>$arguments",
    },
    // Recipients with JSON, and with Glimmer's markup.
    Form {
        words: " to=user<|message|>$words",
        call: " to=drag<|message|>$arguments",
    },
    Form {
        words: " to=user<|message|>$words",
        call: " to=user<|message|>$words<|eom|><|start|>assistant to=drag<|message|>\
            <atem:function_calls>\n<atem:invoke name=\"drag\">\n\
            <atem:parameter name=\"from\">$from</atem:parameter>\n\
            <atem:parameter name=\"to\">$to</atem:parameter>\n\
            </atem:invoke>\n</atem:function_calls>",
    },
    // Apriel.
    Form {
        words: "Look.\n[BEGIN FINAL RESPONSE]\n$words",
        call: "Look.\n[BEGIN FINAL RESPONSE]\n$words\n\
            <tool_calls>[{\"name\": \"drag\", \"arguments\": $arguments}]</tool_calls>",
    },
    // Kimi K3.
    Form {
        words: "Look.<|close|>think<|sep|><|open|>response<|sep|>$words<|close|>response<|sep|><|close|>message<|sep|>",
        call: "Look.<|close|>think<|sep|><|open|>response<|sep|>$words<|close|>response<|sep|>\
            <|open|>tools<|sep|><|open|>call tool=\"drag\" index=\"1\"<|sep|>\
            <|open|>argument key=\"from\" type=\"array\"<|sep|>$from<|close|>argument<|sep|>\
            <|open|>argument key=\"to\" type=\"array\"<|sep|>$to<|close|>argument<|sep|>\
            <|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
    },
];

struct Form {
    words: &'static str,
    call: &'static str,
}

impl Form {
    /// Returns the first or the second reply.
    fn said(&self, profile: &str, number: usize) -> Said {
        let (mark, [from, to]) = (MARKS[number].to_owned(), LINES[number]);
        let text = match profile {
            "draw" => self.words.replace("$words", &format!("{mark}\n{PYTHON}")),
            _ => self
                .call
                .replace("$words", &mark)
                .replace("$arguments", ARGUMENTS)
                .replace("$from", from)
                .replace("$to", to),
        };
        Said { text, mark }
    }
}

/// Runs a profile with a chat template.
fn run(template: &str, profile: &str) -> Fared {
    let mut first = None;
    for form in &FORMS {
        match run_as(template, profile, form) {
            Err(why) => _ = first.get_or_insert(why),
            fared => return fared,
        }
    }
    Err(first.unwrap_or_default())
}

/// Runs a profile with a chat template and a model that writes in this form.
fn run_as(template: &str, profile: &str, form: &Form) -> Fared {
    // The model gives the second reply once the conversation contains the first, and then keeps repeating it.
    let parrot = Parrot::with_template(template, "local", &[0, 1].map(|number| form.said(profile, number)));
    let place = Workplace::new();
    let turns = TURNS.to_string();
    let mut arguments = vec![
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &parrot.url,
        "--profile",
        profile,
    ];
    arguments.extend(["--screen", "canvas", "--max-turns", &turns]);
    for setting in [
        "loop.executing_delay_s=0",
        "image.width=224",
        "image.height=224",
        "model.attempts=1",
    ] {
        arguments.extend(["--set", setting]);
    }
    arguments.push("Draw lines");
    let finished = spawn(place.franz(&arguments)).finish();
    let told = format!("{}{}", finished.stdout, finished.stderr);
    let failed = || {
        told.lines()
            .find(|line| line.contains("failed"))
            .unwrap_or(&told)
            .to_owned()
    };
    if finished.code != Some(0) {
        return Err(failed());
    }
    let lines = place.turns();
    if lines.len() != TURNS || lines.iter().any(|line| line.status != Status::Ok) {
        return Err(failed());
    }
    let drawn = |acted: &franz_record::Acted| matches!(acted.outcome, Outcome::Done(_));
    if let Some(line) = lines[1..].iter().find(|line| !line.acted.iter().any(drawn)) {
        return Err(format!("nothing was drawn: {}", line.feedback.replace('\n', " ")));
    }
    let trying = told
        .lines()
        .filter_map(|line| line.split_once("trying "))
        .map(|(_, setting)| setting.to_owned());
    Ok(trying.collect::<Vec<_>>().join(", "))
}

/// Tries these templates, several at a time. Returns how each fared in `draw` and in `operator`.
fn tried(names: Vec<String>) -> BTreeMap<String, [Fared; 2]> {
    let (waiting, fared) = (Mutex::new(names), Mutex::new(BTreeMap::new()));
    let at_once = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let Some(name) = waiting.lock().unwrap().pop() else {
                        break;
                    };
                    let file = folder().join(format!("{name}.jinja"));
                    let template = std::fs::read_to_string(&file)
                        .unwrap_or_else(|error| panic!("{}: {error}: cargo xtask model-server", file.display()));
                    let both = ["draw", "operator"].map(|profile| run(&template, profile));
                    fared.lock().unwrap().insert(name, both);
                }
            });
        }
    });
    fared.into_inner().unwrap()
}

fn folder() -> PathBuf {
    installed().join("templates")
}

fn cell(fared: &Fared) -> String {
    match fared {
        Ok(helped) if helped.is_empty() => "as it is".to_owned(),
        Ok(helped) => format!("with `{helped}`"),
        Err(why) => format!("**no**: {why}"),
    }
}

#[test]
fn every_turn_gets_through_the_chat_templates_of_llama_cpp() {
    let table = std::env::var_os(TABLE);
    let names = if table.is_some() {
        let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
        files
            .map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect()
    } else {
        SOME.map(str::to_owned).to_vec()
    };
    let fared = tried(names);
    let mut rows = String::new();
    for (name, [draw, operator]) in &fared {
        writeln!(rows, "| {name} | {} | {} |", cell(draw), cell(operator)).unwrap();
    }
    if let Some(table) = table {
        std::fs::write(table, &rows).unwrap();
    }
    assert!(!rows.contains("**no**"), "{rows}");
}
