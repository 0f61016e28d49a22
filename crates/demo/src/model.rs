//! Turns a request into an answer, using the artist or a script.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use serde_json::value::to_raw_value;

use crate::answer::HttpAnswer;
use crate::artist::Thought;
use crate::completion::{self, Completion};
use crate::player::Player;
use crate::protocol::ModelProtocol;
use crate::request::ChatRequest;
use crate::script::{Script, ScriptLine};

/// How long the model pretends to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinkingPace {
    /// The time before a reply that draws.
    pub drawing: Duration,
    /// The time before a reply that draws nothing. It is long enough that an endless run does not fill the disk with
    /// such replies.
    pub idle: Duration,
}

impl ThinkingPace {
    /// No delay, for tests.
    pub const AT_ONCE: ThinkingPace = ThinkingPace {
        drawing: Duration::ZERO,
        idle: Duration::ZERO,
    };

    fn before(self, idle: bool) -> Duration {
        if idle { self.idle } else { self.drawing }
    }
}

impl Default for ThinkingPace {
    fn default() -> ThinkingPace {
        ThinkingPace {
            drawing: Duration::from_millis(150),
            idle: Duration::from_secs(1),
        }
    }
}

/// Answers requests.
#[derive(Debug)]
pub(crate) struct Model {
    pace: ThinkingPace,
    script: Option<Script>,
    player: Option<Player>,
    id: String,
    answers: AtomicU64,
}

impl Model {
    /// Creates a model that draws or follows a script.
    pub(crate) fn new(pace: ThinkingPace, script: Option<Script>) -> Model {
        Model {
            pace,
            script,
            player: None,
            id: completion::MODEL.to_owned(),
            answers: AtomicU64::new(0),
        }
    }

    /// Creates a model that plays the given player.
    pub(crate) fn played(pace: ThinkingPace, player: Player) -> Model {
        Model {
            id: player.id(),
            player: Some(player),
            ..Model::new(pace, None)
        }
    }

    /// Returns the name that the model answers to.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Answers a request. This takes some milliseconds if there is a picture, and never waits.
    pub(crate) fn answer(&self, request: &ChatRequest) -> HttpAnswer {
        let number = self.answers.fetch_add(1, Ordering::Relaxed) + 1;
        let protocol = ModelProtocol::of(request);
        let said = |thought: Thought| (protocol.say(&thought, request), thought.is_idle());
        let (speech, idle) = match (self.script.as_ref().map(Script::next), &self.player) {
            (Some(ScriptLine::Reply(reply)), _) => return reply.answer(request, number),
            (Some(ScriptLine::Rest), _) => said(Thought::at_rest()),
            (None, Some(player)) => player.answer(request),
            (None, None) => said(Thought::of(protocol.view(request))),
        };
        let tool_calls = speech.tool_calls(number);
        let completion = Completion {
            content: &to_raw_value(&speech.content).expect("text is always JSON"),
            tool_calls: tool_calls.as_deref(),
            finish: speech.finish(),
            model: &self.id,
            number,
        };
        HttpAnswer {
            delay: self.pace.before(idle),
            ..HttpAnswer::new(StatusCode::OK, completion.payload(request))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::TestAgent;
    use crate::sandbox::{Sandbox, block};
    use serde_json::{Value, json};

    /// The largest number of turns that the whole drawing may take.
    const MOST_TURNS: usize = 25;

    /// A test agent that runs Python blocks.
    struct Session {
        agent: TestAgent,
        story: String,
        feedback: String,
    }

    impl Session {
        fn new(size: (u32, u32)) -> Session {
            Session {
                agent: TestAgent::new(size),
                story: String::new(),
                feedback: "SyntaxError: no ```python block found in your output.".to_owned(),
            }
        }

        /// Performs one turn and returns the reply.
        fn turn(&mut self) -> String {
            self.story = self.ask(Some(self.agent.picture()));
            self.feedback = self.agent.sandbox.run(&self.story);
            self.story.clone()
        }

        fn ask(&self, picture: Option<Value>) -> String {
            let mut parts = vec![json!({ "type": "text", "text": self.feedback })];
            parts.extend(picture);
            let choice = self.agent.ask(&json!({ "max_tokens": 900, "messages": [
                { "role": "system", "content": "Draw a cat." },
                { "role": "user", "content": self.story },
                { "role": "user", "content": parts },
            ]}));
            choice["message"]["content"].as_str().unwrap().to_owned()
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
            assert!(session.agent.shows_the_cat());
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
        session.agent.sandbox.fill([0; 3]);
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
    fn a_screen_without_the_canvas_is_left_alone() {
        let mut session = Session::new((512, 288));
        session.agent.sandbox.fill([236, 236, 230]);
        let reply = session.turn();
        assert!(reply.contains("not my black canvas"), "{reply}");
        assert_eq!(session.feedback, "OK: 0 actions executed.");
        let broken = json!({ "image_url": { "url": "data:image/png;base64,AAAA" } });
        for picture in [None, Some(broken)] {
            let reply = session.ask(picture);
            assert!(reply.contains("I cannot see anything"), "{reply}");
            assert_eq!(session.agent.sandbox.run(&reply), "OK: 0 actions executed.");
        }
    }

    #[test]
    fn an_unavailable_tool_is_avoided() {
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
        session.agent.sandbox.forget(6);
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
        let model = Model::new(ThinkingPace::default(), None);
        let idle = model.answer(&ChatRequest::default());
        assert_eq!(idle.delay, ThinkingPace::default().idle);
        let uri = base64_simd::STANDARD.encode_to_string(Sandbox::default().png(512, 288));
        let request = ChatRequest {
            image: Some(format!("data:image/png;base64,{uri}")),
            ..ChatRequest::default()
        };
        assert_eq!(model.answer(&request).delay, ThinkingPace::default().drawing);
    }
}
