//! The stages from the screen to the body of a request, performed as the agent does, with the time that each takes.

use std::fmt;
use std::time::{Duration, Instant};

use franz_action::Action;
use franz_chat::{Bytes, Form, PictureRef, Prompt, Request, Sampling};
use franz_frame::png::encode;
use franz_frame::{Frame, MarkData, Marker, Marks, Scaler};
use franz_json::Story;
use franz_record::digest::sha256_hex;
use franz_screen::{Change, Screen};

use crate::Failure;

/// The times of the stages, in order.
pub(crate) struct Stages {
    began: Instant,
    last: Instant,
    times: Vec<(&'static str, Duration)>,
    bytes: usize,
}

impl Stages {
    pub(crate) fn begin() -> Stages {
        let now = Instant::now();
        Stages {
            began: now,
            last: now,
            times: Vec::new(),
            bytes: 0,
        }
    }

    /// Ends a stage.
    pub(crate) fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.times.push((name, now - self.last));
        self.last = now;
    }
}

/// Writes `all=8123 bytes=300000 capture=1200 scale=2500 ...`, with times in microseconds.
impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = (self.last - self.began).as_micros();
        write!(f, "all={all} bytes={}", self.bytes)?;
        self.times
            .iter()
            .try_for_each(|(name, time)| write!(f, " {name}={}", time.as_micros()))
    }
}

/// The last picture, and the parts that make pictures.
#[derive(Default)]
pub(crate) struct Eye {
    scaler: Scaler,
    marker: Marker,
    last: Option<((u32, u32), View)>,
}

/// A picture for the model.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) png: Bytes,
    pub(crate) sha256: String,
    /// A value that is the same for equal pictures.
    #[allow(
        dead_code,
        reason = "the agent compares it with the one before; here it only has to be made"
    )]
    fingerprint: u32,
    /// The picture without marks, if it has any.
    pub(crate) plain: Option<Frame>,
}

impl Eye {
    /// Looks at the screen once. Returns the last picture again if the screen has not changed and no marks are drawn on
    /// the picture.
    pub(crate) fn look(
        &mut self,
        screen: &mut dyn Screen,
        size: (u32, u32),
        marked: bool,
        stages: &mut Stages,
    ) -> Result<View, Failure> {
        screen.capture()?;
        stages.lap("capture");
        let last = self.last.take();
        if screen.change() == Change::Nothing
            && !marked
            && let Some((_, view)) = last.filter(|(shown, _)| *shown == size)
        {
            self.last = Some((size, view.clone()));
            return Ok(view);
        }
        let mut picture = self.scaler.scale(screen.frame(), size.0, size.1);
        stages.lap("scale");
        let fingerprint = crc32fast::hash(picture.data());
        let plain = marked.then(|| picture.clone());
        if marked {
            let scene = MarkData {
                actions: &drags(),
                pointer: screen.pointer().current,
                previous: screen.pointer().previous,
                coordinates: ["(500,500)", "(500,500)"],
                time: "2026-01-31 12:34:56",
                elements: &[],
            };
            let marks = Marks {
                classic: true,
                ..Marks::default()
            };
            self.marker.draw(&mut picture, &marks, &scene);
        }
        stages.lap("mark");
        let png = Bytes::from(encode(&picture)?);
        let view = View {
            sha256: sha256_hex(&png),
            fingerprint,
            png,
            plain,
        };
        stages.lap("encode");
        self.last = (!marked).then(|| (size, view.clone()));
        Ok(view)
    }
}

impl View {
    /// Builds the body of the request that shows the picture.
    pub(crate) fn ask(&self, stages: &mut Stages) {
        let prompt = Prompt {
            system: "You are FRANZ.",
            story: &Story::from_raw(STORY).expect("a string literal"),
            feedback: "OK: 8 actions executed.",
            beside: &[],
            picture: Some(PictureRef {
                png: &self.png,
                sha256: &self.sha256,
            }),
        };
        let request = Request::new(&prompt, &Form::default(), &Sampling::default());
        assert!(request.body().len() > self.png.len());
        stages.bytes = self.png.len();
        stages.lap("request");
    }
}

/// The JSON literal of a reply.
pub(crate) const STORY: &str = r#""I draw the head.\n```python\ndrag(350, 350, 370, 190)\n```""#;

/// Returns the actions of one reply.
pub(crate) fn drags() -> Vec<Action> {
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
    DRAGS.iter().filter_map(|drag| drag.parse().ok()).collect()
}
