//! Measures reading replies of 4 kB with all dialects on: `cargo run --release --example reply_speed -p franz-dialect`.
//!
//! Given a case's name as an argument, reads only that reply, over and over, for use with a profiler.

use std::hint::black_box;
use std::time::{Duration, Instant};

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{DialectReader, Family, OwnForm, ReplyText, ToolsProtocol};

const ROUNDS: usize = 2_000;
const BYTES: usize = 4096;
const WARM: Duration = Duration::from_secs(2);

const PROSE: &str = "The dialog is open, and its button (the blue one, at the lower right) says \"Save as...\". I think that \
    clicking it is right: it worked before. After that, the file should be there; if not, I try again with ctrl+s.\n";
const NOTES: &str = "- `config.json`: {\"size\": [1, 2], \"name\": 'a'}\n- call f(x) and g(y, 2), see <b>here</b> [1]\n\
    ```python\nprint(len(items))\n```\n";
const MARKDOWN: &str = "## Step 1\n\n1. **Save** opens `<dialog id=\"save\">` with a <button> and <b>two</b> fields\n2. see \
    [the manual](https://example.com/a_(b))\n\n```html\n<ul class=\"a\"><li>text</li></ul>\n```\n\n```json\n{\"name\": \"Save\", \
    \"keys\": [\"ctrl\", \"s\"]}\n```\n\n> `click(x, y)` would follow\n\n";
const ELEMENTS: &str =
    "{\"id\": 17, \"type\": \"button\", \"label\": \"Save as\", \"box\": [120, 40, 180, 62], \"action\": null},\n ";
const SENTENCES: &str = "I click(500, 300) on \"File\", then type('report') and press(\"enter\"); scroll (down) if it is not \
    there, and wait(1). Then `left_click(10, 20)` again.\n";
const CALL: &str = "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [497, 342]}}\n</tool_call>";
const LINE: &str = "\nAction: click(start_box='(197,525)')";

/// A reply, and the family that reads it.
struct Case {
    name: &'static str,
    family: &'static str,
    lead: &'static str,
    filler: &'static str,
    call: &'static str,
}

impl Case {
    const fn new(name: &'static str, family: &'static str, filler: &'static str) -> Case {
        Case {
            name,
            family,
            lead: "",
            filler,
            call: "",
        }
    }
}

const CASES: [Case; 9] = [
    Case::new("words without a call", "franz", PROSE),
    Case::new("words with brackets and braces", "franz", NOTES),
    Case::new("markdown with fences and tags", "franz", MARKDOWN),
    Case {
        lead: "[",
        call: "]",
        ..Case::new("a list of objects", "franz", ELEMENTS)
    },
    Case::new("calls in sentences", "franz", SENTENCES),
    Case::new("words without a call of the family", "ui-tars-1.5", PROSE),
    Case {
        call: CALL,
        ..Case::new("a call of the family", "qwen3-vl", PROSE)
    },
    Case {
        call: CALL,
        ..Case::new("a call of another family", "franz", PROSE)
    },
    Case {
        call: LINE,
        ..Case::new("a line of another family", "qwen3-vl", PROSE)
    },
];

/// Returns at least `BYTES` bytes of text that end with the call.
fn text(case: &Case) -> String {
    let filler = BYTES - case.lead.len() - case.call.len();
    [
        case.lead,
        &case.filler.repeat(filler.div_ceil(case.filler.len())),
        case.call,
    ]
    .concat()
}

/// Computes for a while, because an idle processor takes time to reach its full clock speed.
fn warm_up() {
    let start = Instant::now();
    while start.elapsed() < WARM {
        black_box(PROSE.chars().map(u64::from).sum::<u64>());
    }
}

fn main() {
    let asked = std::env::args().nth(1);
    warm_up();
    for case in &CASES {
        let family = Family::named(case.family).unwrap_or_else(Family::franz);
        let own = ToolsProtocol::from(ReadingSettings::new(ToolSet::all()));
        let reader = DialectReader {
            dialect: family.dialect,
            geometry: family.geometry(Some((1344, 896)), None),
            own: &own,
            own_form: OwnForm::Tools,
            pointer: None,
            manner: family.manner.clone(),
        };
        let text = text(case);
        let read = || black_box(reader.read(&ReplyText::of(black_box(&text))));
        match &asked {
            Some(name) if name == case.name => (0..ROUNDS).for_each(|_| drop(read())),
            Some(_) => {}
            None => {
                let (median, least) = times(read);
                println!("median {median:.1} us, least {least:.1} us: {}", case.name);
            }
        }
    }
}

/// Returns the median and the minimum time, in microseconds.
fn times<T>(read: impl Fn() -> T) -> (f64, f64) {
    let mut times: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            drop(read());
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let microseconds = |nanoseconds: u128| nanoseconds as f64 / 1000.0;
    (microseconds(times[ROUNDS / 2]), microseconds(times[0]))
}
