//! Draws every style of marks on a busy picture, for people to look at: `cargo run -p franz-frame --example marks --
//! DIRECTORY`.
#![allow(clippy::disallowed_methods, reason = "tests read and write files as anybody would")]

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use franz_action::{Action, Point};
use franz_frame::draw::{Bar, Disc, Line, fill};
use franz_frame::png::encode;
use franz_frame::{Color, Frame, MarkData, Marker, Marks, PixelFormat};

const SIZES: [(u32, u32); 3] = [(64, 36), (512, 288), (1536, 864)];

const NONE: Marks = Marks {
    crosshair: false,
    classic: false,
    cursor: false,
    timestamp: false,
    elements: false,
};

/// The corners, the middles of the edges, and the centre. The badge's position comes last, so that no other scene draws
/// its badge over it.
const PLACES: [(i64, i64); 9] = [
    (0, 0),
    (500, 0),
    (1000, 0),
    (0, 500),
    (500, 500),
    (1000, 500),
    (0, 1000),
    (1000, 1000),
    (500, 1000),
];

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("give the directory to write the pictures into")?;
    fs::create_dir_all(&directory)?;
    for (width, height) in SIZES {
        let ground = busy(width, height)?;
        for (name, marks, scenes) in sheets() {
            let mut frame = ground.clone();
            let mut marker = Marker::new();
            for scene in &scenes {
                marker.draw(&mut frame, &marks, &scene.view(&scene.coordinates()));
            }
            let file = directory.join(format!("{name}_{width}x{height}.png"));
            fs::write(&file, encode(&frame)?)?;
            println!("{}", file.display());
        }
    }
    Ok(())
}

/// A scene that owns its actions.
struct Shown {
    actions: Vec<Action>,
    pointer: Option<Point>,
    previous: Option<Point>,
}

impl Shown {
    fn of(actions: Vec<Action>) -> Shown {
        Shown {
            actions,
            pointer: None,
            previous: None,
        }
    }

    fn coordinates(&self) -> [String; 2] {
        let text = |at: Point| format!("({},{})", at.x, at.y);
        [self.pointer, self.previous].map(|at| at.map(text).unwrap_or_default())
    }

    fn view<'a>(&'a self, [current, previous]: &'a [String; 2]) -> MarkData<'a> {
        MarkData {
            actions: &self.actions,
            pointer: self.pointer,
            previous: self.previous,
            coordinates: [current, previous],
            time: "2026-01-02 03:04:05",
            elements: &[],
        }
    }
}

/// Returns the scenes to draw on each picture. Several scenes are drawn over each other, so that one picture shows
/// more.
fn sheets() -> Vec<(&'static str, Marks, Vec<Shown>)> {
    let crosshair = Marks {
        crosshair: true,
        ..NONE
    };
    let classic = Marks {
        classic: true,
        timestamp: true,
        ..NONE
    };
    let cursor = Marks {
        cursor: true,
        timestamp: true,
        ..NONE
    };
    let all = Marks {
        crosshair: true,
        classic: true,
        cursor: true,
        timestamp: true,
        elements: false,
    };
    let each = |shown: fn((i64, i64)) -> Shown| PLACES.into_iter().map(shown).collect();
    let in_one = |action: fn((i64, i64)) -> Action| vec![Shown::of(PLACES.into_iter().map(action).collect())];
    let still = |(x, y)| Shown {
        pointer: Some(point(x, y)),
        ..Shown::of(Vec::new())
    };
    let moved = |(x, y)| Shown {
        pointer: Some(point(x, y)),
        previous: Some(point(x + 25, y - 40)),
        ..Shown::of(Vec::new())
    };
    vec![
        ("crosshair_left", crosshair, each(|at| Shown::of(vec![left(at)]))),
        ("crosshair_right", crosshair, each(|at| Shown::of(vec![right(at)]))),
        ("crosshair_drag", crosshair, each(|at| Shown::of(vec![inward(at)]))),
        ("classic_left", classic, in_one(left)),
        ("classic_right", classic, in_one(right)),
        ("classic_drag", classic, in_one(inward)),
        ("classic_typed", classic, vec![Shown::of(typed())]),
        ("classic_short", classic, vec![Shown::of(short())]),
        (
            "crosshair_short",
            crosshair,
            short().into_iter().map(|drag| Shown::of(vec![drag])).collect(),
        ),
        ("classic_many", classic, vec![Shown::of(many())]),
        ("cursor", cursor, each(still)),
        ("cursor_moved", cursor, each(moved)),
        (
            "all",
            all,
            vec![Shown {
                pointer: Some(point(500, 960)),
                previous: Some(point(480, 940)),
                ..Shown::of(vec![
                    left((300, 300)),
                    inward((900, 200)),
                    left((480, 940)),
                    left((500, 960)),
                ])
            }],
        ),
    ]
}

fn point(x: i64, y: i64) -> Point {
    Point::clamped(x, y)
}

fn left((x, y): (i64, i64)) -> Action {
    Action::left_click(point(x, y))
}

