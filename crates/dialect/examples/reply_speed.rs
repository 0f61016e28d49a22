//! Measures reading replies of 4 kB with all dialects on: `cargo run --release --example reply_speed -p franz-dialect`.
//!
//! With a name behind it, reads that reply a hundred times and measures nothing: for a profiler.

use std::hint::black_box;
use std::time::Instant;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{DialectReader, Family, OwnForm, ReplyText, ToolsProtocol};

const ROUNDS: usize = 2_000;
const BYTES: usize = 4096;

const PROSE: &str = "The dialog is open, and its button (the blue one, at the lower right) says \"Save as...\". I think that \
    clicking it is right: it worked before. After that, the file should be there; if not, I try again with ctrl+s.\n";
const NOTES: &str = "- `config.json`: {\"size\": [1, 2], \"name\": 'a'}\n- call f(x) and g(y, 2), see <b>here</b> [1]\n\
    ```python\nprint(len(items))\n```\n";
const CALL: &str = "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [497, 342]}}\n</tool_call>";
const LINE: &str = "\nAction: click(start_box='(197,525)')";

/// A reply, and the family that reads it.
struct Case {
    name: &'static str,
    family: &'static str,
    filler: &'static str,
    call: &'static str,
}

const CASES: [Case; 6] = [
    Case {
        name: "words without a call",
        family: "franz",
        filler: PROSE,
        call: "",
    },
    Case {
        name: "words with brackets and braces",
        family: "franz",
        filler: NOTES,
        call: "",
    },
    Case {
        name: "words without a call of the family",
        family: "ui-tars-1.5",
        filler: PROSE,
        call: "",
    },
    Case {
        name: "a call of the family",
        family: "qwen3-vl",
        filler: PROSE,
        call: CALL,
    },
    Case {
        name: "a call of another family",
        family: "franz",
        filler: PROSE,
        call: CALL,
    },
    Case {
        name: "a line of another family",
        family: "qwen3-vl",
        filler: PROSE,
        call: LINE,
    },
];

/// A text of so many bytes that ends with the call.
fn text(case: &Case) -> String {
    let mut text = case.filler.repeat(BYTES / case.filler.len() + 1);
    text.truncate(BYTES - case.call.len());
    text + case.call
}

fn main() {
    let asked = std::env::args().nth(1);
    for case in &CASES {
        let family = Family::named(case.family).unwrap_or_else(Family::franz);
        let own = ToolsProtocol::from(ReadingSettings::new(ToolSet::all()));
        let reader = DialectReader {
            dialect: family.dialect,
            geometry: family.geometry(Some((1344, 896)), None),
            own: &own,
            own_form: OwnForm::Tools,
            pointer: None,
            examples: Vec::new(),
            manner: family.manner.clone(),
        };
        let text = text(case);
        let read = || black_box(reader.read(&ReplyText::of(black_box(&text))));
        match &asked {
            Some(name) if name == case.name => (0..100).for_each(|_| drop(read())),
            Some(_) => {}
            None => println!("median {:.1} us: {}", median(read), case.name),
        }
    }
}

/// Returns the median time in microseconds.
fn median<T>(read: impl Fn() -> T) -> f64 {
    let mut times: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            drop(read());
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2] as f64 / 1000.0
}
