//! The model: a request becomes an answer, thought out by the artist or taken from a script.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use serde_json::value::to_raw_value;

use crate::answer::Answer;
use crate::artist::{Thought, View};
use crate::completion::Completion;
use crate::picture::Picture;
use crate::python;
use crate::request::Request;
use crate::script::{Line, Script};

/// How long the model pretends to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Before a reply that draws.
    pub drawing: Duration,
    /// Before a reply that draws nothing: long enough that an endless run does not fill the disk with them.
    pub idle: Duration,
}

impl Pace {
    /// No pretending, for tests.
    pub const AT_ONCE: Pace = Pace {
        drawing: Duration::ZERO,
        idle: Duration::ZERO,
    };
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            drawing: Duration::from_millis(150),
            idle: Duration::from_secs(1),
        }
    }
}

/// What answers requests.
#[derive(Debug)]
pub(crate) struct Model {
    pace: Pace,
    script: Option<Script>,
    answers: AtomicU64,
}

impl Model {
    /// A model that draws, or follows a script.
    pub(crate) fn new(pace: Pace, script: Option<Script>) -> Model {
        Model {
            pace,
            script,
            answers: AtomicU64::new(0),
        }
    }

    /// Answers a request. Takes some milliseconds of computing for a picture, and never waits.
    pub(crate) fn answer(&self, request: &Request) -> Answer {
        let number = self.answers.fetch_add(1, Ordering::Relaxed) + 1;
        match self.script.as_ref().map(Script::next) {
            Some(Line::Reply(reply)) => reply.answer(request, number),
            Some(Line::Rest) => self.say(&Thought::at_rest(), request, number),
            None => self.say(&Thought::of(&view(request)), request, number),
        }
    }

    fn say(&self, thought: &Thought, request: &Request, number: u64) -> Answer {
        let content = to_raw_value(&python::reply(thought)).expect("text is always JSON");
        let completion = Completion {
            content: &content,
            tool_calls: None,
            finish: "stop",
            number,
        };
        let delay = if thought.is_idle() {
            self.pace.idle
        } else {
            self.pace.drawing
        };
        Answer {
            delay,
            ..Answer::new(StatusCode::OK, completion.payload(request))
        }
    }
}