fn right((x, y): (i64, i64)) -> Action {
    Action::right_click(point(x, y))
}

/// Returns a drag that begins at a position and runs towards the centre, or from the centre to the right.
fn inward((x, y): (i64, i64)) -> Action {
    let toward = |from: i64| from + (500 - from) * 2 / 5;
    let to = if (x, y) == (500, 500) {
        point(620, 500)
    } else {
        point(toward(x), toward(y))
    };
    Action::drag(point(x, y), to)
}

fn typed() -> Vec<Action> {
    let text = |text: &str| Action::typing(text.to_owned());
    vec![
        left((100, 200)),
        text("some words"),
        text(" and more"),
        left((900, 500)),
        text("past the right edge"),
        left((200, 990)),
        text("below\nthe picture"),
        left((0, 0)),
        text("top"),
    ]
}

/// Returns short drags in eight directions, each at its own position.
fn short() -> Vec<Action> {
    let ways = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let drag = |(index, (dx, dy)): (usize, (i64, i64))| {
        let (x, y) = (150 + 230 * (index as i64 % 4), 250 + 450 * (index as i64 / 4));
        Action::drag(point(x, y), point(x + dx * 18, y + dy * 32))
    };
    ways.into_iter().enumerate().map(drag).collect()
}

/// Returns a circle of short drags and a row of clicks close together, more than a hundred in all.
fn many() -> Vec<Action> {
    let circle = (0..96).map(|index| {
        let at = |index: i32| {
            let angle = f64::from(index) * std::f64::consts::TAU / 96.0;
            point(
                (500.0 + 200.0 * angle.cos()) as i64,
                (450.0 + 350.0 * angle.sin()) as i64,
            )
        };
        Action::drag(at(index), at(index + 1))
    });
    let row = (0..8).map(|index| left((30 + index * 15, 500)));
    circle.chain(row).collect()
}

/// Returns a picture with gradients, bright and dark areas, thin lines, shapes that look like text, and white strokes
/// on black as on a canvas.
fn busy(width: u32, height: u32) -> Result<Frame, Box<dyn Error>> {
    let mut data = Vec::with_capacity(width as usize * height as usize * 3);
    let mut noise = Noise(1);
    for y in 0..height {
        for x in 0..width {
            let (across, down) = (x * 255 / width, y * 255 / height);
            let grain = noise.below(24);
            data.extend(
                [across, 255 - down, u32::midpoint(across, down)].map(|value| value.saturating_sub(grain) as u8),
            );
        }
    }
    let mut frame = Frame::new(width, height, PixelFormat::Rgb8, data)?;
    let (w, h) = (width as f32, height as f32);
    let area = |frame: &mut Frame, (left, top, right, bottom): (f32, f32, f32, f32), color: Color| {
        fill(frame, &Bar::new((left * w, top * h), (right * w, bottom * h)), color);
    };
    area(&mut frame, (0.0, 0.0, 0.3, 0.45), Color::WHITE);
    area(&mut frame, (0.35, 0.3, 0.65, 1.0), Color::BLACK);
    area(&mut frame, (0.0, 0.7, 0.3, 1.0), Color::rgb(200, 30, 30));
    area(&mut frame, (0.7, 0.6, 1.0, 1.0), Color::rgb(240, 240, 200));
    text_like(&mut frame, &mut noise);
    for index in 0..12 {
        let x = w * (0.7 + index as f32 * 0.024);
        fill(&mut frame, &Line::new((x, 0.0), (x, h * 0.4), 1.0), Color::BLACK);
    }
    let stroke = h / 120.0;
    for (from, to) in [
        ((0.38, 0.4), (0.62, 0.9)),
        ((0.62, 0.4), (0.38, 0.9)),
        ((0.5, 0.35), (0.5, 1.0)),
    ] {
        let line = Line::new((from.0 * w, from.1 * h), (to.0 * w, to.1 * h), stroke);
        fill(&mut frame, &line, Color::WHITE);
    }
    fill(&mut frame, &Disc::new((w * 0.45, h * 0.6), stroke * 3.0), Color::WHITE);
    Ok(frame)
}

/// Draws rows of short black strokes, which look like small print from afar.
fn text_like(frame: &mut Frame, noise: &mut Noise) {
    let (width, height) = (frame.width() as f32, frame.height() as f32);
    let rows = [(0.0, 0.0, 0.3, 0.45), (0.7, 0.6, 1.0, 1.0)];
    for (left, top, right, bottom) in rows {
        let mut y = top * height + 4.0;
        while y < bottom * height - 6.0 {
            let mut x = left * width + 3.0;
            while x < right * width - 4.0 {
                let reach = noise.below(5) as f32;
                if noise.below(6) > 0 {
                    fill(frame, &Line::new((x, y), (x + reach - 2.0, y + 5.0), 1.0), Color::BLACK);
                }
                x += 4.0;
            }
            y += 9.0;
        }
    }
}

/// Generates the same numbers in every run (Marsaglia's xorshift).
struct Noise(u32);

impl Noise {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % limit
    }
}
