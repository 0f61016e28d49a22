//! A made-up model that clicks boxes by their colour. It gets only the bytes of requests, and looks for the box in the
//! picture that they hold.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64_simd::STANDARD;
use franz_frame::{Color, Frame, png};
use serde_json::{Value, json};

use super::pictures::{COLORS, color};

/// How a model answers.
#[derive(Clone, Copy)]
pub(crate) enum Skill {
    /// It clicks the middle of the box.
    Sees,
    /// It clicks the middle of the picture.
    Blind,
    /// It clicks far outside of the picture.
    Wild,
    /// It talks about something else.
    Babbles,
    /// It sees, but its server answers only the first so many requests, and is out of memory from then on.
    Fails(usize),
    /// It writes nothing.
    Silent,
}

/// How a model writes a click.
#[derive(Clone, Copy)]
pub(crate) enum Hand {
    /// As Qwen3-VL: thousandths.
    Qwen,
    /// As UI-TARS 1.5: pixels of the picture that it is sent.
    Tars,
}

impl Hand {
    /// Returns a name by which FRANZ recognises the family.
    pub(crate) fn model(self) -> &'static str {
        match self {
            Hand::Qwen => "qwen3-vl-4b-instruct",
            Hand::Tars => "ui-tars-1.5-7b",
        }
    }

    fn click(self, (x, y): (f64, f64), (width, height): (u32, u32)) -> String {
        match self {
            Hand::Qwen => {
                let part = |place: f64, side: u32| (place / f64::from(side - 1) * 1000.0).round();
                let (x, y) = (part(x, width), part(y, height));
                format!(
                    "<tool_call>\n{{\"name\": \"computer_use\", \"arguments\": {{\"action\": \"left_click\", \
                     \"coordinate\": [{x}, {y}]}}}}\n</tool_call>"
                )
            }
            Hand::Tars => format!(
                "Thought: I see it.\nAction: click(start_box='({},{})')",
                x.round(),
                y.round()
            ),
        }
    }
}

/// The model's server, which runs until the test ends.
pub(crate) struct Marksman {
    pub(crate) url: String,
    asked: Arc<AtomicUsize>,
    /// The keys that requests carried.
    keys: Arc<Mutex<Vec<String>>>,
    /// The last request.
    last: Arc<Mutex<Value>>,
}

/// What all connections share.
#[derive(Clone)]
struct Served {
    skill: Skill,
    hand: Hand,
    asked: Arc<AtomicUsize>,
    keys: Arc<Mutex<Vec<String>>>,
    last: Arc<Mutex<Value>>,
}

impl Marksman {
    pub(crate) fn new(skill: Skill, hand: Hand) -> Marksman {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = Served {
            skill,
            hand,
            asked: Arc::default(),
            keys: Arc::default(),
            last: Arc::default(),
        };
        let marksman = Marksman {
            url,
            asked: Arc::clone(&served.asked),
            keys: Arc::clone(&served.keys),
            last: Arc::clone(&served.last),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let served = served.clone();
                // The client is free to drop the connection.
                std::thread::spawn(move || served.serve(&stream));
            }
        });
        marksman
    }

    /// Returns how many questions have come.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Value {
        self.last.lock().unwrap().clone()
    }
}

impl Served {
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        loop {
            let mut first = String::new();
            if reader.read_line(&mut first).ok()? == 0 {
                return None;
            }
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).ok()?;
                let Some((name, value)) = line.trim_end().split_once(": ") else {
                    break;
                };
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.parse().ok()?,
                    "authorization" => self.keys.lock().unwrap().push(value.to_owned()),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            let (status, answer) = if first.starts_with("POST") {
                self.answer(&serde_json::from_slice(&body).ok()?)
            } else if first.starts_with("GET /v1/models ") {
                (200, json!({ "object": "list", "data": [{ "id": self.hand.model() }] }))
            } else {
                (404, json!({ "error": "no such path" }))
            };
            let answer = answer.to_string();
            let mut writer = stream;
            write!(
                writer,
                "HTTP/1.1 {status} Of Course\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
                answer.len()
            )
            .ok()?;
        }
    }

    fn answer(&self, request: &Value) -> (u16, Value) {
        let count = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        *self.last.lock().unwrap() = request.clone();
        let (frame, words) = shown(request);
        let size = (frame.width(), frame.height());
        let text = match self.skill {
            Skill::Fails(most) if count > most => return (500, json!({ "error": { "message": "out of memory" } })),
            Skill::Sees | Skill::Fails(_) => self.hand.click(middle_of(&frame, named(&words)), size),
            Skill::Blind => self
                .hand
                .click((f64::from(size.0) / 2.0, f64::from(size.1) / 2.0), size),
            Skill::Wild => self.hand.click((90_000.0, 90_000.0), size),
            Skill::Babbles => "The weather is nice, is it not? 12, 34.".to_owned(),
            Skill::Silent => String::new(),
        };
        let reply = json!({
            "model": self.hand.model(),
            "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 1200, "completion_tokens": 30 },
        });
        (200, reply)
    }
}

/// Returns the last picture of a request, and all words after the system prompt.
fn shown(request: &Value) -> (Frame, String) {
    let messages = request["messages"].as_array().unwrap();
    let mut words = String::new();
    let mut picture = None;
    for message in messages.iter().filter(|message| message["role"] != "system") {
        let content = &message["content"];
        words.push_str(content.as_str().unwrap_or_default());
        for part in content.as_array().into_iter().flatten() {
            words.push_str(part["text"].as_str().unwrap_or_default());
            picture = part["image_url"]["url"].as_str().or(picture);
        }
    }
    let base64 = picture.unwrap().strip_prefix("data:image/png;base64,").unwrap();
    (png::decode(&STANDARD.decode_to_vec(base64).unwrap()).unwrap(), words)
}

/// Returns the colour of the box that the words ask for.
fn named(words: &str) -> Color {
    let name = COLORS.iter().find(|name| words.contains(&format!("the {name} box")));
    color(name.unwrap_or_else(|| panic!("no colour in {words}")))
}

/// Returns the middle of the pixels that have nearly this colour.
fn middle_of(frame: &Frame, wanted: Color) -> (f64, f64) {
    let near = |a: u8, b: u8| a.abs_diff(b) < 60;
    let (mut xs, mut ys) = ((u32::MAX, 0), (u32::MAX, 0));
    for (y, row) in frame.data().chunks_exact(frame.width() as usize * 3).enumerate() {
        for (x, pixel) in row.chunks_exact(3).enumerate() {
            if near(pixel[0], wanted.red) && near(pixel[1], wanted.green) && near(pixel[2], wanted.blue) {
                let (x, y) = (x as u32, y as u32);
                xs = (xs.0.min(x), xs.1.max(x));
                ys = (ys.0.min(y), ys.1.max(y));
            }
        }
    }
    let middle = |(least, most): (u32, u32)| f64::midpoint(f64::from(least), f64::from(most));
    (middle(xs), middle(ys))
}