fn view(request: &Request) -> View<'_> {
    let picture = match &request.image {
        None => Err("there is no picture".to_owned()),
        Some(uri) => Picture::from_data_uri(uri).map_err(|error| error.to_string()),
    };
    View {
        story: &request.story,
        feedback: &request.feedback,
        picture,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Payload;
    use crate::sandbox::{Sandbox, block};
    use serde_json::{Value, json};

    /// The most turns that the whole drawing may take.
    const MOST_TURNS: usize = 25;

    /// An agent in miniature: acts on the last reply, takes a picture, asks.
    struct Session {
        model: Model,
        sandbox: Sandbox,
        story: String,
        feedback: String,
        size: (u32, u32),
    }

    impl Session {
        fn new(size: (u32, u32)) -> Session {
            Session {
                model: Model::new(Pace::AT_ONCE, None),
                sandbox: Sandbox::default(),
                story: String::new(),
                feedback: "SyntaxError: no ```python block found in your output.".to_owned(),
                size,
            }
        }

        /// One turn; gives the reply.
        fn turn(&mut self) -> String {
            let png = self.sandbox.png(self.size.0, self.size.1);
            let uri = format!("data:image/png;base64,{}", base64_simd::STANDARD.encode_to_string(png));
            self.story = self.ask(Some(uri));
            self.feedback = self.sandbox.run(&self.story);
            self.story.clone()
        }

        fn ask(&self, uri: Option<String>) -> String {
            let picture = uri.map(|uri| json!({ "type": "image_url", "image_url": { "url": uri } }));
            let mut parts = vec![json!({ "type": "text", "text": self.feedback })];
            parts.extend(picture);
            let body = json!({ "max_tokens": 900, "messages": [
                { "role": "system", "content": "Draw a cat." },
                { "role": "user", "content": self.story },
                { "role": "user", "content": parts },
            ]});
            let answer = self.model.answer(&Request::read(body.to_string().as_bytes()).unwrap());
            let Payload::Json(body) = answer.payload else {
                panic!("not asked for pieces")
            };
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert!(body["usage"]["completion_tokens"].as_u64().unwrap() < 899, "{body}");
            body["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
        }
    }

    #[test]
    fn the_whole_cat_is_drawn_with_one_mistake() {
        for size in [(512, 288), (1536, 864)] {
            let mut session = Session::new(size);
            let mut mistakes = Vec::new();
            let mut turn = 1;
            while !session.turn().contains("My cat is complete.") {
                if session.feedback.contains("Error") {
                    mistakes.push(turn);
                    assert!(session.feedback.starts_with("  Line 1: drag("), "{}", session.feedback);
                }
                turn += 1;
                assert!(turn <= MOST_TURNS);
            }
            assert_eq!(mistakes, [3]);
            assert_eq!(session.feedback, "OK: 0 actions executed.");
            let parts = crate::cat::parts();
            let progress = crate::eye::look(&session.sandbox.picture(512, 288), &parts);
            assert!(progress.iter().flatten().all(|&drawn| drawn));
            assert!(session.story.contains("drag() needs exactly four numbers."));
        }
    }

    #[test]
    fn turns_draw_few_strokes_and_one_of_them_loops() {
        let mut session = Session::new((512, 288));
        let mut loops = 0;
        while !session.turn().contains("My cat is complete.") {
            let block = block(&session.story).unwrap();
            loops += block.matches("for x1, y1, x2, y2 in whiskers:").count();
            let actions = session
                .feedback
                .strip_prefix("OK: ")
                .map(|text| text.split(' ').next().unwrap());
            if let Some(actions) = actions {
                assert!((2..=9).contains(&actions.parse::<usize>().unwrap()), "{block}");
            }
        }
        assert_eq!(loops, 1);
    }

    #[test]
    fn a_wiped_canvas_is_drawn_again_without_the_mistake() {
        let mut session = Session::new((512, 288));
        for _ in 0..6 {
            session.turn();
        }
        session.sandbox.fill([0; 3]);
        let mut turns = 0;
        while !session.turn().contains("My cat is complete.") {
            turns += 1;
            assert!(
                session.feedback.starts_with("OK: ") && turns < MOST_TURNS,
                "{}",
                session.feedback
            );
        }
    }

    #[test]
    fn without_memory_the_mistake_is_still_corrected_from_the_feedback() {
        let mut session = Session::new((512, 288));
        let mut turns = 0;
        while !session.turn().contains("My cat is complete.") {
            session.story.clear();
            turns += 1;
            assert!(turns < MOST_TURNS);
        }
    }

    #[test]
    fn what_is_no_canvas_is_left_alone() {
        let mut session = Session::new((512, 288));
        session.sandbox.fill([236, 236, 230]);
        let reply = session.turn();
        assert!(reply.contains("not my black canvas"), "{reply}");
        assert_eq!(session.feedback, "OK: 0 actions executed.");
        for uri in [None, Some("data:image/png;base64,AAAA".to_owned())] {
            let reply = session.ask(uri);
            assert!(reply.contains("I cannot see anything"), "{reply}");
            assert_eq!(session.sandbox.run(&reply), "OK: 0 actions executed.");
        }
    }

    #[test]
    fn a_tool_that_is_not_there_is_done_without() {
        let mut session = Session::new((512, 288));
        let mut turns = 0;
        while !session.turn().contains("My cat is complete.") {
            if session.story.contains("left_click(") && !session.story.contains("left_click() is not available") {
                session.feedback = "NameError: name 'left_click' is not defined".to_owned();
            }
            turns += 1;
            assert!(turns < MOST_TURNS);
        }
        assert!(session.story.contains("left_click() is not available here."));
    }

    #[test]
    fn after_an_error_in_the_loop_plain_calls_follow() {
        let mut session = Session::new((512, 288));
        while !session.turn().contains("in whiskers:") {}
        session.sandbox.forget(6);
        session.feedback = "  Line 9: drag(x1, y1, x2, y2)\nLimitError: too many steps".to_owned();
        let reply = session.turn();
        assert!(
            reply.contains("LimitError: too many steps") && !reply.contains("for x1"),
            "{reply}"
        );
        assert!(reply.contains("# whiskers\ndrag("), "{reply}");
    }

    #[test]
    fn idle_replies_take_longer() {
        let model = Model::new(Pace::default(), None);
        let idle = model.answer(&Request::default());
        assert_eq!(idle.delay, Pace::default().idle);
        let uri = base64_simd::STANDARD.encode_to_string(Sandbox::default().png(512, 288));
        let request = Request {
            image: Some(format!("data:image/png;base64,{uri}")),
            ..Request::default()
        };
        assert_eq!(model.answer(&request).delay, Pace::default().drawing);
    }
}
