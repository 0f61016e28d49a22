//! A model family as a test knows it: its calls are written by hand from its source, never by FRANZ.

use franz_action::Outcome;
use franz_record::Status;
use serde_json::Value;

use crate::harness::{Finished, Workplace, spawn};
use crate::real_server::parrot::{Parrot, Said};

/// What numbers count.
pub(crate) enum Counts {
    Thousandths,
    Pixels,
    Fractions,
}

/// A family, and the chat template that its models come with.
pub(crate) struct Speaker {
    /// The name of a model, which decides its family.
    pub(crate) model: &'static str,
    /// The chat template, by the name of a model in Xinference.
    pub(crate) template: &'static str,
    pub(crate) counts: Counts,
    /// What precedes an answer, where the template opens a thought.
    pub(crate) thought: &'static str,
    pub(crate) calls: Calls,
    /// What it writes where functions are sent to it, which the server reports as calls.
    pub(crate) functions: Option<Calls>,
}

/// How a family writes.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    /// A drag, with X1, Y1, X2 and Y2 for the numbers.
    pub(crate) drag: &'static str,
    /// The end of the work.
    pub(crate) finish: &'static str,
}

/// A run and what it left.
pub(crate) struct Course {
    pub(crate) place: Workplace,
    pub(crate) finished: Finished,
    pub(crate) template_shows_tools: bool,
}

/// A picture that no family resizes.
const PICTURE: (u32, u32) = (672, 448);
/// Three lines, in thousandths.
const STROKES: [[u32; 4]; 3] = [[100, 100, 700, 700], [100, 700, 700, 100], [150, 400, 650, 400]];
/// How far a line may be from where it was meant: less than two pixels of the picture.
const TOLERANCE: f64 = 2.0;

impl Speaker {
    /// Runs a profile for four turns, in which the model draws three lines; `operator` ends with the fourth reply.
    pub(crate) fn run(&self, profile: &str, more: &[&str]) -> Course {
        let place = Workplace::new();
        self.run_in(place, profile, more)
    }

    pub(crate) fn run_in(&self, place: Workplace, profile: &str, more: &[&str]) -> Course {
        let parrot = Parrot::start(self.template, self.model, &self.replies(profile));
        let (width, height) = PICTURE;
        let (width, height) = (format!("image.width={width}"), format!("image.height={height}"));
        let settings = ["loop.executing_delay_s=0", &width, &height];
        let mut arguments = vec![
            "run",
            "--run-dir",
            "run",
            "--upstream",
            &parrot.url,
            "--profile",
            profile,
        ];
        arguments.extend(["--screen", "canvas", "--max-turns", "4"]);
        arguments.extend(settings.into_iter().flat_map(|setting| ["--set", setting]));
        arguments.extend(more);
        arguments.push("Draw three lines");
        let finished = spawn(place.franz(&arguments)).finish();
        Course {
            place,
            finished,
            template_shows_tools: parrot.template_shows_tools,
        }
    }

    fn replies(&self, profile: &str) -> Vec<Said> {
        let functions = self.functions.filter(|_| profile == "operator");
        let Calls { drag, finish } = functions.unwrap_or(self.calls);
        let mut said: Vec<Said> = (1..)
            .zip(STROKES)
            .map(|(number, stroke)| {
                let mark = format!("This is line number {number}.");
                let answer = match profile {
                    "draw" => format!(
                        "{mark}\n```python\n{}\n```",
                        self.filled("drag(X1, Y1, X2, Y2)", stroke)
                    ),
                    "sketch" => format!("NARRATIVE: {mark}\nACTIONS:\n{}", self.filled(drag, stroke)),
                    "companion" => format!(
                        "STATUS: executing\nGOAL: Draw three lines\nACTION: {}\nSTORY: {mark}",
                        self.filled(drag, stroke)
                    ),
                    _ => format!("{mark}\n{}", self.filled(drag, stroke)),
                };
                let text = format!("{}{answer}", self.thought);
                Said { text, mark }
            })
            .collect();
        if profile == "operator" {
            let mark = "There are three lines now.".to_owned();
            let text = format!("{}{mark}\n{finish}", self.thought);
            said.push(Said { text, mark });
        }
        said
    }

    /// Returns a call with the numbers of a line, as the family counts.
    fn filled(&self, call: &str, stroke: [u32; 4]) -> String {
        let (width, height) = PICTURE;
        let mut call = call.to_owned();
        for ((name, number), size) in ["X1", "Y1", "X2", "Y2"]
            .iter()
            .zip(stroke)
            .zip([width, height, width, height])
        {
            let number = match self.counts {
                Counts::Thousandths => number.to_string(),
                Counts::Pixels => (number * size / 1000).to_string(),
                Counts::Fractions => format!("0.{number:03}"),
            };
            call = call.replace(name, &number);
        }
        call
    }
}

impl Course {
    /// Fails unless every turn went well and the three lines are where they were meant, each drawn once.
    pub(crate) fn drew_three_lines(&self) {
        let told = format!("{}\n{}", self.finished.stdout, self.finished.stderr);
        assert_eq!(self.finished.code, Some(0), "{told}");
        let turns = self.place.turns();
        assert_eq!(turns.len(), 4, "{told}");
        assert!(turns.iter().all(|turn| turn.status == Status::Ok), "{told}");
        let acted: Vec<_> = turns.iter().flat_map(|turn| &turn.acted).collect();
        assert_eq!(acted.len(), STROKES.len(), "{told}");
        assert!(
            acted.iter().all(|one| matches!(one.outcome, Outcome::Done(_))),
            "{told}"
        );

        let drawn = self.drawn();
        assert_eq!(drawn.len(), STROKES.len(), "{told}");
        for (drawn, meant) in drawn.iter().zip(STROKES) {
            let near = |(drawn, meant): (&f64, u32)| (drawn - f64::from(meant)).abs() <= TOLERANCE;
            assert!(drawn.iter().zip(meant).all(near), "{drawn:?} is not {meant:?}");
        }
    }

    /// Whether the requests carried functions for the model to call.
    pub(crate) fn sent_functions(&self) -> bool {
        self.exchanges().contains(r#""tools":[{"#)
    }

    /// The requests and answers.
    pub(crate) fn exchanges(&self) -> String {
        std::fs::read_to_string(self.place.file("exchange.log")).unwrap()
    }

    /// The lines on the canvas.
    pub(crate) fn drawn(&self) -> Vec<Vec<f64>> {
        let journal = std::fs::read_to_string(self.place.file("canvas.jsonl")).unwrap();
        journal.lines().map(numbers).collect()
    }

    /// In how many turns the server reported calls.
    pub(crate) fn native_turns(&self) -> usize {
        let turns = self.place.turns();
        turns.iter().filter(|turn| turn.tool_calls.is_some()).count()
    }
}

/// The numbers of a line in the journal of the canvas.
fn numbers(line: &str) -> Vec<f64> {
    let line: Value = serde_json::from_str(line).unwrap();
    let action = line["action"].as_str().unwrap();
    let numbers = action.trim_start_matches("drag(").trim_end_matches(')');
    numbers.split(", ").map(|number| number.parse().unwrap()).collect()
}
