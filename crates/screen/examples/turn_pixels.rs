//! Measures the pixels of one turn on the canvas: eight drags, capture, scale, marks, PNG at 512 x 288.
//!
//! `cargo run --release --example turn_pixels -p franz-screen`
#![forbid(unsafe_code)]

use std::error::Error;
use std::time::{Duration, Instant};

use franz_action::Action;
use franz_frame::{Frame, Marker, Marks, Scaler, Scene, png};
use franz_screen::{Canvas, Interrupt, Screen, Step};

const TURNS: u64 = 400;
const DRAGS: [&str; 8] = [
    "drag(350, 350, 370, 190)",
    "drag(370, 190, 430, 300)",
    "drag(430, 300, 570, 300)",
    "drag(570, 300, 630, 190)",
    "drag(630, 190, 650, 350)",
    "drag(650, 350, 660, 500)",
    "drag(660, 500, 600, 640)",
    "drag(600, 640, 500, 680)",
];
const STAGES: [&str; 4] = ["act", "capture + scale", "marks", "encode"];

struct Never;

impl Interrupt for Never {
    fn is_set(&self) -> bool {
        false
    }

    fn sleep(&self, _duration: Duration) -> bool {
        false
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let actions = DRAGS.iter().map(|drag| drag.parse()).collect::<Result<Vec<_>, _>>()?;
    let mut turn = Turn::new(actions)?;
    let mut times: [Vec<f64>; 4] = Default::default();
    for number in 1..=TURNS {
        for (stage, time) in turn.run(number)?.into_iter().enumerate() {
            times[stage].push(time.as_secs_f64() * 1e3);
        }
    }
    let mut sum = 0.0;
    for (name, times) in STAGES.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        sum += median;
        println!("{name:16} {median:6.3} ms");
    }
    println!("{:16} {sum:6.3} ms, {} bytes", "sum of medians", turn.bytes);
    Ok(())
}

struct Turn {
    canvas: Canvas,
    scaler: Scaler,
    marker: Marker,
    actions: Vec<Action>,
    bytes: usize,
}

impl Turn {
    fn new(actions: Vec<Action>) -> Result<Turn, Box<dyn Error>> {
        Ok(Turn {
            canvas: Canvas::in_memory(1920, 1080)?,
            scaler: Scaler::new(),
            marker: Marker::new(),
            actions,
            bytes: 0,
        })
    }

    /// One turn; how long each stage took.
    fn run(&mut self, number: u64) -> Result<[Duration; 4], Box<dyn Error>> {
        let start = Instant::now();
        for (index, action) in self.actions.iter().enumerate() {
            let at = Step { turn: number, index };
            self.canvas.perform(at, action, &Never)?;
        }
        let acted = Instant::now();
        let mut picture = self.scaler.scale(self.canvas.capture()?, 512, 288);
        let scaled = Instant::now();
        self.mark(&mut picture);
        let marked = Instant::now();
        self.bytes = png::encode(&picture)?.len();
        Ok([acted - start, scaled - acted, marked - scaled, marked.elapsed()])
    }

    fn mark(&mut self, picture: &mut Frame) {
        let marks = Marks {
            classic: true,
            cursor: true,
            timestamp: true,
            crosshair: false,
        };
        let pointer = self.canvas.pointer();
        let scene = Scene {
            actions: &self.actions,
            pointer: pointer.current,
            previous: pointer.previous,
            time: "2026-01-31 12:34:56",
        };
        self.marker.draw(picture, &marks, &scene);
    }
}
