//! Provides a small canvas for tests. It performs actions and renders pictures of any size, with lines as thick as on
//! the real canvas.

use franz_action::{Action, Button, Point, ToolSet};
use franz_dialect::{Geometry, call};

use crate::picture::Pixels;

/// The canvas size that the line thickness refers to, in pixels.
const CANVAS: (u32, u32) = (1920, 1080);
const LINE: f32 = 9.0;
const DOT: f32 = 24.0;
/// The width of text in normalised units, equal to that of a four-letter word on the canvas.
const WORD: i64 = 60;

/// Shapes in drawing order, rendered when a picture is requested.
#[derive(Clone, Debug)]
pub(crate) struct Sandbox {
    line: f32,
    background: [u8; 3],
    shapes: Vec<Shape>,
    cursor: Option<Point>,
}

#[derive(Clone, Debug)]
struct Shape {
    from: Point,
    to: Point,
    thickness: f32,
    colour: [u8; 3],
}

impl Default for Sandbox {
    fn default() -> Sandbox {
        Sandbox::with_lines(LINE)
    }
}

impl Sandbox {
    /// Creates an empty canvas with lines of this thickness, in pixels at a width of 1920.
    pub(crate) fn with_lines(thickness: f32) -> Sandbox {
        Sandbox {
            line: thickness,
            background: [0; 3],
            shapes: Vec::new(),
            cursor: None,
        }
    }

    /// Draws one action; returns `false` if it had no effect.
    pub(crate) fn perform(&mut self, action: &Action) -> bool {
        match action {
            Action::Drag(path) => self.add(path.from(), path.to(), self.line, [255; 3]),
            Action::Click(click) if click.button == Button::Left => {
                self.cursor = Some(click.at);
                self.add(click.at, click.at, DOT, [255; 3]);
            }
            Action::Type(_) => {
                let Some(at) = self.cursor else { return false };
                let end = Point::clamped(i64::from(at.x.whole()) + WORD, i64::from(at.y.whole()));
                self.add(at, end, self.line, [255; 3]);
            }
            _ => return false,
        }
        true
    }

    /// Performs the block in a reply as the agent would, and returns the feedback.
    pub(crate) fn run(&mut self, reply: &str) -> String {
        let Some(block) = block(reply) else {
            return "SyntaxError: no ```python block found in your output.".to_owned();
        };
        let mut done = 0;
        for (number, call) in calls(block) {
            match call::read(&call, &ToolSet::all(), &Geometry::THOUSANDTHS) {
                Ok(action) if self.perform(&action) => done += 1,
                Ok(action) => return format!("RuntimeError: {action} was not applied\n{done} actions executed."),
                Err(error) => {
                    return format!(
                        "  Line {number}: {call}\nTypeError: {error}\n{done} actions executed before error."
                    );
                }
            }
        }
        format!("OK: {done} actions executed.")
    }

    /// Removes the last `count` shapes.
    pub(crate) fn forget(&mut self, count: usize) {
        self.shapes.truncate(self.shapes.len() - count);
    }

    /// Draws a mark over the drawing.
    pub(crate) fn mark(&mut self, from: Point, to: Point, colour: [u8; 3]) {
        self.add(from, to, self.line, colour);
    }

    /// Paints everything in one colour.
    pub(crate) fn fill(&mut self, colour: [u8; 3]) {
        self.background = colour;
        self.shapes.clear();
    }

    /// Returns a picture of the canvas, scaled to a size.
    pub(crate) fn picture(&self, width: u32, height: u32) -> Pixels {
        Pixels::of(width, height, self.render(width, height))
    }

    /// Returns the same picture as a PNG.
    pub(crate) fn png(&self, width: u32, height: u32) -> Vec<u8> {
        let pixels = self.render(width, height);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fastest);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(pixels.as_flattened())
            .unwrap();
        bytes
    }

    fn render(&self, width: u32, height: u32) -> Vec<[u8; 3]> {
        let mut pixels = vec![self.background; (width * height) as usize];
        for shape in &self.shapes {
            shape.render(&mut pixels, width, height);
        }
        pixels
    }

    fn add(&mut self, from: Point, to: Point, thickness: f32, colour: [u8; 3]) {
        self.shapes.push(Shape {
            from,
            to,
            thickness,
            colour,
        });
    }
}

impl Shape {
    /// Draws an anti-aliased line with round ends: each pixel is blended according to its distance from the line.
    fn render(&self, pixels: &mut [[u8; 3]], width: u32, height: u32) {
        let scale = width as f32 / CANVAS.0 as f32;
        let place = |at: Point| {
            let scaled = |pixel: u32, size: u32, full: u32| (pixel as f32 + 0.5) * size as f32 / full as f32 - 0.5;
            let x = scaled(at.x.to_pixel(CANVAS.0), width, CANVAS.0);
            (x, scaled(at.y.to_pixel(CANVAS.1), height, CANVAS.1))
        };
        let (from, to) = (place(self.from), place(self.to));
        let radius = self.thickness * scale / 2.0;
        let span = |a: f32, b: f32, size: u32| {
            let first = (a.min(b) - radius - 1.0).max(0.0) as u32;
            first..size.min((a.max(b) + radius + 2.0).max(0.0) as u32)
        };
        for y in span(from.1, to.1, height) {
            for x in span(from.0, to.0, width) {
                let cover = (radius + 0.5 - distance((x as f32, y as f32), from, to)).clamp(0.0, 1.0);
                let cover = cover.min(self.thickness * scale);
                let pixel = &mut pixels[(y * width + x) as usize];
                for (channel, colour) in pixel.iter_mut().zip(self.colour) {
                    *channel = (f32::from(*channel) + (f32::from(colour) - f32::from(*channel)) * cover).round() as u8;
                }
            }
        }
    }
}

fn distance(at: (f32, f32), from: (f32, f32), to: (f32, f32)) -> f32 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx * dx + dy * dy;
    let along = ((at.0 - from.0) * dx + (at.1 - from.1) * dy) / length.max(f32::EPSILON);
    let along = along.clamp(0.0, 1.0);
    (at.0 - from.0 - along * dx).hypot(at.1 - from.1 - along * dy)
}

/// Returns the text inside a reply's fence.
pub(crate) fn block(reply: &str) -> Option<&str> {
    let (_, rest) = reply.split_once("```python\n")?;
    rest.split_once("```").map(|(block, _)| block)
}

/// Returns the calls in a block with their line numbers; a loop over a list of numbers is unrolled.
fn calls(block: &str) -> Vec<(usize, String)> {
    let mut calls = Vec::new();
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(block.lines()) {
        if let Some(row) = line.strip_prefix("    (") {
            rows.push(row.trim_end_matches("),").to_owned());
        } else if line == "    drag(x1, y1, x2, y2)" {
            calls.extend(rows.drain(..).map(|row| (number, format!("drag({row})"))));
        } else if line.ends_with(')') && !line.starts_with('#') {
            calls.push((number, line.to_owned()));
        }
    }
    calls
}
