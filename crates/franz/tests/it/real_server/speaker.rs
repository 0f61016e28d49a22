//! A model family for tests. Its calls are written by hand from the family's source, never by FRANZ.

use franz_action::Outcome;
use franz_record::Status;
use serde_json::Value;

use crate::harness::{Finished, Workplace, spawn};
use crate::real_server::parrot::{Parrot, Said};

/// The unit of coordinates.
pub(crate) enum Counts {
    Thousandths,
    Pixels,
    Fractions,
}

/// A family, and the chat template that its models come with.
pub(crate) struct Speaker {
    /// The name of a model, which determines its family.
    pub(crate) model: &'static str,
    /// The chat template, as the name of a model in Xinference.
    pub(crate) template: &'static str,
    pub(crate) counts: Counts,
    /// The text before an answer, for templates that open a thought.
    pub(crate) thought: &'static str,
    pub(crate) calls: Calls,
    /// The calls that the model writes when functions are sent to it. The server reports them as calls.
    pub(crate) functions: Option<Calls>,
}

/// The form in which a family writes calls.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    /// A drag, with X1, Y1, X2 and Y2 in place of the coordinates.
    pub(crate) drag: &'static str,
    /// The call that ends the task.
    pub(crate) finish: &'static str,
}

/// A run that has ended, with its directory and requests.
pub(crate) struct Course {
    pub(crate) place: Workplace,
    pub(crate) finished: Finished,
    pub(crate) template_shows_tools: bool,
}

/// A picture that no family resizes.
const PICTURE: (u32, u32) = (672, 448);
/// Three lines, in thousandths.
const STROKES: [[u32; 4]; 3] = [[100, 100, 700, 700], [100, 700, 700, 100], [150, 400, 650, 400]];
/// How far a line may be from its intended position. This is less than two pixels of the picture.
const TOLERANCE: f64 = 2.0;

impl Speaker {
    /// Runs a profile for four turns, in which the model draws three lines. `operator` ends with the fourth reply.
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

    /// Returns a call with a line's coordinates, in the family's units.
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
    /// Fails unless every turn succeeded and the three lines are where they should be, each drawn once.
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

    /// Returns whether the requests offered functions for the model to call.
    pub(crate) fn sent_functions(&self) -> bool {
        self.exchanges().contains(r#""tools":[{"#)
    }

    /// Returns the requests and answers.
    pub(crate) fn exchanges(&self) -> String {
        std::fs::read_to_string(self.place.file("exchange.log")).unwrap()
    }

    /// Returns the lines on the canvas.
    pub(crate) fn drawn(&self) -> Vec<Vec<f64>> {
        let journal = std::fs::read_to_string(self.place.file("canvas.jsonl")).unwrap();
        journal.lines().map(numbers).collect()
    }

    /// Returns the number of turns in which the server reported calls.
    pub(crate) fn native_turns(&self) -> usize {
        let turns = self.place.turns();
        turns.iter().filter(|turn| turn.tool_calls.is_some()).count()
    }
}

/// Returns the coordinates of a line in the canvas's journal.
fn numbers(line: &str) -> Vec<f64> {
    let line: Value = serde_json::from_str(line).unwrap();
    let action = line["action"].as_str().unwrap();
    let numbers = action.trim_start_matches("drag(").trim_end_matches(')');
    numbers.split(", ").map(|number| number.parse().unwrap()).collect()
}
