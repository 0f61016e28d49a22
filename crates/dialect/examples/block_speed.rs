//! Measures reading a reply with a block of 13 calls: `cargo run --release --example block_speed -p franz-dialect`.

use std::time::Instant;

use franz_action::ToolSet;
use franz_dialect::protocol::ReadingSettings;
use franz_dialect::{Protocol, PythonProtocol, ReplyText};

const REPLY: &str = "RULES I KNOW:\n1. drag() needs four arguments.\n\n```python\n\
for i in range(8):\n    drag(350 + 10 * i, 350, 360 + 10 * i, 290)\n\
left_click(500, 400)\ntype(\"meow\")\ndrag(100, 200, x2=800, y2=600)\nleft_click(x=5, y=6)\ntype(f\"n={3 * 4}\")\n```\n";

const ROUNDS: usize = 30_000;

fn main() {
    let protocol = PythonProtocol::from(ReadingSettings::new(ToolSet::all()));
    let mut times: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let plan = protocol.read(&ReplyText::of(REPLY));
            assert_eq!(plan.steps.len(), 13);
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let microseconds = |place: usize| times[place] as f64 / 1000.0;
    println!(
        "median {:.1} us, best {:.1} us, p99 {:.1} us",
        microseconds(ROUNDS / 2),
        microseconds(0),
        microseconds(ROUNDS * 99 / 100)
    );
}
